"""Drives every client on every game, each in its environment of pinned versions: `make clients`.

Prints a line for each client, version and game, and writes them to RESULTS.md after a whole run. Exits 1 if something
that should work doesn't, or if something works that is written down as impossible.
`make clients ARGS="torchrl freep"` drives only the clients and the games that are named.
"""

from __future__ import annotations

import datetime
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

HERE = pathlib.Path(__file__).parent
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
    word: str
    detail: str


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
    if done.returncode and FAILED not in [result.word for result in results]:
        yield Result(driver, "?", "", game, FAILED, f"ended with {done.returncode}")
    if done.returncode:
        print(done.stderr[-4000:], file=sys.stderr)


def write_results(results: list[Result]) -> None:
    """RESULTS.md: the versions of each set, then a row for each thing driven."""
    lines = [
        "# Clients",
        "",
        f"Written by `make clients` on {datetime.date.today()}: what each client was put to, on each game.",
        "",
        f"| versions | {' | '.join(VERSIONS_SHOWN)} |",
        "| --- " * (1 + len(VERSIONS_SHOWN)) + "|",
    ]
    for path in sorted(HERE.glob("*.txt")):
        pins = dict(line.split("==") for line in path.read_text().splitlines() if "==" in line)
        lines.append(f"| [{path.stem}]({path.name}) | {' | '.join(pins[name] for name in VERSIONS_SHOWN)} |")
    lines += ["", "| client | version | what | game | | |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [f"| {' | '.join(result)} |" for result in results]
    (HERE / "RESULTS.md").write_text("\n".join(lines) + "\n")


def main(words: list[str]) -> int:
    drivers = [name for name in DRIVERS if name in words] or list(DRIVERS)
    games = [name for name in GAMES if name in words] or list(GAMES)
    unknown = set(words) - set(DRIVERS) - set(GAMES)
    if unknown:
        print(f"there is no {', '.join(sorted(unknown))}; drivers: {', '.join(DRIVERS)}; games: {', '.join(GAMES)}")
        return 2
    results = []
    for driver in drivers:
        for versions in DRIVERS[driver]:
            for game in games:
                for result in drive(driver, versions, game):
                    print(f"{result.client} {result.version}  {result.game}  {result.word}  "
                          f"{result.what}: {result.detail}", flush=True)  # fmt: skip
                    results.append(result)
    num_failed = sum(result.word == FAILED for result in results)
    if not words:
        write_results(results)
    print(f"{len(results)} lines, {num_failed} failed")
    return int(num_failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
