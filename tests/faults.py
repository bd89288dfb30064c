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
        "    clear(mask, 0, len(mask))\n",
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
        'arrays["dictated"].copy()',
        'arrays["dictated"][:0].copy()',
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
    Fault(
        "a record lacks what random opponents took",
        "replay.py",
        "self._step(self._draw_actions(waiting), waiting)",
        "self._own.step(tables, self._draw_actions(waiting), waiting)",
        "test_replay.py::test_random_decisions_inside_the_kernel_are_recorded[freep-False]",
    ),
    Fault(
        "a record of a game that follows another has the seed of the next",
        "replay.py",
        'seeds_from_states(ended["chance"][i : i + 1])',
        'seeds_from_states(tables.state["chance"][i : i + 1])',
        "test_replay.py::test_a_game_is_recorded_from_its_deal_to_its_end_or_not_at_all[freep]",
    ),
    Fault(
        "a record of a table changed by hand goes on",
        "replay.py",
        "            self._games[i] = None\n\n    def _load",
        "            pass\n\n    def _load",
        "test_replay.py::test_a_table_changed_by_hand_is_not_recorded_before_its_next_game[freep-refresh]",
    ),
    Fault(
        "a record doesn't know that env() ended the game",
        "aec.py",
        "if self._terminated and not was_terminated:",
        "if False:",
        "test_replay.py::test_games_of_every_surface_are_recorded_and_replay[freep-env]",
    ),
    Fault(
        "a record's digest leaves the observations out",
        "replay.py",
        "tables.legal_action_mask[i], tables._observation[i])",
        "tables.legal_action_mask[i])",
        "test_replay.py::test_the_digest_is_of_all_that_was_shown[freep]",
    ),
    Fault(
        "a record is read whatever its checksum",
        "replay.py",
        "if record.to_line() != text:",
        "if False:",
        "test_replay.py::test_damage_is_always_seen[freep]",
    ),
    Fault(
        "a record is replayed without looking at the rules",
        "replay.py",
        "if not tables.legal_action_mask[0, action]:",
        "if False:",
        "test_replay.py::test_other_content_is_refused[freep-an illegal action]",
    ),
    Fault(
        "a record is verified by half of its result",
        "replay.py",
        "if found != recorded:",
        'if found != recorded and name != "winners":',
        "test_replay.py::test_other_content_is_refused[freep-other winners]",
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
        "seat = seat_at(table, thief, distance)",
        "seat = seat_at(table, thief, num_players - distance)",
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
        "return code if code < WILD else 0",
        "return code",
        "test_rules_freep.py::test_a_wild_on_a_won_pile_shows_no_number",
    ),
    Fault(
        "the others are seen the wrong way round",
        "games/freep.py",
        "other = seat_at(table, seat, distance)",
        "other = seat_at(table, seat, num_players - distance)",
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

FRIEGAS_TU = [
    Fault(
        "a row holds eight",
        "games/friegas_tu.py",
        'if table["row_sum"][row] + other > MAX_SUM:',
        'if table["row_sum"][row] + other > MAX_SUM + 1:',
        "test_rules_friegas_tu.py::test_a_row_sums_to_seven_at_most[3]",
    ),
    Fault(
        "pots touch across a corner too",
        "games/friegas_tu.py",
        "BESIDE = _cells_related(lambda rows, columns: rows + columns == 1)",
        "BESIDE = _cells_related(lambda rows, columns: (rows < 2) & (columns < 2) & (rows + columns > 0))",
        "test_rules_friegas_tu.py::test_a_pot_touches_another_orthogonally",
    ),
    Fault(
        "a party outlives a wash",
        "games/friegas_tu.py",
        '    wash_sink(table, int(table["active"]))\n    table["party"] = 0\n',
        '    wash_sink(table, int(table["active"]))\n',
        "test_rules_friegas_tu.py::test_washing_ends_a_party",
    ),
    Fault(
        "everybody sees who is asked for a Skip",
        "games/friegas_tu.py",
        'return TAKE if phase == REACTION and seat != table["current_player"] else phase',
        "return phase",
        "test_rules_friegas_tu.py::test_who_is_asked_and_declines_is_not_public",
    ),
    Fault(
        "the player of a Landlord washes too",
        "games/friegas_tu.py",
        'return table["exempt"][seat] == 0 and (table["resolving"] == VISITORS or seat != table["active"])',
        'return table["exempt"][seat] == 0',
        "test_rules_friegas_tu.py::test_landlord_makes_everybody_else_wash",
    ),
    Fault(
        "the last card in hand owes two pots",
        "games/friegas_tu.py",
        '2 if table["party"] and table["cards_in_hand"][seat] >= 2 else 1',
        '2 if table["party"] and table["cards_in_hand"][seat] >= 1 else 1',
        "test_rules_friegas_tu.py::test_one_pot_is_due_with_one_card_in_hand",
    ),
    Fault(
        "a Skip in reaction is not replaced",
        "games/friegas_tu.py",
        '        draw_up_to(table, seat, int(table["cards_in_hand"][seat]) + 1)\n',
        "",
        "test_rules_friegas_tu.py::test_a_skip_in_reaction_is_replaced_at_once",
    ),
    Fault(
        "what is left goes to the last player before the left",
        "games/friegas_tu.py",
        'best, lowest = -1, NUM_POTS * ANY_SUM\n    for distance in range(1, int(table["num_players"]) + 1):',
        'best, lowest = -1, NUM_POTS * ANY_SUM\n    for distance in range(int(table["num_players"])):',
        "test_rules_friegas_tu.py::test_a_reaction_is_not_a_turn",
    ),
    Fault(
        "the left neighbour's hand leaks",
        "games/friegas_tu.py",
        'copy(table["hand"][seat], 1, NUM_CODES, out, at)',
        'copy(table["hand"][seat_at(table, seat, 1)], 1, NUM_CODES, out, at)',
        "test_rules_friegas_tu.py::test_a_seat_sees_its_own_hand_alone",
    ),
    Fault(
        "sizes of hands are seen the wrong way round",
        "games/friegas_tu.py",
        'table["cards_in_hand"][seat_at(table, seat, distance)]',
        'table["cards_in_hand"][seat_at(table, seat, num_players - distance)]',
        "test_rules_friegas_tu.py::test_seats_are_relative_to_the_observer",
    ),
]

PINATA = [
    Fault(
        "the higher sum wins on LOW",
        "games/pinata.py",
        'winner = 0 if is_first_higher == (table["mat_side"][mat] == HIGH) else 1',
        "winner = 0 if is_first_higher else 1",
        "test_rules_pinata.py::test_the_lower_sum_wins_on_low_and_the_loser_is_on_turn_twice",
    ),
    Fault(
        "the winner of a mat is next",
        "games/pinata.py",
        "next_seat = 1 - winner",
        "next_seat = winner",
        "test_rules_pinata.py::test_the_higher_sum_wins_on_high_and_the_loser_is_next",
    ),
    Fault(
        "a scored mat is not turned",
        "games/pinata.py",
        '        table["mat_side"][mat] = LOW if table["mat_side"][mat] == HIGH else HIGH\n',
        "",
        "test_rules_pinata.py::test_a_larger_mat_is_scored_when_both_sides_are_full",
    ),
    Fault(
        "a candy admits any number of cards",
        "games/pinata.py",
        '    if colour != WILD:\n        table["mat_needs"][colour * PLACES + place] -= 1\n',
        "",
        "test_rules_pinata.py::test_a_colour_without_a_candy_is_refused_and_each_candy_admits_one_card",
    ),
    Fault(
        "a tie forgets the cards that lie there",
        "games/pinata.py",
        "return minus(swap_sides(sums), sums) | ~(is_last * ALL_BITS)",
        "return swap_sides(sums) | ~(is_last * ALL_BITS)",
        "test_rules_pinata.py::test_no_tie_by_the_last_of_several_cards",
    ),
    Fault(
        "the opponent's side is always open",
        "games/pinata.py",
        "return own | (room & ~own & ~swap_sides(own))",
        "return room",
        "test_rules_pinata.py::test_own_side_until_it_is_full_then_the_opponents",
    ),
    Fault(
        "what is known stays with the slot of the hand",
        "games/pinata.py",
        '    table["hand_known"][seat, slot] = table["hand_known"][seat, last]\n',
        "",
        "test_rules_pinata.py::test_a_shown_card_is_known_until_it_is_played",
    ),
    Fault(
        "a hand is known without being shown",
        "games/pinata.py",
        'out[at + int(table["hand"][seat, slot])] = table["hand_known"][seat, slot]',
        'out[at + int(table["hand"][seat, slot])] = 1',
        "test_rules_pinata.py::test_the_first_deal",
    ),
    Fault(
        "sums are seen from seat 0",
        "games/pinata.py",
        'put_word(seen_by(word_of(table["mat_sum"], 0), seat), out, at)',
        'put_word(seen_by(word_of(table["mat_sum"], 0), 0), out, at)',
        "test_rules_pinata.py::test_a_play_goes_to_the_mat_then_a_card_is_drawn_and_the_turn_passes",
    ),
    Fault(
        "a medal needs a candy more",
        "games/pinata.py",
        ">= MEDAL_AT[colour]",
        "> MEDAL_AT[colour]",
        "test_rules_pinata.py::test_medals_and_the_step_in_which_the_third_ends_the_game",
    ),
]

FIGARO = [
    Fault(
        "6 is not enough",
        "games/figaro.py",
        'if table["total"][target] >= TAKE_AT:',
        'if table["total"][target] > TAKE_AT:',
        "test_rules_figaro.py::test_whoever_totals_6_takes_all_cards_in_front_of_all_seats",
    ),
    Fault(
        "who plays the sixth takes for another",
        "games/figaro.py",
        "take(table, target)",
        "take(table, seat)",
        "test_rules_figaro.py::test_another_player_may_make_a_seat_take_and_that_seat_has_the_next_turn",
    ),
    Fault(
        "a Ring passes to the right",
        "games/figaro.py",
        "for seat in range(last):",
        "for seat in range(last - 1, -1, -1):",
        "test_rules_figaro.py::test_a_ring_passes_everything_to_the_left",
    ),
    Fault(
        "colours stay behind when a Ring passes",
        "games/figaro.py",
        '        swap(table["colour"], seat, last)\n',
        "",
        "test_rules_figaro.py::test_colours_count_where_a_ring_has_carried_them",
    ),
    Fault(
        "a Jester takes the colour away",
        "games/figaro.py",
        "if kind < JESTER_1:",
        "if kind < RING:",
        "test_rules_figaro.py::test_a_jester_goes_in_front_of_anybody_always",
    ),
    Fault(
        "a colour lies in front of two seats",
        "games/figaro.py",
        "        if targets == 0:\n            targets = owners >> SET_SIZE * NO_COLOUR\n",
        "        targets |= owners >> SET_SIZE * NO_COLOUR\n",
        "test_rules_figaro.py::test_a_colour_card_goes_in_front_of_the_seat_that_has_its_colour_only",
    ),
    Fault(
        "nothing on the table may be taken",
        "games/figaro.py",
        'mask[RING * num_players + 1] = table["num_open"] > 0',
        "mask[RING * num_players + 1] = 1",
        "test_rules_figaro.py::test_taking_is_not_possible_while_no_card_lies_on_the_table",
    ),
    Fault(
        "the King stays where it was",
        "games/figaro.py",
        '    table["king"] = seat\n    award_pieces(table)\n',
        "    award_pieces(table)\n",
        "test_rules_figaro.py::test_the_player_without_cards_takes_the_king_and_begins_the_next_round",
    ),
    Fault(
        "a hand leaks to the right neighbour",
        "games/figaro.py",
        'copy(table["hand"][seat], 0, NUM_KINDS, out, num_players)',
        'copy(table["hand"][seat_at(table, seat, 1)], 0, NUM_KINDS, out, num_players)',
        "test_rules_figaro.py::test_a_seat_sees_its_own_hand_only",
    ),
    Fault(
        "totals are seen from seat 0",
        "games/figaro.py",
        'out[total_at + distance] = table["total"][other]',
        'out[total_at + distance] = table["total"][distance]',
        "test_rules_figaro.py::test_5_is_not_enough",
    ),
]

FAULTS = [*SHARED, *FREEP, *FRIEGAS_TU, *PINATA, *FIGARO]
