"""Decisions per second of one game, for anybody to repeat: `sobremesa bench <game>`.

A decision is one choice of one seat, drawn uniformly from the legal ones. What is measured:

- `full_loop`: `Tables.sample_actions` and `Tables.step`: the choice of the actions, the rules, and for each table the
  mask, the observation and the rewards; a finished table is dealt anew.
- `play_random`: the kernel alone: the rules, masks and the choice of actions, without observations.
- `rows_alone`: what no full loop can do without: for each table the rows of observation, mask and results are written,
  copied from others. The rest of its time are the rules, the choice, and the records, of which a part is read.
- `aec_raw`, `aec_wrapped`: PettingZoo's whole loop, with `raw_env()` and with `env()`: `last`, the choice, `step`,
  `reset`.
- `vector_env`: Gymnasium's `VectorEnv` (SameStep). Only the learner's decisions are counted; those of the other seats,
  by the random player, are made in between.
- `copy`, `redeal_hidden`: what a search asks for: a copy that goes on independently, and the cards that a seat can't
  see dealt anew; for each table.
- Beside them: the first step of a new process, with an empty cache ("cold") and with a full one ("warm"), and the
  memory that a table takes.

Compiling and warming up come first and aren't counted. One thread is measured by the CPU time of the process, which
other processes disturb least; several threads by the wall clock. Each is pinned to as many cores as it has threads,
where the system lets it. Beside every run goes one of the reference kernel below, by the same clock, and results are
also given as multiples of it: so they compare between machines, and on a noisy one. All figures are medians of runs.
"""

from __future__ import annotations

import contextlib
import datetime
import itertools
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

import gymnasium
import numba
import numpy as np

from .aec import CardGameEnv, wrapped_env
from .game import read_integer
from .tables import Tables, find_game

CLOCKS: dict[str, Callable[[], float]] = {"cpu": time.process_time, "wall": time.perf_counter}  # seconds
STEPS_OF_PLAY_RANDOM = 64
STEPS_APART = 300  # at each table before it is measured, so that the tables stand anywhere in their games
DECISIONS_PER_CALL = 1024  # at least, so that counting them costs next to nothing
TABLES_WEIGHED = 4096

Advance = Callable[[], int]  # does some work and returns how many decisions, or tables, it was


@dataclass
class Args:
    num_tables: tuple[int, ...] = (1, 64, 1024, 4096, 65536)
    """Sizes of the batches."""
    num_threads: tuple[int, ...] = (1, 2)
    """Numbers of threads; more than one only where the batch is large enough to be shared."""
    num_players: tuple[int, ...] = ()
    """Numbers of players; none given: the game's default."""
    recall: tuple[bool, ...] = (True,)
    """Whether observations hold what perfect memory would know."""
    every: bool = False
    """Every number of players that the game allows, each with recall and without."""
    only: tuple[str, ...] = ()
    """What to measure, by name; none given: everything."""
    first_steps: bool = True
    """Also the first step of a new process, cold and warm; cold, it compiles."""
    num_runs: int = 5
    """Runs of each measurement; the median is printed."""
    seconds: float = 0.2
    """How long one run lasts, about."""
    seed: int = 0
    """Seed of the games."""
    json: str | None = None
    """A file for the results as JSON; without it they are printed after the table."""


class Setting(NamedTuple):
    """The tables that are measured."""

    game: str
    seed: int
    num_players: int
    recall: bool
    num_tables: int = 1
    num_threads: int = 1

    @property
    def parameters(self) -> dict[str, Any]:
        return {"num_players": self.num_players, "recall": self.recall}

    def make_tables(self) -> Tables:
        return Tables(self.game, self.num_tables, self.seed, self.num_threads, **self.parameters)


class Run(NamedTuple):
    """Nanoseconds for each decision or table, and for each table of the reference kernel just before."""

    nanoseconds: float
    reference: float


class Measurement(NamedTuple):
    """Medians of the runs; rates in units per second. unit: what is counted."""

    what: str
    num_players: int
    recall: bool
    num_tables: int
    num_threads: int
    unit: str
    clock: str
    nanoseconds: float
    reference_nanoseconds: float
    times_reference: float
    per_second: float
    slowest_run: float
    fastest_run: float


def main(game: str, args: Args) -> dict[str, Any]:
    """Measures, prints a table and JSON, and returns what the JSON holds."""
    from rich.progress import track

    begin = time.perf_counter()
    settings, cases = read_args(game, args)
    with pinned(1) as cores:
        first_steps = time_first_steps(settings[0], os.environ) if args.first_steps else None
    results = [measure(*case, args) for case in track(cases, description=f"bench {game}", transient=True)]
    report = {
        "game": game,
        "results": [row._asdict() for row in results if row],
        "sizes": [weigh(setting) for setting in settings],
        "first_steps": first_steps,
        "num_runs": args.num_runs,
        "seconds_per_run": args.seconds,
        "seconds_in_all": round(time.perf_counter() - begin, 1),
        "machine": describe_machine(("sobremesa", "numpy", "numba", "pettingzoo", "gymnasium")) | {"cores": cores},
    }
    show(report)
    text = json.dumps(report, indent=1)
    if args.json is None:
        print(text)
    else:
        pathlib.Path(args.json).write_text(text + "\n")
    return report


def read_args(game: str, args: Args) -> tuple[list[Setting], list[tuple[str, Setting]]]:
    """The settings with one table, and what to measure in which. Raises ValueError for what can't be measured."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise ValueError("bench measures compiled code: unset NUMBA_DISABLE_JIT")
    for name, least in (("num_runs", 1), ("seed", 0)):
        read_integer(name, getattr(args, name), least)
    for name in ("num_tables", "num_threads"):
        for number in getattr(args, name):
            read_integer(name, number, 1)
    if args.seconds <= 0:
        raise ValueError(f"seconds must be more than 0, not {args.seconds}")
    for name in args.only:
        if name not in MEASURES:
            raise ValueError(f"there is nothing called {name!r} to measure; there are: {', '.join(MEASURES)}")
    facts = find_game(game)
    fewest, most, default = facts.players
    players = range(fewest, most + 1) if args.every else args.num_players or (default,)
    recalls = (True, False) if args.every else args.recall
    settings = [Setting(game, args.seed, *each) for each in itertools.product(players, recalls)]
    for setting in settings:
        facts.read_parameters(setting.parameters)
    cases = [
        (what, setting._replace(num_tables=num_tables, num_threads=num_threads))
        for setting in settings
        for what in args.only or MEASURES
        for num_tables in (args.num_tables if MEASURES[what].is_batched else (1,))
        for num_threads in (args.num_threads if MEASURES[what].steps_per_call else (1,))
    ]
    return settings, cases


def measure(what: str, setting: Setting, args: Args) -> Measurement | None:
    """None where so few tables aren't shared among several threads."""
    make, unit, _, steps_per_call = MEASURES[what]
    clock = "cpu" if setting.num_threads == 1 else "wall"
    with pinned(setting.num_threads):
        if setting.num_threads > 1 and not setting.make_tables().uses_threads(steps_per_call):
            return None
        taken = list(itertools.islice(runs(make(setting), CLOCKS[clock], args.seconds), args.num_runs))
    times = [run.nanoseconds for run in taken]
    middle, reference = statistics.median(times), statistics.median(run.reference for run in taken)
    rates = [1e9 / nanoseconds for nanoseconds in (middle, max(times), min(times))]
    return Measurement(what, *setting[2:], unit, clock, middle, reference, middle / reference, *rates)


def runs(advance: Advance, clock: Callable[[], float], seconds: float) -> Iterator[Run]:
    """Endless runs of about `seconds`, once everything is compiled and warm."""
    reference = make_reference()
    num_calls, num_reference_calls = (calls_in(work, clock, seconds) for work in (advance, reference))
    while True:
        beside = nanoseconds(reference, num_reference_calls // 4 + 1, clock)
        yield Run(nanoseconds(advance, num_calls, clock), beside)


def calls_in(advance: Advance, clock: Callable[[], float], seconds: float) -> int:
    """How often `advance` is to be called so that it takes about `seconds`."""
    advance()  # compiled and warm
    num_calls, spent = 1, 0.0
    while True:
        begin = clock()
        for _ in range(num_calls):
            advance()
        spent = clock() - begin
        if spent >= seconds / 4:
            return math.ceil(num_calls * seconds / spent)
        num_calls *= 2


def nanoseconds(advance: Advance, num_calls: int, clock: Callable[[], float]) -> float:
    begin, units = clock(), 0
    for _ in range(num_calls):
        units += advance()
    return 1e9 * (clock() - begin) / units


@contextlib.contextmanager
def pinned(num_threads: int) -> Iterator[list[int]]:
    """Inside, this thread and those it starts are on the last `num_threads` cores that it may use: their numbers.

    Where the system can't do that, nothing is pinned and the list is empty.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield []
        return
    allowed = os.sched_getaffinity(0)
    cores = sorted(allowed)[-num_threads:]  # the first ones have most of the system's own work
    os.sched_setaffinity(0, cores)
    try:
        yield cores
    finally:
        os.sched_setaffinity(0, allowed)


# What is measured


def full_loop(setting: Setting) -> Advance:
    tables = setting.make_tables()
    tables.play_random(STEPS_APART)
    num_steps = max(1, DECISIONS_PER_CALL // tables.num_tables)

    def advance() -> int:
        for _ in range(num_steps):
            tables.step(tables.sample_actions())
        return num_steps * tables.num_tables

    return advance


def play_random(setting: Setting) -> Advance:
    tables = setting.make_tables()
    tables.play_random(STEPS_APART)

    def advance() -> int:
        tables.play_random(STEPS_OF_PLAY_RANDOM)
        return tables.num_tables * STEPS_OF_PLAY_RANDOM

    return advance


def rows_alone(setting: Setting) -> Advance:
    tables = setting.make_tables()
    num_times = max(1, DECISIONS_PER_CALL // tables.num_tables)
    rows = [buffer.view(np.uint8) for buffer in tables._buffers]
    others = [buffer.copy() for buffer in rows]

    def advance() -> int:
        for _ in range(num_times):
            for out, given in zip(rows, others):
                np.copyto(out, given)
        return num_times * tables.num_tables

    return advance


def aec_raw(setting: Setting) -> Advance:
    return aec_loop(CardGameEnv(setting.game, **setting.parameters), setting.seed)


def aec_wrapped(setting: Setting) -> Advance:
    return aec_loop(wrapped_env(setting.game, **setting.parameters), setting.seed)


def aec_loop(env: Any, seed: int) -> Advance:
    """A game of any AEC environment whose observations have an action mask, and the reset before it."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)

    def advance() -> int:
        env.reset()
        for decisions in itertools.count():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                return decisions
            legal = np.flatnonzero(observation["action_mask"])
            env.step(legal[int(rng.random() * len(legal))])
        raise AssertionError("unreachable")

    return advance


def vector_env(setting: Setting) -> Advance:
    game, seed, _, _, num_envs, num_threads = setting
    envs = gymnasium.make_vec(
        find_game(game).env_id,
        num_envs=num_envs,
        autoreset_mode="SameStep",
        num_threads=num_threads,
        **setting.parameters,
    )
    envs.reset(seed=seed)
    num_steps = max(1, DECISIONS_PER_CALL // num_envs)

    def advance() -> int:
        for _ in range(num_steps):
            envs.step(envs.unwrapped.tables.sample_actions())  # type: ignore[attr-defined]
        return num_steps * num_envs

    return advance


def copy(setting: Setting) -> Advance:
    tables = setting.make_tables()

    def advance() -> int:
        tables.copy()
        return tables.num_tables

    return advance


def redeal_hidden(setting: Setting) -> Advance:
    tables, seeds = setting.make_tables(), itertools.count(setting.seed)
    tables.play_random(STEPS_APART)

    def advance() -> int:
        tables.redeal_hidden(0, seed=next(seeds))
        return tables.num_tables

    return advance


class Measure(NamedTuple):
    """make: prepares the work. unit: what it counts. is_batched: whether it knows more than one table.

    steps_per_call: decisions at each table in one call, by which tables are shared among threads; 0: they never are.
    """

    make: Callable[[Setting], Advance]
    unit: str = "decision"
    is_batched: bool = True
    steps_per_call: int = 0


MEASURES = {
    "full_loop": Measure(full_loop, steps_per_call=1),
    "play_random": Measure(play_random, steps_per_call=STEPS_OF_PLAY_RANDOM),
    "rows_alone": Measure(rows_alone),
    "aec_raw": Measure(aec_raw, is_batched=False),
    "aec_wrapped": Measure(aec_wrapped, is_batched=False),
    "vector_env": Measure(vector_env, "learner's decision", steps_per_call=1),
    "copy": Measure(copy, "table"),
    "redeal_hidden": Measure(redeal_hidden, "table"),
}


# The reference kernel. Frozen: results and budgets are multiples of its time. It has an inner step's usual costs: a
# random number, a legal action out of 16 (branches that can't be foreseen), a new mask, 128 bytes of observation.

REFERENCE_TABLES, REFERENCE_ACTIONS, REFERENCE_BYTES = 4096, 16, 128
GAMMA, MIX_1, MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
ONE, SEVEN, ALL_BUT_A_BYTE, HALF = np.uint64(1), np.uint64(7), np.uint64(56), np.uint64(32)
SHIFT_27, SHIFT_30, SHIFT_31 = np.uint64(27), np.uint64(30), np.uint64(31)
FLAGS, HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


@numba.njit(nogil=True)
def reference_kernel(states, masks, actions, observations):
    """In place; states: uint64 `[N]`, masks: uint64 `[N, 2]`, a flag in each byte, actions: int64 `[N]`,
    observations: uint64 `[N, 16]`.
    """
    for i in range(len(states)):
        states[i] += GAMMA
        word = states[i]
        word = (word ^ (word >> SHIFT_30)) * MIX_1
        word = (word ^ (word >> SHIFT_27)) * MIX_2
        word = word ^ (word >> SHIFT_31)
        num_legal = ((masks[i, 0] + masks[i, 1]) * FLAGS) >> ALL_BUT_A_BYTE
        rank = ((word >> HALF) * num_legal) >> HALF
        at = 0
        while rank >= (masks[i, at] * FLAGS) >> ALL_BUT_A_BYTE:
            rank -= (masks[i, at] * FLAGS) >> ALL_BUT_A_BYTE
            at += 1
        num_flags_up_to = masks[i, at] * FLAGS  # in each byte
        passed = (((rank * FLAGS | HIGH_BITS) - num_flags_up_to) & HIGH_BITS) >> SEVEN
        actions[i] = 8 * at + np.int64((passed * FLAGS) >> ALL_BUT_A_BYTE)
        masks[i, 0] = word & FLAGS
        masks[i, 1] = (word >> ONE) & FLAGS | ONE
        for k in range(observations.shape[1]):
            observations[i, k] = (word >> np.uint64(k)) & FLAGS


def make_reference() -> Advance:
    states, actions = np.arange(REFERENCE_TABLES, dtype=np.uint64), np.zeros(REFERENCE_TABLES, np.int64)
    masks = np.full((REFERENCE_TABLES, REFERENCE_ACTIONS // 8), FLAGS)
    observations = np.zeros((REFERENCE_TABLES, REFERENCE_BYTES // 8), np.uint64)

    def advance() -> int:
        reference_kernel(states, masks, actions, observations)
        return REFERENCE_TABLES

    return advance


# New processes, memory, the machine

FIRST_STEP = """
import json, sys, time
def clocks(): return time.process_time(), time.perf_counter()
begin = clocks()
import sobremesa
imported = clocks()
game, seed, parameters = json.loads(sys.argv[1])
tables = sobremesa.Tables(game, seed=seed, **parameters)
tables.step(tables.legal_action_mask.argmax(axis=1))
stepped = clocks()
print(json.dumps([dict(zip(("cpu", "wall"), (b - a for a, b in zip(*pair))))
                  for pair in ((begin, imported), (imported, stepped))]))
"""


def time_first_steps(setting: Setting, environment: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Seconds from making a table to the end of its first step, in two new processes: `cold` compiles, `warm` loads.

    By both clocks; and what the import before takes, `import`, in the second.
    """
    given = json.dumps([setting.game, setting.seed, setting.parameters])
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", FIRST_STEP, given]
        own_cache = {**environment, "NUMBA_CACHE_DIR": folder}
        cold, warm = (
            json.loads(subprocess.run(command, env=own_cache, check=True, stdout=subprocess.PIPE).stdout)
            for _ in range(2)
        )
    return {"cold": cold[1], "warm": warm[1], "import": warm[0]}


def weigh(setting: Setting) -> dict[str, Any]:
    """What a table takes: in memory, all buffers included, and in each of its forms."""
    one = setting.make_tables()
    tracemalloc.start()
    try:
        tables = setting._replace(num_tables=TABLES_WEIGHED).make_tables()
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    return {
        "num_players": setting.num_players,
        "recall": setting.recall,
        "bytes_per_table": round(taken / tables.num_tables),
        "bytes_of_a_record": one.state.itemsize,
        "observation_size": one.observation_size,
        "num_actions": one.num_actions,
    }


def describe_machine(packages: tuple[str, ...]) -> dict[str, Any]:
    """What the results depend on: the command, the day, the processor, the versions."""
    return {
        "command": " ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "processor": _processor(),
        "num_cpus": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in packages},
    }


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


# Printing


def show(report: Mapping[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    results, sizes = report["results"], report["sizes"]
    settings = ("players", "recall") if len(sizes) > 1 else ()
    title = f"{report['game']}, {'random play' if settings else tell(sizes[0])}"
    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("what", *settings, "tables", "threads", "ns each", "× ref", "per second", "spread"):
        table.add_column(name, justify="left" if name == "what" else "right", no_wrap=True)
    for row in results:
        setting = (str(row["num_players"]), "yes" if row["recall"] else "no") if settings else ()
        batch = (f"{row['num_tables']:,}", f"{row['num_threads']}")
        cost = (f"{row['nanoseconds']:,.1f}", f"{row['times_reference']:,.1f}", f"{row['per_second']:,.0f}")
        spread = f"{(row['fastest_run'] - row['slowest_run']) / row['per_second']:.0%}"
        table.add_row(row["what"], *setting, *batch, *cost, spread)
    console = Console(width=None if sys.stdout.isatty() else 100)
    console.print(table)
    for size in sizes:
        console.print(
            f"{tell(size)}: a table takes {size['bytes_per_table']:,} bytes (record {size['bytes_of_a_record']:,}, "
            f"observation {size['observation_size']}, actions {size['num_actions']})"
        )
    if report["first_steps"]:
        cold, warm, imported = (report["first_steps"][name]["cpu"] for name in ("cold", "warm", "import"))
        console.print(
            f"first step of a process: {cold:.1f} s cold, {warm:.2f} s warm, after {imported:.1f} s of import"
        )
    if results:
        reference = statistics.median(row["reference_nanoseconds"] for row in results)
        console.print(f"× ref: times the reference kernel, here {reference:.1f} ns")
    machine = report["machine"]
    core = f" on core {machine['cores'][0]}" if machine["cores"] else ""
    console.print(f"one thread by CPU time{core}, several by the wall clock; {machine['processor']}")
    console.print(f"{report['seconds_in_all']} s in all")


def tell(size: Mapping[str, Any]) -> str:
    return f"{size['num_players']} players, {'recall' if size['recall'] else 'no recall'}"
