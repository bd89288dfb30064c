"""The faults that `planted_faults.py` plants: in which file, what becomes what, and which test must see it."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """`right` stands once in `file`; with `wrong` in its place `test` must fail."""

    name: str
    file: str
    right: str
    wrong: str
    test: str


SHARED = [
    Fault(
        "a bounded draw keeps the low halves that count twice",
        "chance.py",
        "while product & LOW_HALF < unfair:",
        "while product & LOW_HALF < np.uint64(0):",
        "test_tables.py::test_below_is_the_reference",
    ),
    Fault(
        "a loser pays its share of n instead of n - 1",
        "game.py",
        'table["rewards"][seat] = -1.0 / (num_players - 1)',
        'table["rewards"][seat] = -1.0 / num_players',
        "test_rules_freep.py::test_outcome_of_a_sole_winner",
    ),
    Fault(
        "the mask of the last decision stays in the buffer",
        "loops.py",
        "    for action in range(len(mask)):\n        mask[action] = 0\n",
        "",
        "test_rules_freep.py::test_mine_is_asked_clockwise_from_the_failing_seats_left",
    ),
    Fault(
        "rewards of the step before are paid again",
        "loops.py",
        '    clear_rewards(table)\n    table["decisions"] += 1\n',
        '    table["decisions"] += 1\n',
        "test_rules_freep.py::test_score_is_paid_at_the_end_of_each_round",
    ),
    Fault(
        "a game is cut off one decision too late",
        "loops.py",
        'table["decisions"] >= table["max_decisions"]',
        'table["decisions"] > table["max_decisions"]',
        "test_rules_freep.py::test_max_decisions_truncates_the_game",
    ),
    Fault(
        "what was dictated for one game goes on in the next",
        "loops.py",
        '    table["next_dictated"] = table["end_dictated"]\n    load_dictated(table, dictated)\n',
        "",
        "test_tables.py::test_options_are_for_one_game_only[freep]",
    ),
    Fault(
        "a negative action passes the check",
        "loops.py",
        "if action < 0 or action >= num_actions",
        "if action >= num_actions",
        "test_tables.py::test_the_first_illegal_action_is_named_and_nothing_changes[freep]",
    ),
    Fault(
        "deals to come are forgotten by a copy",
        "tables.py",
        '        self._dictated = arrays["dictated"].copy()\n',
        "        self._dictated = self._dictated[:0].copy()\n",
        "test_copies.py::test_dictated_deals_to_come_are_saved_and_copied[freep]",
    ),
    Fault(
        "a seat that is not to act sees the mask",
        "aec.py",
        '"action_mask": self._mask if is_to_act else self._no_mask}',
        '"action_mask": self._mask}',
        "test_invariants.py::test_nobody_but_the_seat_to_act_has_an_action[freep]",
    ),
    Fault(
        "an observation is the live buffer",
        "aec.py",
        "self.tables.observation[0].copy() if is_to_act",
        "self.tables.observation[0] if is_to_act",
        "test_outside_checks.py::test_what_the_aec_environment_gave_is_not_overwritten[freep]",
    ),
    Fault(
        "the learner is paid what another seat has earned",
        "seats.py",
        "rewards[where, self.seats[where]]",
        "rewards[where, 0]",
        "test_outside_checks.py::test_the_learner_gets_its_payoff[freep]",
    ),
    Fault(
        "a final observation is that of another environment",
        "vector.py",
        "final[i] = observation[i].copy()",
        "final[i] = observation[i - 1].copy()",
        "test_vector.py::test_it_is_what_gymnasium_makes_of_single_environments[freep-SameStep]",
    ),
]

FREEP = [
    Fault(
        "the next card is shown though nobody has seen it",
        "games/freep.py",
        'return int(table["deck"][int(table["deck_start"])]) if table["deck_turned"] else 0',
        'return int(table["deck"][int(table["deck_start"])])',
        "test_rules_freep.py::test_the_next_card_is_unknown_while_the_deck_has_never_been_seen",
    ),
    Fault(
        "announcements are masked one too low",
        "games/freep.py",
        "mask[ANNOUNCE_1 + value] = 1",
        "mask[ANNOUNCE_1 - 1 + value] = 1",
        "test_rules_freep.py::test_a_first_wild_acts_as_the_number_that_is_announced",
    ),
    Fault(
        "the first call of a turn is optional",
        "games/freep.py",
        'mask[STAND] = table["can_stand"]',
        "mask[STAND] = 1",
        "test_rules_freep.py::test_the_first_call_of_a_turn_is_not_optional",
    ),
    Fault(
        "a claimed card goes to who failed",
        "games/freep.py",
        'win_card(table, seat, int(table["failed_number"]))',
        'win_card(table, int(table["active"]), int(table["failed_number"]))',
        "test_rules_freep.py::test_a_claim_ends_the_asking",
    ),
    Fault(
        "thefts go round the wrong way",
        "games/freep.py",
        "seat = (thief + distance) % num_players",
        "seat = (thief + num_players - distance) % num_players",
        "test_rules_freep.py::test_stolen_cards_are_stacked_clockwise_from_the_left",
    ),
    Fault(
        "a tie lays the old card on top",
        "games/freep.py",
        "    win_card(table, seat, code)\n    win_card(table, seat, number)\n",
        "    win_card(table, seat, number)\n    win_card(table, seat, code)\n",
        "test_rules_freep.py::test_a_tie_puts_the_new_card_on_top",
    ),
    Fault(
        "turning over reverses the failures",
        "games/freep.py",
        'table["deck"][i] = table["failure"][i]',
        'table["deck"][i] = table["failure"][max(0, int(table["failure_size"]) - 1 - i)]',
        "test_rules_freep.py::test_the_failure_pile_is_turned_over_without_shuffling",
    ),
    Fault(
        "one idle pass too many",
        "games/freep.py",
        'table["idle"] >= table["idle_passes"]',
        'table["idle"] > table["idle_passes"]',
        "test_rules_freep.py::test_idle_passes_end_a_round",
    ),
    Fault(
        "a life annuls every fail of the turn",
        "games/freep.py",
        '    elif table["active_lives"] > 0:\n        table["active_lives"] -= 1\n',
        '    elif table["active_lives"] > 0:\n',
        "test_rules_freep.py::test_a_fail_takes_one_active_life",
    ),
    Fault(
        "a won Wild shows a number",
        "games/freep.py",
        'if node == NOTHING or table["won_card"][node] == WILD:',
        "if node == NOTHING:",
        "test_rules_freep.py::test_a_wild_on_a_won_pile_shows_no_number",
    ),
    Fault(
        "the others are seen the wrong way round",
        "games/freep.py",
        "other = (seat + distance) % num_players",
        "other = (seat + num_players - distance) % num_players",
        "test_rules_freep.py::test_seats_are_relative_to_the_observer",
    ),
    Fault(
        "only the first of the tied seats scores a win",
        "games/freep.py",
        '            table["wins"][seat] += 1\n',
        '            table["wins"][seat] += 1\n            most = MAX_CARDS + 1\n',
        "test_rules_freep.py::test_the_seats_with_most_cards_score_a_win_each",
    ),
]

FAULTS = [*SHARED, *FREEP]
