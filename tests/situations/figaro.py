"""What the shared tests need to know about Figaro."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from placements import deals
from reference.figaro import Figaro

TWIN = Figaro
NUM_ROUNDS = 3
NUM_KINDS = 18
HIDDEN_FIELDS = {"hand"}  # of a record, that hold something hidden
FULL_DECK = sorted(Counter(dict(enumerate((3, 6, 1) * 5 + (3, 2, 5)))).elements())
SHORT_DECK = sorted(Counter(dict(enumerate((3, 6, 1) * 4 + (0, 0, 0) + (2, 1, 2)))).elements())
DEFAULT_LENGTHS = tuple(range(1, 16))
LONGEST = 85  # three of them are a road of 255
TINY_PARAMETERS: list[dict[str, Any]] = []  # the smallest deck has 45 cards


def draw_parameters(rng: random.Random) -> dict[str, Any]:
    num_players = rng.choice([3, 3, 4, 5, 6])
    parameters: dict[str, Any] = {
        "num_players": num_players,
        "short_deck": num_players == 3 and rng.random() < 0.5,
        "max_decisions": rng.choice([1, 40, 120, 5000, 5000]),
        "reward": rng.choice(["outcome", "score"]),
        "recall": rng.random() < 0.8,
    }
    return parameters if rng.random() < 0.3 else {**parameters, "road_lengths": _draw_lengths(rng, num_players)}


def _draw_lengths(rng: random.Random, num_players: int) -> tuple[int, ...]:
    """As few as there may be, or more; all equal, few different ones, or any, up to the longest road."""
    fewest = NUM_ROUNDS * (num_players - 1)
    low, high = rng.choice([(1, 1), (1, 2), (1, 15), (1, LONGEST), (LONGEST, LONGEST)])
    return tuple(rng.randint(low, high) for _ in range(rng.choice([fewest, fewest + 1, 15, 255])))


def draw_options(rng: random.Random, parameters: dict[str, Any]) -> dict[str, Any]:
    num_players = parameters["num_players"]
    cards = SHORT_DECK if parameters["short_deck"] else FULL_DECK
    lengths = parameters.get("road_lengths", DEFAULT_LENGTHS)
    drawn = rng.sample(lengths, NUM_ROUNDS * (num_players - 1))
    return {
        "deck": [rng.sample(cards, len(cards)) for _ in range(NUM_ROUNDS)],
        "roads": [drawn[number::NUM_ROUNDS] for number in range(NUM_ROUNDS)],
        "starting_player": rng.randrange(num_players),
    }


def draw_preference(rng: random.Random) -> Callable[[random.Random, list[int]], int]:
    """Any legal action; or mostly the first (low cards, in front of oneself), or the last (a TAKE if there is one)."""
    place = rng.choice([None, None, 0, -1])
    weight = rng.choice([0.5, 0.9, 1.0])

    def prefer(rng: random.Random, legal: list[int]) -> int:
        return rng.choice(legal) if place is None or rng.random() >= weight else legal[place]

    return prefer


def shuffle_hidden(record: np.void, seat: int, parameters: dict[str, Any], rng: random.Random) -> None:
    """Among the other players' hands; everything else lies open, or has."""
    others = [other for other in range(int(record["num_players"])) if other != seat]
    cards = [kind for other in others for kind in np.repeat(np.arange(NUM_KINDS), record["hand"][other])]
    rng.shuffle(cards)
    for other in others:
        size = int(record["hand_size"][other])
        record["hand"][other] = np.bincount(np.array(cards[:size], np.int64), minlength=NUM_KINDS)
        del cards[:size]


def hidden_placements(record: np.void, seat: int, parameters: dict[str, Any]) -> Iterator[tuple[np.void, float]]:
    others = [other for other in range(int(record["num_players"])) if other != seat]
    cards = Counter(dict(enumerate(record["hand"][others].sum(axis=0, dtype=int).tolist())))
    for hands, _, weight in deals(+cards, record["hand_size"][others].tolist()):
        placed = record.copy()
        for other, hand in zip(others, hands):
            placed["hand"][other] = [hand[kind] for kind in range(NUM_KINDS)]
        yield placed, weight


def num_hidden(record: np.void, seat: int) -> int:
    return int(record["hand_size"].sum(dtype=int) - record["hand_size"][seat])


def hidden_world(record: np.void) -> Any:
    return record["hand"].tolist()


def num_cards(record: np.void, parameters: dict[str, Any]) -> Counter:
    """In hands, in front of the seats and in piles, by kind."""
    fronts = record["front"].reshape(-1, NUM_KINDS)
    counts = record["hand"].sum(axis=0, dtype=np.int64) + fronts.sum(axis=0, dtype=np.int64) + record["gone"]
    piles = int(record["pile_size"].sum(dtype=np.int64))
    assert piles == record["gone"].sum(dtype=np.int64)
    return Counter(dict(enumerate(counts.tolist())))
