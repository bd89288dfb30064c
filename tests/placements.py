"""Every way in which hidden cards may lie, in plain Python, for what the shared tests know about each game."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any


def arrangements(cards: Counter) -> Iterator[list[Any]]:
    """Every order of a multiset, each once."""
    if not cards.total():
        yield []
    for card in sorted(cards):
        if cards[card]:
            for rest in arrangements(cards - Counter([card])):
                yield [card, *rest]


def hands_of(cards: Counter, size: int) -> Iterator[Counter]:
    """Every multiset of `size` cards out of `cards`, each once."""
    kinds = sorted(cards)
    for counts in itertools.product(*(range(min(cards[kind], size) + 1) for kind in kinds)):
        if sum(counts) == size:
            yield Counter(dict(zip(kinds, counts)))


def deals(cards: Counter, sizes: list[int]) -> Iterator[tuple[list[Counter], list[Any], float]]:
    """Every way to deal hands of these sizes out of `cards`, with what is left in every order.

    The last entry of each is its share, up to a factor, in all orders of the cards, each of which is one of its own: a
    hand with k cards of a kind holds k! orders of them for the one that it is as a hand.
    """
    if not sizes:
        for pile in arrangements(cards):
            yield [], pile, 1.0
        return
    for hand in hands_of(cards, sizes[0]):
        weight = 1 / math.prod(map(math.factorial, hand.values()))
        for others, pile, further in deals(cards - hand, sizes[1:]):
            yield [hand, *others], pile, weight * further
