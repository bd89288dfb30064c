"""Drives every client on every game, each in its environment of pinned versions: `make clients`.

Prints a line for each thing that a client is put to, and writes them to RESULTS.md as soon as the client is done with
the game, failures too, in place of its earlier ones; so a run that is interrupted keeps what it has driven.
`make clients ARGS="torchrl freep"` drives only the clients and the games that are named, which is also the way to go on
after an interrupt. Exits 1 if something that should work doesn't, or if something works that is written down as
impossible.
"""

from __future__ import annotations

import datetime
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import NamedTuple

HERE = pathlib.Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
ROOT = HERE.parent.parent
ENVIRONMENTS = ROOT / ".clients"
GAMES = sorted(path.stem for path in (ROOT / "envs/sobremesa/games").glob("[a-z]*.py"))
CLIENTS = {  # the name of its distribution, and the sets of versions (`<set>.txt`) that it is driven with
    "gymnasium": ("newest", "rllib"),
    "sb3-contrib": ("newest",),
    "torchrl": ("newest",),
    "tianshou": ("newest",),
    "supersuit": ("newest",),
    "agilerl": ("agilerl",),
    "ray": ("rllib",),
}
FAILED = "FAILED"
MAX_SECONDS = 900  # for one client and one game
VERSIONS_SHOWN = ("gymnasium", "pettingzoo", "numpy", "numba", "torch")


class Result(NamedTuple):
    client: str
    version: str
    versions: str  # the set that it is of
    game: str
    what: str
    result: str
    detail: str
    date: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What is driven, and written, at once."""
        return self.client, self.versions, self.game


def drive(client: str, versions: str, game: str) -> list[Result]:
    """Runs a driver for one game. What it can't tell itself, such as a crash, is a failure too."""

    def result(*cells: str) -> Result:
        return Result(client, read_pins(versions)[client], versions, game, *cells, str(datetime.date.today()))

    script = HERE / f"drive_{client.replace('-', '_')}.py"
    process = subprocess.Popen(
        [ENVIRONMENTS / versions / "bin/python", script, game],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        told, errors = process.communicate(timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        return [result("all", FAILED, f"not done after {MAX_SECONDS} s")]
    finally:
        if process.poll() is None:  # not done, or interrupted: it ends with the processes that it has started
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    lines = told.replace("|", r"\|").splitlines()  # as a cell of a table has it
    results = [result(*line.split("\t")) for line in lines if line.count("\t") == 2]
    if not results or (process.returncode and FAILED not in [row.result for row in results]):
        results.append(result("all", FAILED, f"ended with {process.returncode}"))
    if process.returncode:
        print(errors[-4000:], file=sys.stderr)
    return results


def read_pins(versions: str) -> dict[str, str]:
    """The version of each distribution of a set, by its name as pip normalizes it."""
    lines = (HERE / f"{versions}.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line)
    return {name.lower().replace("_", "-"): version for name, version in pins.items()}


def read_results() -> list[Result]:
    """The rows of RESULTS.md of the clients, sets of versions and games that there are."""
    rows = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    cells = [row.strip("| ").split(" | ") for row in rows]
    results = [Result(*row) for row in cells if len(row) == len(Result._fields)]
    return [row for row in results if row.versions in CLIENTS.get(row.client, ()) and row.game in GAMES]


def write_results(results: list[Result]) -> None:
    """RESULTS.md: the versions of each set, then a row for each result, new ones in place of old ones of their key."""
    driven = {row.key for row in results}
    kept = [row for row in read_results() if row.key not in driven]
    lines = [
        "# Clients",
        "",
        "Written by `make clients`: what each client was put to on each game, and when.",
        "",
        f"| versions | {' | '.join(VERSIONS_SHOWN)} |",
        "| --- " * (1 + len(VERSIONS_SHOWN)) + "|",
    ]
    for path in sorted(HERE.glob("*.txt")):
        pins = read_pins(path.stem)
        lines.append(f"| [{path.stem}]({path.name}) | {' | '.join(pins[name] for name in VERSIONS_SHOWN)} |")
    lines += ["", f"| {' | '.join(Result._fields)} |", "| --- " * len(Result._fields) + "|"]
    lines += [f"| {' | '.join(row)} |" for row in sorted(kept + results)]
    written = RESULTS.with_suffix(".new")
    written.write_text("\n".join(lines) + "\n")
    written.replace(RESULTS)


def main(words: list[str]) -> int:
    clients = [name for name in CLIENTS if name in words] or list(CLIENTS)
    games = [name for name in GAMES if name in words] or list(GAMES)
    unknown = set(words) - set(CLIENTS) - set(GAMES)
    if unknown:
        print(f"there is no {', '.join(sorted(unknown))}; clients: {', '.join(CLIENTS)}; games: {', '.join(GAMES)}")
        return 2
    runs = [(client, versions, game) for client in clients for versions in CLIENTS[client] for game in games]
    num_lines = num_failed = 0
    start = time.monotonic()
    for number, run in enumerate(runs, 1):
        minutes = (time.monotonic() - start) / 60
        print(f"[{number}/{len(runs)}] {' '.join(run)} (after {minutes:.1f} min)", flush=True)
        results = drive(*run)
        write_results(results)
        for row in results:
            print(f"    {row.result}  {row.what}: {row.detail}", flush=True)
        num_lines += len(results)
        num_failed += sum(row.result == FAILED for row in results)
    print(f"{num_lines} lines, {num_failed} failed, {(time.monotonic() - start) / 60:.1f} min")
    return int(num_failed > 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
