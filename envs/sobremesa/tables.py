"""Tables: many tables of one game, stepped together. The fast path, and the only path to the rules."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from . import loops
from .chance import fresh_seed, states_from_seeds
from .crew import crew_of
from .game import Flag, Game, ParameterError, is_sequence, read_integer
from .games import GAMES
from .kernel import FLAGS, machine_code
from .loops import Dictated

DECISIONS_PER_THREAD = 2048  # fewer cost less than handing them to another thread
SLICES_PER_THREAD = 4  # so that a thread that comes late, or is slow, leaves more to the others
MAX_SEED = 2**64 - 1
INT64 = np.dtype(np.int64)
MAX_TEXT = 200  # characters of a value in an error's message
COMPILED: defaultdict[Game, dict] = defaultdict(dict)  # by game: each loop that has run, as compiled for its tables


class IllegalActionError(ValueError):
    """An action that the rules don't allow; nothing has changed. Attributes: table, seat, action."""

    def __init__(self, message: str, table: int, seat: int, action: int):
        super().__init__(message)
        self.table, self.seat, self.action = table, seat, action

    def __reduce__(self):
        return type(self), (self.args[0], self.table, self.seat, self.action)


class Tables:
    """`num_tables` tables of one game (N), with n players each, A actions and observations of O entries.

    game: a game's name, such as "freep", or a `Game`.
    seed: an integer ≥ 0; table i is seeded seed + i and plays exactly what a single table with that seed plays,
        whatever the batch's size and the threads. So batches seeded s and s + 1 share N − 1 tables: space seeds apart.
        None: a seed from the operating system.
    num_threads: at most this many threads step the batch; small batches stay on one.
    autoreset: a finished table is dealt anew in the same step; `ended_state` keeps its record as it ended. Otherwise it
        stays (current_player −1, mask all false, observation zeros) and stepping it raises.
    scaled: observations are float32 in [0, 1], each entry divided by its field's maximum; otherwise uint8.
    parameters: those of the game's page. ParameterError names one that is unknown or out of range.

    What a step reports lies in buffers of this object that the next call fills anew (copy what you keep):
    `current_player` `[N]` int8 (−1: over), `legal_action_mask` `[N, A]` bool, `observation` `[N, O]` of the seat to
    act, `rewards` `[N, n]` float32 and `terminated`, `truncated` `[N]` bool of the step just made. `action_mask` is the
    same mask as int8, the type that PettingZoo and Gymnasium want.
    `state` `[N]` holds the records; after changing one by hand, call `refresh`.

    A call that an interrupt (Ctrl-C) cuts short has changed the tables as a whole or not at all: compiled loops aren't
    interrupted. So a long `play_random` is interrupted when it is done.
    """

    def __init__(
        self,
        game: str | Game,
        num_tables: int = 1,
        seed: int | None = None,
        num_threads: int = 1,
        autoreset: bool = True,
        scaled: bool = False,
        **parameters: Any,
    ):
        game = find_game(game)
        num_tables = read_integer("num_tables", num_tables, 1)
        self._lay_out(
            game,
            game.read_parameters(parameters),
            num_tables,
            read_integer("num_threads", num_threads, 1),
            autoreset,
            scaled,
        )
        self.reset(fresh_seed() if seed is None else seed)

    # What copies take over as it is
    FACTS = ("game", "_compiled", "num_tables", "num_threads", "autoreset", "scaled", "num_players", "action_names",
             "num_actions", "observation_size", "_scale", "_blank", "_everywhere", "single_actions", "_result_dtype",
             "_padded_actions", "_parts")  # fmt: skip

    def _lay_out(self, game, parameters, num_tables, num_threads, autoreset, scaled):
        self.game: Game = game
        self._compiled = COMPILED[game]
        self.parameters: dict[str, Any] = parameters
        self.num_tables: int = num_tables
        self.num_threads: int = num_threads
        self.autoreset: bool = Flag(True).read("autoreset", autoreset)
        self.scaled: bool = Flag(False).read("scaled", scaled)
        self.num_players: int = parameters["num_players"]
        self.action_names: tuple[str, ...] = tuple(game.action_names(parameters))
        self.num_actions: int = len(self.action_names)
        self.observation_fields = game.observation_fields(parameters)
        self.observation_size: int = max(field.slice.stop for field in self.observation_fields.values())
        self._scale = np.concatenate(
            [np.full(f.slice.stop - f.slice.start, f.maximum, np.float32) for f in self.observation_fields.values()]
        )
        self._blank = game.new_tables(1, parameters)  # a record before its first deal
        self._everywhere = np.ones(num_tables, np.bool_)
        self.single_actions = single_actions(self.num_actions)
        self._result_dtype = loops.result_dtype(game.table["rewards"].shape[0])
        self._padded_actions: int = _round_up(self.num_actions, FLAGS)
        row_sizes = (game.table.itemsize, game.table.itemsize, self._result_dtype.itemsize, self._padded_actions,
                     self.observation_size)  # fmt: skip
        self._parts: list[slice] = []
        end = 0
        for size in row_sizes:
            start = _round_up(end, FLAGS)
            end = start + num_tables * size
            self._parts.append(slice(start, end))
        self._attach(np.zeros(end, np.uint8), _dictated(np.zeros((0, game.table["dictated"].shape[0]), np.uint8), 0))
        self.state[:] = self.ended_state[:] = self._blank

    def _attach(self, memory: np.ndarray, dictated: Dictated) -> None:
        """Makes `memory`, which holds every row of every buffer, that of these tables."""
        self._memory = memory
        self._dictated = dictated
        state, ended_state, results, mask, observation = (memory[part] for part in self._parts)
        self.state: np.ndarray = state.view(self.game.table)
        self.ended_state: np.ndarray = ended_state.view(self.game.table)
        self._results = results.view(self._result_dtype)
        self.rewards: np.ndarray = self._results["rewards"][:, : self.num_players]
        self.current_player: np.ndarray = self._results["current_player"]
        self.terminated: np.ndarray = self._results["terminated"]
        self.truncated: np.ndarray = self._results["truncated"]
        self._mask = mask.reshape(self.num_tables, self._padded_actions)
        self.action_mask: np.ndarray = self._mask[:, : self.num_actions].view(np.int8)
        self.legal_action_mask: np.ndarray = self.action_mask.view(np.bool_)
        self._observation = observation.reshape(self.num_tables, self.observation_size)
        self._buffers = (self._results, self._mask, self._observation)

    # Stepping

    def step(self, actions: Any, where: Any = None) -> None:
        """One decision at each table (of those in `where`, `[N]` bool), in place.

        actions: `[N]` integers, one for the seat to act at each table; entries outside `where` are not read.
        Raises IllegalActionError, naming the first table, seat and action, before anything in the batch has changed.
        """
        wrong = self._try_step(self.read_actions(actions), self._read_where(where))
        if wrong >= 0:
            raise self._illegal(wrong, int(np.asarray(actions)[wrong]))  # as given: what was read has wrapped around

    def _try_step(self, chosen: np.ndarray, where: np.ndarray) -> int:
        """`step` with what has been read, `read_actions(actions)` and bool `[N]`; for wrappers.

        Returns −1, or the first table whose action is illegal: then nothing has changed.
        """
        wrong = -1
        if self.num_threads > 1 and self.uses_threads(1):  # each would look at its own actions only
            wrong = loops.first_illegal(self._mask, self.num_actions, chosen, where, 0, self.num_tables)
        if wrong < 0:
            wrong = self._run(loops.step_tables, self.num_tables, (
                self.state, self.num_actions, chosen, where, *self._dictated, self.autoreset, self.ended_state,
                *self._buffers,
            ))  # fmt: skip
        return wrong

    def sample_actions(self) -> np.ndarray:
        """Actions drawn uniformly from the legal ones by the tables' `choice`, which moves on, in place.

        A new array, int64 `[N]`; −1 at a table that is over. Stepping with them is what `play_random(1)` does.
        """
        actions = np.empty(self.num_tables, np.int64)
        self._run(loops.sample_tables, self.num_tables, (self.state, self._results, self._mask, actions))
        return actions

    def reset(self, seed: Any = None, options: Mapping[str, Any] | None = None, where: Any = None) -> None:
        """A new game at each table (of those in `where`), in place.

        seed: as for the class, or a sequence of N seeds. None, for all tables or in the sequence, goes on with a
            table's own random states.
        options: what is dictated, by the game's page, to every table that this call resets.
        """
        where = self._read_where(where)
        seeds, seeded = self._read_seeds(seed)
        rows = self.game.dictate(options, self.parameters)
        chance, choice = states_from_seeds(seeds) if seeded.any() else (seeds, seeds.copy())
        later, blank = self._lay_by(rows[1:]), self._blank
        if len(rows):
            blank = blank.copy()
            blank["dictated"] = rows[0]
            blank["next_dictated"], blank["end_dictated"] = later
        self._run(loops.begin_tables, self.num_tables, (
            self.state, where, blank, seeded, chance, choice, *self._dictated, *self._buffers,
        ))  # fmt: skip

    def play_random(self, num_steps: int) -> tuple[np.ndarray, np.ndarray]:
        """`num_steps` decisions at each table, in place, drawn uniformly from the legal ones by the table's `choice`.

        Returns the sums of the rewards, float64 `[N, n]`, and the number of games that ended, int64 `[N]`.
        A table that is over and isn't dealt anew (autoreset=False) makes no further decisions.
        """
        num_steps = read_integer("num_steps", num_steps, 0)
        returns = np.zeros(self._results["rewards"].shape)
        num_games, actions = np.zeros((2, self.num_tables), np.int64)
        self._run(loops.play_tables, self.num_tables * num_steps, (
            self.state, num_steps, *self._dictated, self.autoreset, self.ended_state, *self._buffers,
            actions, returns, num_games,
        ))  # fmt: skip
        return returns[:, : self.num_players], num_games

    def play_random_until(self, seats: np.ndarray, where: Any = None) -> np.ndarray:
        """Random decisions, in place, until it is the turn of seat `seats[i]` at table i, or the game there is over.

        Drawn by the tables' `choice`; a table that is over is not dealt anew here. Returns the sums of the rewards of
        these decisions, float64 `[N, n]`.
        """
        where = self._read_where(where)
        returns = np.zeros(self._results["rewards"].shape)
        seats = self._read_seats(seats)
        self._run(loops.play_until, self.num_tables, (
            self.state, seats, where, *self._dictated, *self._buffers, returns,
        ))  # fmt: skip
        return returns[:, : self.num_players]

    def redeal_hidden(self, seat: Any, seed: Any, where: Any = None) -> None:
        """Deals anew, in place, all that is hidden from `seat` (at the tables in `where`): for search, on copies.

        The new world is drawn uniformly from those that `seat`, with a perfect memory, can't tell from the true one;
        its future is another one too: both random states are new, and nothing is dictated any longer. It follows from
        what `seat` knows and from the seed alone; nothing of the true world is left in the records, but for
        `ended_state`, the games before. What the last step has brought (`rewards` and its end) stays as it is.
        seat: an integer, or `[N]` of them. seed: an integer s, with which table i's seed is s + i, or a sequence of N.
        At a table that is over, whoever would have been next is not known to be able to play.
        """
        where = self._read_where(where)
        seats = self._read_seats(seat)
        seeds, given = self._read_seeds(seed)
        if not given.all():
            raise ParameterError(f"seed must be an integer, or {self.num_tables} of them, not {seed!r}")
        self._run(loops.redeal_tables, self.num_tables, (
            self.state, seats, where, *states_from_seeds(seeds, pair=1), *self._dictated, *self._buffers,
        ))  # fmt: skip

    def forfeit(self, where: Any) -> None:
        """Ends the game at each table in `where`, in place: no winners, −1 for the seat that was to act.

        For wrappers that give up a game instead of raising. Raises ValueError where a game is over already. The tables
        stay over until they are reset.
        """
        where = self._read_where(where)
        tables = np.flatnonzero(where)
        over = tables[self.current_player[tables] < 0]
        if over.size:
            raise ValueError(f"table {over[0]}: the game is over already")
        self._run(loops.forfeit_tables, self.num_tables, (self.state, where, *self._buffers))

    def refresh(self, where: Any = None) -> None:
        """Writes every buffer's rows anew from `state`: where a new game has begun, its rewards, which are 0."""
        self._run(loops.report_tables, self.num_tables, (self.state, self._read_where(where), *self._buffers))

    def uses_threads(self, num_steps: int) -> bool:
        """Whether `num_steps` decisions at each table, made in one call, are enough to be shared among threads."""
        return self._num_threads_for(self.num_tables * num_steps) > 1

    def _num_threads_for(self, num_decisions: int) -> int:
        return min(self.num_threads, num_decisions // DECISIONS_PER_THREAD, self.num_tables)

    def _run(self, loop, num_decisions: int, arguments: tuple) -> Any:
        """The loop over all tables, in slices on several threads where there is enough to do; returns what it does.

        Compiled code isn't interrupted, nor is a crew: whatever a call changes, one loop changes as a whole.
        """
        compiled = self._compiled.get(loop)
        if compiled is None:  # for the first time with this game
            compiled = self._compiled[loop] = machine_code(loop, (*arguments, 0, self.num_tables))
        if self.num_threads == 1 or (num_threads := self._num_threads_for(num_decisions)) <= 1:
            return compiled(*arguments, 0, self.num_tables)
        num_slices = min(num_threads * SLICES_PER_THREAD, self.num_tables)
        bounds = [self.num_tables * k // num_slices for k in range(num_slices + 1)]
        return crew_of(num_threads).run(compiled, arguments, list(pairwise(bounds)))

    # Looking

    @property
    def observation(self) -> np.ndarray:
        """`[N, O]`, of the seat to act: the buffer itself, or a scaled copy of it; zeros at a table that is over."""
        return self._observation / self._scale if self.scaled else self._observation

    @property
    def observation_scale(self) -> np.ndarray:
        """float32 `[O]`, a new array: the maximum of each entry, by which a scaled observation has been divided."""
        return self._scale.copy()

    @property
    def winners(self) -> np.ndarray:
        """bool `[N, n]`: who has won the game in `state`; all false while it goes on, or if it was cut off."""
        return winners_of(self.state, self.num_players)

    def observe(self, seat: Any) -> np.ndarray:
        """What `seat` (an integer, or `[N]` of them) sees, a new array `[N, O]`; at any time, also after the end."""
        return self.observe_records(self.state, seat)

    def observe_records(self, records: np.ndarray, seat: Any) -> np.ndarray:
        """What `seat` sees at `records`, `[N]` of this game and these parameters, such as `ended_state`."""
        out = np.zeros((self.num_tables, self.observation_size), np.uint8)
        self._run(loops.observe_tables, self.num_tables, (self._read_records(records), self._read_seats(seat), out))
        return out / self._scale if self.scaled else out

    def full_state(self) -> np.ndarray:
        """All that the records hold of the games, hidden cards included, a new array uint8 `[N, S]`.

        For central critics. It leaves out the random states and what is dictated of later deals.
        """
        columns = [np.ascontiguousarray(self.state[name]).view(np.uint8) for name in self.game.state_fields]
        return np.concatenate([column.reshape(self.num_tables, -1) for column in columns], axis=1)

    def to_text(self, table: int = 0, seat: int | None = None) -> str:
        """A table as `seat` sees it, by default the seat to act (seat 0 when the game is over)."""
        table = read_integer("table", table, 0, self.num_tables - 1)
        record = self.state[table : table + 1]
        if seat is None:
            seat = max(int(record["current_player"][0]), 0)
        seat = read_integer("seat", seat, 0, self.num_players - 1)
        out = np.zeros((1, self.observation_size), np.uint8)
        loops.observe_tables(record, np.array([seat]), out, 0, 1)
        return self.game.to_text(self.game.decode(out[0], self.parameters), seat)

    def action_to_string(self, action: int) -> str:
        """The text of an action id."""
        return self.action_names[read_integer("action", action, 0, self.num_actions - 1)]

    def string_to_action(self, text: str) -> int:
        """The id of an action's text. Raises ValueError for any other text."""
        if text not in self.action_names:
            raise ValueError(f"{self.game.name} has no action {text!r}; its actions: {', '.join(self.action_names)}")
        return self.action_names.index(text)

    def __repr__(self) -> str:
        given = ", ".join(
            f"{name}={value!r}"
            for name, value in self.parameters.items()
            if name == "num_players" or value != self.game.parameters[name].default
        )
        return f"Tables({self.game.name!r}, {self.num_tables}, {given}); table 0:\n{self.to_text(0)}"

    # Keeping

    def copy(self) -> Tables:
        """Tables that go on exactly as these do, and share nothing with them."""
        twin = object.__new__(type(self))
        for name in self.FACTS:  # `vars(self)` would slow down every later look at an attribute, in Python 3.11
            setattr(twin, name, getattr(self, name))
        twin.parameters, twin.observation_fields = self.parameters.copy(), self.observation_fields.copy()
        twin._attach(self._memory.copy(), self._dictated)
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo) -> Tables:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "layout": (self.game, self.parameters, self.num_tables, self.num_threads, self.autoreset, self.scaled),
            "memory": self._memory,
            "dictated": tuple(self._dictated),
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        game, parameters, *rest = kept["layout"]
        self._lay_out(game, dict(parameters), *rest)
        self._attach(kept["memory"].copy(), _dictated(*kept["dictated"]))

    def save(self, path: str | os.PathLike) -> None:
        """Writes the tables to `path` (.npz), to be loaded into as many of the same game, version and parameters."""
        arrays = self._arrays()
        facts = json.dumps({**self._facts(), "digest": _digest(arrays)})
        with open(path, "wb") as file:
            np.savez(file, facts=np.array(facts), **arrays)  # type: ignore[arg-type]  # no array has another's name

    def load(self, path: str | os.PathLike) -> None:
        """Goes on, in place, from what `save` wrote.

        Raises ValueError, changing nothing, for what doesn't fit or has changed since it was saved. Whether the records
        are of a game that was really played isn't checked: load files that you trust, as you would with a pickle.
        """
        try:
            with np.load(path, allow_pickle=False) as kept:
                arrays = {name: kept[name] for name in kept.files}
            facts = dict(json.loads(str(arrays.pop("facts"))))
        except OSError:
            raise
        except Exception as error:  # whatever NumPy, zipfile and json make of another file
            raise ValueError(f"{os.fspath(path)!r} doesn't hold saved tables: {error}") from error
        for name, value in self._facts().items():
            if facts.get(name) != value:
                raise ValueError(
                    f"{os.fspath(path)!r} was saved with {name} {facts.get(name)!r}; these tables have {value!r}"
                )
        for name, array in self._arrays().items():
            fixed = slice(1, None) if name == "dictated" else slice(None)  # any number of deals may be dictated
            kept = arrays.get(name, np.zeros(0))
            if kept.dtype != array.dtype or kept.shape[fixed] != array.shape[fixed] or kept.ndim != array.ndim:
                raise ValueError(f"{os.fspath(path)!r} holds no {name} of the form that these tables keep")
        if facts.get("digest") != _digest(arrays):
            raise ValueError(f"{os.fspath(path)!r} doesn't hold the tables that were saved: it was changed afterwards")
        before = self.copy()._arrays()
        try:
            self._restore(arrays)
        except BaseException:  # an interrupt
            self._restore(before)
            raise

    def _facts(self) -> dict[str, Any]:
        parameters = json.loads(json.dumps(self.parameters))  # as they read back
        return {
            "game": self.game.name,
            "version": self.game.version,
            "num_tables": self.num_tables,
            "parameters": parameters,
        }

    def _arrays(self) -> dict[str, np.ndarray]:
        return {
            "state": self.state,
            "ended_state": self.ended_state,
            "results": self._results,
            "mask": self._mask,
            "observation": self._observation,
            "dictated": self._dictated.rows,
            "first_dictated": np.array(self._dictated.first),
        }

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        for name in ("state", "ended_state", "results", "mask", "observation"):
            self._arrays()[name][...] = arrays[name]
        self._dictated = _dictated(arrays["dictated"].copy(), int(arrays["first_dictated"]))

    # The border: one signature for every kernel

    def read_actions(self, actions: Any) -> np.ndarray:
        """`actions` as int64 `[N]`, contiguous: the array itself if it is one. Raises TypeError or ValueError."""
        given = actions if type(actions) is np.ndarray else as_array("actions", actions)
        if given.dtype is INT64 and given.shape == (self.num_tables,) and given.flags.c_contiguous:
            return given
        if given.dtype.kind not in "iu":
            most = self.num_actions - 1
            raise TypeError(f"actions must be integers from 0 to {most}, not {given.dtype}: {_brief(actions)}")
        if given.shape != (self.num_tables,):
            raise ValueError(f"actions must have the shape ({self.num_tables},), one for each table, not {given.shape}")
        return np.ascontiguousarray(given, np.int64)

    def _read_where(self, where: Any) -> np.ndarray:
        if where is None:
            return self._everywhere
        given = as_array("where", where)
        if given.dtype != np.bool_ or given.shape != (self.num_tables,):
            raise ValueError(
                f"where must be bool of the shape ({self.num_tables},), not {given.dtype} of the shape {given.shape}"
            )
        return given.copy()  # it may be a view of a buffer that the call fills

    def _read_seats(self, seat: Any) -> np.ndarray:
        given = as_array("seat", seat)
        if given.dtype.kind not in "iu" or given.shape not in ((), (self.num_tables,)):
            raise ParameterError(f"seat must be an integer, or {self.num_tables} of them, not {seat!r}")
        seats = np.full(self.num_tables, given, np.int64)
        if (seats.view(np.uint64) >= self.num_players).any():  # negative ones too
            raise ParameterError(f"seat must be from 0 to {self.num_players - 1}, not {seat!r}")
        return seats

    def _read_seeds(self, seed: Any) -> tuple[np.ndarray, np.ndarray]:
        """A seed for each table, uint64 `[N]`, and which of them were given."""
        if not is_sequence(seed):
            given = np.full(self.num_tables, seed is not None)
            first = 0 if seed is None else read_integer("seed", seed, 0, MAX_SEED)
            return np.uint64(first) + np.arange(self.num_tables, dtype=np.uint64), given  # wraps around at 2**64
        if len(seed) != self.num_tables:
            raise ParameterError(f"seed must be an integer, or {self.num_tables} of them, not {len(seed)}")
        read = [0 if one is None else read_integer(f"seed[{i}]", one, 0, MAX_SEED) for i, one in enumerate(seed)]
        return np.array(read, np.uint64), np.array([one is not None for one in seed])

    def _read_records(self, records: Any) -> np.ndarray:
        """Records that the kernels may read: anything else would lead them past the ends of the arrays."""
        if records is self.state or records is self.ended_state:
            return records
        if (
            not isinstance(records, np.ndarray)
            or records.dtype != self.game.table
            or records.shape != (self.num_tables,)
        ):
            raise ParameterError(f"records must be {self.num_tables} records of {self.game.name}")
        for name in self.game.facts(self.parameters):
            if (records[name] != self._blank[name]).any():
                raise ParameterError(f"records must be of these parameters; they differ in {name}")
        return np.ascontiguousarray(records)

    def _lay_by(self, rows: np.ndarray) -> tuple[int, int]:
        """Lays `rows` of dictated deals after those that tables may still come to; the numbers they get, as a range.

        No other deal gets another number, so the tables may go on whether or not they are then reset.
        """
        kept, first = self._dictated
        if not len(kept) and not len(rows):
            return 0, 0
        waiting = self.state["next_dictated"] < self.state["end_dictated"]
        if waiting.any():
            needed = int(self.state["next_dictated"][waiting].min())
            kept, first = kept[needed - first :], needed
        else:
            kept, first = kept[:0], 0
        self._dictated = _dictated(np.concatenate([kept, rows]), first)
        end = first + len(kept)
        return (end, end + len(rows)) if len(rows) else (0, 0)

    def _illegal(self, table: int, action: int) -> IllegalActionError:
        seat = int(self.current_player[table])
        if seat < 0:
            return IllegalActionError(
                f"table {table}: the game is over; reset it before stepping it", table, seat, action
            )
        name = self.action_names[action] if 0 <= action < self.num_actions else "no such action"
        legal = ", ".join(f"{a} {self.action_names[a]}" for a in np.flatnonzero(self.legal_action_mask[table])[:20])
        return IllegalActionError(
            f"table {table}, player_{seat}: action {action} ({name}) is not legal now; legal: {legal}",
            table,
            seat,
            action,
        )


@functools.cache
def single_actions(num_actions: int) -> tuple[np.ndarray, ...]:
    """Each action as the batch of one table, int64 `[1]`, not to be written to: looked up, not made, at each step."""
    return tuple(np.arange(num_actions).reshape(-1, 1))


def find_game(game: str | Game) -> Game:
    """The game of that name. Raises ParameterError for a name there is none of."""
    if isinstance(game, Game):
        return game
    if not isinstance(game, str) or game not in GAMES:
        raise ParameterError(f"there is no game {game!r}; the games: {', '.join(GAMES)}")
    return GAMES[game]


def as_array(name: str, value: Any) -> np.ndarray:
    """`value` as an array, of whatever type. Raises ParameterError if it has no shape."""
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ParameterError(f"{name} must be an array, or make one; this has no shape: {_brief(value)}") from error


def _brief(value: Any) -> str:
    """The beginning of how `value` is written."""
    text = repr(value)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def winners_of(records: np.ndarray, num_players: int) -> np.ndarray:
    """bool `[N, n]`: who has won at each of `records`."""
    return (records["winners"][:, None] >> np.arange(num_players, dtype=np.uint8) & 1).astype(bool)


def sample_legal(mask: np.ndarray, rng: np.random.Generator) -> Any:
    """Actions drawn uniformly from the legal ones of `mask`, `[A]` or `[N, A]`: an int, or int64 `[N]`.

    A row of a batch without a legal action (a table that is over) gives −1; a single such mask raises ValueError.
    """
    mask = np.asarray(mask, np.bool_)
    if mask.ndim not in (1, 2):
        raise ValueError(f"mask must have the shape [A] or [N, A], not {mask.shape}")
    counts = mask.sum(axis=-1)
    if mask.ndim == 1:
        if not counts:
            raise ValueError("no action is legal: the game is over, or the mask is of a seat that is not to act")
        return int(np.flatnonzero(mask)[rng.integers(counts)])
    ranks = rng.integers(np.maximum(counts, 1))
    actions = (mask.cumsum(axis=-1) > ranks[:, None]).argmax(axis=-1)
    return np.where(counts > 0, actions, -1)


def _round_up(number: int, step: int) -> int:
    """The least multiple of `step` that isn't below `number`."""
    return -(-number // step) * step


def _dictated(rows: np.ndarray, first: int) -> Dictated:
    rows = np.ascontiguousarray(rows)
    rows.flags.writeable = False
    return Dictated(rows, first)


def _digest(arrays: Mapping[str, np.ndarray]) -> str:
    """A fingerprint of the arrays' names and contents."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(name.encode() + array.tobytes())
    return digest.hexdigest()
