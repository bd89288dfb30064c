"""Piñata: win candies by playing matching cards beside four mats; three medals win the game.

## Description

A game for 2 players with 54 cards: five colours numbered from 1 (13 red, 11 blue, 9 green, 7 pink, 5 yellow) and 9
wilds (comodín). Four mats (tapete) lie between the players, each with its HIGH (alto) or LOW (bajo) side up; mat k
holds k candies (caramelo) drawn from the bag (bolsa), and takes k cards on each player's side. In your turn you play
one of your eight cards on a mat and draw another. A side takes no more cards of a colour than the mat has candies of
it; a wild goes anywhere. Once your own side of a mat is full you may play on the opponent's. When both sides are full
the higher sum wins the candies on HIGH, the lower on LOW; the mat is turned and filled anew, and the player who lost
has the next turn. A medal (medalla) goes to whoever has 7 red, 6 blue, 5 green, 4 pink or 3 yellow candies; three
medals win. If you can't play you show your hand, may discard and draw as many, and must play if you can now. When the
supply (suministro) is empty the discards become the new one: at that moment whoever has paid attention knows the
opponent's whole hand.

## Rulings

Where the publisher's sheet is silent or leaves it to the table:

- The first sides of the mats are drawn, and seat 0 begins.
- A wild has no colour on a mat: it blocks none, it only fills one of the places.
- A card that would fill both sides with equal sums can't be played there, whoever plays it.
- The supply is made anew when a card must be drawn from it, not before: a supply of 0 can be seen.
- A card discarded by a player who can't play is in the discards at once, so a new supply made now includes it.
- A player still unable to play after drawing shows the hand again, and the turn passes.
- Medals are taken as soon as the candies are won, and with three of them the game ends there: the mat is not cleared
  and nobody draws.
- A mat for which the bag has too few candies is out of the game; the bag keeps those, for smaller mats.
- Assumed, since the sheet doesn't print them: the values of the cards. The split of the cards and candies by colour and
  the candies that win a medal are those of the published game.

## Actions

| id | action |
| --- | --- |
| 0–431 | PLAY red 1 on mat 1, my side … PLAY wild 9 on mat 4, the opponent's side |
| 432–485 | DISCARD red 1 … DISCARD wild 9 |
| 486 | DRAW |

PLAY puts a card of the hand on a mat, on the player's own side or the opponent's. DISCARD and DRAW are for a player who
can't play: DISCARD any number of cards, one at a time, then DRAW as many. Cards are named by their place in their
colour, which with the default values is the number printed on them.

## Observation

| field | shape | maximum | | content |
| --- | --- | --- | --- | --- |
| `phase` | 2 | 1 | | one-hot: play, discard |
| `to_act` | 2 | 1 | | one-hot, relative: the seat to act |
| `hand` | 54 | 1 | | my cards |
| `opponent_known` | 54 | 1 | recall | cards that I know the opponent to hold |
| `known_of_me` | 54 | 1 | recall | cards that the opponent knows me to hold |
| `discards` | 54 | 1 | recall | cards in the discard pile |
| `mat_cards` | 4 × 2 × 54 | 1 | | cards on each mat, my side, the opponent's |
| `mat_candies` | 4 × 5 | 4 | | candies on each mat, by colour |
| `mat_side` | 4 × 2 | 1 | | one-hot: HIGH, LOW; 0 once the mat is out |
| `mat_sum` | 4 × 2 | 52 | | sum of the cards on each side |
| `mat_room` | 4 × 2 | 4 | | places free on each side |
| `candies` | 2 × 5 | 13 | | won by me, by the opponent |
| `medals` | 2 × 5 | 1 | | won by me, by the opponent |
| `bag` | 5 | 13 | | candies left in the bag, by colour |
| `supply` | 1 | 38 | | cards left to draw |
| `opponent_hand` | 1 | 8 | | cards in the opponent's hand |
| `discarded_now` | 1 | 8 | | cards discarded so far in the discard phase |

Seats are relative: the observer first, then the opponent. Cards are numbered as in the actions: red, blue, green, pink,
yellow, wild, in rising order within a colour. A card is known to be in a hand once it was shown, or if it was held when
the discards became the supply (cards drawn before that moment in the same step included), until it is played or
discarded; what can only be inferred is not added. For a mat that is out, `mat_cards`, `mat_candies`, `mat_side`,
`mat_sum` and `mat_room` are 0. After the end `phase`, `to_act` and `discarded_now` are 0; a mat whose scoring ended the
game keeps its cards, side and sums.

## Rewards

`"outcome"`: at the end, +1 for the winner and −1 for the loser. `"score"`: for each scored mat, + its candies / 45 for
the winner of the scoring, − as much for the loser.

## End

The game ends as soon as a player has three medals, or is truncated after `max_decisions` decisions: two players who
both refuse to discard could go on for ever.

## Parameters

| parameter | default | allowed | meaning |
| --- | --- | --- | --- |
| `num_players` | `2` | 2–2 | |
| `card_values` | `((1…13), (1…11), (1…9), (1…7), (1…5))` | tuples of 13, 11, 9, 7, 5 integers 0–63 | by colour |
| `wild_values` | `(1…9)` | 9 integers 0–63 | of the wilds |
| `open_sides` | `False` | True, False | the opponent's side may be played at any time |
| `max_decisions` | `2000` | ≥ 1 | of all seats; the game is truncated after that many |
| `reward` | `'outcome'` | "outcome", "score" | |
| `recall` | `True` | True, False | observations hold what perfect memory would know |

`card_values` has a tuple for each of red, blue, green, pink and yellow; card i of a colour has the value at place i.

## Options

`deck`: all 54 card numbers in draw order; seat 0 is dealt the first eight, seat 1 the next. `candies`: the 45 colours
in draw order (0 red, 1 blue, 2 green, 3 pink, 4 yellow). `mats`: "high" or "low" for each of the four. `reshuffles`:
orders of all 54 cards, one for each time that the supply is made anew; the discards then stand in the order in which
they stand there. `starting_player`: a seat.

## Version history

- v0: the first.

## References

- "Reglas del juego Piñata", the publisher's rules in Spanish.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..chance import below, reshuffle, shuffle, sort
from ..game import (
    FREE,
    MOST_TRIES,
    Feature,
    Flag,
    Game,
    Integers,
    ParameterError,
    finish,
    pay_score,
    read_deals,
    read_permutation,
    read_sequence,
    read_starting_players,
    table_dtype,
)
from ..kernel import ALL_BITS, BITS_OF_BYTE, byte_of, clear, copy, inlined, kernel, put_word

# Constants

NUM_PLAYERS = 2
COLOURS = ("red", "blue", "green", "pink", "yellow")
NUM_COLOURS = len(COLOURS)
WILD = NUM_COLOURS  # beside the colours, of a card; no candy is wild
SUIT_SIZES = (13, 11, 9, 7, 5, 9)  # cards of each colour, then wilds
CANDIES = SUIT_SIZES[:NUM_COLOURS]  # as many of each colour as it has cards
MEDAL_AT = np.array([7, 6, 5, 4, 3], np.uint8)  # more than half of the candies, so no two players reach the same medal
MEDALS_TO_WIN = 3
NUM_CARDS = sum(SUIT_SIZES)
NUM_CANDIES = sum(CANDIES)
HAND_SIZE = 8
NUM_MATS = 4  # mat m needs m + 1 candies, and m + 1 cards on each side
MAX_VALUE = 63  # four of them fit a byte
NO_VALUE = 255  # no card has it

NUM_OF_COLOUR = np.array(CANDIES, np.uint8)
ALL_CANDIES = np.repeat(np.arange(NUM_COLOURS, dtype=np.uint8), CANDIES)
COLOUR_OF = np.repeat(np.arange(len(SUIT_SIZES), dtype=np.uint8), SUIT_SIZES)
CARD_NAMES = tuple(f"{suit} {i + 1}" for suit, size in zip((*COLOURS, "wild"), SUIT_SIZES) for i in range(size))
SIDE_NAMES = ("my side", "the opponent's side")

PLACES = NUM_MATS * NUM_PLAYERS  # PLAY is card * PLACES + mat * 2 + side, side 0 mine, 1 the opponent's

# A side of a mat is a place: mat * NUM_PLAYERS + the seat whose side it is. What the eight places hold is a word with a
# byte for each, the first one lowest; a set of places is such a word of ones and zeros.
EVERY_PLACE = np.uint64(0x0101010101010101)
PLACES_OF = np.array([0x0001000100010001, 0x0100010001000100], np.uint64)  # a seat's own
PLACE_SET = np.array([1 << 8 * place for place in range(PLACES)], np.uint64)  # of one place
MAT_SET = np.array([0x0101 << 16 * mat for mat in range(NUM_MATS)], np.uint64)  # of the two places of a mat
LOW_BITS, TOP_BITS = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080)  # of every byte
FIRST_SEAT, SECOND_SEAT = np.uint64(0x00FF00FF00FF00FF), np.uint64(0xFF00FF00FF00FF00)
TOP_BIT = np.uint64(7)
DISCARD = NUM_CARDS * PLACES
DRAW = DISCARD + NUM_CARDS
ACTIONS = (
    *(f"PLAY {card} on mat {mat + 1}, {side}" for card in CARD_NAMES for mat in range(NUM_MATS) for side in SIDE_NAMES),
    *(f"DISCARD {card}" for card in CARD_NAMES),
    "DRAW",
)

PHASE_NAMES = ("play", "discard")
PLAYING, DISCARDING = range(len(PHASE_NAMES))
MAT_SIDES = ("high", "low")
HIGH, LOW = range(len(MAT_SIDES))

# The table

DICTATED = MappingProxyType(
    {
        "starting_player": slice(0, 1),
        "mats": slice(1, 1 + NUM_MATS),
        "candies": slice(1 + NUM_MATS, 1 + NUM_MATS + NUM_CANDIES),
        "deck": slice(1 + NUM_MATS + NUM_CANDIES, 1 + NUM_MATS + NUM_CANDIES + NUM_CARDS),  # later: the next reshuffle
    }
)
STARTING_PLAYER_AT, MATS_AT, CANDIES_AT, DECK_AT = (where.start for where in DICTATED.values())

TABLE = table_dtype(
    NUM_PLAYERS,
    DECK_AT + NUM_CARDS,
    ("open_sides", np.uint8),
    ("values", np.uint8, (NUM_CARDS,)),  # by card
    ("phase", np.uint8),
    ("discarded_now", np.uint8),  # cards discarded so far in the discard phase
    ("hand", np.uint8, (NUM_PLAYERS, HAND_SIZE)),  # cards, in no order that means anything
    ("hand_size", np.uint8, (NUM_PLAYERS,)),
    ("hand_known", np.uint8, (NUM_PLAYERS, NUM_CARDS)),  # 1: the opponent knows that this card is held
    ("plays", np.uint64, (HAND_SIZE,)),  # of the seat to act: the places where each card may go, seen by that seat
    ("supply", np.uint8, (NUM_CARDS,)),  # lies in supply[supply_start:supply_end], the next card first
    ("supply_start", np.uint8),
    ("supply_end", np.uint8),
    ("discards", np.uint8, (NUM_CARDS,)),  # 1: the card is there
    ("mat_side", np.uint8, (NUM_MATS * len(MAT_SIDES),)),  # one-hot: HIGH, LOW; 0 once the mat is out
    ("mat_candies", np.uint8, (NUM_MATS * NUM_COLOURS,)),
    ("mat_cards", np.uint8, (NUM_MATS, NUM_PLAYERS, NUM_CARDS)),  # 1: the card lies there, by the seat whose side it is
    ("place_sum", np.uint64),  # of the values of the cards there
    ("place_needs", np.uint64, (NUM_COLOURS + 1,)),  # by colour: its candies less its cards; for WILD: cards
    ("bag", np.uint8, (NUM_CANDIES,)),  # colours, in the order they are drawn from bag_start on
    ("bag_start", np.uint8),
    ("bag_counts", np.uint8, (NUM_COLOURS,)),  # candies left in it
    ("candies", np.uint8, (NUM_PLAYERS, NUM_COLOURS)),  # won
    ("medals", np.uint8, (NUM_PLAYERS, NUM_COLOURS)),
)


# The setup


@kernel
def deal(table):
    stack_supply(table)
    fill_bag(table)
    for mat in range(NUM_MATS):
        lay_mat(table, mat)
    clear(table["discards"], 0, NUM_CARDS)
    for seat in range(NUM_PLAYERS):
        sit_down(table, seat)
    first = table["dictated"][STARTING_PLAYER_AT]
    table["dictated_used"] = 1
    start_turn(table, 0 if first == FREE else int(first))


@kernel
def stack_supply(table):
    """The dictated deck, or a shuffled one."""
    is_dictated = table["dictated"][DECK_AT] != FREE
    for i in range(NUM_CARDS):
        table["supply"][i] = table["dictated"][DECK_AT + i] if is_dictated else i
    table["supply_start"] = 0
    table["supply_end"] = NUM_CARDS
    if not is_dictated:
        table["chance"] = shuffle(table["supply"], NUM_CARDS, table["chance"])


@kernel
def fill_bag(table):
    """All candies, in the dictated order or a shuffled one."""
    copy(NUM_OF_COLOUR, 0, NUM_COLOURS, table["bag_counts"], 0)
    table["bag_start"] = 0
    if table["dictated"][CANDIES_AT] != FREE:
        copy(table["dictated"], CANDIES_AT, NUM_CANDIES, table["bag"], 0)
    else:
        copy(ALL_CANDIES, 0, NUM_CANDIES, table["bag"], 0)
        table["chance"] = shuffle(table["bag"], NUM_CANDIES, table["chance"])


@kernel
def lay_mat(table, mat):
    side = int(table["dictated"][MATS_AT + mat])
    if side == FREE:
        side, table["chance"] = below(table["chance"], len(MAT_SIDES))
    set_side(table, mat, side)
    clear(table["mat_candies"], mat * NUM_COLOURS, NUM_COLOURS)
    clear_mat(table, mat)
    fill_mat(table, mat)


@kernel
def sit_down(table, seat):
    """Nothing won, eight cards in hand."""
    for colour in range(NUM_COLOURS):
        table["candies"][seat, colour] = 0
        table["medals"][seat, colour] = 0
    clear(table["hand_known"][seat], 0, NUM_CARDS)
    table["hand_size"][seat] = 0
    for _ in range(HAND_SIZE):
        draw_card(table, seat)


# A turn


@inlined
def apply(table, action):
    seat = int(table["current_player"])
    if action < DISCARD:
        play(table, seat, action // PLACES, action // NUM_PLAYERS % NUM_MATS, seat ^ (action & 1))
    elif action < DRAW:
        discard_card(table, seat, action - DISCARD)
    else:
        redraw(table, seat)


@inlined
def start_turn(table, seat):
    """Asks `seat` for a play; if it has none, its hand is shown and it is asked what to discard."""
    table["current_player"] = seat
    table["discarded_now"] = 0
    if find_plays(table, seat):
        table["phase"] = PLAYING
    else:
        show_hand(table, seat)
        table["phase"] = DISCARDING


@inlined
def play(table, seat, card, mat, target):
    """`card` onto the side of `target`, a seat; then what follows, and the next turn."""
    take_from_hand(table, seat, card)
    put_on_mat(table, card, mat, target)
    next_seat = 1 - seat
    if is_full(table, mat):
        winner = score_mat(table, mat)
        if num_medals(table, winner) >= MEDALS_TO_WIN:
            finish(table, 1 << winner)
            return
        clear_mat(table, mat)
        set_side(table, mat, LOW if is_high(table, mat) else HIGH)
        fill_mat(table, mat)
        next_seat = 1 - winner
    draw_card(table, seat)
    start_turn(table, next_seat)


@kernel
def discard_card(table, seat, card):
    take_from_hand(table, seat, card)
    table["discards"][card] = 1
    table["discarded_now"] += 1


@kernel
def redraw(table, seat):
    """Ends the discard phase: as many cards as were discarded; a player who can play now must."""
    for _ in range(int(table["discarded_now"])):
        draw_card(table, seat)
    table["discarded_now"] = 0
    if find_plays(table, seat):
        table["phase"] = PLAYING
    else:
        show_hand(table, seat)
        start_turn(table, 1 - seat)


# Hands and supply


@kernel
def take_from_hand(table, seat, card):
    slot, last = 0, int(table["hand_size"][seat]) - 1
    for other in range(HAND_SIZE - 1, -1, -1):  # downwards: what lies beyond the last card may be one that has moved
        slot = other if table["hand"][seat, other] == card else slot
    table["hand"][seat, slot] = table["hand"][seat, last]
    table["hand_size"][seat] = last
    table["hand_known"][seat, card] = 0


@kernel
def draw_card(table, seat):
    """The top card of the supply, made anew if need be. There always is one: hands and mats hold 36 cards at most."""
    if table["supply_start"] == table["supply_end"]:
        renew_supply(table)
    start, size = int(table["supply_start"]), int(table["hand_size"][seat])
    table["hand"][seat, size] = table["supply"][start]
    table["hand_size"][seat] = size + 1
    table["supply_start"] = start + 1


@kernel
def renew_supply(table):
    """The discards become the supply. Every other card is in sight then, so each player knows the other's hand."""
    for seat in range(NUM_PLAYERS):
        show_hand(table, seat)
    is_dictated, size = table["dictated"][DECK_AT] != FREE, 0
    for i in range(NUM_CARDS):
        card = int(table["dictated"][DECK_AT + i]) if is_dictated else i
        table["supply"][size] = card  # the next one takes its place if it is no discard: no branch on chance
        size += int(table["discards"][card])
    clear(table["discards"], 0, NUM_CARDS)
    table["supply_start"] = 0
    table["supply_end"] = size
    if not is_dictated:
        table["chance"] = shuffle(table["supply"], size, table["chance"])
    table["dictated_used"] = 1


@kernel
def show_hand(table, seat):
    for slot in range(int(table["hand_size"][seat])):
        table["hand_known"][seat, int(table["hand"][seat, slot])] = 1


# Mats


@kernel
def set_side(table, mat, side):
    """HIGH or LOW up."""
    table["mat_side"][mat * len(MAT_SIDES) + HIGH] = side == HIGH
    table["mat_side"][mat * len(MAT_SIDES) + LOW] = side == LOW


@kernel
def is_high(table, mat):
    return table["mat_side"][mat * len(MAT_SIDES) + HIGH] > 0


@kernel
def put_on_mat(table, card, mat, target):
    colour, place = int(COLOUR_OF[card]), PLACE_SET[mat * NUM_PLAYERS + target]
    table["mat_cards"][mat, target, card] = 1
    table["place_sum"] += place * np.uint64(table["values"][card])
    table["place_needs"][colour] -= place * np.uint64(colour != WILD)
    table["place_needs"][WILD] -= place


@kernel
def is_full(table, mat):
    """Both sides of it."""
    return table["place_needs"][WILD] & (MAT_SET[mat] * ALL_BITS) == 0


@kernel
def score_mat(table, mat):
    """The candies of a full mat, and the medals they bring, to the winner; returns its seat."""
    is_first_higher = sum_at(table, mat, 0) > sum_at(table, mat, 1)
    winner = 0 if is_first_higher == is_high(table, mat) else 1
    pay_score(table, winner, (mat + 1) / NUM_CANDIES)
    pay_score(table, 1 - winner, -(mat + 1) / NUM_CANDIES)
    for colour in range(NUM_COLOURS):
        table["candies"][winner, colour] += table["mat_candies"][mat * NUM_COLOURS + colour]
        table["mat_candies"][mat * NUM_COLOURS + colour] = 0
        table["medals"][winner, colour] = table["candies"][winner, colour] >= MEDAL_AT[colour]
    return winner


@kernel
def sum_at(table, mat, seat):
    return byte_of(table["place_sum"], mat * NUM_PLAYERS + seat)


@kernel
def num_medals(table, seat):
    count = 0
    for colour in range(NUM_COLOURS):
        count += int(table["medals"][seat, colour])
    return count


@kernel
def clear_mat(table, mat):
    """The cards to the discards."""
    for seat in range(NUM_PLAYERS):
        for card in range(NUM_CARDS):
            table["discards"][card] |= table["mat_cards"][mat, seat, card]
        clear(table["mat_cards"][mat, seat], 0, NUM_CARDS)
    table["place_sum"] &= ~(MAT_SET[mat] * ALL_BITS)


@kernel
def fill_mat(table, mat):
    """Candies from the bag onto an empty mat, which is out if there are too few."""
    size, start, places = mat + 1, int(table["bag_start"]), MAT_SET[mat]
    if start + size > NUM_CANDIES:
        clear(table["mat_side"], mat * len(MAT_SIDES), len(MAT_SIDES))
        size = 0
    for colour in range(NUM_COLOURS + 1):
        table["place_needs"][colour] &= ~(places * ALL_BITS)
    table["place_needs"][WILD] |= places * np.uint64(size)
    for i in range(start, start + size):
        colour = int(table["bag"][i])
        table["mat_candies"][mat * NUM_COLOURS + colour] += 1
        table["place_needs"][colour] += places
        table["bag_counts"][colour] -= 1
    table["bag_start"] = start + size


# What may be done


@inlined
def legal_actions(table, mask):
    seat = int(table["current_player"])
    if table["phase"] == DISCARDING:
        for slot in range(int(table["hand_size"][seat])):
            mask[DISCARD + int(table["hand"][seat, slot])] = 1
        mask[DRAW] = 1
        return
    words = mask.view(np.uint64)  # one for each card: its PLACES actions
    for slot in range(HAND_SIZE):
        words[int(table["hand"][seat, slot])] = table["plays"][slot]


@inlined
def find_plays(table, seat):
    """Fills `plays` for `seat`, which holds HAND_SIZE cards; returns whether there is one."""
    is_open, drawing, found = open_places(table, seat), drawing_values(table), np.uint64(0)
    for slot in range(HAND_SIZE):
        plays = is_open & places_for(table, int(table["hand"][seat, slot]), drawing)
        table["plays"][slot] = seen_by(plays, seat)
        found |= plays
    return found != 0


@kernel
def open_places(table, seat):
    """The set of places with room where `seat` may play at all."""
    room = filled(table["place_needs"][WILD])
    own = room & PLACES_OF[seat]
    if table["open_sides"]:
        return room
    return own | (room & ~own & ~swap_sides(own))


@kernel
def places_for(table, card, drawing):
    """The set of places that take `card` by its colour and by its value."""
    needed = filled(table["place_needs"][int(COLOUR_OF[card])])
    return needed & filled(drawing ^ (np.uint64(table["values"][card]) * EVERY_PLACE))


@kernel
def drawing_values(table):
    """For each place the value that would fill both sides of its mat with equal sums if it came there, or NO_VALUE."""
    room, sums = table["place_needs"][WILD], table["place_sum"]
    is_last = EVERY_PLACE & ~filled(room ^ EVERY_PLACE) & ~filled(swap_sides(room))
    return minus(swap_sides(sums), sums) | ~(is_last * ALL_BITS)


# Words of eight places


@kernel
def filled(word):
    """The set of places that don't hold 0."""
    return ((((word & LOW_BITS) + LOW_BITS) | word) >> TOP_BIT) & EVERY_PLACE


@kernel
def swap_sides(word):
    """What lies on the other side of each mat."""
    return ((word & FIRST_SEAT) << BITS_OF_BYTE) | ((word >> BITS_OF_BYTE) & FIRST_SEAT)


@kernel
def seen_by(word, seat):
    """From the places of seat 0 and seat 1 to the side of `seat` and the opponent's: seat 1 sees all sides swapped."""
    shift = np.uint64(8 * seat)
    return ((word & FIRST_SEAT) << shift) | ((word & SECOND_SEAT) >> shift)


@kernel
def minus(one, other):
    """Byte by byte, modulo 256: a difference of sums below 0, at least −3 MAX_VALUE, is still no card's value."""
    return ((one | TOP_BITS) - (other & LOW_BITS)) ^ ((one ^ ~other) & TOP_BITS)


# What is seen


def features(parameters: Mapping[str, Any]) -> list[Feature]:
    max_sum = NUM_MATS * max(card_values(parameters))
    return [
        Feature("phase", (len(PHASE_NAMES),), note="one-hot: play, discard"),
        Feature("to_act", (NUM_PLAYERS,), note="one-hot, relative: the seat to act"),
        Feature("hand", (NUM_CARDS,), note="my cards"),
        Feature("opponent_known", (NUM_CARDS,), 1, True, "cards that I know the opponent to hold"),
        Feature("known_of_me", (NUM_CARDS,), 1, True, "cards that the opponent knows me to hold"),
        Feature("discards", (NUM_CARDS,), 1, True, "cards in the discard pile"),
        Feature("mat_cards", (NUM_MATS, NUM_PLAYERS, NUM_CARDS), note="cards on each mat, my side, the opponent's"),
        Feature("mat_candies", (NUM_MATS, NUM_COLOURS), NUM_MATS, note="candies on each mat, by colour"),
        Feature("mat_side", (NUM_MATS, len(MAT_SIDES)), note="one-hot: HIGH, LOW; 0 once the mat is out"),
        Feature("mat_sum", (NUM_MATS, NUM_PLAYERS), max(max_sum, 1), note="sum of the cards on each side"),
        Feature("mat_room", (NUM_MATS, NUM_PLAYERS), NUM_MATS, note="places free on each side"),
        Feature("candies", (NUM_PLAYERS, NUM_COLOURS), max(CANDIES), note="won by me, by the opponent"),
        Feature("medals", (NUM_PLAYERS, NUM_COLOURS), note="won by me, by the opponent"),
        Feature("bag", (NUM_COLOURS,), max(CANDIES), note="candies left in the bag, by colour"),
        Feature("supply", (1,), NUM_CARDS - NUM_PLAYERS * HAND_SIZE, note="cards left to draw"),
        Feature("opponent_hand", (1,), HAND_SIZE, note="cards in the opponent's hand"),
        Feature("discarded_now", (1,), HAND_SIZE, note="cards discarded so far in the discard phase"),
    ]


@inlined
def observe(table, seat, out):
    observe_turn(table, seat, out)
    at = observe_cards(table, seat, out, len(PHASE_NAMES) + NUM_PLAYERS)
    at = observe_mats(table, seat, out, at)
    at = observe_winnings(table, seat, out, at)
    copy(table["bag_counts"], 0, NUM_COLOURS, out, at)
    at += NUM_COLOURS
    out[at] = table["supply_end"] - table["supply_start"]
    out[at + 1] = table["hand_size"][1 - seat]
    if table["current_player"] >= 0:
        out[at + 2] = table["discarded_now"]


@inlined
def observe_turn(table, seat, out):
    """`phase` and `to_act`."""
    if table["current_player"] >= 0:
        out[int(table["phase"])] = 1
        out[len(PHASE_NAMES) + (seat ^ int(table["current_player"]))] = 1


@inlined
def observe_cards(table, seat, out, at):
    """`hand` to `mat_cards`; returns the place of the next field."""
    for slot in range(int(table["hand_size"][seat])):
        out[at + int(table["hand"][seat, slot])] = 1
    at += NUM_CARDS
    if table["recall"]:
        copy(table["hand_known"][1 - seat], 0, NUM_CARDS, out, at)
        copy(table["hand_known"][seat], 0, NUM_CARDS, out, at + NUM_CARDS)
        copy(table["discards"], 0, NUM_CARDS, out, at + 2 * NUM_CARDS)
        at += 3 * NUM_CARDS
    for mat in range(NUM_MATS):
        for side in range(NUM_PLAYERS):
            copy(table["mat_cards"][mat, seat ^ side], 0, NUM_CARDS, out, at)
            at += NUM_CARDS
    return at


@inlined
def observe_mats(table, seat, out, at):
    """`mat_candies` to `mat_room`; returns the place of the next field."""
    copy(table["mat_candies"], 0, NUM_MATS * NUM_COLOURS, out, at)
    at += NUM_MATS * NUM_COLOURS
    copy(table["mat_side"], 0, NUM_MATS * len(MAT_SIDES), out, at)
    at += NUM_MATS * len(MAT_SIDES)
    put_word(seen_by(table["place_sum"], seat), out, at)
    put_word(seen_by(table["place_needs"][WILD], seat), out, at + PLACES)
    return at + 2 * PLACES


@inlined
def observe_winnings(table, seat, out, at):
    """`candies` and `medals`; returns the place of the next field."""
    medals_at = at + NUM_PLAYERS * NUM_COLOURS
    for side in range(NUM_PLAYERS):
        copy(table["candies"][seat ^ side], 0, NUM_COLOURS, out, at + side * NUM_COLOURS)
        copy(table["medals"][seat ^ side], 0, NUM_COLOURS, out, medals_at + side * NUM_COLOURS)
    return medals_at + NUM_PLAYERS * NUM_COLOURS


# What a seat can't know


@kernel
def redeal_hidden(table, seat):
    """The supply, the bag, and what the opponent isn't known to hold. One who is asked for a play has one."""
    opponent = 1 - seat
    table["chance"] = reshuffle(table["bag"], int(table["bag_start"]), NUM_CANDIES, table["chance"])
    num_known = return_unknown(table, opponent)
    num_unknown, start = int(table["hand_size"][opponent]) - num_known, int(table["supply_start"])
    is_playing = table["current_player"] == opponent and table["phase"] == PLAYING
    if table["current_player"] != seat:
        for slot in range(HAND_SIZE):  # they told of the opponent's hand
            table["plays"][slot] = 0
    for _ in range(MOST_TRIES):
        table["chance"] = reshuffle(table["supply"], start, int(table["supply_end"]), table["chance"])
        copy(table["supply"], start, num_unknown, table["hand"][opponent], num_known)
        if not is_playing or find_plays(table, opponent):
            break
    table["supply_start"] = start + num_unknown
    clear(table["supply"], 0, start + num_unknown)


@kernel
def return_unknown(table, seat):
    """The cards that the opponent doesn't know `seat` to hold back onto the supply, off which they have come.

    Returns how many are left, which now are the first in the hand; the places of the others are free.
    """
    num_known, start = 0, int(table["supply_start"])
    for slot in range(int(table["hand_size"][seat])):
        card = int(table["hand"][seat, slot])
        if table["hand_known"][seat, card]:
            table["hand"][seat, num_known] = card
            num_known += 1
        else:
            start -= 1
            table["supply"][start] = card
    table["supply_start"] = start
    sort(table["hand"][seat], 0, num_known)
    clear(table["hand"][seat], num_known, HAND_SIZE - num_known)
    return num_known


# Parameters, options and texts


PARAMETERS = MappingProxyType(
    {
        "card_values": Integers(
            tuple(tuple(range(1, size + 1)) for size in CANDIES), 0, MAX_VALUE, CANDIES, "by colour"
        ),
        "wild_values": Integers(tuple(range(1, 10)), 0, MAX_VALUE, SUIT_SIZES[WILD], "of the wilds"),
        "open_sides": Flag(False, "the opponent's side may be played at any time"),
    }
)


def card_values(parameters: Mapping[str, Any]) -> list[int]:
    """The value of each card."""
    return [value for suit in (*parameters["card_values"], parameters["wild_values"]) for value in suit]


def setup(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"values": card_values(parameters)}


def read_options(options: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, list[list[int] | None]]:
    """The deck and what is dictated with it, then a row for each reshuffle. Deals after the first are not used."""
    read_cards = read_permutation(dict.fromkeys(range(NUM_CARDS), 1), _card_name)
    read_candies = read_permutation(dict(enumerate(CANDIES)), _colour_name)
    first: dict[str, list] = {}
    for name, read in (("deck", read_cards), ("candies", read_candies), ("mats", read_mats)):
        if name in options:
            first[name] = read_deals(name, options[name], read)[:1]
    if "starting_player" in options:
        first["starting_player"] = read_starting_players(options["starting_player"], NUM_PLAYERS)[:1]
    if "reshuffles" in options:
        first["deck"] = first.get("deck", [None]) + read_deals("reshuffles", options["reshuffles"], read_cards)
    return first


def read_mats(name: str, value: Any) -> list[int]:
    """The sides of the mats from words."""
    sides = read_sequence(name, value)
    if len(sides) != NUM_MATS or not all(isinstance(side, str) and side in MAT_SIDES for side in sides):
        raise ParameterError(f'{name} must be "high" or "low" for each of the {NUM_MATS} mats, not {value!r}')
    return [MAT_SIDES.index(side) for side in sides]


def _card_name(card: int) -> str:
    return f"{card} ({CARD_NAMES[card]})" if card < NUM_CARDS else f"{card} (no card)"


def _colour_name(colour: int) -> str:
    return f"{colour} ({COLOURS[colour]})" if colour < NUM_COLOURS else f"{colour} (no colour)"


def action_names(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    return ACTIONS


def to_text(seen: Mapping[str, np.ndarray], seat: int) -> str:
    phase = PHASE_NAMES[int(np.argmax(seen["phase"]))] if seen["phase"].any() else "over"
    to_act = f", player_{seat ^ int(np.argmax(seen['to_act']))} to act" if seen["to_act"].any() else ""
    lines = [f"Piñata, seen by player_{seat}: {phase}{to_act}"]
    if seen["discarded_now"][0]:
        lines[0] += f", {seen['discarded_now'][0]} discarded"
    lines += [_mat_text(seen, mat) for mat in range(NUM_MATS)]
    for side, player in enumerate((seat, 1 - seat)):
        medals = " ".join(np.array(COLOURS)[seen["medals"][side] > 0]) or "-"
        lines.append(f"  player_{player}: candies {_candies(seen['candies'][side])}; medals {medals}")
    lines.append(
        f"  bag {_candies(seen['bag'])}; supply {seen['supply'][0]}, opponent's hand {seen['opponent_hand'][0]}"
    )
    lines.append(f"  hand {_cards(seen['hand'])}")
    if "discards" in seen:
        lines.append(f"  known: opponent {_cards(seen['opponent_known'])}; of me {_cards(seen['known_of_me'])}")
        lines.append(f"  discards {_cards(seen['discards'])}")
    return "\n".join(lines)


def _mat_text(seen: Mapping[str, np.ndarray], mat: int) -> str:
    if not seen["mat_side"][mat].any():
        return f"  mat {mat + 1}: out"
    side = MAT_SIDES[int(np.argmax(seen["mat_side"][mat]))].upper()
    mine, theirs = (
        f"{_cards(seen['mat_cards'][mat, k])} (sum {seen['mat_sum'][mat, k]}, room {seen['mat_room'][mat, k]})"
        for k in range(NUM_PLAYERS)
    )
    return f"  mat {mat + 1} {side}, candies {_candies(seen['mat_candies'][mat])}: mine {mine}, opponent's {theirs}"


def _candies(counts: np.ndarray) -> str:
    return " ".join(f"{count}×{colour}" for count, colour in zip(counts, COLOURS) if count) or "-"


def _cards(flags: np.ndarray) -> str:
    return ", ".join(CARD_NAMES[card] for card in np.flatnonzero(flags)) or "-"


GAME = Game(
    name="pinata",
    title="Piñata",
    version=0,
    players=(NUM_PLAYERS, NUM_PLAYERS, NUM_PLAYERS),
    max_decisions=2000,
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
    options=("deck", "candies", "mats", "reshuffles", "starting_player"),
    read_options=read_options,
    to_text=to_text,
    page=__doc__ or "",
)
