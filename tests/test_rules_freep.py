"""Freep, clause by clause of its rules document: scripted deals, and what the text says must come of them.

A deck is written in draw order: numbers, W (Wild), S (Steal), L (Life); bars only help the eye. The counts of
the components follow from a match's first deck.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import sobremesa
import support

CODES = {**{str(number): number for number in range(1, 10)}, "W": 10, "S": 11, "L": 12}
PHASES = ("turn start", "call", "life found", "announce", "mine")
SEAT_FIELDS = ("saved_lives", "pile_size", "visible_number", "wins", "below_visible")
NUMBERS = range(1, 10)
ACTIONS = (
    *("HIGHER", "LOWER", "STAND", "REVEAL", "USE_LIFE", "KEEP_LIFE", "CLAIM", "DECLINE"),
    *(f"ANNOUNCE_{number}" for number in NUMBERS),
)

# What a seat may be asked, as the names of the legal actions in the order of their ids
TURN_START = "REVEAL USE_LIFE"
FIRST_CALL = "HIGHER LOWER"
CALL = "HIGHER LOWER STAND"
LIFE_FOUND = "USE_LIFE KEEP_LIFE"
ANNOUNCE = " ".join(ACTIONS[8:])
MINE = "CLAIM DECLINE"
PHASE_OF = {
    TURN_START: "turn start",
    FIRST_CALL: "call",
    CALL: "call",
    LIFE_FOUND: "life found",
    ANNOUNCE: "announce",
    MINE: "mine",
}


def cards(text: str) -> list[int]:
    return [CODES[word] for word in text.replace("|", " ").split()]


def components(deck: list[int]) -> dict[str, Any]:
    """The parameters of a game with exactly these cards."""
    counts = np.bincount(deck, minlength=13).tolist()
    return {"number_counts": tuple(counts[1:10]), "wilds": counts[10], "steals": counts[11], "lives": counts[12]}


def one_hot(size: int, index: int) -> list[int]:
    return [int(i == index) for i in range(size)]


def count(size: int, codes: list[int]) -> list[int]:
    """How many there are of each code from 1 to `size`."""
    return [codes.count(code) for code in range(1, size + 1)]


def pad(size: int, codes: list[int]) -> list[int]:
    return codes + [0] * (size - len(codes))


class Match:
    """A match of dictated deals, played by the names of actions. `first`: who begins, a seat or one for each round."""

    def __init__(self, *decks: str, first: Any = 0, **parameters: Any):
        deals = [cards(deck) for deck in decks]
        self.num_cards = len(deals[0])
        self.tables = sobremesa.Tables("freep", 1, autoreset=False, **{**components(deals[0]), **parameters})
        self.tables.reset(options={"deck": deals, "starting_player": first})

    @property
    def legal(self) -> str:
        return " ".join(ACTIONS[action] for action in np.flatnonzero(self.tables.legal_action_mask[0]))

    @property
    def rewards(self) -> list[float]:
        return self.tables.rewards[0].tolist()

    def play(self, names: str) -> Match:
        for name in names.split():
            self.tables.step([ACTIONS.index(name)])
        return self

    def observe(self, seat: int) -> dict[str, list[int]]:
        """The fields that `seat` sees, by name, flat."""
        seen = self.tables.game.decode(self.tables.observe(seat)[0], self.tables.parameters)
        return {name: entries.ravel().tolist() for name, entries in seen.items()}

    def encode(self, name: str, value: Any, seat: int) -> list[int]:
        """A field as `seat` must see it. Seats are given absolute, cards and orders as text."""
        num_players = self.tables.num_players
        if name in SEAT_FIELDS:
            return value[seat:] + value[:seat]
        if name == "active_seat":
            return one_hot(num_players, (value - seat) % num_players)
        if name == "phase":
            return one_hot(5, PHASES.index(value) if value else -1)
        if name == "last_call":
            return one_hot(2, ACTIONS.index(value) if value else -1)
        if name == "next_card":
            return one_hot(13, CODES[value] if value else 0)
        if name in ("row", "unseen"):
            return count({"row": 10, "unseen": 12}[name], cards(value))
        if name in ("row_values", "deck_order", "failure_order"):
            return pad(12 if name == "row_values" else self.num_cards, cards(value))
        return value if isinstance(value, list) else [value]

    def shows(self, **fields: Any) -> Match:
        """Checks these fields in the eyes of every seat."""
        for seat in range(self.tables.num_players):
            seen = self.observe(seat)
            for name, value in fields.items():
                assert seen[name] == self.encode(name, value, seat), f"{name} as seat {seat} sees it"
        return self

    def asks(self, seat: int, legal: str, turn_of: int | None = None) -> Match:
        """Checks that the game goes on, who is asked and what, and that every seat sees so."""
        assert (self.tables.terminated[0], self.tables.truncated[0]) == (False, False)
        assert (self.tables.current_player[0], self.legal) == (seat, legal)
        assert np.array_equal(self.tables.observation, self.tables.observe(seat))
        return self.shows(phase=PHASE_OF[legal], active_seat=seat if turn_of is None else turn_of)

    def ends(self, winners: list[int], rewards: list[float] | None = None, truncated: bool = False) -> Match:
        """Checks that the game is over, how, and that nothing of a phase is left to be seen."""
        assert (self.tables.terminated[0], self.tables.truncated[0]) == (not truncated, truncated)
        assert (self.tables.current_player[0], self.legal) == (-1, "")
        assert np.flatnonzero(self.tables.winners[0]).tolist() == winners
        if rewards is not None:
            assert self.rewards == pytest.approx(rewards, abs=1e-6)
        return self.shows(phase="", last_call="", can_stand=0, failed_number=0)


# The sheet's examples


def test_example_of_a_turn():
    """4; higher 7; lower 6; higher 6 ties, both won, reference 7; lower 9 fails: 4, 7, 9 fall, the two 6s stay."""
    match = Match("4 7 6 6 9 | 5 5")
    match.asks(0, FIRST_CALL).shows(reference=4, row="4", row_below=0)
    match.play("HIGHER").asks(0, CALL).shows(reference=7, row="4 7", row_below=4, row_values="7 4")
    match.play("LOWER").asks(0, CALL).shows(reference=6, row="4 7 6", row_below=7, row_values="6 7 4")
    match.play("HIGHER").asks(0, CALL).shows(reference=7, row="4 7", row_below=4, row_values="7 4")
    match.shows(pile_size=[2, 0], visible_number=[6, 0], below_visible=[6, 0], failure_size=0)
    match.play("LOWER").asks(1, FIRST_CALL).shows(failure_order="4 7 9", failure_top=9, failure_size=3)
    match.shows(pile_size=[2, 0], visible_number=[6, 0], below_visible=[6, 0], reference=5, row="5")


def test_example_of_a_tie():
    """Reference 3; higher, 7; lower, another 7: both 7s are won and the reference is the 3 again."""
    match = Match("3 7 7 | 5 5").play("HIGHER LOWER").asks(0, CALL)
    match.shows(reference=3, row="3", row_below=0, pile_size=[2, 0], visible_number=[7, 0], below_visible=[7, 0])


@pytest.mark.parametrize(("call", "acting"), [("HIGHER", 4), ("LOWER", 2)])
def test_example_of_a_wild(call, acting):
    """Reference 3: a Wild acts as 4 on higher, as 2 on lower."""
    match = Match("3 W | 5 5").play(call).asks(0, CALL)
    match.shows(reference=acting, row="3 W", row_below=3, row_values=f"{acting} 3")


def test_example_of_a_steal():
    """Reference 5, higher, Steal: the visible cards of all who show 6, 7, 8 or 9 are taken, a 5 is not."""
    match = Match("5 6 | 6 7 | 9 8 | 8 9 | 6 5 | 5 S | 1 1", first=1, num_players=6)
    match.play("HIGHER STAND HIGHER STAND LOWER STAND HIGHER STAND LOWER STAND").asks(0, FIRST_CALL)
    match.shows(visible_number=[0, 6, 7, 8, 9, 5], pile_size=[0, 2, 2, 2, 2, 2])
    match.play("HIGHER").asks(0, FIRST_CALL).shows(reference=5, row="5")
    match.shows(visible_number=[9, 5, 6, 9, 8, 5], pile_size=[4, 1, 1, 1, 1, 2], below_visible=[8, 0, 0, 0, 0, 6])


# Components


def test_a_wild_that_ends_the_match_is_counted_once():
    """It lies in the won pile then: nothing waits for a value any more."""
    match = Match("5 5 W", wins_to_finish=1).play("HIGHER").asks(0, ANNOUNCE)
    num_cards, parameters = support.situation("freep").num_cards, match.tables.parameters
    before = num_cards(match.tables.state[0], parameters)
    match.play("ANNOUNCE_2").ends([0]).shows(pile_size=[3, 0])
    assert num_cards(match.tables.state[0], parameters) == before


def test_default_deck():
    """74 numbers (6, 8, 8, 10, 10, 10, 8, 8, 6), 3 Wilds, 3 Steals and 3 Lives: 83 cards."""
    tables = sobremesa.Tables("freep", autoreset=False)
    deck = np.repeat(np.arange(1, 13), [6, 8, 8, 10, 10, 10, 8, 8, 6, 3, 3, 3])
    tables.reset(options={"deck": deck, "starting_player": 0})
    seen = tables.game.decode(tables.observe(0)[0], tables.parameters)
    assert seen["unseen"].tolist() == [5, 8, 8, 10, 10, 10, 8, 8, 6, 3, 3, 3]
    assert (seen["reference"].tolist(), seen["deck_size"].tolist()) == ([1], [82])


def test_defaults_of_parameters():
    """Two players, three wins, three idle passes, 5000 decisions."""
    parameters = sobremesa.Tables("freep").parameters
    assert parameters == {
        "num_players": 2,
        "number_counts": (6, 8, 8, 10, 10, 10, 8, 8, 6),
        "wilds": 3,
        "steals": 3,
        "lives": 3,
        "wins_to_finish": 3,
        "idle_passes": 3,
        "max_decisions": 5000,
        "reward": "outcome",
        "recall": True,
    }


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"num_players": 1}, "num_players must be an integer from 2 to 6, not 1"),
        ({"num_players": 7}, "num_players must be an integer from 2 to 6, not 7"),
        ({"num_players": 2.0}, "num_players must be an integer from 2 to 6, not 2.0"),
        ({"number_counts": (1,) * 8}, "number_counts must have 9 entries, not 8"),
        ({"number_counts": (1,) * 10}, "number_counts must have 9 entries, not 10"),
        ({"number_counts": 8}, "number_counts must be a sequence, not 8"),
        (
            {"number_counts": (8, 8, -1, 8, 8, 8, 8, 8, 8)},
            r"number_counts\[2\] must be an integer from 0 to 255, not -1",
        ),
        ({"number_counts": (8, 8.5, 8, 8, 8, 8, 8, 8, 8)}, r"number_counts\[1\] must be an integer .*, not 8.5"),
        ({"wilds": -1}, "wilds must be an integer from 0 to 255, not -1"),
        ({"steals": -1}, "steals must be an integer from 0 to 255, not -1"),
        ({"lives": True}, "lives must be an integer from 0 to 255, not True"),
        ({"wins_to_finish": 0}, "wins_to_finish must be an integer from 1 to 255, not 0"),
        ({"wins_to_finish": 256}, "wins_to_finish must be an integer from 1 to 255, not 256"),
        ({"idle_passes": -1}, "idle_passes must be an integer from 0 to .*, not -1"),
        ({"max_decisions": 0}, "max_decisions must be an integer from 1 to .*, not 0"),
        ({"reward": "points"}, "reward must be one of .*, not 'points'"),
        ({"recall": 1}, "recall must be True or False, not 1"),
        ({"players": 2}, "no parameter 'players'; its parameters: num_players, number_counts"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    """Each parameter has its range; the error names the value and what would be right."""
    with pytest.raises(sobremesa.ParameterError, match=message):
        sobremesa.Tables("freep", **parameters)


@pytest.mark.parametrize(("kinds", "total"), [({"wilds": 176}, 256), ({"steals": 200}, 280), ({"lives": 255}, 335)])
def test_more_than_255_cards_are_refused(kinds, total):
    """All cards together are at most 255."""
    with pytest.raises(sobremesa.ParameterError, match=f"number_counts, wilds, steals and lives .*{total}.*255"):
        sobremesa.Tables("freep", **kinds)
    assert sobremesa.Tables("freep", wilds=175).observation_fields["deck_order"].shape == (255,)


@pytest.mark.parametrize(("numbers", "wilds"), [(0, 0), (0, 1), (1, 0)])
def test_fewer_than_two_numbers_and_wilds_are_refused(numbers, wilds):
    """Numbers and Wilds together are at least two, however many Steals and Lives there are."""
    with pytest.raises(sobremesa.ParameterError, match=f"number_counts and wilds .*{numbers + wilds} .*at least 2"):
        sobremesa.Tables("freep", number_counts=(0, numbers, 0, 0, 0, 0, 0, 0, 0), wilds=wilds, steals=9, lives=9)


# Zones: the visible number


def test_visible_number_is_that_of_the_top_won_card():
    """A seat's visible number is the number on its visible card, 0 while its pile is empty."""
    match = Match("3 5 8 | 9 2 | 1 1").shows(visible_number=[0, 0], pile_size=[0, 0], below_visible=[0, 0])
    match.play("HIGHER HIGHER STAND").shows(visible_number=[8, 0], pile_size=[3, 0], below_visible=[5, 0])
    match.play("LOWER STAND").shows(visible_number=[8, 2], pile_size=[3, 2], below_visible=[5, 9])


def test_a_wild_on_a_won_pile_shows_no_number():
    """A Wild on top makes the visible number 0, whatever it acted as; the card under it is what it is."""
    match = Match("3 W | 6 W 8 | 1 1").play("HIGHER STAND").shows(visible_number=[0, 0], below_visible=[3, 0])
    match.play("HIGHER HIGHER STAND").shows(visible_number=[0, 8], below_visible=[3, 0], pile_size=[2, 3])


@pytest.mark.parametrize("call", ["HIGHER", "LOWER"])
def test_a_wild_on_a_won_pile_is_not_stolen(call):
    """In a won pile a Wild has no number, so no Steal takes it."""
    match = Match("3 W | 5 S | 1 1").play("HIGHER STAND").play(call).asks(1, FIRST_CALL)
    match.shows(pile_size=[2, 0], visible_number=[0, 0], below_visible=[3, 0])


def test_a_wild_on_a_won_pile_is_not_matched_by_mine():
    """A Wild that was won as a 4 does not match a failed 4."""
    match = Match("3 W | 6 4 | 1 1").play("HIGHER STAND HIGHER").asks(0, FIRST_CALL)
    match.shows(failure_order="6 4", pile_size=[2, 0])


# Who begins


def test_each_round_begins_with_a_seat_drawn_uniformly():
    """The first seat is drawn at random for every round, independent of the round before."""
    tables = sobremesa.Tables(
        "freep", 1800, seed=7, num_players=3, idle_passes=1, **components(cards("5 7"))
    )  # every call ends a round
    first = tables.current_player.copy()
    tables.step(np.zeros(1800, np.int64))
    both = np.bincount(3 * first + tables.current_player, minlength=9)
    assert both.sum() == 1800
    assert np.abs(both - 200).max() < 60  # 4.5 standard deviations


def test_a_round_is_played_clockwise():
    """Turns go clockwise, to the seat on the left."""
    match = Match("1 2 | 3 4 | 5 6 | 7 8 | 9 9", first=2, num_players=4)
    for seat in (2, 3, 0, 1):
        match.asks(seat, FIRST_CALL).play("HIGHER").asks(seat, CALL).play("STAND")
    match.asks(2, FIRST_CALL)


# 1. Turn start


def test_a_player_with_a_saved_life_is_asked_before_the_first_card():
    """With saved lives a turn starts with the question; no card has been revealed yet."""
    match = Match("L 5 7 | 2 3 | 8 1 1").play("KEEP_LIFE HIGHER STAND")
    match.asks(1, FIRST_CALL).play("HIGHER STAND").asks(0, TURN_START)
    match.shows(saved_lives=[1, 0], active_lives=0, reference=0, row="", can_stand=0, deck_size=3, unseen="8 1 1")


def test_reveal_keeps_the_saved_life():
    """REVEAL turns the first card and leaves the life beside the player; it protects from nothing."""
    match = Match("L 5 7 | 2 3 | 8 1 | 6 6").play("KEEP_LIFE HIGHER STAND HIGHER STAND REVEAL")
    match.asks(0, FIRST_CALL).shows(reference=8, saved_lives=[1, 0], active_lives=0)
    match.play("HIGHER").asks(1, FIRST_CALL).shows(failure_order="8 1", saved_lives=[1, 0])


def test_a_saved_life_that_is_used_becomes_active_and_the_question_is_repeated():
    """USE_LIFE makes one saved life active; the player is asked again while any is left."""
    match = Match("L L L 5 7 | 2 3 | 8 1 1 1").play("KEEP_LIFE KEEP_LIFE KEEP_LIFE HIGHER STAND HIGHER STAND")
    match.asks(0, TURN_START).shows(saved_lives=[3, 0], active_lives=0)
    match.play("USE_LIFE").asks(0, TURN_START).shows(saved_lives=[2, 0], active_lives=1, reference=0)
    match.play("USE_LIFE").asks(0, TURN_START).shows(saved_lives=[1, 0], active_lives=2, reference=0)
    match.play("REVEAL").asks(0, FIRST_CALL).shows(saved_lives=[1, 0], active_lives=2, reference=8)


def test_when_the_last_saved_life_is_used_the_first_card_is_revealed_at_once():
    """With none left the first card is revealed at once, without REVEAL."""
    match = Match("L 5 7 | 2 3 | 8 1 1").play("KEEP_LIFE HIGHER STAND HIGHER STAND USE_LIFE")
    match.asks(0, FIRST_CALL).shows(saved_lives=[0, 0], active_lives=1, reference=8)


def test_only_the_owner_of_a_saved_life_is_asked():
    """A seat without a saved life of its own begins with its first card."""
    Match("L 5 7 | 2 3 | 8 1 1").play("KEEP_LIFE HIGHER STAND").asks(1, FIRST_CALL).shows(reference=2)


# 2. The first card


@pytest.mark.parametrize("number", NUMBERS)
def test_a_first_number_becomes_the_reference(number):
    """A number as first card is the reference, with nothing below it."""
    match = Match(f"{number} 5 5").asks(0, FIRST_CALL)
    match.shows(reference=number, row=f"{number}", row_below=0, row_values=f"{number}", can_stand=0)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_first_wild_acts_as_the_number_that_is_announced(number):
    """The player announces any number from 1 to 9 for a Wild as first card, and calls against it."""
    match = Match("W 5 5 5").asks(0, ANNOUNCE)
    match.shows(reference=0, row="", last_call="", can_stand=0, unseen="5 5 5")
    match.play(f"ANNOUNCE_{number}").asks(0, FIRST_CALL)
    match.shows(reference=number, row="W", row_below=0, row_values=f"{number}", can_stand=0)
    match.play("HIGHER")
    if number < 5:
        match.asks(0, CALL).shows(row="W 5", row_values=f"5 {number}", row_below=number)
    elif number == 5:
        match.asks(0, CALL).shows(row="5", pile_size=[2, 0], visible_number=[5, 0], below_visible=[0, 0])
    else:
        match.asks(1, FIRST_CALL).shows(failure_order="W 5", failure_top=5)


def test_a_first_steal_has_no_effect():
    """A Steal as first card takes nothing, is discarded, and the next card is revealed."""
    match = Match("5 7 | S S 2 | 3 4").play("HIGHER STAND").asks(1, FIRST_CALL)
    match.shows(reference=2, row="2", pile_size=[2, 0], visible_number=[7, 0], failure_size=0, deck_size=2)


@pytest.mark.parametrize(("answer", "active", "saved"), [("USE_LIFE", 1, 0), ("KEEP_LIFE", 0, 1)])
def test_after_a_first_life_the_next_card_is_revealed_at_once(answer, active, saved):
    """A Life as first card is answered, then the next card comes at once; a life just saved is not asked about."""
    match = Match("L 6 | 5 5").asks(0, LIFE_FOUND)
    match.shows(reference=0, row="", active_lives=0, saved_lives=[0, 0], can_stand=0, deck_size=3)
    match.play(answer).asks(0, FIRST_CALL).shows(reference=6, row="6", active_lives=active, saved_lives=[saved, 0])


def test_first_cards_of_every_kind_in_a_row():
    """Life, Steal, Life, Wild: each as a first card, as long as no reference lies there."""
    match = Match("L S L W | 5 5").asks(0, LIFE_FOUND).play("KEEP_LIFE").asks(0, LIFE_FOUND)
    match.shows(saved_lives=[1, 0], active_lives=0, unseen="W 5 5").play("USE_LIFE").asks(0, ANNOUNCE)
    match.shows(saved_lives=[1, 0], active_lives=1, unseen="5 5").play("ANNOUNCE_9").asks(0, FIRST_CALL)


# 3. The call


@pytest.mark.parametrize("call", ["HIGHER", "LOWER"])
@pytest.mark.parametrize("reference", NUMBERS)
def test_a_number_answers_a_call(reference, call):
    """Above on higher or below on lower is a hit, the same number a tie, all else a fail."""
    for number in NUMBERS:
        match = Match(f"{reference} {number} | 5 5").play(call)
        if number == reference:
            match.asks(0, CALL).shows(row="5", pile_size=[2, 0], failure_size=0)
        elif (number > reference) == (call == "HIGHER"):
            match.asks(0, CALL).shows(row=f"{reference} {number}", reference=number, row_below=reference)
            match.shows(pile_size=[0, 0], failure_size=0)
        else:
            match.asks(1, FIRST_CALL).shows(row="5", failure_order=f"{reference} {number}", pile_size=[0, 0])


def test_a_tie_puts_the_new_card_on_top():
    """The tied reference and v go to the won pile, v on top: seen where the tied reference is a Wild."""
    match = Match("3 W 4 | 5 5").play("HIGHER LOWER").asks(0, CALL)
    match.shows(reference=3, row="3", row_below=0, pile_size=[2, 0], visible_number=[4, 0], below_visible=[0, 0])


def test_after_a_tie_the_reference_is_the_card_below_with_the_value_it_acts_as():
    """The card below may be a Wild: it still acts as what it acted as."""
    match = Match("W 8 8 | 7 5 5").play("ANNOUNCE_6 HIGHER HIGHER").asks(0, CALL)
    match.shows(reference=6, row="W", row_values="6", pile_size=[2, 0])
    match.play("HIGHER").asks(0, CALL).shows(reference=7, row="W 7", row_below=6)


def test_ties_one_after_another_go_down_the_row():
    """After each tie the card below is the reference, so the next can tie with that one."""
    match = (
        Match("2 4 6 6 4 | 9 5").play("HIGHER HIGHER LOWER").asks(0, CALL).shows(reference=4, row="2 4", row_below=2)
    )
    match.play("LOWER").asks(0, CALL).shows(reference=2, row="2", row_below=0, pile_size=[4, 0], visible_number=[4, 0])
    match.shows(below_visible=[4, 0])


def test_a_tie_that_empties_the_row_reveals_a_new_first_card():
    """With an empty row a new first card is revealed at once, the turn goes on, and STAND is legal."""
    match = Match("5 5 8 | 3 3").play("LOWER").asks(0, CALL).shows(reference=8, row="8", row_below=0, can_stand=1)
    match.play("STAND").asks(1, FIRST_CALL).shows(pile_size=[3, 0], visible_number=[8, 0], below_visible=[5, 0])


def test_the_new_first_card_may_be_a_steal():
    """The new first card is treated as a first card: a Steal has no effect, though others show numbers."""
    match = Match("5 7 | 2 2 S 8 | 3 3").play("HIGHER STAND HIGHER").asks(1, CALL)
    match.shows(reference=8, row="8", pile_size=[2, 2], visible_number=[7, 2], deck_size=2, failure_size=0)


def test_the_new_first_card_may_be_a_wild():
    """A Wild as new first card is announced; it answers no call, and STAND waits for the announcement."""
    match = Match("5 5 W | 3 3").play("HIGHER").asks(0, ANNOUNCE).shows(can_stand=1, last_call="", row="", reference=0)
    match.play("ANNOUNCE_2").asks(0, CALL).shows(reference=2, row="W")


def test_the_new_first_card_may_be_a_life():
    """A Life as new first card is answered, then the next card is revealed at once, saved lives or not."""
    match = Match("5 5 L 8 | 3 3").play("HIGHER").asks(0, LIFE_FOUND).shows(can_stand=1, row="")
    match.play("KEEP_LIFE").asks(0, CALL).shows(reference=8, saved_lives=[1, 0])


def test_a_tie_of_a_first_wild_empties_the_row():
    """A Wild announced as first card and a number of that value: both are won, a new first card comes."""
    match = Match("W 6 4 | 3 3").play("ANNOUNCE_6 LOWER").asks(0, CALL)
    match.shows(reference=4, row="4", pile_size=[2, 0], visible_number=[6, 0], below_visible=[0, 0])


@pytest.mark.parametrize("reference", NUMBERS)
@pytest.mark.parametrize(("call", "step"), [("HIGHER", 1), ("LOWER", -1)])
def test_a_wild_is_always_a_hit(reference, call, step):
    """It acts as one above on higher, one below on lower; where that is impossible its value is asked for."""
    match = Match(f"{reference} W | 5 5").play(call)
    if not 1 <= reference + step <= 9:
        match.asks(0, ANNOUNCE)
        return
    match.asks(0, CALL).shows(reference=reference + step, row=f"{reference} W", row_below=reference)
    match.shows(failure_size=0, pile_size=[0, 0])


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(("call", "reference"), [("HIGHER", 9), ("LOWER", 1)])
def test_an_impossible_wild_is_announced_freely(call, reference, number):
    """Higher on 9 or lower on 1: any value 1–9 may be announced, and it is a hit."""
    match = Match(f"{reference} W | 5 5").play(call).asks(0, ANNOUNCE)
    match.shows(last_call=call, reference=reference, row=f"{reference}", can_stand=0, unseen="5 5", row_below=0)
    match.play(f"ANNOUNCE_{number}").asks(0, CALL)
    match.shows(last_call="", reference=number, row=f"{reference} W", row_below=reference, pile_size=[0, 0])


@pytest.mark.parametrize(("call", "reference"), [("HIGHER", 9), ("LOWER", 1)])
def test_a_free_announcement_equal_to_the_reference_is_a_hit(call, reference):
    """Announcing the reference's own value is a hit, never a tie; a number of that value then ties with the Wild."""
    match = Match(f"{reference} W {reference} | 5 5").play(call).play(f"ANNOUNCE_{reference}").asks(0, CALL)
    match.shows(reference=reference, row_below=reference, row=f"{reference} W", row_values=f"{reference} {reference}")
    match.play(call).asks(0, CALL).shows(reference=reference, row=f"{reference}", row_below=0)
    match.shows(pile_size=[2, 0], visible_number=[reference, 0], below_visible=[0, 0])


def test_wilds_upon_wilds():
    """A Wild's acting value is the reference like any other: 8, 9, then impossible."""
    match = Match("7 W W W 3 | 5 5").play("HIGHER").shows(reference=8).play("HIGHER").shows(reference=9)
    match.play("HIGHER").asks(0, ANNOUNCE).shows(row="7 W W", can_stand=1, last_call="HIGHER")
    match.play("ANNOUNCE_2").asks(0, CALL).shows(row="7 W W W", row_values="2 9 8 7")
    match.play("HIGHER").shows(row="7 W W W 3", row_values="3 2 9 8 7")


@pytest.mark.parametrize(
    ("call", "piles", "visible"),
    [("HIGHER", [2, 1, 2, 1, 0], [5, 2, 4, 6, 0]), ("LOWER", [2, 2, 1, 1, 0], [5, 6, 2, 4, 0])],
)
def test_a_steal_takes_the_visible_cards_that_fit_the_call(call, piles, visible):
    """Visible numbers above on higher, below on lower, never equal; an empty pile gives nothing, on lower neither."""
    match = Match("8 5 | 2 6 | 2 4 | 5 S | 1 1", num_players=5).play("LOWER STAND HIGHER STAND HIGHER STAND")
    match.shows(visible_number=[5, 6, 4, 0, 0]).play(call).asks(3, FIRST_CALL)
    match.shows(pile_size=piles, visible_number=visible, reference=5, row="5")


@pytest.mark.parametrize(
    ("deck", "call", "visible"), [("8 1 | 2 S | 5 5", "LOWER", [8, 1]), ("1 9 | 8 S | 5 5", "HIGHER", [1, 9])]
)
def test_a_steal_takes_the_lowest_and_the_highest_number(deck, call, visible):
    """A visible number is 1–9: a 1 is one, unlike the 0 of an empty pile."""
    match = Match(deck).play(call).play("STAND").play(call).asks(1, FIRST_CALL)
    match.shows(visible_number=visible, pile_size=[1, 1])


def test_stolen_cards_are_stacked_clockwise_from_the_left():
    """Every other seat in turn from the player's left: the card of the last of them lies on top."""
    match = Match("3 8 | 2 9 | 2 7 | 5 S | 1 1", first=2, num_players=3).play("HIGHER STAND HIGHER STAND HIGHER STAND")
    match.shows(visible_number=[9, 7, 8]).asks(2, FIRST_CALL).play("HIGHER").asks(2, FIRST_CALL)
    match.shows(visible_number=[2, 2, 7], below_visible=[0, 0, 9], pile_size=[1, 1, 4])


def test_a_steal_takes_nothing_from_the_thief():
    """Only the other seats are robbed; the player's own visible card stays."""
    match = Match("3 8 | 2 4 | 5 S | 1 1").play("HIGHER STAND HIGHER STAND HIGHER").asks(0, FIRST_CALL)
    match.shows(visible_number=[8, 4], pile_size=[2, 2])


def test_a_steal_bares_the_card_below():
    """Once a card is stolen the card under it is the visible one, and can be stolen next."""
    match = Match("8 7 | 5 S S | 1 1").play("LOWER STAND HIGHER").asks(1, FIRST_CALL)
    match.shows(visible_number=[8, 7], pile_size=[1, 1]).play("HIGHER").asks(1, FIRST_CALL)
    match.shows(visible_number=[0, 8], pile_size=[0, 2], below_visible=[0, 7])


def test_a_steal_is_measured_against_the_acting_reference():
    """The reference may be a Wild: its acting value counts."""
    match = Match("2 5 | W S | 1 1").play("HIGHER STAND ANNOUNCE_4 HIGHER").asks(1, FIRST_CALL)
    match.shows(visible_number=[2, 5], reference=4)


def test_stolen_cards_are_safe():
    """Stolen cards lie on the won pile: a fail right after does not touch them."""
    match = Match("3 8 | 5 S 2 | 1 1").play("HIGHER STAND HIGHER HIGHER").asks(0, FIRST_CALL)
    match.shows(failure_order="5 2", pile_size=[1, 1], visible_number=[3, 8])


def test_a_steal_is_discarded_and_spends_the_call():
    """The reference stays, the player is asked again, may call the other way; the Steal is nowhere any more."""
    match = Match("7 5 | 5 S 3 | 6 6").play("LOWER STAND HIGHER").asks(1, FIRST_CALL)
    match.shows(reference=5, row="5", pile_size=[2, 0], failure_size=0, deck_size=3, unseen="3 6 6")
    match.play("LOWER").asks(1, CALL).shows(reference=3)


def test_a_life_in_answer_to_a_call_spends_the_call():
    """The reference stays and the player is asked again, may call the other way."""
    match = (
        Match("5 L 3 | 6 6").play("HIGHER").asks(0, LIFE_FOUND).shows(reference=5, row="5", last_call="", deck_size=3)
    )
    match.play("KEEP_LIFE").asks(0, FIRST_CALL).shows(reference=5, row="5", saved_lives=[1, 0], failure_size=0)
    match.play("LOWER").asks(0, CALL).shows(reference=3, row="5 3")


# 4. A revealed Life


def test_a_life_that_is_used_is_active_this_turn():
    """USE_LIFE: the life protects from a fail of this turn."""
    match = Match("5 L 3 | 6 6").play("HIGHER USE_LIFE").asks(0, FIRST_CALL).shows(active_lives=1, saved_lives=[0, 0])
    match.play("HIGHER").asks(0, CALL).shows(reference=3, row="5 3", active_lives=0)


def test_a_life_that_is_kept_does_not_protect_this_turn():
    """KEEP_LIFE: it lies openly beside the player, and a fail of this turn is a fail."""
    match = Match("5 L 3 | 6 6").play("HIGHER KEEP_LIFE").shows(active_lives=0, saved_lives=[1, 0])
    match.play("HIGHER").asks(1, FIRST_CALL).shows(failure_order="5 3", saved_lives=[1, 0])


def test_saved_lives_are_open():
    """Every seat sees the saved lives of all, each from its own viewpoint."""
    match = Match("L 5 4 | L L 5 4 | 6 6", num_players=3)
    match.play("KEEP_LIFE HIGHER").asks(1, LIFE_FOUND).play("KEEP_LIFE KEEP_LIFE").shows(saved_lives=[1, 2, 0])
    assert match.observe(0)["saved_lives"] == [1, 2, 0]
    assert match.observe(1)["saved_lives"] == [2, 0, 1]
    assert match.observe(2)["saved_lives"] == [0, 1, 2]


# 5. Fail


def test_a_fail_sends_the_row_to_the_failure_pile_in_the_order_revealed():
    """The row's cards, then v on top; the next fail's cards come above them, Wilds among them."""
    match = Match("2 W 8 1 | 6 3 | 5 5").play("HIGHER HIGHER HIGHER").asks(1, FIRST_CALL)
    match.shows(failure_order="2 W 8 1", failure_top=1, failure_size=4, row="6", pile_size=[0, 0])
    match.play("HIGHER").asks(0, FIRST_CALL).shows(failure_order="2 W 8 1 6 3", failure_top=3, failure_size=6)


def test_an_active_life_annuls_a_fail():
    """The life goes, v is the new reference on the row, the turn goes on and may be ended by standing."""
    match = Match("L 5 3 | 6 6").play("USE_LIFE HIGHER").asks(0, CALL)
    match.shows(active_lives=0, saved_lives=[0, 0], reference=3, row="5 3", row_below=5, failure_size=0, can_stand=1)
    match.play("STAND").asks(1, FIRST_CALL).shows(pile_size=[2, 0], visible_number=[3, 0], below_visible=[5, 0])


def test_a_fail_takes_one_active_life():
    """Each annulled fail costs one life; without any left the next fail counts."""
    match = Match("L L 5 3 8 9 | 6 6").play("USE_LIFE USE_LIFE HIGHER").asks(0, CALL).shows(active_lives=1, row="5 3")
    match.play("LOWER").asks(0, CALL).shows(active_lives=0, row="5 3 8")
    match.play("LOWER").asks(1, FIRST_CALL).shows(failure_order="5 3 8 9")


def test_nobody_is_asked_mine_after_an_annulled_fail():
    """A seat that shows v is not asked when the fail is annulled."""
    match = Match("5 3 | L 6 3 | 8 8").play("LOWER STAND").asks(1, LIFE_FOUND).play("USE_LIFE HIGHER").asks(1, CALL)
    match.shows(visible_number=[3, 0], reference=3, failed_number=0)


def test_an_annulled_number_may_tie_afterwards():
    """v acts as a reference like any other: a tie with it leaves the card it failed on."""
    match = Match("L 5 3 3 | 6 6").play("USE_LIFE HIGHER HIGHER").asks(0, CALL)
    match.shows(reference=5, row="5", pile_size=[2, 0], visible_number=[3, 0])


def test_an_active_life_outlasts_a_tie_that_empties_the_row():
    """It is active for the turn, and the turn goes on."""
    match = Match("L 5 5 7 3 | 6 6").play("USE_LIFE HIGHER").asks(0, CALL).shows(active_lives=1, reference=7)
    match.play("HIGHER").asks(0, CALL).shows(active_lives=0, row="7 3")


# 6. Stand


def test_standing_moves_the_row_to_the_won_pile_in_the_order_revealed():
    """The reference ends up on top; seen card by card as they are stolen away."""
    match = Match("6 8 9 | 5 S S S | 1 1").play("HIGHER HIGHER STAND").asks(1, FIRST_CALL)
    match.shows(pile_size=[3, 0], visible_number=[9, 0], below_visible=[8, 0], reference=5, row="5")
    match.play("HIGHER").shows(pile_size=[2, 1], visible_number=[8, 9], below_visible=[6, 0])
    match.play("HIGHER").shows(pile_size=[1, 2], visible_number=[6, 8], below_visible=[0, 9])
    match.play("HIGHER").shows(pile_size=[0, 3], visible_number=[0, 6], below_visible=[0, 8])


LONG_ROWS = (15, 16, 17, 24, 31, 40)  # cards; a short row is moved as one block of 16


def zigzag(num_cards: int) -> list[int]:
    """Numbers up and down by turns, from 2 to 8."""
    return [2 + i // 2 % 3 + 4 * (i % 2) for i in range(num_cards)]


def hits(num_cards: int) -> str:
    """The calls that reveal such a row."""
    return " ".join(("HIGHER", "LOWER")[i % 2] for i in range(num_cards - 1))


@pytest.mark.parametrize("num_cards", LONG_ROWS)
def test_a_long_row_is_won_card_by_card(num_cards):
    row = zigzag(num_cards)
    match = Match(f"{' '.join(map(str, row))} | 9 {'S ' * num_cards} | 1 1").play(f"{hits(num_cards)} STAND")
    kept, stolen = [0, 0, *row], [*row, 0, 0]
    for left in range(num_cards, 0, -1):
        match.shows(pile_size=[left, num_cards - left], row="9")
        match.shows(visible_number=[kept[left + 1], stolen[left]], below_visible=[kept[left], stolen[left + 1]])
        match.play("LOWER")
    match.shows(pile_size=[0, num_cards], visible_number=[0, row[0]], below_visible=[0, row[1]])


@pytest.mark.parametrize("num_cards", LONG_ROWS)
def test_a_long_row_fails_card_by_card(num_cards):
    """Nothing of it is left in the next row, nor behind it in the failure pile."""
    fallen, goes_up = " ".join(map(str, zigzag(num_cards))), num_cards % 2
    fallen += " 1" if goes_up else " 9"
    match = Match(f"{fallen} | 5 6 9 | 7 7").play(hits(num_cards)).play("HIGHER" if goes_up else "LOWER")
    match.asks(1, FIRST_CALL).shows(row="5", row_values="5", failure_order=fallen)
    match.play("HIGHER").shows(row="6 5", row_values="6 5").play("LOWER")
    match.asks(0, FIRST_CALL).shows(row="7", failure_order=f"{fallen} 5 6 9")


def test_standing_discards_active_lives_and_leaves_saved_ones():
    """A life that was active is gone after the turn; a saved one is still there."""
    match = Match("L L 5 7 | 8 9 | 6 1 1").play("KEEP_LIFE USE_LIFE HIGHER").shows(active_lives=1, saved_lives=[1, 0])
    match.play("STAND").asks(1, FIRST_CALL).shows(active_lives=0, saved_lives=[1, 0])
    match.play("HIGHER STAND").asks(0, TURN_START).shows(active_lives=0, saved_lives=[1, 0])


# STAND


def test_the_first_call_of_a_turn_is_not_optional():
    """STAND is not legal before the first call, in a seat's later turns neither."""
    match = Match("5 7 | 8 9 | 3 4 | 1 1").asks(0, FIRST_CALL).play("HIGHER").asks(0, CALL).play("STAND")
    match.asks(1, FIRST_CALL).play("HIGHER STAND").asks(0, FIRST_CALL).shows(can_stand=0)


def test_a_steal_or_a_life_in_answer_to_the_first_call_does_not_allow_to_stand():
    """Neither is a hit, a tie or an annulled fail, however often they come."""
    match = Match("5 S L L S 7 | 1 1").play("HIGHER").asks(0, FIRST_CALL).shows(can_stand=0)
    match.play("LOWER USE_LIFE").asks(0, FIRST_CALL).play("HIGHER").asks(0, LIFE_FOUND).shows(can_stand=0)
    match.play("KEEP_LIFE").asks(0, FIRST_CALL).play("HIGHER").asks(0, FIRST_CALL)
    match.play("HIGHER").asks(0, CALL).shows(can_stand=1)


def test_a_theft_does_not_allow_to_stand():
    """Not even a Steal that takes a card is a hit."""
    match = Match("3 8 | 5 S | 1 1").play("HIGHER STAND HIGHER").asks(1, FIRST_CALL)
    match.shows(pile_size=[1, 1], can_stand=0)


def test_once_allowed_standing_stays_allowed():
    """Steals and Lives after a hit don't take STAND away; `can_stand` is 1 while a Life waits too."""
    match = Match("5 7 S L | 1 1").play("HIGHER HIGHER").asks(0, CALL).play("HIGHER").asks(0, LIFE_FOUND)
    match.shows(can_stand=1).play("KEEP_LIFE").asks(0, CALL).shows(can_stand=1)


# Mine!


def test_mine_is_asked_clockwise_from_the_failing_seats_left():
    """The others that show v are asked in turn, those that don't are passed over."""
    match = Match("3 4 | 2 4 | 1 4 | 8 9 | 6 4 | 5 5", first=3, num_players=5)
    match.play("HIGHER STAND HIGHER STAND HIGHER STAND HIGHER STAND").shows(visible_number=[4, 9, 0, 4, 4])
    match.asks(2, FIRST_CALL).play("HIGHER")
    match.asks(3, MINE, turn_of=2).play("DECLINE").asks(4, MINE, turn_of=2).play("DECLINE")
    match.asks(0, MINE, turn_of=2).play("CLAIM").asks(3, FIRST_CALL)
    match.shows(pile_size=[3, 2, 0, 2, 2], visible_number=[4, 9, 0, 4, 4], below_visible=[4, 8, 0, 3, 2])
    match.shows(failure_order="6", failure_top=6)


def test_a_claim_ends_the_asking():
    """The first that claims gets v; nobody else is asked, and the turn passes to the failing seat's left."""
    match = Match("3 4 | 2 4 | 6 4 | 5 5", num_players=3).play("HIGHER STAND HIGHER STAND HIGHER")
    match.asks(0, MINE, turn_of=2).play("CLAIM").asks(0, FIRST_CALL)
    match.shows(pile_size=[3, 2, 0], failure_order="6", failed_number=0)


def test_a_failed_card_that_nobody_claims_stays_in_the_failure_pile():
    """DECLINE leaves v where it fell; when all have declined the turn ends."""
    match = Match("3 4 | 2 4 | 6 4 | 5 5", num_players=3).play("HIGHER STAND HIGHER STAND HIGHER DECLINE")
    match.asks(1, MINE, turn_of=2).play("DECLINE").asks(0, FIRST_CALL)
    match.shows(pile_size=[2, 2, 0], failure_order="6 4", failure_top=4, failed_number=0)


def test_the_failing_seat_is_not_asked_for_its_own_card():
    """Only the other seats may claim, even if the failing seat shows the number itself."""
    match = Match("3 4 | 8 9 | 6 4 | 5 5").play("HIGHER STAND HIGHER STAND HIGHER").asks(1, FIRST_CALL)
    match.shows(visible_number=[4, 9], failure_order="6 4")


def test_only_the_card_that_failed_can_be_claimed():
    """A number of the failed row that somebody shows is not v."""
    match = Match("3 6 | 4 6 2 | 5 5").play("HIGHER STAND HIGHER HIGHER").asks(0, FIRST_CALL)
    match.shows(failure_order="4 6 2", visible_number=[6, 0])


def test_what_is_seen_while_mine_is_asked():
    """The failed cards already lie in the failure pile; the row and the reference are 0; `can_stand` is kept."""
    match = Match("3 4 | 6 7 4 | 5 5").play("HIGHER STAND HIGHER HIGHER").asks(0, MINE, turn_of=1)
    match.shows(failed_number=4, failure_order="6 7 4", failure_top=4, failure_size=3, deck_size=2, can_stand=1)
    match.shows(reference=0, row="", row_below=0, row_values="", active_lives=0, pile_size=[2, 0])


def test_can_stand_is_0_during_mine_if_the_turn_had_no_hit():
    """The turn failed on its first call."""
    Match("3 4 | 6 4 | 5 5").play("HIGHER STAND HIGHER").asks(0, MINE, turn_of=1).shows(can_stand=0, failed_number=4)


def test_mine_goes_by_the_stolen_card():
    """After a theft the thief shows the stolen card: it may claim with it, its victim no more."""
    match = Match("6 8 | 5 S 4 | 9 8 | 2 2", num_players=3).play("HIGHER STAND HIGHER HIGHER")
    match.asks(2, FIRST_CALL).shows(visible_number=[6, 8, 0]).play("HIGHER").asks(1, MINE, turn_of=2).play("CLAIM")
    match.asks(0, FIRST_CALL).shows(pile_size=[1, 2, 0], below_visible=[0, 8, 0], failure_order="5 4 9")


def test_a_wild_under_a_claimed_card_is_the_top_of_the_failure_pile():
    """Once v is gone the card below is on top; a Wild's code is 10."""
    match = Match("3 4 | 6 W 4 | 5 5").play("HIGHER STAND HIGHER HIGHER CLAIM").asks(0, FIRST_CALL)
    match.shows(failure_order="6 W", failure_top=10, failure_size=2, visible_number=[4, 0], below_visible=[4, 0])


# The deck runs out


def test_the_failure_pile_is_turned_over_without_shuffling():
    """The card that fell first is drawn first."""
    match = Match("5 3 | 6 2").play("HIGHER HIGHER").asks(0, FIRST_CALL)
    match.shows(reference=5, deck_size=3, deck_order="3 6 2", failure_size=0, failure_order="", failure_top=0)
    match.play("LOWER").asks(0, CALL).shows(reference=3, deck_order="6 2").play("HIGHER").shows(
        reference=6, deck_order="2"
    )


def test_turning_over_waits_until_a_card_must_be_revealed():
    """With an empty deck the failure pile is still full while the player thinks; its bottom card comes next."""
    match = Match("5 3 | 6").play("HIGHER").asks(1, FIRST_CALL)
    match.shows(
        deck_size=0, deck_order="", failure_order="5 3", failure_size=2, failure_top=3, next_card="5", unseen=""
    )
    match.play("LOWER").asks(1, CALL)
    match.shows(deck_size=1, deck_order="3", failure_order="", failure_size=0, next_card="3", row="6 5")


def test_turning_over_waits_at_a_turn_start():
    """A player asked about saved lives before an empty deck still sees the failure pile as it lies."""
    match = Match("L 5 3 | 6 2").play("KEEP_LIFE HIGHER HIGHER").asks(0, TURN_START)
    match.shows(deck_size=0, failure_order="5 3 6 2", next_card="5", idle=[0, 0])
    match.play("REVEAL").asks(0, FIRST_CALL).shows(reference=5, deck_order="3 6 2", idle=[1, 0])


def test_the_failure_pile_is_turned_over_again_and_again():
    """What falls from a turned deck becomes the next one, in the order it fell."""
    match = (
        Match("5 3 | 6 2 | 7", idle_passes=0).play("HIGHER HIGHER").asks(0, FIRST_CALL).shows(reference=7, deck_size=0)
    )
    match.play("HIGHER").shows(failure_order="7 5", deck_order="6 2", row="3")
    match.play("LOWER").shows(failure_order="7 5 3 6", row="2", deck_order="", deck_size=0, next_card="7")
    match.play("LOWER").asks(1, FIRST_CALL).shows(failure_order="2 7", row="5", deck_order="3 6", idle=[2, 0])


def test_a_life_as_first_card_before_an_empty_deck():
    """After the answer the next card is revealed at once: the failure pile is turned over for it."""
    match = Match("5 3 | L").play("HIGHER").asks(1, LIFE_FOUND).shows(deck_size=0, failure_order="5 3", next_card="5")
    match.play("USE_LIFE").asks(1, FIRST_CALL).shows(reference=5, active_lives=1, deck_order="3", idle=[1, 0])


def test_a_steal_as_last_card_of_the_deck():
    """It takes what fits; with a failure pile to turn over the player is asked again."""
    match = Match("7 8 | 2 4 | 5 3 | 6 S").play("HIGHER STAND HIGHER STAND HIGHER").asks(1, FIRST_CALL).play("HIGHER")
    match.asks(1, FIRST_CALL).shows(deck_size=0, failure_order="5 3", pile_size=[1, 3], visible_number=[7, 8], row="6")
    match.play("LOWER").asks(1, CALL).shows(row="6 5", deck_order="3")


def test_a_wild_that_fell_is_a_wild_again():
    """A Wild drawn from a turned failure pile has no value from before."""
    match = (
        Match("W 3 | 6 2").play("ANNOUNCE_8 HIGHER HIGHER").asks(0, ANNOUNCE).shows(deck_order="3 6 2", last_call="")
    )
    match.play("ANNOUNCE_1").asks(0, FIRST_CALL).shows(reference=1, row="W")


def test_the_round_ends_when_no_card_is_left():
    """After the last reveal nobody is asked any more; the interrupted player keeps the row, the reference on top."""
    match = Match("3 5 | 6 W 8", wins_to_finish=1).play("HIGHER STAND HIGHER HIGHER").ends([1], [-1, 1])
    match.shows(pile_size=[2, 3], visible_number=[5, 8], below_visible=[3, 0], row="", reference=0, row_below=0)
    match.shows(deck_size=0, failure_size=0, wins=[0, 1], active_seat=1, row_values="", next_card="")


def test_the_round_ends_on_a_tie_that_empties_the_row():
    """No new first card can be revealed: the round is over."""
    match = Match("5 5", wins_to_finish=1).play("LOWER").ends([0], [1, -1])
    match.shows(pile_size=[2, 0], visible_number=[5, 0])


def test_the_round_ends_on_a_tie_of_a_wild_that_empties_the_row():
    """A first Wild, tied by the last card: both are won, nothing is left to reveal."""
    match = Match("W 5", wins_to_finish=1).asks(0, ANNOUNCE).play("ANNOUNCE_5").asks(0, FIRST_CALL).play("HIGHER")
    match.ends([0], [1, -1]).shows(pile_size=[2, 0], visible_number=[5, 0], below_visible=[0, 0])


def test_the_round_ends_on_a_tie_that_leaves_a_row():
    """The tie is won, and the rest of the row is kept above it."""
    match = Match("3 7 7", wins_to_finish=1).play("HIGHER HIGHER").ends([0], [1, -1])
    match.shows(pile_size=[3, 0], visible_number=[3, 0], below_visible=[7, 0])


def test_the_round_ends_on_a_first_card():
    """A first card after which none is left is kept without a call."""
    match = Match("5 5 7", wins_to_finish=1).play("LOWER").ends([0], [1, -1])
    match.shows(pile_size=[3, 0], visible_number=[7, 0], below_visible=[5, 0])


def test_an_open_announcement_is_asked_before_the_round_ends():
    """A first Wild as the very last card is announced, then it is kept."""
    match = (
        Match("5 5 W", wins_to_finish=1).play("LOWER").asks(0, ANNOUNCE).shows(next_card="", deck_size=0, can_stand=1)
    )
    match.play("ANNOUNCE_7").ends([0]).shows(pile_size=[3, 0], visible_number=[0, 0], below_visible=[5, 0])


def test_an_open_free_announcement_is_asked_before_the_round_ends():
    """So is a Wild that answers a call it can't follow."""
    match = Match("9 W", wins_to_finish=1).play("HIGHER").asks(0, ANNOUNCE).shows(last_call="HIGHER")
    match.play("ANNOUNCE_9").ends([0]).shows(pile_size=[2, 0], visible_number=[0, 0], below_visible=[9, 0])


def test_a_wild_that_follows_the_call_ends_the_round_at_once():
    """Nothing is asked where the Wild's value follows from the call."""
    Match("8 W", wins_to_finish=1).play("HIGHER").ends([0]).shows(pile_size=[2, 0], below_visible=[8, 0])


@pytest.mark.parametrize("answer", ["USE_LIFE", "KEEP_LIFE"])
@pytest.mark.parametrize(("deck", "before", "pile"), [("5 5 L", "HIGHER", 2), ("5 7 L", "HIGHER HIGHER", 2)])
def test_an_open_life_is_asked_before_the_round_ends(deck, before, pile, answer):
    """As a first card or in answer to a call: the Life is answered, then the round ends and discards it."""
    match = Match(deck, wins_to_finish=1).play(before).asks(0, LIFE_FOUND).play(answer)
    match.ends([0]).shows(pile_size=[pile, 0], active_lives=0, saved_lives=[0, 0])


def test_a_steal_as_the_very_last_card_ends_the_round():
    """It takes what fits, then the round ends: the stolen cards lie below the row that is kept."""
    match = Match("7 8 | 5 S", wins_to_finish=1).play("HIGHER STAND HIGHER").ends([1], [-1, 1])
    match.shows(pile_size=[1, 2], visible_number=[7, 5], below_visible=[0, 8])


def test_first_steals_as_the_very_last_cards_end_the_round():
    """With nothing but Steals left there is no first card: the round ends without a row."""
    Match("5 5 S S", wins_to_finish=1).play("HIGHER").ends([0]).shows(pile_size=[2, 0], visible_number=[5, 0])


def test_an_annulled_fail_on_the_very_last_card_ends_the_round():
    """v goes on the row, and the row is kept."""
    match = Match("L 5 3", wins_to_finish=1).play("USE_LIFE HIGHER").ends([0])
    match.shows(pile_size=[2, 0], visible_number=[3, 0], below_visible=[5, 0], failure_size=0)


def test_a_fail_on_the_last_card_of_the_deck_does_not_end_the_round():
    """The failure pile has cards, so the next player goes on with it."""
    Match("5 3").play("HIGHER").asks(1, FIRST_CALL).shows(reference=5, deck_order="3")


def test_a_claim_may_leave_a_single_card_that_ends_the_round():
    """After the claim one card is left: it is the next player's first card, kept at once."""
    match = (
        Match("3 4 | 6 4", wins_to_finish=1).play("HIGHER STAND HIGHER").asks(0, MINE, turn_of=1).shows(next_card="6")
    )
    match.play("CLAIM").ends([0], [1, -1]).shows(pile_size=[4, 0], visible_number=[6, 0], below_visible=[4, 0])


def test_a_player_with_a_saved_life_is_asked_before_the_very_last_card():
    """One card is left, in the failure pile: the round has not ended, the first card is its last reveal."""
    match = Match("L 3 4 | 6 4", wins_to_finish=1).play("KEEP_LIFE HIGHER STAND HIGHER CLAIM").asks(0, TURN_START)
    match.shows(deck_size=0, failure_order="6", next_card="6", saved_lives=[1, 0])
    match.play("USE_LIFE").ends([0]).shows(pile_size=[4, 0], visible_number=[6, 0], saved_lives=[0, 0], active_lives=0)


# No endless rounds


def test_idle_passes_end_a_round():
    """Three passes without a card won: at the third turn-over that is due the round ends instead."""
    match = Match("5 3", wins_to_finish=1).shows(idle=[0, 0])
    match.play("HIGHER").asks(1, FIRST_CALL).shows(idle=[1, 0], deck_order="3", failure_order="")
    match.play("HIGHER").asks(0, FIRST_CALL).shows(idle=[2, 0], deck_order="3", failure_order="")
    match.play("HIGHER").ends([0, 1], [0, 0]).shows(failure_order="5 3", failure_size=2, deck_size=0, pile_size=[0, 0])
    match.shows(next_card="5", wins=[1, 1])


@pytest.mark.parametrize("idle_passes", [1, 2, 5, 300])
def test_the_number_of_idle_passes_is_a_parameter(idle_passes):
    """The round ends when that many passes in a row are finished, above 255 too."""
    match = Match("5 3", wins_to_finish=1, idle_passes=idle_passes)
    for _ in range(idle_passes):
        assert match.tables.current_player[0] >= 0
        match.play("HIGHER")
    match.ends([0, 1])


def test_with_idle_passes_0_a_round_never_ends_by_itself():
    """The sheet's words: the turning over repeats indefinitely. The count that is shown stops at 255."""
    match = Match("5 3", idle_passes=0, max_decisions=400).play("HIGHER " * 254).shows(idle=[254, 0])
    match.play("HIGHER").shows(idle=[255, 0]).play("HIGHER").shows(idle=[255, 0])
    match.play("HIGHER " * 143).asks(1, FIRST_CALL).play("HIGHER").ends([], [0, 0], truncated=True).shows(idle=[255, 0])


def test_a_player_interrupted_by_idle_passes_keeps_the_row():
    """The call that would need the turn-over ends the round; the row is kept as if standing."""
    match = Match("5 3 | 6", wins_to_finish=1, idle_passes=1).play("HIGHER").asks(1, FIRST_CALL).shows(next_card="5")
    match.play("LOWER").ends([1], [-1, 1]).shows(pile_size=[0, 1], visible_number=[0, 6], failure_order="5 3", row="")
    match.shows(active_seat=1, reference=0, deck_size=0)


def test_a_first_steal_before_an_idle_turn_over_ends_the_round():
    """The next first card would need the turn-over: there is no row to keep."""
    Match("5 3 | S", wins_to_finish=1, idle_passes=1).play("HIGHER").ends([0, 1]).shows(pile_size=[0, 0])


@pytest.mark.parametrize("answer", ["USE_LIFE", "KEEP_LIFE"])
def test_a_first_life_before_an_idle_turn_over_is_asked_before_the_round_ends(answer):
    """The Life is answered; the next first card would need the turn-over."""
    match = Match("5 3 | L", wins_to_finish=1, idle_passes=1).play("HIGHER").asks(1, LIFE_FOUND).play(answer)
    match.ends([0, 1]).shows(saved_lives=[0, 0], active_lives=0, failure_order="5 3")


@pytest.mark.parametrize("answer", ["USE_LIFE", "REVEAL"])
def test_a_turn_start_before_an_idle_turn_over_is_asked_before_the_round_ends(answer):
    """A player with a saved life is asked; the first card then would need the turn-over."""
    match = Match("L 5 3 | 6 2", wins_to_finish=1, idle_passes=1).play("KEEP_LIFE HIGHER HIGHER").asks(0, TURN_START)
    match.play(answer).ends([0, 1]).shows(saved_lives=[0, 0], active_lives=0, failure_order="5 3 6 2", active_seat=0)


def test_a_life_in_answer_to_a_call_does_not_need_the_turn_over():
    """The last card of an idle pass is a Life: it is answered, the player calls again, and that call ends the round."""
    match = Match("5 3 | 6 L", wins_to_finish=1, idle_passes=1).play("HIGHER HIGHER").asks(1, LIFE_FOUND)
    match.play("USE_LIFE").asks(1, FIRST_CALL).shows(active_lives=1, idle=[0, 0])
    match.play("LOWER").ends([1]).shows(pile_size=[0, 1], active_lives=0)


def test_a_pass_in_which_a_life_annuls_a_fail_stays_idle():
    """An annulled fail puts no card in a won pile."""
    match = Match("L 5 3 9 4", wins_to_finish=1, idle_passes=2).play("USE_LIFE HIGHER LOWER").asks(1, FIRST_CALL)
    match.shows(failure_order="5 3 9", row="4", idle=[0, 0]).play("LOWER").asks(0, FIRST_CALL)
    match.shows(failure_order="4 5", row="3", deck_order="9", idle=[1, 0])
    match.play("LOWER").ends([0, 1]).shows(failure_order="4 5 3 9")


def test_a_pass_in_which_a_card_is_won_sets_the_count_back():
    """Only idle passes in a row count: a stand in between begins the count anew."""
    match = (
        Match("5 3 | 6 2", wins_to_finish=1, idle_passes=2).play("HIGHER HIGHER").asks(0, FIRST_CALL).shows(idle=[1, 0])
    )
    match.play("LOWER").shows(idle=[1, 0]).play("STAND").asks(1, FIRST_CALL).shows(idle=[1, 1], pile_size=[2, 0])
    match.play("HIGHER").asks(0, FIRST_CALL).shows(idle=[0, 0], reference=6, deck_order="2")
    match.play("HIGHER").asks(1, FIRST_CALL).shows(idle=[1, 0]).play("HIGHER").ends([0], [1, -1])


def test_a_tie_makes_a_pass_busy():
    """A tie puts cards in a won pile, in the middle of a turn."""
    Match("5 5 8 | 3 3").shows(idle=[0, 0]).play("HIGHER").asks(0, CALL).shows(idle=[0, 1])


def test_a_stand_makes_a_pass_busy():
    """Standing puts the row in a won pile; a hit alone doesn't."""
    Match("5 7 | 3 3").play("HIGHER").shows(idle=[0, 0]).play("STAND").asks(1, FIRST_CALL).shows(idle=[0, 1])


def test_a_theft_makes_a_pass_busy():
    """A theft needs cards won before it in the only pass that has Steals: the pass is busy before and after."""
    match = Match("7 8 | 6 S | 2 2").play("HIGHER STAND").shows(idle=[0, 1]).play("HIGHER").shows(idle=[0, 1])
    match.shows(pile_size=[1, 1])


@pytest.mark.parametrize(
    ("answer", "idle", "deck_order"), [("CLAIM", [0, 0], "2 8 1 7"), ("DECLINE", [1, 0], "2 8 1 7 4")]
)
def test_a_claim_makes_a_pass_busy(answer, idle, deck_order):
    """Also where the claimed card is the last of the pass: the turn-over only comes with the next reveal."""
    match = Match("3 4 | 6 2 | 8 1 | 7 4").play("HIGHER STAND HIGHER HIGHER HIGHER DECLINE").asks(0, FIRST_CALL)
    match.shows(reference=6, deck_order="2 8 1 7 4", idle=[0, 0]).play("LOWER LOWER").asks(1, FIRST_CALL)
    match.play("HIGHER HIGHER").asks(0, MINE, turn_of=1).shows(deck_size=0, idle=[0, 0], next_card="6")
    match.play(answer).asks(0, FIRST_CALL).shows(idle=idle, reference=6, deck_order=deck_order)


def test_the_count_starts_at_0_in_every_round():
    """The idle passes of one round don't count in the next."""
    match = Match("5 3", "5 3", first=[0, 1], idle_passes=2).play("HIGHER").shows(idle=[1, 0]).play("HIGHER")
    match.asks(1, FIRST_CALL).shows(idle=[0, 0], wins=[1, 1], next_card="", deck_order="")
    match.shows(failure_order="", failure_size=0, failure_top=0)
    match.play("HIGHER").asks(0, FIRST_CALL).shows(idle=[1, 0])


# End


def test_the_seats_with_most_cards_score_a_win_each():
    """Ties: all of them. The match ends when a seat has the wins; several seats may win it together."""
    match = Match("5 7 | 5 7", num_players=3, wins_to_finish=1).play("HIGHER STAND HIGHER")
    match.ends([0, 1], [0.25, 0.25, -0.5]).shows(wins=[1, 1, 0], pile_size=[2, 2, 0])


def test_every_seat_that_reaches_the_wins_wins():
    """Both have one win; a tied round brings both to two at once."""
    match = Match("5 7", "5 7", "5 7", first=[0, 1, 0], num_players=3, wins_to_finish=2, idle_passes=1)
    match.play("HIGHER").asks(1, FIRST_CALL).shows(wins=[1, 0, 0]).play("HIGHER").asks(0, FIRST_CALL)
    match.shows(wins=[1, 1, 0]).play("LOWER").ends([0, 1], [0.25, 0.25, -0.5]).shows(wins=[2, 2, 1])


def test_a_tied_round_is_no_victory_for_who_has_not_reached_the_wins():
    """All score in the last round; only who has reached the wins has won."""
    match = Match("5 7", "5 7", "5 7", first=[1, 0, 0], idle_passes=1).play("HIGHER").shows(wins=[0, 1])
    match.play("LOWER").shows(wins=[1, 2]).play("LOWER").ends([1], [-1, 1]).shows(wins=[2, 3])


def test_a_match_goes_on_until_a_seat_has_three_wins():
    """The default; nobody is paid before."""
    match = Match(*["5 7"] * 5, first=[0, 1, 0, 1, 0])
    for seat, wins in [(0, [1, 0]), (1, [1, 1]), (0, [2, 1]), (1, [2, 2])]:
        match.asks(seat, FIRST_CALL).play("HIGHER").shows(wins=wins)
        assert match.rewards == [0, 0]
    match.play("HIGHER").ends([0], [1, -1]).shows(wins=[3, 2])


def test_all_cards_are_shuffled_for_the_next_round():
    """Won, failed and discarded cards come back; piles, lives and the rest of the round begin anew."""
    match = Match("L S 5 3 | 6 2", "6 S 2 L 3 5", first=[0, 1], idle_passes=1).play("KEEP_LIFE LOWER STAND")
    match.shows(pile_size=[2, 0]).play("HIGHER").asks(0, TURN_START).play("REVEAL").asks(0, FIRST_CALL)
    match.shows(deck_order="2", saved_lives=[1, 0]).play("LOWER").asks(1, FIRST_CALL).shows(wins=[1, 0], row="6")
    match.shows(pile_size=[0, 0], saved_lives=[0, 0], active_lives=0, visible_number=[0, 0], below_visible=[0, 0])
    match.shows(deck_size=5, unseen="2 3 5 S L", failure_size=0, failure_order="", deck_order="", idle=[0, 0])


def test_undictated_rounds_are_shuffled():
    """Beyond what is dictated the deck's order and the first seat are drawn."""
    tables = sobremesa.Tables("freep", 400, seed=3, idle_passes=1, **components(cards("5 7")))
    tables.reset(options={"deck": [5, 7], "starting_player": 1})
    reference = tables.observation_fields["reference"].slice
    assert set(tables.observation[:, reference].ravel()) == {5}
    assert set(tables.current_player) == {1}
    tables.step(np.zeros(400, np.int64))
    for values in (tables.observation[:, reference].ravel() == 5, tables.current_player == 0):
        assert 160 < values.sum() < 240  # 4 standard deviations


def test_an_undictated_deck_holds_every_kind_of_card():
    """Each kind comes first as often as the others; a Steal as first card lets the next one come."""
    tables = sobremesa.Tables("freep", 900, seed=2, **components(cards("5 W S L")))
    phases = tables.observation[:, tables.observation_fields["phase"].slice].sum(axis=0)
    assert phases[[PHASES.index("turn start"), PHASES.index("mine")]].tolist() == [0, 0]
    for phase in ("call", "life found", "announce"):
        assert 240 < phases[PHASES.index(phase)] < 360  # 4 standard deviations


def test_wins_to_finish_255():
    """The most that can be asked for, counted and shown."""
    match = Match("5 5", first=[0] * 255, wins_to_finish=255).play("HIGHER " * 254).asks(0, FIRST_CALL)
    match.shows(wins=[254, 0]).play("HIGHER").ends([0], [1, -1]).shows(wins=[255, 0])


def test_255_cards():
    """The longest row: all of them won at the end of the round, or all failed with the last."""
    deck = "1 2 " * 127 + "1"
    match = Match(deck, wins_to_finish=1).play("HIGHER LOWER " * 126 + "HIGHER").asks(0, CALL)
    match.shows(row="1 2 " * 127, deck_size=1, row_values="2 1 2 1 2 1 2 1 2 1 2 1")
    match.play("LOWER").ends([0]).shows(pile_size=[255, 0], visible_number=[1, 0], below_visible=[2, 0])
    match = Match(deck).play("HIGHER LOWER " * 126 + "HIGHER HIGHER").asks(1, FIRST_CALL)
    match.shows(deck_order="2 " + "1 2 " * 126 + "1", deck_size=254, reference=1)
    match.play("HIGHER LOWER " * 126 + "HIGHER HIGHER").asks(0, FIRST_CALL).shows(deck_size=254, idle=[2, 0])


def test_255_wilds():
    """No numbers at all: every call hits, and higher on a 9 asks for a new value."""
    match = Match("W " * 255, wins_to_finish=1).play("ANNOUNCE_8")
    match.play("HIGHER HIGHER ANNOUNCE_8 " * 126 + "HIGHER").asks(0, CALL).shows(row="W " * 254, reference=9)
    match.play("LOWER").ends([0]).shows(pile_size=[255, 0], visible_number=[0, 0], below_visible=[0, 0])


# Rewards


@pytest.mark.parametrize("num_players", range(2, 7))
def test_outcome_of_a_sole_winner(num_players):
    """(n - 1) / (n - 1) = 1 for the winner, -1 / (n - 1) for each loser."""
    match = Match("5 7", num_players=num_players, wins_to_finish=1).play("HIGHER")
    match.ends([0], [1.0] + [-1 / (num_players - 1)] * (num_players - 1))


@pytest.mark.parametrize("num_players", range(2, 7))
def test_outcome_of_a_match_won_by_all(num_players):
    """With k = n everyone gets 0."""
    match = Match("5 7", num_players=num_players, wins_to_finish=1, idle_passes=1).play("LOWER")
    match.ends(list(range(num_players)), [0] * num_players)


def test_score_is_the_share_of_the_cards_against_the_mean():
    """(my pile - mean pile) / D: two, two and no card of four."""
    match = Match("5 7 | 5 7", num_players=3, wins_to_finish=1, reward="score").play("HIGHER STAND")
    assert match.rewards == [0, 0, 0]
    match.play("HIGHER").ends([0, 1], [1 / 6, 1 / 6, -1 / 3])


def test_score_is_paid_at_the_end_of_each_round():
    """Also where the match goes on, and for nobody where nobody has won a card; failed cards are no one's."""
    match = Match("5 3 6", "5 6 3", first=[0, 1], idle_passes=1, reward="score").play("HIGHER").asks(1, FIRST_CALL)
    assert match.rewards == [0, 0]
    match.play("LOWER").asks(1, FIRST_CALL)
    assert match.rewards == pytest.approx([-1 / 6, 1 / 6])
    match.play("HIGHER").asks(1, CALL)
    assert match.rewards == [0, 0]
    match.play("LOWER").shows(wins=[0, 2])
    assert match.rewards == pytest.approx([-0.5, 0.5])


# Truncation


def test_max_decisions_truncates_the_game():
    """The decision with that number does not end the game: nobody is paid, the state is what it left."""
    match = Match("5 7 3 | 2", max_decisions=1).play("HIGHER").ends([], [0, 0], truncated=True)
    match.shows(row="5 7", reference=7, row_below=5, deck_size=2, active_seat=0, unseen="3 2", wins=[0, 0])


def test_max_decisions_counts_the_decisions_of_all_seats_since_the_reset():
    """Whoever decides; a reset begins the count, and the match, anew."""
    match = Match("1 2 | 3 4 | 5 5", max_decisions=3).play("HIGHER STAND").asks(1, FIRST_CALL)
    match.play("HIGHER").ends([], [0, 0], truncated=True).shows(pile_size=[2, 0], row="3 4", active_seat=1)
    match.tables.reset(options={"deck": cards("1 2 3 4 5 5"), "starting_player": 1})
    match.asks(1, FIRST_CALL).play("HIGHER HIGHER").asks(1, CALL).play("STAND").ends([], truncated=True)


def test_a_last_decision_that_ends_the_game_terminates_it():
    """The game is cut off only if that decision does not end it."""
    Match("5 7", wins_to_finish=1, max_decisions=1).play("HIGHER").ends([0], [1, -1])


def test_a_last_decision_that_ends_a_round_deals_the_next():
    """The state that the last decision left, with all it caused: a round scored and paid, the next one dealt."""
    match = Match("5 7", "7 5", first=[0, 1], max_decisions=1, reward="score").play("HIGHER")
    match.ends([], [0.5, -0.5], truncated=True)
    match.shows(wins=[1, 0], row="7", reference=7, pile_size=[0, 0], deck_size=1, active_seat=1)


def test_truncation_with_score_pays_nothing_for_the_open_round():
    """Cards already won in the open round are worth nothing."""
    match = Match("1 2 | 5 5", max_decisions=2, reward="score").play("HIGHER STAND")
    match.ends([], [0, 0], truncated=True).shows(pile_size=[2, 0], active_seat=1, reference=5)


def test_truncation_while_mine_is_asked():
    """`failed_number` and `can_stand` are 0; the failed cards have fallen; the turn was the failing seat's."""
    match = Match("3 4 | 6 7 4 | 5 5", max_decisions=4).play("HIGHER STAND HIGHER HIGHER").ends([], truncated=True)
    match.shows(failure_order="6 7 4", row="", active_seat=1, pile_size=[2, 0])


def test_truncation_while_a_wild_waits():
    """`last_call` is 0; the Wild is in no field."""
    match = Match("8 9 W | 5 5", max_decisions=2).play("HIGHER HIGHER").ends([], truncated=True)
    match.shows(row="8 9", reference=9, unseen="5 5", deck_size=2)


def test_truncation_while_a_life_waits():
    """The Life is in no field: neither active nor saved."""
    match = Match("8 L | 5 5", max_decisions=1).play("HIGHER").ends([], truncated=True)
    match.shows(row="8", active_lives=0, saved_lives=[0, 0], deck_size=2)


def test_truncation_at_a_turn_start():
    """The turn had passed to the seat that was asked."""
    match = Match("L 5 7 | 2 3 | 8 8", max_decisions=5).play("KEEP_LIFE HIGHER STAND HIGHER STAND")
    match.ends([], truncated=True).shows(active_seat=0, saved_lives=[1, 0], row="", reference=0, deck_size=2)


def test_nothing_can_be_done_after_the_end():
    """The mask is all false, and every action is refused."""
    match = Match("5 7", wins_to_finish=1).play("HIGHER").ends([0])
    for action in range(17):
        with pytest.raises(sobremesa.IllegalActionError, match="over"):
            match.tables.step([action])


# Actions


def test_action_ids():
    """17 actions with the ids of the rules, told by their names."""
    tables = sobremesa.Tables("freep")
    assert tables.num_actions == 17
    assert tuple(tables.action_names) == ACTIONS
    assert [tables.action_to_string(action) for action in range(17)] == list(ACTIONS)
    assert [tables.string_to_action(name) for name in ACTIONS] == list(range(17))
    assert (ACTIONS.index("ANNOUNCE_1"), ACTIONS.index("ANNOUNCE_9")) == (8, 16)


def test_an_illegal_action_names_what_is_legal():
    """The error tells the table, the seat, the action and what would be right; nothing has changed."""
    match = Match("5 7 | 1 1", first=1)
    before = match.tables.state.tobytes()
    with pytest.raises(sobremesa.IllegalActionError, match=r"table 0, player_1: .*STAND.*0 HIGHER, 1 LOWER"):
        match.play("STAND")
    assert match.tables.state.tobytes() == before


# Observation


def layout(num_players: int, num_cards: int, recall: bool) -> list[tuple[str, int]]:
    """The fields and their sizes, as the rules list them."""
    n = num_players
    plain = [
        *[("phase", 5), ("active_seat", n), ("reference", 1), ("row", 10), ("row_below", 1), ("last_call", 2)],
        *[("can_stand", 1), ("failed_number", 1), ("active_lives", 1), ("saved_lives", n), ("pile_size", n)],
        *[("visible_number", n), ("wins", n), ("deck_size", 1), ("failure_size", 1), ("failure_top", 1)],
    ]
    remembered = [
        *[("row_values", 12), ("below_visible", n), ("unseen", 12), ("next_card", 13)],
        *[("deck_order", num_cards), ("failure_order", num_cards), ("idle", 2)],
    ]
    return plain + remembered if recall else plain


@pytest.mark.parametrize("recall", [True, False])
@pytest.mark.parametrize("num_players", range(2, 7))
def test_observation_layout(num_players, recall):
    """The fields in the order of the rules, each a slice after the one before; recall fields only with recall."""
    tables = sobremesa.Tables("freep", num_players=num_players, recall=recall, steals=5)
    expected = layout(num_players, 85, recall)
    fields = tables.observation_fields
    assert [(name, field.shape) for name, field in fields.items()] == [(name, (size,)) for name, size in expected]
    starts = np.cumsum([0] + [size for _, size in expected]).tolist()
    assert [(field.slice.start, field.slice.stop) for field in fields.values()] == list(pairwise(starts))
    assert tables.observation.shape == (1, starts[-1])
    assert tables.observation.dtype == np.uint8


def test_observation_maxima():
    """1 for flags and one-hots, 9 for numbers; the rest follows from the components and the parameters."""
    kinds = {"number_counts": (1, 2, 3, 4, 5, 4, 3, 2, 1), "wilds": 6, "steals": 7, "lives": 4, "wins_to_finish": 8}
    maxima = {
        name: field.maximum
        for name, field in sobremesa.Tables("freep", **kinds, idle_passes=9).observation_fields.items()
    }
    ones = ("phase", "active_seat", "last_call", "can_stand", "next_card")
    numbers = ("reference", "row_below", "failed_number", "visible_number", "row_values", "below_visible")
    sizes = ("pile_size", "deck_size", "failure_size")
    assert {maxima[name] for name in ones} == {1}
    assert {maxima[name] for name in numbers} == {9}
    assert {maxima[name] for name in sizes} == {42}
    assert (maxima["wins"], maxima["saved_lives"], maxima["active_lives"]) == (8, 4, 4)
    assert (maxima["row"], maxima["unseen"]) == (6, 7)
    assert (maxima["failure_top"], maxima["deck_order"], maxima["failure_order"], maxima["idle"]) == (10, 10, 10, 9)


@pytest.mark.parametrize(("idle_passes", "maximum"), [(0, 255), (1, 1), (255, 255), (256, 255), (2**31 - 1, 255)])
def test_idle_passes_are_shown_up_to_255(idle_passes, maximum):
    """The count's bound is idle_passes, at most 255; without that end it is 255."""
    assert sobremesa.Tables("freep", idle_passes=idle_passes).observation_fields["idle"].maximum == maximum


def test_kinds_that_are_not_there_can_be_scaled():
    """A game without Lives, Steals and Wilds: its scaled observations are numbers from 0 to 1."""
    tables = sobremesa.Tables("freep", 50, seed=1, scaled=True, wilds=0, steals=0, lives=0)
    for _ in range(50):
        assert ((tables.observation >= 0) & (tables.observation <= 1)).all()
        tables.play_random(1)


def test_seats_are_relative_to_the_observer():
    """The observer first, then clockwise: written out for three seats."""
    match = Match("3 4 | 6 8 9 | 5 5", num_players=3).play("HIGHER STAND HIGHER")
    seen = [match.observe(seat) for seat in range(3)]
    assert [seat["pile_size"] for seat in seen] == [[2, 0, 0], [0, 0, 2], [0, 2, 0]]
    assert [seat["visible_number"] for seat in seen] == [[4, 0, 0], [0, 0, 4], [0, 4, 0]]
    assert [seat["below_visible"] for seat in seen] == [[3, 0, 0], [0, 0, 3], [0, 3, 0]]
    assert [seat["active_seat"] for seat in seen] == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_without_recall_the_other_fields_are_the_same():
    """recall=False leaves the recall fields out, and nothing else changes."""
    deck = "L 3 4 | 6 W 4 | 5 5 S 9 | 8 1"
    remembering, forgetting = Match(deck), Match(deck, recall=False)
    size = forgetting.tables.observation_size
    script = "KEEP_LIFE HIGHER STAND HIGHER HIGHER CLAIM REVEAL HIGHER LOWER HIGHER HIGHER"
    for action in script.split():
        for seat in range(2):
            assert np.array_equal(remembering.tables.observe(seat)[:, :size], forgetting.tables.observe(seat))
        remembering.play(action)
        forgetting.play(action)


def test_row_counts_numbers_and_wilds():
    """The cards at risk: how many of each number, then Wilds, whatever they act as."""
    match = Match("3 W 3 W | 5 5").play("HIGHER LOWER LOWER").asks(0, CALL)
    assert match.observe(0)["row"] == [0, 0, 2, 0, 0, 0, 0, 0, 0, 2]
    match.shows(row_values="2 3 4 3", reference=2, row_below=3)


def test_row_values_are_the_12_topmost():
    """Acting values from the reference downwards; a longer row shows its top."""
    match = Match("1 2 3 4 5 6 7 8 9 8 7 6 5 4 | 1 1").play("HIGHER " * 8 + "LOWER " * 5)
    match.shows(row_values="4 5 6 7 8 9 8 7 6 5 4 3", row="1 2 3 4 5 6 7 8 9 8 7 6 5 4")


def test_unseen_counts_the_part_of_the_deck_nobody_has_seen():
    """By code, Wilds, Steals and Lives too."""
    match = Match("5 9 3 3 W S S S L")
    assert match.observe(1)["unseen"] == [0, 0, 2, 0, 0, 0, 0, 0, 1, 1, 3, 1]
    match.play("HIGHER").shows(unseen="3 3 W S S S L", deck_size=7)


def test_unseen_is_0_once_the_deck_is_a_turned_failure_pile():
    """Every card of it has been seen falling."""
    Match("5 3 | 6 2").shows(unseen="3 6 2").play("HIGHER HIGHER").shows(unseen="", deck_size=3)


def test_the_next_card_is_unknown_while_the_deck_has_never_been_seen():
    """Index 0, even if the card could be deduced."""
    match = Match("5 3 | 5 5 5").shows(next_card="").play("HIGHER").asks(1, FIRST_CALL)
    match.shows(next_card="", unseen="5 5", deck_order="", failure_order="5 3")


def test_the_next_card_of_a_turned_failure_pile_is_known():
    """Its top; a Wild has its code."""
    match = Match("5 3 | 6 W 2").play("HIGHER HIGHER HIGHER").asks(0, FIRST_CALL).shows(next_card="3")
    match.play("LOWER").shows(next_card="6").play("HIGHER").shows(next_card="W", deck_order="W 2")


def test_the_next_card_is_shown_though_the_round_is_going_to_end():
    """The turn-over that is due will end the round; the bottom card of the failure pile is shown all the same."""
    Match("5 3 | 6", wins_to_finish=1, idle_passes=1).play("HIGHER").asks(1, FIRST_CALL).shows(next_card="5")


def test_there_is_no_next_card_when_none_is_left():
    """Index 0 with both piles empty."""
    Match("5 5 L").play("HIGHER").asks(0, LIFE_FOUND).shows(next_card="", deck_size=0, failure_size=0)


def test_failure_order_is_known_while_the_first_deck_lasts():
    """What fell was seen falling, from the bottom up; the deck's own order is not known."""
    match = Match("5 3 | 6 W 2 | 1 1").play("HIGHER HIGHER HIGHER")
    match.shows(failure_order="5 3 6 W 2", failure_top=2, deck_order="")


# Options


def make_tables(**parameters: Any) -> sobremesa.Tables:
    return sobremesa.Tables("freep", 1, seed=4, **{**components(cards("5 7 W S L")), **parameters})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deck": [5, 7, 10, 11]}, "deck .*missing: 1 × (Life|L|12)"),
        ({"deck": [5, 7, 10, 11, 12, 12]}, "deck .*too many: 1 × (Life|L|12)"),
        ({"deck": [5, 5, 10, 11, 12]}, "deck .*missing: 1 × 7; too many: 1 × 5"),
        ({"deck": [0, 7, 10, 11, 12]}, "deck .*missing: 1 × 5; too many: 1 × .*0"),
        ({"deck": [13, 7, 10, 11, 12]}, "deck .*missing: 1 × 5; too many: 1 × .*13"),
        ({"deck": [-5, 7, 10, 11, 12]}, r"deck\[0\] .*-5"),
        ({"deck": [5, 7, 10, 11, 12.0]}, r"deck\[4\] .*12.0"),
        ({"deck": [5, 7, 10, 11, True]}, r"deck\[4\] .*True"),
        ({"deck": [5, 7, 10, 11, None]}, r"deck\[4\] .*None"),
        ({"deck": [[5, 7, 10, 11, [12]]]}, r"deck\[0\]\[4\] .*\[12\]"),
        ({"starting_player": [0, [1, [0]]]}, r"starting_player\[1\] .*\[1, \[0\]\]"),
        ({"deck": "57WSL"}, "deck .*57WSL"),
        ({"deck": 5}, "deck .*5"),
        ({"deck": None}, "deck .*None"),
        ({"deck": []}, "deck .*at least one"),
        ({"deck": [[]]}, r"deck\[0\] .*at least one"),
        ({"deck": [None]}, r"deck\[0\] .*None"),
        ({"deck": [[5, 7, 10, 11, 12], None]}, r"deck\[1\] .*None"),
        ({"deck": [[5, 7, 10, 11, 12], [5, 7, 10, 11]]}, r"deck\[1\] .*missing"),
        ({"deck": [[5, 7, 10, 11, 12]] * 9 + [[5, 7, 10, 11, 11]]}, r"deck\[9\] .*too many"),
        ({"starting_player": -1}, "starting_player .*0 to 1, not -1"),
        ({"starting_player": 2}, "starting_player .*0 to 1, not 2"),
        ({"starting_player": [0, 5]}, r"starting_player\[1\] .*0 to 1, not 5"),
        ({"starting_player": 0.0}, "starting_player .*0.0"),
        ({"starting_player": "0"}, "starting_player .*'0'"),
        ({"starting_player": True}, "starting_player .*True"),
        ({"starting_player": None}, "starting_player .*None"),
        ({"starting_player": []}, "starting_player .*at least one"),
        ({"starting_player": [0, None]}, r"starting_player\[1\] .*None"),
        ({"starting_player": [0, 1, 0, 1, 0, 1, 2]}, r"starting_player\[6\] .*not 2"),
        ({"deck": [5, 7, 10, 11, 12], "starting_player": 2}, "starting_player .*not 2"),
        ({"deck": [5, 7, 10, 11], "starting_player": 0}, "deck .*missing"),
        ({"decks": [5, 7, 10, 11, 12]}, "no option 'decks'; its options: deck, starting_player"),
        ([5, 7, 10, 11, 12], "options must be a mapping"),
    ],
)
def test_what_cannot_be_dealt_is_refused(options, message):
    """A ValueError that says what is missing or too many; entries beyond the last round are checked too."""
    tables = make_tables(wins_to_finish=1)
    before = support.snapshot(tables)
    with pytest.raises(ValueError, match=message):
        tables.reset(seed=9, options=options)
    support.assert_same(before, support.snapshot(tables), "after a refusal")


def test_nothing_of_a_refused_deal_is_left():
    """Later rounds of a match are those dictated before a refusal."""
    match = Match("5 7", "7 5", first=[0, 1])
    with pytest.raises(ValueError, match="missing"):
        match.tables.reset(options={"deck": [[5, 7], [5, 5]]})
    match.asks(0, FIRST_CALL).play("HIGHER").asks(1, FIRST_CALL).shows(reference=7)


@pytest.mark.parametrize("deck", [[7, 12, 5, 10, 11], (7, 12, 5, 10, 11), np.array([7, 12, 5, 10, 11])])
def test_a_single_deck_and_a_single_seat_are_for_the_first_round(deck):
    """Index 0 is drawn first; a single deal may be any sequence of codes."""
    tables = make_tables(num_players=5)
    tables.reset(options={"deck": deck, "starting_player": np.int64(3)})
    seen = tables.game.decode(tables.observe(3)[0], tables.parameters)
    assert (tables.current_player[0], seen["reference"][0]) == (3, 7)
    tables.step([ACTIONS.index("HIGHER")])
    assert tables.legal_action_mask[0].nonzero()[0].tolist() == [4, 5]


def test_a_list_gives_one_entry_for_each_round_in_turn():
    """Decks and seats, of different lengths: what is not given is drawn."""
    match = Match("5 7 9", "7 9 5", "9 7 5", first=[1, 0, 1, 1, 0, 1], wins_to_finish=9, idle_passes=1)
    match.asks(1, FIRST_CALL).shows(reference=5).play("HIGHER HIGHER")
    match.asks(0, FIRST_CALL).shows(reference=7).play("HIGHER STAND")
    match.asks(1, FIRST_CALL).shows(reference=9).play("LOWER LOWER")
    for seat in (1, 0, 1):
        assert match.tables.current_player[0] == seat
        wins = match.observe(0)["wins"]
        while match.observe(0)["wins"] == wins:
            match.play("LOWER")


def test_entries_beyond_the_last_round_are_not_used():
    """They are dropped with the match: the next reset without options deals at random."""
    match = Match(*["5 7"] * 3, first=[0] * 3, wins_to_finish=1).play("HIGHER").ends([0])
    seats = set()
    for seed in range(20):
        match.tables.reset(seed=seed)
        seats.add((int(match.tables.current_player[0]), match.observe(0)["reference"][0]))
    assert seats == {(0, 5), (0, 7), (1, 5), (1, 7)}


def test_a_deck_alone_leaves_the_first_seat_to_chance():
    """For what is not given the game's own rule applies."""
    tables = sobremesa.Tables("freep", 300, seed=5, **components(cards("5 7 9")))
    tables.reset(options={"deck": [7, 5, 9]})
    assert set(tables.observation[:, tables.observation_fields["reference"].slice].ravel()) == {7}
    assert 110 < tables.current_player.sum() < 190


def test_a_first_seat_alone_leaves_the_deck_to_chance():
    """For what is not given the game's own rule applies."""
    tables = sobremesa.Tables("freep", 300, seed=5, **components(cards("5 7 9")))
    tables.reset(options={"starting_player": 1})
    references = tables.observation[:, tables.observation_fields["reference"].slice].ravel()
    assert np.bincount(references, minlength=10)[[5, 7, 9]].min() > 65
    assert set(tables.current_player) == {1}
