"""What the shared tests need to know about Freep."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from placements import arrangements
from reference.freep import Freep

TWIN = Freep
WILD = 10
ANNOUNCE = 3  # a record's `phase` while a revealed Wild waits for its value
NO_NODE = 0  # no node of a won pile
HIDDEN_FIELDS = {"deck"}  # of a record, that hold something hidden
HIGHER, LOWER, STAND, REVEAL, KEEP_LIFE, DECLINE = 0, 1, 2, 3, 5, 7
DEFAULTS: dict[str, Any] = {
    "num_players": 2,
    "number_counts": (6, 8, 8, 10, 10, 10, 8, 8, 6),
    "wilds": 3,
    "steals": 3,
    "lives": 3,
    "wins_to_finish": 3,
    "max_decisions": 5000,
}
TINY_PARAMETERS = [
    {"num_players": 2, "number_counts": (1, 0, 0, 0, 1, 0, 0, 0, 1), "wilds": 1, "steals": 1, "lives": 1},
    {"num_players": 3, "number_counts": (0, 0, 2, 0, 2, 0, 0, 0, 0), "wilds": 0, "steals": 1, "lives": 1},
    {"num_players": 2, "number_counts": (0, 0, 2, 1, 0, 0, 0, 0, 0), "wilds": 2, "steals": 0, "recall": False},
]


def draw_parameters(rng: random.Random) -> dict[str, Any]:
    wins_to_finish, max_decisions = rng.choice([(1, 700), (2, 300), (3, 1000), (2, 1), (3, 7), (255, 60)])
    parameters: dict[str, Any] = {
        "num_players": rng.randint(2, 6),
        "reward": rng.choice(["outcome", "score"]),
        "recall": rng.random() < 0.8,
        "idle_passes": rng.choice([0, 1, 2, 3, 300]),
        "wins_to_finish": wins_to_finish,
        "max_decisions": max_decisions,
    }
    return parameters if rng.random() < 0.2 else {**parameters, **_draw_components(rng)}


def _draw_components(rng: random.Random) -> dict[str, Any]:
    most = rng.choice([1, 2, 4])
    counts = [rng.randint(0, most) for _ in range(9)]
    if rng.random() < 0.15:
        counts = [0] * 9
    counts[rng.randrange(9)] += 1
    counts[rng.randrange(9)] += 1
    return {
        "number_counts": tuple(counts),
        "wilds": rng.choice([0, 0, 1, 6]),
        "steals": rng.choice([0, 1, 6]),
        "lives": rng.choice([0, 1, 6]),
    }


def draw_options(rng: random.Random, parameters: dict[str, Any]) -> dict[str, Any]:
    """Each round gives somebody a win and asks somebody something, which bounds their number."""
    rules = {**DEFAULTS, **parameters}
    num_players = rules["num_players"]
    num_rounds = 1 + min(num_players * (rules["wins_to_finish"] - 1), rules["max_decisions"])
    cards = sorted(components(rules).elements())
    return {
        "deck": [rng.sample(cards, len(cards)) for _ in range(num_rounds)],
        "starting_player": [rng.randrange(num_players) for _ in range(num_rounds)],
    }


def draw_preference(rng: random.Random) -> Callable[[random.Random, list[int]], int]:
    """Careful, daring, stubborn (one call for ever, which makes idle passes), or any legal action."""
    favourites = rng.choice(
        [[], [], [STAND, DECLINE], [HIGHER, LOWER, REVEAL, KEEP_LIFE], [LOWER, DECLINE], [HIGHER, DECLINE]]
    )
    weight = rng.choice([0.5, 0.9, 1.0])

    def prefer(rng: random.Random, legal: list[int]) -> int:
        liked = [action for action in favourites if action in legal]
        if liked and rng.random() < weight:
            return rng.choice(liked)
        return rng.choice(legal)

    return prefer


def shuffle_hidden(record: np.void, seat: int, parameters: dict[str, Any], rng: random.Random) -> None:
    """Nobody has seen the deck, unless it is a turned failure pile; everything else lies open."""
    unseen = _unseen(record)
    unseen[:] = rng.sample(unseen.tolist(), len(unseen))


def hidden_placements(record: np.void, seat: int, parameters: dict[str, Any]) -> Iterator[tuple[np.void, float]]:
    for cards in arrangements(Counter(_unseen(record).tolist())):
        placed = record.copy()
        _unseen(placed)[:] = cards
        yield placed, 1.0


def num_hidden(record: np.void, seat: int) -> int:
    return len(_unseen(record))


def hidden_world(record: np.void) -> Any:
    return record["deck"][int(record["deck_start"]) :].tolist()


def _unseen(record: np.void) -> np.ndarray:
    """The part of the deck that nobody has seen, in place."""
    start, end = int(record["deck_start"]), int(record["deck_end"])
    return record["deck"][start : start if record["deck_turned"] else end]


def components(parameters: dict[str, Any]) -> Counter:
    rules = {**DEFAULTS, **parameters}
    counts = (*rules["number_counts"], rules["wilds"], rules["steals"], rules["lives"])
    return Counter(dict(enumerate(counts, start=1)))


def num_cards(record: np.void, parameters: dict[str, Any]) -> Counter:
    """Numbers by code, with a Wild that waits for its value.

    Steals and Lives are left out: once out of the round they lie in no zone of the record.
    """
    deck = record["deck"][int(record["deck_start"]) : int(record["deck_end"])]
    row = record["row_card"][: int(record["row_size"])]
    failures = record["failure"][: int(record["failure_size"])]
    piles = [card for seat in range(int(record["num_players"])) for card in _won_pile(record, seat)]
    found = Counter([*deck.tolist(), *row.tolist(), *failures.tolist(), *piles])
    if record["phase"] == ANNOUNCE:
        found[WILD] += 1
    return Counter({code: found[code] for code in range(1, WILD + 1)})


def _won_pile(record: np.void, seat: int) -> list[int]:
    cards, node = [], int(record["pile_top"][seat])
    while node != NO_NODE:
        cards.append(int(record["won_card"][node]))
        node = int(record["won_below"][node])
    assert len(cards) == record["pile_size"][seat]
    return cards
