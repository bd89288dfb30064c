"""Decisions per second of one game, for anybody to repeat: `sobremesa bench <game>`.

A decision is one choice of one seat; random legal play. `Tables.step` writes masks, observations and rewards and deals
finished tables anew; choosing the actions between the steps is not counted. `play_random` is the kernel alone: rules,
masks and the choice of actions, without observations. The AEC loops are whole: `last`, choosing, `step`, `reset`.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from .aec import CardGameEnv, wrapped_env
from .game import read_integer
from .tables import Tables, sample_legal

STEPS_OF_PLAY_RANDOM = 64


@dataclass
class Args:
    num_tables: tuple[int, ...] = (1, 64, 4096, 16384)
    """Sizes of the batches."""
    num_threads: tuple[int, ...] = (1, 2)
    """Numbers of threads; more than one only where the batch is large enough to be shared."""
    num_runs: int = 5
    """Runs of each measurement; the median is printed."""
    seconds: float = 0.5
    """How long one run lasts."""
    seed: int = 0
    """Seed of the games and of the actions."""
    recall: bool = True
    """Whether observations hold what perfect memory would know."""
    json: str | None = None
    """A file for the results as JSON, which are also printed."""


@dataclass
class Measurement:
    """decisions_per_second: the median of the runs."""

    what: str
    num_tables: int
    num_threads: int
    decisions_per_second: float
    slowest_run: float
    fastest_run: float


def main(game: str, args: Args) -> dict[str, Any]:
    """Measures, prints a table and JSON, and returns what the JSON holds."""
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    read_integer("num_runs", args.num_runs, 1)
    if args.seconds <= 0:
        raise ValueError(f"seconds must be more than 0, not {args.seconds}")
    first_step = time_to_first_step(game, args)
    cases = list(measurements(game, args))
    results = [measure(args, *case) for case in track(cases, description=f"bench {game}", transient=True)]
    table = Table(
        "what", "tables", "threads", "decisions / s", "slowest run", "fastest run", title=f"{game}, random play"
    )
    for row in results:
        rates = (row.decisions_per_second, row.slowest_run, row.fastest_run)
        table.add_row(row.what, f"{row.num_tables:,}", str(row.num_threads), *(f"{rate:,.0f}" for rate in rates))
    Console().print(table)
    report = {
        "game": game,
        "recall": args.recall,
        "seconds_to_first_step": round(first_step, 3),
        "num_runs": args.num_runs,
        "seconds_per_run": args.seconds,
        "results": [vars(row) for row in results],
        "versions": {name: version(name) for name in ("sobremesa", "numpy", "numba", "pettingzoo", "gymnasium")},
        "python": platform.python_version(),
        "num_cpus": os.cpu_count(),
    }
    text = json.dumps(report, indent=1)
    print(text)
    if args.json:
        with open(args.json, "w") as file:
            file.write(text + "\n")
    return report


def time_to_first_step(game: str, args: Args) -> float:
    """Seconds from making one table to the end of its first step: what compiling, or loading from the cache, costs."""
    begin = time.perf_counter()
    tables = Tables(game, 1, args.seed, recall=args.recall)
    tables.step(sample_legal(tables.legal_action_mask, np.random.default_rng(args.seed)))
    return time.perf_counter() - begin


def measurements(game: str, args: Args) -> Iterator[tuple[str, int, int, Callable[[], Iterator[tuple[int, float]]]]]:
    """What is measured: its name, tables and threads, and a maker of endless (decisions, seconds)."""
    for num_tables in args.num_tables:
        for num_threads in args.num_threads:
            tables = Tables(game, num_tables, args.seed, num_threads, recall=args.recall)
            if tables.uses_threads(1) or num_threads == 1:
                yield "Tables.step", num_tables, num_threads, lambda tables=tables: step_loop(tables, args.seed)
            if tables.uses_threads(STEPS_OF_PLAY_RANDOM) or num_threads == 1:
                yield "play_random", num_tables, num_threads, lambda tables=tables: kernel_loop(tables)
    for name, make in (("AEC raw_env", CardGameEnv), ("AEC env", wrapped_env)):
        yield name, 1, 1, lambda make=make: aec_loop(make(game, recall=args.recall), args.seed)


def measure(args: Args, what: str, num_tables: int, num_threads: int, make_loop: Callable) -> Measurement:
    loop = make_loop()
    next(loop)  # compiled and warm
    rates = []
    for _ in range(args.num_runs):
        decisions, seconds = 0, 0.0
        while seconds < args.seconds:
            more, took = next(loop)
            decisions, seconds = decisions + more, seconds + took
        rates.append(decisions / seconds)
    return Measurement(what, num_tables, num_threads, statistics.median(rates), min(rates), max(rates))


def step_loop(tables: Tables, seed: int) -> Iterator[tuple[int, float]]:
    rng = np.random.default_rng(seed)
    while True:
        actions = sample_legal(tables.legal_action_mask, rng)
        begin = time.perf_counter()
        tables.step(actions)
        yield tables.num_tables, time.perf_counter() - begin


def kernel_loop(tables: Tables) -> Iterator[tuple[int, float]]:
    while True:
        begin = time.perf_counter()
        tables.play_random(STEPS_OF_PLAY_RANDOM)
        yield tables.num_tables * STEPS_OF_PLAY_RANDOM, time.perf_counter() - begin


def aec_loop(env: Any, seed: int) -> Iterator[tuple[int, float]]:
    """A game at a time."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while True:
        begin, decisions = time.perf_counter(), 0
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                break
            legal = np.flatnonzero(observation["action_mask"])
            env.step(legal[int(rng.random() * len(legal))])
            decisions += 1
        env.reset()
        yield decisions, time.perf_counter() - begin
