"""Friegas Tú: everybody stacks dirty crockery in one sink; who can't fit a piece washes the lot. Fewest cards win.

## Description

A game of three rounds for 2 to 8 players with 54 pots (cacharros) of value 1 to 5 and ten special cards. In your turn
you place a pot in the sink (fregadero), a grid of at most 4 by 4 cells in which every pot touches another and no row
and no column sums to more than 7, or play a special card, or wash (fregar): take every card of the sink onto your
washed pile (pila de cacharros) and go on with an empty sink. You may wash by choice; you must when you can do nothing
else. At the end of the turn you draw. Skip (Paso de fregar) ends the turn without a pot. Landlord (Viene el casero)
makes everybody else wash, one card each in turn until the sink is empty, and Visitors (Tenemos visita) makes everybody
wash, but for those who play a Skip. During a Party (Fiesta en casa) two pots are due each turn, until somebody washes.
A round ends when nobody has a card in hand; what is left in the sink goes to whoever has washed least. Each washed card
is a point, and fewest points over all rounds win.

## Rulings

Where the publisher's sheet is silent or leaves it to the table:

- Seat 0 begins every round; in the sheet the youngest player does.
- A hand is refilled to the size that was dealt, which with two players is 5; `refill_size=3` plays the sheet's words
  "3 again" to the letter.
- Washing an empty sink is allowed to a player who can do nothing else, which takes a second Party in hand, and ends the
  party like any other wash.
- Whoever washes between the first and the second of two pots goes on like any other washer, without drawing: with an
  empty sink, one pot due, special cards allowed.
- Players without cards in hand take cards for Landlord and Visitors all the same.
- Landlord and Visitors on an empty sink do nothing: nobody is asked, and the turn ends.
- A player asked to take chooses the value; of several cards with it the first in reading order goes.
- Left over cards go to the smallest washed pile, then to the lowest sum, then to the first clockwise from the left of
  the player whose turn was the last; a reaction or a take is not a turn.
- Assumed, since the sheet gives only the 54 in all: 11 pots each of the values 1 to 4 and 10 of value 5.

## Actions

| id | action |
| --- | --- |
| 0–244 | PLACE 1 at row 0, column 0 … PLACE 5 at row 6, column 6 |
| 245 | PLAY_SKIP |
| 246 | PLAY_LANDLORD |
| 247 | PLAY_VISITORS |
| 248 | PLAY_PARTY |
| 249 | WASH |
| 250 | DECLINE |
| 251–255 | TAKE 1 … TAKE 5 |

PLACE puts a pot of the hand on a cell, rows and columns numbered from 0 to 6: value v on row r, column c is
(v − 1)·49 + 7·r + c. The first pot goes to the centre, row 3, column 3. In a turn: PLACE, PLAY_SKIP, PLAY_LANDLORD,
PLAY_VISITORS, PLAY_PARTY, WASH. In a reaction to Landlord or Visitors: PLAY_SKIP, DECLINE. To take: TAKE a value.

## Observation

| field | shape | maximum | | content |
| --- | --- | --- | --- | --- |
| `phase` | 3 | 1 | | one-hot: turn, reaction, take |
| `active_seat` | n | 1 | | one-hot, relative: whose turn it is, or who played the card |
| `hand` | 9 | 3 | | my cards by code |
| `cards_in_hand` | n | 3 | | of each seat |
| `sink` | 7 × 7 | 5 | | value on the cell, 0 if empty |
| `pots_due` | 1 | 2 | | still to be placed this turn; 0 outside the phase turn |
| `resolving` | 2 | 1 | | one-hot: Landlord, Visitors, while it is being resolved |
| `party` | 1 | 1 | | a party is on |
| `exempt` | n | 1 | | has skipped the wash being resolved |
| `washed` | n × 5 | 11 | | this round's pile by value |
| `points` | n | 162 | | of the rounds before |
| `draw_pile` | 1 | 52 | | cards left in it |
| `rounds_left` | 1 | 2 | | after this one |
| `discards` | 4 | 5 | recall | Skips, Landlords, Visitors, Parties gone or in front of a player |

Seats are relative: the observer first, then clockwise. A card's code is the value of a pot; 6 Skip, 7 Landlord, 8
Visitors, 9 Party. `active_seat` is the player of the card during reactions and takes. That a seat is asked for a
reaction, and declines, is not public: everybody else is shown the phase take meanwhile. (The order of decisions tells
it to whoever watches; agents must not use it.) After the last round `washed` is that round's, the cards left in the
sink included, and `points` are those of all rounds. After the end `phase`, `pots_due`, `resolving` and `exempt` are 0
and `active_seat` stays; a truncated game shows the turn that has just begun, if one has.

## Rewards

`"outcome"`: at the end, (n − k) / (k (n − 1)) for each of the k winners among n players, −1 / (n − 1) for each loser; 0
if all win. `"score"`: at the end of each round, (mean points − my points) / 54.

## End

A game ends after `num_rounds` rounds. Fewest points win; among equals the lowest sum of values in the last round's
washed pile; those still equal win together. It is truncated after `max_decisions` decisions.

## Parameters

| parameter | default | allowed | meaning |
| --- | --- | --- | --- |
| `num_players` | `4` | 2–8 | |
| `pot_counts` | `(11, 11, 11, 11, 10)` | 5 integers 0–54 | pots of each value |
| `num_rounds` | `3` | 1–4 | 1 for a single round |
| `hand_size` | `None` | 2–8 | cards dealt to each seat; None: 5 with two players, else 3 |
| `refill_size` | `None` | 2–8 | a hand is refilled to it; None: `hand_size` |
| `max_decisions` | `5000` | ≥ 1 | of all seats; the game is truncated after that many |
| `reward` | `'outcome'` | "outcome", "score" | |
| `recall` | `True` | True, False | observations hold what perfect memory would know |

`pot_counts` sum to 54. `refill_size` may be above or below `hand_size`.

## Options

`deck`: the codes of all 64 cards in draw order; the first block is dealt to seat 0, and so on. `starting_player`: a
seat. A list gives one for each round in turn.

## Version history

- v0: the first.

## References

- "Friegas Tú", the publisher's rules in Spanish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..chance import reshuffle, shuffle
from ..game import (
    FREE,
    MOST_TRIES,
    Feature,
    Game,
    Integer,
    Integers,
    ParameterError,
    distance_to,
    finish,
    pay_score,
    read_deals,
    read_permutation,
    read_starting_players,
    seat_at,
    table_dtype,
)
from ..kernel import clear, copy, inlined, kernel, put_word, words_of_flags

# Constants

MAX_PLAYERS = 8
MAX_ROUNDS = 4
MIN_HAND, MAX_HAND = 2, 8
HAND_OF_TWO, HAND_OF_MORE = 5, 3  # cards dealt to each of two players, and of more
NUM_POTS = 54
NUM_VALUES = 5  # of pots; a pot's card code is its value
SKIP, LANDLORD, VISITORS, PARTY = range(NUM_VALUES + 1, NUM_VALUES + 5)  # card codes
NUM_CODES = PARTY
SPECIAL_COUNTS = (5, 2, 1, 2)  # of Skips, Landlords, Visitors, Parties
NUM_SPECIALS = len(SPECIAL_COUNTS)
ANY_SUM = NUM_POTS * NUM_VALUES + 1  # more than the values of pots can sum to
NUM_CARDS = NUM_POTS + sum(SPECIAL_COUNTS)
CARD_NAMES = ("none", *(str(value) for value in range(1, NUM_VALUES + 1)), "Skip", "Landlord", "Visitors", "Party")

MAX_SUM = 7  # of a row or a column
MAX_EXTENT = 4  # rows, and columns, of the box around all cards in the sink
SIDE = 2 * MAX_EXTENT - 1  # so wherever the box grows to from the centre, it stays on the grid
NUM_CELLS = SIDE * SIDE
CENTRE = NUM_CELLS // 2

# A set of cells is an integer, whose bit row * SIDE + column stands for the cell.


def _cells_related(is_related: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """For each cell the set of those that are so many rows and so many columns apart, int64 `[NUM_CELLS]`."""
    row, column = np.divmod(np.arange(NUM_CELLS), SIDE)
    apart = is_related(abs(np.subtract.outer(row, row)), abs(np.subtract.outer(column, column)))
    return apart @ (1 << np.arange(NUM_CELLS, dtype=np.int64))


ALL_CELLS = (1 << NUM_CELLS) - 1
SAME_ROW = _cells_related(lambda rows, columns: rows == 0)
SAME_COLUMN = _cells_related(lambda rows, columns: columns == 0)
BESIDE = _cells_related(lambda rows, columns: rows + columns == 1)
IN_ONE_BOX = _cells_related(lambda rows, columns: (rows < MAX_EXTENT) & (columns < MAX_EXTENT) & (rows + columns > 0))
ALL_IF_HELD = np.where(np.arange(MAX_HAND + 1) > 0, ALL_CELLS, 0)  # by how many cards are held; it spares a branch
ALL_IF_ABOVE = np.where(  # by the sum of a row or column and the value of a pot that comes to it
    np.add.outer(np.arange(MAX_SUM + 1), np.arange(NUM_VALUES + 1)) > MAX_SUM, ALL_CELLS, 0
)
FULL_ROW = (1 << SIDE) - 1
ROW_FLAGS = words_of_flags(SIDE)  # by the set of a row's cells

PLAY_SKIP, PLAY_LANDLORD, PLAY_VISITORS, PLAY_PARTY, WASH, DECLINE, TAKE_1 = range(
    NUM_VALUES * NUM_CELLS, NUM_VALUES * NUM_CELLS + 7
)  # before them PLACE: (value - 1) * NUM_CELLS + row * SIDE + column
ACTIONS = (
    *(
        f"PLACE {value} at row {cell // SIDE}, column {cell % SIDE}"
        for value in range(1, NUM_VALUES + 1)
        for cell in range(NUM_CELLS)
    ),
    *("PLAY_SKIP", "PLAY_LANDLORD", "PLAY_VISITORS", "PLAY_PARTY", "WASH", "DECLINE"),
    *(f"TAKE {value}" for value in range(1, NUM_VALUES + 1)),
)

PHASE_NAMES = ("turn", "reaction", "take")
TURN, REACTION, TAKE = range(len(PHASE_NAMES))

# The table

DICTATED = MappingProxyType({"starting_player": slice(0, 1), "deck": slice(1, 1 + NUM_CARDS)})
STARTING_PLAYER_AT, DECK_AT = (where.start for where in DICTATED.values())

TABLE = table_dtype(
    MAX_PLAYERS,
    DECK_AT + NUM_CARDS,
    ("pot_counts", np.uint8, (NUM_VALUES,)),
    ("num_rounds", np.uint8),
    ("hand_size", np.uint8),  # cards dealt to each seat
    ("refill_size", np.uint8),
    ("rounds_left", np.uint8),  # after this one
    ("phase", np.uint8),
    ("active", np.int8),  # whose turn it is; who played the card that is being resolved
    ("pots_due", np.uint8),  # still to be placed this turn
    ("washed_nothing", np.uint8),  # 1: an empty sink was washed this turn, so all that the player holds is Parties
    ("resolving", np.uint8),  # LANDLORD or VISITORS while it is being resolved, else 0
    ("exempt", np.uint8, (MAX_PLAYERS,)),  # 1: has skipped the wash being resolved
    ("party", np.uint8),  # 1: it is on
    ("hand", np.uint8, (MAX_PLAYERS, NUM_CODES + 1)),  # how many of each code
    ("cards_in_hand", np.uint8, (MAX_PLAYERS,)),
    ("washed", np.uint8, (MAX_PLAYERS, NUM_VALUES + 1)),  # washed pile of this round, how many of each value
    ("num_washed", np.uint8, (MAX_PLAYERS,)),
    ("points", np.uint8, (MAX_PLAYERS,)),  # of the rounds scored
    ("discards", np.uint8, (NUM_SPECIALS,)),  # special cards played, a Party in front of its player included
    ("deck", np.uint8, (NUM_CARDS,)),  # the draw pile is deck[deck_start:], the next card first
    ("deck_start", np.uint8),
    ("sink", np.uint8, (NUM_CELLS,)),  # value on the cell, 0 if empty
    ("sink_size", np.uint8),  # cards there
    ("sink_counts", np.uint8, (NUM_VALUES + 1,)),  # how many of each value
    # Where pots may be placed; brought up to date when one is, and when the sink is empty.
    ("row_sum", np.uint8, (SIDE,)),
    ("column_sum", np.uint8, (SIDE,)),
    ("beside", np.int64),  # set of the cells beside a pot, and of some with one
    ("room", np.int64, (NUM_VALUES + 1,)),  # by value: the empty cells that box, row and column leave to such a pot
)


# A game and its rounds


@kernel
def deal(table):
    for seat in range(MAX_PLAYERS):
        table["points"][seat] = 0
    table["rounds_left"] = table["num_rounds"] - 1
    deal_round(table)


@kernel
def deal_round(table):
    clear_round(table)
    stack_deck(table)
    for seat in range(int(table["num_players"])):
        draw_up_to(table, seat, int(table["hand_size"]))
    first = table["dictated"][STARTING_PLAYER_AT]
    table["dictated_used"] = 1
    start_turn(table, 0 if first == FREE else int(first))


@kernel
def clear_round(table):
    """Nothing in hands, piles and sink, nothing discarded, no party."""
    for seat in range(MAX_PLAYERS):
        clear(table["hand"][seat], 0, NUM_CODES + 1)
        clear(table["washed"][seat], 0, NUM_VALUES + 1)
    clear(table["cards_in_hand"], 0, MAX_PLAYERS)
    clear(table["num_washed"], 0, MAX_PLAYERS)
    clear(table["discards"], 0, NUM_SPECIALS)
    clear(table["exempt"], 0, MAX_PLAYERS)
    table["resolving"] = 0
    table["party"] = 0
    empty_sink(table)


@kernel
def stack_deck(table):
    """The dictated deck, or a shuffled one."""
    table["deck_start"] = 0
    if table["dictated"][DECK_AT] != FREE:
        copy(table["dictated"], DECK_AT, NUM_CARDS, table["deck"], 0)
        return
    size = 0
    for code in range(1, NUM_CODES + 1):
        count = table["pot_counts"][code - 1] if code < SKIP else SPECIAL_COUNTS[code - SKIP]
        for _ in range(int(count)):
            table["deck"][size] = code
            size += 1
    table["chance"] = shuffle(table["deck"], NUM_CARDS, table["chance"])


@kernel
def end_round(table):
    """Scores the round; ends the game or deals the next round."""
    table["party"] = 0
    wash_sink(table, seat_for_leftovers(table))
    score_round(table)
    if table["rounds_left"] == 0:
        finish(table, winners(table))
    else:
        table["rounds_left"] -= 1
        deal_round(table)


@kernel
def seat_for_leftovers(table):
    """Fewest washed cards, then the lowest sum, then the first from the left of the last turn's player."""
    best, lowest = -1, NUM_POTS * ANY_SUM
    for distance in range(1, int(table["num_players"]) + 1):
        seat = seat_at(table, int(table["active"]), distance)
        rank = int(table["num_washed"][seat]) * ANY_SUM + washed_sum(table, seat)
        if rank < lowest:
            best, lowest = seat, rank
    return best


@kernel
def washed_sum(table, seat):
    total = 0
    for value in range(1, NUM_VALUES + 1):
        total += value * int(table["washed"][seat, value])
    return total


@kernel
def score_round(table):
    num_players, total = int(table["num_players"]), 0
    for seat in range(num_players):
        table["points"][seat] += table["num_washed"][seat]
        total += int(table["num_washed"][seat])
    for seat in range(num_players):
        pay_score(table, seat, (total / num_players - int(table["num_washed"][seat])) / NUM_POTS)


@kernel
def winners(table):
    """The seats with fewest points, and of them those with the lowest sum in the washed pile, as bits."""
    tied, lowest = 0, MAX_ROUNDS * NUM_POTS * ANY_SUM
    for seat in range(int(table["num_players"])):
        rank = int(table["points"][seat]) * ANY_SUM + washed_sum(table, seat)
        if rank < lowest:
            tied, lowest = 0, rank
        if rank == lowest:
            tied |= 1 << seat
    return tied


# A turn


@inlined
def apply(table, action):
    phase = int(table["phase"])
    if phase == REACTION:
        react(table, int(table["current_player"]), action)
    elif phase == TAKE:
        take(table, int(table["current_player"]), action - TAKE_1 + 1)
    elif action < PLAY_SKIP:
        place_pot(table, action // NUM_CELLS + 1, action % NUM_CELLS)
    elif action == WASH:
        wash(table)
    else:
        play_special(table, SKIP + action - PLAY_SKIP)


@kernel
def start_turn(table, seat):
    table["active"] = seat
    table["washed_nothing"] = 0
    table["pots_due"] = 2 if table["party"] and table["cards_in_hand"][seat] >= 2 else 1
    ask(table, seat, TURN)


@kernel
def ask(table, seat, phase):
    """`seat` decides next."""
    table["phase"] = phase
    table["current_player"] = seat


@kernel
def place_pot(table, value, cell):
    take_from_hand(table, int(table["active"]), value)
    put_in_sink(table, value, cell)
    table["pots_due"] -= 1
    if table["pots_due"] == 0:
        end_turn(table)


@kernel
def wash(table):
    """The player takes the sink, which ends a party, and goes on."""
    table["washed_nothing"] = table["sink_size"] == 0
    wash_sink(table, int(table["active"]))
    table["party"] = 0
    table["pots_due"] = 1


@kernel
def play_special(table, code):
    discard(table, int(table["active"]), code)
    if code == PARTY:
        table["party"] = 1
    if code in (SKIP, PARTY) or table["sink_size"] == 0:
        end_turn(table)
    else:
        table["resolving"] = code
        ask_reaction(table, 1)


@kernel
def end_turn(table):
    """The player draws; the next seat with cards has its turn, or the round is over."""
    active = int(table["active"])
    draw_up_to(table, active, int(table["refill_size"]))
    for distance in range(1, int(table["num_players"]) + 1):
        seat = seat_at(table, active, distance)
        if table["cards_in_hand"][seat] > 0:
            start_turn(table, seat)
            return
    end_round(table)


# Landlord and Visitors: reactions, then takes


@kernel
def ask_reaction(table, distance):
    """Asks the next seat that holds a Skip, from so far to the player's left; after the last one the takes begin."""
    active, num_players = int(table["active"]), int(table["num_players"])
    last = num_players if table["resolving"] == VISITORS else num_players - 1
    for further in range(distance, last + 1):
        seat = seat_at(table, active, further)
        if table["hand"][seat, SKIP] > 0:
            ask(table, seat, REACTION)
            return
    ask_take(table, active)


@kernel
def react(table, seat, action):
    if action == PLAY_SKIP:
        discard(table, seat, SKIP)
        draw_up_to(table, seat, int(table["cards_in_hand"][seat]) + 1)
        table["exempt"][seat] = 1
    distance, num_players = seat - int(table["active"]), int(table["num_players"])
    ask_reaction(table, (distance if distance > 0 else distance + num_players) + 1)


@kernel
def ask_take(table, seat):
    """Asks the first seat to the left of `seat` that has to wash; if there is none, the sink stays."""
    for distance in range(1, int(table["num_players"]) + 1):
        other = seat_at(table, seat, distance)
        if has_to_wash(table, other):
            ask(table, other, TAKE)
            return
    end_resolving(table)


@kernel
def has_to_wash(table, seat):
    return table["exempt"][seat] == 0 and (table["resolving"] == VISITORS or seat != table["active"])


@kernel
def take(table, seat, value):
    """The first card of that value in reading order."""
    cell = 0
    while table["sink"][cell] != value:
        cell += 1
    table["sink"][cell] = 0
    table["sink_counts"][value] -= 1
    table["sink_size"] -= 1
    table["washed"][seat, value] += 1
    table["num_washed"][seat] += 1
    if table["sink_size"] > 0:
        ask_take(table, seat)
        return
    empty_sink(table)
    table["party"] = 0
    end_resolving(table)


@kernel
def end_resolving(table):
    table["resolving"] = 0
    clear(table["exempt"], 0, MAX_PLAYERS)
    end_turn(table)


# Hands and draw pile


@kernel
def draw_up_to(table, seat, size):
    """Cards off the draw pile, while there are any, until `seat` holds at least `size`."""
    start, held = int(table["deck_start"]), int(table["cards_in_hand"][seat])
    while held < size and start < NUM_CARDS:
        table["hand"][seat, int(table["deck"][start])] += 1
        start += 1
        held += 1
    table["deck_start"] = start
    table["cards_in_hand"][seat] = held


@kernel
def take_from_hand(table, seat, code):
    table["hand"][seat, code] -= 1
    table["cards_in_hand"][seat] -= 1


@kernel
def discard(table, seat, code):
    """A special card out of the hand; a Party is counted here while it lies in front of its player."""
    take_from_hand(table, seat, code)
    table["discards"][code - SKIP] += 1


# The sink


@kernel
def empty_sink(table):
    """No card in it; the first one goes to the centre."""
    table["sink_size"] = 0
    clear(table["sink"], 0, NUM_CELLS)
    clear(table["sink_counts"], 0, NUM_VALUES + 1)
    clear(table["row_sum"], 0, SIDE)
    clear(table["column_sum"], 0, SIDE)
    table["beside"] = 1 << CENTRE
    for value in range(1, NUM_VALUES + 1):
        table["room"][value] = ALL_CELLS


@kernel
def wash_sink(table, seat):
    """Every card onto the washed pile of `seat`."""
    for value in range(1, NUM_VALUES + 1):
        table["washed"][seat, value] += table["sink_counts"][value]
    table["num_washed"][seat] += table["sink_size"]
    empty_sink(table)


@kernel
def put_in_sink(table, value, cell):
    row, column = cell // SIDE, cell % SIDE
    table["sink"][cell] = value
    table["sink_counts"][value] += 1
    table["sink_size"] += 1
    table["row_sum"][row] += value
    table["column_sum"][column] += value
    table["beside"] |= BESIDE[cell]
    row_sum, column_sum = int(table["row_sum"][row]), int(table["column_sum"][column])
    for other in range(1, NUM_VALUES + 1):
        closed = SAME_ROW[cell] & ALL_IF_ABOVE[row_sum, other] | SAME_COLUMN[cell] & ALL_IF_ABOVE[column_sum, other]
        table["room"][other] &= IN_ONE_BOX[cell] & ~closed


# What may be done


@inlined
def legal_actions(table, mask):
    phase = int(table["phase"])
    if phase == REACTION:
        mask[PLAY_SKIP] = 1
        mask[DECLINE] = 1
    elif phase == TAKE:
        for value in range(1, NUM_VALUES + 1):
            mask[TAKE_1 + value - 1] = table["sink_counts"][value] > 0
    else:
        legal_turn(table, int(table["active"]), mask)


@inlined
def legal_turn(table, seat, mask):
    for value in range(1, NUM_VALUES + 1):  # no branch on which values are held, nor on where there is room
        cells = int(table["room"][value]) & int(table["beside"]) & ALL_IF_HELD[int(table["hand"][seat, value])]
        for row in range(SIDE):  # the eighth byte, 0, is written anew by what follows
            put_word(ROW_FLAGS[(cells >> (row * SIDE)) & FULL_ROW], mask, (value - 1) * NUM_CELLS + row * SIDE)
    mask[PLAY_SKIP] = table["hand"][seat, SKIP] > 0
    mask[PLAY_LANDLORD] = table["hand"][seat, LANDLORD] > 0
    mask[PLAY_VISITORS] = table["hand"][seat, VISITORS] > 0
    mask[PLAY_PARTY] = table["hand"][seat, PARTY] > 0 and table["party"] == 0
    # Into an empty sink every pot goes, so only a hand of nothing but Parties, during one, leaves nothing else to do.
    is_stuck = table["party"] > 0 and table["hand"][seat, PARTY] == table["cards_in_hand"][seat]
    mask[WASH] = table["sink_size"] > 0 or is_stuck


# What is seen


def features(parameters: Mapping[str, Any]) -> list[Feature]:
    num_players, num_rounds = parameters["num_players"], parameters["num_rounds"]
    hand_size, refill_size = hand_sizes(parameters)
    most_held = max(hand_size, refill_size)
    return [
        Feature("phase", (len(PHASE_NAMES),), note="one-hot: turn, reaction, take"),
        Feature("active_seat", (num_players,), note="one-hot, relative: whose turn it is, or who played the card"),
        Feature("hand", (NUM_CODES,), most_held, note="my cards by code"),
        Feature("cards_in_hand", (num_players,), most_held, note="of each seat"),
        Feature("sink", (SIDE, SIDE), NUM_VALUES, note="value on the cell, 0 if empty"),
        Feature("pots_due", (1,), 2, note="still to be placed this turn; 0 outside the phase turn"),
        Feature("resolving", (2,), note="one-hot: Landlord, Visitors, while it is being resolved"),
        Feature("party", (1,), note="a party is on"),
        Feature("exempt", (num_players,), note="has skipped the wash being resolved"),
        Feature("washed", (num_players, NUM_VALUES), max(parameters["pot_counts"]), note="this round's pile by value"),
        Feature("points", (num_players,), NUM_POTS * num_rounds, note="of the rounds before"),
        Feature("draw_pile", (1,), max(NUM_CARDS - num_players * hand_size, 1), note="cards left in it"),
        Feature("rounds_left", (1,), max(num_rounds - 1, 1), note="after this one"),
        Feature(
            "discards", (NUM_SPECIALS,), max(SPECIAL_COUNTS), True,
            "Skips, Landlords, Visitors, Parties gone or in front of a player",
        ),
    ]  # fmt: skip


@inlined
def observe(table, seat, out):
    at = observe_turn(table, seat, out)
    at = observe_hands(table, seat, out, at)
    at = observe_sink(table, out, at)
    at = observe_piles(table, seat, out, at)
    out[at] = NUM_CARDS - int(table["deck_start"])
    out[at + 1] = table["rounds_left"]
    if table["recall"]:
        copy(table["discards"], 0, NUM_SPECIALS, out, at + 2)


@inlined
def observe_turn(table, seat, out):
    """`phase` and `active_seat`; returns the place of the next field."""
    if table["current_player"] >= 0:
        out[phase_seen(table, seat)] = 1
    out[len(PHASE_NAMES) + distance_to(table, seat, int(table["active"]))] = 1
    return len(PHASE_NAMES) + int(table["num_players"])


@kernel
def phase_seen(table, seat):
    """A reaction is seen by the seat that is asked for it; to all others it looks like a take."""
    phase = int(table["phase"])
    return TAKE if phase == REACTION and seat != table["current_player"] else phase


@inlined
def observe_hands(table, seat, out, at):
    """`hand` and `cards_in_hand`; returns the place of the next field."""
    num_players = int(table["num_players"])
    copy(table["hand"][seat], 1, NUM_CODES, out, at)
    at += NUM_CODES
    for distance in range(num_players):
        out[at + distance] = table["cards_in_hand"][seat_at(table, seat, distance)]
    return at + num_players


@inlined
def observe_sink(table, out, at):
    """`sink` to `party`; returns the place of the next field."""
    is_over = table["current_player"] < 0
    copy(table["sink"], 0, NUM_CELLS, out, at)
    at += NUM_CELLS
    out[at] = 0 if is_over or table["phase"] != TURN else table["pots_due"]
    out[at + 1] = 0 if is_over else table["resolving"] == LANDLORD
    out[at + 2] = 0 if is_over else table["resolving"] == VISITORS
    out[at + 3] = table["party"]
    return at + 4


@inlined
def observe_piles(table, seat, out, at):
    """`exempt` to `points`; returns the place of the next field."""
    num_players, is_over = int(table["num_players"]), table["current_player"] < 0
    washed_at = at + num_players
    points_at = washed_at + num_players * NUM_VALUES
    for distance in range(num_players):
        other = seat_at(table, seat, distance)
        out[at + distance] = 0 if is_over else table["exempt"][other]
        copy(table["washed"][other], 1, NUM_VALUES, out, washed_at + distance * NUM_VALUES)
        out[points_at + distance] = table["points"][other]
    return points_at + num_players


# What a seat can't know


@kernel
def redeal_hidden(table, seat):
    """The other hands and the draw pile."""
    for _ in range(MOST_TRIES):
        return_hands(table, seat)
        table["chance"] = reshuffle(table["deck"], int(table["deck_start"]), NUM_CARDS, table["chance"])
        redraw_hands(table, seat)
        if agrees_with_play(table):
            break
    clear(table["deck"], 0, int(table["deck_start"]))  # it showed how cards were dealt


@kernel
def return_hands(table, seat):
    """All hands but that of `seat` onto the draw pile, off which their cards have come."""
    start = int(table["deck_start"])
    for other in range(int(table["num_players"])):
        if other != seat:
            for code in range(1, NUM_CODES + 1):
                for _ in range(int(table["hand"][other, code])):
                    start -= 1
                    table["deck"][start] = code
            clear(table["hand"][other], 0, NUM_CODES + 1)
    table["deck_start"] = start


@kernel
def redraw_hands(table, seat):
    """As many cards as they had held for all hands but that of `seat`."""
    start = int(table["deck_start"])
    for other in range(int(table["num_players"])):
        if other != seat:
            for _ in range(int(table["cards_in_hand"][other])):
                table["hand"][other, int(table["deck"][start])] += 1
                start += 1
    table["deck_start"] = start


@kernel
def agrees_with_play(table):
    """Who is asked for a Skip holds one; who has washed an empty sink could do nothing else."""
    asked, active = int(table["current_player"]), int(table["active"])
    if asked >= 0 and table["phase"] == REACTION and table["hand"][asked, SKIP] == 0:
        return False
    return table["washed_nothing"] == 0 or table["hand"][active, PARTY] == table["cards_in_hand"][active]


# Parameters, options and texts


PARAMETERS = MappingProxyType(
    {
        "pot_counts": Integers((11, 11, 11, 11, 10), 0, NUM_POTS, NUM_VALUES, "pots of each value"),
        "num_rounds": Integer(3, 1, MAX_ROUNDS, "1 for a single round"),
        "hand_size": Integer(
            None, MIN_HAND, MAX_HAND,
            f"cards dealt to each seat; None: {HAND_OF_TWO} with two players, else {HAND_OF_MORE}", optional=True,
        ),
        "refill_size": Integer(None, MIN_HAND, MAX_HAND, "a hand is refilled to it; None: `hand_size`", optional=True),
    }
)  # fmt: skip


def hand_sizes(parameters: Mapping[str, Any]) -> tuple[int, int]:
    """`hand_size` and `refill_size`, chosen where they are None."""
    by_players = HAND_OF_TWO if parameters["num_players"] == 2 else HAND_OF_MORE
    hand_size = parameters["hand_size"] or by_players
    return hand_size, parameters["refill_size"] or hand_size


def setup(parameters: Mapping[str, Any]) -> dict[str, Any]:
    pot_counts = parameters["pot_counts"]
    if sum(pot_counts) != NUM_POTS:
        raise ParameterError(f"pot_counts must sum to {NUM_POTS}, not {sum(pot_counts)}: {pot_counts!r}")
    hand_size, refill_size = hand_sizes(parameters)
    return {"hand_size": hand_size, "refill_size": refill_size}


def read_options(options: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, list[list[int]]]:
    columns = {}
    if "deck" in options:
        components = dict(enumerate((*parameters["pot_counts"], *SPECIAL_COUNTS), start=1))
        columns["deck"] = read_deals("deck", options["deck"], read_permutation(components, _card_name))
    if "starting_player" in options:
        columns["starting_player"] = read_starting_players(options["starting_player"], parameters["num_players"])
    return columns


def _card_name(code: int) -> str:
    return CARD_NAMES[code] if 0 < code < len(CARD_NAMES) else f"{code} (no card)"


def action_names(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    return ACTIONS


def to_text(seen: Mapping[str, np.ndarray], seat: int) -> str:
    num_players = len(seen["active_seat"])
    active = int(np.argmax(seen["active_seat"]))
    phase = PHASE_NAMES[int(np.argmax(seen["phase"]))] if seen["phase"].any() else "over"
    lines = [f"Friegas Tú, seen by player_{seat}: {phase}, turn of player_{(seat + active) % num_players}"]
    if seen["resolving"].any():
        lines.append(f"  {CARD_NAMES[LANDLORD + int(np.argmax(seen['resolving']))]} is being resolved")
    lines.append(f"  pots due {seen['pots_due'][0]}{', a party is on' if seen['party'][0] else ''}")
    lines.append(f"  hand {_counts(seen['hand'])}")
    lines.extend("  " + " ".join(str(value or ".") for value in row) for row in seen["sink"])
    lines.append(f"  draw pile {seen['draw_pile'][0]}, rounds left {seen['rounds_left'][0]}")
    for distance in range(num_players):
        lines.append(
            f"{'*' if distance == active else ' '} player_{(seat + distance) % num_players}: "
            f"cards {seen['cards_in_hand'][distance]}, washed {_counts(seen['washed'][distance])}, "
            f"points {seen['points'][distance]}{', exempt' if seen['exempt'][distance] else ''}"
        )
    if "discards" in seen:
        lines.append(f"  discards {_counts(seen['discards'], SKIP)}")
    return "\n".join(lines)


def _counts(counts: np.ndarray, first: int = 1) -> str:
    """How many of each code from `first` on."""
    return " ".join(f"{count}×{CARD_NAMES[code]}" for code, count in enumerate(counts, start=first) if count) or "-"


GAME = Game(
    name="friegas_tu",
    title="Friegas Tú",
    version=0,
    players=(2, MAX_PLAYERS, 4),
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
    options=("deck", "starting_player"),
    read_options=read_options,
    to_text=to_text,
    page=__doc__ or "",
)
