"""What a program may do to the package without breaking it: interrupt it, run it for long, many tables at once."""

from __future__ import annotations

import copy
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


def interrupted(original: Any, call: Callable[[Any], Any], stride: int) -> Iterator[Any]:
    """Copies of `original`, each with the call interrupted at another place."""
    for number in itertools.count(0, stride):
        thing = copy.deepcopy(original)
        try:
            with Interrupt(number):
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
    monkeypatch.setattr(sobremesa.tables, "DECISIONS_PER_SLICE", 1)  # threads for a few tables
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
        for tables in interrupted(start, call, stride=3):
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
    for number in itertools.count(0, 3):
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
