"""What a program may do to the package without breaking it: interrupt it, run it for long, many tables at once."""

from __future__ import annotations

import copy
import gc
import itertools
import pathlib
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numba
import numpy as np
import pytest
import sobremesa
import support

PACKAGE = pathlib.Path(sobremesa.__file__).parent
CHANGING = {str(path) for path in PACKAGE.glob("*.py") if path.name != "game.py"}  # that one only reads what is given
MOST_DECISIONS = 24  # so that games end soon
STRIDE = 3  # in instructions, from one place where a call is interrupted to the next
MOST_STEPS = 200  # until a game is over
STEPS_AT_ONCE = 60  # between two counts of the blocks of memory

compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


# Interrupts: a call has changed everything or nothing


class Interrupt:
    """Within, this thread is interrupted before the bytecode instruction of `CHANGING` with that number."""

    def __init__(self, number: int):
        self.left = number

    def __enter__(self) -> None:
        sys.settrace(self._trace)

    def __exit__(self, *error: Any) -> None:
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Callable | None:
        if frame.f_code.co_filename not in CHANGING:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
        return self._trace


def interrupted(
    original: Any, call: Callable[[Any], Any], interrupt: Any = Interrupt, stride: int = 1
) -> Iterator[Any]:
    """Copies of `original`, each with the call interrupted at another place."""
    for number in itertools.count(0, stride):
        thing = copy.deepcopy(original)
        try:
            with interrupt(number):
                call(thing)
        except KeyboardInterrupt:
            yield thing
        else:
            assert number > 0
            return


def dictated(game: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Parameters, and two times options that dictate a game of several deals."""
    known, number = support.situation(game), 0
    while True:
        rng = support.random_of(game, number)
        parameters = {**known.draw_parameters(rng), "max_decisions": 300}
        options = [known.draw_options(rng, parameters) for _ in range(2)]
        tables = sobremesa.Tables(game, **parameters)
        tables.reset(options=options[0])
        if len(tables._arrays()["dictated"]):
            return parameters, options
        number += 1


def shown(tables: sobremesa.Tables) -> dict[str, np.ndarray]:
    """Everything but the rows of dictated deals, of which there may be more than anybody needs."""
    return {name: array for name, array in support.snapshot(tables).items() if "dictated" not in name}


def future(tables: sobremesa.Tables) -> bytes:
    """How the dictated games go on; they don't depend on the tables' random states."""
    tables.play_random(300)
    return tables.full_state().tobytes()


@compiled_only
@pytest.mark.parametrize("num_threads", [1, 2])
def test_an_interrupted_call_has_changed_all_tables_or_none(game, num_threads, monkeypatch):
    monkeypatch.setattr(sobremesa.tables, "DECISIONS_PER_THREAD", 1)  # threads for a few tables
    parameters, (options, others) = dictated(game)
    original = sobremesa.Tables(game, 4, seed=3, num_threads=num_threads, **parameters)
    original.reset(options=options)
    original.play_random(3)
    half = np.arange(4) < 2
    calls: dict[str, Callable[[sobremesa.Tables], Any]] = {
        "step": lambda tables: tables.step(support.first_legal(tables.legal_action_mask), half),
        "play_random": lambda tables: tables.play_random(2),
        "play_random_until": lambda tables: tables.play_random_until((tables.current_player + 1) % tables.num_players),
        "forfeit": lambda tables: tables.forfeit(half),
        "reset": lambda tables: tables.reset(),
        "reset to dictated deals": lambda tables: tables.reset(seed=7, options=others, where=half),
    }
    for name, call in calls.items():
        start = original.copy()
        done = start.copy()
        call(done)
        ends = [(shown(tables), future(tables)) for tables in (start.copy(), done)]
        seen = set()
        for tables in interrupted(start, call, stride=STRIDE):
            now = shown(tables)
            which = [all(now[n].tobytes() == end[n].tobytes() for n in now) for end, _ in ends]
            assert any(which), f"{name}: neither as before nor as after"
            seen.add(which.index(True))
            assert future(tables) == ends[which.index(True)][1], name
        assert seen == {0, 1}, name


@compiled_only
def test_an_interrupted_load_changes_nothing(game, tmp_path, monkeypatch):
    parameters, (options, _) = dictated(game)
    tables = sobremesa.Tables(game, 4, seed=3, **parameters)
    tables.reset(options=options)
    tables.save(tmp_path / "tables.npz")
    tables.play_random(5)
    before, restore = support.snapshot(tables), sobremesa.Tables._restore
    for number in itertools.count(0, STRIDE):
        with monkeypatch.context() as patched:

            def interrupted_restore(self: sobremesa.Tables, arrays: Any, number=number, patched=patched) -> None:
                patched.undo()  # the next one, which undoes this, is as ever
                with Interrupt(number):
                    restore(self, arrays)

            patched.setattr(sobremesa.Tables, "_restore", interrupted_restore)
            try:
                tables.load(tmp_path / "tables.npz")
            except KeyboardInterrupt:
                support.assert_same(before, support.snapshot(tables), f"before instruction {number}")
            else:
                break
    assert number > 20


SIGNALLED = """
import json, os, signal, threading, time
import numpy as np
import sobremesa, support

NUM_STEPS = 200  # which take about a tenth of a second

def interrupt_when_it_has_begun(tables, before):
    while np.array_equal(tables.state["choice"], before):
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

def is_interrupted(game, num_threads):
    tables, twin = (sobremesa.Tables(game, 4096, seed=2, num_threads=num_threads) for _ in range(2))
    threading.Thread(target=interrupt_when_it_has_begun, args=(tables, tables.state["choice"].copy())).start()
    is_done = False
    try:
        tables.play_random(NUM_STEPS)
        is_done = True
        time.sleep(60)
    except KeyboardInterrupt:
        pass
    twin.play_random(NUM_STEPS)
    support.assert_same(support.snapshot(tables), support.snapshot(twin), game)
    for one in (tables, twin):
        one.play_random(3)
    support.assert_same(support.snapshot(tables), support.snapshot(twin), game)
    return not is_done

print(json.dumps([is_interrupted(game, num_threads) for game in sobremesa.games() for num_threads in (1, 2)]))
"""


@compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_ctrl_c_waits_for_the_end_of_a_long_play_random():
    interrupted_amid = support.run_python(SIGNALLED)
    assert sum(interrupted_amid) >= len(interrupted_amid) / 2  # where the signal comes late it shows nothing


# The surfaces: a table is as before the call, or as after it, or wants a reset


def by_table(surface: Any) -> list[dict[str, Any]]:
    """What a surface keeps of each table."""
    if hasattr(surface, "possible_agents"):
        return [support.flatten(support.look_at_aec(surface))]
    arrays = {name: array for name, array in vars(surface.learner).items() if isinstance(array, np.ndarray)}
    arrays |= shown(surface.tables)
    return [
        support.flatten({name: array[i] for name, array in arrays.items()}) for i in range(len(surface.tables.state))
    ]


def step(surface: Any) -> None:
    if hasattr(surface, "possible_agents"):
        mask = surface.observe(surface.agent_selection)["action_mask"]
        surface.step(int(mask.argmax()) if mask.any() else None)
    else:
        actions = support.first_legal(surface.action_masks().reshape(-1, surface.tables.num_actions))
        surface.step(actions if len(actions) > 1 else actions[0])


def reset(surface: Any) -> None:
    if hasattr(surface, "set_options"):
        surface.seed(7)
        surface.reset()
    else:
        surface.reset(seed=7)


def moments(surface: Any) -> Iterator[Any]:
    """The surface before the first steps of some game, before steps that pay something, and when a game is over."""
    num_paid = 0
    for number in range(MOST_STEPS):
        before = copy.deepcopy(surface)
        step(surface)
        if surface.tables.rewards.any() and num_paid < 4:
            num_paid += 1
            yield before
        if number < 2:
            yield before
        if (surface.tables.current_player < 0).any():
            yield surface
            return


class InterruptAfterLoop:
    """Within, the compiled loop with that number is interrupted: which shows when it is done."""

    def __init__(self, number: int):
        self.left, self.run = number, sobremesa.Tables._run

    def __enter__(self) -> None:
        def run(tables: sobremesa.Tables, *arguments: Any) -> Any:
            result = self.run(tables, *arguments)
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            return result

        sobremesa.Tables._run = run

    def __exit__(self, *error: Any) -> None:
        sobremesa.Tables._run = self.run


SHORT = {"max_decisions": 200, "reward": "score"}
MAKERS: dict[str, Callable[[str], Any]] = {
    "raw_env": lambda game: support.make_raw_env(game, **SHORT),
    "single": lambda game: support.make_single(game, **SHORT).unwrapped,
    "NextStep": lambda game: support.make_vector(game, autoreset_mode="NextStep", **SHORT),
    "SameStep": lambda game: support.make_vector(game, autoreset_mode="SameStep", **SHORT),
    "vec_env": lambda game: support.make_vec_env(game, **SHORT),
}


@compiled_only
@pytest.mark.parametrize("name", MAKERS)
def test_a_surface_that_was_interrupted_amid_a_call_wants_a_reset(game, name):
    num_torn = 0
    for start in moments(MAKERS[name](game)):
        for call in (step, reset):
            done = copy.deepcopy(start)
            try:
                call(done)
            except ValueError:
                continue  # a game that is over, and isn't dealt anew by itself
            ends = by_table(start), by_table(done)
            for surface in interrupted(start, call, InterruptAfterLoop):
                torn = [now not in (before, after) for now, before, after in zip(by_table(surface), *ends)]
                if name == "NextStep":  # its next step begins a game where one is over
                    torn = np.logical_and(torn, surface.tables.current_player >= 0)
                if any(torn):
                    num_torn += 1
                    with pytest.raises(ValueError, match="reset"):
                        step(surface)
                twin = copy.deepcopy(done)
                for one in (surface, twin):
                    reset(one)
                    step(one)
                assert by_table(surface) == by_table(twin)
    assert num_torn


# Running for long


def look_again_and_again(surface: Any, name: str, number: int) -> None:
    """Steps, looks, copies, resets, and is refused."""
    advance = support.ALL_SURFACES[name][2]
    advance(surface, number)
    if number % 5 == 0:
        copy.deepcopy(surface)
    if number % 7 == 0:
        bare = surface if name == "tables" else surface.unwrapped
        reset(bare)
        with pytest.raises((TypeError, ValueError, AssertionError)):
            surface.step(None)


def blocks_after(surface: Any, name: str, numbers: range) -> int:
    """How many blocks Python has allocated and not freed: one or more for each object, arrays included."""
    for number in numbers:
        look_again_and_again(surface, name, number)
    gc.collect()
    return sys.getallocatedblocks()


@pytest.mark.parametrize("name", support.ALL_SURFACES)
def test_nothing_is_kept_of_what_is_over(game, name):
    """At first caches fill; once less than half a block is left behind per step, nothing is kept of each."""
    surface = support.ALL_SURFACES[name][0](game, max_decisions=MOST_DECISIONS)
    blocks, growth = blocks_after(surface, name, range(STEPS_AT_ONCE)), []
    for first in range(STEPS_AT_ONCE, 25 * STEPS_AT_ONCE, STEPS_AT_ONCE):
        before, blocks = blocks, blocks_after(surface, name, range(first, first + STEPS_AT_ONCE))
        growth.append(blocks - before)
        if growth[-1] < STEPS_AT_ONCE / 2:
            return
    raise AssertionError(f"blocks left behind by {STEPS_AT_ONCE} steps, again and again: {growth}")
