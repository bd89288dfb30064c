"""Plants faults in a copy of the package, one by one; each must turn its named test red: `make faults`.

A row of the table that says GREEN is a test that can't fail. `python tests/planted_faults.py [word …]` plants only the
faults whose names hold a word.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from faults import FAULTS
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

ROOT = pathlib.Path(__file__).parent.parent
NUM_WORKERS = 2
PASSED, FAILED = 0, 1  # pytest's exit codes


class Verdict(NamedTuple):
    word: str
    detail: str


def run_test(copy: pathlib.Path, test: str) -> tuple[int, str]:
    """Pytest's exit code for one test in a copy of the tree, and the end of what it printed; without JIT, for speed."""
    environment = {**os.environ, "PYTHONPATH": str(copy / "envs"), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", f"tests/{test}"]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout[-2000:]


def copy_tree(folder: str) -> pathlib.Path:
    copy = pathlib.Path(folder) / "copy"
    for name in ("envs", "agents", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "Makefile"):
        shutil.copy(ROOT / name, copy / name)
    return copy


def plant(fault) -> Verdict:
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_tree(folder)
        source = copy / "envs/sobremesa" / fault.file
        text = source.read_text()
        if text.count(fault.right) != 1:
            return Verdict("STALE", f"{text.count(fault.right)} places hold {fault.right!r}")
        source.write_text(text.replace(fault.right, fault.wrong))
        code, printed = run_test(copy, fault.test)
    if code == FAILED:
        return Verdict("red", "")
    return Verdict("GREEN" if code == PASSED else "NO TEST", printed)


def check_sound(tests: list[str]) -> list[str]:
    """The tests that fail, or aren't there, without any fault."""
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_tree(folder)
        with ThreadPoolExecutor(NUM_WORKERS) as pool:
            codes = list(pool.map(lambda test: run_test(copy, test)[0], tests))
    return [test for test, code in zip(tests, codes) if code != PASSED]


def main(words: list[str]) -> int:
    faults = [fault for fault in FAULTS if not words or any(word in fault.name for word in words)]
    unsound = check_sound(sorted({fault.test for fault in faults}))
    with ThreadPoolExecutor(NUM_WORKERS) as pool:
        verdicts = list(track(pool.map(plant, faults), total=len(faults), description="planting"))
    table = Table("fault", "in", "test", "turns", title="Planted faults")
    for fault, verdict in zip(faults, verdicts):
        table.add_row(fault.name, fault.file, escape(fault.test), "UNSOUND" if fault.test in unsound else verdict.word)
    Console(width=160).print(table)
    bad = [(fault.name, verdict) for fault, verdict in zip(faults, verdicts) if verdict.word != "red"]
    for name, verdict in bad:
        print(f"{name}: {verdict.word}\n{verdict.detail}")
    for test in unsound:
        print(f"{test} fails without a fault")
    print(f"{len(faults) - len(bad)} of {len(faults)} faults turned their test red")
    return int(bool(bad or unsound))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
