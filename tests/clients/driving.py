"""What the drivers share. A driver is a script with a function for each thing that its client is put to.

Each function takes a game's name, plays that game through the client, and returns in a few words what was done; an
exception is a failure. What the client can't do with such games is driven too: the exception that it raises is expected
by `refused`, and is the result.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import inspect
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import sobremesa

OK, REFUSED, FAILED = "ok", "can't", "FAILED"


class Refused(Exception):
    """What the client said when it refused."""


@contextlib.contextmanager
def refused(kind: type[BaseException], words: str = "") -> Iterator[None]:
    """Expects an exception of that kind with those words in it, and ends the function with it as its result."""
    try:
        yield
    except kind as error:
        said = " ".join(str(error).split())
        if words not in said:
            raise
        raise Refused(f"{type(error).__name__}: {said[:160]}" if said else type(error).__name__) from error
    raise AssertionError(f"expected {kind.__name__} with {words!r}: the client can do it now, so drive it")


def main(client: str, *functions: Callable[[str], str]) -> None:
    """Runs the functions for the game named on the command line; a line for each, tab-separated. Exits 1 on a failure.

    client: the name of its distribution.
    """
    game = sys.argv[1]
    version = importlib.metadata.version(client)
    results = [_drive(function, game) for function in functions]
    for function, (word, detail) in zip(functions, results):
        print(client, version, inspect.getdoc(function), game, word, detail, sep="\t", flush=True)
    sys.exit(FAILED in [word for word, _ in results])


def _drive(function: Callable[[str], str], game: str) -> tuple[str, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return OK, function(game)
    except Refused as refusal:
        return REFUSED, str(refusal)
    except Exception as error:
        traceback.print_exc()
        return FAILED, f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def env_id(game: str) -> str:
    """With the package's name before it, so that `gymnasium.make` finds the game in a spawned process too."""
    return f"sobremesa:{sobremesa.games()[game].env_id}"


def pettingzoo_module(game: str) -> ModuleType:
    return importlib.import_module(f"sobremesa.{game}_v{sobremesa.games()[game].version}")


class Record:
    """What a table did behind the client: its `step` is watched."""

    def __init__(self, tables: sobremesa.Tables):
        self.returns, self.num_steps, self.num_games = np.zeros(tables.num_players), 0, 0
        self._tables, self._step = tables, tables.step
        tables.step = self._watched

    def _watched(self, actions: Any, where: Any = None) -> None:
        self._step(actions, where)
        self.num_steps += 1
        self.returns += self._tables.rewards[0]
        self.num_games += int(self._tables.current_player[0] < 0)
