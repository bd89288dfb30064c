"""The page of promises names what keeps each, and all that it names is there."""

from __future__ import annotations

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parent.parent
PAGE = (ROOT / "tests/PROMISES.md").read_text(encoding="utf-8")
PROMISES = re.findall(r"^- (.+?)(?=\n(?:- |\n|\Z))", PAGE, re.MULTILINE | re.DOTALL)
KEEPER = re.compile(r"`(make \w+|\.ci/\w+|tests/\w+\.py(?:::\w+)?)`")


def promise_of(entry: str) -> str:
    return entry.split("\n  `")[0]


def is_there(keeper: str) -> bool:
    """Whether there is such a make target, such a program, such a file of tests, or such a test in it."""
    if keeper.startswith("make "):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        return re.search(rf"^{keeper.removeprefix('make ')}:", makefile, re.MULTILINE) is not None
    file, _, test = keeper.partition("::")
    if not (ROOT / file).is_file() or not test:
        return (ROOT / file).is_file()
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == test for node in tree.body)


def test_there_are_promises():
    assert len(PROMISES) == len(re.findall(r"^- ", PAGE, re.MULTILINE)) > 50
    assert len(set(map(promise_of, PROMISES))) == len(PROMISES)


@pytest.mark.parametrize("entry", PROMISES, ids=promise_of)
def test_a_promise_is_kept_by_something_that_is_there(entry):
    keepers = KEEPER.findall(entry)
    assert keepers
    assert entry == "\n".join([promise_of(entry), *(line for line in entry.splitlines() if line.startswith("  `"))])
    assert [keeper for keeper in keepers if not is_there(keeper)] == []


def test_what_is_not_there_is_noticed():
    assert is_there("tests/test_promises.py::test_what_is_not_there_is_noticed")
    assert is_there("make test")
    for keeper in ("make gold", ".ci/nothing", "tests/test_nothing.py", "tests/test_promises.py::test_nothing"):
        assert not is_there(keeper)
