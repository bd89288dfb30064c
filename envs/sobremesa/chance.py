"""Random numbers inside kernels.

The generator is SplitMix64: Guy L. Steele Jr., Doug Lea and Christine H. Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014. Its state is one 64-bit word that grows by a constant; each output is a mix of it.
Bounded draws are unbiased: Daniel Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).

A state is passed by value and the new one is returned, so a table's record holds nothing but the words themselves.
"""

from __future__ import annotations

import secrets

import numpy as np

from .kernel import BITS_OF_BYTE, byte_of, config, kernel

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio, made odd
MIX_1, MIX_2 = (
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)  # Stafford's variant 13 of MurmurHash3's finaliser
UNMIX_1, UNMIX_2 = (np.uint64(pow(int(factor), -1, 2**64)) for factor in (MIX_1, MIX_2))  # odd, so each has an inverse
SHIFT_27, SHIFT_30, SHIFT_31, HALF = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
EACH_BYTE, TOP_BYTE = np.uint64(0x0101010101010101), np.uint64(56)
ONE, TWO, FOUR = np.uint64(1), np.uint64(2), np.uint64(4)
EVERY_SECOND_BIT, EVERY_SECOND_PAIR = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
LOW_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
TOP_BITS, TOP_BIT = np.uint64(0x8080808080808080), np.uint64(7)  # of each byte


def wrapping(function):
    """A kernel on 64-bit words. NumPy warns where they wrap around, compiled code doesn't; here the warning is off."""
    return np.errstate(over="ignore")(function) if config.DISABLE_JIT else kernel(function)


@wrapping
def mix(word):
    """The output function of SplitMix64."""
    word = (word ^ (word >> SHIFT_30)) * MIX_1
    word = (word ^ (word >> SHIFT_27)) * MIX_2
    return word ^ (word >> SHIFT_31)


@wrapping
def below(state, bound):
    """A uniform integer in `[0, bound)` and the next state; `bound` is at least 1 and at most 2**31."""
    bound = np.uint64(bound)
    state = state + GOLDEN_GAMMA
    product = (mix(state) >> HALF) * bound
    if product & LOW_HALF < bound:
        unfair = ((LOW_HALF - bound) + np.uint64(1)) % bound  # 2**32 mod bound: that many low halves would count twice
        while product & LOW_HALF < unfair:
            state = state + GOLDEN_GAMMA
            product = (mix(state) >> HALF) * bound
    return np.int64(product >> HALF), state


@wrapping
def sum_of_bytes(word):
    """The sum of the eight bytes of a word, at most 255: it arrives in the topmost byte."""
    return np.int64((word * EACH_BYTE) >> TOP_BYTE)


@wrapping
def bits_of_bytes(word):
    """For each byte of a word the number of its bits that are 1."""
    word = word - ((word >> ONE) & EVERY_SECOND_BIT)
    word = (word & EVERY_SECOND_PAIR) + ((word >> TWO) & EVERY_SECOND_PAIR)
    return (word + (word >> FOUR)) & LOW_NIBBLES


@kernel
def num_bits(word):
    """How many bits of a word are 1."""
    return sum_of_bytes(bits_of_bytes(word))


@wrapping
def byte_of_rank(counts, rank):
    """Which byte, 0 to 7, counts number `rank` (from 0) if the bytes of a word count on one after the other, to 127.

    It is the number of bytes up to which no more than `rank` are counted, found without a branch.
    """
    up_to = counts * EACH_BYTE
    before = ((np.uint64(rank) * EACH_BYTE | TOP_BITS) - up_to) & TOP_BITS
    return sum_of_bytes(before >> TOP_BIT)


@wrapping
def count_before(counts, byte):
    """What the bytes of such a word before number `byte` count together."""
    return byte_of((counts * EACH_BYTE) << BITS_OF_BYTE, byte)


@kernel
def shuffle(cards, count, state):
    """Shuffles the first `count` entries of `cards` in place (Fisher and Yates); returns the next state."""
    return shuffle_part(cards, 0, count, state)


@kernel
def shuffle_part(cards, start, end, state):
    """Shuffles `cards[start:end]` in place; returns the next state."""
    for last in range(end - 1, start, -1):
        distance, state = below(state, last - start + 1)
        card = cards[last]
        cards[last] = cards[start + distance]
        cards[start + distance] = card
    return state


@kernel
def reshuffle(cards, start, end, state):
    """As `shuffle_part`, but the new order follows from the cards and the state alone, not from the old order."""
    sort(cards, start, end)
    return shuffle_part(cards, start, end, state)


@kernel
def sort(cards, start, end):
    """Sorts `cards[start:end]` in place, lowest first, by insertion."""
    for i in range(start + 1, end):
        card, place = cards[i], i
        while place > start and cards[place - 1] > card:
            cards[place] = cards[place - 1]
            place -= 1
        cards[place] = card


def fresh_seed() -> int:
    """A seed from the operating system, for whoever gives none."""
    return secrets.randbits(63)


def states_from_seeds(seeds: np.ndarray, pair: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The states `chance` and `choice`, uint64 `[N]` each, of tables with the given seeds, uint64 `[N]`.

    They are two outputs of a SplitMix64 that starts at the mixed seed, so tables with neighbouring seeds stand at
    unrelated places of the sequence: pair 0, the first two, for a game; pair 1, the next two, for a redeal, which must
    not repeat the draws of a deal with the same seed.
    """
    with np.errstate(over="ignore"):
        start = _mix_all(seeds) + np.uint64(2 * pair) * GOLDEN_GAMMA
        return _mix_all(start + GOLDEN_GAMMA), _mix_all(start + GOLDEN_GAMMA + GOLDEN_GAMMA)


def seeds_from_states(chance: np.ndarray) -> np.ndarray:
    """The seeds, uint64 `[N]`, of tables with the given states `chance`: `states_from_seeds` turned round.

    Every step of it can be undone, so each state belongs to exactly one seed.
    """
    return _unmix_all(_unmix_all(chance) - GOLDEN_GAMMA)


def _mix_all(words: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        words = (words ^ (words >> SHIFT_30)) * MIX_1
        words = (words ^ (words >> SHIFT_27)) * MIX_2
        return words ^ (words >> SHIFT_31)


def _unmix_all(words: np.ndarray) -> np.ndarray:
    """What `_mix_all` made `words` of. A word shifted right by more than a third of it and xored in has two traces."""
    with np.errstate(over="ignore"):
        words = (words ^ (words >> SHIFT_31) ^ (words >> (SHIFT_31 + SHIFT_31))) * UNMIX_2
        words = (words ^ (words >> SHIFT_27) ^ (words >> (SHIFT_27 + SHIFT_27))) * UNMIX_1
        return words ^ (words >> SHIFT_30) ^ (words >> (SHIFT_30 + SHIFT_30))
