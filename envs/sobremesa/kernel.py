"""Compiling: the decorator `@kernel`, and one dispatched name per operation that a game's room provides.

The batched loops call `deal`, `legal_actions`, `apply`, `observe` and `redeal_hidden` below. Each is a stub with a real
Python body, which serves without JIT, and an overload that hands numba the kernel of the game whose record type it
sees. So the loops are written once, at module level, where numba's disk cache finds them again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import Linkage
from numba.core import cgutils, types
from numba.core import config as numba_config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload
from numba.np.numpy_support import from_dtype

PACKAGE = pathlib.Path(__file__).parent
KERNEL_SOURCES = ("kernel.py", "chance.py", "game.py", "loops.py", "games/*.py")
config: Any = numba_config  # its names are made at run time
STALE_AFTER_DAYS = 30
WORD = 8  # bytes
BITS_OF_BYTE, ALL_BITS = np.uint64(8), np.uint64(255)  # of a byte
OPERATIONS = ("deal", "legal_actions", "apply", "observe", "redeal_hidden")


# The cache. Numba looks only at the file that holds a function, not at the files of the functions it calls, and not at
# NUMBA_BOUNDSCHECK. So the folder itself is named after everything that compiled code depends on.


def _fingerprint() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {config.BOUNDSCHECK}".encode())
    for pattern in KERNEL_SOURCES:
        for source in sorted(PACKAGE.glob(pattern)):
            digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_home() -> pathlib.Path:
    if os.environ.get("NUMBA_CACHE_DIR"):
        return pathlib.Path(os.environ["NUMBA_CACHE_DIR"]) / "sobremesa"
    if sys.platform == "win32":
        return pathlib.Path(os.environ.get("LOCALAPPDATA") or pathlib.Path.home() / "AppData/Local") / "sobremesa"
    if sys.platform == "darwin":
        return pathlib.Path.home() / "Library/Caches/sobremesa"
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "sobremesa"


def _cache_folder() -> str | None:
    """A folder just seen to be writable, or None. Never raises: importing must not fail for want of a cache."""
    with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: there is no home
        home = _cache_home()
        folder = home / _fingerprint()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)
        _prune(home, keep=folder)
        return str(folder)
    return None


def _prune(home: pathlib.Path, keep: pathlib.Path) -> None:
    """Removes the folders of other sources that nobody has used for a month."""
    oldest = time.time() - STALE_AFTER_DAYS * 24 * 3600
    with contextlib.suppress(OSError):  # other processes may prune at the same time
        for folder in home.iterdir():
            if folder != keep and folder.is_dir() and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


CACHE_FOLDER = _cache_folder()


# Compiling. Numba optimises each function by itself, turns it into machine code, wraps it for Python and for C, and
# does all that again in each of its callers. A kernel that another one calls is instead just a part of it: only what is
# called from Python is optimised and becomes machine code, once, as a whole with all its parts.


class _Part(JITCodeLibrary):
    """The code of a kernel that others call, as it was translated; it becomes machine code only as a part of them."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self):
        self._finalized = True

    def own_module(self):
        return super()._get_module_for_linking()

    def _get_module_for_linking(self):
        """For callers that are no kernels: with all that it calls."""
        module = self.own_module().clone()
        _link(module, self._linking_libraries)
        return module

    def get_pointer_to_function(self, name):
        return 0  # which numba takes for: not to be called from Python

    @property
    def codegen(self):  # type: ignore[override]
        return self

    def set_env(self, name, environment):
        """What a function needs of Python to make objects; kernels make none."""


class _Whole(JITCodeLibrary):
    """The code of a kernel that is called from Python, with all its parts."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self):
        _link(self._final_module, self._linking_libraries)
        self._linking_libraries = []
        super().finalize()

    def _optimize_final_module(self):
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr:  # a part: nothing else will ask for it
                function.linkage = Linkage.internal
        super()._optimize_functions(self._final_module)
        super()._optimize_final_module()


def _link(module, libraries):
    """Adds the code of `libraries`, and of all that parts among them call, to `module`, once each, in place."""
    linked, waiting = [], libraries
    while waiting:
        library, *waiting = waiting
        if library not in linked:
            linked.append(library)
            is_part = isinstance(library, _Part)
            waiting += library._linking_libraries if is_part else []
            module.link_in(library.own_module() if is_part else library._get_module_for_linking(), preserve=True)


class _PartCompiler(Compiler):
    library: type[JITCodeLibrary] = _Part

    def define_pipelines(self):
        self.state.library = self.library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        return super().define_pipelines()


class _WholeCompiler(_PartCompiler):
    library = _Whole


WHOLE: Any = {"nogil": True, "_nrt": False, "no_cfunc_wrapper": True, "pipeline_class": _WholeCompiler}
PART: Any = {**WHOLE, "no_cpython_wrapper": True, "pipeline_class": _PartCompiler}
INLINED: Any = {**PART, "forceinline": True}


def kernel(function):
    """Compiles `function` at its first call: without the GIL or reference counting, cached on disk if possible.

    Without reference counting (numba's private option `_nrt`) a kernel makes no arrays, lists or array expressions;
    it reads and writes the records and arrays it is given, and every one of its array arguments outlives the call.
    """
    return _compiled(function, PART)


def inlined(function):
    """A kernel that becomes part of each of its callers: for what every decision runs through, where calls add up."""
    return _compiled(function, INLINED)


def _compiled(function, as_part):
    if config.DISABLE_JIT:
        return function
    place = config.CACHE_DIR
    try:
        if CACHE_FOLDER:
            config.CACHE_DIR = CACHE_FOLDER  # read by numba at decoration, and only then
        whole = numba.njit(cache=CACHE_FOLDER is not None, **WHOLE)(function)
    finally:
        config.CACHE_DIR = place
    part = numba.njit(**as_part)(function)
    whole.get_call_template, whole.get_overload = part.get_call_template, part.get_overload  # for calls by kernels
    return whole


def machine_code(function, arguments):
    """A kernel as compiled for `arguments`, by call: it takes arguments of the same types, without looking at them.

    Numba's own dispatch looks at the type of each argument at each call, which takes longer than a decision.
    """
    return function if config.DISABLE_JIT else function.compile(tuple(map(numba.typeof, arguments)))


# Bytes, moved as a block: a loop over a number known only at run time goes byte by byte up to a hundred of them, and a
# loop over a known number doesn't always become a single store.

FLAGS = 64  # bytes, each 0 or 1, that are read at once


def copy(source, start, count, out, at):
    """Copies `source[start:start + count]` to `out[at:at + count]`, in place: uint8 arrays that don't overlap there."""
    out[at : at + count] = source[start : start + count]


def put_word(word, out, at):
    """The eight bytes of `word`, uint64, lowest first, to `out[at:at + 8]`, uint8, in place; `at` is ≥ 0."""
    out[at : at + WORD] = np.array([word], np.uint64).view(np.uint8)


def flags_of(mask, start):
    """The bytes `mask[start:start + FLAGS]`, each 0 or 1, as the bits of a uint64, the first one lowest."""
    return np.packbits(mask[start : start + FLAGS], bitorder="little").view(np.uint64)[0]


@overload(copy, jit_options=INLINED)
def _copy(source, start, count, out, at):
    if config.BOUNDSCHECK:
        return _copy_one_by_one
    return lambda source, start, count, out, at: _copy_block(source, start, count, out, at)  # type: ignore[call-arg]


def _copy_one_by_one(source, start, count, out, at):
    for i in range(count):
        out[at + i] = source[start + i]


@overload(put_word, jit_options=INLINED)
def _put_word(word, out, at):
    if config.BOUNDSCHECK:
        return _put_one_by_one
    return lambda word, out, at: _store_word(word, out, at)  # type: ignore[call-arg]


def _put_one_by_one(word, out, at):
    for i in range(WORD):
        out[at + i] = (word >> (BITS_OF_BYTE * np.uint64(i))) & ALL_BITS


@overload(flags_of, jit_options=INLINED)
def _flags_of(mask, start):
    return lambda mask, start: _load_flags(mask, start)  # type: ignore[call-arg]


@intrinsic
def _copy_block(typing_context, source, start, count, out, at):
    def emit(context, builder, signature, arguments):
        source, start, count, out, at = arguments
        origin = _place(context, builder, signature.args[0], source, start)
        target = _place(context, builder, signature.args[3], out, at)
        cgutils.raw_memcpy(builder, target, origin, count, 1)
        return context.get_dummy_value()

    return types.void(_bytes(source), types.intp, types.intp, _bytes(out), types.intp), emit


@intrinsic
def _store_word(typing_context, word, out, at):
    def emit(context, builder, signature, arguments):
        word, out, at = arguments
        target = _place(context, builder, signature.args[1], out, at)
        builder.store(word, builder.bitcast(target, word.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(types.uint64, _bytes(out), types.intp), emit


@intrinsic
def _load_flags(typing_context, mask, start):
    def emit(context, builder, signature, arguments):
        mask, start = arguments
        origin = _place(context, builder, signature.args[0], mask, start)
        block = builder.load(builder.bitcast(origin, ir.VectorType(ir.IntType(8), FLAGS).as_pointer()), align=1)
        return builder.bitcast(builder.trunc(block, ir.VectorType(ir.IntType(1), FLAGS)), ir.IntType(FLAGS))

    return types.uint64(_bytes(mask), types.intp), emit


def _bytes(array):
    """The type of such an array; of any other a TypingError."""
    if not isinstance(array, types.Array) or (array.dtype, array.ndim, array.layout) != (types.uint8, 1, "C"):
        raise TypingError(f"whole uint8 arrays of one dimension are moved as a block, not {array}")
    return array


def _place(context, builder, array_type, array, at):
    """Where entry `at` of such an array lies."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [at])


# Memory far from the processor, asked for some time before it is needed: reading it then waits for less.

CACHE_LINE = 64  # bytes


def prefetch(table):
    """Asks for what a decision reads of a record; without JIT, for nothing."""


def prefetch_start(table):
    """Asks for the first bytes of a record, where the random states are; without JIT, for nothing."""


@overload(prefetch, jit_options=INLINED)
def _prefetch(table):
    return lambda table: _prefetch_record(table)  # type: ignore[call-arg]


@overload(prefetch_start, jit_options=INLINED)
def _prefetch_start(table):
    return lambda table: _prefetch_line(table)  # type: ignore[call-arg]


@intrinsic
def _prefetch_record(typing_context, table):
    return types.void(table), _asking_for(_find(table, "lines"))


@intrinsic
def _prefetch_line(typing_context, table):
    return types.void(table), _asking_for([0])


def _asking_for(starts):
    """The code that asks, for each of the `starts`, for the cache line in which that byte of a record lies."""

    def emit(context, builder, signature, arguments):
        start = builder.bitcast(arguments[0], cgutils.voidptr_t)
        kind = ir.FunctionType(ir.VoidType(), [start.type, cgutils.int32_t, cgutils.int32_t, cgutils.int32_t])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [start.type], kind)
        to_write, to_every_cache, data = (cgutils.int32_t(value) for value in (1, 3, 1))
        for at in starts:
            builder.call(ask, [builder.gep(start, [cgutils.intp_t(at)]), to_write, to_every_cache, data])
        return context.get_dummy_value()

    return emit


def lines_of(dtype: np.dtype, cold: Mapping[str, slice]) -> list[int]:
    """Bytes of a record, at least one in each cache line with some that aren't `cold`, wherever the record begins."""
    used = np.ones(dtype.itemsize, np.uint8)
    for name, entries in cold.items():
        np.atleast_2d(used.view(dtype)[name])[:, entries] = 0
    edges = np.flatnonzero(np.diff(used, prepend=0, append=0)).reshape(-1, 2).tolist()
    return sorted({at for start, end in edges for at in (*range(start, end, CACHE_LINE), end - 1)})


@kernel
def clear(out, at, count):
    """Sets `out[at:at + count]` to 0, in place; all indices are ≥ 0."""
    at = np.uint64(at)  # unsigned indices spare numba's test for negative ones
    for i in range(np.uint64(count)):
        out[at + i] = 0


@kernel
def byte_of(word, number):
    """The byte `number` of a word, counted from the lowest."""
    return np.int64((word >> (BITS_OF_BYTE * np.uint64(number))) & ALL_BITS)


def words_of_flags(size: int) -> np.ndarray:
    """uint64 `[2**size]`, size ≤ WORD: for each set, a number with a bit for each member, the word with a byte of 1."""
    sets = range(1 << size)
    return np.array([sum((members >> i & 1) << 8 * i for i in range(size)) for members in sets], np.uint64)


# The operations


KERNELS: dict[np.dtype, dict] = {}  # each game's operations, and its `lines` to ask for, by the dtype of its records
_KERNELS_BY_TYPE: dict = {}  # the same, by numba's type of that dtype


def register(dtype: np.dtype, cold: Mapping[str, slice], **operations) -> None:
    """Makes the stubs below work on records of `dtype`, of which what `cold` says of its fields is hardly ever read.

    Raises ValueError if another game has an equal dtype.
    """
    missing = [name for name in OPERATIONS if name not in operations]
    if missing:
        raise ValueError(f"a game needs the kernels {', '.join(OPERATIONS)}; missing: {', '.join(missing)}")
    operations["lines"] = lines_of(dtype, cold)
    if KERNELS.setdefault(dtype, operations) != operations:
        raise ValueError("two games can't share one table dtype: name a field differently")
    _KERNELS_BY_TYPE[from_dtype(dtype)] = operations


def _find(table, operation: str):
    if table not in _KERNELS_BY_TYPE:
        raise TypingError(f"{operation}: no registered game has tables of this record type; register the game first")
    return _KERNELS_BY_TYPE[table][operation]


def deal(table):
    """Begins a new game on `table`, in place."""
    KERNELS[table.dtype]["deal"](table)


def legal_actions(table, mask):
    """Sets `mask`, zeros `[A]`, to 1 at the actions that `table["current_player"]` may take, in place."""
    KERNELS[table.dtype]["legal_actions"](table, mask)


def apply(table, action):
    """Carries out a legal `action` of the seat to act, and all that follows before the next decision, in place."""
    KERNELS[table.dtype]["apply"](table, action)


def observe(table, seat, out):
    """Writes what `seat` sees into `out`, zeros uint8 `[O]`, in place."""
    KERNELS[table.dtype]["observe"](table, seat, out)


def redeal_hidden(table, seat):
    """Deals anew, in place, the cards that `seat` can't know, drawing from `table["chance"]`.

    Every placement that agrees with all that `seat` has ever been given to know, by observations that it never forgets
    and by what anybody can see at the table, is equally likely, each card counted as one of its own. The result
    depends on that knowledge and on `chance` alone: no trace of the placement before is left in the record.
    """
    KERNELS[table.dtype]["redeal_hidden"](table, seat)


@overload(deal, jit_options=INLINED)
def _deal(table):
    operation = _find(table, "deal")
    return lambda table: operation(table)


@overload(legal_actions, jit_options=INLINED)
def _legal_actions(table, mask):
    operation = _find(table, "legal_actions")
    return lambda table, mask: operation(table, mask)


@overload(apply, jit_options=INLINED)
def _apply(table, action):
    operation = _find(table, "apply")
    return lambda table, action: operation(table, action)


@overload(observe, jit_options=INLINED)
def _observe(table, seat, out):
    operation = _find(table, "observe")
    return lambda table, seat, out: operation(table, seat, out)


@overload(redeal_hidden, jit_options=INLINED)
def _redeal_hidden(table, seat):
    operation = _find(table, "redeal_hidden")
    return lambda table, seat: operation(table, seat)
