"""How the package is built: who imports whom, what an import costs, and what the compiled loops are free of."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import os
import pathlib
import re
import shutil
import sys
from collections.abc import Callable, Iterator

import numba
import numpy as np
import pytest
import sobremesa
import support
from sobremesa import chance, kernel, loops

PACKAGE = pathlib.Path(inspect.getfile(sobremesa)).parent
ROOMS = sorted(path for path in (PACKAGE / "games").glob("*.py") if path.name != "__init__.py")
MAY_BE_IMPORTED_BY_A_ROOM = {
    "numpy",
    "kernel",
    "chance",
    "game",
    "__future__",
    "typing",
    "collections",
    "collections.abc",
    "types",
}
NAME_GAMES = {"__init__.py"}  # the registry, and the public names
DEPENDENCIES = ("numpy", "numba", "gymnasium", "pettingzoo")
MOST_SECONDS_TO_FIRST_STEP = 0.5  # with the cache
MOST_SECONDS_TO_COMPILE = 10  # before the first step ever
MOST_SECONDS_TO_IMPORT = 0.35  # beyond what the dependencies take


def sources() -> Iterator[pathlib.Path]:
    return (path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def imported_by(path: pathlib.Path) -> set[str]:
    """Modules, by their names in the package or outside of it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module} if node.module else {alias.name for alias in node.names}
    return names


# Who imports whom, and names whom


def test_every_game_has_a_room():
    assert {path.stem for path in ROOMS} >= set(sobremesa.games())


@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.stem)
def test_a_room_imports_rules_only(room):
    assert imported_by(room) <= MAY_BE_IMPORTED_BY_A_ROOM


def test_no_wrapper_names_a_game():
    own = {f"{game}_v{facts.version}.py" for game, facts in sobremesa.games().items()}
    for path in sources():
        if path in ROOMS or path.name in NAME_GAMES | own or path.parent.name == "pictures":
            continue
        code = ast.unparse(without_docstrings(ast.parse(path.read_text(encoding="utf-8"))))
        for game, facts in sobremesa.games().items():
            for name in (game, facts.title, facts.env_id):
                assert not re.search(rf"\b{re.escape(name)}\b", code, re.IGNORECASE), f"{path.name} names {name}"


def without_docstrings(tree: ast.Module) -> ast.Module:
    """An example in a docstring may name a game."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def test_a_games_pettingzoo_module_is_public(game):
    module = support.pettingzoo_module(game)
    name = f"{game}_v{sobremesa.games()[game].version}"
    assert name in sobremesa.__all__
    assert getattr(sobremesa, name) is module
    assert {"env", "raw_env"} <= set(vars(module))


def test_public_names_exist():
    assert all(hasattr(sobremesa, name) for name in sobremesa.__all__)
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", sobremesa.__version__)


# Importing

NEW_MODULES = """
import json, sys
{dependencies}
before = {{name.partition(".")[0] for name in sys.modules}}
import sobremesa
after = {{name.partition(".")[0] for name in sys.modules}}
print(json.dumps(sorted(after - before - set(sys.stdlib_module_names))))
"""

COMPILED = """
import json
from numba.core import event
seen = []
class Listener(event.Listener):
    def on_start(self, event): seen.append(str(event))
    def on_end(self, event): pass
event.register("numba:compile", Listener())
import sobremesa
imported = len(seen)
import numba
numba.njit(lambda x: x + 1)(1)
print(json.dumps([imported, len(seen) - imported]))
"""

SECONDS = """
import json, time
{dependencies}
middle = time.process_time()
import sobremesa
print(json.dumps(time.process_time() - middle))
"""

IMPORT_DEPENDENCIES = "\n".join(f"import {name}" for name in (*DEPENDENCIES, "gymnasium.vector", "pettingzoo.utils"))


def test_an_import_brings_nothing_but_the_dependencies():
    new = support.run_python(NEW_MODULES.format(dependencies=IMPORT_DEPENDENCIES))
    assert new == ["sobremesa"]


def test_an_import_compiles_nothing():
    """The listener is shown to work by a function that is compiled."""
    imported, listened = support.run_python(COMPILED, NUMBA_DISABLE_JIT=None)
    assert imported == 0
    assert listened > 0


def test_an_import_is_quick():
    code = SECONDS.format(dependencies=IMPORT_DEPENDENCIES)
    assert any(support.run_python(code) < MOST_SECONDS_TO_IMPORT for _ in range(5))  # other work may be going on


FIRST_STEP = """
import json, time
import numpy as np
import sobremesa
began = time.process_time()
tables = sobremesa.Tables({game!r}, seed=0)
tables.step(tables.legal_action_mask.argmax(axis=1))
print(json.dumps(time.process_time() - began))
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT) or not kernel.CACHE_FOLDER, reason="nothing is cached")
def test_the_first_step_is_quick_once_the_game_has_been_compiled(game):
    code = FIRST_STEP.format(game=game)
    assert any(support.run_python(code) < MOST_SECONDS_TO_FIRST_STEP for _ in range(5))  # other work may be going on


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT) or not kernel.CACHE_FOLDER, reason="nothing is compiled or cached")
def test_the_first_step_ever_is_bearable(game, tmp_path):
    code = FIRST_STEP.format(game=game)
    caches = (str(tmp_path / str(number)) for number in range(3))  # other work may be going on
    assert any(support.run_python(code, NUMBA_CACHE_DIR=cache) < MOST_SECONDS_TO_COMPILE for cache in caches)


def test_declared_dependencies_are_those():
    """With the oldest version that will do, and none that is too new."""
    required = importlib.metadata.requires("sobremesa") or []
    assert all(re.match(r"[\w-]+(\[[\w,-]+\])?(>=[\d.]+)?( ?;.*)?$", line) for line in required), required
    plain = {re.match(r"[\w-]+", line).group() for line in required if "extra ==" not in line}
    assert plain == set(DEPENDENCIES)


# The compiled loops


def code_of(decorator: Callable, game: str, name: str) -> str:
    """A loop's LLVM code; compiled anew by `decorator`, as numba doesn't show what its cache holds."""
    tables = sobremesa.Tables(game, 2, seed=1)
    buffers, dictated, ends = tables._buffers, tables._dictated, tables.ended_state
    sums = np.zeros(tables._results["rewards"].shape), np.zeros(2, np.int64)
    actions, random_states = support.first_legal(tables.legal_action_mask), np.zeros((2, 2), np.uint64)
    arguments = {
        "step_tables": (tables.num_actions, actions, np.ones(2, bool), *dictated, True, ends, *buffers),
        "play_tables": (3, *dictated, True, ends, *buffers, actions, *sums),
        "observe_tables": (np.zeros(2, np.int64), np.zeros((2, tables.observation_size), np.uint8)),
        "redeal_tables": (np.zeros(2, np.int64), np.ones(2, bool), *random_states, *dictated, *buffers),
    }[name]
    loop = decorator(getattr(loops, name).py_func)
    loop(tables.state, *arguments, 0, 2)
    code = "".join(loop.inspect_llvm().values())
    assert name in code
    return code


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize("name", ["step_tables", "play_tables", "observe_tables", "redeal_tables"])
def test_the_loops_count_no_references(game, name, monkeypatch):
    monkeypatch.setattr(kernel, "CACHE_FOLDER", None)
    code = code_of(kernel.kernel, game, name)
    assert "NRT_incref" not in code
    assert ("llvm.prefetch" in code) == (name in ("step_tables", "play_tables"))  # records asked for before their turn


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_counted_references_would_be_seen():
    assert "NRT_incref" in code_of(numba.njit, next(iter(sobremesa.games())), "observe_tables")


COMPILED_BY_A_STEP = """
import json, pathlib
import sobremesa
from sobremesa import chance, kernel, loops
tables = sobremesa.Tables({game!r}, seed=0)
tables.step(tables.legal_action_mask.argmax(axis=1))
called = [loop.__name__ for loop in vars(loops).values() if getattr(loop, "signatures", ())]
cached = {{path.name.split("-")[0] for path in pathlib.Path(kernel.CACHE_FOLDER).rglob("*.nbi")}}
print(json.dumps([called, sorted(cached), len(chance.below.signatures)]))
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT) or not kernel.CACHE_FOLDER, reason="nothing is cached")
def test_only_the_loops_called_from_python_become_machine_code(game, tmp_path):
    """All other kernels are parts of these, which relies on numba's private ways."""
    code = COMPILED_BY_A_STEP.format(game=game)
    called, cached, num_draws = support.run_python(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert sorted(called) == ["begin_tables", "step_tables"]
    assert cached == ["loops.begin_tables", "loops.step_tables"]
    assert num_draws == 0


# The cache

ONE_DRAW = """
import json, pathlib
import numpy as np
from sobremesa import chance, kernel
drawn = int(chance.below(np.uint64(1), 1000)[0])
folder = kernel.CACHE_FOLDER
files = [path.name for path in pathlib.Path(folder).rglob("*.nbi")] if folder else []
print(json.dumps([drawn, folder, files]))
"""


def draw_once(before: str = "", is_bound: bool = False, **environment: str | None) -> tuple[str | None, list[str]]:
    """The cache's folder and files after a kernel has been compiled and has run as ever."""
    code = before + ONE_DRAW
    drawn, folder, files = support.run_python(code, is_bound=is_bound, NUMBA_DISABLE_JIT=None, **environment)
    assert drawn == chance.below(np.uint64(1), 1000)[0]
    return folder, files


def test_a_cache_is_kept_in_a_folder_named_after_the_sources(tmp_path):
    folder, files = draw_once(NUMBA_CACHE_DIR=str(tmp_path))
    assert folder == str(tmp_path / "sobremesa" / kernel._fingerprint())
    assert any("below" in name for name in files)


def test_a_change_of_any_kernel_source_changes_the_folder(tmp_path, monkeypatch):
    shutil.copytree(PACKAGE, tmp_path / "copy")
    monkeypatch.setattr(kernel, "PACKAGE", tmp_path / "copy")
    seen = {kernel._fingerprint()}
    for path in ["kernel.py", "chance.py", "game.py", "loops.py", *(f"games/{room.name}" for room in ROOMS)]:
        with open(tmp_path / "copy" / path, "a", encoding="utf-8") as source:
            source.write("\n")
        seen.add(kernel._fingerprint())
    assert len(seen) == 1 + 4 + len(ROOMS)


def test_without_a_possible_cache_folder_it_compiles_all_the_same(tmp_path):
    (tmp_path / "file").write_text("where a folder is looked for")
    folder, files = draw_once(NUMBA_CACHE_DIR=str(tmp_path / "file"))
    assert folder is None
    assert not files


can_be_bound = pytest.mark.skipif(
    sys.platform != "linux" and getattr(os, "geteuid", lambda: 0)() == 0, reason="root may write anywhere"
)
IS_READ_ONLY = """
import pathlib
try:
    pathlib.Path({folder!r}, "new").write_text("")
    raise SystemExit({folder!r} + " can be written to")
except PermissionError:
    pass
"""
IS_HOMELESS = """
import pwd
def nobody_known(uid): raise KeyError(uid)
pwd.getpwuid = nobody_known
"""


@can_be_bound
def test_with_a_read_only_cache_folder_it_compiles_all_the_same(tmp_path):
    (tmp_path / "cache").mkdir()
    with support.read_only(tmp_path / "cache") as folder:
        is_read_only = IS_READ_ONLY.format(folder=str(folder))
        assert draw_once(is_read_only, is_bound=True, NUMBA_CACHE_DIR=str(folder)) == (None, [])


@can_be_bound
def test_a_read_only_installation_compiles_all_the_same_for_a_user_without_a_home(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "site/sobremesa", ignore=shutil.ignore_patterns("__pycache__"))
    nowhere = dict.fromkeys(["HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"])
    with support.read_only(tmp_path / "site") as site:
        before = IS_READ_ONLY.format(folder=str(site / "sobremesa")) + IS_HOMELESS
        assert draw_once(before, is_bound=True, PYTHONPATH=str(site), **nowhere) == (None, [])
    assert not list(site.rglob("__pycache__"))


@pytest.mark.parametrize("home", ["nonexistent", None])
def test_without_a_home_it_compiles_all_the_same(tmp_path, home):
    (tmp_path / "file").write_text("")
    places = dict.fromkeys(["HOME", "USERPROFILE", "LOCALAPPDATA"], home and str(tmp_path / "file" / home))
    folder, _ = draw_once(NUMBA_CACHE_DIR=None, XDG_CACHE_HOME=None, **places)
    assert home is None or folder is None  # without HOME the system knows one for the user
