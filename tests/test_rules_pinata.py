"""Piñata, clause by clause of its rules document: scripted deals, and what the text says must come of them.

A card is written as its colour's letter and its number: R1 to R13, B, G, P, Y, and W for the wilds; a candy as a
letter. "R5@2" plays R5 on one's own side of mat 2, "R5>2" on the opponent's, "-R5" discards
it, and "DRAW" is itself.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import sobremesa

SUITS = {"R": 13, "B": 11, "G": 9, "P": 7, "Y": 5, "W": 9}
COLOURS = "RBGPY"
CARDS = [f"{suit}{number}" for suit, size in SUITS.items() for number in range(1, size + 1)]
CANDIES = "".join(colour * SUITS[colour] for colour in COLOURS)
MEDAL_AT = {"R": 7, "B": 6, "G": 5, "P": 4, "Y": 3}
MAT_NUMBERS = (1, 2, 3, 4)
DISCARD, DRAW = 432, 486
ALL_ONES = {"card_values": [[1] * SUITS[colour] for colour in COLOURS], "wild_values": [1] * 9}
RECALLED = ("opponent_known", "known_of_me", "discards")

# Hands and candies of the scripted deals
LOW_HAND, HIGH_HAND = "R1 R2 R3 B1 B2 B3 G1 W1", "R11 R12 R13 B9 B10 B11 G9 W9"
HANDS = f"{LOW_HAND} | {HIGH_HAND}"
MATS = "R RB RBG RBGP"
RED_AND_BLUE = "R RB RBB RRBB"
BLOCKED, ALSO_BLOCKED = "Y1 Y2 Y3 Y4 Y5 P1 P2 P3", "P4 P5 P6 P7 G1 G2 G3 G4"  # where the mats are red and blue


def ids(cards: str) -> list[int]:
    return [CARDS.index(card) for card in cards.split()]


def action_id(word: str) -> int:
    if word == "DRAW":
        return DRAW
    if word[0] == "-":
        return DISCARD + CARDS.index(word[1:])
    card, side, mat = re.fullmatch(r"(\w+)([@>])(\d)", word).groups()
    return CARDS.index(card) * 8 + (int(mat) - 1) * 2 + "@>".index(side)


def action_word(action: int) -> str:
    if action == DRAW:
        return "DRAW"
    if action >= DISCARD:
        return f"-{CARDS[action - DISCARD]}"
    return f"{CARDS[action // 8]}{'@>'[action % 2]}{action // 2 % 4 + 1}"


def fill_up(given: list, components: list) -> list:
    """`given`, then the other components in their order."""
    spare = Counter(components) - Counter(given)
    return given + [component for component in components if spare[component] and not spare.subtract([component])]


def as_options(hands: str, draws: str = "", candies: str = MATS, mats: str = "high high high high") -> dict[str, Any]:
    """Both hands, the first cards of the supply, the first candies of the bag; the rest follows in rising order."""
    order = fill_up(list(candies.replace(" ", "")), list(CANDIES))
    return {
        "deck": fill_up(ids(hands.replace("|", " ") + " " + draws), list(range(54))),
        "candies": [COLOURS.index(colour) for colour in order],
        "mats": mats.split(),
    }


class Table:
    """A dictated game, played by words. `first`: who begins. Seats are absolute; checks are in both seats' eyes."""

    def __init__(self, *deal: str, first: int = 0, options: dict[str, Any] | None = None, **parameters: Any):
        self.tables = sobremesa.Tables("pinata", 1, seed=0, autoreset=False, **parameters)
        self.tables.reset(options={**as_options(*deal), "starting_player": first} if options is None else options)

    def copy(self) -> Table:
        twin = object.__new__(Table)
        twin.tables = self.tables.copy()
        return twin

    @property
    def to_act(self) -> int:
        return int(self.tables.current_player[0])

    @property
    def legal(self) -> list[str]:
        return [action_word(action) for action in np.flatnonzero(self.tables.legal_action_mask[0])]

    @property
    def rewards(self) -> list[float]:
        return self.tables.rewards[0].tolist()

    def play(self, words: str) -> Table:
        for word in words.split():
            self.tables.step([action_id(word)])
        return self

    def plays(self, mat: int) -> set[str]:
        """The legal plays on a mat, without its number."""
        return {word[:-1] for word in self.legal if re.fullmatch(rf"\w+[@>]{mat}", word)}

    def observe(self, seat: int) -> dict[str, np.ndarray]:
        return self.tables.game.decode(self.tables.observe(seat)[0], self.tables.parameters)

    def number(self, name: str, seat: int = 0) -> int:
        return int(self.observe(seat)[name][0])

    def cards(self, name: str, seat: int = 0) -> set[str]:
        """A field of all 54 cards."""
        return {CARDS[card] for card in np.flatnonzero(self.observe(seat)[name])}

    def cards_on_mats(self) -> set[str]:
        return {CARDS[card] for card in np.flatnonzero(self.observe(0)["mat_cards"].any(axis=(0, 1)))}

    def asks(self, seat: int, phase: str) -> Table:
        assert (self.tables.terminated[0], self.tables.truncated[0], self.to_act) == (False, False, seat)
        for eyes in (0, 1):
            seen = self.observe(eyes)
            assert seen["phase"].tolist() == [phase == "play", phase == "discard"]
            assert seen["to_act"].tolist() == [seat == eyes, seat != eyes]
        return self

    def ends(self, winners: list[int], rewards: list[float], truncated: bool = False) -> Table:
        assert (self.tables.terminated[0], self.tables.truncated[0], self.to_act) == (not truncated, truncated, -1)
        assert np.flatnonzero(self.tables.winners[0]).tolist() == winners
        assert self.rewards == pytest.approx(rewards, abs=1e-6)
        assert self.legal == []
        for eyes in (0, 1):
            seen = self.observe(eyes)
            assert not any(seen[name].any() for name in ("phase", "to_act", "discarded_now"))
        return self

    def holds(self, *hands: str) -> Table:
        for seat, hand in enumerate(hands):
            assert self.cards("hand", seat) == set(hand.split())
            assert self.number("opponent_hand", 1 - seat) == len(hand.split())
        return self

    def knows(self, of_seat_0: str, of_seat_1: str) -> Table:
        """What each seat's opponent knows of its hand."""
        for seat, known in enumerate((of_seat_0, of_seat_1)):
            assert self.cards("known_of_me", seat) == set(known.split())
            assert self.cards("opponent_known", 1 - seat) == set(known.split())
        return self

    def shows(self, **fields: Any) -> Table:
        """Cards and candies as text, in pairs for what each seat has won; numbers as they are."""
        for seat in (0, 1):
            seen = self.observe(seat)
            for name, value in fields.items():
                if name == "discards":
                    assert self.cards(name, seat) == set(value.split())
                elif name == "bag":
                    assert seen[name].tolist() == [value.count(colour) for colour in COLOURS]
                elif name in ("candies", "medals"):
                    won = [[text.count(colour) for colour in COLOURS] for text in value]
                    assert seen[name].tolist() == [won[seat], won[1 - seat]]
                else:
                    assert seen[name].tolist() == [value]
        return self

    def mat(self, mat: int, candies: str, side: str, cards: str = "|", sums: list[int] | None = None) -> Table:
        """What lies at a mat: its candies, its side, and each seat's cards, whose numbers add up to the sums."""
        lying = [text.split() for text in cards.split("|")]
        sums = sums or [sum(int(card[1:]) for card in side_cards) for side_cards in lying]
        for seat in (0, 1):
            seen = {name: field[mat - 1] for name, field in self.observe(seat).items() if name.startswith("mat_")}
            assert seen["mat_candies"].tolist() == [candies.count(colour) for colour in COLOURS]
            assert seen["mat_side"].tolist() == [side == "high", side == "low"]
            for relative, owner in enumerate((seat, 1 - seat)):
                assert {CARDS[card] for card in np.flatnonzero(seen["mat_cards"][relative])} == set(lying[owner])
                assert seen["mat_sum"][relative] == sums[owner]
                assert seen["mat_room"][relative] == (mat - len(lying[owner]) if candies else 0)
        return self


class Step(NamedTuple):
    """A decision in a random game, every deal dictated by `options`: the table before it, the word, the table after."""

    before: Table
    word: str
    after: Table
    options: dict[str, Any]
    num_reshuffles: int  # before it

    @property
    def num_draws(self) -> int:
        """How many cards it draws."""
        return self.before.number("discarded_now") if self.word == "DRAW" else int(self.word[0] != "-")


def random_steps(num_games: int, **parameters: Any) -> Iterator[Step]:
    """Who can't play mostly discards everything."""
    for seed in range(num_games):
        rng = random.Random(seed)
        options = {
            "deck": rng.sample(range(54), 54),
            "candies": [COLOURS.index(colour) for colour in rng.sample(CANDIES, 45)],
            "mats": rng.choices(["high", "low"], k=4),
            "reshuffles": [rng.sample(range(54), 54) for _ in range(40)],
        }
        table, num_reshuffles = Table(options=options, **{"max_decisions": 250, **parameters}), 0
        while table.to_act >= 0:
            discards = [word for word in table.legal if word[0] == "-"]
            word = rng.choice(discards if discards and rng.random() < 0.9 else table.legal)
            before, after = table, table.copy().play(word)
            step = Step(before, word, after, options, num_reshuffles)
            yield step
            num_reshuffles += after.to_act >= 0 and step.num_draws > before.number("supply")
            table = after


# Components and setup


def test_card_ids_run_through_the_colours():
    table = Table("R1 R13 B1 B11 G1 G9 P1 P7 | Y1 Y5 W1 W9 R2 R3 R4 R5")
    assert np.flatnonzero(table.observe(0)["hand"]).tolist() == [0, 12, 13, 23, 24, 32, 33, 39]
    assert np.flatnonzero(table.observe(1)["hand"]).tolist() == [1, 2, 3, 4, 40, 44, 45, 53]


@pytest.mark.parametrize("card", ["R1", "R13", "B11", "G9", "P7", "Y5", "W1", "W9"])
def test_the_default_values_are_the_numbers(card):
    mats = MATS.replace("R", card[0], 1) if card[0] != "W" else MATS
    Table(card, "", mats).play(f"{card}@1").mat(1, mats[0], "high", f"{card}|", [int(card[1:]), 0])


def test_other_values():
    values = [[63] * 13, list(range(11)), [0] * 9, [5] * 7, (9, 8, 7, 6, 5)]
    hands = "R1 R2 R3 R4 R5 R6 R7 R8 | W1 W2 B11 Y1 G1 G2 P1 P2"
    table = Table(hands, "", "B RP RBY RRRG", card_values=values, wild_values=[60, 61, *range(7)])
    table.play("R1@4 W1@4 R2@4 W2@4 R3@4 G1@4").mat(4, "RRRG", "high", "R1 R2 R3|W1 W2 G1", [189, 121])
    table.play("R4@2 P1@2 R5@3 B11@3").mat(2, "RP", "high", "R4|P1", [63, 5]).mat(3, "RBY", "high", "R5|B11", [63, 10])


def test_the_first_deal():
    table = Table(HANDS, "", MATS, "high low low high").asks(0, "play")
    table.holds(LOW_HAND, HIGH_HAND).knows("", "")
    table.shows(discards="", supply=38, discarded_now=0, candies=("", ""), medals=("", ""))
    for mat, candies, side in zip(MAT_NUMBERS, MATS.split(), ("high", "low", "low", "high")):
        table.mat(mat, candies, side)
    table.shows(bag="R" * 9 + "B" * 8 + "G" * 7 + "P" * 6 + "Y" * 5)


def test_mats_cards_and_candies_are_dealt_by_chance_and_seat_0_begins():
    tables = sobremesa.Tables("pinata", 400, seed=1)
    assert not tables.current_player.any()
    seen = tables.game.decode(tables.observe(0), tables.parameters)
    assert np.all(seen["mat_candies"].sum(axis=2) == MAT_NUMBERS)
    assert np.all(seen["mat_side"].sum(axis=2) == 1)
    assert np.all(abs(seen["mat_side"].mean(axis=0) - 0.5) < 0.1)
    assert np.all(abs(seen["hand"].mean(axis=0) - 8 / 54) < 0.1)
    expected = np.outer(MAT_NUMBERS, [SUITS[colour] / 45 for colour in COLOURS])
    assert np.all(abs(seen["mat_candies"].mean(axis=0) - expected) < 0.2)


# A turn: side


def test_a_play_goes_to_the_mat_then_a_card_is_drawn_and_the_turn_passes():
    table = Table(HANDS, "P7 P6").play("R1@2").asks(1, "play").mat(2, "RB", "high", "R1|").shows(supply=37)
    table.holds("R2 R3 B1 B2 B3 G1 W1 P7", HIGH_HAND).play("W9@3").asks(0, "play").shows(supply=36)
    table.mat(3, "RBG", "high", "|W9").holds("R2 R3 B1 B2 B3 G1 W1 P7", "R11 R12 R13 B9 B10 B11 G9 P6").knows("", "")


def test_own_side_until_it_is_full_then_the_opponents():
    table = Table(HANDS, "P7 P6 P5 P4")
    assert not [word for word in table.legal if ">" in word]
    assert table.plays(1) == {"R1@", "R2@", "R3@", "W1@"}
    table.play("R1@1 R11@2")
    assert table.plays(1) == {"R2>", "R3>"}
    assert not [word for word in table.legal if ">" in word and word[-1] != "1"]


def test_a_full_side_of_the_opponent_takes_no_card():
    table = Table(HANDS, "P7 P6 P5 P4", "R RB RBG RBGP").play("R1@2 R11@2 R2@3 B9@2")
    assert table.plays(2) == {"B1@", "B2@", "B3@", "W1@"}


def test_with_open_sides_the_opponents_side_may_be_played_at_any_time():
    table = Table(HANDS, "P7 P6 P5 P4", open_sides=True)
    assert table.plays(1) == {f"{card}{side}" for card in ("R1", "R2", "R3", "W1") for side in "@>"}
    assert table.plays(2) == {f"{card}{side}" for card in LOW_HAND.split() if card != "G1" for side in "@>"}
    table.play("R1>1").asks(1, "play").mat(1, "R", "high", "|R1")
    assert table.plays(1) == {"R11>", "R12>", "R13>", "W9>"}
    table.play("R11@2")
    assert table.plays(1) == {"R2@", "R3@"}  # the opponent's side is full, and W1 would tie


# A turn: colour


def test_a_colour_without_a_candy_is_refused_and_each_candy_admits_one_card():
    table = Table(HANDS, "P7 P6 P5 P4")
    assert table.plays(2) == {f"{card}@" for card in LOW_HAND.split() if card != "G1"}
    table.play("R1@2")
    assert table.plays(2) == {f"{card}@" for card in HIGH_HAND.split() if card != "G9"}  # the other side is another
    table.play("R11@3")
    assert table.plays(2) == {"B1@", "B2@", "B3@", "W1@"}


def test_two_candies_of_a_colour_admit_two_cards():
    table = Table(HANDS, "P7 P6 P5 P4", "R RB RRB RBGP").play("R1@3 R11@2")
    assert table.plays(3) == {"R2@", "R3@", "B1@", "B2@", "B3@", "W1@"}
    table.play("R2@3 B9@3")
    assert table.plays(3) == {"B1@", "B2@", "B3@", "W1@"}


def test_the_colour_counts_on_the_side_that_is_played():
    table = Table(HANDS, "P7 P6 P5 P4", "R RB RBG RBGP", "low low low low").play("R1@2 R11@2 B1@2 R12@1")
    assert table.plays(2) == {"B2>", "B3>", "W1>"}  # the opponent has a red card there, and no blue one


def test_a_wild_blocks_no_colour_and_fills_a_place():
    table = Table(HANDS, "W5 P6 P5 P4").play("W1@2 R11@3")
    assert table.plays(2) == {"R1@", "R2@", "R3@", "B1@", "B2@", "B3@", "W5@"}
    table.play("B1@2 B9@3")
    assert table.plays(2) == {"R1>", "R2>", "R3>", "B2>", "B3>", "W5>"}
    table.mat(2, "RB", "high", "W1 B1|")


def test_wilds_go_anywhere():
    table = Table(f"W1 W2 W3 W4 W5 W6 W7 W8 | {HIGH_HAND}", "P7 P6 P5 P4", "Y YY YYP PPPP")
    assert all(table.plays(mat) == {f"W{number}@" for number in range(1, 9)} for mat in MAT_NUMBERS)
    table.play("W1@2 W9@4")
    assert table.plays(2) == {f"W{number}@" for number in range(2, 9)}


# A turn: no draw


TIES = "R5 B1 W9 G5 G6 G7 G8 R9 | R4 W5 W4 W6 B2 W1 W2 B3"


def test_no_play_that_would_tie_a_mat():
    table = Table(TIES, "P7 P6 P5 P4").play("R5@1")
    assert table.plays(1) == {"R4@", "W4@", "W6@", "W1@", "W2@"}  # not W5
    assert "W5@2" in table.legal


def test_no_play_on_the_opponents_side_that_would_tie_a_mat():
    table = Table("R5 W5 W4 R6 B1 B2 B3 B4 | W1 W2 B9 B10 R11 R12 R13 G9", "P7 P6 P5 P4").play("R5@1 R11@2")
    assert table.plays(1) == {"R6>", "W4>"}


def test_no_tie_by_the_last_of_several_cards():
    table = Table(TIES, "P7 P6 P5 P4").play("R5@2 W5@2").mat(2, "RB", "high", "R5|W5")  # equal sums, but not full
    table.play("B1@2")
    assert table.plays(2) == {"R4@", "W4@", "W6@", "B2@", "W2@", "B3@"}  # 5 + 1 = W5 + W1


def test_equal_sums_are_no_tie_while_one_side_has_room():
    table = Table(TIES, "P7 P6 P5 P4").play("R5@2 W2@2 G5@3 B3@2").mat(2, "RB", "high", "R5|W2 B3").asks(0, "play")
    assert table.plays(2) == {"B1@", "W9@"}


def test_with_equal_values_nobody_can_fill_a_mat():
    table = Table(HANDS, "P7 P6 P5 P4", **ALL_ONES).play("R1@1")
    assert table.plays(1) == set()
    table.play("R11@2")
    assert table.plays(1) == set()


# No legal play


def test_blocked_at_the_reset():
    table = Table(f"{BLOCKED} | {HIGH_HAND}", "", RED_AND_BLUE).asks(0, "discard").knows(BLOCKED, "")
    assert table.legal == ["-P1", "-P2", "-P3", "-Y1", "-Y2", "-Y3", "-Y4", "-Y5", "DRAW"]
    table.holds(BLOCKED, HIGH_HAND).shows(supply=38, discards="", discarded_now=0)


def test_who_is_asked_for_a_play_holds_one_in_every_world():
    """Where the mats take red cards only, one hidden hand in 25 would have neither a red card nor a wild."""
    table = Table("R1 R2 R3 R4 R5 R6 R7 R8 | R9 B1 B2 B3 B4 B5 B6 B7", "", "R RR RRR RRRR", first=1).asks(1, "play")
    playable = set(ids(" ".join(card for card in CARDS if card[0] in "RW")))
    for seed in range(300):
        tables = table.tables.copy()
        tables.redeal_hidden(0, seed)
        assert playable & set(tables.state["hand"][0, 1].tolist()), "a hand that could not play"


def test_the_second_seat_blocked_at_the_reset():
    Table(f"{HIGH_HAND} | {BLOCKED}", "", RED_AND_BLUE, first=1).asks(1, "discard").knows("", BLOCKED)


def test_blocked_by_the_opponents_play():
    table = Table(f"{HIGH_HAND} | {BLOCKED}", "", RED_AND_BLUE).asks(0, "play").knows("", "")
    table.play("R11@1").asks(1, "discard").knows("", BLOCKED)


def test_discards_lie_there_at_once_and_draw_takes_as_many():
    table = Table(f"{BLOCKED} | {HIGH_HAND}", "R1 R2 R3 R4", RED_AND_BLUE).play("-Y1 -P1").asks(0, "discard")
    table.shows(discards="Y1 P1", discarded_now=2, supply=38).holds("Y2 Y3 Y4 Y5 P2 P3", HIGH_HAND)
    assert table.knows("Y2 Y3 Y4 Y5 P2 P3", "").legal == ["-P2", "-P3", "-Y2", "-Y3", "-Y4", "-Y5", "DRAW"]
    table.play("DRAW").asks(0, "play").shows(discards="Y1 P1", discarded_now=0, supply=36)
    table.holds("Y2 Y3 Y4 Y5 P2 P3 R1 R2", HIGH_HAND).knows("Y2 Y3 Y4 Y5 P2 P3", "")


def test_who_can_play_now_must_and_draws_after_it():
    table = Table(f"{BLOCKED} | {HIGH_HAND}", "R1 R2 R3 R4", RED_AND_BLUE).play("-Y1 -P1 DRAW")
    assert table.legal == ["R1@1", "R1@2", "R1@3", "R1@4", "R2@1", "R2@2", "R2@3", "R2@4"]
    table.play("R2@4").asks(1, "play").holds("Y2 Y3 Y4 Y5 P2 P3 R1 R3", HIGH_HAND).shows(supply=35)
    table.knows("Y2 Y3 Y4 Y5 P2 P3", "")


def test_draw_with_nothing_discarded_passes_the_turn():
    table = Table(f"{BLOCKED} | {HIGH_HAND}", "", RED_AND_BLUE).play("DRAW").asks(1, "play").knows(BLOCKED, "")
    table.holds(BLOCKED, HIGH_HAND).shows(supply=38, discards="", discarded_now=0)


def test_still_blocked_after_drawing_shows_the_hand_again():
    table = Table(f"{BLOCKED} | {HIGH_HAND}", "P4 G1", RED_AND_BLUE).play("-Y1 -Y2").knows("Y3 Y4 Y5 P1 P2 P3", "")
    table.play("DRAW").asks(1, "play").knows("Y3 Y4 Y5 P1 P2 P3 P4 G1", "").shows(supply=36, discards="Y1 Y2")


@pytest.mark.parametrize(
    ("drawn", "phase", "known"), [("P3", "discard", "Y1 Y2 Y3 Y4 Y5 P1 P2 P3"), ("R4", "play", "")]
)
def test_who_is_on_turn_twice_draws_before_being_blocked(drawn, phase, known):
    table = Table(f"R1 R2 Y1 Y2 Y3 Y4 Y5 P1 | {HIGH_HAND}", f"P2 R3 {drawn}", f"{RED_AND_BLUE} R")
    table.play("R1@1 R11@2 R2>1").asks(0, phase).holds(f"Y1 Y2 Y3 Y4 Y5 P1 P2 {drawn}").knows(known, "")


def test_all_eight_discarded():
    table = Table(f"{BLOCKED} | {HIGH_HAND}", LOW_HAND, RED_AND_BLUE).play(" ".join(f"-{c}" for c in BLOCKED.split()))
    assert table.asks(0, "discard").legal == ["DRAW"]
    table.holds("", HIGH_HAND).knows("", "").shows(discarded_now=8, discards=BLOCKED, supply=38)
    table.play("DRAW").asks(0, "play").holds(LOW_HAND, HIGH_HAND).knows("", "").shows(discarded_now=0, supply=30)


def test_both_blocked_in_the_same_step():
    table = Table(f"{BLOCKED} | {ALSO_BLOCKED}", "G5 G6", RED_AND_BLUE).asks(0, "discard").knows(BLOCKED, "")
    table.play("-P1 DRAW").asks(1, "discard").knows(BLOCKED.replace("P1", "G5"), ALSO_BLOCKED)
    table.shows(discarded_now=0, supply=37, discards="P1")
    table.play("-G1 -P4 DRAW").asks(1, "play").knows(BLOCKED.replace("P1", "G5"), "P5 P6 P7 G2 G3 G4")
    table.holds(BLOCKED.replace("P1", "G5"), "P5 P6 P7 G2 G3 G4 G6 R1")


def test_refusing_to_discard_goes_on_until_the_truncation():
    table = Table(f"{BLOCKED} | {ALSO_BLOCKED}", "", RED_AND_BLUE, max_decisions=5)
    for number in range(4):
        table.asks(number % 2, "discard").play("DRAW")
    table.asks(0, "discard").play("DRAW").ends([], [0, 0], truncated=True).holds(BLOCKED, ALSO_BLOCKED)


def test_a_shown_card_is_known_until_it_is_played():
    """Seat 1 fills both sides of mat 1, which then has a yellow candy for seat 0."""
    table = Table(f"{BLOCKED} | {HIGH_HAND}", "R5 R6 R7 R8", f"{RED_AND_BLUE} Y").play("DRAW R11@1 DRAW R12>1")
    table.asks(1, "play").mat(1, "Y", "low").shows(candies=("R", "")).knows(BLOCKED, "").play("R13@2").asks(0, "play")
    table.knows(BLOCKED, "").play("Y1@1").holds(BLOCKED.replace("Y1", "R8"), "B9 B10 B11 G9 W9 R5 R6 R7")
    table.knows("Y2 Y3 Y4 Y5 P1 P2 P3", "").play("B9@3 Y2>1").knows("Y3 Y4 Y5 P1 P2 P3", "")  # R8 never is


# The supply made anew


def in_order(order: list[int], cards: set[str]) -> list[str]:
    return [CARDS[card] for card in order if CARDS[card] in cards]


def test_an_empty_supply_is_made_anew_when_a_card_is_drawn_for_a_play():
    made = 0
    for step in random_steps(12):
        before, after, seat = step.before, step.after, step.before.to_act
        if before.number("supply") or step.num_draws == 0 or step.word == "DRAW" or after.to_act < 0:
            continue
        card = re.split("[@>]", step.word)[0]
        hand, opponents = before.cards("hand", seat) - {card}, before.cards("hand", 1 - seat)
        order = in_order(
            step.options["reshuffles"][step.num_reshuffles], set(CARDS) - hand - opponents - after.cards_on_mats()
        )
        assert after.cards("hand", seat) == hand | {order[0]}
        after.shows(supply=len(order) - 1, discards="")
        if after.observe(0)["phase"][0]:  # else the next player's hand is shown
            assert after.cards("known_of_me", seat) == hand
        assert after.cards("known_of_me", 1 - seat) == opponents
        made += 1
    assert made > 10


def test_a_supply_made_anew_is_drawn_in_the_dictated_order():
    checked = 0
    for step in random_steps(12):
        if step.num_reshuffles and step.word[0] not in "-D" and step.before.number("supply") and step.after.to_act >= 0:
            seat, in_sight = step.before.to_act, step.before.cards("discards") | step.before.cards_on_mats()
            in_sight |= step.before.cards("hand", 0) | step.before.cards("hand", 1)
            order = in_order(step.options["reshuffles"][step.num_reshuffles - 1], set(CARDS) - in_sight)
            assert len(order) == step.before.number("supply")
            assert order[0] in step.after.cards("hand", seat)
            checked += 1
    assert checked > 100


def test_the_supply_made_anew_in_the_middle_of_a_draw():
    """What is drawn before is known to both, what is drawn after isn't; the cards just discarded are among them."""
    made, blocked = 0, 0
    for step in random_steps(10, max_decisions=200, **{**ALL_ONES, "wild_values": [1] * 8 + [2]}):
        before, after, seat = step.before, step.after, step.before.to_act
        num_left = before.number("supply")
        if step.word != "DRAW" or not 0 < num_left < step.num_draws or after.to_act < 0:
            continue
        hand, opponents = before.cards("hand", seat), before.cards("hand", 1 - seat)
        discards = before.cards("discards")
        left = set(CARDS) - hand - opponents - discards - before.cards_on_mats()
        assert len(left) == num_left
        order = in_order(step.options["reshuffles"][step.num_reshuffles], discards)
        num_new = step.num_draws - num_left
        assert after.cards("hand", seat) == hand | left | set(order[:num_new])
        after.shows(supply=len(order) - num_new, discards="")
        assert after.cards("known_of_me", 1 - seat) == opponents
        is_blocked = after.to_act != seat
        assert after.cards("known_of_me", seat) == (after.cards("hand", seat) if is_blocked else hand | left)
        made += not is_blocked
        blocked += is_blocked
    assert made > 0
    assert blocked > 0


def test_a_supply_drawn_to_its_last_card_is_empty_for_a_while():
    emptied = 0
    for step in random_steps(12):
        if 0 < step.num_draws == step.before.number("supply") and step.after.to_act >= 0:
            assert step.before.cards("discards") <= step.after.cards("discards")
            step.after.shows(supply=0)
            emptied += 1
    assert emptied > 10


def test_without_reshuffles_the_supply_is_made_anew_by_chance():
    """The same dictated game at many tables, which differ in their seeds alone."""
    tables = sobremesa.Tables("pinata", 100, seed=0)
    tables.reset(options=as_options(HANDS, "", MATS))
    while tables.game.decode(tables.observation, tables.parameters)["supply"].any():
        assert np.all(tables.observation == tables.observation[0])
        tables.step(np.full(100, tables.legal_action_mask[0].argmax()))
    before = tables.game.decode(tables.observation.copy(), tables.parameters)
    seat = int(tables.current_player[0])
    action = tables.legal_action_mask[0].argmax()
    tables.step(np.full(100, action))
    after = tables.game.decode(tables.observe(seat), tables.parameters)
    drawn = (after["hand"] > before["hand"]).argmax(axis=1)
    was_on_a_mat, is_on_a_mat = (seen["mat_cards"][0].any(axis=(0, 1)) for seen in (before, after))
    could_be = np.flatnonzero(before["discards"][0] | (was_on_a_mat & ~is_on_a_mat))
    assert action < DISCARD
    assert set(drawn) <= set(could_be)
    assert len(set(drawn)) > len(could_be) / 2


def test_a_reshuffle_that_was_not_needed_is_not_the_next_games_deck():
    options = {**as_options(HANDS), "reshuffles": [list(range(54))]}
    tables = sobremesa.Tables("pinata", 50, seed=0, max_decisions=1)
    tables.reset(options=options)
    tables.step(tables.legal_action_mask.argmax(axis=1))
    hands = tables.game.decode(tables.observe(0), tables.parameters)["hand"]
    assert tables.truncated.all()
    assert len(np.unique(hands, axis=0)) == 50


# Scoring a mat


def test_the_higher_sum_wins_on_high_and_the_loser_is_next():
    table = Table(HANDS, "P7 P6", f"{MATS} Y", "high low low low").play("R1@1 R11@1").asks(0, "play")
    table.shows(candies=("", "R"), discards="R1 R11", supply=36).mat(1, "Y", "low")
    table.holds("R2 R3 B1 B2 B3 G1 W1 P7", "R12 R13 B9 B10 B11 G9 W9 P6").knows("", "")


def test_the_lower_sum_wins_on_low_and_the_loser_is_on_turn_twice():
    table = Table(HANDS, "P7 P6", f"{MATS} Y", "low high high high").play("R1@1 R11@1").asks(1, "play")
    table.shows(candies=("R", ""), discards="R1 R11").mat(1, "Y", "high").play("R12@2").asks(0, "play")


def test_a_player_who_fills_the_opponents_side_and_loses_is_on_turn_twice():
    table = Table(HANDS, "P7 P6 P5 P4", f"{MATS} Y").play("R1@1 R11@2").asks(0, "play").play("R2>1")
    table.asks(0, "play").shows(candies=("", "R")).mat(1, "Y", "low").holds("R3 B1 B2 B3 G1 W1 P7 P5")


def test_a_player_who_fills_the_opponents_side_and_wins_passes_the_turn():
    table = Table(HANDS, "P7 P6 P5 P4", f"{MATS} Y", "low low low low").play("R1@1 R11@2 R2>1")
    table.asks(1, "play").shows(candies=("R", ""))


def test_a_larger_mat_is_scored_when_both_sides_are_full():
    table = Table(HANDS, "P7 P6 P5 P4 P3", f"{MATS} YG").play("R1@2 R11@2 B3@2").shows(candies=("", ""))
    table.mat(2, "RB", "high", "R1 B3|R11").play("B9@2").shows(candies=("", "RB"), discards="R1 B3 R11 B9")
    table.mat(2, "YG", "low").asks(0, "play")


def test_mats_are_filled_from_the_bag_or_leave_the_game():
    filled, left = Counter(), Counter()
    for step in random_steps(25):
        mat = int(step.word[-1]) if step.word[-1].isdigit() and step.word[0] != "-" else 0
        was, now = (table.observe(0) for table in (step.before, step.after))
        is_scored = now["candies"].sum() > was["candies"].sum()
        if not is_scored or step.after.to_act < 0:
            assert np.array_equal(was["bag"], now["bag"])
            assert np.array_equal(was["mat_candies"], now["mat_candies"]) or step.after.to_act < 0
            continue
        num_left = int(was["bag"].sum())
        if num_left >= mat:
            drawn = "".join(COLOURS[colour] for colour in step.options["candies"][45 - num_left :][:mat])
            step.after.mat(mat, drawn, "low" if was["mat_side"][mat - 1][0] else "high")
            assert (was["bag"] - now["bag"]).tolist() == [drawn.count(colour) for colour in COLOURS]
            filled[mat] += 1
        else:
            step.after.mat(mat, "", "")
            assert np.array_equal(was["bag"], now["bag"])
            left[mat] += 1
    assert set(filled) == set(MAT_NUMBERS)
    assert {2, 3, 4} <= set(left)


def test_a_mat_that_has_left_the_game_takes_no_card():
    out = 0
    for step in random_steps(12, open_sides=True):
        for mat in MAT_NUMBERS:
            if step.after.to_act >= 0 and not step.after.observe(0)["mat_side"][mat - 1].any():
                assert step.after.mat(mat, "", "").plays(mat) == set()
                out += 1
    assert out > 20


# Medals and the end

THREE_MEDALS = (
    "Y5 Y1 Y2 G9 G8 G7 P7 P6 | Y4 Y3 W9 G1 G2 G3 P1 P2",
    "P5 P3 W2 P4 G4 G6 W3 G5",
    "Y YY GGG PPPP R GG RRR RRRR",
    "high low high high",
)
TO_YELLOW = "Y5@1 Y4@1 Y3@2 Y1@2 W9@2 Y2@2"
TO_PINK = "G1@3 G9@3 G2@3 G8@3 G3@3 G7@3 P1@4 P7@4 P2@4 P6@4 P3@4 P5@4 W2@4 P4@4"
TO_GREEN = "G4@2 G6@2 W3@2 G5@2"
NUM_DECISIONS = 24


def test_medals_and_the_step_in_which_the_third_ends_the_game():
    table = Table(*THREE_MEDALS).play("Y5@1 Y4@1").shows(candies=("Y", ""), medals=("", ""))
    table.play(TO_YELLOW[10:]).shows(candies=("YYY", ""), medals=("Y", "")).asks(1, "play")
    table.play(TO_PINK).shows(candies=("YYYGGGPPPP", ""), medals=("YP", "")).asks(1, "play")
    assert table.rewards == [0, 0]
    table.play(TO_GREEN[:-5]).mat(2, "GG", "high", "G6|G4 W3").asks(0, "play")
    discards, supply, hands = table.cards("discards"), table.number("supply"), [table.cards("hand", s) for s in (0, 1)]
    table.play("G5@2").ends([0], [1, -1]).shows(candies=("YYYGGGGGPPPP", ""), medals=("YGP", ""))
    table.mat(2, "", "high", "G6 G5|G4 W3").shows(discards=" ".join(discards), supply=supply)
    table.holds(" ".join(hands[0] - {"G5"}), " ".join(hands[1]))
    table.shows(bag="R" * 5 + "B" * 11 + "G" * 4 + "P" * 3 + "Y" * 2)


def test_the_score_is_paid_for_each_mat():
    table, paid = Table(*THREE_MEDALS, reward="score"), []
    for word in f"{TO_YELLOW} {TO_PINK} {TO_GREEN}".split():
        table.play(word)
        paid += [table.rewards] if any(table.rewards) else []
    assert np.array(paid) * 45 == pytest.approx(np.array([[1, -1], [2, -2], [3, -3], [4, -4], [2, -2]]))
    table.ends([0], [2 / 45, -2 / 45])


def test_the_score_goes_to_the_winner_of_the_scoring_whoever_played():
    table = Table(HANDS, "", MATS, reward="score").play("R1@1 R11@2")
    assert table.rewards == [0, 0]
    assert table.play("R2>1").rewards == pytest.approx([-1 / 45, 1 / 45])


def test_medals_are_won_at_their_numbers_of_candies_and_end_the_game_at_three():
    at_the_end = Counter()
    for step in random_steps(15):
        seen = step.after.observe(0)
        assert np.array_equal(seen["medals"], seen["candies"] >= list(MEDAL_AT.values()))
        most = seen["medals"].sum(axis=1).max()
        assert (most >= 3) == step.after.tables.terminated[0]
        at_the_end[int(most)] += step.after.to_act < 0
    assert at_the_end[3] > 10


def test_the_last_decision_may_end_the_game():
    words = f"{TO_YELLOW} {TO_PINK} {TO_GREEN}"
    Table(*THREE_MEDALS, max_decisions=NUM_DECISIONS).play(words).ends([0], [1, -1])
    Table(*THREE_MEDALS, max_decisions=NUM_DECISIONS - 1).play(words[:-5]).ends([], [0, 0], truncated=True)


def test_a_truncated_score_pays_nothing_more():
    words = f"{TO_YELLOW} {TO_PINK} {TO_GREEN}"
    table = Table(*THREE_MEDALS, reward="score", max_decisions=NUM_DECISIONS - 1).play(words[:-5])
    table.ends([], [0, 0], truncated=True).mat(2, "GG", "high", "G6|G4 W3")


def test_truncation_on_a_step_that_blocks_the_next_player():
    table = Table(f"{HIGH_HAND} | {BLOCKED}", "G1", RED_AND_BLUE, max_decisions=1).play("R11@1")
    table.ends([], [0, 0], truncated=True).knows("", BLOCKED).mat(1, "R", "high", "R11|").shows(supply=37)
    table.holds("R12 R13 B9 B10 B11 G9 W9 G1", BLOCKED)


def test_truncation_in_the_discard_phase():
    table = Table(f"{BLOCKED} | {HIGH_HAND}", "", RED_AND_BLUE, max_decisions=2).play("-Y1 -Y2")
    table.ends([], [0, 0], truncated=True).shows(discards="Y1 Y2", supply=38)
    table.holds("Y3 Y4 Y5 P1 P2 P3", HIGH_HAND).knows("Y3 Y4 Y5 P1 P2 P3", "")


# Actions, observations and texts


def test_action_ids():
    tables = sobremesa.Tables("pinata")
    assert tables.num_actions == 487
    assert tables.action_to_string(0) == "PLAY red 1 on mat 1, my side"
    assert tables.action_to_string(5 * 8 + 2 * 2 + 1) == "PLAY red 6 on mat 3, the opponent's side"
    assert tables.action_to_string(431) == "PLAY wild 9 on mat 4, the opponent's side"
    assert tables.action_to_string(432 + 13) == "DISCARD blue 1"
    assert tables.action_to_string(486) == "DRAW"
    assert len(set(tables.action_names)) == 487


def test_fields_of_an_observation():
    shapes = {
        "phase": (2,), "to_act": (2,), "hand": (54,), "opponent_known": (54,), "known_of_me": (54,), "discards": (54,),
        "mat_cards": (4, 2, 54), "mat_candies": (4, 5), "mat_side": (4, 2), "mat_sum": (4, 2), "mat_room": (4, 2),
        "candies": (2, 5), "medals": (2, 5), "bag": (5,), "supply": (1,), "opponent_hand": (1,), "discarded_now": (1,),
    }  # fmt: skip
    fields = sobremesa.Tables("pinata").observation_fields
    assert list(fields) == list(shapes)
    assert {name: field.shape for name, field in fields.items()} == shapes
    without = sobremesa.Tables("pinata", recall=False).observation_fields
    assert list(without) == [name for name in shapes if name not in RECALLED]
    maxima = {name: field.maximum for name, field in fields.items() if field.maximum > 1}
    assert maxima == {
        "mat_candies": 4, "mat_sum": 52, "mat_room": 4, "candies": 13, "bag": 13,
        "supply": 38, "opponent_hand": 8, "discarded_now": 8,
    }  # fmt: skip


@pytest.mark.parametrize(("value", "maximum"), [(63, 252), (0, 1)])
def test_the_largest_sum_follows_from_the_values(value, maximum):
    values = [[value] * SUITS[colour] for colour in COLOURS]
    tables = sobremesa.Tables("pinata", card_values=values, wild_values=[value] * 9)
    assert tables.observation_fields["mat_sum"].maximum == maximum


def test_without_recall_the_other_fields_are_the_same():
    table, without = (Table(*THREE_MEDALS, recall=recall) for recall in (True, False))
    for word in f"{TO_YELLOW} {TO_PINK} {TO_GREEN}".split():
        for seat in (0, 1):
            seen, seen_without = table.observe(seat), without.observe(seat)
            assert all(np.array_equal(seen[name], field) for name, field in seen_without.items())
            assert not set(RECALLED) & set(seen_without)
        table.play(word)
        without.play(word)


def test_a_table_as_text():
    table = Table(f"{BLOCKED} | {HIGH_HAND}", "", RED_AND_BLUE, "high low low low").play("-Y1")
    mine, theirs = (table.tables.to_text(0, seat) for seat in (0, 1))
    assert "discard, player_0 to act, 1 discarded" in mine
    assert "mat 1 HIGH, candies 1×red: mine - (sum 0, room 1)" in mine
    assert "hand pink 1, pink 2, pink 3, yellow 2" in mine
    assert "hand red 11" in theirs
    assert "known: opponent pink 1, pink 2, pink 3, yellow 2, yellow 3, yellow 4, yellow 5; of me -" in theirs
    assert "discards yellow 1" in theirs
    assert "red 11" not in mine


def test_the_end_and_a_mat_that_is_out_as_text():
    for step in random_steps(3):
        text, sides = step.after.tables.to_text(0), step.after.observe(0)["mat_side"]
        assert text.count(": out") == 4 - sides.sum()
        assert (": over" in text) == (step.after.to_act < 0)


# Options


def test_each_option_alone_leaves_the_rest_to_chance():
    deal = as_options(HANDS, "", MATS, "high low low high")
    for name in deal:
        tables = sobremesa.Tables("pinata", 30, seed=1)
        tables.reset(options={name: deal[name]})
        seen = tables.game.decode(tables.observe(0), tables.parameters)
        parts = {"deck": seen["hand"], "candies": seen["mat_candies"], "mats": seen["mat_side"]}
        expected = Table(HANDS, "", MATS, "high low low high").observe(0)
        assert np.all(parts[name] == expected[{"deck": "hand", "candies": "mat_candies", "mats": "mat_side"}[name]])
        for other in set(parts) - {name}:
            assert len(np.unique(parts[other], axis=0)) > 10


def test_starting_player():
    for first in (0, 1):
        assert Table(options={"starting_player": first}).to_act == first
    assert Table(options={}).to_act == 0


def test_only_the_first_of_several_decks_is_dealt():
    deal = as_options(HANDS)
    several = {name: [deal[name], deal[name][::-1]] for name in ("deck", "candies")}
    table = Table(options={**several, "mats": deal["mats"], "starting_player": [1, 0]}).asks(1, "play")
    table.holds(LOW_HAND, HIGH_HAND).mat(4, "RBGP", "high")
    several["deck"][1] = several["deck"][1][1:]
    with pytest.raises(sobremesa.ParameterError, match=r"deck\[1\] .* missing"):
        Table(options=several)


ALL_CARDS, ALL_CANDIES = list(range(54)), [COLOURS.index(colour) for colour in CANDIES]
BAD_OPTIONS = [
    ({"deck": ALL_CARDS[1:]}, "missing: 1 × 0 .red 1."),
    ({"deck": [*ALL_CARDS[:-1], 0]}, "missing: 1 × 53 .wild 9.; too many: 1 × 0 .red 1."),
    ({"deck": [*ALL_CARDS[:-1], 54]}, "too many: 1 × 54"),
    ({"deck": [*ALL_CARDS[:-1], -1]}, "deck"),
    ({"deck": []}, "deck"),
    ({"deck": None}, "deck"),
    ({"deck": "high"}, "deck"),
    ({"candies": ALL_CANDIES[1:]}, "missing: 1 × 0 .red."),
    ({"candies": [*ALL_CANDIES[:-1], 0]}, "missing: 1 × 4 .yellow.; too many: 1 × 0 .red."),
    ({"candies": [*ALL_CANDIES[:-1], 5]}, "too many: 1 × 5"),
    ({"candies": []}, "candies"),
    ({"mats": ["high", "low", "high"]}, "mats"),
    ({"mats": ["high", "low", "high", "low", "low"]}, "mats"),
    ({"mats": ["high", "low", "high", "up"]}, "'up'"),
    ({"mats": ["high", "low", "high", None]}, "mats"),
    ({"mats": [0, 1, 0, 1]}, "mats"),
    ({"mats": "high"}, "mats"),
    ({"reshuffles": [ALL_CARDS, ALL_CARDS[1:]]}, r"reshuffles\[1\] .* missing: 1 × 0 .red 1."),
    ({"reshuffles": [ALL_CARDS, None]}, "reshuffles"),
    ({"reshuffles": []}, "reshuffles"),
    ({"starting_player": 2}, "starting_player must be an integer from 0 to 1, not 2"),
    ({"starting_player": [0, 2]}, r"starting_player\[1\] must be an integer from 0 to 1, not 2"),
    ({"starting_player": []}, "starting_player"),
    ({"starting_player": None}, "starting_player"),
    ({"bag": ALL_CANDIES}, "no option 'bag'; its options: deck, candies, mats, reshuffles, starting_player"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS, ids=lambda value: str(value)[:40])
def test_bad_options_are_refused_and_change_nothing(options, message):
    table = Table(HANDS).play("R1@1")
    before = table.tables.state.copy()
    with pytest.raises(sobremesa.ParameterError, match=message):
        table.tables.reset(options=options)
    assert table.tables.state.tobytes() == before.tobytes()
    table.play("R11@1").shows(candies=("", "R"))


# Parameters

SUIT_VALUES = [[1] * SUITS[colour] for colour in COLOURS]
BAD_PARAMETERS = [
    ({"num_players": 1}, "num_players must be an integer from 2 to 2, not 1"),
    ({"num_players": 3}, "num_players"),
    ({"card_values": SUIT_VALUES[1:]}, "card_values must have 5 entries, not 4"),
    ({"card_values": [*SUIT_VALUES, [1] * 9]}, "card_values must have 5 entries, not 6"),
    ({"card_values": [1] * 45}, "card_values must have 5 entries, not 45"),
    ({"card_values": [1] * 5}, r"card_values\[0\] must be a sequence, not 1"),
    ({"card_values": SUIT_VALUES[::-1]}, r"card_values\[0\] must have 13 entries, not 5"),
    ({"card_values": [*SUIT_VALUES[:4], [1, 1, 1, 1, 64]]}, r"card_values\[4\]\[4\] .* from 0 to 63, not 64"),
    ({"card_values": [*SUIT_VALUES[:4], [1, 1, 1, 1, -1]]}, r"card_values\[4\]\[4\]"),
    ({"card_values": [*SUIT_VALUES[:4], [1, 1, 1, 1, True]]}, r"card_values\[4\]\[4\]"),
    ({"card_values": [*SUIT_VALUES[:4], [1, 1, 1, 1, 1.0]]}, r"card_values\[4\]\[4\]"),
    ({"card_values": None}, "card_values must be a sequence"),
    ({"wild_values": [1] * 8}, "wild_values must have 9 entries, not 8"),
    ({"wild_values": [*[1] * 8, 64]}, r"wild_values\[8\] must be an integer from 0 to 63, not 64"),
    ({"open_sides": 1}, "open_sides must be True or False, not 1"),
    ({"max_decisions": 0}, "max_decisions"),
    ({"reward": "candies"}, "reward"),
    ({"medals_to_win": 2}, "no parameter 'medals_to_win'"),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=lambda value: str(value)[:40])
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(sobremesa.ParameterError, match=message):
        sobremesa.Tables("pinata", **parameters)


def test_values_may_be_arrays():
    values = [np.full(SUITS[colour], 2) for colour in COLOURS]
    tables = sobremesa.Tables("pinata", card_values=values, wild_values=np.arange(9))
    assert tables.parameters["card_values"] == tuple((2,) * SUITS[colour] for colour in COLOURS)
    assert tables.parameters["wild_values"] == tuple(range(9))
