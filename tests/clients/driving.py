"""What the drivers share. A driver is a script with a function for each thing that its client is put to.

Each function takes a game's name, plays that game through the client, and returns in a few words what was done; an
exception is a failure. What the client can't do with such games is driven too: the exception that it raises is expected
by `refused`, and is the result.

Letters in shapes: N tables, n players, A actions, O observation entries.
"""

from __future__ import annotations

import contextlib
import importlib
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

# Games that are soon over, with the usual observations. Under random play nine of ten end by the rules, which alone pay
# the seats, and the others are truncated shortly before.
SHORT: dict[str, dict[str, Any]] = {
    "freep": {"wins_to_finish": 1, "max_decisions": 200},
    "friegas_tu": {"num_rounds": 1, "max_decisions": 90},
    "pinata": {"max_decisions": 94},
    "figaro": {"max_decisions": 207},
}


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


def main(*functions: Callable[[str], str]) -> None:
    """Runs the functions for the game named on the command line; a line for each, tab-separated. Exits 1 on a failure.

    A line has the function's docstring, the result in a word, and its detail.
    """
    game = sys.argv[1]
    words = []
    for function in functions:
        word, detail = _drive(function, game)
        print(inspect.getdoc(function), word, detail, sep="\t", flush=True)
        words.append(word)
    sys.exit(FAILED in words)


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
        self.was_paid = False  # the returns of several games may add up to 0
        self._tables, self._step = tables, tables.step
        tables.step = self._watched

    def _watched(self, actions: Any, where: Any = None) -> None:
        self._step(actions, where)
        self.num_steps += 1
        self.returns += self._tables.rewards[0]
        self.was_paid |= bool(self._tables.rewards.any())
        self.num_games += int(self._tables.current_player[0] < 0)


class Twin:
    """The games of a client that shows every seat at each step and deals anew at once, played on `Tables` beside it.

    The client's table i is seeded seed + i. What the client shows is compared with what the tables show, to the bit.
    """

    def __init__(self, game: str, num_tables: int, seed: int, **arguments: Any):
        self.num_ends = self.num_truncated = 0
        self.was_paid = False
        self._tables = sobremesa.Tables(game, num_tables, seed, **arguments)
        self._shape = num_tables, self._tables.num_players
        self._rng = np.random.default_rng(0)

    def check_seen(self, observations: np.ndarray, masks: np.ndarray) -> None:
        """Compares what is shown to each seat: N · n observations `[O]` and masks `[A]`, table by table."""
        tables = self._tables
        seen = np.stack([tables.observe(seat) for seat in range(tables.num_players)], axis=1)
        allowed = np.zeros((*self._shape, tables.num_actions), bool)
        allowed[range(tables.num_tables), tables.current_player] = tables.legal_action_mask
        assert np.array_equal(np.reshape(observations, seen.shape), seen)
        assert np.array_equal(np.reshape(masks, allowed.shape), allowed)

    def step(self) -> np.ndarray:
        """A random legal action for each seat to act and 0 for the others, `[N, n]`, which the tables have made."""
        drawn = sobremesa.sample_legal(self._tables.legal_action_mask, self._rng)
        actions = np.zeros(self._shape, np.int64)
        actions[range(len(drawn)), self._tables.current_player] = drawn
        self._tables.step(drawn)
        return actions

    def check_step(self, rewards: np.ndarray, terminated: np.ndarray, truncated: np.ndarray) -> None:
        """Compares what a step has given each seat, N · n of each, table by table."""
        tables = self._tables
        for given, ended in ((terminated, tables.terminated), (truncated, tables.truncated)):
            assert np.array_equal(np.reshape(given, self._shape), np.broadcast_to(ended[:, None], self._shape))
        assert np.array_equal(np.reshape(rewards, self._shape), tables.rewards)
        self.num_ends += int((tables.terminated | tables.truncated).sum())
        self.num_truncated += int(tables.truncated.sum())
        self.was_paid |= bool(tables.rewards.any())

    def conclude(self) -> str:
        """What was played, in words: games of which some were paid, or AssertionError."""
        assert self.num_ends > 0
        assert self.was_paid
        return f"all as on Tables, {self.num_ends} games, {self.num_truncated} truncated"
