"""Other libraries' card games beside ours, in one run on one core: `make bench-peers`.

Each contestant plays uniformly random legal games in a process of its own, in the form that is best for it, and all of
them take turns, run by run, on the same core; so what disturbs one disturbs all. A decision is one choice of one seat.
By kind, as in `sobremesa bench`:

- `full_loop`: observation, legal mask, a random action of it, the step, and a new deal after the end.
- `play_random`: the rules and the choice of actions, without observations.
- `aec_raw`, `aec_wrapped`: PettingZoo's whole loop, with `raw_env()` and with `env()`.

The games differ; none of them is a stand-in for another. Simpler ones (Leduc has three actions, six cards and about
four decisions a game) ought to be faster.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import itertools
import json
import multiprocessing
import pathlib
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sobremesa
from sobremesa import bench

OUR_TABLES = 4096
PGX_BATCHES = {"leduc_holdem": (1024, 8192), "sparrow_mahjong": (128, 1024)}  # about the best, and another
PGX_STEPS = 32  # of one compiled call
LIBRARIES = ("sobremesa", "pgx", "open_spiel", "rlcard", "pettingzoo")
VERSIONS = (*LIBRARIES, "jax", "numpy", "numba")
GAMES_COUNTED = 200
KINDS = {
    "full_loop": "observation, mask, choice, step, new deal",
    "play_random": "rules and choice alone",
    "aec_raw": "PettingZoo's loop with raw_env()",
    "aec_wrapped": "PettingZoo's loop with env()",
}


class Contestant(NamedTuple):
    """make: prepares the work and tells how many tables it steps together."""

    library: str
    game: str
    kind: str
    make: Callable[[], tuple[bench.Advance, int]]
    form: str = ""


class Result(NamedTuple):
    """Medians of the runs, in CPU time. seconds_to_first_step: from making it to the end of the first call."""

    library: str
    game: str
    kind: str
    form: str
    num_tables: int
    nanoseconds: float
    times_reference: float
    per_second: float
    slowest_run: float
    fastest_run: float
    seconds_to_first_step: float


# The contestants


def ours(game: str, kind: str) -> tuple[bench.Advance, int]:
    facts, num_tables = sobremesa.games()[game], OUR_TABLES if bench.MEASURES[kind].is_batched else 1
    setting = bench.Setting(game, 0, facts.players[2], recall=True, num_tables=num_tables)
    return bench.MEASURES[kind].make(setting), num_tables


def pgx(game: str, observes: bool, num_tables: int) -> tuple[bench.Advance, int]:
    """A batch with its actions, steps and new deals compiled into one loop."""
    jax = importlib.import_module("jax")
    env = importlib.import_module("pgx").make(game)
    if not observes:
        nothing = jax.numpy.zeros(env.observation_shape)
        env._observe = lambda state, player: nothing
    step = jax.vmap(importlib.import_module("pgx.experimental").auto_reset(env.step, env.init))

    def random_step(carry, _):
        state, key = carry
        key, choice, chance = jax.random.split(key, 3)
        num_legal_up_to = jax.numpy.cumsum(state.legal_action_mask, axis=1)
        ranks = (jax.random.uniform(choice, (num_tables,)) * num_legal_up_to[:, -1]).astype(int)
        actions = jax.numpy.argmax(num_legal_up_to > ranks[:, None], axis=1)
        return (step(state, actions, jax.random.split(chance, num_tables)), key), None

    steps = jax.jit(lambda carry: jax.lax.scan(random_step, carry, None, PGX_STEPS)[0], donate_argnums=0)
    key, first = jax.random.split(jax.random.key(0))
    carry = jax.jit(jax.vmap(env.init))(jax.random.split(first, num_tables)), key

    def advance() -> int:
        nonlocal carry
        carry = jax.block_until_ready(steps(carry))
        return num_tables * PGX_STEPS

    return advance, num_tables


def open_spiel(game: str, observes: bool) -> tuple[bench.Advance, int]:
    """From Python. Observers write into an array, the fastest form; a copied state is made faster than a new one."""
    pyspiel = importlib.import_module("pyspiel")
    start = pyspiel.load_game(game).new_initial_state()
    observer = open_spiel_observer(start) if observes else None

    def advance() -> int:
        state, decisions = start.clone(), 0
        while not state.is_terminal():
            if not state.is_chance_node():
                decisions += 1
                if observer:
                    observer.set_from(state, state.current_player())
                    state.legal_actions_mask()
            state.apply_action(
                choose(state.legal_actions())
            )  # all outcomes of chance are equally likely in these games
        return decisions

    return advance, 1


def open_spiel_observer(state: Any) -> Any:
    """Of the present if the game has that, else of all that the player remembers."""
    make = importlib.import_module("open_spiel.python.observation").make_observation
    kind = importlib.import_module("pyspiel").IIGObservationType
    return make(state.get_game()) or make(state.get_game(), kind(perfect_recall=True))


def open_spiel_bots(game: str) -> tuple[bench.Advance, int]:
    """Whole games between its random bots, in C++; their decisions are counted beforehand, on average."""
    pyspiel = importlib.import_module("pyspiel")
    start = pyspiel.load_game(game).new_initial_state()
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(start.num_players())]

    def play(seed: int) -> Any:
        state = start.clone()
        pyspiel.evaluate_bots(state, bots, seed)
        return state

    games = (play(seed).full_history() for seed in range(GAMES_COUNTED))
    decisions = sum(event.player >= 0 for game in games for event in game)

    def advance() -> int:
        for seed in range(GAMES_COUNTED):
            play(seed)
        return decisions

    return advance, 1


def rlcard(game: str) -> tuple[bench.Advance, int]:
    env = importlib.import_module("rlcard").make(game)

    def advance() -> int:
        (state, _), decisions = env.reset(), 0
        while not env.is_over():
            state, _ = env.step(choose(list(state["legal_actions"])))
            decisions += 1
        return decisions

    return advance, 1


def rlcard_engine(game: str) -> tuple[bench.Advance, int]:
    """The game behind the environment."""
    engine = importlib.import_module("rlcard").make(game).game
    find_legal = getattr(engine, "get_legal_actions", None) or (lambda: engine.judge.get_legal_actions())

    def advance() -> int:
        engine.init_game()
        decisions = 0
        while not engine.is_over():
            engine.step(choose(find_legal()))
            decisions += 1
        return decisions

    return advance, 1


def pettingzoo(module: str, constructor: str) -> tuple[bench.Advance, int]:
    env = getattr(importlib.import_module(f"pettingzoo.classic.{module}"), constructor)()
    return bench.aec_loop(env, seed=0), 1


def choose(legal: Sequence) -> Any:
    return legal[int(random.random() * len(legal))]


def contestants() -> list[Contestant]:
    """Peers first, then ours."""
    found, kinds = [], (("full_loop", True), ("play_random", False))
    for game, batches in PGX_BATCHES.items():
        for (kind, observes), num_tables in itertools.product(kinds, batches):
            make = functools.partial(pgx, game, observes, num_tables)
            found.append(Contestant("pgx", game, kind, make, "compiled batch"))
    for game in ("leduc_poker", "hearts", "crazy_eights", "gin_rummy"):
        for kind, observes in kinds:
            make = functools.partial(open_spiel, game, observes)
            found.append(Contestant("open_spiel", game, kind, make, "Python"))
        found.append(
            Contestant("open_spiel", game, "play_random", functools.partial(open_spiel_bots, game), "C++ bots")
        )
    for game in ("leduc-holdem", "uno", "gin-rummy"):
        found.append(Contestant("rlcard", game, "full_loop", functools.partial(rlcard, game), "Python"))
        found.append(Contestant("rlcard", game, "play_random", functools.partial(rlcard_engine, game), "Python"))
    for module in ("leduc_holdem_v4", "connect_four_v3"):
        for kind, constructor in (("aec_raw", "raw_env"), ("aec_wrapped", "env")):
            make = functools.partial(pettingzoo, module, constructor)
            found.append(Contestant("pettingzoo", module, kind, make, "Python"))
    for kind, game in itertools.product(KINDS, sobremesa.games()):
        form = "compiled batch" if bench.MEASURES[kind].is_batched else "Python"
        found.append(Contestant("sobremesa", game, kind, functools.partial(ours, game, kind), form))
    return found


# The contest


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--num-runs", type=int, default=5, help="runs of each contestant; medians are printed")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long one run lasts, about")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), help="what to measure")
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(LIBRARIES), help="whom to measure")
    parser.add_argument("--json", help="a file for the results")
    args = parser.parse_args()
    begin = time.perf_counter()
    results, missing = [], {}
    with bench.pinned(1) as cores:
        for kind in args.kinds:
            group = [each for each in contestants() if each.kind == kind and each.library in args.libraries]
            found, failed = compete(group, args.num_runs, args.seconds)
            show(kind, found)
            results, missing = results + found, missing | failed
    machine = bench.describe_machine(VERSIONS) | {"cores": cores}
    print(f"one core ({cores[0] if cores else 'not pinned'}), CPU time, {machine['processor']}")
    for name, reason in missing.items():
        print(f"{name} could not be measured: {reason}")
    report = {
        "results": [result._asdict() for result in results],
        "missing": missing,
        "num_runs": args.num_runs,
        "seconds_per_run": args.seconds,
        "seconds_in_all": round(time.perf_counter() - begin, 1),
        "machine": machine,
    }
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(report, indent=1) + "\n")


def compete(group: list[Contestant], num_runs: int, seconds: float) -> tuple[list[Result], dict[str, str]]:
    """The results of a group that takes turns, and why the others could not be measured."""
    workers = [Worker(each, seconds) for each in group]  # one after the other: each is warm before the next begins
    missing = {f"{w.contestant.library} {w.contestant.game}": w.failure for w in workers if w.failure}
    ready = [worker for worker in workers if not worker.failure]
    for _ in range(num_runs):
        for worker in ready:
            worker.run()
    for worker in ready:
        worker.end()
    return [worker.result() for worker in ready], missing


class Worker:
    """A contestant in a process of its own, which waits until it is its turn."""

    def __init__(self, contestant: Contestant, seconds: float):
        self.contestant = contestant
        self.runs: list[bench.Run] = []
        spawn = multiprocessing.get_context("spawn")
        self.pipe, other = spawn.Pipe()
        self.process = spawn.Process(target=work, args=(other, contestant, seconds), daemon=True)
        self.process.start()
        other.close()  # or a process that has died would be waited for
        try:
            self.failure, self.num_tables, self.seconds_to_first_step = self.pipe.recv()
        except EOFError:
            self.failure = "its process has died"

    def run(self) -> None:
        self.pipe.send("run")
        self.runs.append(self.pipe.recv())

    def end(self) -> None:
        self.pipe.send(None)
        self.process.join()

    def result(self) -> Result:
        times = [run.nanoseconds for run in self.runs]
        middle = statistics.median(times)
        rates = (1e9 / nanoseconds for nanoseconds in (middle, max(times), min(times)))
        library, game, kind, _, form = self.contestant
        multiple = middle / statistics.median(run.reference for run in self.runs)
        return Result(library, game, kind, form, self.num_tables, middle, multiple, *rates, self.seconds_to_first_step)


def work(pipe: Any, contestant: Contestant, seconds: float) -> None:
    """The other side of a worker."""
    begin = time.process_time()
    try:
        advance, num_tables = contestant.make()
        advance()
    except Exception as error:  # whatever a library of another version may raise is told, and the rest goes on
        pipe.send((f"{type(error).__name__}: {error}", 0, 0.0))
        return
    first_step = time.process_time() - begin
    runs = bench.runs(advance, time.process_time, seconds)
    next(runs)
    pipe.send(("", num_tables, first_step))
    while pipe.recv():
        pipe.send(next(runs))


def show(kind: str, results: list[Result]) -> None:
    """The contestants of a kind; beside each peer, how many times as fast our games are."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    mine = [result for result in results if result.library == "sobremesa"]
    table = Table(title=f"{kind}: {KINDS[kind]}; × as fast", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("", "per second", "ns", "× ref", "tables", *(result.game for result in mine)):
        table.add_column(name, justify="right" if name else "left")
    for result in results:
        ratios = [f"{our.per_second / result.per_second:,.1f}" for our in mine] if result.library != "sobremesa" else []
        table.add_row(
            f"{result.library} {result.game} {result.form if result.form == 'C++ bots' else ''}".strip(),
            f"{result.per_second:,.0f}", f"{result.nanoseconds:,.0f}", f"{result.times_reference:,.1f}",
            f"{result.num_tables:,}", *ratios,
        )  # fmt: skip
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
