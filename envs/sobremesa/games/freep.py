"""Freep: call whether the next card is higher or lower; stop in time and keep what you revealed.

## Description

A push-your-luck game for 2 to 6 players with one deck of numbers 1–9, Wilds (comodín), Steals (robo) and Lives (vida).
In your turn the first card you reveal is the reference. Call whether the next is higher or lower. A hit becomes the new
reference and you may go on or stand; standing moves the whole row of revealed cards to your won pile. An equal number
is a tie: both cards are won at once and the reference is the card below. A fail sends the row and the failed card to
the failure pile and ends the turn; whoever shows the same number on top of the won pile may claim the failed card
("Mine!"). A Wild always hits, one above or below the reference. A Steal takes the visible card of every other seat that
fits the call. A Life, used now or saved, annuls a fail. When the deck is empty the failure pile is turned over,
unshuffled: who has paid attention knows what comes. Most cards in the won pile win the round; three rounds win the
match.

## Rulings

Where the publisher's sheet is silent or leaves it to the table:

- Every round begins with a seat drawn uniformly; drawing for the highest card, ties repeated, is exactly that.
- A Wild in a won pile has no number: it is neither stolen nor matched by "Mine!".
- The first call of a turn is not optional: standing takes a hit, a tie or an annulled fail. A Steal or a Life in answer
  to the first call does not count.
- A tie that empties the row reveals a new first card at once, and the turn goes on.
- A Steal is not optional, and stolen cards are safe on top of the thief's won pile.
- A Wild that can't be one above 9 or below 1 is announced freely; even equal to the reference it is a hit, not a tie.
- A fail annulled by a Life puts the failed number on the row as the new reference; nobody is asked "Mine!".
- "Mine!" goes round from the failing player's left; the first that claims gets the card.
- A player interrupted by the end of the round keeps the row, as if standing; it counts as cards won in that pass.
- A pass is one way through a deck up to the next turn-over. After `idle_passes` finished passes in a row in which no
  card entered a won pile, the round ends instead of turning over again: fixed ways of calling could recycle the last
  failures for ever. 0 plays it without that end, in the sheet's words.
- Several seats may win a match together.
- Assumed, since the sheet has no counts: 3 Wilds, 3 Steals, 3 Lives. The counts of the numbers are those of the
  author's digital edition (which plays numbers only, for two).

## Actions

| id | action |
| --- | --- |
| 0 | HIGHER |
| 1 | LOWER |
| 2 | STAND |
| 3 | REVEAL |
| 4 | USE_LIFE |
| 5 | KEEP_LIFE |
| 6 | CLAIM |
| 7 | DECLINE |
| 8–16 | ANNOUNCE_1 … ANNOUNCE_9 |

In a call: HIGHER, LOWER, STAND. With saved lives at the start of a turn: USE_LIFE, REVEAL. For a Life just revealed:
USE_LIFE, KEEP_LIFE. For "Mine!": CLAIM, DECLINE. For a Wild without a value: ANNOUNCE_1 to ANNOUNCE_9.

## Observation

| field | shape | maximum | | content |
| --- | --- | --- | --- | --- |
| `phase` | 5 | 1 | | one-hot: turn start, call, life found, announce, mine |
| `active_seat` | n | 1 | | one-hot, relative: whose turn it is |
| `reference` | 1 | 9 | | acting value of the reference, 0 if none |
| `row` | 10 | 10 | | cards at risk: how many of each number 1–9, then Wilds |
| `row_below` | 1 | 9 | | acting value of the card under the reference, 0 if none |
| `last_call` | 2 | 1 | | one-hot: higher, lower, while a Wild that answered it waits for its value |
| `can_stand` | 1 | 1 | | the turn has had a hit, a tie or an annulled fail |
| `failed_number` | 1 | 9 | | the failed number while "Mine!" is asked, else 0 |
| `active_lives` | 1 | 3 | | of the player whose turn it is |
| `saved_lives` | n | 3 | | of each seat |
| `pile_size` | n | 83 | | cards in each won pile |
| `visible_number` | n | 9 | | on top of each won pile; 0 for none or a Wild |
| `wins` | n | 3 | | rounds won by each seat |
| `deck_size` | 1 | 83 | | cards left in the deck |
| `failure_size` | 1 | 83 | | cards in the failure pile |
| `failure_top` | 1 | 10 | | code of its top card, 0 if empty |
| `row_values` | 12 | 9 | recall | acting values from the reference downwards |
| `below_visible` | n | 9 | recall | number under the visible card; 0 for none or a Wild |
| `unseen` | 12 | 10 | recall | cards nobody has seen, by code |
| `next_card` | 13 | 1 | recall | one-hot code of the next card; index 0: never seen, or none left |
| `deck_order` | 83 | 10 | recall | codes in draw order once the deck is a turned failure pile |
| `failure_order` | 83 | 10 | recall | codes of the failure pile in the order they fell |
| `idle` | 2 | 3 | recall | finished idle passes in a row; 1 if this pass has won a card |

Seats are relative: the observer first, then clockwise. A card's code is its number; 10 Wild, 11 Steal, 12 Life. Orders
are padded with zeros. The deck is turned only when a card must be revealed: until then it has size 0, the failure pile
is full, and `next_card` is its bottom card. A Wild waiting for its value and a Life waiting for its answer are in no
field. After the end `phase`, `last_call`, `can_stand` and `failed_number` are 0 and `active_seat` stays.

## Rewards

`"outcome"`: at the end, (n − k) / (k (n − 1)) for each of the k winners among n players, −1 / (n − 1) for each loser.
`"score"`: at the end of each round, (my pile − mean pile) / number of cards.

## End

A match ends when a seat has `wins_to_finish` wins (all seats with most cards score one), or is truncated after
`max_decisions` decisions.

## Parameters

| parameter | default | allowed | meaning |
| --- | --- | --- | --- |
| `num_players` | `2` | 2–6 | |
| `number_counts` | `(6, 8, 8, 10, 10, 10, 8, 8, 6)` | 9 integers 0–255 | cards of each number |
| `wilds` | `3` | 0–255 | Wild cards |
| `steals` | `3` | 0–255 | Steal cards |
| `lives` | `3` | 0–255 | Life cards |
| `wins_to_finish` | `3` | 1–255 | rounds won that win the match |
| `idle_passes` | `3` | ≥ 0 | passes in a row without a card won that end a round; 0: never |
| `max_decisions` | `5000` | ≥ 1 | of all seats; the game is truncated after that many |
| `reward` | `'outcome'` | "outcome", "score" | |
| `recall` | `True` | True, False | observations hold what perfect memory would know |

Numbers and Wilds together are at least two cards, all cards together at most 255.

## Options

`deck`: the codes of all cards in draw order. `starting_player`: a seat. A list gives one for each round in turn.

## Version history

- v0: the first.

## References

- "FREEP, manual de instrucciones", the publisher's rules in several languages.
- The author's digital edition, published as source code (Yamasoto-Studio/nookplay).
"""

from __future__ import annotations

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
    Game,
    Integer,
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
from ..kernel import byte_of, clear, copy, inlined, kernel, put_word

# Constants

MAX_PLAYERS = 6
MAX_CARDS = MAX_BYTE
WILD, STEAL, LIFE = 10, 11, 12  # card codes; the numbers 1 to 9 are their own
NUM_CODES = 12
CARD_NAMES = ("none", *(str(number) for number in range(1, 10)), "Wild", "Steal", "Life")
NO_CARD = 0  # its code
NO_NODE = 0  # of a won pile
SHORT_ROW = 16  # cards: longer ones are rare
USUAL_CARDS = 83  # in the deck, all in all; others must be asked for

HIGHER, LOWER, STAND, REVEAL, USE_LIFE, KEEP_LIFE, CLAIM, DECLINE, ANNOUNCE_1 = range(9)
ACTIONS = (
    "HIGHER", "LOWER", "STAND", "REVEAL", "USE_LIFE", "KEEP_LIFE", "CLAIM", "DECLINE",
    *(f"ANNOUNCE_{value}" for value in range(1, 10)),
)  # fmt: skip

TURN_START, CALL, LIFE_FOUND, ANNOUNCE, MINE, NO_REFERENCE, TURN_OVER, ROUND_OVER = range(8)
NUM_PHASES = 5  # that ask somebody
PHASE_NAMES = ("turn start", "call", "life found", "announce", "mine")
NO_CALL = 2  # `last_call` beside HIGHER and LOWER
ROW_VALUES_SHOWN = 12

# The table

DICTATED = MappingProxyType({"starting_player": slice(0, 1), "deck": slice(1, 1 + MAX_CARDS)})
STARTING_PLAYER_AT, DECK_AT = 0, 1

TABLE = table_dtype(
    MAX_PLAYERS,
    1 + MAX_CARDS,
    ("idle_passes", np.int32),  # so many idle passes end the round; 0: never
    ("idle", np.int32),  # finished passes in a row in which no card entered a won pile
    ("num_cards", np.uint8),  # D
    ("phase", np.uint8),
    ("active", np.int8),  # whose turn it is
    ("entered", np.uint8),  # a card has entered a won pile in this pass
    ("can_stand", np.uint8),  # this turn has had a hit, a tie or an annulled fail
    ("last_call", np.uint8),  # HIGHER or LOWER while a Wild that answered it waits for its value, else NO_CALL
    ("failed_number", np.uint8),  # while "Mine!" is asked, else 0
    ("active_lives", np.uint8),
    ("saved_lives", np.uint8, (SEATS,)),
    ("wins", np.uint8, (SEATS,)),
    ("pile_size", np.uint8, (SEATS,)),
    ("pile_top", np.uint8, (MAX_PLAYERS,)),  # node of the visible card, or NO_NODE
    ("visible_number", np.uint8, (SEATS,)),  # on top of each won pile; 0 for none or a Wild
    ("below_visible", np.uint8, (SEATS,)),  # the same of the card under it
    ("num_won", np.uint8),  # nodes 1 to num_won are in use: a card only moves from one won pile to another
    ("row_counts", np.uint8, (WILD + 1,)),  # by code
    ("row_size", np.uint8),  # the row: cards at risk
    ("deck_start", np.uint8),  # the deck lies in deck[deck_start:deck_end], the next card first
    ("deck_end", np.uint8),
    ("deck_turned", np.uint8),  # the deck is a turned failure pile
    ("failure_size", np.uint8),
    ("unseen", np.uint8, (NUM_CODES + 1,)),  # by code, in the part of the deck nobody has seen: none once it is turned
    ("row_value", np.uint8, (MAX_CARDS + ROW_VALUES_SHOWN,)),  # MAX_CARDS - row_size on: the values they act as,
    # from the reference downwards, then zeros
    ("row_card", np.uint8, (MAX_CARDS,)),  # codes in the order revealed, the reference last; 0 from row_size on
    ("failure", np.uint8, (MAX_CARDS + SHORT_ROW,)),  # codes in the order they fell, 0 from failure_size on
    ("deck", np.uint8, (2 * MAX_CARDS,)),  # 0 from deck_end on: so MAX_CARDS entries are readable from every deck_start
    ("won_card", np.uint8, (1 + MAX_CARDS + SHORT_ROW,)),  # code of a node, NO_CARD of NO_NODE
    ("won_below", np.uint8, (1 + MAX_CARDS + SHORT_ROW,)),  # node below it in its pile, or NO_NODE, as of NO_NODE
    ("number_counts", np.uint8, (9,)),
    ("wilds", np.uint8),
    ("steals", np.uint8),
    ("lives", np.uint8),
    ("wins_to_finish", np.uint8),
)
COLD = MappingProxyType(
    {
        "number_counts": slice(None),
        "wilds": slice(None),
        "steals": slice(None),
        "lives": slice(None),
        "wins_to_finish": slice(None),
        "won_card": slice(None),
        "won_below": slice(None),
        "row_card": slice(SHORT_ROW, None),
        "row_value": slice(0, MAX_CARDS - SHORT_ROW),
        "failure": slice(USUAL_CARDS, None),
        "deck": slice(USUAL_CARDS + 64, None),
    }
)


# A match and its rounds


@kernel
def deal(table):
    for seat in range(MAX_PLAYERS):
        table["wins"][seat] = 0
    deal_round(table)


@kernel
def deal_round(table):
    clear_round(table)
    stack_deck(table)
    if table["dictated"][STARTING_PLAYER_AT] != FREE:
        table["active"] = table["dictated"][STARTING_PLAYER_AT]
    else:
        table["active"], table["chance"] = below(table["chance"], int(table["num_players"]))
    table["dictated_used"] = 1
    clear_turn(table)
    ask(table, reveal_first(table))  # there is one: a deck holds more than Steals and Lives


@kernel
def clear_round(table):
    table["idle"] = 0
    table["entered"] = 0
    table["num_won"] = 0
    table["failure_size"] = 0
    for i in range(int(table["num_cards"])):
        table["failure"][i] = 0
    for seat in range(MAX_PLAYERS):
        table["saved_lives"][seat] = 0
        table["pile_size"][seat] = 0
        table["pile_top"][seat] = NO_NODE
        table["visible_number"][seat] = 0
        table["below_visible"][seat] = 0
    for code in range(1, WILD):
        table["unseen"][code] = table["number_counts"][code - 1]
    table["unseen"][WILD] = table["wilds"]
    table["unseen"][STEAL] = table["steals"]
    table["unseen"][LIFE] = table["lives"]


@kernel
def stack_deck(table):
    """The dictated deck, or a shuffled one."""
    table["deck_start"] = 0
    table["deck_end"] = table["num_cards"]
    table["deck_turned"] = 0
    if table["dictated"][DECK_AT] != FREE:
        for i in range(int(table["num_cards"])):
            table["deck"][i] = table["dictated"][DECK_AT + i]
        return
    size = 0
    for code in range(1, NUM_CODES + 1):
        for _ in range(int(table["unseen"][code])):
            table["deck"][size] = code
            size += 1
    table["chance"] = shuffle(table["deck"], size, table["chance"])


@kernel
def end_round(table):
    """Scores the round; ends the match or deals the next round."""
    table["phase"] = ROUND_OVER  # a Wild that waited for its value lies in a pile now
    win_row(table)
    discard_lives(table)
    pay_round(table)
    winners = score_round(table)
    if winners:
        finish(table, winners)
    else:
        deal_round(table)


@kernel
def discard_lives(table):
    table["active_lives"] = 0
    for seat in range(MAX_PLAYERS):
        table["saved_lives"][seat] = 0


@kernel
def pay_round(table):
    num_players, total = int(table["num_players"]), 0
    for seat in range(num_players):
        total += int(table["pile_size"][seat])
    for seat in range(num_players):
        pay_score(table, seat, (int(table["pile_size"][seat]) - total / num_players) / int(table["num_cards"]))


@kernel
def score_round(table):
    """One win to each seat with most cards; returns the set of seats that have won the match, as bits."""
    num_players, most, winners = int(table["num_players"]), 0, 0
    for seat in range(num_players):
        most = max(most, int(table["pile_size"][seat]))
    for seat in range(num_players):
        if int(table["pile_size"][seat]) == most:
            table["wins"][seat] += 1
        if table["wins"][seat] >= table["wins_to_finish"]:
            winners |= 1 << seat
    return winners


# A turn. The rules below return the phase they lead to; the last three of the phases ask nobody.


@inlined
def apply(table, action):
    phase = answer(table, action)
    if phase == TURN_OVER:
        phase = start_next_turn(table)
    if phase == NO_REFERENCE:
        phase = reveal_first(table)
    if phase == CALL and not has_card(table):
        phase = ROUND_OVER
    if phase == ROUND_OVER:
        end_round(table)
    else:
        ask(table, phase)


@inlined
def ask(table, phase):
    """The player whose turn it is decides next, but for "Mine!"."""
    table["phase"] = phase
    if phase != MINE:
        table["current_player"] = table["active"]


@inlined
def answer(table, action):
    phase = int(table["phase"])
    if phase == CALL:
        return stand(table) if action == STAND else call(table, action)
    if phase == MINE:
        return answer_mine(table, action)
    if phase == LIFE_FOUND:
        return answer_life(table, action)
    if phase == ANNOUNCE:
        return announce(table, action - ANNOUNCE_1 + 1)
    return begin_turn(table, action)


@inlined
def start_next_turn(table):
    table["active"] = seat_at(table, int(table["active"]), 1)
    clear_turn(table)
    return TURN_START if table["saved_lives"][int(table["active"])] > 0 else NO_REFERENCE


@inlined
def clear_turn(table):
    """No row, and no turn so far."""
    table["active_lives"] = 0
    table["can_stand"] = 0
    table["last_call"] = NO_CALL
    table["failed_number"] = 0
    clear_row(table)


@kernel
def begin_turn(table, action):
    seat = int(table["active"])
    if action == USE_LIFE:
        table["saved_lives"][seat] -= 1
        table["active_lives"] += 1
        if table["saved_lives"][seat] > 0:
            return TURN_START
    return NO_REFERENCE


@inlined
def reveal_first(table):
    """Reveals cards until one is the reference or waits for an answer; the row is empty."""
    while has_card(table):
        code = reveal(table)
        if is_number(code):
            push(table, code, code)
            return CALL
        if code == WILD:
            return ANNOUNCE
        if code == LIFE:
            return LIFE_FOUND
        if code == NO_CARD:
            break
    return ROUND_OVER


@inlined
def call(table, direction):
    """Reveals a card against the reference. The call is spent on a Steal or a Life too."""
    code = reveal(table)
    if is_number(code):
        return answer_call(table, direction, code)
    if code == WILD:
        return answer_with_wild(table, direction)
    if code == STEAL:
        return steal(table, direction)
    return LIFE_FOUND if code == LIFE else ROUND_OVER


@inlined
def answer_call(table, direction, number):
    reference = reference_value(table)
    if number == reference:
        return tie(table, number)
    if (number > reference) == (direction == HIGHER):
        return hit(table, number, number)
    if table["active_lives"] > 0:
        table["active_lives"] -= 1
        return hit(table, number, number)
    return fail(table, number)


@inlined
def hit(table, code, value):
    push(table, code, value)
    table["can_stand"] = 1
    return CALL


@kernel
def tie(table, number):
    seat, code = int(table["active"]), pop(table)
    win_card(table, seat, code)
    win_card(table, seat, number)
    table["can_stand"] = 1
    return CALL if has_row(table) else NO_REFERENCE


@kernel
def answer_with_wild(table, direction):
    value = reference_value(table) + (1 if direction == HIGHER else -1)
    if 1 <= value <= 9:
        return hit(table, WILD, value)
    table["last_call"] = direction
    return ANNOUNCE


@kernel
def announce(table, value):
    if table["last_call"] == NO_CALL:
        push(table, WILD, value)
        return CALL
    table["last_call"] = NO_CALL
    return hit(table, WILD, value)


@kernel
def answer_life(table, action):
    if action == USE_LIFE:
        table["active_lives"] += 1
    else:
        table["saved_lives"][int(table["active"])] += 1
    return CALL if has_row(table) else NO_REFERENCE


@kernel
def steal(table, direction):
    thief, reference, num_players = int(table["active"]), reference_value(table), int(table["num_players"])
    for distance in range(1, num_players):
        seat = seat_at(table, thief, distance)
        number = int(table["visible_number"][seat])
        if number > 0 and ((direction == HIGHER and number > reference) or (direction == LOWER and number < reference)):
            move_top(table, seat, thief)
    return CALL


@inlined
def stand(table):
    win_row(table)
    return TURN_OVER


# A fail, and "Mine!"


@inlined
def fail(table, number):
    start, size = int(table["failure_size"]), int(table["row_size"])
    copy_row(table, table["failure"], start)
    table["failure"][start + size] = number
    table["failure_size"] = start + size + 1
    clear_row(table)
    table["failed_number"] = number
    return ask_mine(table, int(table["active"]))


@inlined
def ask_mine(table, seat):
    """Asks the next seat to the left of `seat` that may claim the failed card; the turn is over after the last one."""
    active = int(table["active"])
    seat = seat_at(table, seat, 1)
    while seat != active:
        if table["visible_number"][seat] == table["failed_number"]:
            table["current_player"] = seat
            return MINE
        seat = seat_at(table, seat, 1)
    return TURN_OVER


@kernel
def answer_mine(table, action):
    seat = int(table["current_player"])
    if action == DECLINE:
        return ask_mine(table, seat)
    table["failure_size"] -= 1
    table["failure"][int(table["failure_size"])] = 0
    win_card(table, seat, int(table["failed_number"]))
    return TURN_OVER


# The zones


@inlined
def has_card(table):
    """Whether a card is left to reveal, in the deck or in the failure pile."""
    return table["deck_start"] < table["deck_end"] or table["failure_size"] > 0


@inlined
def reveal(table):
    """The next card, off the deck, with the failure pile turned over if need be; NO_CARD if the round is idle."""
    if table["deck_start"] == table["deck_end"]:
        finish_pass(table)
        if table["idle_passes"] > 0 and table["idle"] >= table["idle_passes"]:
            return NO_CARD
        turn_over(table)
    start = int(table["deck_start"])
    code = int(table["deck"][start])
    table["deck_start"] = start + 1
    table["unseen"][code] -= 1 - int(table["deck_turned"])  # a turned deck has been seen
    return code


@inlined
def is_number(code):
    return 1 <= code < WILD


@kernel
def finish_pass(table):
    table["idle"] = 0 if table["entered"] else table["idle"] + 1
    table["entered"] = 0


@kernel
def turn_over(table):
    for i in range(int(table["num_cards"])):
        table["deck"][i] = table["failure"][i]
        table["failure"][i] = 0
    table["deck_start"] = 0
    table["deck_end"] = table["failure_size"]
    table["deck_turned"] = 1
    table["failure_size"] = 0
    for code in range(NUM_CODES + 1):
        table["unseen"][code] = 0


@inlined
def has_row(table):
    return table["row_size"] > 0


@inlined
def push(table, code, value):
    """A card onto the row."""
    size = int(table["row_size"])
    table["row_card"][size] = code
    table["row_value"][MAX_CARDS - 1 - size] = value
    table["row_counts"][code] += 1
    table["row_size"] = size + 1


@kernel
def pop(table):
    """The reference, off the row."""
    top = int(table["row_size"]) - 1
    code = int(table["row_card"][top])
    table["row_card"][top] = 0
    table["row_counts"][code] -= 1
    table["row_size"] = top
    return code


@inlined
def clear_row(table):
    clear(table["row_card"], 0, SHORT_ROW)
    if table["row_size"] > SHORT_ROW:
        clear(table["row_card"], SHORT_ROW, MAX_CARDS - SHORT_ROW)
    table["row_size"] = 0
    clear(table["row_counts"], 0, WILD + 1)


@inlined
def copy_row(table, out, at):
    """The row, in the order revealed, to `out[at:]`; after it at most SHORT_ROW zeros: most rows are one block."""
    copy(table["row_card"], 0, SHORT_ROW, out, at)
    if table["row_size"] > SHORT_ROW:
        copy(table["row_card"], SHORT_ROW, int(table["row_size"]) - SHORT_ROW, out, at + SHORT_ROW)


@inlined
def win_row(table):
    """The row, in the order revealed, onto the won pile of the player whose turn it is."""
    size = int(table["row_size"])
    if size == 0:
        return
    seat, first = int(table["active"]), int(table["num_won"]) + 1
    copy_row(table, table["won_card"], first)
    for i in range(SHORT_ROW):
        table["won_below"][first + i] = first + i - 1
    for i in range(SHORT_ROW, size):
        table["won_below"][first + i] = first + i - 1
    table["num_won"] = first + size - 1
    put_on_top(table, seat, first, first + size - 1, size)
    clear_row(table)


@kernel
def win_card(table, seat, code):
    """A card that was in no won pile onto the pile of `seat`."""
    node = int(table["num_won"]) + 1
    table["num_won"] = node
    table["won_card"][node] = code
    put_on_top(table, seat, node, node, 1)


@kernel
def move_top(table, source, target):
    node = int(table["pile_top"][source])
    table["pile_top"][source] = table["won_below"][node]
    table["pile_size"][source] -= 1
    show_top(table, source)
    put_on_top(table, target, node, node, 1)


@inlined
def put_on_top(table, seat, lowest, top, size):
    """`size` cards, of which each lies on the next but the lowest, onto the pile of `seat`."""
    table["won_below"][lowest] = table["pile_top"][seat]
    table["pile_top"][seat] = top
    table["pile_size"][seat] += size
    table["entered"] = 1
    show_top(table, seat)


@inlined
def show_top(table, seat):
    top = int(table["pile_top"][seat])
    table["visible_number"][seat] = number_of(table, top)
    table["below_visible"][seat] = number_of(table, int(table["won_below"][top]))


@inlined
def number_of(table, node):
    """The number on a won card; 0 for a Wild or no card."""
    code = int(table["won_card"][node])
    return code if code < WILD else 0


@inlined
def row_value(table, depth):
    """The acting value of the card `depth` below the reference, at most ROW_VALUES_SHOWN; 0 if there is none."""
    return int(table["row_value"][MAX_CARDS - int(table["row_size"]) + depth])


@inlined
def reference_value(table):
    return row_value(table, 0)


# What may be done


@inlined
def legal_actions(table, mask):
    phase = int(table["phase"])
    if phase == CALL:
        mask[HIGHER] = 1
        mask[LOWER] = 1
        mask[STAND] = table["can_stand"]
    elif phase == MINE:
        mask[CLAIM] = 1
        mask[DECLINE] = 1
    elif phase == LIFE_FOUND:
        mask[USE_LIFE] = 1
        mask[KEEP_LIFE] = 1
    elif phase == ANNOUNCE:
        for value in range(9):
            mask[ANNOUNCE_1 + value] = 1
    else:
        mask[REVEAL] = 1
        mask[USE_LIFE] = 1


# What is seen


def features(parameters: Mapping[str, Any]) -> list[Feature]:
    num_players, lives = parameters["num_players"], parameters["lives"]
    counts = (*parameters["number_counts"], parameters["wilds"])
    num_cards = num_deck_cards(parameters)
    idle_bound = min(parameters["idle_passes"] or MAX_BYTE, MAX_BYTE)
    return [
        Feature("phase", (NUM_PHASES,), note="one-hot: turn start, call, life found, announce, mine"),
        Feature("active_seat", (num_players,), note="one-hot, relative: whose turn it is"),
        Feature("reference", (1,), 9, note="acting value of the reference, 0 if none"),
        Feature("row", (WILD,), max(counts), note="cards at risk: how many of each number 1–9, then Wilds"),
        Feature("row_below", (1,), 9, note="acting value of the card under the reference, 0 if none"),
        Feature("last_call", (2,), note="one-hot: higher, lower, while a Wild that answered it waits for its value"),
        Feature("can_stand", (1,), note="the turn has had a hit, a tie or an annulled fail"),
        Feature("failed_number", (1,), 9, note='the failed number while "Mine!" is asked, else 0'),
        Feature("active_lives", (1,), max(lives, 1), note="of the player whose turn it is"),
        Feature("saved_lives", (num_players,), max(lives, 1), note="of each seat"),
        Feature("pile_size", (num_players,), num_cards, note="cards in each won pile"),
        Feature("visible_number", (num_players,), 9, note="on top of each won pile; 0 for none or a Wild"),
        Feature("wins", (num_players,), parameters["wins_to_finish"], note="rounds won by each seat"),
        Feature("deck_size", (1,), num_cards, note="cards left in the deck"),
        Feature("failure_size", (1,), num_cards, note="cards in the failure pile"),
        Feature("failure_top", (1,), WILD, note="code of its top card, 0 if empty"),
        Feature("row_values", (ROW_VALUES_SHOWN,), 9, True, "acting values from the reference downwards"),
        Feature("below_visible", (num_players,), 9, True, "number under the visible card; 0 for none or a Wild"),
        Feature(
            "unseen", (NUM_CODES,), max(*counts, parameters["steals"], lives), True, "cards nobody has seen, by code"
        ),
        Feature(
            "next_card", (NUM_CODES + 1,), 1, True, "one-hot code of the next card; index 0: never seen, or none left"
        ),
        Feature("deck_order", (num_cards,), WILD, True, "codes in draw order once the deck is a turned failure pile"),
        Feature("failure_order", (num_cards,), WILD, True, "codes of the failure pile in the order they fell"),
        Feature("idle", (2,), idle_bound, True, "finished idle passes in a row; 1 if this pass has won a card"),
    ]


@inlined
def observe(table, seat, out):
    at = observe_turn(table, seat, out)
    at = observe_seats(table, seat, out, at)
    at = observe_piles(table, out, at)
    if table["recall"]:
        recall(table, seat, out, at)


@inlined
def observe_turn(table, seat, out):
    """`phase` to `active_lives`; returns the place of the next field."""
    num_players, goes_on = int(table["num_players"]), table["current_player"] >= 0
    out[NUM_PHASES + distance_to(table, seat, int(table["active"]))] = 1
    at = NUM_PHASES + num_players
    out[at] = reference_value(table)
    copy(table["row_counts"], 1, WILD, out, at + 1)
    at += 1 + WILD
    out[at] = row_value(table, 1)
    if goes_on:
        out[int(table["phase"])] = 1
        out[at + 1] = table["last_call"] == HIGHER
        out[at + 2] = table["last_call"] == LOWER
        out[at + 3] = table["can_stand"]
        out[at + 4] = table["failed_number"]
    out[at + 5] = table["active_lives"]
    return at + 6


@inlined
def observe_seats(table, seat, out, at):
    """`saved_lives` to `wins`; returns the place of the next field."""
    num_players = int(table["num_players"])
    put_word(from_seat(table["saved_lives"], seat, num_players), out, at)  # 8 bytes: the rest comes later
    put_word(from_seat(table["pile_size"], seat, num_players), out, at + num_players)
    at += 2 * num_players
    visible = from_seat(table["visible_number"], seat, num_players)
    wins = from_seat(table["wins"], seat, num_players)
    for distance in range(num_players):  # the row may end within 8 bytes
        out[at + distance] = byte_of(visible, distance)
        out[at + num_players + distance] = byte_of(wins, distance)
    return at + 2 * num_players


@inlined
def observe_piles(table, out, at):
    """`deck_size` to `failure_top`; returns the place of the next field."""
    failed = int(table["failure_size"])
    out[at] = table["deck_end"] - table["deck_start"]
    out[at + 1] = failed
    out[at + 2] = table["failure"][failed - 1] if failed else 0
    return at + 3


@inlined
def recall(table, seat, out, at):
    """`row_values` to `idle`."""
    copy(table["row_value"], MAX_CARDS - int(table["row_size"]), ROW_VALUES_SHOWN, out, at)
    at += ROW_VALUES_SHOWN
    put_word(from_seat(table["below_visible"], seat, int(table["num_players"])), out, at)
    at += int(table["num_players"])
    copy(table["unseen"], 1, NUM_CODES, out, at)
    at += NUM_CODES
    out[at + known_next_card(table)] = 1
    recall_orders(table, out, at + NUM_CODES + 1)


@inlined
def known_next_card(table):
    """The code of the next card to be revealed; 0 if nobody has seen it, or there is none."""
    if table["deck_start"] < table["deck_end"]:
        return int(table["deck"][int(table["deck_start"])]) * int(table["deck_turned"])
    return int(table["failure"][0])


@inlined
def recall_orders(table, out, at):
    """`deck_order`, `failure_order` and `idle`."""
    num_cards = int(table["num_cards"])  # of zeros too: no branch on what is unlike from table to table
    known_from = int(table["deck_start"]) if table["deck_turned"] else MAX_CARDS
    copy(table["deck"], known_from, num_cards, out, at)
    copy(table["failure"], 0, num_cards, out, at + num_cards)
    at += 2 * num_cards
    out[at] = min(int(table["idle"]), MAX_BYTE)
    out[at + 1] = table["entered"]


# What nobody can know


@kernel
def redeal_hidden(table, seat):
    """The order of the deck, unless it is a turned failure pile; everything else lies, or has lain, open to all."""
    if not table["deck_turned"]:
        start, end = int(table["deck_start"]), int(table["deck_end"])
        table["chance"] = reshuffle(table["deck"], start, end, table["chance"])


# Parameters, options and texts


PARAMETERS = MappingProxyType(
    {
        "number_counts": Integers((6, 8, 8, 10, 10, 10, 8, 8, 6), 0, MAX_CARDS, 9, "cards of each number"),
        "wilds": Integer(3, 0, MAX_CARDS, "Wild cards"),
        "steals": Integer(3, 0, MAX_CARDS, "Steal cards"),
        "lives": Integer(3, 0, MAX_CARDS, "Life cards"),
        "wins_to_finish": Integer(3, 1, MAX_BYTE, "rounds won that win the match"),
        "idle_passes": Integer(3, 0, note="passes in a row without a card won that end a round; 0: never"),
    }
)


def num_deck_cards(parameters: Mapping[str, Any]) -> int:
    return sum(components(parameters).values())


def components(parameters: Mapping[str, Any]) -> dict[int, int]:
    """How often each card code is in the deck."""
    counts = (*parameters["number_counts"], parameters["wilds"], parameters["steals"], parameters["lives"])
    return dict(enumerate(counts, start=1))


def setup(parameters: Mapping[str, Any]) -> dict[str, Any]:
    num_cards = num_deck_cards(parameters)
    if num_cards > MAX_CARDS:
        raise ParameterError(f"number_counts, wilds, steals and lives make {num_cards} cards; at most {MAX_CARDS}")
    numbered = sum(parameters["number_counts"]) + parameters["wilds"]
    if numbered < 2:
        raise ParameterError(f"number_counts and wilds make {numbered} cards; a round needs at least 2")
    return {"num_cards": num_cards}


def read_options(options: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, list[list[int]]]:
    columns = {}
    if "deck" in options:
        read = read_permutation(components(parameters), _card_name)
        columns["deck"] = read_deals("deck", options["deck"], read)
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
    lines = [f"Freep, seen by player_{seat}: {phase}, turn of player_{(seat + active) % num_players}"]
    lines.append(
        f"  reference {_one(seen, 'reference')}, below it {_one(seen, 'row_below')}, row {_counts(seen['row'])}"
    )
    lines.append(f"  active lives {seen['active_lives'][0]}{', may stand' if seen['can_stand'][0] else ''}")
    lines.append(
        f"  deck {seen['deck_size'][0]}, failures {seen['failure_size'][0]}, top {_codes(seen['failure_top'])}"
    )
    if seen["failed_number"][0]:
        lines.append(f"  Mine! is asked for the {seen['failed_number'][0]}")
    for distance in range(num_players):
        lines.append(
            f"{'*' if distance == active else ' '} player_{(seat + distance) % num_players}: "
            f"won {seen['pile_size'][distance]}, visible {seen['visible_number'][distance] or '-'}, "
            f"saved lives {seen['saved_lives'][distance]}, wins {seen['wins'][distance]}"
        )
    if "unseen" in seen:
        lines.append(f"  unseen {_counts(seen['unseen'])}")
        lines.append(f"  deck known {_codes(seen['deck_order'])}, failures known {_codes(seen['failure_order'])}")
    return "\n".join(lines)


def _one(seen: Mapping[str, np.ndarray], name: str) -> str:
    return str(seen[name][0] or "-")


def _counts(counts: np.ndarray) -> str:
    """How many of each code from 1 on."""
    return " ".join(f"{count}×{CARD_NAMES[code]}" for code, count in enumerate(counts, start=1) if count) or "-"


def _codes(codes: np.ndarray) -> str:
    return " ".join(CARD_NAMES[code] for code in codes if code) or "-"


GAME = Game(
    name="freep",
    title="Freep",
    version=0,
    players=(2, MAX_PLAYERS, 2),
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
    cold=COLD,
)
