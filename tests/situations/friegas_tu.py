"""What the shared tests need to know about Friegas Tú."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from placements import deals
from reference.friegas_tu import FriegasTu

TWIN = FriegasTu
NUM_POTS, NUM_CARDS = 54, 64
POT_COUNTS = (11, 11, 11, 11, 10)
SPECIAL_COUNTS = (5, 2, 1, 2)  # Skips, Landlords, Visitors, Parties
SKIP, PARTY = 6, 9
HIDDEN_FIELDS = {"hand", "deck"}  # of a record, that hold something hidden
REACTION = 1  # a record's `phase`
PLAY_SKIP, PLAY_PARTY, WASH, DECLINE = 245, 248, 249, 250
TINY_PARAMETERS: list[dict[str, Any]] = []  # the deck has 64 cards, always


def draw_parameters(rng: random.Random) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "num_players": rng.choice([2, 2, 3, 3, 4, 5, 6, 7, 8]),
        "num_rounds": rng.randint(1, 4),
        "max_decisions": rng.choice([1, 7, 60, 150, 5000, 5000, 5000]),
        "reward": rng.choice(["outcome", "score"]),
        "recall": rng.random() < 0.8,
    }
    if rng.random() < 0.6:
        parameters["hand_size"] = rng.choice([None, 2, 8, rng.randint(2, 8)])
        parameters["refill_size"] = rng.choice([None, 2, 8, rng.randint(2, 8)])
    if rng.random() < 0.4:
        parameters["pot_counts"] = rng.choice([(54, 0, 0, 0, 0), (0, 0, 0, 0, 54), _draw_pots(rng)])
    return parameters


def _draw_pots(rng: random.Random) -> tuple[int, ...]:
    cuts = sorted(rng.randint(0, NUM_POTS) for _ in POT_COUNTS[1:])
    return tuple(end - start for start, end in zip([0, *cuts], [*cuts, NUM_POTS]))


def draw_options(rng: random.Random, parameters: dict[str, Any]) -> dict[str, Any]:
    num_rounds = parameters.get("num_rounds", 3)
    return {
        "deck": [_draw_deck(rng, parameters) for _ in range(num_rounds)],
        "starting_player": [rng.randrange(parameters.get("num_players", 4)) for _ in range(num_rounds)],
    }


def _draw_deck(rng: random.Random, parameters: dict[str, Any]) -> list[int]:
    """Sometimes with the special cards at the bottom, where the last turns of a round meet them, or at the top."""
    deck = list(components(parameters).elements())
    rng.shuffle(deck)
    kind = rng.random()
    if kind < 0.3:
        deck.sort(key=lambda code: (code >= SKIP) == (kind < 0.15))
    return deck


def draw_preference(rng: random.Random) -> Callable[[random.Random, list[int]], int]:
    """Any legal action; full sinks; Parties kept to the end; everybody skips; or much washing."""
    kind = rng.choice(["any", "any", "stack", "keep Parties", "skip", "wash"])
    weight = rng.choice([0.7, 0.9, 1.0])

    def is_liked(action: int) -> bool:
        if kind == "stack":
            return action < PLAY_SKIP
        if kind == "keep Parties":
            return action < PLAY_PARTY
        if kind == "skip":
            return action not in (WASH, DECLINE)
        return kind != "wash" or action in (WASH, DECLINE)

    def prefer(rng: random.Random, legal: list[int]) -> int:
        liked = [action for action in legal if is_liked(action)]
        return rng.choice(liked if liked and rng.random() < weight else legal)

    return prefer


def shuffle_hidden(record: np.void, seat: int, parameters: dict[str, Any], rng: random.Random) -> None:
    """Among the other hands and the draw pile, as far as it agrees with what everybody has seen."""
    others = [other for other in range(int(record["num_players"])) if other != seat]
    sizes = [int(record["cards_in_hand"][other]) for other in others]
    draw_pile = record["deck"][int(record["deck_start"]) :]
    cards = [code for other in others for code in _cards(record["hand"][other])] + draw_pile.tolist()
    is_possible = False
    while not is_possible:
        rng.shuffle(cards)
        start = 0
        for other, size in zip(others, sizes):
            record["hand"][other] = np.bincount(cards[start : start + size], minlength=record["hand"].shape[1])
            start += size
        is_possible = _agrees_with_play(record)
    draw_pile[:] = cards[start:]


def hidden_placements(record: np.void, seat: int, parameters: dict[str, Any]) -> Iterator[tuple[np.void, float]]:
    others = [other for other in range(int(record["num_players"])) if other != seat]
    start = int(record["deck_start"])
    cards = Counter(
        record["deck"][start:].tolist() + [code for other in others for code in _cards(record["hand"][other])]
    )
    for hands, pile, weight in deals(cards, record["cards_in_hand"][others].tolist()):
        placed = record.copy()
        for other, hand in zip(others, hands):
            placed["hand"][other] = [hand[code] for code in range(record["hand"].shape[1])]
        placed["deck"][start:] = pile
        if _agrees_with_play(placed):
            yield placed, weight


def num_hidden(record: np.void, seat: int) -> int:
    in_hands = record["cards_in_hand"].sum(dtype=int) - record["cards_in_hand"][seat]
    return int(in_hands) + NUM_CARDS - int(record["deck_start"])


def hidden_world(record: np.void) -> Any:
    return record["hand"].tolist(), record["deck"][int(record["deck_start"]) :].tolist()


def is_plain(record: np.void, seat: int) -> bool:
    """Whether a hand that `seat` doesn't see has shown something of itself."""
    is_asked = record["phase"] == REACTION and record["current_player"] not in (-1, seat)
    return bool(is_asked or (record["washed_nothing"] and record["active"] != seat))


def _agrees_with_play(record: np.void) -> bool:
    """Whoever is asked for a Skip has one; who washes an empty sink during a party has only Parties."""
    asked, active = int(record["current_player"]), int(record["active"])
    if record["phase"] == REACTION and asked >= 0 and not record["hand"][asked, SKIP]:
        return False
    return not record["washed_nothing"] or not record["hand"][active, :PARTY].any()


def components(parameters: dict[str, Any]) -> Counter:
    return Counter(dict(enumerate((*parameters.get("pot_counts", POT_COUNTS), *SPECIAL_COUNTS), start=1)))


def num_cards(record: np.void, parameters: dict[str, Any]) -> Counter:
    """Cards by code; a Party in front of its player counts among the discards."""
    found = Counter(record["deck"][int(record["deck_start"]) :].tolist())
    found.update(record["sink"][record["sink"] > 0].tolist())
    for seat in range(int(record["num_players"])):
        found.update(_cards(record["hand"][seat]))
        found.update(_cards(record["washed"][seat]))
    found.update(SKIP + code for code in _cards(record["discards"]))
    return found


def _cards(counts: np.ndarray) -> list[int]:
    """The indices, each as often as its count says."""
    return np.repeat(np.arange(len(counts)), counts).tolist()
