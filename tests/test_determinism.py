"""Same seed, same actions, same game: alone or in a batch, with any number of threads, in any process."""

from __future__ import annotations

import multiprocessing
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sobremesa
import support
import test_invariants
from sobremesa import check
from sobremesa.tables import DECISIONS_PER_THREAD

SEED = 1234
ENOUGH_FOR_THREADS = 2 * DECISIONS_PER_THREAD + 1  # an odd number: slices of unequal length
STORY = "import json, support; print(json.dumps(support.story_digest({game!r}, {steps})))"
WITHOUT_JIT = """
import json
import numpy as np
import support, test_invariants
from sobremesa import loops

told = {{
    "compiled": hasattr(loops.step_tables, "py_func"),
    "story": support.story_digest({game!r}, 14, max_decisions=6),
    "whole games": support.digest(test_invariants.golden_text({game!r})),
}}
try:
    np.uint8(255) + np.uint8(1)
except Warning as warning:
    told["warning"] = type(warning).__name__
print(json.dumps(told))
"""
MOST_DECISIONS = 30  # of the games that are to end often


def actions_of(tables: sobremesa.Tables, step: int, first_seed: int = SEED) -> np.ndarray:
    """Actions that depend on the seed of a table and the step, not on the batch."""
    numbers = support.scatter(first_seed + np.arange(tables.num_tables), step)
    return support.nth_legal(tables.legal_action_mask, numbers)


def history(tables: sobremesa.Tables, num_steps: int, first_seed: int = SEED) -> Iterator[dict[str, np.ndarray]]:
    """What the tables show, and keep, at the start and after each step; half of the steps are single decisions."""
    yield support.snapshot(tables)
    for step in range(num_steps):
        if step % 2:
            tables.play_random(3)
        else:
            tables.step(actions_of(tables, step, first_seed))
        yield support.snapshot(tables)


def row(shown: dict[str, np.ndarray], i: int) -> dict[str, np.ndarray]:
    """Of table i alone; `dictated` belongs to all."""
    return {name: array[i : i + 1] for name, array in shown.items() if "dictated" not in name}


def test_a_table_of_a_batch_plays_as_it_does_alone(game):
    for parameters in support.variants(game):
        parameters = {**parameters, "max_decisions": MOST_DECISIONS}
        for num_tables in (1, 2, 33):
            batch = list(history(sobremesa.Tables(game, num_tables, seed=SEED, **parameters), 40))
            for i in {0, num_tables - 1}:
                alone = sobremesa.Tables(game, seed=SEED + i, **parameters)
                for step, shown in enumerate(history(alone, 40, SEED + i)):
                    support.assert_same(row(batch[step], i), row(shown, 0), f"{parameters}, table {i}, step {step}")


def test_the_number_of_threads_changes_nothing(game):
    parameters = {"max_decisions": MOST_DECISIONS}
    batches = [
        sobremesa.Tables(game, ENOUGH_FOR_THREADS, seed=SEED, num_threads=num_threads, **parameters)
        for num_threads in (1, 2, 3)
    ]
    for step, shown in enumerate(zip(*(history(tables, 12) for tables in batches))):
        for other in shown[1:]:
            support.assert_same(shown[0], other, f"step {step}")
    returns = [tables.play_random(40) for tables in batches]
    for other in returns[1:]:
        assert np.array_equal(returns[0][0], other[0])
        assert np.array_equal(returns[0][1], other[1])


def test_threads_are_used(game, monkeypatch):
    """The batch of the test above is large enough for slices of its own."""
    asked = []
    crew_of = sobremesa.tables.crew_of
    monkeypatch.setattr(sobremesa.tables, "crew_of", lambda size: asked.append(size) or crew_of(size))
    tables = sobremesa.Tables(game, ENOUGH_FOR_THREADS, seed=SEED, num_threads=3)
    asked.clear()
    tables.step(actions_of(tables, 0))
    assert asked == [2]


@pytest.mark.parametrize("num_threads", [1, 2])
def test_two_python_threads_play_as_one_does(game, num_threads):
    """At the same time, and both on the threads of one crew if the tables have more than one."""
    num_tables = ENOUGH_FOR_THREADS if num_threads > 1 else 50

    def play(first_seed: int) -> str:
        tables = sobremesa.Tables(game, num_tables, seed=first_seed, num_threads=num_threads, max_decisions=8)
        return support.digest(list(map(support.digest, history(tables, 4, first_seed))))

    seeds = SEED, 10**6
    expected = list(map(play, seeds))
    starting_gun = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda seed: (starting_gun.wait(timeout=60), play(seed))[1], seeds)) == expected


@pytest.mark.parametrize("num_tables", [1, 100_000])
def test_one_table_or_a_hundred_thousand(game, num_tables):
    tables = sobremesa.Tables(game, num_tables, seed=SEED, num_threads=2, max_decisions=MOST_DECISIONS)
    chosen = sorted({0, num_tables // 2, num_tables - 1})
    alone = {i: sobremesa.Tables(game, seed=SEED + i, max_decisions=MOST_DECISIONS) for i in chosen}
    for step in range(3):
        for one in (tables, *alone.values()):
            one.play_random(2 * MOST_DECISIONS // 3)
        actions = actions_of(tables, step)
        tables.step(actions)
        for i, table in alone.items():
            table.step(actions[i : i + 1])
            support.assert_same(row(tables._arrays(), i), row(support.snapshot(table), 0), f"table {i}")
    assert (tables.ended_state["decisions"] > 0).all()  # every table has come to an end


def play_on(kept: sobremesa.Tables) -> str:
    tables = kept.copy()
    for step in range(3):
        tables.step(actions_of(tables, step))
    tables.play_random(3)
    return support.digest(support.snapshot(tables))


def play_all_on(all_tables: list[sobremesa.Tables]) -> list[str]:
    return list(map(play_on, all_tables))


@pytest.mark.parametrize("start_method", multiprocessing.get_all_start_methods())
def test_a_child_process_plays_on_as_its_parent_does(start_method):
    """From tables in mid-game, of every game, that have used threads before; the child makes threads of its own."""
    all_tables = [sobremesa.Tables(game, ENOUGH_FOR_THREADS, seed=SEED, num_threads=2) for game in sobremesa.games()]
    for tables in all_tables:
        tables.play_random(10)
    expected = play_all_on(all_tables)
    with multiprocessing.get_context(start_method).Pool(1) as pool:
        assert pool.apply_async(play_all_on, (all_tables,)).get(timeout=120) == expected
    assert play_all_on(all_tables) == expected


def test_another_process_sees_the_same(game):
    steps = 30
    expected = support.story_digest(game, steps)
    disturbed = "import random, numpy; numpy.random.seed(7); random.seed(8); " + STORY.format(game=game, steps=steps)
    for hash_seed in ("1", "2"):
        assert support.run_python(disturbed, PYTHONHASHSEED=hash_seed) == expected


def test_without_jit_it_is_the_same(game):
    """Games that end soon at every surface, and whole ones; and a RuntimeWarning would have been an error."""
    found = support.run_python(WITHOUT_JIT.format(game=game), "-W", "error::RuntimeWarning", NUMBA_DISABLE_JIT="1")
    golden = (test_invariants.GOLDEN / f"{game}.txt").read_text(encoding="utf-8")
    assert found == {
        "compiled": False,
        "warning": "RuntimeWarning",
        "story": support.story_digest(game, 14, max_decisions=6),
        "whole games": support.digest(golden),
    }


def test_global_random_numbers_are_neither_used_nor_moved(game):
    digests = []
    for seed in (1, 2):
        np.random.seed(seed)
        random.seed(seed)
        before = np.random.get_state()[1].tobytes(), random.getstate()
        digests.append(support.story_digest(game, 20))
        assert (np.random.get_state()[1].tobytes(), random.getstate()) == before
    assert digests[0] == digests[1]


def test_one_seed_holds_for_fifty_games_in_a_row_and_a_new_one_begins_anew(game):
    check.check_determinism(game, num_games=50, seed=SEED, max_decisions=MOST_DECISIONS // 2)


def test_a_seeded_reset_changes_nothing_but_the_cards(game):
    for parameters in support.variants(game):
        tables = sobremesa.Tables(game, 2, seed=1, **parameters)
        facts = tables.parameters, repr(tables.observation_fields), tables.action_names
        records = tables.state.copy()
        tables.reset(seed=2)
        assert (tables.parameters, repr(tables.observation_fields), tables.action_names) == facts
        for name in sobremesa.games()[game].table.names:
            if name in tables.parameters:
                assert np.array_equal(tables.state[name], records[name])


def test_seeds_give_different_games_and_unseeded_tables_too(game):
    tables = sobremesa.Tables(game, 200, seed=SEED)
    assert len(np.unique(tables.full_state(), axis=0)) == 200
    unseeded = [sobremesa.Tables(game).full_state().tobytes() for _ in range(5)]
    assert len(set(unseeded)) == 5


def test_deals_do_not_depend_on_who_plays(game):
    """The random state behind random players isn't the one behind the rules."""
    ways = [sobremesa.Tables(game, 8, seed=SEED, max_decisions=MOST_DECISIONS) for _ in range(2)]
    ways[1].state["choice"] += np.uint64(1)
    for step in range(3 * MOST_DECISIONS):
        actions = actions_of(ways[0], step)
        for tables in ways:
            tables.step(actions)
        assert np.array_equal(ways[0].state["chance"], ways[1].state["chance"])
        assert np.array_equal(ways[0].full_state(), ways[1].full_state())
    for tables in ways:
        tables.play_random(5)
    assert not np.array_equal(ways[0].full_state(), ways[1].full_state())
