"""What the shared tests need to know about Piñata."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from placements import arrangements, deals
from reference.pinata import Pinata
from sobremesa.games.pinata import PLAYING, find_plays

TWIN = Pinata
SUIT_SIZES = (13, 11, 9, 7, 5)  # cards, and candies, of each colour
NUM_WILDS = 9
NUM_CARDS = 54
NUM_MATS = 4
HIDDEN_FIELDS = {"hand", "plays", "supply", "bag"}  # of a record, that hold something hidden
FEWEST_DRAWS_TO_A_RESHUFFLE = 18  # cards that are neither in a hand nor on a mat, when both are as full as can be
DISCARD, DRAW = 432, 486
TINY_PARAMETERS: list[dict[str, Any]] = []  # the deck has 54 cards, always


def draw_parameters(rng: random.Random) -> dict[str, Any]:
    return {
        "open_sides": rng.random() < 0.4,
        "max_decisions": rng.choice([1, 7, 30, 60, 120, 300]),
        "reward": rng.choice(["outcome", "score"]),
        "recall": rng.random() < 0.8,
        **_draw_values(rng),
    }


def _draw_values(rng: random.Random) -> dict[str, Any]:
    """The default ones, any, or few different ones: plays that would tie, and players who can't play."""
    kind = rng.random()
    if kind < 0.4:
        return {}
    low, high = rng.choice([(0, 63), (0, 63), (1, 1), (1, 1), (0, 2), (63, 63)])
    suits = tuple(tuple(rng.randint(low, high) for _ in range(size)) for size in SUIT_SIZES)
    return {"card_values": suits, "wild_values": tuple(rng.randint(low, high) for _ in range(NUM_WILDS))}


def draw_options(rng: random.Random, parameters: dict[str, Any]) -> dict[str, Any]:
    """No decision draws more than a card on average. Some deals leave the first hands without the mats' colours."""
    cards, candies = list(range(NUM_CARDS)), sorted(Counter(dict(enumerate(SUIT_SIZES))).elements())
    deck, bag = rng.sample(cards, NUM_CARDS), rng.sample(candies, len(candies))
    if rng.random() < 0.3:
        bag.sort(key=lambda colour: colour > 1)  # red and blue first
        deck.sort(key=lambda card: card < 24 or card >= 45)  # neither red, blue nor wild first
    return {
        "deck": deck,
        "candies": bag,
        "mats": [rng.choice(["high", "low"]) for _ in range(NUM_MATS)],
        "reshuffles": [
            rng.sample(cards, NUM_CARDS) for _ in range(parameters["max_decisions"] // FEWEST_DRAWS_TO_A_RESHUFFLE + 1)
        ],
        "starting_player": rng.randrange(2),
    }


def draw_preference(rng: random.Random) -> Callable[[random.Random, list[int]], int]:
    """Any legal action; or few or all cards discarded; or no wilds while there is another card to play."""
    kind = rng.choice(["any", "any", "lazy", "thorough", "colours first"])

    def prefer(rng: random.Random, legal: list[int]) -> int:
        liked = []
        if kind == "lazy" and rng.random() < 0.7:
            liked = [action for action in legal if action == DRAW]
        elif kind == "thorough" and rng.random() < 0.9:
            liked = [action for action in legal if DISCARD <= action < DRAW]
        elif kind == "colours first":
            liked = [action for action in legal if action < DISCARD - 8 * NUM_WILDS]
        return rng.choice(liked or legal)

    return prefer


def shuffle_hidden(record: np.void, seat: int, parameters: dict[str, Any], rng: random.Random) -> None:
    """Among the supply and what the opponent isn't known to hold; and the bag.

    An opponent who has been asked for a play holds one: that much is plain.
    """
    opponent = 1 - seat
    unknown = _unknown(record, opponent)
    supply = record["supply"][int(record["supply_start"]) : int(record["supply_end"])]
    cards = [*record["hand"][opponent][unknown].tolist(), *supply.tolist()]
    is_possible = False
    while not is_possible:
        rng.shuffle(cards)
        record["hand"][opponent][unknown] = cards[: len(unknown)]
        supply[:] = cards[len(unknown) :]
        is_possible = record["current_player"] == seat or find_plays(record, opponent) or not is_plain(record, seat)
    bag = record["bag"][int(record["bag_start"]) :]
    bag[:] = rng.sample(bag.tolist(), len(bag))


def is_plain(record: np.void, seat: int) -> bool:
    """Whether the opponent has been asked for a play, so that it holds one."""
    return bool(record["current_player"] == 1 - seat and record["phase"] == PLAYING)


def num_hidden(record: np.void, seat: int) -> int:
    return (
        len(_unknown(record, 1 - seat))
        + int(record["supply_end"])
        - int(record["supply_start"])
        + len(record["bag"][int(record["bag_start"]) :])
    )


def _unknown(record: np.void, seat: int) -> np.ndarray:
    """Where in its hand the cards of `seat` are that its opponent doesn't know to be there."""
    cards = record["hand"][seat][: int(record["hand_size"][seat])]
    return np.flatnonzero(record["hand_known"][seat][cards] == 0)


def hidden_world(record: np.void) -> Any:
    hands = [sorted(hand[:size].tolist()) for hand, size in zip(record["hand"], record["hand_size"])]
    supply = record["supply"][int(record["supply_start"]) : int(record["supply_end"])]
    return hands, supply.tolist(), record["bag"][int(record["bag_start"]) :].tolist()


def hidden_placements(record: np.void, seat: int, parameters: dict[str, Any]) -> Iterator[tuple[np.void, float]]:
    opponent = 1 - seat
    unknown = _unknown(record, opponent)
    start, end, bag_start = (int(record[name]) for name in ("supply_start", "supply_end", "bag_start"))
    cards = Counter(record["hand"][opponent][unknown].tolist() + record["supply"][start:end].tolist())
    for bag in arrangements(Counter(record["bag"][bag_start:].tolist())):
        for (hand,), pile, weight in deals(cards, [len(unknown)]):
            placed = record.copy()
            placed["hand"][opponent][unknown] = sorted(hand.elements())
            placed["supply"][start:end] = pile
            placed["bag"][bag_start:] = bag
            if not is_plain(record, seat) or find_plays(placed, opponent):
                yield placed, weight


def num_cards(record: np.void, parameters: dict[str, Any]) -> Counter:
    """Cards by number, and candies by colour."""
    found = Counter(record["supply"][int(record["supply_start"]) : int(record["supply_end"])].tolist())
    found.update(np.flatnonzero(record["discards"]).tolist())
    found.update(f"candy {colour}" for colour in record["bag"][int(record["bag_start"]) :])
    for seat in range(2):
        found.update(record["hand"][seat][: int(record["hand_size"][seat])].tolist())
        for mat in range(NUM_MATS):
            found.update(np.flatnonzero(record["mat_cards"][mat, seat]).tolist())
    for colour in range(len(SUIT_SIZES)):
        on_mats = int(record["mat_candies"].reshape(-1, record["bag_counts"].size)[:, colour].sum())
        found[f"candy {colour}"] += on_mats + int(record["candies"][:, colour].sum())
    return found
