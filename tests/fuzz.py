"""Drawn games, drawn calls, with every index of the kernels checked: `make fuzz ARGS="--decisions 1_000_000 figaro"`.

A draw is a game with drawn parameters and options, at several tables, on which drawn calls are made; what must hold at
any time is checked between them. The number of a draw that fails is printed; `--first` begins with it.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

os.environ["NUMBA_BOUNDSCHECK"] = "1"  # read by numba when it is imported

import numpy as np
import sobremesa
import support
from numba.core import config
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from sobremesa import chance

DECISIONS_PER_DRAW = 5_000
MOST_TABLES = 64


class Draw:
    """Tables with drawn parameters, and the calls that are made on them."""

    def __init__(self, game: str, number: int):
        self.rng = support.random_of(game, number)
        self.known = support.situation(game)
        self.parameters = self.known.draw_parameters(self.rng)
        num_tables = self.rng.choice([1, 2, 7, MOST_TABLES])
        autoreset, scaled = self.rng.random() < 0.7, self.rng.random() < 0.3
        self.tables = sobremesa.Tables(game, num_tables, number, 1, autoreset, scaled, **self.parameters)
        self.num_decisions = 0
        self.components = self._components(0)
        self.calls: list[Callable[[], None]] = [
            *[self.step] * 6, self.play_random, self.play_random, self.play_until, self.reset, self.reset_to_dictated,
            self.forfeit, self.go_on_with_a_copy, self.be_refused,
        ]  # fmt: skip

    def run(self) -> int:
        """Makes calls until there were enough decisions; returns how many."""
        for number in itertools.count():
            self.rng.choice(self.calls)()
            self.check(everything=number % 8 == 0)
            if self.num_decisions >= DECISIONS_PER_DRAW or number == DECISIONS_PER_DRAW:
                return self.num_decisions

    # Calls

    def step(self) -> None:
        tables, prefer = self.tables, self.known.draw_preference(self.rng)
        for _ in range(self.rng.randint(1, 40)):
            where = self.some(tables.current_player >= 0)
            actions = np.full(tables.num_tables, -1)
            for i in np.flatnonzero(where):
                actions[i] = prefer(self.rng, np.flatnonzero(tables.legal_action_mask[i]).tolist())
            tables.step(actions, where)
            self.num_decisions += int(where.sum())
            self.check()

    def play_random(self) -> None:
        num_steps = self.rng.choice([1, 3, 50, 400])
        self.tables.play_random(num_steps)
        self.num_decisions += num_steps * int((self.tables.current_player >= 0).sum())

    def play_until(self) -> None:
        seats = np.array([self.rng.randrange(self.tables.num_players) for _ in range(self.tables.num_tables)])
        self.tables.play_random_until(seats, self.some(self.tables.current_player >= 0))

    def reset(self) -> None:
        seed = self.rng.choice([None, self.rng.getrandbits(64)])
        self.tables.reset(seed, where=self.some(self.tables.current_player >= -1))

    def reset_to_dictated(self) -> None:
        where = self.some(self.tables.current_player >= -1)
        self.tables.reset(options=self.known.draw_options(self.rng, self.parameters), where=where)

    def forfeit(self) -> None:
        self.tables.forfeit(self.some(self.tables.current_player >= 0) & (self.rng.random() < 0.5))

    def go_on_with_a_copy(self) -> None:
        self.tables = self.tables.copy()

    def be_refused(self) -> None:
        tables, i = self.tables, self.rng.randrange(self.tables.num_tables)
        actions = tables.legal_action_mask.argmax(axis=1)
        actions[i] = self.rng.choice([-1, tables.num_actions, 2**62, *np.flatnonzero(~tables.legal_action_mask[i])])
        before = support.snapshot(tables)
        try:
            tables.step(actions)
        except sobremesa.IllegalActionError:
            support.assert_same(before, support.snapshot(tables), "a refused step has changed something")
            return
        raise AssertionError(f"action {actions[i]} was taken at table {i}")

    def some(self, among: np.ndarray) -> np.ndarray:
        """All of these tables, or some of them."""
        share = self.rng.choice([1.0, 1.0, 0.5])
        return among & (np.array([self.rng.random() for _ in among]) < share)

    # What must hold

    def check(self, everything: bool = False) -> None:
        tables, is_over = self.tables, self.tables.current_player < 0
        assert support.is_zero_sum(tables.rewards) or self.was_forfeited(), "rewards"
        assert np.array_equal(tables.legal_action_mask.any(axis=1), ~is_over), "masks"
        assert (tables.current_player < tables.num_players).all(), "current_player"
        assert (tables.state["decisions"] <= self.tables.parameters["max_decisions"]).all(), "decisions"
        assert not (tables.terminated & tables.truncated).any(), "both ends"
        if not everything:
            return
        for seat in range(tables.num_players):
            assert (tables.observe(seat) <= (1 if tables.scaled else tables.observation_scale)).all(), "maxima"
        before = support.snapshot(tables)
        rows = tables.state["current_player"] >= 0
        tables.refresh(rows & ~tables.terminated & ~tables.truncated)
        support.assert_same(before, support.snapshot(tables), "buffers that aren't those of the records")
        assert self._components(self.rng.randrange(tables.num_tables)) == self.components, "components"

    def was_forfeited(self) -> bool:
        """Whoever gives up is paid −1, and nobody else anything."""
        sums = self.tables.rewards.sum(axis=1)
        return bool(np.isin(np.round(sums, 4), (0, -1)).all())

    def _components(self, i: int) -> Counter:
        return self.known.num_cards(self.tables.state[i], self.parameters)


def fuzz(game: str, num_decisions: int, first: int, tell: Callable[[int], Any]) -> int:
    """Draws from number `first` on until there were so many decisions. Returns the number of draws."""
    done = 0
    for number in itertools.count(first):
        try:
            made = Draw(game, number).run()
        except BaseException:
            print(f"{game}: draw {number} failed: make fuzz ARGS='--first {number} --decisions 1 {game}'")
            raise
        done += made
        tell(made)
        if done >= num_decisions:
            return number + 1 - first
    raise AssertionError("there are always more numbers")


def assert_indices_are_checked() -> None:
    assert config.BOUNDSCHECK
    try:
        chance.shuffle(np.zeros(2, np.uint8), 3, np.uint64(1))
    except IndexError:
        return
    raise AssertionError("an index past the end was not noticed")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=[*sobremesa.games()], help="all, if none is named")
    parser.add_argument("--decisions", type=int, default=10_000_000, help="of each game (default: ten million)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first draw")
    given = parser.parse_args(arguments)
    assert_indices_are_checked()
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns) as progress:
        for game in given.games:
            task = progress.add_task(f"{game}: compiling", total=given.decisions)
            support.compile_kernels(game)
            progress.update(task, description=game)
            draws = fuzz(game, given.decisions, given.first, lambda made, task=task: progress.advance(task, made))
            progress.console.print(f"{game}: {draws} draws, {given.decisions:,} decisions, nothing wrong")


if __name__ == "__main__":
    main(sys.argv[1:])
