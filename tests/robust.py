"""What takes too long for every run of the tests: `make robust` (about a quarter of an hour on two cores)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
import sobremesa
import support
import test_package

NUM_PROCESSES = 16
MOST_KILOBYTES = 2048  # by which memory may grow in `STEPS` steps
STEPS = 3000

PLAY = """
import json, support
print(json.dumps([support.story_digest(game, 20, max_decisions=12) for game in {games!r}]))
"""


@test_package.can_be_bound
def test_a_read_only_installation_plays_every_game_for_a_user_without_a_home(tmp_path):
    games = list(sobremesa.games())
    shutil.copytree(test_package.PACKAGE, tmp_path / "site/sobremesa", ignore=shutil.ignore_patterns("__pycache__"))
    nowhere = dict.fromkeys(["HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"])
    with support.read_only(tmp_path / "site") as site:
        code = test_package.IS_READ_ONLY.format(folder=str(site / "sobremesa")) + test_package.IS_HOMELESS
        path = os.pathsep.join([str(site), str(support.TESTS)])
        found = support.run_python(code + PLAY.format(games=games), is_bound=True, PYTHONPATH=path, **nowhere)
    assert found == [support.story_digest(name, 20, max_decisions=12) for name in games]


def test_sixteen_processes_start_at_once_on_an_empty_cache(tmp_path):
    code = PLAY.format(games=["figaro"])
    path = os.pathsep.join(filter(None, [str(support.TESTS), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(NUM_PROCESSES)
    ]
    told = [process.communicate(timeout=3000) for process in started]
    assert [process.returncode for process in started] == [0] * NUM_PROCESSES, [errors[-500:] for _, errors in told]
    expected = [support.story_digest("figaro", 20, max_decisions=12)]
    assert [json.loads(printed) for printed, _ in told] == [expected] * NUM_PROCESSES
    assert support.run_python(code, NUMBA_CACHE_DIR=str(tmp_path)) == expected  # with the cache they have left


MEMORY = """
import gc, json, os
import support, test_robustness

surface = support.ALL_SURFACES[{name!r}][0]({game!r}, max_decisions=test_robustness.MOST_DECISIONS)

def kilobytes_after(numbers):
    for number in numbers:
        test_robustness.look_again_and_again(surface, {name!r}, number)
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

before = kilobytes_after(range({steps} // 4))
print(json.dumps(kilobytes_after(range({steps})) - before))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory is in use")
@pytest.mark.parametrize("name", support.ALL_SURFACES)
def test_memory_stays_flat(game, name):
    assert support.run_python(MEMORY.format(game=game, name=name, steps=STEPS)) < MOST_KILOBYTES


INTERRUPTS = """
import json, random, signal
import numpy as np
import sobremesa, support

sobremesa.tables.DECISIONS_PER_THREAD = 1  # threads for a few tables
rng = random.Random(1)

def interrupt(*given):
    raise KeyboardInterrupt

def take_notice():
    "Python raises what a signal has asked for when a function begins, not at once."

def play(game, num_threads):
    "How many of many calls were interrupted, and how many of those had changed the tables."
    tables, twin = (sobremesa.Tables(game, 8, seed=2, num_threads=num_threads, max_decisions=30) for _ in range(2))
    num_interrupted = num_done = 0
    for number in range(5000):
        actions = support.first_legal(twin.legal_action_mask)
        call = (lambda one: one.step(actions)) if number % 5 else (lambda one: one.reset(seed=number))
        before = support.snapshot(tables)
        call(twin)
        try:
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-6, 4e-4))
            call(tables)
            signal.setitimer(signal.ITIMER_REAL, 0)
            take_notice()
        except KeyboardInterrupt:
            num_interrupted += 1
            if tables.state.tobytes() == before["state"].tobytes():
                support.assert_same(before, support.snapshot(tables), "not at all")
                call(tables)
            else:
                num_done += 1
        support.assert_same(support.snapshot(twin), support.snapshot(tables), "as a whole")
    return num_interrupted, num_done

signal.signal(signal.SIGALRM, interrupt)
print(json.dumps([play({game!r}, num_threads) for num_threads in (1, 2)]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_interrupts_at_random_moments_leave_tables_whole(game):
    for num_interrupted, num_done in support.run_python(INTERRUPTS.format(game=game)):
        assert num_interrupted > num_done > 10
