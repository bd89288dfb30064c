"""Game records: a game, played through any surface, as a line of JSON that can be replayed and verified.

    with replay.Recorder(env) as recorder:  # Tables, or any environment of this package, wrapped or not
        ...  # play
    replay.write("games.jsonl", recorder.records)
    for record in replay.read("games.jsonl"):
        record.verify()

A record is whole in itself. A line is one JSON object, in ASCII, without spaces, its keys in this order:

| key | content |
| --- | --- |
| `format` | 1: the number of this format |
| `sobremesa` | the version of the package that wrote it, for information |
| `game`, `version` | the game's name and the version of its environment, such as "freep" and 0 |
| `parameters` | every parameter of the game |
| `seed`, `options` | what to reset a table with: `reset(seed, options)` of any surface deals this game |
| `actions` | the action ids of every decision, of all seats in turn |
| `result` | how it ended, as below |
| `checksum` | CRC-32 of the line's content without it, in hexadecimal |

| key of `result` | content |
| --- | --- |
| `ended` | "terminated", "truncated", or "forfeited": by an illegal action, which is not among the actions |
| `decisions` | their number, that of an illegal action included |
| `returns` | for each seat the sum of its rewards |
| `winners` | the seats that have won |
| `digest` | CRC-32, in hexadecimal, of all that was shown |

Shown are at each decision the seat to act, the legal actions, its observation and the rewards, and at the end what
every seat sees; to that comes the state that the random numbers are left in.

A game that begins where another has ended, without a seed of its own, has one nevertheless: each state of the random
numbers is that of exactly one seed. Random play and random opponents draw from another state; here their decisions are
actions like any others.
"""

from __future__ import annotations

import json
import operator
import os
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import __version__, loops
from .chance import seeds_from_states
from .game import ParameterError, is_sequence, read_integer
from .tables import MAX_SEED, Tables, find_game, winners_of

FORMAT = 1
KEYS = ("format", "sobremesa", "game", "version", "parameters", "seed", "options", "actions", "result", "checksum")
ENDS = ("terminated", "truncated", "forfeited")


class RecordError(ValueError):
    """A record that can't be read, or doesn't replay as recorded. Attributes: reason, and line (None: of no file)."""

    def __init__(self, reason: str, line: int | None = None):
        super().__init__(reason if line is None else f"line {line}: {reason}")
        self.reason, self.line = reason, line

    def __reduce__(self):
        return type(self), (self.reason, self.line)


@dataclass(frozen=True)
class Result:
    """How a game ended; the fields are those of the format."""

    ended: str
    decisions: int
    returns: tuple[float, ...]
    winners: tuple[int, ...]
    digest: str


@dataclass(frozen=True)
class Step:
    """A decision of a replay, just before it is carried out.

    number: of the decision, from 0. observation: what `seat` sees, uint8 `[O]`. text: that of `action`.
    tables: the one table, which the replay goes on with: to be looked at; copy it to play on from here.
    """

    number: int
    seat: int
    observation: np.ndarray
    action: int
    text: str
    tables: Tables


@dataclass(frozen=True)
class Record:
    """A game from its deal to its end; the fields are those of the format. line: its place in a file."""

    sobremesa: str
    game: str
    version: int
    parameters: Mapping[str, Any]
    seed: int
    options: Mapping[str, Any]
    actions: tuple[int, ...]
    result: Result
    line: int | None = field(default=None, compare=False, repr=False)

    def to_line(self) -> str:
        """The record as a line, without its end."""
        content = {"format": FORMAT, **vars(self), "result": vars(self.result)}
        del content["line"]
        text = json.dumps(content, separators=(",", ":"))
        return f'{text[:-1]},"checksum":"{zlib.crc32(text.encode()):08x}"}}'

    @classmethod
    def from_line(cls, text: str | bytes, line: int | None = None) -> Record:
        """The record that `to_line` wrote. Raises RecordError, naming `line` and the reason, for anything else."""
        try:
            text = (text.decode("ascii") if isinstance(text, bytes) else text).rstrip("\r\n")
            content = _read_json(text)
            record = cls(**_read_fields(content), line=line)
            if record.to_line() != text:
                raise ValueError(_tell_change(record, content["checksum"]))
        except ValueError as error:
            raise RecordError(str(error), line) from error
        return record

    def steps(self) -> Iterator[Step]:
        """Replays the game, decision by decision; after the last one the steps' `tables` show the end.

        Raises RecordError where the rules don't allow an action, or the game is over sooner or later than recorded.
        """
        yield from self._play(self._tables())

    def verify(self) -> None:
        """Replays the game. Raises RecordError where that isn't possible, or a field of the result differs."""
        tables = self._tables()
        with Recorder(tables) as recorder:
            for _ in self._play(tables):
                pass
        (replayed,) = recorder.records
        for name, recorded in vars(self.result).items():
            found = getattr(replayed.result, name)
            if found != recorded:
                raise RecordError(f"{name} differs: recorded {recorded!r}, replayed {found!r}", self.line)

    def _tables(self) -> Tables:
        return Tables(self.game, seed=self.seed, autoreset=False, **self.parameters)

    def _play(self, tables: Tables) -> Iterator[Step]:
        """The decisions at the table, which is reset; each is carried out after it has been yielded."""
        tables.reset(self.seed, self.options)
        for number, action in enumerate(self.actions):
            seat, text = int(tables.current_player[0]), tables.action_to_string(action)
            if seat < 0:
                raise self._error(f"the game is over after {number} decisions, but {len(self.actions)} are recorded")
            if not tables.legal_action_mask[0, action]:
                raise self._error(f"decision {number}: player_{seat} can't take action {action} ({text}) now")
            yield Step(number, seat, tables.observation[0].copy(), action, text, tables)
            tables.step([action])
        self._end(tables)

    def _end(self, tables: Tables) -> None:
        is_over = bool(tables.current_player[0] < 0)
        if is_over and self.result.ended == "forfeited":
            raise self._error("nobody can have forfeited the game: it is over by the actions")
        if self.result.ended == "forfeited":
            tables.forfeit(np.ones(1, bool))
        elif not is_over:
            raise self._error(
                f"the actions end after {len(self.actions)} decisions, "
                f"but the game goes on: player_{tables.current_player[0]} is to act"
            )

    def _error(self, reason: str) -> RecordError:
        return RecordError(reason, self.line)


def write(path: str | os.PathLike, records: Iterable[Record]) -> None:
    """Writes the records to `path`, a line for each, in place of what was there."""
    text = "".join(f"{record.to_line()}\n" for record in records)
    with open(path, "w", encoding="ascii", newline="\n") as file:
        file.write(text)


def read(path: str | os.PathLike) -> Iterator[Record]:
    """The records at `path`, one after the other. Raises RecordError at the first line that isn't one."""
    for number, line in _lines(path):
        yield Record.from_line(line, number)


def _lines(path: str | os.PathLike) -> Iterator[tuple[int, bytes]]:
    with open(path, "rb") as file:
        yield from enumerate(file, start=1)


# Recording


@dataclass
class _Game:
    """A game that is going on. digest: CRC-32 of all that was shown so far."""

    seed: int
    options: Mapping[str, Any]
    returns: np.ndarray
    actions: list[int]
    digest: int = 0

    def see(self, *shown: Any) -> None:
        for each in shown:
            self.digest = zlib.crc32(each, self.digest)


class Recorder:
    """Records the games of a surface from now on, until `stop` or the end of a `with` block.

    surface: `Tables`, or whatever stands on them: PettingZoo's, Gymnasium's and Stable-Baselines3's environments, in
        their wrappers or not. Raises ParameterError for something else, or if its games are being recorded already.
    records: the games that have ended since, in the order in which they ended; the list is yours to empty.

    A game is recorded from its deal to its end. So one that was going on before isn't (`Tables` begin one when they are
    made: reset them), nor one that a reset gives up, or whose table is changed by hand, by `redeal_hidden` or `load`.
    Recording changes nothing about the games. A copy of what is being recorded isn't recorded.
    """

    # It stands in front of those methods of one Tables object that change games: nobody else pays for it.
    # (`step` goes through `_try_step`.)
    METHODS = ("_try_step", "reset", "play_random", "play_random_until", "forfeit", "refresh", "redeal_hidden", "load")

    def __init__(self, surface: Any):
        bare = getattr(surface, "unwrapped", surface)
        tables = getattr(bare, "tables", bare)
        if not isinstance(tables, Tables):
            raise ParameterError(f"there are no tables behind {surface!r}")
        if not vars(tables).keys().isdisjoint(self.METHODS):
            raise ParameterError("these tables are being recorded already")
        self.tables: Tables = tables
        self.records: list[Record] = []
        self._own = type(tables)
        self._games: list[_Game | None] = [None] * tables.num_tables
        for name in self.METHODS:
            setattr(tables, name, getattr(self, f"_{name.lstrip('_')}"))

    def stop(self) -> None:
        """Records nothing more."""
        for name in self.METHODS:
            vars(self.tables).pop(name, None)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    # The methods in front of those of the tables, with their arguments

    def _try_step(self, chosen: np.ndarray, where: np.ndarray) -> int:
        wrong = self._own._try_step(self.tables, chosen, where)
        if wrong < 0:
            for i in np.flatnonzero(where).tolist():
                self._note_step(i, int(chosen[i]))
        return wrong

    def _reset(self, seed: Any = None, options: Mapping[str, Any] | None = None, where: Any = None) -> None:
        tables = self.tables
        where = tables._read_where(where)
        seeds, seeded = tables._read_seeds(seed)
        seeds[~seeded] = seeds_from_states(tables.state["chance"][~seeded])
        self._own.reset(tables, seed, options, where)
        dictated = _as_json(options or {})
        for i in np.flatnonzero(where).tolist():
            self._begin(i, int(seeds[i]), dictated)

    def _play_random(self, num_steps: int) -> tuple[np.ndarray, np.ndarray]:
        tables = self.tables
        returns, num_games = np.zeros(tables.rewards.shape), np.zeros(tables.num_tables, np.int64)
        for _ in range(read_integer("num_steps", num_steps, 0)):
            running = tables.current_player >= 0
            self._try_step(self._draw_actions(running), running)
            returns[running] += tables.rewards[running]
            num_games += running & (tables.terminated | tables.truncated)
        return returns, num_games

    def _play_random_until(self, seats: np.ndarray, where: Any = None) -> np.ndarray:
        tables = self.tables
        where, seats = tables._read_where(where), tables._read_seats(seats)
        returns, autoreset = np.zeros(tables.rewards.shape), tables.autoreset
        tables.autoreset = False  # a table that is over isn't dealt anew here
        try:
            while (waiting := where & (tables.current_player >= 0) & (tables.current_player != seats)).any():
                self._try_step(self._draw_actions(waiting), waiting)
                returns[waiting] += tables.rewards[waiting]
            self._own.play_random_until(tables, seats, where)  # finds nothing to play, and reports as ever
        finally:
            tables.autoreset = autoreset
        return returns

    def _forfeit(self, where: Any) -> None:
        tables = self.tables
        where = tables._read_where(where)
        self._own.forfeit(tables, where)
        for i in np.flatnonzero(where).tolist():
            self._note_rewards(i)
            self._finish(i, tables.state[i], "forfeited")

    def _refresh(self, where: Any = None) -> None:
        where = self.tables._read_where(where)
        self._own.refresh(self.tables, where)
        self._give_up(where)

    def _redeal_hidden(self, seat: Any, seed: Any, where: Any = None) -> None:
        where = self.tables._read_where(where)
        self._own.redeal_hidden(self.tables, seat, seed, where)
        self._give_up(where)

    def _load(self, path: str | os.PathLike) -> None:
        self._own.load(self.tables, path)
        self._give_up(np.ones(self.tables.num_tables, bool))

    def _give_up(self, where: np.ndarray) -> None:
        for i in np.flatnonzero(where).tolist():
            self._games[i] = None

    def _draw_actions(self, where: np.ndarray) -> np.ndarray:
        """What random play takes at the tables in `where`, drawn from their `choice`."""
        tables, actions = self.tables, np.zeros(self.tables.num_tables, np.int64)
        for i in np.flatnonzero(where).tolist():
            actions[i], tables.state["choice"][i] = loops.random_action(tables._mask[i], tables.state["choice"][i])
        return actions

    # One table

    def _begin(self, i: int, seed: int, options: Mapping[str, Any]) -> None:
        self._games[i] = _Game(seed, options, np.zeros(self.tables.num_players), [])
        self._note_turn(i)

    def _note_step(self, i: int, action: int) -> None:
        tables, game = self.tables, self._games[i]
        is_over = tables.terminated[i] or tables.truncated[i]
        ended = tables.ended_state if tables.autoreset else tables.state
        if game:
            game.actions.append(action)
            self._note_rewards(i)
        if is_over:
            self._finish(i, ended[i], "truncated" if tables.truncated[i] else "terminated")
            if tables.autoreset:
                self._begin(i, int(seeds_from_states(ended["chance"][i : i + 1])[0]), {})
        else:
            self._note_turn(i)

    def _note_rewards(self, i: int) -> None:
        if game := self._games[i]:
            game.returns += self.tables.rewards[i]
            game.see(self.tables.rewards[i])

    def _note_turn(self, i: int) -> None:
        tables = self.tables
        if game := self._games[i]:
            game.see(tables.current_player[i : i + 1], tables.legal_action_mask[i], tables._observation[i])

    def _finish(self, i: int, ended: np.void, how: str) -> None:
        tables, game = self.tables, self._games[i]
        self._games[i] = None
        if not game:
            return
        records = np.full(tables.num_players, ended)
        seen = np.zeros((tables.num_players, tables.observation_size), np.uint8)
        loops.observe_tables(records, np.arange(tables.num_players), seen, 0, tables.num_players)
        game.see(seen, ended["chance"].tobytes())
        result = Result(
            ended=how,
            decisions=int(ended["decisions"]),
            returns=tuple(game.returns.tolist()),
            winners=tuple(np.flatnonzero(winners_of(records, tables.num_players)[0]).tolist()),
            digest=f"{game.digest:08x}",
        )
        self.records.append(
            Record(
                sobremesa=__version__,
                game=tables.game.name,
                version=tables.game.version,
                parameters=dict(tables.parameters),
                seed=game.seed,
                options=game.options,
                actions=tuple(game.actions),
                result=result,
            )
        )


def _as_json(options: Any) -> Any:
    """Options that a reset has taken, as JSON has them."""
    if isinstance(options, Mapping):
        return {name: _as_json(value) for name, value in options.items()}
    if is_sequence(options):
        return [_as_json(value) for value in options]
    return options if isinstance(options, str) else operator.index(options)


# Reading: each function raises ValueError with the reason


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"it isn't JSON: {error.msg} (character {error.pos})") from error
    except (ValueError, RecursionError) as error:  # a number too long for Python, or brackets in brackets
        raise ValueError(f"it isn't JSON: {error}") from error


def _read_fields(content: Any) -> dict[str, Any]:
    if isinstance(content, dict) and content.get("format", FORMAT) != FORMAT:
        raise ValueError(f"format is {content['format']!r}; this version of sobremesa reads format {FORMAT}")
    _check_keys("a record", content, KEYS)
    game = find_game(content["game"])
    if content["version"] != game.version:
        raise ValueError(f"{game.name} is of version {content['version']!r}; here it has version {game.version}")
    _check_keys("parameters", content["parameters"], game.parameters)
    parameters = game.read_parameters(content["parameters"])
    _require(isinstance(content["options"], dict), "options", "a JSON object", content["options"])
    game.dictate(content["options"], parameters)
    _require(isinstance(content["sobremesa"], str), "sobremesa", "text", content["sobremesa"])
    return {
        "sobremesa": content["sobremesa"],
        "game": game.name,
        "version": game.version,
        "parameters": parameters,
        "seed": read_integer("seed", content["seed"], 0, MAX_SEED),
        "options": content["options"],
        "actions": _read_integers("actions", content["actions"], len(game.action_names(parameters))),
        "result": _read_result(content["result"], parameters["num_players"]),
    }


def _read_result(content: Any, num_players: int) -> Result:
    _check_keys("result", content, Result.__dataclass_fields__)
    ended, returns, digest = content["ended"], content["returns"], content["digest"]
    _require(ended in ENDS, "ended", f"one of {', '.join(ENDS)}", ended)
    is_right = isinstance(returns, list) and [type(value) for value in returns] == [float] * num_players
    _require(is_right, "returns", f"a list of {num_players} numbers with decimals", returns)
    _require(isinstance(digest, str), "digest", "text", digest)
    return Result(
        ended=ended,
        decisions=read_integer("decisions", content["decisions"], 0),
        returns=tuple(returns),
        winners=_read_integers("winners", content["winners"], num_players),
        digest=digest,
    )


def _check_keys(what: str, content: Any, keys: Collection[str]) -> None:
    if not isinstance(content, dict):
        raise ValueError(f"{what} must be a JSON object, not {type(content).__name__}")
    missing, unknown = [name for name in keys if name not in content], [name for name in content if name not in keys]
    if missing or unknown:
        raise ValueError(f"{what}: missing keys {missing}, unknown keys {unknown}")


def _require(is_right: bool, name: str, wanted: str, value: Any) -> None:
    if not is_right:
        raise ValueError(f"{name} must be {wanted}, not {value!r}")


def _read_integers(name: str, value: Any, bound: int) -> tuple[int, ...]:
    _require(isinstance(value, list), name, "a list", value)
    return tuple(read_integer(f"{name}[{i}]", each, 0, bound - 1) for i, each in enumerate(value))


def _tell_change(record: Record, checksum: Any) -> str:
    """Why a line isn't the one that `record` is written as."""
    right = json.loads(record.to_line())["checksum"]
    if checksum != right:
        return f"the content has the checksum {right}, not {checksum!r}: it was damaged or changed"
    return "it isn't written as this format writes it: the order of the keys, spaces, or the form of a number"


# The command line


@dataclass
class Args:
    show: int | None = None
    """The line whose game is printed move by move."""


def main(path: str, args: Args) -> None:
    """Replays every line of a file and prints what is wrong with which. Raises ValueError if something is."""
    num_lines = num_bad = 0
    for num_lines, line in _lines(path):
        try:
            record = Record.from_line(line, num_lines)
            record.verify()
        except RecordError as error:
            num_bad += 1
            print(error)
        else:
            if num_lines == args.show:
                _show(record)
    if not num_lines:
        raise ValueError(f"{path} holds no game")
    if args.show is not None:
        read_integer("show", args.show, 1, num_lines)
    if num_bad:
        raise ValueError(f"{num_bad} of the {num_lines} games in {path} don't replay as recorded")
    print(f"the {num_lines} games in {path} replay as recorded")


def _show(record: Record) -> None:
    """Each decision, with the table as the seat to act sees it; then the end."""
    print(f"{record.game} v{record.version}, seed {record.seed}, {dict(record.parameters)}")
    tables, result = record._tables(), record.result
    for step in record._play(tables):
        print(f"\n{tables.to_text(0)}\n\ndecision {step.number}, player_{step.seat}: {step.text}")
    returns = ", ".join(f"player_{seat} {value:+.4g}" for seat, value in enumerate(result.returns))
    print(f"\n{tables.to_text(0)}\n\n{result.ended} after {result.decisions} decisions; returns: {returns}\n")
