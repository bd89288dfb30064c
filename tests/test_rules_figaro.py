"""Figaro, clause by clause of its rules document: scripted deals, and what the text says must come of them.

Cards are written as colour and value (r1 … p3: red, blue, green, yellow, purple), J1 and J2 (Jesters) and R (Ring).
A move is a card and a seat, "b2>3" in front of seat 3, or R, or T (TAKE). Seats are absolute everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
import sobremesa

COLOURS = "rbgyp"
KINDS = [f"{colour}{value}" for colour in COLOURS for value in (1, 2, 3)] + ["J1", "J2", "R"]
CODES = {name: kind for kind, name in enumerate(KINDS)}
RING = CODES["R"]
FULL_DECK = [colour + value for colour in COLOURS for value in "1112222223"] + ["J1"] * 3 + ["J2"] * 2 + ["R"] * 5
SHORT_DECK = [card for card in FULL_DECK if card[0] in "rbgy"] + ["J1", "J1", "J2", "R", "R"]
SEAT_FIELDS = ("hand_size", "total", "pile_size", "road")
ROADS = {  # of the scripted games, by number of players
    3: [[9, 8], [7, 6], [5, 4]],
    4: [[9, 8, 7], [6, 5, 4], [3, 2, 1]],
    5: [[12, 11, 10, 9], [8, 7, 6, 5], [4, 3, 2, 1]],
    6: [[15, 14, 13, 12, 11], [10, 9, 8, 7, 6], [5, 4, 3, 2, 1]],
}


def kinds(text: str) -> list[int]:
    return [CODES[name] for name in text.split()]


def count(text: str) -> list[int]:
    """How many there are of each kind."""
    return np.bincount(kinds(text), minlength=len(KINDS)).tolist()


def one_hot(size: int, index: int | None) -> list[int]:
    return [int(i == index) for i in range(size)]


def deal(hands: Iterable[str], num_players: int, cards: list[str] = FULL_DECK) -> list[int]:
    """A deck that gives each seat the cards of its hand, filled up with the rest, one each in turn."""
    rest, size = list(cards), len(cards) // num_players
    dealt = [hand.split() for hand in hands]
    dealt += [[] for _ in range(num_players - len(dealt))]
    for card in [card for hand in dealt for card in hand]:
        rest.remove(card)
    while rest:
        for hand in dealt:
            if len(hand) < size and rest:
                hand.append(rest.pop())
    return [CODES[card] for hand in dealt for card in hand]


class Court:
    """A game with these cards in the first hands, played by moves; seat `first` begins.

    The hands are filled up with the rest of the deck. `last_hands` are those of the third round.
    """

    def __init__(
        self,
        *hands: str,
        n: int = 4,
        first: int = 0,
        roads: Any = None,
        last_hands: Iterable[str] = (),
        **parameters: Any,
    ):
        self.num_players = n
        cards = SHORT_DECK if parameters.get("short_deck") else FULL_DECK
        self.tables = sobremesa.Tables("figaro", seed=0, autoreset=False, num_players=n, **parameters)
        decks = [deal(hands, n, cards), deal([], n, cards), deal(last_hands, n, cards)]
        self.tables.reset(options={"deck": decks, "roads": roads or ROADS[n], "starting_player": first})

    @property
    def seat(self) -> int:
        return int(self.tables.current_player[0])

    def name(self, action: int) -> str:
        """A move as text."""
        kind, distance = divmod(action, self.num_players)
        if kind < RING:
            return f"{KINDS[kind]}>{(self.seat + distance) % self.num_players}"
        return "RT"[distance]

    def id(self, move: str) -> int:
        if move in ("R", "T"):
            return RING * self.num_players + "RT".index(move)
        card, target = move.split(">")
        return CODES[card] * self.num_players + (int(target) - self.seat) % self.num_players

    @property
    def legal(self) -> set[str]:
        return {self.name(int(action)) for action in np.flatnonzero(self.tables.legal_action_mask[0])}

    def targets(self, card: str) -> str:
        """The seats in front of which the seat to act may put a card that it holds."""
        return "".join(sorted(move[-1] for move in self.legal if move.startswith(f"{card}>")))

    @property
    def rewards(self) -> list[float]:
        return self.tables.rewards[0].tolist()

    def play(self, moves: str) -> Court:
        for move in moves.split():
            self.tables.step([self.id(move)])
        return self

    def drive(self, takers: Iterable[int], plays: int = 999, keep: Iterable[str] = ()) -> Court:
        """Plays on until the round is over, `plays` cards are played, or the seat to act has only the cards to keep.

        A seat of `takers` takes whenever it can; otherwise a seat plays the first card after which nobody takes.
        """
        takers, kept = set(takers), [count(cards) for cards in keep]
        number = self.observe(0)["round"]
        while self.seat >= 0 and self.observe(0)["round"] == number and plays > 0:
            spare = np.array(self.observe(self.seat)["hand"])
            if kept:
                spare -= kept[self.seat]
            if not spare.any():
                break
            if self.seat in takers and "T" in self.legal:
                self.play("T")
            else:
                self.play(self.safe_play(spare))
                plays -= 1
        return self

    def safe_play(self, spare: np.ndarray) -> str:
        totals = self.observe(0)["total"]
        for move in sorted(self.legal - {"T"}, key=self.id):
            card, _, target = move.partition(">")
            if spare[CODES[card]] > 0 and (card == "R" or totals[int(target)] + value(card) < 6):
                return move
        raise AssertionError("every card that may be spared makes somebody take")

    def observe(self, seat: int) -> dict[str, list[int]]:
        """The fields that `seat` sees, by name, flat."""
        seen = self.tables.game.decode(self.tables.observe(seat)[0], self.tables.parameters)
        return {name: entries.ravel().tolist() for name, entries in seen.items()}

    def encode(self, name: str, value: Any, seat: int) -> list[int]:
        """A field as `seat` must see it."""
        if name in SEAT_FIELDS:
            return value[seat:] + value[:seat]
        if name in ("to_act", "king"):
            return one_hot(self.num_players, None if value is None else (value - seat) % self.num_players)
        if name == "table":
            return [entry for cards in value[seat:] + value[:seat] for entry in count(cards)]
        if name == "colour":  # a letter for each seat, - for none
            return [entry for c in value[seat:] + value[:seat] for entry in one_hot(5, COLOURS.find(c))]
        if name == "round":
            return one_hot(3, value)
        if name == "pieces":
            return [length for group in value for length in group + [0] * (5 - len(group))]
        assert name == "gone"
        return count(value)

    def shows(self, **fields: Any) -> Court:
        """Checks these fields in the eyes of every seat."""
        for seat in range(self.num_players):
            seen = self.observe(seat)
            for name, value in fields.items():
                assert seen[name] == self.encode(name, value, seat), f"{name} as seat {seat} sees it"
        return self

    def asks(self, seat: int) -> Court:
        """Checks that the game goes on with `seat`, and that every seat sees so."""
        assert not self.tables.terminated[0]
        assert not self.tables.truncated[0]
        assert self.seat == seat
        assert self.legal
        return self.shows(to_act=seat)

    def ends(self, winners: list[int], rewards: list[float] | None = None, truncated: bool = False) -> Court:
        """Checks that the game is over, and how."""
        assert (self.tables.terminated[0], self.tables.truncated[0]) == (not truncated, truncated)
        assert (self.seat, self.legal) == (-1, set())
        assert np.flatnonzero(self.tables.winners[0]).tolist() == winners
        if rewards is not None:
            assert self.rewards == pytest.approx(rewards, abs=1e-6)
        return self.shows(to_act=None)

    def pays(self, rewards: list[float]) -> Court:
        assert self.rewards == pytest.approx(rewards, abs=1e-6)
        return self


def value(card: str) -> int:
    return 0 if card == "R" else int(card[1])


def observe_all(tables: sobremesa.Tables) -> dict[str, np.ndarray]:
    """The fields that the seat to act sees, `[N, …]`."""
    return tables.game.decode(tables.observation, tables.parameters)


# Components


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_deck_has_60_cards(n):
    """Five colours of three 1s, six 2s and a 3; three Jesters 1, two Jesters 2; five Rings; dealt anew each round."""
    game = Court(n=n)
    tables = sobremesa.Tables("figaro", 20, seed=1, num_players=n)
    hands = sum(tables.game.decode(tables.observe(seat), tables.parameters)["hand"] for seat in range(n))
    assert (hands == [3, 6, 1] * 5 + [3, 2, 5]).all()
    assert sum(np.array(game.observe(seat)["hand"]) for seat in range(n)).tolist() == [3, 6, 1] * 5 + [3, 2, 5]


def test_the_short_deck_has_45_cards():
    """Without colour 4, one Jester of each value and three Rings."""
    tables = sobremesa.Tables("figaro", 20, seed=1, num_players=3, short_deck=True)
    hands = sum(tables.game.decode(tables.observe(seat), tables.parameters)["hand"] for seat in range(3))
    assert (hands == [3, 6, 1] * 4 + [0, 0, 0, 2, 1, 2]).all()


@pytest.mark.parametrize("card", KINDS[:-1])
def test_values_and_colours_of_cards(card):
    """Colour cards count their value and give their colour; Jesters count 1 or 2 and give none."""
    colour = "-" if card[0] == "J" else card[0]
    game = Court(card).play(f"{card}>1").shows(table=["", card, "", ""])
    game.shows(total=[0, value(card), 0, 0], colour=f"-{colour}--")


def test_defaults_of_parameters():
    """Four players, road pieces of 1 to 15, the full deck, 5000 decisions."""
    assert sobremesa.Tables("figaro").parameters == {
        "num_players": 4,
        "road_lengths": tuple(range(1, 16)),
        "short_deck": False,
        "max_decisions": 5000,
        "reward": "outcome",
        "recall": True,
    }


# Setup


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_pieces_are_drawn_for_all_rounds_before_the_game(n):
    """n − 1 for each of three rounds, all open from the start, longest first; different ones out of 1 to 15."""
    pieces = observe_all(sobremesa.Tables("figaro", 500, seed=2, num_players=n))["pieces"].astype(int)
    assert (pieces[:, :, n - 1 :] == 0).all()
    drawn = pieces[:, :, : n - 1]
    assert (np.diff(drawn, axis=2) < 0).all()
    assert all(len(set(lengths.ravel())) == 3 * (n - 1) for lengths in drawn)
    assert set(drawn.ravel()) == set(range(1, 16))


def test_every_piece_is_as_likely_in_every_round():
    """Of 15 pieces 6 are drawn with three players: each is in a given round with probability 2/15."""
    num_tables = 9000
    pieces = observe_all(sobremesa.Tables("figaro", num_tables, seed=3, num_players=3))["pieces"]
    expected, deviation = num_tables * 2 / 15, np.sqrt(num_tables * 2 / 15 * 13 / 15)
    for group in range(3):
        frequencies = np.bincount(pieces[:, group, :2].ravel(), minlength=16)[1:]
        assert (np.abs(frequencies - expected) < 5 * deviation).all()


def test_pieces_of_equal_length_are_drawn_as_often_as_there_are():
    """With just enough pieces all of them lie open, repeated values included."""
    lengths = (4, 4, 1, 4, 200, 1)
    pieces = observe_all(sobremesa.Tables("figaro", 50, seed=4, num_players=3, road_lengths=lengths))["pieces"]
    assert {tuple(sorted(drawn[drawn > 0])) for drawn in pieces} == {(1, 1, 4, 4, 4, 200)}
    assert len({drawn.tobytes() for drawn in pieces}) > 5


def test_pieces_are_drawn_without_replacement():
    """Of two pieces of 9 at most two are drawn, now and then both."""
    lengths = (9, 9, *(1,) * 10)
    pieces = observe_all(sobremesa.Tables("figaro", 500, seed=5, num_players=3, road_lengths=lengths))["pieces"]
    assert set((pieces == 9).sum(axis=(1, 2))) == {0, 1, 2}


def test_every_game_draws_anew_from_the_whole_bag():
    """Games after one another don't use up the bag."""
    tables = sobremesa.Tables("figaro", 1, seed=5, num_players=6, max_decisions=1)
    drawn = set()
    for _ in range(20):
        pieces = observe_all(tables)["pieces"]
        assert sorted(pieces.ravel()) == list(range(1, 16))
        drawn.add(pieces.tobytes())
        tables.play_random(1)
    assert len(drawn) == 20


def test_seat_0_begins_and_holds_the_king():
    tables = sobremesa.Tables("figaro", 50, seed=6)
    assert (tables.current_player == 0).all()
    assert (observe_all(tables)["king"] == [1, 0, 0, 0]).all()


@pytest.mark.parametrize("first", range(4))
def test_the_starting_player_holds_the_king_at_first(first):
    Court(first=first).asks(first).shows(king=first, round=0)


@pytest.mark.parametrize(
    ("n", "size", "short"), [(3, 20, False), (4, 15, False), (5, 12, False), (6, 10, False), (3, 15, True)]
)
def test_all_cards_are_dealt_in_blocks(n, size, short):
    """Seat 0 the first block, and so on."""
    tables = sobremesa.Tables("figaro", num_players=n, short_deck=short)
    deck = np.random.default_rng(n).permutation([CODES[card] for card in (SHORT_DECK if short else FULL_DECK)])
    tables.reset(options={"deck": deck})
    for seat in range(n):
        seen = tables.game.decode(tables.observe(seat)[0], tables.parameters)
        assert seen["hand"].tolist() == np.bincount(deck[seat * size : (seat + 1) * size], minlength=18).tolist()
        assert seen["hand_size"].tolist() == [size] * n


def test_the_table_is_empty_when_a_round_begins():
    Court().shows(
        table=[""] * 4, total=[0] * 4, colour="----", pile_size=[0] * 4, road=[0] * 4, gone="", pieces=ROADS[4]
    )


# A colour card


def test_a_colour_card_goes_in_front_of_anybody_while_nobody_has_a_colour():
    """Oneself included; its colour is that seat's then."""
    for target in range(4):
        game = Court("r1 b2")
        assert (game.targets("r1"), game.targets("b2")) == ("0123", "0123")
        game.play(f"r1>{target}").asks(1).shows(colour="".join("r" if s == target else "-" for s in range(4)))


def test_a_colour_card_goes_in_front_of_the_seat_that_has_its_colour_only():
    """No other seat may have the same colour, whether it has another one or none."""
    game = Court("r1", "r2 b1", "r1 b2 g1").play("r1>3").asks(1)
    assert (game.targets("r2"), game.targets("b1")) == ("3", "012")
    game.play("b1>1").asks(2)
    assert (game.targets("r1"), game.targets("b2"), game.targets("g1")) == ("3", "1", "02")
    game.play("r1>3").shows(colour="-b-r", total=[0, 1, 0, 2], table=["", "b1", "", "r1 r1"])


def test_a_colour_that_is_gone_from_the_table_is_free_again():
    game = Court("r1", "r2 r1").play("r1>3 T").asks(1).shows(colour="----")
    assert game.targets("r2") == "0123"


def test_only_cards_in_hand_may_be_played():
    """Each of them, and no others."""
    game = Court("r1 r1 r2 b3 g1 g2 y2 y2 p1 p3 J1 J2 R R R")
    held = "r1 r2 b3 g1 g2 y2 p1 p3 J1 J2"
    assert game.legal == {f"{card}>{seat}" for card in held.split() for seat in range(4)} | {"R"}


def test_a_card_leaves_the_hand():
    game = Court("r1 r1").play("r1>2").shows(hand_size=[14, 15, 15, 15], table=["", "", "r1", ""])
    assert game.observe(0)["hand"][CODES["r1"]] == 1
    assert sum(game.observe(0)["hand"]) == 14


# Jesters


def test_a_jester_goes_in_front_of_anybody_always():
    """Whatever lies there; it has a value and no colour."""
    game = Court("r1", "b1", "J1 J2").play("r1>0 b1>1")
    assert (game.targets("J1"), game.targets("J2")) == ("0123", "0123")
    game.play("J2>0").shows(total=[3, 1, 0, 0], colour="rb--", table=["r1 J2", "b1", "", ""])


def test_a_seat_with_only_jesters_has_no_colour():
    """Any colour that nobody has may still go there, and then it is that seat's."""
    game = Court("J1", "r1", "r2 b1 g1").play("J1>3").asks(1).shows(colour="----", total=[0, 0, 0, 1])
    game.play("r1>0").asks(2)
    assert (game.targets("r2"), game.targets("b1")) == ("0", "123")
    game.play("b1>3").shows(colour="r--b", total=[1, 0, 0, 2], table=["r1", "", "", "J1 b1"])


def test_a_seat_with_only_rings_has_no_colour():
    game = Court("R", "r1 b1").play("R").asks(1).shows(colour="----", table=["", "R", "", ""])
    assert game.targets("r1") == "0123"
    game.play("r1>1").shows(colour="-r--", table=["", "R r1", "", ""])


def test_a_seat_with_only_jesters_and_rings_has_no_colour():
    game = Court("J2", "R", "y3").play("J2>1 R").asks(2).shows(colour="----", table=["", "", "J2 R", ""])
    assert game.targets("y3") == "0123"
    game.play("y3>2").shows(colour="--y-", total=[0, 0, 5, 0])


def test_jesters_go_in_front_of_a_sixth_player_when_all_colours_lie_elsewhere():
    """Six players, five colours: no colour card may go there."""
    game = Court("r1", "b1", "g1", "y1", "p1", "r2 b2 g2 y2 p2 J1 J2", n=6)
    game.play("r1>0 b1>1 g1>2 y1>3 p1>4").asks(5).shows(colour="rbgyp-")
    assert [game.targets(f"{colour}2") for colour in COLOURS] == ["0", "1", "2", "3", "4"]
    assert (game.targets("J1"), game.targets("J2")) == ("012345", "012345")
    game.play("J2>5").asks(0).shows(colour="rbgyp-", total=[1, 1, 1, 1, 1, 2])


# Rings


def test_a_ring_passes_everything_to_the_left():
    """In front of oneself, then every seat passes all its cards, this Ring included, colours with them."""
    game = Court("r2", "b1", "g3", "R").play("r2>0 b1>2 g3>3").asks(3)
    game.shows(colour="r-bg", total=[2, 0, 1, 3], table=["r2", "", "b1", "g3"])
    game.play("R").asks(0).shows(colour="gr-b", total=[3, 2, 0, 1], table=["g3 R", "r2", "", "b1"])
    game.shows(hand_size=[14, 14, 14, 14], pile_size=[0, 0, 0, 0])


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_a_ring_passes_round_the_last_seat(n):
    """Seat n − 1 passes to seat 0."""
    game = Court("y1", "R", n=n).play(f"y1>{n - 1} R").asks(2)
    game.shows(table=["y1", "", "R"] + [""] * (n - 3), colour="y" + "-" * (n - 1), total=[1] + [0] * (n - 1))


def test_colours_count_where_a_ring_has_carried_them():
    """The next card of a colour goes in front of its new owner, the seat left behind is free for another."""
    game = Court("r1", "R", "r2 b1").play("r1>0 R").asks(2).shows(colour="-r--")
    assert (game.targets("r2"), game.targets("b1")) == ("1", "023")
    game.play("b1>0").shows(colour="br--")


def test_rings_travel_with_the_cards():
    """A Ring that lies in front of a seat is passed on by the next Ring."""
    game = Court("R", "R", "R", "R").play("R").shows(table=["", "R", "", ""])
    game.play("R").shows(table=["", "", "R R", ""]).play("R").shows(table=["", "", "", "R R R"])
    game.play("R").asks(0).shows(table=["R R R R", "", "", ""], total=[0] * 4, colour="----")


def test_a_ring_has_value_0():
    """In front of a seat with 5 it makes nobody take, nor does it where the 5 are passed to."""
    game = Court("r3 R", "r2", "b1", "g1").play("r3>0 r2>0 b1>1 g1>2").asks(0).shows(total=[5, 1, 1, 0])
    game.play("R").asks(1).shows(total=[0, 5, 1, 1], table=["", "r3 r2 R", "b1", "g1"], pile_size=[0] * 4, gone="")


def test_after_a_ring_nobody_totals_more_than_before():
    """With 5 in front of everybody a Ring moves them all, and nobody takes."""
    game = Court("r3 r2 R", "b3 b2", "g3 g2", n=3).play("r3>0 b3>1 g3>2 r2>0 b2>1 g2>2").shows(total=[5, 5, 5])
    game.play("R").asks(1).shows(total=[5, 5, 5], colour="grb", table=["g3 g2", "r3 r2 R", "b3 b2"], pile_size=[0] * 3)


# TAKE


def test_taking_is_not_possible_while_no_card_lies_on_the_table():
    game = Court("r1", "b1")
    assert "T" not in game.legal
    game.play("r1>2").asks(1)
    assert "T" in game.legal
    game.play("T").asks(1)
    assert "T" not in game.legal


def test_a_ring_alone_can_be_taken():
    game = Court("R").play("R")
    assert "T" in game.legal
    game.play("T").asks(1).shows(pile_size=[0, 1, 0, 0], gone="R", table=[""] * 4)


def test_taking_by_choice():
    """Though cards could be played; all cards in front of all seats go to one's pile, Rings too."""
    game = Court("r1", "b2", "R", "J2 y1").play("r1>0 b2>3 R").asks(3)
    assert {"y1>3", "J2>0", "T"} <= game.legal
    game.play("T").shows(pile_size=[0, 0, 0, 3], gone="r1 b2 R", table=[""] * 4, total=[0] * 4, colour="----")


def test_who_takes_by_choice_has_the_next_turn():
    game = Court("r1", "b2", "R", "J2 y1").play("r1>0 b2>3 R T").asks(3)
    game.play("y1>3").asks(0).shows(pile_size=[0, 0, 0, 3], hand_size=[14] * 4)


def test_taking_by_need():
    """Nothing but TAKE is legal where no card can be played; the taker plays on."""
    stuck = " ".join(["y1"] * 3 + ["y2"] * 6 + ["y3"] + ["p1"] * 3 + ["p2"] * 6)
    game = Court("r1 g1", "b1 b2", f"J1 {stuck}", n=3).play("r1>0 b1>1 J1>2 g1>2 b2>1").asks(2)
    assert game.legal == {"T"}
    game.play("T").asks(2).shows(pile_size=[0, 0, 5], gone="r1 b1 J1 g1 b2")
    assert game.targets("y1") == "012"


def test_a_ring_or_a_jester_spares_a_player_the_need_to_take():
    """They can be played whatever lies on the table."""
    stuck = " ".join(["y1"] * 3 + ["y2"] * 6 + ["y3"] + ["p1"] * 3 + ["p2"] * 4)
    game = Court("r1 g1", "b1 b2", f"J1 J2 R {stuck}", n=3).play("r1>0 b1>1 J1>2 g1>2 b2>1").asks(2)
    assert game.legal == {"J2>0", "J2>1", "J2>2", "R", "T"}


def test_piles_and_cards_gone_add_up():
    game = Court("r1", "b1", "g1", "y1").play("r1>0 T b1>0 T g1>0 T y1>0 T").asks(0)
    game.shows(pile_size=[1, 1, 1, 1], hand_size=[14] * 4, gone="r1 b1 g1 y1")


# Six or more


def test_whoever_totals_6_takes_all_cards_in_front_of_all_seats():
    """The player's own card makes the 6."""
    game = Court("r3 r2 r1", "b1 b2", "g1 g2", "J1 y2").play("r3>0 b1>1 g1>2 J1>3 r2>0 b2>1 g2>2 y2>3").asks(0)
    game.shows(total=[5, 3, 3, 3], gone="").play("r1>0").asks(0)
    game.shows(pile_size=[9, 0, 0, 0], gone="r3 r2 r1 b1 b2 g1 g2 J1 y2", table=[""] * 4, total=[0] * 4, colour="----")
    game.shows(hand_size=[12, 13, 13, 13])


def test_rings_are_taken_with_the_rest():
    game = Court("R", "r3", "r2", "r1").play("R r3>1 r2>1 r1>1").asks(1)
    game.shows(pile_size=[0, 4, 0, 0], gone="R r3 r2 r1", table=[""] * 4)


def test_another_player_may_make_a_seat_take_and_that_seat_has_the_next_turn():
    """Seat 3 makes seat 2 take: seats 0 and 1 are passed over."""
    game = Court("r3", "J1", "b1", "J2").play("r3>2 J1>2 b1>0 J2>2").asks(2)
    game.shows(pile_size=[0, 0, 4, 0], gone="r3 J1 b1 J2", total=[0] * 4, hand_size=[14] * 4)
    Court("r3", "r2", "r1").play("r3>0 r2>0 r1>0").asks(0).shows(pile_size=[3, 0, 0, 0])


def test_the_turn_goes_on_clockwise_from_who_has_taken():
    Court("r3", "J1", "b1 b2", "J2 y1").play("r3>2 J1>2 b1>0 J2>2 b2>2").asks(3).play("y1>3").asks(0)


def test_more_than_6_is_taken_too():
    Court("r3", "r2", "r2").play("r3>1 r2>1 r2>1").asks(1).shows(pile_size=[0, 3, 0, 0], total=[0] * 4)


def test_jesters_alone_make_6():
    Court("J2", "J2", "J1", "J1").play("J2>3 J2>3 J1>3 J1>3").asks(3).shows(pile_size=[0, 0, 0, 4])


def test_5_is_not_enough():
    Court("r3", "r2").play("r3>0 r2>0").asks(2).shows(total=[5, 0, 0, 0], pile_size=[0] * 4)


def test_the_turn_passes_clockwise():
    game = Court("r1 r1", "b1", "g1", "y1", first=2).asks(2)
    game.play("g1>2").asks(3).play("y1>3").asks(0).play("r1>0").asks(1).play("b1>1").asks(2)


# The end of a round


def test_a_round_ends_when_a_turn_begins_without_cards():
    """Not before: the others have played their last cards. All cards are dealt anew, even those not yet played."""
    game = Court().drive(range(4), plays=59).asks(3).shows(hand_size=[0, 0, 0, 1], round=0, king=0)
    game.drive(range(4)).asks(0).shows(hand_size=[15] * 4, round=1, table=[""] * 4, pile_size=[0] * 4, gone="")


def test_a_round_may_end_while_others_hold_cards():
    """A seat that has taken is a card ahead."""
    game = Court("r3 r2 r1", "b1 b2", "g1 g2", "y1 y2").play("r3>0 b1>1 g1>2 y1>3 r2>0 b2>1 g2>2 y2>3 r1>0")
    game.drive(range(4), plays=47).asks(3).shows(hand_size=[0, 1, 1, 2], round=0)
    game.drive(range(4), plays=1).asks(0).shows(round=1, king=0, hand_size=[15] * 4)


def test_the_player_without_cards_takes_the_king_and_begins_the_next_round():
    """Seat 1 takes after one card each, so it runs out of cards first, though seat 0 began."""
    game = Court("r3", "r2", "J1", n=3).play("r3>1 r2>1 J1>1").asks(1).shows(king=0)
    game.drive(range(3)).asks(1).shows(king=1, round=1)


def test_most_cards_get_the_longest_piece_and_so_on():
    """Whoever takes has what was laid since the last take: 1 + 14 × 2 cards for seat 1, 15 × 2 for seat 3.

    Then 1 + 14 × 2 cards for seat 1, and 15 each for seats 2 and 3.
    """
    game = Court().drive([1, 3]).shows(road=[0, 8, 0, 9], king=0, pieces=[[], *ROADS[4][1:]])
    game.drive([1, 2, 3]).shows(road=[0, 8 + 6, 5, 9 + 4], round=2)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_last_gets_no_piece(n):
    """Everybody takes a card at a time, seat 0 one less than the others; there is one piece less than players."""
    game, roads = Court(n=n), np.zeros(n, int)
    for pieces in ROADS[n]:
        roads += [0, *pieces]
        game.drive(range(n)).shows(road=roads.tolist())
    game.ends([0]).shows(pile_size=[60 // n - 1] + [60 // n] * (n - 1))


def test_a_seat_without_cards_in_its_pile_gets_no_piece():
    """Left-over pieces go out of the game."""
    game = Court().drive([1]).asks(0).shows(road=[0, 9, 0, 0], pieces=[[], [6, 5, 4], [3, 2, 1]])
    game.drive([2]).shows(road=[0, 9, 6, 0], pieces=[[], [], [3, 2, 1]])


@pytest.mark.parametrize("first", range(4))
def test_ties_are_ranked_clockwise_from_the_left_of_the_king(first):
    """14 cards each and the rest on the table: the new holder, itself one of the equals, is the last."""
    game = Court(first=first).drive(range(4), plays=57).shows(pile_size=[14] * 4).drive([])
    roads = [0, 9, 8, 7]
    game.shows(king=first, road=roads[4 - first :] + roads[: 4 - first])


def test_ties_are_broken_from_the_new_holder_of_the_king():
    """Seat 1 takes the King from seat 0. Of 0 and 1, with 18 cards each, 0 is nearer to the left of 1."""
    game = Court("r3", "r2", "J1", n=3).play("r3>1 r2>1 J1>1").drive([2, 0], plays=9).drive(range(3), plays=45)
    game.shows(pile_size=[18, 18, 20], king=0).drive([]).shows(king=1, road=[8, 0, 9])


def test_cards_on_the_table_do_not_count():
    """14 cards each in the piles; three Jesters in front of seat 3 change nothing."""
    game = Court("r1", "J1", "J1", "J1").drive(range(4), keep=["r1", "J1", "J1", "J1"]).asks(0)
    game.play("T r1>0").shows(pile_size=[14] * 4).play("J1>3 J1>3 J1>3").shows(round=1, road=[0, 9, 8, 7])


def test_a_take_by_another_players_card_counts_for_a_player_without_cards():
    """The take comes first, then that player's turn begins without cards: it ends the round and takes the King."""
    keep = ["r1 r1", "b1 b2", "g3 g2", "y1 J1"]
    game = Court(*keep).drive(range(4), keep=keep).asks(0).play("T").shows(pile_size=[13] * 4)
    game.play("r1>0 b1>1 g3>2 y1>3 r1>0 b2>1 g2>2").asks(3).shows(hand_size=[0, 0, 0, 1], round=0)
    game.play("J1>2").asks(2).shows(king=2, round=1, road=[7, 0, 9, 8])


def test_a_take_by_the_last_card_of_the_player_itself_counts():
    """21 cards against 12 each; the others still hold a card."""
    keep = ["r3 r2 r1", "b1 b2 b1", "g1 g2 g1", "y1 y2 y1"]
    game = Court(*keep).drive(range(4), keep=keep).asks(0).play("T").shows(pile_size=[12] * 4)
    game.play("r3>0 b1>1 g1>2 y1>3 r2>0 b2>1 g2>2 y2>3").asks(0).shows(hand_size=[1] * 4, round=0)
    game.play("r1>0").asks(0).shows(king=0, round=1, road=[9, 8, 7, 0])


def test_the_round_ends_before_a_player_without_cards_could_take():
    """The last card stays on the table."""
    game = Court().drive(range(4)).drive(range(4)).drive(range(4)).ends([0])
    seen = game.observe(0)
    assert (sum(seen["table"]), seen["pile_size"], seen["hand_size"]) == (1, [14, 15, 15, 15], [0] * 4)


# The end of the game


def test_three_rounds_make_a_game():
    """Roads 0, 9 + 6 + 3, 8 + 5 + 2, 7 + 4 + 1: the shortest wins."""
    game = Court(reward="outcome").drive(range(4)).asks(0).shows(round=1).pays([0] * 4)
    game.drive(range(4)).asks(0).shows(round=2).pays([0] * 4).drive(range(4))
    game.ends([0], [1, -1 / 3, -1 / 3, -1 / 3]).shows(road=[0, 18, 15, 12])


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_outcome_has_one_winner(n):
    """+1, and −1 / (n − 1) for each of the others; here seat 2, which never takes."""
    game, takers = Court(n=n), set(range(n)) - {2}
    game.drive(takers).drive(takers).drive(takers)
    game.ends([2], [1 if seat == 2 else -1 / (n - 1) for seat in range(n)])
    assert [seat for seat, road in enumerate(game.observe(0)["road"]) if road == 0] == [2]


@pytest.mark.parametrize("first", range(3))
def test_the_kings_holder_wins_a_tie(first):
    """Everybody has two of the equal pieces."""
    seats = [(first + distance) % 3 for distance in range(3)]
    game = Court(n=3, first=first, road_lengths=(5,) * 6, roads=[[5, 5]] * 3)
    for without in (0, 1, 2):
        game.drive(set(seats) - {seats[without]})
    game.shows(road=[10, 10, 10], king=first).ends([first])


@pytest.mark.parametrize("first", range(4))
def test_the_first_clockwise_from_the_king_wins_a_tie_without_its_holder(first):
    """The two seats farthest to the left of the King have no road at all."""
    seats = [(first + distance) % 4 for distance in range(4)]
    game = Court(first=first, road_lengths=(5,) * 9, roads=[[5, 5, 5]] * 3)
    for _ in range(3):
        game.drive(seats[:2])
    assert [game.observe(0)["road"][seat] for seat in seats] == [15, 15, 0, 0]
    game.shows(king=first).ends([seats[2]])


def test_the_king_of_the_last_round_decides_a_tie():
    """Seat 1 takes it from seat 0 in the last round."""
    last = ["r3", "r2", "J1"]
    game = Court(n=3, last_hands=last, road_lengths=(5,) * 6, roads=[[5, 5]] * 3).drive([1, 2]).drive([0, 2])
    game.shows(king=0).play("r3>1 r2>1 J1>1").asks(1).drive([0, 1]).shows(road=[10, 10, 10], king=1).ends([1])


def test_the_longest_game_has_357_decisions():
    """Each card of a round is taken before the next one is played."""
    game = Court(max_decisions=357)
    for _ in range(3):
        game.drive(range(4))
    game.ends([0])
    assert game.tables.state["decisions"][0] == 357


def test_nothing_of_a_game_is_left_in_the_next_one():
    """Roads, rounds and the King begin anew, and nothing is dictated any more."""
    tables = sobremesa.Tables("figaro", seed=7)
    tables.reset(options={"starting_player": 2})
    while not tables.terminated[0]:
        tables.step(tables.legal_action_mask.argmax(axis=1))
    seen = {name: entries[0].tolist() for name, entries in observe_all(tables).items()}
    assert tables.current_player[0] == 0
    assert (seen["king"], seen["road"], seen["round"]) == ([1, 0, 0, 0], [0] * 4, [1, 0, 0])
    assert [sum(length > 0 for length in group) for group in seen["pieces"]] == [3, 3, 3]
    assert (seen["hand_size"], seen["pile_size"], sum(seen["gone"]), np.sum(seen["table"])) == ([15] * 4, [0] * 4, 0, 0)


# Rewards for the score


def test_the_score_is_paid_at_the_end_of_each_round():
    """(Mean road gained − my road gained) / 15: short roads are good."""
    game = Court(reward="score").drive(range(4), plays=59).pays([0] * 4).drive(range(4))
    game.shows(road=[0, 9, 8, 7]).pays([6 / 15, -3 / 15, -2 / 15, -1 / 15])
    game.drive([1]).shows(road=[0, 15, 8, 7]).pays([1.5 / 15, -4.5 / 15, 1.5 / 15, 1.5 / 15])
    game.drive([1, 3]).ends([0], [1.25 / 15, -0.75 / 15, 1.25 / 15, -1.75 / 15])


def test_the_score_is_divided_by_the_longest_piece_drawn_or_not():
    game = Court(reward="score", road_lengths=(*range(1, 10), 40)).drive(range(4))
    game.pays([6 / 40, -3 / 40, -2 / 40, -1 / 40])


def test_there_is_no_reward_within_a_round():
    """Not for a take either."""
    Court("r3", "r2", "r1", reward="score").play("r3>0 r2>0 r1>0").shows(pile_size=[3, 0, 0, 0]).pays([0] * 4)


# max_decisions


@pytest.mark.parametrize("reward", ["outcome", "score"])
def test_a_game_is_truncated_after_max_decisions(reward):
    """Nobody wins, the open round pays nothing; its pieces stay, and what the last decision left is seen."""
    game = Court("r1", "b2", max_decisions=2, reward=reward).play("r1>0").asks(1).play("b2>3").ends([], [0] * 4, True)
    game.shows(table=["r1", "", "", "b2"], hand_size=[14, 14, 15, 15], round=0, pieces=ROADS[4], king=0)


def test_a_truncated_game_keeps_the_rounds_that_are_paid():
    """The decision that ends a round is the last: the next round is dealt, and the game is cut off."""
    game = Court(max_decisions=119, reward="score").drive(range(4)).ends([], [6 / 15, -3 / 15, -2 / 15, -1 / 15], True)
    game.shows(round=1, hand_size=[15] * 4, road=[0, 9, 8, 7], pieces=[[], *ROADS[4][1:]], pile_size=[0] * 4)


# What is seen


def test_a_seat_sees_its_own_hand_only():
    """And the sizes of the others'."""
    game = Court("r3 r1", "b3", "g3", "y3").play("r1>0")
    for seat in range(4):
        assert [game.observe(seat)["hand"][CODES[card]] for card in ("r3", "b3", "g3", "y3")] == one_hot(4, seat)
    game.shows(hand_size=[14, 15, 15, 15])


def test_cards_gone_are_those_of_this_round():
    game = Court("r1", "b1").play("r1>0 T").shows(gone="r1").play("b1>1 T").shows(gone="r1 b1", pile_size=[0, 1, 1, 0])
    game.drive(range(4)).shows(gone="", pile_size=[0] * 4)


def test_without_recall_cards_gone_are_not_seen():
    with_recall, without = (sobremesa.Tables("figaro", seed=1, recall=recall) for recall in (True, False))
    assert [name for name in with_recall.observation_fields if name not in without.observation_fields] == ["gone"]
    assert with_recall.observation[0, : without.observation_size].tolist() == without.observation[0].tolist()


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_fields_and_their_shapes(n):
    fields = sobremesa.Tables("figaro", num_players=n).observation_fields
    assert {name: field.shape for name, field in fields.items()} == {
        "to_act": (n,),
        "hand": (18,),
        "hand_size": (n,),
        "table": (n, 18),
        "total": (n,),
        "colour": (n, 5),
        "pile_size": (n,),
        "king": (n,),
        "road": (n,),
        "round": (3,),
        "pieces": (3, 5),
        "gone": (18,),
    }
    maxima = {name: field.maximum for name, field in fields.items() if field.maximum > 1}
    assert maxima == {
        "hand": 6, "hand_size": 60 // n, "table": 6, "total": 5, "pile_size": 60, "road": 42, "pieces": 15, "gone": 6
    }  # fmt: skip


def test_what_is_seen_after_the_last_round():
    """`round` stays, hands, table, piles and `gone` stay as they lay, the pieces are all scored."""
    game = Court(n=3, last_hands=["r3 r2 r1", "b1 b2", "g1 g2"]).drive(range(3)).drive(range(3))
    game.play("r3>0 b1>1 g1>2 r2>0 b2>1 g2>2 r1>0").asks(0)
    game.drive(range(3)).shows(round=2, pieces=[[], [], []], king=0, to_act=None)
    seen = game.observe(0)
    assert seen["hand_size"] == [0, 1, 1]
    assert sum(game.observe(1)["hand"]) == 1
    assert sum(seen["pile_size"]) == sum(seen["gone"]) == 60 - 2 - sum(seen["table"])
    assert sum(seen["table"]) == 1


# Actions and texts


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_ids_of_actions(n):
    """PLAY kind k in front of relative seat s: k·n + s; RING 17·n; TAKE 17·n + 1."""
    names = sobremesa.Tables("figaro", num_players=n).action_names
    assert len(names) == len(set(names)) == 17 * n + 2
    assert (names[0], names[n - 1]) == ("PLAY red 1 in front of me", f"PLAY red 1 in front of left {n - 1}")
    assert names[8 * n + 2] == "PLAY green 3 in front of left 2"
    assert names[14 * n] == "PLAY purple 3 in front of me"
    assert names[16 * n + 1] == "PLAY Jester 2 in front of left 1"
    assert names[17 * n :] == ("RING", "TAKE")


def test_a_table_as_text():
    game = Court("r1", "b2 J1", " ".join(["g2"] * 6 + ["y2"] * 6 + ["p2"] * 6 + ["R", "R"]), n=3)
    game.play("r1>1 T J1>0")
    assert game.tables.to_text(0).splitlines() == [
        "Figaro, seen by player_2: round 1 of 3, player_2 to act",
        "  road pieces 9 8 | 7 6 | 5 4",
        "* player_2: road 0, pile 0, hand 20, in front 0: -",
        "  player_0, King: road 0, pile 0, hand 19, in front 1: 1×Jester 1",
        "  player_1: road 0, pile 1, hand 19, in front 0: -",
        "  hand 6×green 2, 6×yellow 2, 6×purple 2, 2×Ring",
        "  gone 1×red 1",
    ]
    game.drive(range(3)).drive([1]).drive([2])
    assert game.tables.to_text(0).splitlines()[:2] == [
        "Figaro, seen by player_0: round 3 of 3, over",
        "  road pieces - | - | -",
    ]


# Parameters


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"num_players": 2}, "num_players must be an integer from 3 to 6, not 2"),
        ({"num_players": 7}, "num_players must be an integer from 3 to 6, not 7"),
        ({"short_deck": True}, "short_deck is only for 3 players, not 4"),
        ({"short_deck": True, "num_players": 6}, "short_deck is only for 3 players, not 6"),
        ({"short_deck": 1, "num_players": 3}, "short_deck must be True or False, not 1"),
        ({"road_lengths": (0,) * 9}, r"road_lengths\[0\] must be an integer from 1 to 253, not 0"),
        ({"road_lengths": (1,) * 8 + (-2,)}, r"road_lengths\[8\] must be an integer from 1 to 253, not -2"),
        ({"road_lengths": (1,) * 8 + (254,)}, r"road_lengths\[8\] must be an integer from 1 to 253, not 254"),
        ({"road_lengths": (1,) * 8 + (2.0,)}, r"road_lengths\[8\] must be an integer from 1 to 253, not 2.0"),
        ({"road_lengths": 15}, "road_lengths must be a sequence, not 15"),
        ({"road_lengths": ()}, "road_lengths must have at least one entry"),
        ({"road_lengths": None}, "road_lengths must be a sequence, not None"),
        ({"road_lengths": (1,) * 8}, "road_lengths must have from 9 to 255 entries with 4 players, not 8"),
        ({"road_lengths": (1,) * 14, "num_players": 6}, "from 15 to 255 entries with 6 players, not 14"),
        ({"road_lengths": (1,) * 256}, "road_lengths must have from 9 to 255 entries with 4 players, not 256"),
        ({"road_lengths": (85,) * 8 + (86,)}, "the three largest of road_lengths must make at most 255, not 256"),
        ({"rounds": 3}, "figaro has no parameter 'rounds'"),
    ],
)
def test_parameters_that_are_refused(given, told):
    with pytest.raises(sobremesa.ParameterError, match=told):
        sobremesa.Tables("figaro", **given)


@pytest.mark.parametrize("lengths", [(85,) * 9, (253,) + (1,) * 254, [1, 2] * 8, np.arange(1, 20)])
def test_road_lengths_up_to_the_bounds(lengths):
    """253 + 1 + 1 and 85 + 85 + 85 are the longest roads; 255 entries at most."""
    tables = sobremesa.Tables("figaro", 30, seed=1, road_lengths=lengths)
    assert tables.parameters["road_lengths"] == tuple(lengths)
    assert tables.observation_fields["pieces"].maximum == max(lengths)
    assert tables.observation_fields["road"].maximum == sum(sorted(lengths)[-3:])
    assert set(observe_all(tables)["pieces"].ravel()) <= {0, *lengths}


def test_a_road_of_255_can_be_reached():
    game = Court(road_lengths=(85,) * 9, roads=[[85] * 3] * 3).drive([1]).drive([1]).drive([1])
    game.shows(road=[0, 255, 0, 0]).ends([0])


# Options


def dictate(**options: Any) -> sobremesa.Tables:
    tables = sobremesa.Tables("figaro", seed=9)
    tables.reset(options=options)
    return tables


FULL_CODES = [CODES[card] for card in FULL_DECK]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"deck": FULL_CODES[1:]}, r"deck must hold each of the 60 components once; missing: 1 × 0 \(red 1\)"),
        ({"deck": [3, *FULL_CODES[1:]]}, r"missing: 1 × 0 \(red 1\); too many: 1 × 3 \(blue 1\)"),
        ({"deck": [18, *FULL_CODES[1:]]}, r"missing: 1 × 0 \(red 1\); too many: 1 × 18 \(no card\)"),
        ({"deck": [FULL_CODES, FULL_CODES[:-1]]}, r"deck\[1\] must hold .* missing: 1 × 17 \(Ring\)"),
        ({"deck": [FULL_CODES] * 4 + [[1]]}, r"deck\[4\] must hold"),
        ({"deck": [FULL_CODES, None]}, r"deck\[1\] must be a sequence, not None"),
        ({"deck": []}, "deck must have at least one entry"),
        ({"deck": None}, "deck must be a sequence, not None"),
        ({"deck": [CODES[card] for card in SHORT_DECK]}, "deck must hold each of the 60 components once"),
        ({"roads": [[1, 2, 3], [4, 5, 6]]}, "roads must have 3 entries, not 2"),
        ({"roads": [[1, 2, 3], [4, 5], [7, 8, 9]]}, r"roads\[1\] must have 3 entries, not 2"),
        ({"roads": [[1, 2, 3], [4, 5, 6, 10], [7, 8, 9]]}, r"roads\[1\] must have 3 entries, not 4"),
        ({"roads": [[1, 2, 3], [4, 5, 6], [7, 8, 16]]}, "it has 1 of length 16, road_lengths has 0"),
        ({"roads": [[1, 2, 3], [4, 5, 3], [7, 8, 9]]}, "it has 2 of length 3, road_lengths has 1"),
        ({"roads": [[1, 2, 3], [4, 5, 0], [7, 8, 9]]}, r"roads\[1\]\[2\] must be an integer from 1 to 253, not 0"),
        ({"roads": [[1, 2, 3], None, [7, 8, 9]]}, r"roads\[1\] must be a sequence, not None"),
        ({"roads": None}, "roads must be a sequence, not None"),
        ({"roads": [1, 2, 3]}, r"roads\[0\] must be a sequence, not 1"),
        ({"starting_player": 4}, "starting_player must be an integer from 0 to 3, not 4"),
        ({"starting_player": -1}, "starting_player must be an integer from 0 to 3, not -1"),
        ({"starting_player": [0, 1]}, r"starting_player takes at most 1, not 2: \[0, 1\]"),
        ({"starting_player": []}, "starting_player must have at least one entry"),
        ({"starting_player": None}, "starting_player must be an integer from 0 to 3, not None"),
        ({"king": 1}, "figaro has no option 'king'; its options: deck, roads, starting_player"),
    ],
)
def test_options_that_are_refused(options, told):
    """With a word that helps, and nothing has changed."""
    tables = sobremesa.Tables("figaro", seed=9)
    before = tables.state.copy()
    with pytest.raises(sobremesa.ParameterError, match=told):
        tables.reset(options=options)
    assert tables.state.tobytes() == before.tobytes()


def test_a_single_deck_is_for_the_first_round():
    """The next one is shuffled."""
    decks = []
    for seed in (1, 2):
        tables = sobremesa.Tables("figaro", seed=seed, autoreset=False)
        tables.reset(options={"deck": FULL_CODES})
        decks.append([tables.state["hand"][0].tolist()])
        while observe_all(tables)["round"][0, 0]:
            tables.step(tables.legal_action_mask.argmax(axis=1))
        decks[-1].append(tables.state["hand"][0].tolist())
    assert decks[0][0] == decks[1][0]
    assert decks[0][1] != decks[1][1]


def test_a_list_of_decks_has_one_for_each_round():
    """Those beyond the last round are not used."""
    game = Court()
    rng = np.random.default_rng(3)
    decks = [rng.permutation(FULL_CODES).tolist() for _ in range(5)]
    game.tables.reset(options={"deck": decks})
    for deck in decks[:3]:
        for seat in range(4):
            hand = np.bincount(deck[15 * seat : 15 * (seat + 1)], minlength=18).tolist()
            assert game.observe(seat)["hand"] == hand
        game.drive(range(4))
    game.ends([0])


def test_roads_may_be_given_in_any_order():
    tables = dictate(roads=[[7, 15, 1], (4, 2, 9), np.array([3, 5, 14])])
    assert observe_all(tables)["pieces"][0].tolist() == [[15, 7, 1, 0, 0], [9, 4, 2, 0, 0], [14, 5, 3, 0, 0]]


def test_roads_may_repeat_a_length_as_often_as_there_are_pieces_of_it():
    tables = sobremesa.Tables("figaro", num_players=3, road_lengths=(3, 8, 3, 8, 1, 1, 3))
    tables.reset(options={"roads": [[3, 3], [8, 3], [8, 1]]})
    assert observe_all(tables)["pieces"][0, :, :2].tolist() == [[3, 3], [8, 3], [8, 1]]
    with pytest.raises(sobremesa.ParameterError, match="it has 3 of length 8, road_lengths has 2"):
        tables.reset(options={"roads": [[3, 8], [8, 3], [8, 1]]})


def test_the_short_deck_is_dictated_with_its_own_cards():
    game = Court("r3", n=3, short_deck=True).play("r3>2").asks(1).shows(hand_size=[14, 15, 15], colour="--r")
    with pytest.raises(sobremesa.ParameterError, match="deck must hold each of the 45 components once"):
        game.tables.reset(options={"deck": FULL_CODES})
    for _ in range(3):
        game.drive(range(3))
    game.ends([0])


@pytest.mark.parametrize("given", [2, [2], (2,), np.int64(2)])
def test_a_starting_player_may_be_a_list_of_one(given):
    tables = dictate(starting_player=given)
    assert tables.current_player[0] == 2
    assert tables.state["king"][0] == 2


def test_what_is_not_dictated_follows_the_rules():
    """Without `roads` and `starting_player` pieces are drawn and seat 0 begins; without `deck` it is shuffled."""
    tables = dictate(deck=FULL_CODES)
    assert tables.current_player[0] == 0
    assert (observe_all(tables)["pieces"][0, :, :3] > 0).all()
    hands = set()
    for seed in (9, 10):
        tables = sobremesa.Tables("figaro", seed=seed)
        tables.reset(options={"starting_player": 1})
        hands.add(tables.state["hand"].tobytes())
    assert len(hands) == 2
