"""Figaro: cards pile up in front of the players; whoever reaches 6 takes them all. The shortest road wins.

## Description

A game of three rounds for 3 to 6 players with 60 cards: five colours with three 1s, six 2s and one 3 each, five Jesters
(bufón: three of value 1, two of value 2) and five Rings (ring-around-the-rosey). Each round all cards are dealt evenly.
In your turn you play a card in front of any player or take. In front of a player lies one colour at most, and no
colour lies in front of two players; Jesters go anywhere and have no colour, so a player with nothing but Jesters and
Rings has none. A Ring goes in front of yourself, then everybody passes all the cards in front of them to the left. As
soon as the cards in front of a player total 6 or more, that player takes all cards in front of everybody into a pile;
you may also take by choice, and must when nothing can be played. Whoever takes has the next turn. A round ends when a
player's turn begins without cards in hand; that player takes the King (Rey), and begins the next round. Who has most
cards in the pile gets the longest of the round's road pieces (pieza de carretera), and so on; there is one piece less
than players, and none for an empty pile. After three rounds the shortest road wins.

## Rulings

Where the publisher's sheet is silent or leaves it to the table:

- Seat 0 begins the first round and holds the King.
- A Ring has value 0, so it makes nobody total 6.
- Whoever takes has the next turn, whatever the reason for it; the sheet says so of the player who reaches 6.
- Cards taken by a player whose hand is empty count: the take comes first, then that player's turn begins without cards.
- Among players with equally many cards the new holder of the King comes last.
- The publisher's other editions play three players with 45 cards (`short_deck`: without one colour, a Jester of each
  value and three Rings); this sheet doesn't, so the full deck is the default.
- Assumed, since the sheet gives only their total: the counts of the cards, which are those of the published game, and
  the lengths of the road pieces, 1 to 15. The names of the colours are this project's own.

## Actions

| id | action |
| --- | --- |
| 0–67 | PLAY red 1 in front of me … PLAY Jester 2 in front of left 3 |
| 68 | RING |
| 69 | TAKE |

PLAY puts a card of the hand in front of a player: card kind k in front of the player s places to the left (0: oneself)
is k·n + s, with n players. Kinds 0–14 are the colours, 3·c + v − 1 for the value v of colour c (red, blue, green,
yellow, purple), 15 and 16 the Jesters 1 and 2, 17 the Ring. RING is 17·n and TAKE 17·n + 1; the table has the ids of
four players.

## Observation

| field | shape | maximum | | content |
| --- | --- | --- | --- | --- |
| `to_act` | n | 1 | | one-hot, relative: who is to act |
| `hand` | 18 | 6 | | my cards: how many of each kind |
| `hand_size` | n | 15 | | cards in each hand |
| `table` | n × 18 | 6 | | cards in front of each seat: how many of each kind |
| `total` | n | 5 | | of the values in front of each seat |
| `colour` | n × 5 | 1 | | one-hot: the colour in front of each seat; all 0 if none |
| `pile_size` | n | 60 | | cards in each pile |
| `king` | n | 1 | | one-hot, relative: who holds the King |
| `road` | n | 42 | | length won so far |
| `round` | 3 | 1 | | one-hot |
| `pieces` | 3 × 5 | 15 | | lengths of each round's pieces, longest first |
| `gone` | 18 | 6 | recall | cards in all piles: how many of each kind |

Seats are relative: the observer first, then clockwise. Cards are counted by kind, in the order of the actions.
`pieces` has a row for each round, longest first and padded with zeros; a round that has been scored is all 0. After
the last round `round` stays on it, and hands, table, piles and `gone` stay as they lay when it ended.

## Rewards

`"outcome"`: at the end, 1 for the winner and −1 / (n − 1) for each loser. `"score"`: at the end of each round, (mean
road gained − my road gained) / the longest of `road_lengths`.

## End

The game ends after three rounds with one winner: among equal roads the King's holder, else the first clockwise from
the King. A game has at most 357 decisions; it is truncated after `max_decisions`.

## Parameters

| parameter | default | allowed | meaning |
| --- | --- | --- | --- |
| `num_players` | `4` | 3–6 | |
| `road_lengths` | `(1…15)` | some integers 1–253 | of the road pieces in the bag |
| `short_deck` | `False` | True, False | 45 cards, only for three players |
| `max_decisions` | `5000` | ≥ 1 | of all seats; the game is truncated after that many |
| `reward` | `'outcome'` | "outcome", "score" | |
| `recall` | `True` | True, False | observations hold what perfect memory would know |

`road_lengths` has at least 3 (n − 1) and at most 255 entries, of which the three largest make 255 at most.
`short_deck` is only for three players.

## Options

`deck`: all card kinds in the order dealt, the first block to seat 0 and so on; a list of decks gives one for each round
in turn. `roads`: for each of the three rounds the n − 1 lengths of its pieces, in any order; all together are pieces of
`road_lengths`. `starting_player`: the seat that begins the first round and holds the King; later rounds belong to the
King.

## Version history

- v0: the first.

## References

- "Reglas del juego Figaro", the publisher's rules in Spanish.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..chance import below, reshuffle, shuffle
from ..game import (
    FREE,
    MAX_BYTE,
    SEATS,
    Feature,
    Flag,
    Game,
    Integers,
    ParameterError,
    distance_to,
    finish,
    from_seat,
    pay_score,
    read_deals,
    read_permutation,
    read_starting_players,
    seat_at,
    table_dtype,
)
from ..kernel import byte_of, clear, copy, inlined, kernel, put_word, words_of_flags

# Constants

MIN_PLAYERS, MAX_PLAYERS = 3, 6
NUM_ROUNDS = 3
COLOURS = ("red", "blue", "green", "yellow", "purple")
NUM_COLOURS = len(COLOURS)
NO_COLOUR = NUM_COLOURS  # of a seat
NUM_VALUES = 3
JESTER_1, JESTER_2, RING = 15, 16, 17  # card kinds; value v of colour c is NUM_VALUES * c + v - 1
NUM_KINDS = 18
CARD_NAMES = (
    *(f"{colour} {value}" for colour in COLOURS for value in range(1, NUM_VALUES + 1)),
    "Jester 1",
    "Jester 2",
    "Ring",
)
VALUES = np.array([1, 2, 3] * NUM_COLOURS + [1, 2, 0], np.uint8)  # by kind
FULL_COUNTS = (*(3, 6, 1) * NUM_COLOURS, 3, 2, 5)  # cards of each kind
SHORT_COUNTS = (*(3, 6, 1) * (NUM_COLOURS - 1), 0, 0, 0, 2, 1, 2)
FULL_DECK, SHORT_DECK = (
    np.repeat(np.arange(NUM_KINDS, dtype=np.uint8), counts) for counts in (FULL_COUNTS, SHORT_COUNTS)
)
MAX_CARDS = len(FULL_DECK)
SET_SIZE = MAX_PLAYERS  # bits of a set of seats
FULL_SET = (1 << SET_SIZE) - 1
NONE = np.uint64(0)
FLAGS_OF_SET = words_of_flags(SET_SIZE)
SHORT_DECK_PLAYERS = 3
TAKE_AT = 6  # so much in front of a seat, and it takes
MAX_GROUP = MAX_PLAYERS - 1  # pieces of a round
NUM_PIECE_PLACES = NUM_ROUNDS * MAX_GROUP
MAX_PIECES = MAX_BYTE  # entries of `road_lengths`
MAX_ROAD = MAX_BYTE  # a seat gets one piece in a round
MAX_LENGTH = MAX_ROAD - (NUM_ROUNDS - 1)  # beside two pieces of length 1

# The table

DICTATED = MappingProxyType(
    {
        "starting_player": slice(0, 1),
        "roads": slice(1, 1 + NUM_PIECE_PLACES),
        "deck": slice(1 + NUM_PIECE_PLACES, 1 + NUM_PIECE_PLACES + MAX_CARDS),
    }
)
STARTING_PLAYER_AT, ROADS_AT, DECK_AT = (where.start for where in DICTATED.values())

TABLE = table_dtype(
    MAX_PLAYERS,
    DECK_AT + MAX_CARDS,
    ("road_lengths", np.uint8, (MAX_PIECES,)),  # 0 from num_pieces on
    ("num_pieces", np.uint8),
    ("max_length", np.uint8),  # the longest of all pieces, drawn or not
    ("short_deck", np.uint8),
    ("num_cards", np.uint8),
    ("round", np.uint8),  # from 0 to 2
    ("king", np.int8),  # the seat that holds it
    ("pieces", np.uint8, (NUM_PIECE_PLACES,)),  # MAX_GROUP places for each round, longest first; 0 where there is none
    ("road", np.uint8, (SEATS,)),  # length won
    ("hand", np.uint8, (MAX_PLAYERS, NUM_KINDS)),  # how many of each kind
    ("hand_size", np.uint8, (SEATS,)),
    ("front", np.uint8, (MAX_PLAYERS * NUM_KINDS,)),  # the cards in front of seat 0, of seat 1, …, as in a hand
    ("total", np.uint8, (SEATS,)),  # of their values
    ("colour", np.uint8, (SEATS,)),  # of a seat: that of the colour cards in front of it, or NO_COLOUR
    ("num_open", np.uint8),  # cards in front of all seats
    ("pile_size", np.uint8, (SEATS,)),
    ("gone", np.uint8, (NUM_KINDS,)),  # cards in all piles, how many of each kind
    ("deck", np.uint8, (MAX_CARDS,)),  # while it is dealt, else 0
)


# A game and its rounds


@kernel
def deal(table):
    for seat in range(MAX_PLAYERS):
        table["road"][seat] = 0
    table["round"] = 0
    first = table["dictated"][STARTING_PLAYER_AT]
    table["king"] = 0 if first == FREE else int(first)
    lay_pieces(table)
    deal_round(table)


@kernel
def lay_pieces(table):
    """The dictated road pieces, or drawn ones."""
    if table["dictated"][ROADS_AT] != FREE:
        copy(table["dictated"], ROADS_AT, NUM_PIECE_PLACES, table["pieces"], 0)
    else:
        draw_pieces(table)
        for number in range(NUM_ROUNDS):
            sort_group(table, number * MAX_GROUP)


@kernel
def draw_pieces(table):
    """A shuffle "inside-out", of which only the first places are kept."""
    group_size = int(table["num_players"]) - 1
    clear(table["pieces"], 0, NUM_PIECE_PLACES)
    for drawn in range(int(table["num_pieces"])):
        place, table["chance"] = below(table["chance"], drawn + 1)
        if drawn < NUM_ROUNDS * group_size:
            table["pieces"][place_of(drawn, group_size)] = table["pieces"][place_of(place, group_size)]
        if place < NUM_ROUNDS * group_size:
            table["pieces"][place_of(place, group_size)] = table["road_lengths"][drawn]


@kernel
def place_of(piece, group_size):
    """Where in `pieces` the groups' pieces lie, counted through all groups."""
    return piece // group_size * MAX_GROUP + piece % group_size


@kernel
def sort_group(table, start):
    """A round's pieces, longest first, by insertion."""
    for end in range(start + 1, start + MAX_GROUP):
        length, place = table["pieces"][end], end
        while place > start and table["pieces"][place - 1] < length:
            table["pieces"][place] = table["pieces"][place - 1]
            place -= 1
        table["pieces"][place] = length


@kernel
def deal_round(table):
    clear_round(table)
    stack_deck(table)
    hand_size = int(table["num_cards"]) // int(table["num_players"])
    for seat in range(int(table["num_players"])):
        for i in range(seat * hand_size, (seat + 1) * hand_size):
            table["hand"][seat, int(table["deck"][i])] += 1
        table["hand_size"][seat] = hand_size
    clear(table["deck"], 0, MAX_CARDS)
    table["dictated_used"] = 1
    table["current_player"] = table["king"]


@kernel
def clear_round(table):
    """No cards anywhere."""
    for seat in range(MAX_PLAYERS):
        clear(table["hand"][seat], 0, NUM_KINDS)
        table["pile_size"][seat] = 0
    clear_table(table)
    clear(table["gone"], 0, NUM_KINDS)


@kernel
def clear_table(table):
    clear(table["front"], 0, MAX_PLAYERS * NUM_KINDS)
    for seat in range(MAX_PLAYERS):
        table["total"][seat] = 0
        table["colour"][seat] = NO_COLOUR
    table["num_open"] = 0


@kernel
def stack_deck(table):
    """The dictated deck, or a shuffled one."""
    num_cards = int(table["num_cards"])
    if table["dictated"][DECK_AT] != FREE:
        copy(table["dictated"], DECK_AT, num_cards, table["deck"], 0)
        return
    if table["short_deck"]:
        copy(SHORT_DECK, 0, num_cards, table["deck"], 0)
    else:
        copy(FULL_DECK, 0, num_cards, table["deck"], 0)
    table["chance"] = shuffle(table["deck"], num_cards, table["chance"])


@kernel
def end_round(table, seat):
    """`seat` takes the King; the round is scored. Ends the game or deals the next round."""
    table["king"] = seat
    award_pieces(table)
    if table["round"] == NUM_ROUNDS - 1:
        finish(table, 1 << winner(table))
    else:
        table["round"] += 1
        deal_round(table)


@kernel
def award_pieces(table):
    num_players, gained = int(table["num_players"]), 0
    for distance in range(1, num_players + 1):
        gained += length_for(table, distance)
    for distance in range(1, num_players + 1):
        seat, length = seat_at(table, int(table["king"]), distance), length_for(table, distance)
        table["road"][seat] += length
        pay_score(table, seat, (gained / num_players - length) / int(table["max_length"]))
    clear(table["pieces"], int(table["round"]) * MAX_GROUP, MAX_GROUP)


@kernel
def length_for(table, distance):
    """The length of the piece for the seat `distance` to the left of the King's holder, who is the last at n; or 0."""
    king, num_players, rank = int(table["king"]), int(table["num_players"]), 0
    size = int(table["pile_size"][seat_at(table, king, distance)])
    for other in range(1, num_players + 1):
        other_size = int(table["pile_size"][seat_at(table, king, other)])
        if other_size > size or (other_size == size and other < distance):
            rank += 1
    if size == 0 or rank == num_players - 1:
        return 0
    return int(table["pieces"][int(table["round"]) * MAX_GROUP + rank])


@kernel
def winner(table):
    """The seat with the shortest road: among equals the King's holder, else the first to the left."""
    best = int(table["king"])
    for distance in range(1, int(table["num_players"])):
        seat = seat_at(table, int(table["king"]), distance)
        if table["road"][seat] < table["road"][best]:
            best = seat
    return best


# A turn


@kernel
def apply(table, action):
    seat, num_players = int(table["current_player"]), int(table["num_players"])
    if action < RING * num_players:
        kind = action // num_players
        play(table, seat, kind, seat_at(table, seat, action - kind * num_players))
    elif action == RING * num_players:
        play_ring(table, seat)
    else:
        take(table, seat)


@kernel
def start_turn(table, seat):
    if table["hand_size"][seat] > 0:
        table["current_player"] = seat
    else:
        end_round(table, seat)


@kernel
def play(table, seat, kind, target):
    put(table, seat, kind, target)
    if table["total"][target] >= TAKE_AT:
        take(table, target)
    else:
        start_turn(table, seat_at(table, seat, 1))


@kernel
def play_ring(table, seat):
    """Totals only change places, so nobody reaches TAKE_AT."""
    put(table, seat, RING, seat)
    pass_left(table)
    start_turn(table, seat_at(table, seat, 1))


@kernel
def take(table, seat):
    """All cards in front of all seats go to the pile of `seat`, who has the next turn."""
    table["pile_size"][seat] += table["num_open"]
    for other in range(int(table["num_players"])):
        for kind in range(NUM_KINDS):
            table["gone"][kind] += table["front"][other * NUM_KINDS + kind]
    clear_table(table)
    start_turn(table, seat)


@kernel
def put(table, seat, kind, target):
    """A card from the hand of `seat` in front of `target`."""
    table["hand"][seat, kind] -= 1
    table["hand_size"][seat] -= 1
    table["front"][target * NUM_KINDS + kind] += 1
    table["total"][target] += VALUES[kind]
    table["num_open"] += 1
    if kind < JESTER_1:
        table["colour"][target] = kind // NUM_VALUES


@kernel
def pass_left(table):
    """The cards in front of every seat to its left: in turn each seat but the last swaps with the last."""
    last = int(table["num_players"]) - 1
    for seat in range(last):
        for kind in range(NUM_KINDS):
            swap(table["front"], seat * NUM_KINDS + kind, last * NUM_KINDS + kind)
        swap(table["total"], seat, last)
        swap(table["colour"], seat, last)


@kernel
def swap(entries, one, other):
    entry = entries[one]
    entries[one] = entries[other]
    entries[other] = entry


# What may be done


@inlined
def legal_actions(table, mask):
    seat, num_players = int(table["current_player"]), int(table["num_players"])
    owners = seats_by_colour(table, seat)
    for colour in range(NUM_COLOURS):
        targets = owners >> SET_SIZE * colour & FULL_SET
        if targets == 0:
            targets = owners >> SET_SIZE * NO_COLOUR
        for kind in range(NUM_VALUES * colour, NUM_VALUES * (colour + 1)):
            offer(table, seat, kind, FLAGS_OF_SET[targets], mask, kind * num_players)
    for kind in range(JESTER_1, RING):
        offer(table, seat, kind, FLAGS_OF_SET[FULL_SET >> SET_SIZE - num_players], mask, kind * num_players)
    mask[RING * num_players] = table["hand"][seat, RING] > 0
    mask[RING * num_players + 1] = table["num_open"] > 0


@inlined
def seats_by_colour(table, seat):
    """For each colour, and last for NO_COLOUR, the set of seats that have it: SET_SIZE bits, bit d for distance d."""
    num_players, owners = int(table["num_players"]), 0
    colours = from_seat(table["colour"], seat, num_players)
    for distance in range(MAX_PLAYERS):  # as many rounds for any number of seats
        owners |= (distance < num_players) << SET_SIZE * byte_of(colours, distance) + distance
    return owners


@inlined
def offer(table, seat, kind, targets, mask, at):
    """The entries of a card: 1 in front of `targets`, a word of flags, if it is in hand.

    For speed it always writes eight entries: those of later actions among them are 0 until their turn comes.
    """
    put_word(targets if table["hand"][seat, kind] > 0 else NONE, mask, at)


# What is seen


def features(parameters: Mapping[str, Any]) -> list[Feature]:
    num_players, lengths = parameters["num_players"], parameters["road_lengths"]
    num_cards, most = sum(counts_of(parameters)), max(FULL_COUNTS)
    return [
        Feature("to_act", (num_players,), note="one-hot, relative: who is to act"),
        Feature("hand", (NUM_KINDS,), most, note="my cards: how many of each kind"),
        Feature("hand_size", (num_players,), num_cards // num_players, note="cards in each hand"),
        Feature("table", (num_players, NUM_KINDS), most, note="cards in front of each seat: how many of each kind"),
        Feature("total", (num_players,), TAKE_AT - 1, note="of the values in front of each seat"),
        Feature("colour", (num_players, NUM_COLOURS), note="one-hot: the colour in front of each seat; all 0 if none"),
        Feature("pile_size", (num_players,), num_cards, note="cards in each pile"),
        Feature("king", (num_players,), note="one-hot, relative: who holds the King"),
        Feature("road", (num_players,), max_road(parameters), note="length won so far"),
        Feature("round", (NUM_ROUNDS,), note="one-hot"),
        Feature("pieces", (NUM_ROUNDS, MAX_GROUP), max(lengths), note="lengths of each round's pieces, longest first"),
        Feature("gone", (NUM_KINDS,), most, True, "cards in all piles: how many of each kind"),
    ]


@inlined
def observe(table, seat, out):
    num_players = int(table["num_players"])
    if table["current_player"] >= 0:
        out[distance_to(table, seat, int(table["current_player"]))] = 1
    copy(table["hand"][seat], 0, NUM_KINDS, out, num_players)
    at = observe_seats(table, seat, out, num_players + NUM_KINDS)
    out[at + int(table["round"])] = 1
    copy(table["pieces"], 0, NUM_PIECE_PLACES, out, at + NUM_ROUNDS)
    if table["recall"]:
        copy(table["gone"], 0, NUM_KINDS, out, at + NUM_ROUNDS + NUM_PIECE_PLACES)


@inlined
def observe_seats(table, seat, out, hand_size_at):
    """`hand_size` to `road`; returns the place of the next field."""
    num_players = int(table["num_players"])
    table_at = hand_size_at + num_players
    total_at = table_at + num_players * NUM_KINDS
    colour_at = total_at + num_players
    pile_size_at = colour_at + num_players * NUM_COLOURS
    king_at = pile_size_at + num_players
    road_at = king_at + num_players
    put_word(from_seat(table["hand_size"], seat, num_players), out, hand_size_at)  # 8 bytes: the rest comes later
    for distance in range(num_players):
        other = seat_at(table, seat, distance)
        copy(table["front"], other * NUM_KINDS, NUM_KINDS, out, table_at + distance * NUM_KINDS)
    put_word(from_seat(table["total"], seat, num_players), out, total_at)
    colours = from_seat(table["colour"], seat, num_players)
    for distance in range(num_players):
        colour = byte_of(colours, distance)
        out[colour_at + distance * NUM_COLOURS + min(colour, NUM_COLOURS - 1)] = colour != NO_COLOUR
    put_word(from_seat(table["pile_size"], seat, num_players), out, pile_size_at)
    put_word(from_seat(table["road"], seat, num_players), out, road_at)
    out[king_at + distance_to(table, seat, int(table["king"]))] = 1
    return road_at + num_players


# What a seat can't know


@kernel
def redeal_hidden(table, seat):
    """The other hands; everything else lies, or has lain, open."""
    size = 0
    for other in range(int(table["num_players"])):
        if other != seat:
            size = lay_down_hand(table, other, size)
    table["chance"] = reshuffle(table["deck"], 0, size, table["chance"])
    start = 0
    for other in range(int(table["num_players"])):
        if other != seat:
            start = pick_up_hand(table, other, start)
    clear(table["deck"], 0, MAX_CARDS)


@kernel
def lay_down_hand(table, seat, start):
    """Onto the deck, from `start` on; returns the first free place."""
    for kind in range(NUM_KINDS):
        for _ in range(int(table["hand"][seat, kind])):
            table["deck"][start] = kind
            start += 1
    clear(table["hand"][seat], 0, NUM_KINDS)
    return start


@kernel
def pick_up_hand(table, seat, start):
    """As many cards as `seat` has to hold off the deck, from `start` on; returns the place of the next card."""
    for _ in range(int(table["hand_size"][seat])):
        table["hand"][seat, int(table["deck"][start])] += 1
        start += 1
    return start


# Parameters, options and texts


PARAMETERS = MappingProxyType(
    {
        "road_lengths": Integers(tuple(range(1, 16)), 1, MAX_LENGTH, note="of the road pieces in the bag"),
        "short_deck": Flag(False, "45 cards, only for three players"),
    }
)


def counts_of(parameters: Mapping[str, Any]) -> tuple[int, ...]:
    """How often each card kind is in the deck."""
    return SHORT_COUNTS if parameters["short_deck"] else FULL_COUNTS


def max_road(parameters: Mapping[str, Any]) -> int:
    """The longest road: a seat gets one piece in a round."""
    return sum(sorted(parameters["road_lengths"])[-NUM_ROUNDS:])


def setup(parameters: Mapping[str, Any]) -> dict[str, Any]:
    num_players, lengths = parameters["num_players"], parameters["road_lengths"]
    if parameters["short_deck"] and num_players != SHORT_DECK_PLAYERS:
        raise ParameterError(f"short_deck is only for {SHORT_DECK_PLAYERS} players, not {num_players}")
    num_drawn = NUM_ROUNDS * (num_players - 1)
    if not num_drawn <= len(lengths) <= MAX_PIECES:
        raise ParameterError(
            f"road_lengths must have from {num_drawn} to {MAX_PIECES} entries with {num_players} players, "
            f"not {len(lengths)}"
        )
    if max_road(parameters) > MAX_ROAD:
        raise ParameterError(
            f"the three largest of road_lengths must make at most {MAX_ROAD}, not {max_road(parameters)}"
        )
    return {
        "road_lengths": lengths + (0,) * (MAX_PIECES - len(lengths)),
        "num_pieces": len(lengths),
        "max_length": max(lengths),
        "num_cards": sum(counts_of(parameters)),
    }


def read_options(options: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, list[list[int]]]:
    columns = {}
    if "deck" in options:
        read = read_permutation(dict(enumerate(counts_of(parameters))), _card_name)
        columns["deck"] = read_deals("deck", options["deck"], read)
    if "roads" in options:
        columns["roads"] = [_read_roads(options["roads"], parameters)]
    if "starting_player" in options:
        columns["starting_player"] = read_starting_players(options["starting_player"], parameters["num_players"], 1)
    return columns


def _read_roads(roads: Any, parameters: Mapping[str, Any]) -> list[int]:
    """The places of a record's `pieces`."""
    group_size = parameters["num_players"] - 1
    groups = Integers((), 1, MAX_LENGTH, (group_size,) * NUM_ROUNDS).read("roads", roads)
    given, available = Counter(length for group in groups for length in group), Counter(parameters["road_lengths"])
    for length in given - available:
        raise ParameterError(
            f"roads must be pieces of road_lengths: it has {given[length]} of length {length}, "
            f"road_lengths has {available[length]}"
        )
    padding = [0] * (MAX_GROUP - group_size)
    return [length for group in groups for length in sorted(group, reverse=True) + padding]


def _card_name(kind: int) -> str:
    return f"{kind} ({CARD_NAMES[kind]})" if kind < NUM_KINDS else f"{kind} (no card)"


def action_names(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    places = ("me", *(f"left {distance}" for distance in range(1, parameters["num_players"])))
    return (*(f"PLAY {card} in front of {place}" for card in CARD_NAMES[:RING] for place in places), "RING", "TAKE")


def to_text(seen: Mapping[str, np.ndarray], seat: int) -> str:
    players = [f"player_{(seat + distance) % len(seen['king'])}" for distance in range(len(seen["king"]))]
    to_act = f"{players[int(np.argmax(seen['to_act']))]} to act" if seen["to_act"].any() else "over"
    lines = [f"Figaro, seen by player_{seat}: round {np.argmax(seen['round']) + 1} of {NUM_ROUNDS}, {to_act}"]
    groups = [" ".join(str(length) for length in group if length) or "-" for group in seen["pieces"]]
    lines.append(f"  road pieces {' | '.join(groups)}")
    for distance, player in enumerate(players):
        lines.append(
            f"{'*' if seen['to_act'][distance] else ' '} {player}{', King' if seen['king'][distance] else ''}: "
            f"road {seen['road'][distance]}, pile {seen['pile_size'][distance]}, hand {seen['hand_size'][distance]}, "
            f"in front {seen['total'][distance]}: {_cards(seen['table'][distance])}"
        )
    lines.append(f"  hand {_cards(seen['hand'])}")
    if "gone" in seen:
        lines.append(f"  gone {_cards(seen['gone'])}")
    return "\n".join(lines)


def _cards(counts: np.ndarray) -> str:
    return ", ".join(f"{count}×{card}" for count, card in zip(counts, CARD_NAMES) if count) or "-"


GAME = Game(
    name="figaro",
    title="Figaro",
    version=0,
    players=(MIN_PLAYERS, MAX_PLAYERS, 4),
    max_decisions=5000,
    own_parameters=PARAMETERS,
    table=TABLE,
    kernels=MappingProxyType(
        {
            "deal": deal,
            "legal_actions": legal_actions,
            "apply": apply,
            "observe": observe,
            "redeal_hidden": redeal_hidden,
        }
    ),
    features=features,
    action_names=action_names,
    setup=setup,
    dictated=DICTATED,
    options=("deck", "roads", "starting_player"),
    read_options=read_options,
    to_text=to_text,
    page=__doc__ or "",
)
