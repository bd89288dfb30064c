"""What a game is: the facts that every wrapper reads, and what the rooms of the games share.

A game's room (`games/<name>.py`) declares its parameters, its table's record, its kernels, its observation and its
texts, and binds them in one `Game`. Everything else derives from that: spaces, wrappers, benchmarks, tests.

Letters in shapes: N tables, n players, P the most players of a game, A actions, O observation entries, R deals.
"""

from __future__ import annotations

import importlib
import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from .kernel import BITS_OF_BYTE, WORD, kernel, register

MAX_INTEGER = 2**31 - 1  # for integers without a bound of their own
MAX_BYTE = 255  # what an entry of an observation can hold
SEATS = WORD  # entries of what each seat has: they are read as a word
EVERY_SEAT = np.uint64(2**64 - 1)  # all their bits
MOST_TRIES = 100_000  # to deal hidden cards so that they agree with play; in play one try in a hundred does, or more
FREE = 255  # an entry of a record's `dictated` that leaves the choice to the game's own rule
REWARDS = ("outcome", "score")
OUTCOME, SCORE = range(2)  # a record's `reward`: an index into REWARDS


class ParameterError(ValueError, TypeError):
    """A parameter or option that a game doesn't know (elsewhere a TypeError) or can't take (elsewhere a ValueError)."""


def read_integer(name: str, value: Any, low: int, high: int = MAX_INTEGER) -> int:
    """`value` as an int. Raises ParameterError unless it is an integer (not a bool) from `low` to `high`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)) or not low <= number <= high:
        raise ParameterError(f"{name} must be an integer from {low} to {high}, not {value!r}")
    return number


def is_sequence(value: Any) -> bool:
    """Whether `value` is a list, a tuple, an array or the like; text and single numbers are not."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def read_sequence(name: str, value: Any) -> list:
    """`value` as a list. Raises ParameterError unless it is a sequence with at least one entry."""
    if not is_sequence(value):
        raise ParameterError(f"{name} must be a sequence, not {value!r}")
    if len(value) == 0:
        raise ParameterError(f"{name} must have at least one entry")
    return list(value)


# Parameters


class Parameter(Protocol):
    """A parameter of a game: its default, what it may be in words, a note for the page, and how a value is read."""

    @property
    def default(self) -> Any: ...

    @property
    def note(self) -> str: ...

    @property
    def allowed(self) -> str: ...

    def read(self, name: str, value: Any) -> Any: ...


@dataclass(frozen=True)
class Integer:
    """An integer from `low` to `high`; also None where `optional` (the room's `setup` then chooses)."""

    default: int | None
    low: int
    high: int = MAX_INTEGER
    note: str = ""
    optional: bool = False

    @property
    def allowed(self) -> str:
        return f"{self.low}–{self.high}" if self.high < MAX_INTEGER else f"≥ {self.low}"

    def read(self, name: str, value: Any) -> int | None:
        return None if self.optional and value is None else read_integer(name, value, self.low, self.high)


@dataclass(frozen=True)
class Integers:
    """A tuple of integers from `low` to `high`: `length` of them, or any number from one on.

    With a tuple of lengths: a tuple of such tuples, one of each of the lengths.
    """

    default: tuple
    low: int
    high: int = MAX_INTEGER
    length: int | tuple[int, ...] | None = None
    note: str = ""

    @property
    def allowed(self) -> str:
        allowed = f"integers {Integer(None, self.low, self.high).allowed}"
        if isinstance(self.length, tuple):
            return f"tuples of {', '.join(map(str, self.length))} {allowed}"
        return f"{self.length or 'some'} {allowed}"

    def read(self, name: str, value: Any) -> tuple:
        entries = read_sequence(name, value)
        kinds = [replace(self, length=length) for length in self.length] if isinstance(self.length, tuple) else []
        length = len(kinds) or self.length
        if length not in (None, len(entries)):
            raise ParameterError(f"{name} must have {length} entries, not {len(entries)}: {value!r}")
        if kinds:
            return tuple(kind.read(f"{name}[{i}]", entry) for i, (kind, entry) in enumerate(zip(kinds, entries)))
        return tuple(read_integer(f"{name}[{i}]", entry, self.low, self.high) for i, entry in enumerate(entries))


@dataclass(frozen=True)
class Flag:
    """True or False."""

    default: bool
    note: str = ""
    allowed: str = "True, False"

    def read(self, name: str, value: Any) -> bool:
        if not isinstance(value, (bool, np.bool_)):
            raise ParameterError(f"{name} must be True or False, not {value!r}")
        return bool(value)


@dataclass(frozen=True)
class Word:
    """One of a few words."""

    default: str
    words: tuple[str, ...]
    note: str = ""

    @property
    def allowed(self) -> str:
        return ", ".join(f'"{word}"' for word in self.words)

    def read(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in self.words:
            raise ParameterError(f"{name} must be one of {self.allowed}, not {value!r}")
        return str(value)


# Options: what `reset` may dictate


def read_deals(name: str, value: Any, read: Callable[[str, Any], list[int]]) -> list[list[int]]:
    """A dictated deal, or a list with one for each deal in turn, as a list of deals."""
    entries = read_sequence(name, value)
    if entries[0] is not None and not any(map(is_sequence, entries)):
        return [read(name, entries)]
    return [read(f"{name}[{i}]", entry) for i, entry in enumerate(entries)]


def read_permutation(
    components: Mapping[int, int], to_text: Callable[[int], str] = str
) -> Callable[[str, Any], list[int]]:
    """A reader of sequences that hold every code of `components` exactly as often as it says."""

    def read(name: str, value: Any) -> list[int]:
        codes = [
            read_integer(f"{name}[{i}]", code, 0, MAX_INTEGER) for i, code in enumerate(read_sequence(name, value))
        ]
        given, wanted = Counter(codes), Counter(components)
        missing, spare = wanted - given, given - wanted
        if missing or spare:
            told = [
                f"{word}: {_tell(codes, to_text)}"
                for word, codes in (("missing", missing), ("too many", spare))
                if codes
            ]
            raise ParameterError(f"{name} must hold each of the {wanted.total()} components once; " + "; ".join(told))
        return codes

    return read


def _tell(codes: Counter, to_text: Callable[[int], str]) -> str:
    return ", ".join(f"{count} × {to_text(code)}" for code, count in sorted(codes.items()))


def read_starting_players(value: Any, num_players: int, most: int = MAX_INTEGER) -> list[list[int]]:
    """`starting_player`: a seat, or a list of at most `most` seats, one for each deal in turn."""
    if not is_sequence(value):
        return [[read_integer("starting_player", value, 0, num_players - 1)]]
    seats = read_sequence("starting_player", value)
    if len(seats) > most:
        raise ParameterError(f"starting_player takes at most {most}, not {len(seats)}: {value!r}")
    return [[read_integer(f"starting_player[{i}]", seat, 0, num_players - 1)] for i, seat in enumerate(seats)]


# Observations


class Feature(NamedTuple):
    """One field of an observation, as a room declares it."""

    name: str
    shape: tuple[int, ...]
    maximum: int = 1  # an upper bound that follows from components and parameters; 1 for flags and one-hots
    recall: bool = False  # only there with recall=True
    note: str = ""  # what it holds, for the page


class Field(NamedTuple):
    """One field of an observation, as it is published: where it lies, its shape, and an upper bound of its entries."""

    slice: slice
    shape: tuple[int, ...]
    maximum: int


# The record of a table


def table_dtype(max_players: int, num_dictated: int, *fields: tuple) -> np.dtype:
    """The dtype of a game's tables: what every table has and the room's own `fields`; packed, widest entries first.

    Among those of one width the order given stays, so a long record gives first what every decision reads.
    max_players: P. num_dictated: how many bytes a dictated deal takes.
    """
    common = [
        ("chance", np.uint64),  # the state behind the rules' own randomness: shuffles, draws, who begins
        ("choice", np.uint64),  # the state behind random play, random opponents, a learner's drawn seat
        ("decisions", np.int32),  # of all seats, since the reset
        ("max_decisions", np.int32),
        ("next_dictated", np.int64),  # number of the batch's dictated deal that comes after `dictated`, and
        ("end_dictated", np.int64),  # the number after this table's last one
        ("rewards", np.float32, (max_players,)),  # of the step just made
        ("num_players", np.int8),
        ("current_player", np.int8),  # seat to act, -1 when the game is over
        ("terminated", np.uint8),
        ("truncated", np.uint8),
        ("winners", np.uint8),  # bit s: seat s has won
        ("reward", np.uint8),  # OUTCOME or SCORE
        ("recall", np.uint8),
        ("dictated_used", np.uint8),  # that deal has been dealt: the loop loads the next one
    ]
    dictated = ("dictated", np.uint8, (num_dictated,))  # what `reset` dictates of the next deal; FREE where it doesn't
    widest_first = sorted([*common, *fields, dictated], key=lambda entry: -np.dtype(entry[1]).itemsize)
    return np.dtype(widest_first, align=False)


@kernel
def finish(table, winners):
    """Ends the game on `table`, in place: the bit set `winners` has won. Pays the outcome if that is the reward.

    With k winners among n players a winner gets (n - k) / (k (n - 1)) and a loser -1 / (n - 1); all get 0 if k = n.
    """
    table["winners"] = winners
    table["terminated"] = 1
    table["current_player"] = -1
    if table["reward"] != OUTCOME:
        return
    num_players, num_winners = int(table["num_players"]), 0
    for seat in range(num_players):
        num_winners += winners >> seat & 1
    if num_winners == num_players:
        return
    for seat in range(num_players):
        if winners >> seat & 1:
            table["rewards"][seat] = (num_players - num_winners) / (num_winners * (num_players - 1))
        else:
            table["rewards"][seat] = -1.0 / (num_players - 1)


@kernel
def pay_score(table, seat, amount):
    """Adds `amount` to the reward of `seat` if the score is the reward, in place."""
    if table["reward"] == SCORE:
        table["rewards"][seat] += amount


# Seats go round clockwise, to the left


@kernel
def seat_at(table, seat, distance):
    """The seat `distance` places, at most n, to the left of `seat`."""
    other, num_players = seat + distance, int(table["num_players"])
    return other if other < num_players else other - num_players


@kernel
def distance_to(table, seat, other):
    """How far `other` sits to the left of `seat`, from 0 to n - 1."""
    distance = other - seat
    return distance if distance >= 0 else distance + int(table["num_players"])


@kernel
def from_seat(entries, seat, num_players):
    """The word of the seats' `entries`, uint8 `[SEATS]`: that of `seat` lowest, then those to its left, then zeros.

    A word is turned without a branch on which seat it is.
    """
    present = EVERY_SEAT >> (BITS_OF_BYTE * np.uint64(SEATS - num_players))
    word = entries.view(np.uint64)[0] & present
    before = (word << BITS_OF_BYTE) << (BITS_OF_BYTE * np.uint64(num_players - seat - 1))
    return (word >> (BITS_OF_BYTE * np.uint64(seat)) | before) & present


# A game


@dataclass(frozen=True, eq=False)
class Game:
    """The facts of a game. Built once, at the end of its room.

    name: the game's id, such as "friegas_tu". title: its name in print.
    players: the least, the most and the default number of players.
    own_parameters: the room's parameters, without those that every game has.
    features(parameters): the fields of an observation in order, the `recall` ones included.
    action_names(parameters): the text of each action id.
    setup(parameters): the record's fields that follow from the parameters and aren't just parameters of the same name;
        raises ParameterError where parameters contradict each other.
    dictated: the layout of a dictated deal, name to slice. options: the keys `reset` takes.
    read_options(options, parameters): for names in `dictated`, a list with one list of codes (or None) for each deal.
    to_text(seen, seat): a table as `seat` sees it, from its observation decoded by name.
    page: the documentation.
    cold: entries of the record's fields that few decisions read, if any: they aren't asked for in advance.
    A field of the record that has the name of an observation's field, and as many entries, holds what that shows: of
    all seats, or of the observer. The public checks rely on it.
    A room binds its game to the name GAME, by which a pickle finds it again.
    """

    name: str
    title: str
    version: int
    players: tuple[int, int, int]
    max_decisions: int
    own_parameters: Mapping[str, Parameter]
    table: np.dtype
    kernels: Mapping[str, Callable]
    features: Callable[[Mapping[str, Any]], Sequence[Feature]]
    action_names: Callable[[Mapping[str, Any]], Sequence[str]]
    setup: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    dictated: Mapping[str, slice]
    options: tuple[str, ...]
    read_options: Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Sequence[Sequence[int] | None]]]
    to_text: Callable[[Mapping[str, np.ndarray], int], str]
    page: str
    cold: Mapping[str, slice] = field(default_factory=dict)

    def __post_init__(self):
        register(self.table, {"dictated": slice(None), **self.cold}, **self.kernels)

    def __reduce__(self):
        return _import_game, (self.kernels["apply"].__module__,)

    @property
    def env_id(self) -> str:
        """The id in Gymnasium's and PettingZoo's registries, such as "sobremesa/FriegasTu-v0"."""
        return f"sobremesa/{''.join(word.capitalize() for word in self.name.split('_'))}-v{self.version}"

    @property
    def state_fields(self) -> tuple[str, ...]:
        """The fields of a record that tell how the game stands: no random states, nothing dictated of later deals."""
        other = {"chance", "choice", "rewards", "next_dictated", "end_dictated", "dictated", "dictated_used"}
        return tuple(name for name in self.table.names or () if name not in other)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Every parameter by name, in the order of the page."""
        low, high, default = self.players
        return {
            "num_players": Integer(default, low, high),
            **self.own_parameters,
            "max_decisions": Integer(self.max_decisions, 1, note="of all seats; the game is truncated after that many"),
            "reward": Word("outcome", REWARDS),
            "recall": Flag(True, note="observations hold what perfect memory would know"),
        }

    def read_parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters, defaults for those not `given`. Raises ParameterError, naming the value and the range."""
        known = self.parameters
        for name in given:
            if name not in known:
                raise ParameterError(f"{self.name} has no parameter {name!r}; its parameters: {', '.join(known)}")
        read = {name: kind.read(name, given.get(name, kind.default)) for name, kind in known.items()}
        self.setup(read)
        for feature in self.features(read):
            if feature.maximum > MAX_BYTE:
                raise ParameterError(
                    f"with these parameters {feature.name!r} could reach {feature.maximum}; "
                    f"an observation holds at most {MAX_BYTE}"
                )
        return read

    def observation_fields(self, parameters: Mapping[str, Any]) -> dict[str, Field]:
        """Name to `Field` of every field of an observation, in order."""
        fields, start = {}, 0
        for feature in self.features(parameters):
            if feature.recall and not parameters["recall"]:
                continue
            end = start + math.prod(feature.shape)
            fields[feature.name] = Field(slice(start, end), feature.shape, feature.maximum)
            start = end
        return fields

    def facts(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a record that follow from the parameters and never change, with their values."""
        facts = {**parameters, "reward": REWARDS.index(parameters["reward"]), **self.setup(parameters)}
        return {name: facts[name] for name in self.table.names or () if name in facts}

    def new_tables(self, num_tables: int, parameters: Mapping[str, Any]) -> np.ndarray:
        """Records `[N]` that know their parameters and nothing else."""
        table = np.zeros((), self.table)
        for name, value in self.facts(parameters).items():
            table[name] = value
        table["dictated"] = FREE
        return np.full(num_tables, table)

    def dictate(self, options: Mapping[str, Any] | None, parameters: Mapping[str, Any]) -> np.ndarray:
        """What `options` dictate, uint8 `[R, bytes]`, a row for each deal. ParameterError names what can't be dealt."""
        options = {} if options is None else options
        if not isinstance(options, Mapping):
            raise ParameterError(f"options must be a mapping, not {options!r}")
        for name in options:
            if name not in self.options:
                raise ParameterError(f"{self.name} has no option {name!r}; its options: {', '.join(self.options)}")
        columns = self.read_options(options, parameters)
        rows = np.full((max(map(len, columns.values()), default=0), self.table["dictated"].shape[0]), FREE, np.uint8)
        for name, deals in columns.items():
            for row, deal in zip(rows, deals):
                if deal is not None:
                    where = self.dictated[name]
                    row[where.start : where.start + len(deal)] = deal
        return rows

    def decode(self, observation: np.ndarray, parameters: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """An observation, `[..., O]`, by field: views of the shapes `[..., *shape]`."""
        fields = self.observation_fields(parameters)
        return {
            name: observation[..., f.slice].reshape(*observation.shape[:-1], *f.shape) for name, f in fields.items()
        }


def _import_game(room: str) -> Game:
    return importlib.import_module(room).GAME
