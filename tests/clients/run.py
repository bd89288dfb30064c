"""Drives every client on every game, each in its environment of pinned versions: `make clients`.

Prints a line for each client, version and game, and writes them to RESULTS.md if nothing has failed. Exits 1 if
something that should work doesn't, or if something works that is written down as impossible.
`make clients ARGS="torchrl freep"` drives only the clients and the games that are named.
"""

from __future__ import annotations

import datetime
import itertools
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

HERE = pathlib.Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
ROOT = HERE.parent.parent
ENVIRONMENTS = ROOT / ".clients"
GAMES = sorted(path.stem for path in (ROOT / "envs/sobremesa/games").glob("[a-z]*.py"))
DRIVERS = {  # each driver, and the sets of versions (`<set>.txt`) that it is run with
    "gymnasium": ("newest", "rllib"),
    "sb3": ("newest",),
    "torchrl": ("newest",),
    "tianshou": ("newest",),
    "supersuit": ("newest",),
    "agilerl": ("agilerl",),
    "rllib": ("rllib",),
}
FAILED = "FAILED"
SECONDS = 1800  # for one client and one game
VERSIONS_SHOWN = ("gymnasium", "pettingzoo", "numpy", "numba", "torch")


class Result(NamedTuple):
    client: str
    version: str
    what: str
    game: str
    result: str
    detail: str
    date: str = str(datetime.date.today())


def drive(driver: str, versions: str, game: str) -> Iterator[Result]:
    """Runs a driver for one game. What it can't tell itself, such as a crash, is a failure too."""
    command = [ENVIRONMENTS / versions / "bin/python", HERE / f"drive_{driver}.py", game]
    settings = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    try:
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        yield Result(driver, "?", "", game, FAILED, f"not done after {SECONDS} s")
        return
    results = [Result(*line.split("\t")) for line in done.stdout.splitlines() if line.count("\t") == 5]
    yield from results
    if not results or (done.returncode and FAILED not in [result.result for result in results]):
        yield Result(driver, "?", "", game, FAILED, f"ended with {done.returncode}")
    if done.returncode:
        print(done.stderr[-4000:], file=sys.stderr)


def read_results() -> list[Result]:
    rows = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    cells = [row.strip("| ").split(" | ") for row in rows]
    return [Result(*row) for row in cells if len(row) == len(Result._fields) and row[3] in GAMES]


def write_results(results: list[Result]) -> None:
    """RESULTS.md: the versions of each set, then a row for each result, new ones instead of the client's old ones."""
    driven = {(result.client, result.game) for result in results}
    kept = [result for result in read_results() if (result.client, result.game) not in driven]
    lines = [
        "# Clients",
        "",
        "Written by `make clients`: what each client was put to on each game, and when.",
        "",
        f"| versions | {' | '.join(VERSIONS_SHOWN)} |",
        "| --- " * (1 + len(VERSIONS_SHOWN)) + "|",
    ]
    for path in sorted(HERE.glob("*.txt")):
        pins = dict(line.split("==") for line in path.read_text().splitlines() if "==" in line)
        lines.append(f"| [{path.stem}]({path.name}) | {' | '.join(pins[name] for name in VERSIONS_SHOWN)} |")
    lines += ["", f"| {' | '.join(Result._fields)} |", "| --- " * len(Result._fields) + "|"]
    lines += [f"| {' | '.join(result)} |" for result in sorted(kept + results)]
    RESULTS.write_text("\n".join(lines) + "\n")


def main(words: list[str]) -> int:
    drivers = [name for name in DRIVERS if name in words] or list(DRIVERS)
    games = [name for name in GAMES if name in words] or list(GAMES)
    unknown = set(words) - set(DRIVERS) - set(GAMES)
    if unknown:
        print(f"there is no {', '.join(sorted(unknown))}; drivers: {', '.join(DRIVERS)}; games: {', '.join(GAMES)}")
        return 2
    runs = [(driver, versions, game) for driver in drivers for versions in DRIVERS[driver] for game in games]
    results = []
    for result in itertools.chain.from_iterable(drive(*run) for run in runs):
        client, version, what, game, word, detail, _ = result
        print(f"{client} {version}  {game}  {word}  {what}: {detail}", flush=True)
        results.append(result)
    num_failed = sum(result.result == FAILED for result in results)
    if not num_failed:
        write_results(results)
    print(f"{len(results)} lines, {num_failed} failed")
    return int(num_failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
