"""Tables: what a call changes, what it leaves alone, and what it refuses; and the random numbers below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sobremesa
import support
from sobremesa import chance, loops
from sobremesa.game import FREE

MOST_DECISIONS = 20  # so that games end often
NUM_TABLES = 12
EVERY_OTHER = np.arange(NUM_TABLES) % 2 == 0


def make(game: str, **arguments: Any) -> sobremesa.Tables:
    return sobremesa.Tables(game, **{"num_tables": NUM_TABLES, "seed": 6, "max_decisions": MOST_DECISIONS, **arguments})


def choose(tables: sobremesa.Tables, number: int) -> np.ndarray:
    return support.nth_legal(tables.legal_action_mask, support.scatter(np.arange(tables.num_tables), number))


def rows(shown: dict[str, np.ndarray], where: np.ndarray) -> dict[str, np.ndarray]:
    """Those of the tables in `where`; what is dictated belongs to all."""
    return {name: array[where] for name, array in shown.items() if "dictated" not in name}


def refused(tables: sobremesa.Tables, error: Any, match: str, call: Callable, *given: Any, **named: Any) -> Any:
    """The error that the call raises, with all of `tables` left bit for bit as it was."""
    before = support.snapshot(tables)
    with pytest.raises(error, match=match) as caught:
        call(*given, **named)
    support.assert_same(before, support.snapshot(tables), f"{caught.value} has changed something")
    return caught.value


# where


def test_only_the_tables_in_where_are_stepped(game):
    for parameters in support.variants(game):
        tables, everywhere = make(game, **parameters), make(game, **parameters)
        for number in range(2 * MOST_DECISIONS):
            before, actions = support.snapshot(tables), choose(tables, number)
            actions[~EVERY_OTHER] = -77  # not read
            tables.step(actions, where=EVERY_OTHER)
            everywhere.step(choose(everywhere, number))
            after = support.snapshot(tables)
            support.assert_same(rows(before, ~EVERY_OTHER), rows(after, ~EVERY_OTHER), "left out")
            support.assert_same(rows(support.snapshot(everywhere), EVERY_OTHER), rows(after, EVERY_OTHER), "stepped")


def test_only_the_tables_in_where_are_reset(game):
    tables, fresh = make(game), make(game, seed=50)
    tables.play_random(5)
    before = support.snapshot(tables)
    tables.reset(seed=50, where=EVERY_OTHER)
    after = support.snapshot(tables)
    support.assert_same(rows(before, ~EVERY_OTHER), rows(after, ~EVERY_OTHER), "left out")
    expected = {name: array for name, array in support.snapshot(fresh).items() if name != "ended_state"}
    support.assert_same(rows(expected, EVERY_OTHER), rows(after, EVERY_OTHER), "reset")


@pytest.mark.parametrize("name", ["step", "reset", "forfeit", "refresh", "play_random_until"])
def test_where_must_be_bool_and_of_one_entry_for_each_table(game, name):
    tables = make(game)
    for where in (np.ones(NUM_TABLES, int), np.ones(NUM_TABLES + 1, bool), np.ones((NUM_TABLES, 1), bool), True, [1]):
        first = {"step": [choose(tables, 0)], "play_random_until": [0]}.get(name, [])
        refused(tables, ValueError, "where must be bool", getattr(tables, name), *first, where=where)


def test_where_may_be_a_view_of_a_buffer(game):
    """Such as the tables that have just ended."""
    tables = make(game, autoreset=False)
    while not tables.terminated.any() and not tables.truncated.any():
        tables.step(choose(tables, 0))
    ended = (tables.truncated | tables.terminated).copy()
    copied = tables.copy()
    for one in (tables, copied):
        one.reset(where=one.truncated)
    copied.reset(where=copied.terminated)
    tables.reset(where=tables.terminated)
    assert ended.any()
    assert (tables.current_player >= 0).all()
    support.assert_same(support.snapshot(tables), support.snapshot(copied))


def test_nothing_happens_where_there_is_nothing_to_do(game):
    tables = make(game)
    tables.step(choose(tables, 0))
    before = support.snapshot(tables)
    nowhere = np.zeros(NUM_TABLES, bool)
    tables.step(np.full(NUM_TABLES, -1), where=nowhere)
    tables.reset(seed=9, where=nowhere)
    tables.forfeit(nowhere)
    tables.refresh()
    tables.refresh(nowhere)
    support.assert_same(before, support.snapshot(tables))


# The end


def test_with_autoreset_a_finished_table_is_dealt_anew_and_its_end_kept(game):
    for parameters in support.variants(game):
        tables = make(game, **parameters)
        staying = make(game, autoreset=False, **parameters)
        ended = np.zeros(NUM_TABLES, bool)
        for number in range(MOST_DECISIONS):
            actions = choose(tables, number)
            where = ~ended
            staying.step(actions, where=where)
            tables.step(actions)
            just_ended = where & (staying.current_player < 0)
            assert np.array_equal(just_ended, where & (tables.terminated | tables.truncated))
            assert np.array_equal(tables.rewards[where], staying.rewards[where])
            assert tables.ended_state[just_ended].tobytes() == staying.state[just_ended].tobytes()
            for seat in range(tables.num_players):
                final = tables.observe_records(tables.ended_state, seat)
                assert np.array_equal(final[just_ended], staying.observe(seat)[just_ended])
            assert np.all(tables.state["decisions"][just_ended] == 0)
            ended |= just_ended
        assert ended.all()
        assert (tables.current_player >= 0).all()


def test_without_autoreset_an_ended_table_stays(game):
    for parameters in support.variants(game):
        tables = make(game, autoreset=False, **parameters)
        assert np.all(tables.play_random(MOST_DECISIONS)[1] == 1)
        assert np.all(tables.current_player == -1)
        assert not tables.legal_action_mask.any()
        assert not tables.observation.any()
        assert all(tables.observe(seat).any() for seat in range(tables.num_players))
        assert np.all(tables.terminated != tables.truncated)
        assert not tables.winners[tables.truncated].any()
        refused(tables, sobremesa.IllegalActionError, "table 0: the game is over", tables.step, choose(tables, 0))
        before = support.snapshot(tables)
        assert not tables.play_random(3)[1].any()
        support.assert_same(before, support.snapshot(tables))
        tables.reset()
        assert np.all(tables.current_player >= 0)


def test_max_decisions_cuts_the_game_off(game):
    for most in (1, 2, 9):
        tables = make(game, autoreset=False, max_decisions=most)
        for number in range(1, most + 1):
            running = tables.current_player >= 0
            tables.step(choose(tables, number), where=running)
        assert np.all(tables.state["decisions"] <= most)
        cut_off = tables.truncated
        assert np.all(tables.state["decisions"][cut_off] == most)
        assert np.all(cut_off | tables.terminated)
        assert not tables.rewards[cut_off].any()


def test_nothing_is_written_past_the_end_of_a_row(game):
    """Rows are written in words here and there; what lies behind the last one belongs to somebody else."""
    for parameters in support.variants(game):
        tables = make(game, **parameters)
        for _ in range(20):
            tables.play_random(7)
            mask = np.full((2, tables._mask.shape[1]), 255, np.uint8)
            observation = np.full((2, tables.observation_size), 255, np.uint8)
            for i in range(tables.num_tables):
                record, everywhere = tables.state[i : i + 1].copy(), np.ones(1, bool)
                loops.report_tables(record, everywhere, tables._results[:1].copy(), mask, observation, 0, 1)
                for seat in range(tables.num_players):
                    observation[0] = 0
                    loops.observe_tables(record, np.array([seat]), observation, 0, 1)
            assert (mask[1] == 255).all()
            assert (observation[1] == 255).all()


# Illegal actions


def test_the_first_illegal_action_is_named_and_nothing_changes(game):
    for parameters in support.variants(game):
        tables = make(game, **parameters)
        tables.play_random(7)
        num_actions = tables.num_actions
        for action in (-1, num_actions, num_actions + 5, 2**31, 2**62, -(2**63)):
            actions = choose(tables, 1)
            actions[[4, 9]] = action
            error = refused(tables, sobremesa.IllegalActionError, str(action), tables.step, actions)
            assert (error.table, error.seat, error.action) == (4, tables.current_player[4], action)
        actions = choose(tables, 1)
        actions[3] = tables.legal_action_mask[3].argmin()
        error = refused(tables, sobremesa.IllegalActionError, "table 3", tables.step, actions)
        assert (error.table, error.seat, error.action) == (3, tables.current_player[3], actions[3])
        assert f"player_{error.seat}" in str(error)
        assert tables.action_to_string(error.action) in str(error)


def test_a_huge_unsigned_action_is_refused(game):
    tables = make(game)
    actions = choose(tables, 0).astype(np.uint64)
    for action in (2**64 - 1, 2**63, 2**63 + int(actions[1])):
        actions[2] = action
        error = refused(tables, sobremesa.IllegalActionError, f"table 2, .*{action}", tables.step, actions)
        assert error.action == action


def test_actions_of_another_kind_or_shape_are_refused(game):
    tables = make(game)
    legal = choose(tables, 0)
    with_nan = legal.astype(float)
    with_nan[1] = np.nan
    for actions in (legal.astype(float), with_nan, legal.astype(bool), legal.astype(str), legal.astype(object), None):
        refused(tables, (TypeError, ValueError), "actions must", tables.step, actions)
    for actions in (legal[:-1], np.append(legal, 0), legal[:, None], legal[None], legal[0], [], [[0]] * NUM_TABLES):
        refused(tables, (TypeError, ValueError), "actions must", tables.step, actions)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint16, np.uint32, np.uint64, ">i4"])
def test_actions_of_any_integer_type_are_taken(game, dtype):
    tables, other = make(game), make(game)
    if tables.num_actions > np.iinfo(dtype).max:
        pytest.skip("the type can't hold every action")
    tables.step(choose(tables, 0).astype(dtype))
    other.step(np.repeat(choose(other, 0), 2)[::2])  # not contiguous
    support.assert_same(support.snapshot(tables), support.snapshot(other))
    tables.step(choose(tables, 1).tolist())
    other.step(choose(other, 1))
    support.assert_same(support.snapshot(tables), support.snapshot(other))


# Parameters and options


def test_parameters_are_kept_as_plain_python(game):
    low, _, _ = sobremesa.games()[game].players
    tables = sobremesa.Tables(game, np.int64(2), num_players=np.int8(low), recall=np.True_, max_decisions=np.uint32(9))
    assert (tables.num_tables, tables.num_players) == (2, low)
    kinds = {name: type(tables.parameters[name]) for name in ("num_players", "recall", "max_decisions")}
    assert kinds == {"num_players": int, "recall": bool, "max_decisions": int}


def test_unknown_parameters_and_games_are_refused(game):
    with pytest.raises(sobremesa.ParameterError, match="num_player"):
        sobremesa.Tables(game, num_player=3)
    with pytest.raises(TypeError, match="num_player"):
        sobremesa.Tables(game, num_player=3)
    for name in ("chess", "", None, 3):
        with pytest.raises(sobremesa.ParameterError, match=game):
            sobremesa.Tables(name)


@pytest.mark.parametrize(("name", "value"), [("num_tables", 0), ("num_tables", 1.0), ("num_threads", 0), ("seed", -1),
                                             ("seed", 2**64), ("seed", 1.5), ("seed", True)])  # fmt: skip
def test_bad_arguments_are_refused(game, name, value):
    with pytest.raises(sobremesa.ParameterError, match=name):
        sobremesa.Tables(game, **{name: value})


def test_bad_seeds_and_options_are_refused_and_change_nothing(game):
    tables = make(game)
    tables.play_random(3)
    for seed in (
        -1,
        2**64,
        1.5,
        "1",
        [1] * (NUM_TABLES - 1),
        [*range(NUM_TABLES - 1), -1],
        [*range(NUM_TABLES - 1), "2"],
    ):
        refused(tables, (ValueError, TypeError), "seed", tables.reset, seed=seed)
    refused(tables, sobremesa.ParameterError, "weather", tables.reset, options={"weather": "fine"})
    refused(tables, sobremesa.ParameterError, "options", tables.reset, seed=3, options=["deck"])
    for name in sobremesa.games()[game].options:
        for value in (None, [], [None], "abc", -1, 2**40, [[]], {}, 1.5, [2**40], [[-1]], float("nan")):
            refused(tables, sobremesa.ParameterError, name, tables.reset, seed=3, options={name: value})
    if "starting_player" in sobremesa.games()[game].options:
        for seat in (tables.num_players, [0, tables.num_players], True, [0, None]):
            options = {"starting_player": seat}
            refused(tables, sobremesa.ParameterError, "starting_player", tables.reset, options=options)


def test_seeds_may_be_given_one_by_one(game):
    tables, other = make(game, num_tables=4), make(game, num_tables=4)
    for one in (tables, other):
        one.play_random(3)
    tables.reset(seed=[7, None, 2**64 - 1, None])
    assert tables.state[[0]].tobytes() == make(game, num_tables=1, seed=7).state.tobytes()
    assert tables.state[[2]].tobytes() == make(game, num_tables=1, seed=2**64 - 1).state.tobytes()
    other.reset()
    assert np.array_equal(tables.full_state()[[1, 3]], other.full_state()[[1, 3]])
    wrapping = make(game, num_tables=3, seed=2**64 - 2)
    assert wrapping.state[[2]].tobytes() == make(game, num_tables=1, seed=0).state.tobytes()


def draw(game: str, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters, and options that dictate the whole game."""
    rng = support.random_of(game, number)
    parameters = support.situation(game).draw_parameters(rng)
    return parameters, support.situation(game).draw_options(rng, parameters)


def test_dictated_deals_are_played_whatever_the_random_state(game):
    for number in range(10):
        parameters, options = draw(game, number)
        first, second = (sobremesa.Tables(game, 3, seed=seed, autoreset=False, **parameters) for seed in (1, 100))
        for tables in (first, second):
            tables.reset(options=options)
        assert len(np.unique(first.full_state(), axis=0)) == 1
        for step in range(200):
            assert np.array_equal(first.full_state(), second.full_state())
            where = first.current_player >= 0
            actions = support.nth_legal(first.legal_action_mask, np.full(3, support.scatter(step)))
            first.step(actions, where)
            second.step(actions, where)


def test_options_are_for_one_game_only(game):
    """What was dictated of a game that has ended isn't dealt in the next one."""
    for number in range(6):
        parameters, options = draw(game, number)
        parameters["max_decisions"] = 3
        tables = sobremesa.Tables(game, 64, seed=1, **parameters)
        plain = sobremesa.Tables(game, 64, seed=1, **parameters)
        tables.reset(options=options)
        for _ in range(3):
            tables.step(support.first_legal(tables.legal_action_mask))
        assert np.all(tables.state["next_dictated"] == tables.state["end_dictated"])
        assert np.all(tables.state["dictated"] == FREE)
        tables.reset(seed=1)
        plain.reset(seed=1)
        assert np.array_equal(tables.full_state(), plain.full_state())


def test_what_is_dictated_to_some_tables_leaves_what_was_dictated_to_others(game):
    for number in range(10):
        parameters, options = draw(game, number)
        others = support.situation(game).draw_options(support.random_of(game, 1000 + number), parameters)
        mixed, ones, twos = (sobremesa.Tables(game, 4, seed=1, autoreset=False, **parameters) for _ in range(3))
        where = np.array([True, False, True, False])
        ones.reset(options=options)
        twos.reset(options=others)
        mixed.reset(options=options)
        mixed.reset(options=others, where=~where)
        for step in range(120):
            expected = np.where(where[:, None], ones.full_state(), twos.full_state())
            assert np.array_equal(mixed.full_state(), expected), (number, step)
            for tables in (mixed, ones, twos):
                actions = support.nth_legal(tables.legal_action_mask, np.full(4, support.scatter(step)))
                tables.step(actions, tables.current_player >= 0)


def first_deal(options: dict[str, Any], name: str) -> Any:
    """The first of what is dictated under that name, deal by deal or once."""
    given = options[name]
    is_list_of_deals = not np.isscalar(given) and (name == "starting_player" or not np.isscalar(given[0]))
    return given[0] if is_list_of_deals else given


def per_deal(game: str) -> list[str]:
    """The options that take one entry or a list of them, one for each deal."""
    return [name for name in ("deck", "starting_player") if name in sobremesa.games()[game].options]


def test_one_deal_may_be_dictated_alone_or_as_a_list(game):
    for number in range(6):
        parameters, options = draw(game, number)
        for name in per_deal(game):
            deal = first_deal(options, name)
            stands = []
            for value in (deal, [deal], (deal,), np.array([deal])):
                tables = sobremesa.Tables(game, 2, seed=3, **parameters)
                tables.reset(seed=3, options={name: value})
                stands.append(tables.state.tobytes())
            assert len(set(stands)) == 1, (name, parameters)


def test_a_deck_of_other_cards_is_refused(game):
    for number in range(6):
        parameters, options = draw(game, number)
        tables = sobremesa.Tables(game, 3, seed=3, **parameters)
        deck = list(first_deal(options, "deck"))
        other = next(card for card in range(256) if card not in deck[:1])
        for wrong in (
            deck[:-1],
            [*deck, deck[0]],
            [other, *deck[1:]],
            [-1, *deck[1:]],
            [256, *deck[1:]],
            [1.5, *deck[1:]],
        ):
            for value in (wrong, [wrong], [deck, wrong], [deck, None], [deck, []]):
                refused(tables, sobremesa.ParameterError, "deck", tables.reset, options={"deck": value})


# Random play


def test_play_random_is_single_random_decisions(game):
    """Its sums of rewards and its count of games are those of as many calls with one decision each."""
    for parameters in support.variants(game):
        for autoreset in (True, False):
            at_once, one_by_one = (make(game, autoreset=autoreset, **parameters) for _ in range(2))
            returns, num_games = at_once.play_random(3 * MOST_DECISIONS)
            total, ended = np.zeros_like(returns), np.zeros_like(num_games)
            for _ in range(3 * MOST_DECISIONS):
                running = one_by_one.current_player >= 0
                one_by_one.play_random(1)
                total[running] += one_by_one.rewards[running]
                ended += running & (one_by_one.terminated | one_by_one.truncated)
            assert np.allclose(returns, total)
            assert np.array_equal(num_games, ended)
            assert np.array_equal(at_once.full_state(), one_by_one.full_state())
            assert num_games.min() >= (2 if autoreset else 1)


def test_play_random_draws_a_rank_among_the_legal_actions(game):
    """By an unbiased draw from `choice`; the tests of the random numbers below hold that it is one."""
    for parameters in support.variants(game):
        tables = make(game, **parameters)
        for _ in range(MOST_DECISIONS):
            expected = tables.copy()
            num_legal = tables.legal_action_mask.sum(axis=1).tolist()
            drawn = [lemire(state, bound) for state, bound in zip(tables.state["choice"].tolist(), num_legal)]
            expected.step(support.nth_legal(tables.legal_action_mask, np.array([rank for rank, _ in drawn])))
            tables.play_random(1)
            assert np.array_equal(tables.full_state(), expected.full_state())
            assert np.array_equal(tables.state["chance"], expected.state["chance"])
            assert tables.state["choice"].tolist() == [state for _, state in drawn]


def test_play_random_until_stops_at_the_seat(game):
    for parameters in support.variants(game):
        for autoreset in (True, False):
            tables = make(game, autoreset=autoreset, **parameters)
            seats = np.arange(NUM_TABLES) % tables.num_players
            before = support.snapshot(tables)
            returns = tables.play_random_until(seats, EVERY_OTHER)
            after = support.snapshot(tables)
            support.assert_same(rows(before, ~EVERY_OTHER), rows(after, ~EVERY_OTHER), "left out")
            assert not returns[~EVERY_OTHER].any()
            player = tables.current_player[EVERY_OTHER]
            assert np.all((player == seats[EVERY_OTHER]) | (player < 0))
            assert np.all((player >= 0) == ~(tables.terminated | tables.truncated)[EVERY_OTHER])
            assert not tables.play_random_until(seats, EVERY_OTHER).any()
            support.assert_same(after, support.snapshot(tables), "it was their turn already")


def test_play_random_until_pays_what_the_decisions_pay(game):
    parameters = {"reward": "score", "max_decisions": sobremesa.games()[game].max_decisions}
    tables = make(game, autoreset=False, **parameters)
    total = np.zeros((NUM_TABLES, tables.num_players))
    other = tables.copy()
    while (tables.current_player >= 0).any():
        total += tables.play_random_until((tables.current_player + 1) % tables.num_players)
    returns, _ = other.play_random(parameters["max_decisions"])
    assert np.allclose(total, returns)
    assert np.array_equal(tables.full_state(), other.full_state())
    assert total.any()


def test_wrong_seats_are_refused(game):
    tables = make(game)
    for seat in (-1, tables.num_players, 1.0, True, None, [0], np.zeros((NUM_TABLES, 1), int), np.full(NUM_TABLES, -1)):
        for call in (tables.observe, tables.play_random_until):
            refused(tables, sobremesa.ParameterError, "seat", call, seat)
    for num_steps in (-1, 1.5, None):
        refused(tables, sobremesa.ParameterError, "num_steps", tables.play_random, num_steps)


# Giving up


def test_forfeit(game):
    for parameters in support.variants(game):
        for autoreset in (True, False):
            tables = make(game, autoreset=autoreset, **parameters)
            tables.play_random(4)
            before, movers = support.snapshot(tables), tables.current_player.copy()
            tables.forfeit(EVERY_OTHER)
            after = support.snapshot(tables)
            support.assert_same(rows(before, ~EVERY_OTHER), rows(after, ~EVERY_OTHER), "left out")
            for i in np.flatnonzero(EVERY_OTHER):
                assert tables.rewards[i].tolist() == [
                    -1.0 if seat == movers[i] else 0.0 for seat in range(tables.num_players)
                ]
            assert np.all(tables.current_player[EVERY_OTHER] == -1)
            assert np.all(tables.terminated[EVERY_OTHER] & ~tables.truncated[EVERY_OTHER])
            assert not tables.winners.any()
            assert not tables.legal_action_mask[EVERY_OTHER].any()
            assert np.array_equal(tables.state["decisions"], before["state"]["decisions"] + EVERY_OTHER)
            refused(tables, ValueError, "table 0", tables.forfeit, EVERY_OTHER)
            refused(tables, sobremesa.IllegalActionError, "table 0", tables.step, choose(tables, 0))
            tables.reset(where=EVERY_OTHER)
            tables.step(choose(tables, 0))


def test_refresh_reports_what_was_changed_by_hand(game):
    for parameters in support.variants(game):
        source, target = make(game, seed=90, **parameters), make(game, **parameters)
        source.play_random(6)
        expected = support.snapshot(source)
        target.state[:] = source.state
        target.refresh(EVERY_OTHER)
        for name in ("current_player", "legal_action_mask", "observation"):
            shown = support.snapshot(target)[name]
            assert np.array_equal(shown[EVERY_OTHER], expected[name][EVERY_OTHER]), name
        target.refresh()
        for name in ("current_player", "legal_action_mask", "observation"):
            assert np.array_equal(support.snapshot(target)[name], expected[name]), name


# Looking


def test_observation_is_that_of_the_seat_to_act(game):
    for parameters in support.variants(game):
        tables = make(game, **parameters)
        for number in range(MOST_DECISIONS):
            assert np.array_equal(tables.observation, tables.observe(tables.current_player))
            assert tables.observation.dtype == np.uint8
            tables.step(choose(tables, number))


def test_scaled_observations_are_divided_by_the_maxima(game):
    for parameters in support.variants(game):
        tables, scaled = (make(game, scaled=scaled, **parameters) for scaled in (False, True))
        fields = tables.observation_fields.values()
        maxima = np.concatenate([np.full(int(np.prod(field.shape)), field.maximum) for field in fields])
        assert np.array_equal(tables.observation_scale, maxima)
        for number in range(MOST_DECISIONS):
            for seat in range(tables.num_players):
                assert scaled.observe(seat).dtype == np.float32
                assert np.array_equal(scaled.observe(seat), (tables.observe(seat) / maxima).astype(np.float32))
            assert scaled.observation.dtype == np.float32
            assert np.array_equal(scaled.observation, (tables.observation / maxima).astype(np.float32))
            assert scaled.observation.max() <= 1
            for one in (tables, scaled):
                one.step(choose(one, number))


def test_fields_lie_one_after_the_other(game):
    for parameters in support.variants(game):
        tables = make(game, **parameters)
        end = 0
        for name, field in tables.observation_fields.items():
            assert field.slice == slice(end, end + int(np.prod(field.shape))), name
            assert 1 <= field.maximum <= 255, name
            end = field.slice.stop
        assert end == tables.observation_size == tables.observation.shape[1]


def test_recall_adds_fields_and_changes_nothing_else(game):
    for n in support.player_counts(game):
        with_recall, without = (make(game, num_players=n, recall=recall) for recall in (True, False))
        assert set(without.observation_fields) < set(with_recall.observation_fields)
        for number in range(MOST_DECISIONS):
            seen = [tables.game.decode(tables.observe(0), tables.parameters) for tables in (with_recall, without)]
            assert all(np.array_equal(seen[0][name], array) for name, array in seen[1].items())
            for tables in (with_recall, without):
                tables.step(choose(tables, number))


def test_full_state_is_all_but_the_random_states_and_the_future(game):
    tables, other = make(game), make(game)
    other.state["chance"] += np.uint64(1)
    other.state["choice"] += np.uint64(1)
    assert np.array_equal(tables.full_state(), other.full_state())
    for name in sobremesa.games()[game].state_fields:
        changed = tables.copy()
        changed.state[name] = changed.state[name] == 0  # another number everywhere
        assert not np.array_equal(changed.full_state(), tables.full_state()), name
    assert tables.full_state().dtype == np.uint8
    assert not np.shares_memory(tables.full_state(), tables.state)


def test_action_texts_name_every_action_once(game):
    for parameters in support.variants(game):
        tables = make(game, **parameters)
        texts = [tables.action_to_string(action) for action in range(tables.num_actions)]
        assert len(set(texts)) == tables.num_actions
        assert all(texts)
        assert [tables.string_to_action(text) for text in texts] == list(range(tables.num_actions))
        for action in (-1, tables.num_actions, 1.0, None):
            with pytest.raises(sobremesa.ParameterError, match="action"):
                tables.action_to_string(action)
        for text in ("", "no such action", texts[0].lower() + "?"):
            with pytest.raises(ValueError, match="has no action"):
                tables.string_to_action(text)


def test_repr_and_text_show_the_table(game):
    for parameters in support.variants(game):
        tables = make(game, **parameters)
        assert repr(tables).startswith(f"Tables({game!r}, {NUM_TABLES}, num_players={tables.num_players}")
        assert tables.to_text(0) in repr(tables)
        assert tables.to_text(3) == tables.to_text(3, int(tables.current_player[3]))
        views = {tables.to_text(3, seat) for seat in range(tables.num_players)}
        assert len(views) == tables.num_players
        for seat in (-1, tables.num_players, 1.0):
            with pytest.raises(sobremesa.ParameterError, match="seat"):
                tables.to_text(0, seat)
        tables = make(game, autoreset=False, **parameters)
        tables.play_random(MOST_DECISIONS)
        assert tables.to_text(0) == tables.to_text(0, 0)
        assert repr(tables)


def test_buffers_stay_the_same_arrays(game):
    tables = make(game)
    names = ("current_player", "legal_action_mask", "rewards", "terminated", "truncated", "state", "ended_state")
    arrays = {name: getattr(tables, name) for name in names}
    tables.play_random(5)
    tables.step(choose(tables, 0))
    tables.reset(seed=3)
    assert all(getattr(tables, name) is array for name, array in arrays.items())


# sample_legal, and the random numbers of the kernels


def chi_square(counts: list[int]) -> float:
    """Of counts that should be equal."""
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def critical(num_kinds: int) -> float:
    """What chi-square exceeds once in some ten thousand times: Wilson and Hilferty's approximation."""
    freedom = max(num_kinds - 1, 1)
    return freedom * (1 - 2 / (9 * freedom) + 3.8 * (2 / (9 * freedom)) ** 0.5) ** 3


def test_sample_legal_is_uniform_over_the_legal_actions():
    rng = np.random.default_rng(1)
    mask = np.zeros(20, bool)
    mask[[0, 3, 7, 8, 19]] = True
    drawn = Counter(sobremesa.sample_legal(mask, rng) for _ in range(5000))
    assert set(drawn) == {0, 3, 7, 8, 19}
    assert chi_square(list(drawn.values())) < critical(5)
    batch = sobremesa.sample_legal(np.tile(mask, (5000, 1)), rng)
    assert batch.dtype == np.int64
    assert set(batch.tolist()) == {0, 3, 7, 8, 19}
    assert chi_square(list(Counter(batch.tolist()).values())) < critical(5)


def test_sample_legal_of_a_row_without_an_action_is_minus_one():
    rng = np.random.default_rng(1)
    mask = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]], np.int8)
    assert sobremesa.sample_legal(mask, rng).tolist() == [1, -1, 0, -1]
    with pytest.raises(ValueError, match="no action is legal"):
        sobremesa.sample_legal(mask[1], rng)
    assert type(sobremesa.sample_legal(mask[0], rng)) is int


WORD = 2**64
FIRST_OF_1234567 = (
    6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
)  # fmt: skip


def splitmix64(state: int) -> tuple[int, int]:
    """The next output and the next state, in plain Python."""
    state = (state + 0x9E3779B97F4A7C15) % WORD
    word = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31), state


def lemire(state: int, bound: int) -> tuple[int, int]:
    """A draw from `[0, bound)` of the upper half of each output, in plain Python."""
    while True:
        word, state = splitmix64(state)
        product = (word >> 32) * bound
        if product % 2**32 >= 2**32 % bound:
            return product >> 32, state


def test_the_reference_gives_the_published_numbers():
    state, outputs = 1234567, []
    for _ in FIRST_OF_1234567:
        output, state = splitmix64(state)
        outputs.append(output)
    assert tuple(outputs) == FIRST_OF_1234567


def test_mix_gives_the_published_numbers():
    gamma = int(chance.GOLDEN_GAMMA)
    words = [np.uint64((1234567 + k * gamma) % WORD) for k in range(1, 6)]
    assert tuple(int(chance.mix(word)) for word in words) == FIRST_OF_1234567


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 83, 255, 2**16 + 1, 2**30 + 1, 3 * 2**29 + 1, 2**31 - 1, 2**31])
def test_below_is_the_reference(bound):
    """Bounds a little above a power of two reject nearly half of the outputs."""
    for seed in (0, 1, WORD - 1, 0x123456789ABCDEF):
        state = reference = seed
        for _ in range(200):
            drawn, state = (int(part) for part in chance.below(np.uint64(state), bound))
            expected, reference = lemire(reference, bound)
            assert (drawn, state) == (expected, reference)


@pytest.mark.parametrize("bound", [2, 7, 48, 3 * 2**29 + 1])
def test_below_is_uniform(bound):
    state, counts, num_kinds = np.uint64(99), Counter(), min(bound, 48)
    for _ in range(20_000):
        drawn, state = chance.below(np.uint64(state), bound)
        counts[int(drawn) * num_kinds // bound] += 1
    assert len(counts) == num_kinds
    assert chi_square(list(counts.values())) < critical(num_kinds)


def test_every_order_is_equally_likely():
    state, counts = np.uint64(5), Counter()
    for _ in range(24 * 400):
        cards = np.arange(5, dtype=np.uint8)
        state = np.uint64(chance.shuffle(cards, 4, state))
        assert cards[4] == 4, "beyond the count nothing moves"
        counts[tuple(cards)] += 1
    assert len(counts) == 24
    assert chi_square(list(counts.values())) < critical(24)


def test_states_of_seeds_are_the_reference_and_all_different():
    seeds = [0, 1, 2, 1234567, WORD - 1]
    first, second = chance.states_from_seeds(np.array(seeds, np.uint64))
    for seed, chance_state, choice_state in zip(seeds, first, second):
        start = splitmix64((seed - 0x9E3779B97F4A7C15) % WORD)[0]  # mixed once
        one, state = splitmix64(start)
        two, _ = splitmix64(state)
        assert (int(chance_state), int(choice_state)) == (one, two)
    many = np.concatenate(chance.states_from_seeds(np.arange(100_000, dtype=np.uint64)))
    assert len(np.unique(many)) == 200_000
