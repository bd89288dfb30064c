"""Friegas Tú, clause by clause of its rules document: scripted deals, and what the text says must come of them.

Hands are written seat by seat with bars between them, then, behind a double bar, the first cards of the draw pile: pots
by value, S (Skip), L (Landlord), V (Visitors), P (Party). The cards that aren't named follow, lowest codes first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sobremesa
import support

CODES = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "S": 6, "L": 7, "V": 8, "P": 9}
POT_COUNTS = (11, 11, 11, 11, 10)
SPECIAL_COUNTS = (5, 2, 1, 2)
ONES = (54, 0, 0, 0, 0)
VALUES = range(1, 6)
CELLS = [(row, column) for row in range(7) for column in range(7)]
PHASES = ("turn", "reaction", "take")
SEAT_FIELDS = ("cards_in_hand", "exempt", "points")
NAMED = ("PLAY_SKIP", "PLAY_LANDLORD", "PLAY_VISITORS", "PLAY_PARTY", "WASH", "DECLINE")
ACTIONS = (
    *(f"PLACE {value} at row {row}, column {column}" for value in VALUES for row, column in CELLS),
    *NAMED,
    *(f"TAKE {value}" for value in VALUES),
)

# Actions as words: "3@2,4" places a 3 at row 2, column 4, "T3" takes a 3; and what a seat is asked, as the words of the
# legal actions in the order of their ids, where a value alone stands for its places
WORDS = {"S": 245, "L": 246, "V": 247, "P": 248, "W": 249, "D": 250, **{f"T{value}": 250 + value for value in VALUES}}
REACTION = "S D"


def cards(text: str) -> list[int]:
    return [CODES[word] for word in text.replace("|", " ").split()]


def stack(text: str, pot_counts: tuple[int, ...]) -> list[int]:
    """A whole deck: the cards named, then the others."""
    named = cards(text)
    counts = np.array((0, *pot_counts, *SPECIAL_COUNTS)) - np.bincount(named, minlength=10)
    return named + np.repeat(np.arange(10), counts).tolist()


def count(size: int, text: str, first: int = 1) -> list[int]:
    """How many there are of each code from `first` on."""
    return [cards(text).count(code) for code in range(first, first + size)]


def action(word: str) -> int:
    if "@" not in word:
        return WORDS[word]
    value, cell = word.split("@")
    row, column = map(int, cell.split(","))
    return (int(value) - 1) * 49 + row * 7 + column


class Match:
    """A game of dictated deals, played by words. `first`: who begins, a seat or one for each round.

    The hands of the first deal tell `num_players` and `hand_size`.
    """

    def __init__(self, *deals: str, first: Any = 0, pot_counts: tuple[int, ...] = POT_COUNTS, **parameters: Any):
        hands = deals[0].split("||")[0].split("|")
        facts = {"num_players": len(hands), "hand_size": len(hands[0].split()), "pot_counts": pot_counts, **parameters}
        self.tables = sobremesa.Tables("friegas_tu", 1, autoreset=False, **facts)
        decks = [stack(deal, pot_counts) for deal in deals]
        self.tables.reset(options={"deck": decks, "starting_player": first})
        self.num_players = self.tables.num_players

    def leave(self, hands: list[str], washed: list[str] | None = None, points: list[int] | None = None) -> Match:
        """Changes the table: these hands, washed piles and points of rounds before, and an empty draw pile."""
        record = self.tables.state[0]
        record["deck_start"] = 64
        for seat, hand in enumerate(hands):
            record["hand"][seat] = [0, *count(9, hand)]
            record["cards_in_hand"][seat] = len(hand.split())
        for seat, pile in enumerate(washed or []):
            record["washed"][seat] = [0, *count(5, pile)]
            record["num_washed"][seat] = len(pile.split())
        for seat, number in enumerate(points or []):
            record["points"][seat] = number
        self.tables.refresh()
        return self

    @property
    def legal(self) -> str:
        found = np.flatnonzero(self.tables.legal_action_mask[0]).tolist()
        places = dict.fromkeys(str(a // 49 + 1) for a in found if a < 245)
        return " ".join([*places, *(word for word, a in WORDS.items() if a in found)])

    @property
    def rewards(self) -> list[float]:
        return self.tables.rewards[0].tolist()

    def places(self, value: int) -> list[tuple[int, int]]:
        """The cells, (row, column), where the seat to act may place such a pot."""
        mask = self.tables.legal_action_mask[0]
        return [cell for i, cell in enumerate(CELLS) if mask[(value - 1) * 49 + i]]

    def play(self, words: str) -> Match:
        for word in words.split():
            self.tables.step([action(word)])
        return self

    def observe(self, seat: int) -> dict[str, list[int]]:
        """The fields that `seat` sees, by name, flat."""
        seen = self.tables.game.decode(self.tables.observe(seat)[0], self.tables.parameters)
        return {name: entries.ravel().tolist() for name, entries in seen.items()}

    def encode(self, name: str, value: Any, seat: int) -> list[int]:
        """A field as `seat` must see it. Seats are given absolute, cards as text, the sink as it was played."""
        if name in SEAT_FIELDS:
            return value[seat:] + value[:seat]
        if name == "hand":
            return count(9, value[seat])
        if name == "washed":
            return [number for pile in value[seat:] + value[:seat] for number in count(5, pile)]
        if name == "active_seat":
            return [int((seat + distance) % self.num_players == value) for distance in range(self.num_players)]
        if name == "phase":
            is_asked = seat == self.tables.current_player[0]
            seen = "take" if value == "reaction" and not is_asked else value
            return [int(phase == seen) for phase in PHASES]
        if name == "resolving":
            return [int(value == card) for card in "LV"]
        if name == "discards":
            return count(4, value, 6)
        if name == "sink":
            return self.encode_sink(value)
        return [value]

    def encode_sink(self, pots: str) -> list[int]:
        sink = [0] * 49
        for pot in pots.split():
            sink[action(pot) % 49] = int(pot[0])
        return sink

    def shows(self, **fields: Any) -> Match:
        """Checks these fields in the eyes of every seat."""
        for seat in range(self.num_players):
            seen = self.observe(seat)
            for name, value in fields.items():
                assert seen[name] == self.encode(name, value, seat), f"{name} as seat {seat} sees it"
        return self

    def asks(self, seat: int, legal: str, turn_of: int | None = None) -> Match:
        """Checks that the game goes on, who is asked and what, and that every seat sees so."""
        assert (self.tables.terminated[0], self.tables.truncated[0]) == (False, False)
        assert (self.tables.current_player[0], self.legal) == (seat, legal)
        phase = "reaction" if legal == REACTION else "take" if legal[0] == "T" else "turn"
        if phase == "turn":
            return self.shows(phase=phase, active_seat=seat, resolving="", exempt=[0] * self.num_players)
        return self.shows(phase=phase, active_seat=turn_of, pots_due=0)

    def ends(self, winners: list[int], rewards: list[float] | None = None, truncated: bool = False) -> Match:
        """Checks that the game is over, how, and that nothing of a phase is left to be seen."""
        assert (self.tables.terminated[0], self.tables.truncated[0]) == (not truncated, truncated)
        assert (self.tables.current_player[0], self.legal) == (-1, "")
        assert np.flatnonzero(self.tables.winners[0]).tolist() == winners
        if rewards is not None:
            assert self.rewards == pytest.approx(rewards, abs=1e-6)
        return self.shows(phase="", pots_due=0, resolving="", exempt=[0] * self.num_players)


# The sheet's examples


def test_example_of_a_tie_at_the_end_of_the_round():
    """Two washed cards each, {5, 2} and {5, 4}: the seat with sum 7 takes what is left in the sink."""
    match = Match("1 1 | 1 1 | 1 1", num_rounds=1).leave(["1", "1", "1"], ["5 2", "5 4", "1 1 1"])
    match.play("1@3,3 1@3,4").asks(2, "1 W").play("1@3,5")
    match.ends([1]).shows(washed=["5 2 1 1 1", "5 4", "1 1 1"], points=[5, 2, 3], sink="")


def test_example_of_a_party():
    """A plays Party; B places two, then draws; C skips; D can't place and washes, and starts the new sink."""
    match = Match("P 1 1 | 3 3 2 | S 1 1 | 5 5 5").play("P").asks(1, "2 3").shows(party=1, pots_due=2, draw_pile=51)
    match.play("3@3,3").asks(1, "2 3 W").shows(party=1, pots_due=1, draw_pile=51, cards_in_hand=[3, 2, 3, 3])
    match.play("3@3,4").asks(2, "1 S W").shows(party=1, pots_due=2, draw_pile=49, cards_in_hand=[3, 3, 3, 3])
    match.play("S").asks(3, "W").shows(party=1, pots_due=2)
    match.play("W").asks(3, "5").shows(party=0, pots_due=1, sink="", washed=["", "", "", "3 3"])
    match.play("5@3,3").asks(0, "1 W").shows(party=0, pots_due=1, discards="P S", cards_in_hand=[3, 3, 3, 3])


def test_example_of_a_second_party_in_hand():
    """Party on, a pot and the second Party in hand, draw pile empty: two pots are due; after the pot only WASH."""
    match = Match("P 1 | 1 1 | 1 1").leave(["P", "2 P", "1"]).play("P").asks(1, "2").shows(pots_due=2, party=1)
    match.play("2@3,3").asks(1, "W").shows(pots_due=1, party=1)
    match.play("W").asks(1, "P").shows(pots_due=1, party=0, washed=["", "2", ""], sink="")
    match.play("P").asks(2, "1").shows(pots_due=1, party=1, discards="P P")


def test_example_of_a_full_sink():
    """A full 4 by 4 sink of 1s has no room for another: the player must play a special card or wash."""
    snake = "3,3 3,2 3,1 3,0 2,0 2,1 2,2 2,3 1,3 1,2 1,1 1,0 0,0 0,1 0,2 0,3"
    match = Match("1 S | 1 1", pot_counts=ONES).play(" ".join(f"1@{cell}" for cell in snake.split()))
    match.asks(0, "S W").play("S").asks(1, "W").play("W").asks(1, "1")
    match.shows(washed=["", "1 " * 16], sink="", pots_due=1)


# Components and parameters


def test_default_deck():
    """54 pots (11, 11, 11, 11, 10), 5 Skips, 2 Landlords, 1 Visitors and 2 Parties: 64 cards."""
    tables = sobremesa.Tables("friegas_tu", 20, seed=3)
    counts = np.stack([np.bincount(deck, minlength=10) for deck in tables.state["deck"]])
    assert (counts == [0, 11, 11, 11, 11, 10, 5, 2, 1, 2]).all()
    assert len({deck.tobytes() for deck in tables.state["deck"]}) == 20


def test_defaults_of_parameters():
    """Four players, three rounds, hands by the number of players, 5000 decisions."""
    assert sobremesa.Tables("friegas_tu").parameters == {
        "num_players": 4,
        "pot_counts": (11, 11, 11, 11, 10),
        "num_rounds": 3,
        "hand_size": None,
        "refill_size": None,
        "max_decisions": 5000,
        "reward": "outcome",
        "recall": True,
    }


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"num_players": 1}, "num_players must be an integer from 2 to 8, not 1"),
        ({"num_players": 9}, "num_players must be an integer from 2 to 8, not 9"),
        ({"num_players": 2.0}, "num_players must be an integer from 2 to 8, not 2.0"),
        ({"pot_counts": (54, 0, 0, 0)}, "pot_counts must have 5 entries, not 4"),
        ({"pot_counts": (54, 0, 0, 0, 0, 0)}, "pot_counts must have 5 entries, not 6"),
        ({"pot_counts": 54}, "pot_counts must be a sequence, not 54"),
        ({"pot_counts": (55, 0, 0, 0, 0)}, r"pot_counts\[0\] must be an integer from 0 to 54, not 55"),
        ({"pot_counts": (54, 1, -1, 0, 0)}, r"pot_counts\[2\] must be an integer from 0 to 54, not -1"),
        ({"pot_counts": (53.5, 0, 0, 0, 0)}, r"pot_counts\[0\] must be an integer from 0 to 54, not 53.5"),
        ({"pot_counts": (11, 11, 11, 11, 9)}, r"pot_counts must sum to 54, not 53: \(11, 11, 11, 11, 9\)"),
        ({"pot_counts": (11, 11, 11, 11, 11)}, "pot_counts must sum to 54, not 55"),
        ({"num_rounds": 0}, "num_rounds must be an integer from 1 to 4, not 0"),
        ({"num_rounds": 5}, "num_rounds must be an integer from 1 to 4, not 5"),
        ({"num_rounds": None}, "num_rounds must be an integer from 1 to 4, not None"),
        ({"hand_size": 1}, "hand_size must be an integer from 2 to 8, not 1"),
        ({"hand_size": 9}, "hand_size must be an integer from 2 to 8, not 9"),
        ({"hand_size": 0}, "hand_size must be an integer from 2 to 8, not 0"),
        ({"refill_size": 1}, "refill_size must be an integer from 2 to 8, not 1"),
        ({"refill_size": 9}, "refill_size must be an integer from 2 to 8, not 9"),
        ({"refill_size": True}, "refill_size must be an integer from 2 to 8, not True"),
        ({"max_decisions": 0}, "max_decisions must be an integer from 1 to .*, not 0"),
        ({"reward": "points"}, "reward must be one of .*, not 'points'"),
        ({"recall": 1}, "recall must be True or False, not 1"),
        ({"hand": 3}, "no parameter 'hand'; its parameters: num_players, pot_counts, num_rounds, hand_size"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    """Each parameter has its range; the error names the value and what would be right."""
    with pytest.raises(sobremesa.ParameterError, match=message):
        sobremesa.Tables("friegas_tu", **parameters)


# The round


def test_hands_are_dealt_in_blocks():
    """Seat 0 gets the first block of the deck, seat 1 the next, and so on; the rest is the draw pile."""
    match = Match("1 2 3 | 4 5 S | L V P || 5 4", refill_size=4).shows(hand=["1 2 3", "4 5 S", "L V P"], draw_pile=55)
    match.play("1@3,3").shows(hand=["2 3 5 4", "4 5 S", "L V P"], draw_pile=53)


@pytest.mark.parametrize(("num_players", "hand_size"), [(2, 5), (3, 3), (4, 3), (5, 3), (6, 3), (7, 3), (8, 3)])
def test_default_hands(num_players, hand_size):
    """Five cards with two players, three with more; a hand is refilled to the size that was dealt."""
    match = Match("1" + " | 1" * (num_players - 1), hand_size=None)
    match.shows(cards_in_hand=[hand_size] * num_players, draw_pile=64 - num_players * hand_size)
    match.play("1@3,3").shows(cards_in_hand=[hand_size] * num_players, draw_pile=63 - num_players * hand_size)


@pytest.mark.parametrize("num_players", range(2, 9))
@pytest.mark.parametrize("hand_size", range(2, 9))
def test_every_hand_size_with_every_number_of_players(num_players, hand_size):
    """All hands are dealt in full; eight hands of eight leave an empty draw pile. Every round comes to its end."""
    tables = sobremesa.Tables(
        "friegas_tu", 4, seed=5, autoreset=False, num_players=num_players, hand_size=hand_size, num_rounds=1
    )
    seen = tables.game.decode(tables.observe(0), tables.parameters)
    assert (seen["cards_in_hand"] == hand_size).all()
    assert (seen["draw_pile"] == 64 - num_players * hand_size).all()
    tables.play_random(200)
    assert tables.terminated.all()
    assert (tables.game.decode(tables.observe(0), tables.parameters)["points"].sum(axis=1) == 54).all()


def test_a_refill_size_below_the_hand_size():
    """`refill_size=3` with two players plays the sheet's words: hands shrink to three before cards are drawn."""
    match = Match("1 1 1 1 1 | 2 2 2 2 2 || 3 4", refill_size=3).play("1@3,3 2@3,4")
    match.shows(cards_in_hand=[4, 4], draw_pile=54).play("1@3,2 2@4,3").shows(cards_in_hand=[3, 3], draw_pile=54)
    match.play("1@2,3").shows(hand=["1 1 3", "2 2 2"], draw_pile=53)


def test_a_refill_size_above_the_hand_size():
    """Hands grow to it at the end of each player's first turn."""
    match = Match("1 1 | 2 2 || 3 4 5 3 4 5 3", refill_size=5).play("1@3,3").shows(hand=["1 3 4 5 3", "2 2"])
    match.play("2@3,4").shows(hand=["1 3 4 5 3", "2 4 5 3 1"], draw_pile=52)


def test_a_round_starts_anew():
    """Each round starts with an empty sink, empty piles, no party and no discards, and seat 0 begins it."""
    tables = sobremesa.Tables("friegas_tu", autoreset=False, num_players=3)
    rounds_left = 2
    tables.reset(seed=1, options={"starting_player": 2})
    assert tables.current_player[0] == 2
    for _ in range(400):
        tables.play_random(1)
        seen = tables.game.decode(tables.observe(0)[0], tables.parameters)
        if tables.current_player[0] < 0:
            break
        if seen["rounds_left"][0] < rounds_left:
            rounds_left = seen["rounds_left"][0]
            assert tables.current_player[0] == 0
            assert not any(seen[name].any() for name in ("sink", "washed", "party", "discards", "resolving", "exempt"))
            assert (seen["cards_in_hand"].tolist(), seen["draw_pile"][0]) == ([3, 3, 3], 55)
            assert (seen["points"].sum(), seen["pots_due"][0]) == (54 * (2 - rounds_left), 1)
    assert (rounds_left, tables.terminated[0]) == (0, True)


def test_a_game_after_a_truncated_one_starts_anew():
    """Nothing is left of a party, a wash being resolved, piles and points, when the table deals anew by itself."""
    tables = sobremesa.Tables("friegas_tu", 1, num_players=3, max_decisions=7)
    tables.reset(options={"deck": stack("P L 1 | S 1 1 | 1 1 1", POT_COUNTS), "starting_player": 0})
    tables.state["points"] = 9
    for word in ["P", "1@3,3", "1@3,4", "1@3,5", "1@2,3", "L", "S"]:
        assert not tables.truncated[0]
        tables.step([action(word)])
    assert (tables.truncated[0], tables.current_player[0]) == (True, 0)
    seen = tables.game.decode(tables.observe(0)[0], tables.parameters)
    for name in ("sink", "washed", "party", "discards", "resolving", "exempt", "points"):
        assert not seen[name].any(), name
    assert (seen["phase"].tolist(), seen["pots_due"][0], seen["rounds_left"][0]) == ([1, 0, 0], 1, 2)
    assert (seen["cards_in_hand"].tolist(), seen["draw_pile"][0]) == ([3, 3, 3], 55)


def test_starting_player():
    """Whoever begins, play goes clockwise."""
    match = Match("1 1 | 1 1 | 1 1", first=1).asks(1, "1").play("1@3,3").asks(2, "1 W").play("1@3,4")
    match.asks(0, "1 W").play("1@3,5").asks(1, "1 W")


def test_seats_without_cards_take_no_turns():
    """The next seat with cards plays, the same again if it is the only one."""
    match = Match("1 1 | 1 1 | 1 1 | 1 1").leave(["1 1", "", "", "1 1"]).play("1@3,3").asks(3, "1 W")
    match.play("1@3,4").asks(0, "1 W").play("1@3,5").asks(3, "1 W")
    Match("1 1 | 1 1 | 1 1").leave(["1 1", "", ""]).play("1@3,3").asks(0, "1 W").shows(pots_due=1)


def test_the_round_ends_when_no_seat_has_a_card():
    """Not before: the last seat with cards plays them all."""
    match = Match("1 1 | 1 1 | 1 1", "2 2 | 1 1 | 1 1", num_rounds=2).leave(["1", "1 1", ""]).play("1@3,3 1@3,4")
    match.asks(1, "1 W").shows(rounds_left=1).play("1@3,5").asks(0, "2").shows(rounds_left=0, points=[0, 0, 3])


def test_the_round_ends_after_the_takes_of_the_last_card():
    """A Landlord as the very last card: the sink is taken first."""
    match = Match("1 1 | 1 1 | 1 1", num_rounds=1).leave(["1", "2", "L"]).play("1@3,3 2@3,4 L")
    match.asks(0, "T1 T2", turn_of=2).play("T2").asks(1, "T1", turn_of=2).play("T1")
    match.ends([2]).shows(points=[1, 1, 0], washed=["2", "1", ""])


def test_the_round_goes_on_while_the_draw_pile_refills_a_hand():
    """Whoever plays the last card of all hands draws, and has cards again."""
    match = Match("1 1 | 1 1").leave(["1", ""])
    match.tables.state["deck_start"] = 63
    match.play("1@3,3").shows(rounds_left=2, draw_pile=0, cards_in_hand=[1, 0])
    assert match.tables.current_player[0] == 0


# The sink


def test_the_first_pot_goes_to_the_centre():
    """Any pot, and nowhere else."""
    match = Match("1 2 3 4 5 | 1 1 1 1 1").asks(0, "1 2 3 4 5")
    assert [match.places(value) for value in VALUES] == [[(3, 3)]] * 5


def test_a_pot_touches_another_orthogonally():
    """The four cells beside a single pot, none of those across."""
    match = Match("1 1 | 1 1").play("1@3,3")
    assert match.places(1) == [(2, 3), (3, 2), (3, 4), (4, 3)]


def test_a_pot_touches_any_card_of_the_sink():
    """Beside either of two, on an empty cell."""
    match = Match("1 1 | 1 1").play("1@3,3 1@3,4")
    assert match.places(1) == [(2, 3), (2, 4), (3, 2), (3, 5), (4, 3), (4, 4)]


@pytest.mark.parametrize(("down", "right"), [(-1, 0), (1, 0), (0, -1), (0, 1)])
def test_the_box_grows_to_four_in_any_direction(down, right):
    """Four in a line from the centre on reach the grid's edge; neither end goes on, both sides do."""
    line = [(3 + i * down, 3 + i * right) for i in range(4)]
    match = Match("1 1 | 1 1", pot_counts=ONES).play(" ".join(f"1@{row},{column}" for row, column in line))
    across = [(row + side * right, column + side * down) for row, column in line for side in (-1, 1)]
    assert match.places(1) == sorted(across)


def test_the_box_of_all_cards_counts():
    """A box of three rows by four columns grows by a row, above or below, and by no column."""
    match = Match("1 1 | 1 1", pot_counts=ONES).play("1@3,3 1@3,4 1@3,5 1@4,5 1@5,5 1@5,6")
    assert match.places(1) == [(2, 3), (2, 4), (2, 5), (3, 6), (4, 3), (4, 4), (4, 6), (5, 4), (6, 5), (6, 6)]
    match.play("1@2,5")
    assert match.places(1) == [(2, 3), (2, 4), (2, 6), (3, 6), (4, 3), (4, 4), (4, 6), (5, 4)]


@pytest.mark.parametrize("value", VALUES)
def test_a_row_sums_to_seven_at_most(value):
    """7 is allowed, 8 isn't: into a row with a 3 and a 2 only 1 and 2 go."""
    match = Match("3 1 1 1 1 | 2 1 1 1 1 | 1 2 3 4 5").play("3@3,3 2@3,4")
    in_row = [(3, 2), (3, 5)] if value <= 2 else []
    above_3, above_2 = [(2, 3), (4, 3)] if value <= 4 else [], [(2, 4), (4, 4)]
    assert match.places(value) == sorted(in_row + above_3 + above_2)


@pytest.mark.parametrize("value", VALUES)
def test_a_column_sums_to_seven_at_most(value):
    """The same, turned."""
    match = Match("3 1 1 1 1 | 2 1 1 1 1 | 1 2 3 4 5").play("3@3,3 2@4,3")
    in_column = [(2, 3), (5, 3)] if value <= 2 else []
    beside_3, beside_2 = [(3, 2), (3, 4)] if value <= 4 else [], [(4, 2), (4, 4)]
    assert match.places(value) == sorted(in_column + beside_3 + beside_2)


def test_gaps_do_not_split_a_row():
    """A 4 and, beyond a gap, a 3 fill the row: a 4 doesn't go there, and after the 3 nothing goes into the gap."""
    match = Match("4 1 3 4 | 1 1 4 1").play("4@3,3 1@2,3 1@2,4 1@2,5").asks(0, "1 3 4 W")
    assert (3, 5) in match.places(3)
    assert (3, 5) not in match.places(4)
    match.play("3@3,5")
    assert (3, 4) not in match.places(1)
    assert (4, 3) in match.places(1)


def test_gaps_do_not_split_a_column():
    """The same, turned."""
    match = Match("4 1 3 4 | 1 1 4 1").play("4@3,3 1@3,2 1@4,2 1@5,2").asks(0, "1 3 4 W")
    assert (5, 3) in match.places(3)
    assert (5, 3) not in match.places(4)
    match.play("3@5,3")
    assert (4, 3) not in match.places(1)
    assert (3, 4) in match.places(1)


def may_be_placed(value: int, row: int, column: int, sink: dict[tuple[int, int], int]) -> bool:
    """The rule's words, one after the other."""
    if not sink:
        return (row, column) == (3, 3)
    if (row, column) in sink:
        return False
    if not any(cell in sink for cell in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))):
        return False
    rows, columns = {row, *(r for r, _ in sink)}, {column, *(c for _, c in sink)}
    if max(rows) - min(rows) >= 4 or max(columns) - min(columns) >= 4:
        return False
    row_sum = sum(pot for (r, _), pot in sink.items() if r == row)
    column_sum = sum(pot for (_, c), pot in sink.items() if c == column)
    return row_sum + value <= 7 and column_sum + value <= 7


def legal_by_the_words(seen: dict[str, np.ndarray]) -> list[int]:
    """What the seat to act may do, from its observation: every one of the 245 placements is tried."""
    sink = {cell: int(value) for cell, value in zip(CELLS, seen["sink"].ravel()) if value}
    if seen["phase"][1]:
        return [245, 250]
    if seen["phase"][2]:
        return [250 + value for value in VALUES if value in sink.values()]
    hand = [code for code in range(1, 10) if seen["hand"][code - 1]]
    legal = [
        (value - 1) * 49 + row * 7 + column
        for value in VALUES
        for row, column in CELLS
        if value in hand and may_be_placed(value, row, column, sink)
    ]
    legal += [245 + card - 6 for card in hand if card >= 6 and not (card == 9 and seen["party"][0])]
    return [*legal, 249] if sink or not legal else legal


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"num_players": 2, "pot_counts": (27, 27, 0, 0, 0)},
        {"num_players": 8, "hand_size": 8},
        {"num_players": 3, "hand_size": 8, "refill_size": 2, "pot_counts": (40, 8, 3, 2, 1)},
    ],
)
def test_legal_actions_at_every_decision_of_random_games(parameters):
    """Against the words of the rules; half of the games wash only if they must, which fills the sinks."""
    tables = sobremesa.Tables("friegas_tu", 40, seed=8, autoreset=False, num_rounds=1, **parameters)
    rng, fullest = np.random.default_rng(8), 0
    while (tables.current_player >= 0).any():
        running = np.flatnonzero(tables.current_player >= 0)
        seen = tables.game.decode(tables.observation, tables.parameters)
        for i in running:
            expected = legal_by_the_words({name: entries[i] for name, entries in seen.items()})
            assert np.flatnonzero(tables.legal_action_mask[i]).tolist() == expected
        fullest = max(fullest, (seen["sink"] > 0).sum(axis=(1, 2)).max())
        mask = tables.legal_action_mask.copy()
        mask[:20, 249] &= mask[:20].sum(axis=1) == 1
        tables.step(sobremesa.sample_legal(mask, rng), tables.current_player >= 0)
    assert fullest >= 8


# A turn


def test_placing_a_pot_ends_the_turn():
    """The pot leaves the hand and lies on its cell; the player draws; the next seat plays."""
    match = Match("1 2 | 3 4 || 5").play("2@3,3").asks(1, "3 4 W")
    match.shows(sink="2@3,3", hand=["1 5", "3 4"], draw_pile=59, washed=["", ""])


def test_placement_lies_where_the_action_says():
    """The observation's sink has the value on the row and the column of the id."""
    match = Match("1 2 | 3 4").play("1@3,3 3@2,3 2@2,4")
    assert np.reshape(match.observe(0)["sink"], (7, 7))[2].tolist() == [0, 0, 0, 3, 2, 0, 0]
    match.shows(sink="1@3,3 3@2,3 2@2,4")


def test_washing_takes_the_whole_sink():
    """Every card onto one's own pile, by choice while others are legal; the washer goes on without drawing."""
    match = Match("2 1 | 3 1 | 1 1 || 4").play("2@3,3 3@3,4").asks(2, "1 W").shows(draw_pile=56)
    match.play("W").asks(2, "1").shows(washed=["", "", "2 3"], sink="", pots_due=1, draw_pile=56)
    match.shows(cards_in_hand=[2, 2, 2]).play("1@3,3").asks(0, "1 4 W").shows(sink="1@3,3")


def test_a_washer_may_play_a_special_card_next():
    """Skip, or Landlord, which does nothing on the empty sink."""
    match = Match("2 1 | L S | 1 1").play("2@3,3 W").asks(1, "S L")
    match.play("L").asks(2, "1").shows(washed=["", "2", ""], sink="", discards="L")


def test_washing_twice_in_a_turn_takes_a_sink_in_between():
    """After a wash the sink is empty, so WASH isn't legal again."""
    match = Match("2 1 | 3 5 | 1 1").play("2@3,3 W").asks(1, "3 5").play("5@3,3").asks(2, "1 W").play("W").asks(2, "1")
    match.shows(washed=["", "2", "5"])


def test_an_empty_sink_is_washed_only_if_nothing_else_is_legal():
    """A second Party during a party: then WASH takes nothing, ends the party, and Party is legal."""
    match = Match("P 1 | 1 1").leave(["P 1", "P"]).play("P").asks(1, "W").shows(pots_due=1, party=1, sink="")
    match.play("W").asks(1, "P").shows(pots_due=1, party=0, washed=["", ""], sink="", discards="P")
    match.play("P").asks(0, "1").shows(party=1, discards="P P")


def test_who_has_washed_an_empty_sink_is_known_to_hold_a_party():
    """In every world that agrees with what all have seen; before that the hand may be any."""
    match = Match("P 1 | 1 1 | 1 1").leave(["P 1", "P", "2 3"]).play("P").asks(1, "W")
    hands = {False: set(), True: set()}
    for has_washed in hands:
        for seed in range(40):
            tables = match.tables.copy()
            tables.redeal_hidden(0, seed)
            hands[has_washed].add(tuple(tables.state["hand"][0, 1].nonzero()[0]))
        match.play("W" if not has_washed else "")
    assert hands == {False: {(CODES["P"],), (2,), (3,)}, True: {(CODES["P"],)}}
    for seat in (1, 2):
        match.tables.redeal_hidden(seat, seed=1)
        match.asks(1, "P")


def test_what_a_washer_holds_is_known_for_that_turn_only():
    """And a wash that takes something tells nothing."""
    match = Match("P 1 | 1 1 | 1 1").leave(["P 1", "P", "2 3"]).play("P W P").asks(2, "2 3")
    assert match.tables.state["washed_nothing"][0] == 0
    match = Match("1 1 1 | 2 P 3 | 1 1 1").leave(["1 1 1", "P 2", "3 3 3"]).play("1@3,3 W")
    assert match.tables.state["washed_nothing"][0] == 0
    hands = set()
    for seed in range(60):
        tables = match.tables.copy()
        tables.redeal_hidden(0, seed)
        hands.add(tuple(tables.state["hand"][0, 1].nonzero()[0]))
    assert hands == {(3,), (2, 3), (3, 9), (2, 9)}


@pytest.mark.parametrize(("hand", "legal"), [("1 P", "1"), ("S P", "S"), ("L P", "L"), ("V P", "V"), ("5 5", "5")])
def test_an_empty_sink_is_not_washed_while_anything_else_is_legal(hand, legal):
    """During a party, with any card beside the second Party."""
    Match("P 1 | 1 1").leave(["P 1", hand]).play("P").asks(1, legal)


def test_the_draw_pile_runs_out():
    """The player draws what there is, then nothing."""
    match = Match("1 1 1 | 1 1 1 || 5", refill_size=5)
    match.tables.state["deck_start"] = 63
    match.play("1@3,3").shows(draw_pile=0, cards_in_hand=[3, 3])
    match.play("1@3,4").shows(draw_pile=0, cards_in_hand=[3, 2])


# Skip


def test_skip_ends_the_turn_without_placing():
    """It goes to the discards, and the player draws."""
    match = Match("1 2 | S 3 || 4 5").play("1@3,3").asks(1, "3 S W").play("S").asks(0, "2 4 W")
    match.shows(sink="1@3,3", discards="S", hand=["2 4", "3 5"], washed=["", ""])


def test_skip_is_legal_on_an_empty_sink_and_during_a_party():
    """The party goes on."""
    match = Match("P S | S 3 || 1 1").play("P").asks(1, "3 S").play("S").asks(0, "1 S").shows(party=1, pots_due=2)
    match.play("1@3,3").asks(0, "S W").play("S").asks(1, "1 3 W").shows(party=1, pots_due=2, discards="P S S")


# Landlord


def test_landlord_makes_everybody_else_wash():
    """From the player's left, round and round, a card each, until the sink is empty; the next seat starts the new."""
    match = Match("1 2 L | 3 1 1 | 4 1 1", first=1).play("3@3,3 4@3,4 1@2,3 1@2,2 1@4,3").asks(0, "1 2 L W")
    match.play("L").asks(1, "T1 T3 T4", turn_of=0).shows(resolving="L", discards="L", draw_pile=50)
    match.play("T4").asks(2, "T1 T3", turn_of=0).shows(washed=["", "4", ""], sink="3@3,3 1@2,3 1@2,2 1@4,3")
    match.play("T1").asks(1, "T1 T3", turn_of=0).play("T1").asks(2, "T1 T3", turn_of=0).play("T3")
    match.asks(1, "T1", turn_of=0).shows(washed=["", "4 1", "1 3"], sink="1@4,3")
    match.play("T1").asks(1, "1").shows(washed=["", "4 1 1", "1 3"], sink="", resolving="", draw_pile=49, pots_due=1)
    assert match.places(1) == [(3, 3)]


def test_the_first_card_in_reading_order_is_taken():
    """Of several with that value: the upper row first, then the left column."""
    match = Match("2 2 2 | 2 2 L").play("2@3,3 2@3,4 2@2,4").play("L").asks(0, "T2", turn_of=1)
    match.play("T2").shows(sink="2@3,3 2@3,4").play("T2").shows(sink="2@3,4").play("T2").asks(0, "1 2")


def test_who_holds_a_skip_is_asked_first():
    """From the player's left, each other seat that holds one; nobody takes before all have answered."""
    match = Match("L S | S 1 | 1 2 | S 1 | 1 S", first=2).play("2@3,3 1@3,4 1@3,2 L")
    match.asks(1, REACTION, turn_of=0).shows(resolving="L", exempt=[0] * 5, sink="2@3,3 1@3,4 1@3,2")
    match.play("D").asks(3, REACTION, turn_of=0).shows(exempt=[0] * 5)
    match.play("S").asks(4, REACTION, turn_of=0).shows(exempt=[0, 0, 0, 1, 0])
    match.play("D").asks(1, "T1 T2", turn_of=0).shows(exempt=[0, 0, 0, 1, 0], resolving="L")
    match.play("T2").asks(2, "T1", turn_of=0).play("T1").asks(4, "T1", turn_of=0).play("T1")
    match.asks(1, "1 S").shows(washed=["", "2", "1", "", "1"], discards="L S", exempt=[0] * 5)


def test_a_skip_in_reaction_is_replaced_at_once():
    """A card is drawn, whatever the refill size; the player of the Landlord draws at the end of the turn."""
    match = Match("L 2 1 | S S 1 | 1 1 1 || 5 4 3", first=2, refill_size=2).play("1@3,3 L").asks(1, REACTION, turn_of=0)
    match.shows(cards_in_hand=[2, 3, 2], draw_pile=55)
    match.play("S").asks(2, "T1", turn_of=0).shows(hand=["2 1", "S 1 5", "1 1"], draw_pile=54, discards="L S")
    match.play("T1").asks(1, "1 5 S").shows(cards_in_hand=[2, 3, 2], draw_pile=54)


def test_a_skip_in_reaction_is_not_replaced_if_the_draw_pile_is_empty():
    """The hand has a card less."""
    match = Match("L 1 | S 1 | 1 1", first=2).leave(["L 1", "S 1", "1 1"]).play("1@3,3 L").play("S")
    match.asks(2, "T1", turn_of=0).shows(hand=["1", "1", "1"], cards_in_hand=[1, 1, 1], draw_pile=0)


def test_each_seat_is_asked_once():
    """Neither a second Skip in hand nor one just drawn is asked for."""
    match = Match("L 1 | S S | 1 1 || S S S", first=2, refill_size=2).play("1@3,3").shows(cards_in_hand=[2, 2, 2])
    match.play("L").asks(1, REACTION, turn_of=0).play("S").asks(2, REACTION, turn_of=0)
    match.shows(hand=["1", "S S", "1 S"]).play("D").asks(2, "T1", turn_of=0)


def test_the_player_of_a_landlord_is_not_asked():
    """Though it holds a Skip."""
    Match("1 1 | L S").play("1@3,3 L").asks(0, "T1", turn_of=1).play("T1").asks(0, "1").shows(discards="L")


def test_a_landlord_that_everybody_skips_leaves_the_sink():
    """Nothing happens and the sink stays as it is, its sums too; the turn ends with a draw."""
    match = Match("L 1 | S 4 | S 1 || 5 5 5 5", first=1).play("4@3,3 1@3,4").asks(0, "1 L W").play("L S S")
    match.asks(1, "5 W").shows(sink="4@3,3 1@3,4", discards="L S S", washed=["", "", ""], draw_pile=53)
    assert match.places(5) == [(2, 4), (4, 4)]


def test_who_is_asked_and_declines_is_not_public():
    """Whether seat 1 is asked, has declined or had no Skip to be asked for: seat 0 sees the same."""
    match = Match("L 1 | S 1 | S 1", first=2).play("1@3,3 L").asks(1, REACTION, turn_of=0)
    seen = match.observe(0)
    assert match.observe(2)["phase"] == [0, 0, 1]
    match.play("D").asks(2, REACTION, turn_of=0)
    assert match.observe(0) == seen
    other = Match("L 1 | 1 1 | S 1", first=2).play("1@3,3 L").asks(2, REACTION, turn_of=0)
    assert other.observe(0) == seen
    assert other.observe(2) == match.observe(2)


def test_the_player_of_the_card_sees_a_take_during_a_reaction():
    """Like everybody who isn't asked; the seat that is asked sees the reaction."""
    match = Match("L 1 | S 1 | 1 1", first=2).play("1@3,3 L")
    assert [match.observe(seat)["phase"] for seat in range(3)] == [[0, 0, 1], [0, 1, 0], [0, 0, 1]]


# Visitors


def test_visitors_make_everybody_wash():
    """The player too, the last in the order; round and round."""
    match = Match("1 1 V | 2 1 1 | 3 1 1").play("1@3,3 2@3,4 3@2,3 1@4,3 1@3,2 1@4,4").asks(0, "1 V W").play("V")
    match.shows(resolving="V", discards="V")
    for seat, word in ((1, "T3"), (2, "T2"), (0, "T1"), (1, "T1"), (2, "T1"), (0, "T1")):
        assert (match.tables.current_player[0], match.observe(0)["active_seat"]) == (seat, [1, 0, 0])
        match.play(word)
    match.asks(1, "1").shows(washed=["1 1", "3 1", "2 1"], sink="", draw_pile=48)


def test_the_player_of_visitors_may_skip_too():
    """Asked last, with a Skip of its own; it is exempt, and draws again at the end of the turn."""
    match = Match("V S 2 | S 1 1 || 5 5 5", first=1).play("1@3,3 V").asks(1, REACTION, turn_of=0)
    match.play("D").asks(0, REACTION, turn_of=0).shows(cards_in_hand=[2, 3])
    match.play("S").asks(1, "T1", turn_of=0).shows(exempt=[1, 0], hand=["2 5", "S 1 5"], draw_pile=56)
    match.play("T1").asks(1, "1 5 S").shows(washed=["", "1"], hand=["2 5 5", "S 1 5"], discards="S V")


def test_the_player_of_visitors_alone_has_to_wash():
    """When everybody else has skipped: it takes all cards, one by one."""
    match = Match("1 V | 1 S").play("1@3,3 1@3,4 V S").asks(0, "T1", turn_of=0).shows(exempt=[0, 1])
    match.play("T1").asks(0, "T1", turn_of=0).play("T1").asks(1, "1").shows(washed=["1 1", ""])


def test_visitors_that_everybody_skips_leave_the_sink():
    """Nothing happens; the turn ends."""
    match = Match("V S | S 2 | S 1", first=1).play("2@3,3 1@3,4 V S S S").asks(1, "1 W")
    match.shows(sink="2@3,3 1@3,4", washed=["", "", ""], discards="V S S S")


# Landlord and Visitors


@pytest.mark.parametrize(("card", "takers"), [("L", [1, 2, 3]), ("V", [1, 2, 3, 0])])
def test_seats_without_cards_take_cards_all_the_same(card, takers):
    """Seat 2 has no card in hand, and the player of the card has none left."""
    match = Match("1 1 | 1 1 | 1 1 | 1 1", first=1).play("1@3,3 1@3,4 1@3,5").leave([card, "1", "", "1"]).play(card)
    for seat in takers[:3]:
        match.asks(seat, "T1", turn_of=0).play("T1")
    match.asks(1, "1").shows(washed=["", "1", "1", "1"])
    match = Match("1 1 | 1 1 | 1 1 | 1 1").play("1@3,3 1@3,4 1@3,5 1@3,2").leave([card, "1", "", "1"]).play(card)
    for seat in [*takers, 1][:4]:
        match.asks(seat, "T1", turn_of=0).play("T1")
    match.asks(1, "1")


@pytest.mark.parametrize("card", ["L", "V"])
def test_on_an_empty_sink_nothing_happens(card):
    """No reactions, no takes; the card is discarded, the turn ends with a draw."""
    match = Match(f"{card} S | S 1 || 5").play(card).asks(1, "1 S")
    match.shows(discards=card, hand=["S 5", "S 1"], washed=["", ""], sink="")


# Party


def test_party_ends_the_turn():
    """The player draws; the card is no longer in hand. Party isn't legal while one is on."""
    match = Match("P P | 1 1 || 3").asks(0, "P").play("P").asks(1, "1")
    match.shows(party=1, pots_due=2, hand=["P 3", "1 1"], discards="P").play("1@3,3 1@3,4")
    match.asks(0, "3 W").shows(pots_due=2)


@pytest.mark.parametrize(("hand", "pots_due"), [("1", 1), ("S", 1), ("1 1", 2), ("1 1 1", 2), ("S L", 2), ("1 P", 2)])
def test_two_pots_are_due_with_two_cards_in_hand(hand, pots_due):
    """Any two cards; else one pot."""
    Match("P 1 | 1 1").leave(["P 1", hand]).play("P").shows(pots_due=pots_due, party=1)


def test_one_pot_is_due_with_one_card_in_hand():
    """After it the turn ends, and the party goes on."""
    match = Match("P 1 | 1 1").leave(["P 1 1", "2"]).play("P").asks(1, "2").play("2@3,3")
    match.asks(0, "1 W").shows(pots_due=2, party=1, cards_in_hand=[2, 0])


def test_the_player_does_not_draw_between_two_pots():
    """And draws for both after the second."""
    match = Match("P 1 | 1 2 || 5 4 3").play("P").shows(draw_pile=59).play("1@3,3").asks(1, "2 W")
    match.shows(pots_due=1, draw_pile=59, cards_in_hand=[2, 1]).play("2@3,4").shows(hand=["1 5", "4 3"], draw_pile=57)


def test_after_the_first_of_two_pots_a_special_card_may_be_played():
    """Skip, Landlord or Visitors, but no Party; and WASH."""
    match = Match("P 1 1 1 1 | 1 S L V P").play("P").asks(1, "1 S L V").play("1@3,3").asks(1, "S L V W")
    match.shows(pots_due=1)


def test_a_skip_after_the_first_of_two_pots_ends_the_turn():
    """The party goes on; the player draws for both cards."""
    match = Match("P 1 | 1 S || 2 3 4").play("P 1@3,3 S").asks(0, "1 2 W")
    match.shows(party=1, pots_due=2, hand=["1 2", "3 4"], sink="1@3,3", discards="P S")


@pytest.mark.parametrize(("card", "takers"), [("L", [0]), ("V", [0, 1])])
def test_a_wash_for_all_after_the_first_of_two_pots_ends_turn_and_party(card, takers):
    """The party is on until the last card is taken."""
    match = Match(f"P 1 1 | 2 2 {card} || 1 1 1").play("P 2@3,3 2@3,4 1@3,2").asks(0, "1 W").play("1@3,5")
    match.asks(1, f"1 {card} W").shows(party=1, pots_due=2).play("1@2,3").play(card)
    for _ in range(5):
        match.shows(party=1, resolving=card)
        assert match.tables.current_player[0] in takers
        match.play("T1" if "T1" in match.legal else "T2")
    match.asks(0, "1").shows(party=0, pots_due=1, sink="", discards=f"P {card}")


@pytest.mark.parametrize("card", ["L", "V"])
def test_a_party_goes_on_through_a_wash_that_everybody_skips(card):
    """Before the first pot or after it."""
    match = Match(f"P S 1 | 1 {card} S || 1 1 1 1 1").play(f"P 1@3,3 {card} S" + " S" * (card == "V"))
    match.asks(0, "1 W").shows(party=1, pots_due=2, sink="1@3,3", washed=["", ""])


@pytest.mark.parametrize("card", ["L", "V"])
def test_a_party_goes_on_through_a_wash_of_an_empty_sink(card):
    """Landlord and Visitors do nothing there."""
    match = Match(f"P 1 | 1 {card}").play("P").asks(1, f"1 {card}").play(card).asks(0, "1")
    match.shows(party=1, pots_due=2, discards=f"P {card}")


def test_washing_ends_a_party():
    """At the start of the turn: one pot is due, and one each turn from then on."""
    match = Match("P 1 | 1 2 | 5 5").play("P 1@3,3 2@3,4").asks(2, "5 W").shows(pots_due=2, party=1).play("W")
    match.asks(2, "5").shows(party=0, pots_due=1, discards="P").play("5@3,3").asks(0, "1 W").shows(pots_due=1)


def test_washing_after_the_first_of_two_pots():
    """No card is drawn; the turn goes on with an empty sink, one pot due."""
    match = Match("P 1 1 | 2 S L | 1 1 1 || 5 4 3").play("P 2@3,3").asks(1, "S L W").shows(draw_pile=54).play("W")
    match.asks(1, "S L").shows(washed=["", "2", ""], party=0, pots_due=1, draw_pile=54, cards_in_hand=[3, 2, 3])


@pytest.mark.parametrize(("card", "legal"), [("S", "1"), ("L", "1"), ("V", "1"), ("1@3,3", "1 W")])
def test_after_washing_between_two_pots_one_more_card_ends_the_turn(card, legal):
    """A special card, or a pot; Landlord and Visitors find the sink empty."""
    match = Match("P 1 1 1 1 | 2 1 S L V | 1 1 1 1 1").play("P 2@3,3 W").play(card).asks(2, legal)
    match.shows(washed=["", "2", ""], party=0, pots_due=1, cards_in_hand=[5, 5, 5])


def test_a_party_after_washing_between_two_pots():
    """The old party is over, so Party is legal; it ends the turn, and the next seat has two pots due."""
    match = Match("P 1 | 2 P | 1 1").play("P 2@3,3").asks(1, "W").play("W").asks(1, "P").shows(party=0).play("P")
    match.asks(2, "1").shows(party=1, pots_due=2, discards="P P", cards_in_hand=[2, 2, 2])


def test_a_party_ends_with_the_round():
    """In the last state of a game, and in the next round."""
    for num_rounds in (1, 2):
        match = Match("P 1 | 1 1", num_rounds=num_rounds).leave(["P", "1"]).play("P").shows(party=1).play("1@3,3")
        match.shows(party=0, rounds_left=0, discards="P" if num_rounds == 1 else "")


# The end of a round


@pytest.mark.parametrize(
    ("last", "washed", "taker"),
    [
        (2, ["1 1", "5", "1 1 1"], 1),
        (1, ["5 5", "1 1 1", "1 1 1"], 0),
        (2, ["5", "4", "1 1"], 1),
        (0, ["2 4", "5 2", "1 1 1"], 0),
        (2, ["2", "2", "2"], 0),
        (1, ["2", "2", "2"], 2),
        (0, ["2", "2", "2"], 1),
        (0, ["1 3", "3 1", "2 2"], 1),
        (0, ["3", "4", "3"], 2),
        (0, ["3", "4", "4"], 0),
        (2, ["", "", ""], 0),
        (1, ["5", "", "1"], 1),
    ],
)
def test_what_is_left_goes_to_the_fewest_washed_cards(last, washed, taker):
    """Then to the lowest sum of values, then to the first from the left of the seat whose turn was the last."""
    hands = ["4" if seat == last else "" for seat in range(3)]
    match = Match("1 1 | 1 1 | 1 1", first=last, num_rounds=1).leave(hands, washed).play("4@3,3")
    piles = [f"{pile} 4" if seat == taker else pile for seat, pile in enumerate(washed)]
    match.shows(washed=piles, points=[len(pile.split()) for pile in piles], sink="", active_seat=last)


def test_a_reaction_is_not_a_turn():
    """The last decision is a Skip of seat 0, but the last turn was that of seat 1: seat 2 is the first to its left."""
    match = Match("1 1 | 1 1 | 1 1", num_rounds=1).play("1@3,3").leave(["S", "L", "S"]).play("L S")
    match.asks(0, REACTION, turn_of=1).play("S").ends([0, 1]).shows(washed=["", "", "1"], active_seat=1)


def test_a_washer_that_goes_on_may_get_what_is_left():
    """The cards washed in the last turn count."""
    match = (
        Match("1 1 | 1 1 | 1 1", num_rounds=1).play("1@3,3 1@3,4").leave(["", "", "3"], ["1", "1", ""]).play("W 3@3,3")
    )
    match.ends([1]).shows(washed=["1 3", "1", "1 1"], points=[2, 1, 2])


def test_each_washed_card_is_one_point():
    """Whatever its value; the piles are emptied for the next round."""
    match = Match("1 1 | 1 1 | 1 1", num_rounds=2).leave(["2", "", ""], ["5 5", "1 1 1", "4"]).play("2@3,3")
    match.shows(points=[2, 3, 2], washed=["", "", ""], rounds_left=0, draw_pile=58, cards_in_hand=[2, 2, 2])


def test_points_add_up_over_the_rounds():
    """And after the end they are those of all rounds, beside the washed piles of the last."""
    match = Match("1 1 | 1 1 | 1 1", num_rounds=3).leave(["2", "", ""], ["5", "3 3", "4 4"]).play("2@3,3")
    match.shows(points=[2, 2, 2], rounds_left=1).leave(["2", "", ""], ["5 5", "3", "4 4 4"]).play("2@3,3")
    match.shows(points=[4, 4, 5], rounds_left=0).leave(["2", "", ""], ["", "3 3", "4"]).play("2@3,3")
    match.ends([0]).shows(points=[5, 6, 6], washed=["2", "3 3", "4"], rounds_left=0, active_seat=0)


# The end


def test_fewest_points_over_all_rounds_win():
    """Not those of the last round."""
    match = Match("1 1 | 1 1 | 1 1", num_rounds=2).leave(["1", "", ""], ["", "5 5 5", "5 5 5 5"]).play("1@3,3")
    match.shows(points=[1, 3, 4]).leave(["1", "", ""], ["1 1", "", "1 1 1"]).play("1@3,3")
    match.ends([0], [1, -0.5, -0.5]).shows(points=[3, 4, 7])


@pytest.mark.parametrize(
    ("card", "washed", "winners"),
    [
        ("4", ["5", "4 4", "1 1 1"], [1]),
        ("5", ["1", "1 1", "1 1 1 1"], [1]),
        ("1", ["2", "2 2", "1 1 1"], [0]),
        ("4", ["4", "4 4", "1 1 1"], [0, 1]),
    ],
)
def test_equal_points_are_told_apart_by_the_sum_of_the_last_pile(card, washed, winners):
    """The card left in the sink, which seat 0 gets, included; of the tied seats only; those still tied share."""
    match = Match("1 1 | 1 1 | 1 1", num_rounds=1).leave([card, "", ""], washed, points=[3, 3, 9]).play(f"{card}@3,3")
    match.shows(points=[5, 5, 9 + len(washed[2].split())])
    match.ends(winners, [0.25, 0.25, -0.5] if len(winners) == 2 else [1.0 if s in winners else -0.5 for s in range(3)])


def test_all_may_win():
    """Then nobody gets anything."""
    match = Match("1 1 | 1 1 | 1 1", num_rounds=1).leave(["S", "", ""], ["2 3", "4 1", "1 4"]).play("S")
    match.ends([0, 1, 2], [0, 0, 0])


@pytest.mark.parametrize("num_rounds", range(1, 5))
def test_the_game_ends_after_its_rounds(num_rounds):
    """One to four of them; here each leaves a card to seat 1."""
    match = Match("1 1 | 1 1", num_rounds=num_rounds)
    for rounds_left in reversed(range(num_rounds)):
        match.shows(rounds_left=rounds_left).leave(["1", ""]).play("1@3,3")
    match.ends([0], [1, -1]).shows(points=[0, num_rounds])


# Rewards


def test_score_is_paid_at_the_end_of_each_round():
    """(mean points - my points) / 54, of that round; nothing for the outcome."""
    match = Match("1 1 | 1 1 | 1 1", num_rounds=2, reward="score").leave(["2", "", ""], ["5", "3 3", "4 4 4"])
    match.play("2@3,3")
    assert match.rewards == pytest.approx([1 / 162, 1 / 162, -2 / 162], abs=1e-6)
    match.leave(["1 2", "", ""], ["5", "3 3", "4 4 4"]).play("1@3,3")
    assert match.rewards == [0, 0, 0]
    match.play("2@3,4").ends([1], [-1 / 162, 2 / 162, -1 / 162]).shows(points=[5, 4, 6])


# Truncation


def test_max_decisions_truncates_the_game():
    """After the decision with that number: nobody wins; the active seat is the one whose turn has just begun."""
    match = Match("1 1 | 1 1 | 1 1", max_decisions=2).play("1@3,3").asks(1, "1 W").play("1@3,4")
    match.ends([], [0, 0, 0], truncated=True).shows(active_seat=2, sink="1@3,3 1@3,4", cards_in_hand=[2, 2, 2])


def test_truncation_before_a_reaction():
    """The active seat is the player of the card."""
    match = Match("L 1 | S 1 | 1 1", first=2, max_decisions=2).play("1@3,3 L").ends([], truncated=True)
    match.shows(active_seat=0, discards="L", sink="1@3,3", cards_in_hand=[1, 2, 2])


def test_truncation_before_a_take():
    """Whoever has skipped is no longer shown as exempt, but has its new card; a party stays on."""
    match = Match("P L 1 | S 1 1 | 1 1 1", max_decisions=7).play("P 1@3,3 1@3,4 1@3,5 1@2,3 L S")
    match.ends([], truncated=True).shows(active_seat=0, party=1, discards="P L S", cards_in_hand=[2, 3, 3])


def test_truncation_between_two_takes():
    """The sink is shown half taken."""
    match = Match("L 1 | 1 1 | 1 1", first=1, max_decisions=4).play("1@3,3 1@3,4 L T1").ends([], truncated=True)
    match.shows(active_seat=0, sink="1@3,4", washed=["", "1", ""])


def test_truncation_between_two_pots():
    """The pots due are no longer shown."""
    match = Match("P 1 | 1 1 | 1 1", max_decisions=2).play("P 1@3,3").ends([], truncated=True)
    match.shows(active_seat=1, party=1, sink="1@3,3", cards_in_hand=[2, 1, 2])


def test_truncation_at_the_end_of_a_round_shows_the_next_one_dealt():
    """The round is scored and paid, the next one dealt, and its first turn has begun."""
    match = Match("1 1 | 1 1", "3 4 | 5 5", first=[0, 1], num_rounds=2, max_decisions=1, reward="score")
    match.leave(["1", ""], ["2 2 2", "3"]).play("1@3,3").ends([], [-1 / 108, 1 / 108], truncated=True)
    match.shows(active_seat=1, points=[3, 2], hand=["3 4", "5 5"], rounds_left=0, washed=["", ""], draw_pile=60)


def test_a_last_decision_that_ends_the_game_terminates_it():
    """Then it isn't truncated."""
    match = (
        Match("1 1 | 1 1", num_rounds=1, max_decisions=1).leave(["1", ""], ["", "1 1"]).play("1@3,3").ends([0], [1, -1])
    )
    match.shows(points=[1, 2], active_seat=0)


def test_truncation_with_score_pays_nothing_for_the_open_round():
    """Washed cards of the open round cost nothing."""
    match = Match("1 1 | 1 1", max_decisions=2, reward="score").play("1@3,3 W").ends([], [0, 0], truncated=True)
    match.shows(washed=["", "1"], points=[0, 0], active_seat=1)


def test_nothing_can_be_done_after_the_end():
    """The mask is all false, and every action is refused."""
    match = Match("1 1 | 1 1", num_rounds=1).leave(["1", ""], ["", "1 1"]).play("1@3,3").ends([0])
    for number in range(256):
        with pytest.raises(sobremesa.IllegalActionError, match="over"):
            match.tables.step([number])


# Actions


def test_action_ids():
    """256 actions with the ids of the rules, told by their names."""
    tables = sobremesa.Tables("friegas_tu")
    assert tables.num_actions == len(set(ACTIONS)) == 256
    assert tuple(tables.action_names) == ACTIONS
    assert [tables.string_to_action(name) for name in ACTIONS] == list(range(256))
    named = {"PLACE 1 at row 0, column 0": 0, "PLACE 3 at row 2, column 4": 2 * 49 + 2 * 7 + 4, "PLAY_SKIP": 245}
    named |= {"PLAY_LANDLORD": 246, "PLAY_VISITORS": 247, "PLAY_PARTY": 248, "WASH": 249, "DECLINE": 250, "TAKE 5": 255}
    assert {name: tables.action_names.index(name) for name in named} == named


def test_an_illegal_action_names_what_is_legal():
    """The error tells the table, the seat, the action and what would be right; nothing has changed."""
    match = Match("5 S | 1 1")
    before = match.tables.state.tobytes()
    message = r"table 0, player_0: action 249 \(WASH\) .* 220 PLACE 5 at row 3, column 3, 245 PLAY_SKIP$"
    with pytest.raises(sobremesa.IllegalActionError, match=message):
        match.play("W")
    assert match.tables.state.tobytes() == before


# Observation


@pytest.mark.parametrize("recall", [True, False])
@pytest.mark.parametrize("num_players", range(2, 9))
def test_observation_layout(num_players, recall):
    """The fields in the order of the rules, each a slice after the one before; `discards` only with recall."""
    tables = sobremesa.Tables("friegas_tu", num_players=num_players, recall=recall)
    n = num_players
    expected: dict[str, tuple[int, ...]] = {
        **{"phase": (3,), "active_seat": (n,), "hand": (9,), "cards_in_hand": (n,), "sink": (7, 7), "pots_due": (1,)},
        **{"resolving": (2,), "party": (1,), "exempt": (n,), "washed": (n, 5), "points": (n,), "draw_pile": (1,)},
        **{"rounds_left": (1,), "discards": (4,)},
    }
    if not recall:
        del expected["discards"]
    fields = tables.observation_fields
    assert [(name, field.shape) for name, field in fields.items()] == list(expected.items())
    ends = np.cumsum([np.prod(shape) for shape in expected.values()]).tolist()
    assert [(field.slice.start, field.slice.stop) for field in fields.values()] == list(zip([0, *ends], ends))
    assert tables.observation.shape == (1, ends[-1])
    assert tables.observation.dtype == np.uint8


def maxima(**parameters: Any) -> dict[str, int]:
    fields = sobremesa.Tables("friegas_tu", **parameters).observation_fields
    return {name: field.maximum for name, field in fields.items()}


def test_observation_maxima():
    """1 for flags and one-hots; the rest follows from the components and the parameters."""
    facts = {"num_players": 5, "pot_counts": (20, 4, 10, 0, 20), "num_rounds": 4, "hand_size": 4, "refill_size": 6}
    assert maxima(**facts) == {
        **dict.fromkeys(["phase", "active_seat", "resolving", "party", "exempt"], 1),
        **{"hand": 6, "cards_in_hand": 6, "sink": 5, "pots_due": 2, "washed": 20, "points": 216, "draw_pile": 44},
        **{"rounds_left": 3, "discards": 5},
    }
    shrinking = maxima(num_players=2, hand_size=7, refill_size=3)
    assert (shrinking["hand"], shrinking["cards_in_hand"], shrinking["draw_pile"]) == (7, 7, 50)


def test_what_is_always_0_can_be_scaled():
    """A single round, and no draw pile: scaled observations are numbers from 0 to 1."""
    tables = sobremesa.Tables("friegas_tu", 50, seed=1, scaled=True, num_rounds=1, num_players=8, hand_size=8)
    for _ in range(50):
        assert ((tables.observation >= 0) & (tables.observation <= 1)).all()
        tables.play_random(1)


def test_seats_are_relative_to_the_observer():
    """The observer first, then clockwise: written out for three seats."""
    match = Match("1 S L | 2 S 1 | 3 1 1", first=2).play("3@3,3 L S")
    seen = [match.observe(seat) for seat in range(3)]
    assert [seat["active_seat"] for seat in seen] == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert [seat["exempt"] for seat in seen] == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert [seat["cards_in_hand"] for seat in seen] == [[2, 3, 3], [3, 3, 2], [3, 2, 3]]
    match.play("T3")
    washed = [np.reshape(match.observe(seat)["washed"], (3, 5)).tolist() for seat in range(3)]
    three, none = [0, 0, 1, 0, 0], [0] * 5
    assert washed == [[none, none, three], [none, three, none], [three, none, none]]


def test_a_seat_sees_its_own_hand_alone():
    """By code; the same observation whatever the others hold."""
    match, other = Match("1 S V | 2 S 1 | 3 1 1"), Match("1 S V | 3 4 5 | 2 2 P")
    assert match.observe(0)["hand"] == [1, 0, 0, 0, 0, 1, 0, 1, 0]
    assert match.observe(0) == other.observe(0)


def test_without_recall_the_other_fields_are_the_same():
    """recall=False leaves `discards` out, and nothing else changes."""
    deal, script = "P L 1 | S 1 1 | 1 1 1", "P 1@3,3 1@3,4 1@3,5 1@2,3 L S T1 T1 T1"
    remembering, forgetting = Match(deal), Match(deal, recall=False)
    size = forgetting.tables.observation_size
    for word in script.split():
        for seat in range(3):
            assert np.array_equal(remembering.tables.observe(seat)[:, :size], forgetting.tables.observe(seat))
        remembering.play(word)
        forgetting.play(word)
    remembering.shows(discards="P L S")


def test_text():
    """A table as a seat sees it."""
    match = Match("P L 1 | S 1 1 | 1 1 1").play("P 1@3,3 1@3,4 1@3,5 1@2,3 L S")
    text = match.tables.to_text(0, seat=1)
    for part in (
        "seen by player_1: take, turn of player_0",
        "Landlord is being resolved",
        "a party is on",
        "hand 2×1 1×2",
        ". . . 1 1 1 .",
        "* player_0: cards 2, washed -, points 0",
        "  player_1: cards 3, washed -, points 0, exempt",
        "discards 1×Skip 1×Landlord 1×Party",
    ):
        assert part in text


# Options


REST = stack("", POT_COUNTS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deck": REST[1:]}, "deck .*64 components once; missing: 1 × 1$"),
        ({"deck": [*REST, 6]}, "deck .*too many: 1 × Skip"),
        ({"deck": [9, *REST[1:]]}, "deck .*missing: 1 × 1; too many: 1 × Party"),
        ({"deck": [0, *REST[1:]]}, r"deck .*missing: 1 × 1; too many: 1 × 0 \(no card\)"),
        ({"deck": [10, *REST[1:]]}, r"deck .*missing: 1 × 1; too many: 1 × 10 \(no card\)"),
        ({"deck": [-1, *REST[1:]]}, r"deck\[0\] .*-1"),
        ({"deck": [1.0, *REST[1:]]}, r"deck\[0\] .*1.0"),
        ({"deck": [True, *REST[1:]]}, r"deck\[0\] .*True"),
        ({"deck": "1 2 3"}, "deck .*1 2 3"),
        ({"deck": None}, "deck .*None"),
        ({"deck": []}, "deck .*at least one"),
        ({"deck": [[]]}, r"deck\[0\] .*at least one"),
        ({"deck": [REST, None]}, r"deck\[1\] .*None"),
        ({"deck": [REST, REST[1:]]}, r"deck\[1\] .*missing: 1 × 1"),
        ({"deck": [REST] * 7 + [REST[1:]]}, r"deck\[7\] .*missing: 1 × 1"),
        ({"starting_player": -1}, "starting_player .*0 to 3, not -1"),
        ({"starting_player": 4}, "starting_player .*0 to 3, not 4"),
        ({"starting_player": None}, "starting_player .*None"),
        ({"starting_player": []}, "starting_player .*at least one"),
        ({"starting_player": [0, None]}, r"starting_player\[1\] .*None"),
        ({"starting_player": [0, 1, 2, 3, 0, 4]}, r"starting_player\[5\] .*not 4"),
        ({"decks": REST}, "no option 'decks'; its options: deck, starting_player"),
        (REST, "options must be a mapping"),
    ],
)
def test_what_cannot_be_dealt_is_refused(options, message):
    """A ValueError that says what is missing or too many; entries beyond the last round are checked too."""
    tables = sobremesa.Tables("friegas_tu", 1, seed=4)
    before = support.snapshot(tables)
    with pytest.raises(ValueError, match=message):
        tables.reset(seed=9, options=options)
    support.assert_same(before, support.snapshot(tables), "after a refusal")


def test_a_deck_is_made_of_the_pots_of_the_game():
    """With other pots another deck."""
    with pytest.raises(ValueError, match="missing: 43 × 1; too many: 11 × 2, 11 × 3, 11 × 4, 10 × 5"):
        sobremesa.Tables("friegas_tu", pot_counts=ONES).reset(options={"deck": REST})


@pytest.mark.parametrize("as_sequence", [list, tuple, np.array])
def test_a_single_deck_and_a_single_seat_are_for_the_first_round(as_sequence):
    """Index 0 is drawn first; later rounds are shuffled, and seat 0 begins them."""
    tables = sobremesa.Tables("friegas_tu", 20, seed=4, num_players=2, hand_size=2)
    tables.reset(options={"deck": as_sequence(stack("1 2 | 3 S || 4 5", POT_COUNTS)), "starting_player": np.int64(1)})
    assert (tables.current_player == 1).all()
    assert (tables.state["hand"][:, :2] == [[0, *count(9, "1 2")], [0, *count(9, "3 S")]]).all()
    while (tables.state["rounds_left"] == 2).any():
        tables.step(tables.legal_action_mask.argmax(axis=1), tables.state["rounds_left"] == 2)
    assert (tables.current_player == 0).all()
    assert len({deck.tobytes() for deck in tables.state["deck"]}) == 20


def test_a_list_gives_one_entry_for_each_round_in_turn():
    """Decks and seats, of different lengths: what is not given follows the game's own rule."""
    match = Match("1 1 | 2 2", "3 3 | 4 4", first=[1, 0, 1, 1, 0], num_rounds=3)
    match.asks(1, "2").leave(["", "1"]).play("1@3,3").asks(0, "3").shows(hand=["3 3", "4 4"])
    match.leave(["1", ""]).play("1@3,3").shows(rounds_left=0, cards_in_hand=[2, 2], draw_pile=60)
    assert match.tables.current_player[0] == 1
    match = Match("1 1 | 2 2", "3 3 | 4 4", first=1, num_rounds=2).leave(["", "1"]).play("1@3,3").asks(0, "3")


def test_undictated_rounds_are_shuffled():
    """Every round anew, and differently at every table; the first hands too."""
    tables = sobremesa.Tables("friegas_tu", 50, seed=7)
    decks = [tables.state["deck"].copy()]
    while (tables.state["rounds_left"] == 2).any():
        tables.step(tables.legal_action_mask.argmax(axis=1), tables.state["rounds_left"] == 2)
    decks.append(tables.state["deck"].copy())
    assert len({deck.tobytes() for deck in np.concatenate(decks)}) == 100
    first_cards = np.bincount(np.concatenate(decks)[:, 0], minlength=10)
    assert (first_cards[1:6] > 6).all()
