"""Dealing anew what is hidden from a seat: nothing that it knows changes, and every other world is equally likely.

The oracle is plain Python: `shuffle_hidden` and `hidden_placements` of what the shared tests know about each game.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import sobremesa
import support
from sobremesa import chance
from sobremesa.game import FREE

NUM_TABLES = 8
MOST_HIDDEN, MOST_WORLDS = 9, 40  # cards, and ways in which they may lie, of a situation in which these are counted
REDEALS_FOR_EACH_WORLD = 30
NUM_SITUATIONS = 3  # of each variant, and as many in which something of a hidden hand is plain
CHANGES = {"chance", "choice", "dictated", "next_dictated", "end_dictated"}  # of a record, with what is hidden


class Situation(NamedTuple):
    parameters: dict[str, Any]
    record: np.void
    seat: int


def points_of_play(
    game: str, num_tables: int = NUM_TABLES, seed: int = 0, between: int = 20, **parameters: Any
) -> Iterator[sobremesa.Tables]:
    """The same Tables again, in the midst of many games and at their ends, none of which is dealt anew by itself."""
    tables = sobremesa.Tables(game, num_tables, seed=seed, autoreset=False, **parameters)
    while (tables.current_player >= 0).any():
        yield tables
        for _ in range(between):
            numbers = support.scatter(np.arange(num_tables), tables.state["decisions"], seed)
            tables.step(support.nth_legal(tables.legal_action_mask, numbers), where=tables.current_player >= 0)
    yield tables


def repeated(situation: Situation, game: str, num_tables: int, **arguments: Any) -> sobremesa.Tables:
    """Tables that all stand as the situation says."""
    tables = sobremesa.Tables(game, num_tables, autoreset=False, **arguments, **situation.parameters)
    tables.state[:] = situation.record
    tables.refresh()
    return tables


def world(game: str, record: np.void) -> str:
    """How the hidden cards lie, with hands whose order means nothing in one order."""
    return repr(support.situation(game).hidden_world(record))


def variants(game: str) -> list[dict[str, Any]]:
    return [*support.variants(game), *support.situation(game).TINY_PARAMETERS]


def is_any(record: np.void, seat: int) -> bool:
    return True


def situations(
    game: str, parameters: dict[str, Any], is_wanted: Callable[[np.void, int], bool] = is_any
) -> Iterator[tuple[Situation, dict[str, float]]]:
    """Some situations with few worlds, but several, and the share of each world, up to a factor."""
    known, found = support.situation(game), 0
    for tables in points_of_play(game, 64, between=3, **parameters):
        for record, seat in itertools.product(tables.state, range(tables.num_players)):
            if known.num_hidden(record, seat) > MOST_HIDDEN or not is_wanted(record, seat):
                continue
            few = list(itertools.islice(known.hidden_placements(record, seat, parameters), MOST_WORLDS + 1))
            if 1 < len(few) <= MOST_WORLDS:
                shares = {world(game, placed): weight for placed, weight in few}
                assert len(shares) == len(few)
                yield Situation(parameters, record.copy(), seat), shares
                found += 1
                if found == NUM_SITUATIONS:
                    return


# What the seat knows


def test_nothing_that_the_seat_is_given_changes(game):
    for parameters in variants(game):
        for number, tables in enumerate(points_of_play(game, max_decisions=300, **parameters)):
            for seat in range(tables.num_players):
                twin = tables.copy()
                twin.redeal_hidden(seat, seed=1000 * number)
                assert np.array_equal(twin.observe(seat), tables.observe(seat)), parameters
                is_to_act = tables.current_player == seat
                for name in ("legal_action_mask", "observation"):
                    assert np.array_equal(getattr(twin, name)[is_to_act], getattr(tables, name)[is_to_act]), name
                for name in ("current_player", "rewards", "terminated", "truncated", "winners"):
                    assert np.array_equal(getattr(twin, name), getattr(tables, name)), name


def test_nothing_changes_but_what_is_hidden(game):
    known = support.situation(game)
    names = [name for name in sobremesa.games()[game].table.names if name not in CHANGES | known.HIDDEN_FIELDS]
    for parameters in variants(game):
        for tables in points_of_play(game, max_decisions=300, **parameters):
            for seat in range(tables.num_players):
                twin = tables.copy()
                twin.redeal_hidden(seat, seed=3)
                for name in names:
                    assert np.array_equal(twin.state[name], tables.state[name]), name
                for name in known.HIDDEN_FIELDS & {"hand", "hand_known"}:
                    assert np.array_equal(twin.state[name][:, seat], tables.state[name][:, seat]), name


@pytest.mark.parametrize("autoreset", [False, True])
def test_what_the_last_step_brought_stays(game, autoreset):
    """Also where it ended a game, and the record is of the next one."""
    tables = sobremesa.Tables(game, NUM_TABLES, seed=0, autoreset=autoreset, max_decisions=30)
    for _ in range(30):
        tables.step(tables.sample_actions(), where=tables.current_player >= 0)
    brought = {name: getattr(tables, name).copy() for name in ("rewards", "terminated", "truncated")}
    assert (brought["terminated"] | brought["truncated"]).any()
    tables.redeal_hidden(0, seed=1)
    for name, values in brought.items():
        assert (getattr(tables, name) == values).all(), name


def test_components_are_conserved(game):
    num_cards = support.situation(game).num_cards
    for parameters in variants(game):
        for number, tables in enumerate(points_of_play(game, max_decisions=300, **parameters)):
            before = [num_cards(record, parameters) for record in tables.state]
            tables.redeal_hidden(number % tables.num_players, seed=number)
            assert [num_cards(record, parameters) for record in tables.state] == before, parameters


# Which world it becomes


def chi_square(counts: Counter, shares: dict[str, float]) -> float:
    expected = {name: counts.total() * share / sum(shares.values()) for name, share in shares.items()}
    return sum((counts[name] - expected[name]) ** 2 / expected[name] for name in shares)


def critical(freedom: int) -> float:
    """What chi-square exceeds once in some hundred thousand times: Wilson and Hilferty's approximation."""
    return freedom * (1 - 2 / (9 * freedom) + 4.3 * (2 / (9 * freedom)) ** 0.5) ** 3


def expect_each_by_its_share(game: str, situation: Situation, shares: dict[str, float]) -> None:
    tables = repeated(situation, game, REDEALS_FOR_EACH_WORLD * len(shares))
    tables.redeal_hidden(situation.seat, seed=12345)
    counts = Counter(world(game, record) for record in tables.state)
    assert world(game, situation.record) in shares
    assert set(counts) == set(shares), situation
    assert chi_square(counts, shares) < critical(len(shares) - 1), situation


def test_every_world_is_dealt_by_its_share(game):
    for parameters in [*support.variants(game)[:4], *support.situation(game).TINY_PARAMETERS]:
        few = list(situations(game, parameters))
        assert few, parameters
        for situation, shares in few:
            expect_each_by_its_share(game, situation, shares)


def test_what_is_plain_of_a_hidden_hand_is_kept_to(game):
    """Such as that who is asked for a Skip holds one."""
    is_plain = getattr(support.situation(game), "is_plain", None)
    if is_plain is None:
        pytest.skip("a hidden hand shows nothing of itself in this game")
    checked = 0
    for parameters in variants(game):
        for situation, shares in situations(game, parameters, is_plain):
            expect_each_by_its_share(game, situation, shares)
            checked += 1
    assert checked >= NUM_SITUATIONS


def test_a_full_table_gets_a_different_world_each_time(game):
    for parameters in variants(game)[: len(support.variants(game))]:
        for tables in itertools.islice(points_of_play(game, between=5, **parameters), 3):
            for seat in range(tables.num_players):
                situation = Situation(parameters, tables.state[0].copy(), seat)
                worlds = repeated(situation, game, 50)
                worlds.redeal_hidden(seat, seed=0)
                assert len({world(game, record) for record in worlds.state}) == 50, parameters


def test_it_follows_from_what_the_seat_knows_and_the_seed(game):
    """Worlds that the seat can't tell apart become the same record, byte for byte."""
    shuffle_hidden = support.situation(game).shuffle_hidden
    for parameters in variants(game):
        rng = support.random_of(game, 1)
        for tables in points_of_play(game, max_decisions=300, **parameters):
            for seat in range(tables.num_players):
                twin, other = tables.copy(), tables.copy()
                for record in other.state:
                    shuffle_hidden(record, seat, parameters, rng)
                    record["chance"], record["choice"] = rng.getrandbits(64), rng.getrandbits(64)
                for each in (twin, other):
                    each.redeal_hidden(seat, seed=77)
                assert twin.state.tobytes() == other.state.tobytes(), parameters


def test_no_trace_of_the_true_world_is_left(game):
    """Not where cards were dealt from, nor of later deals: worlds that differ from the first deal on become one."""
    known = support.situation(game)
    for number, parameters in enumerate(variants(game)):
        rng = support.random_of(game, number)
        tables = sobremesa.Tables(game, autoreset=False, **parameters)
        one, other = (known.draw_options(rng, {**tables.parameters, "max_decisions": 300}) for _ in range(2))
        decks = support.deals_of(one["deck"])
        tables.reset(seed=1, options={**one, "deck": decks})
        first = tables.copy()
        seat, swaps = int(first.current_player[0]), 0
        for _ in range(100):
            deck = decks[0][:]
            i, j = rng.randrange(len(deck)), rng.randrange(len(deck))
            deck[i], deck[j] = deck[j], deck[i]
            tables.reset(seed=2, options={**one, "deck": [deck, *support.deals_of(other["deck"])[1:]]})
            is_same_to_seat = tables.observation.tobytes() == first.observation.tobytes()
            is_same = tables.full_state().tobytes() == first.full_state().tobytes()
            if is_same_to_seat and not is_same and tables.current_player[0] == seat:
                swaps, decks[0] = swaps + 1, deck
                for each in (redealt := first.copy(), tables):
                    each.redeal_hidden(seat, seed=number)
                assert tables.state.tobytes() == redealt.state.tobytes(), parameters
        assert swaps, parameters


# Seeds and futures


def test_a_seed_gives_one_world_and_future_and_another_seed_another(game):
    for parameters in variants(game):
        for tables in itertools.islice(points_of_play(game, between=9, **parameters), 6):
            ways = [tables.copy() for _ in range(3)]
            for way, seed in zip(ways, (5, 5, 5_000)):
                way.redeal_hidden(0, seed=seed)
            assert ways[0].state.tobytes() == ways[1].state.tobytes()
            assert (ways[0].state["chance"] != ways[2].state["chance"]).all()
            assert (ways[0].state["chance"] != tables.state["chance"]).all()
            for way in ways:
                way.reset()  # of which the random state alone decides
            assert ways[0].state.tobytes() == ways[1].state.tobytes()
            assert (ways[0].full_state() != ways[2].full_state()).any(axis=1).mean() > 0.5


def test_the_same_actions_lead_elsewhere(game):
    """Where nothing is hidden, as in a turned deck, it is the next deal that differs."""
    for parameters in support.variants(game):
        tables = sobremesa.Tables(game, 1, seed=4, **parameters)
        tables.play_random(30)
        futures = set()
        for seed in range(6):
            way = tables.copy()
            way.redeal_hidden(0, seed=seed)
            way.state["choice"] = 1  # the same choices
            way.play_random(400)
            futures.add(way.full_state().tobytes())
        assert len(futures) > 3, parameters


def test_a_redeal_does_not_repeat_the_draws_of_a_deal_with_its_seed(game):
    tables = sobremesa.Tables(game, NUM_TABLES, seed=9)
    dealt = set(tables.state["chance"]) | set(tables.state["choice"])
    tables.redeal_hidden(0, seed=9)
    assert not dealt & (set(tables.state["chance"]) | set(tables.state["choice"]))
    start = np.array(chance.states_from_seeds(np.arange(9, 9 + NUM_TABLES, dtype=np.uint64), pair=1))
    assert not dealt & set(start.ravel())
    assert len(np.unique(start)) == start.size


def test_dictated_deals_are_forgotten(game):
    known, num_dictated = support.situation(game), 0
    for number in range(6):
        rng = support.random_of(game, number)
        parameters = {**known.draw_parameters(rng), "max_decisions": 300}
        tables = sobremesa.Tables(game, 2, autoreset=False, **parameters)
        tables.reset(options=known.draw_options(rng, parameters))
        tables.redeal_hidden(0, seed=1, where=np.array([True, False]))
        is_free = (tables.state["dictated"] == FREE).all(axis=1)
        assert is_free[0]
        assert tables.state["next_dictated"][0] == tables.state["end_dictated"][0]
        num_dictated += not is_free[1]
        tables.play_random(300)
    assert num_dictated


# Playing on


def test_the_game_goes_on_to_its_end(game):
    num_cards = support.situation(game).num_cards
    for parameters in variants(game):
        ended = 0
        for number, tables in enumerate(points_of_play(game, seed=2, between=25, max_decisions=400, **parameters)):
            twin = tables.copy()
            twin.redeal_hidden(number % tables.num_players, seed=number)
            running = twin.current_player >= 0
            components = [num_cards(record, parameters) for record in twin.state[running][:4]]
            for _ in range(500):
                assert (twin.observation <= twin.observation_scale).all(), parameters
                assert (twin.legal_action_mask.any(axis=1) == (twin.current_player >= 0)).all()
                if not (twin.current_player >= 0).any():
                    break
                twin.play_random(1)
            assert (twin.terminated | twin.truncated)[running].all()
            assert [num_cards(record, parameters) for record in twin.state[running][:4]] == components
            ended += running.sum()
        assert ended


# Tables


def test_only_the_tables_in_where_are_redealt_and_their_rows_are_new(game):
    tables = sobremesa.Tables(game, NUM_TABLES, seed=3)
    tables.play_random(7)
    seats = np.arange(NUM_TABLES) % tables.num_players
    where = np.arange(NUM_TABLES) % 2 == 0
    before = support.snapshot(tables)
    tables.redeal_hidden(seats, seed=8, where=where)
    after = support.snapshot(tables)
    support.assert_same(
        {name: array[~where] for name, array in before.items() if "dictated" not in name},
        {name: array[~where] for name, array in after.items() if "dictated" not in name},
    )
    assert (after["state"]["chance"] != before["state"]["chance"])[where].all()
    tables.refresh()
    support.assert_same(after, support.snapshot(tables), "the buffers are not those of the records")
    for i in np.flatnonzero(where)[:4]:
        alone = sobremesa.Tables(game, 1, seed=3 + int(i))
        alone.play_random(7)
        alone.redeal_hidden(int(seats[i]), seed=8 + int(i))
        assert alone.state[0].tobytes() == tables.state[i].tobytes()


@pytest.mark.parametrize(
    ("seat", "seed", "where", "message"),
    [
        (-1, 0, None, "seat must be from 0"),
        (99, 0, None, "seat must be from 0"),
        (0.0, 0, None, "seat must be an integer"),
        (0, None, None, "seed must be an integer"),
        (0, [1, None], None, "seed must be an integer"),
        (0, -1, None, "seed must be an integer"),
        (0, [1], None, "or 2 of them"),
        (0, 0, [True], "where must be bool"),
    ],
)
def test_what_is_refused_changes_nothing(game, seat, seed, where, message):
    tables = sobremesa.Tables(game, 2, seed=0)
    before = support.snapshot(tables)
    with pytest.raises(ValueError, match=message):
        tables.redeal_hidden(seat, seed, where)
    support.assert_same(before, support.snapshot(tables))


def test_the_aec_environment_is_redealt_with_its_masks(game):
    env = support.make_raw_env(game)
    with pytest.raises(sobremesa.ParameterError, match="agent must be one of player_0"):
        env.redeal_hidden("player_9", 1)
    for number in range(40):
        infos, mask = env.infos, env.infos[env.agent_selection]["action_mask"].copy()
        other = env.possible_agents[(number + 1) % len(env.possible_agents)]
        env.redeal_hidden(other, seed=number)
        assert env.infos is not infos
        now = env.infos[env.agent_selection]["action_mask"]
        assert np.array_equal(now, env.tables.legal_action_mask[0])
        assert other != env.agent_selection or np.array_equal(now, mask)
        support.advance_aec(env, number)
