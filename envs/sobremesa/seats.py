"""One seat of each table is the learner's; the decisions of the other seats are played in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from .game import ParameterError, read_integer
from .loops import count_rewards, draw_seats
from .tables import Tables, as_array

Opponent = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
MAX_DEALS = 1000  # in a row that are over before the learner has decided anything


class Seats:
    """The view of `tables` (N, not dealt anew by themselves) that single-seat environments have.

    seat: the learner's, or None: drawn at each reset from the table's `choice`.
    opponent: who plays the other seats, "random" (drawn from `choice`) or a callable that takes the observations
        `[K, O]`, masks bool `[K, A]` and seats `[K]` of the K tables that wait for it and returns their actions `[K]`.
    illegal_action: "forfeit" ends the game with −1 for the learner, "raise" raises IllegalActionError.

    After `reset` and `step`: `seats` int64 `[N]`; `rewards` float64 `[N]` of the learner since its last decision;
    `returns` float64 `[N, n]` of every seat since the game began; and of the tables what they report themselves.
    A deal that is over before the learner has anything to decide is dealt anew.
    A table at which a call was cut short, by an opponent that failed or by an interrupt, wants a reset before a step.
    """

    def __init__(
        self,
        tables: Tables,
        seat: int | None = None,
        opponent: str | Opponent = "random",
        illegal_action: str = "forfeit",
    ):
        if tables.autoreset:
            raise ParameterError("a learner's seats need tables with autoreset=False")
        if opponent != "random" and not callable(opponent):
            raise ParameterError(f'opponent must be "random" or callable, not {opponent!r}')
        if illegal_action not in ("forfeit", "raise"):
            raise ParameterError(f'illegal_action must be "forfeit" or "raise", not {illegal_action!r}')
        self.tables = tables
        self.seat = None if seat is None else read_integer("seat", seat, 0, tables.num_players - 1)
        self.opponent = opponent
        self.illegal_action = illegal_action
        self.seats = np.zeros(tables.num_tables, np.int64)
        self._is_whole = np.zeros(tables.num_tables, bool)  # has begun, and no call was cut short there
        self.rewards = np.zeros(tables.num_tables)
        self._unpaid = np.zeros(tables.num_tables)  # of the learner, since its last decision
        self.returns = np.zeros((tables.num_tables, tables.num_players))

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Of a pickle, whose arrays may be read-only."""
        for name, value in kept.items():
            setattr(self, name, value.copy() if isinstance(value, np.ndarray) else value)

    @property
    def is_over(self) -> np.ndarray:
        """bool `[N]`: the tables whose game is over."""
        return self.tables.current_player < 0

    def reset(
        self, seed: Any = None, options: Mapping[str, Any] | None = None, where: np.ndarray | None = None
    ) -> None:
        """A new game at each table in `where`, up to the learner's first decision."""
        waiting = np.ones(self.tables.num_tables, bool) if where is None else where.copy()
        for _ in range(MAX_DEALS):
            with self._changing(waiting):
                self.tables.reset(seed, options, waiting)
            self.draw(waiting)
            self._unpaid[waiting] = 0
            self.rewards[waiting] = 0
            self.returns[waiting] = 0
            self._play_opponents(waiting)
            self._is_whole[waiting] = True
            waiting &= self.is_over
            if not waiting.any():
                return
            seed = options = None
        raise RuntimeError(f"{MAX_DEALS} games in a row were over before the learner had anything to decide")

    def step(self, actions: Any, where: np.ndarray | None = None) -> None:
        """The learner's decision at each table in `where`, and all that follows up to its next one or the end."""
        tables = self.tables
        where = np.ones(tables.num_tables, bool) if where is None else where
        chosen = tables.read_actions(actions)
        self._check_turns(where)
        is_given_up = self.illegal_action == "forfeit"
        forfeits = self._find_forfeits(chosen, where, actions) if is_given_up else np.zeros_like(where)
        with self._changing(where):
            tables.step(actions, where & ~forfeits)
        if forfeits.any():
            tables.forfeit(forfeits)
        self._count(tables.rewards, where)
        self._play_opponents(where)
        self.rewards[where] = self._unpaid[where]
        self._unpaid[where] = 0
        self._is_whole[where] = True

    def observe(self) -> np.ndarray:
        """What the learners see, a new array `[N, O]`.

        Where a game goes on it is the learner's turn, so the tables have its observation ready.
        """
        seen, is_over = np.array(self.tables.observation, copy=not self.tables.scaled), self.is_over
        if is_over.any():
            seen[is_over] = self.tables.observe(self.seats)[is_over]
        return seen

    def draw(self, where: np.ndarray) -> None:
        """Who sits where in the new games at `where`; for subclasses that draw the opponents too."""
        if self.seat is None:
            draw_seats(self.tables.state, where, self.tables.num_players, self.seats)
        else:
            self.seats[where] = self.seat

    def choose(self, tables: np.ndarray) -> np.ndarray:
        """The actions of the opponents to act at `tables`, indices `[K]`; for subclasses with players of their own."""
        source = self.tables
        return self.opponent(  # type: ignore[operator]  # "random" never gets here
            source.observation[tables], source.legal_action_mask[tables], source.current_player[tables].astype(np.int64)
        )

    @contextmanager
    def _changing(self, where: np.ndarray) -> Iterator[None]:
        """The tables in `where` aren't whole from here on, unless the call within refuses what it was given."""
        before = self._is_whole[where]
        self._is_whole[where] = False
        try:
            yield
        except (TypeError, ValueError):
            self._is_whole[where] = before
            raise

    def _check_turns(self, where: np.ndarray) -> None:
        """Raises ValueError where the learner has no turn: before the first reset, or where a call was cut short."""
        others = where & ~self.is_over & ~(self._is_whole & (self.tables.current_player == self.seats))
        if others.any():
            raise ValueError(f"it is not the learner's turn at table {int(others.argmax())}: reset first")

    def _find_forfeits(self, chosen: np.ndarray, where: np.ndarray, given: Any) -> np.ndarray:
        """The tables with an illegal action of the space. Raises ValueError for an action that isn't of the space."""
        tables, going = self.tables, where & ~self.is_over
        outside = going & ((chosen < 0) | (chosen >= tables.num_actions))
        if outside.any():
            table = int(outside.argmax())
            action = np.asarray(given)[table]  # as given: chosen has wrapped around
            raise ValueError(f"actions must be from 0 to {tables.num_actions - 1}, not {action} (table {table})")
        return going & ~tables.legal_action_mask[np.arange(tables.num_tables), np.where(going, chosen, 0)]

    def _play_opponents(self, where: np.ndarray) -> None:
        tables = self.tables
        if self.opponent == "random":
            self._count(tables.play_random_until(self.seats, where), where)
            return
        while True:
            waiting = where & (tables.current_player >= 0) & (tables.current_player != self.seats)
            if not waiting.any():
                return
            indices = np.flatnonzero(waiting)
            actions = np.zeros(tables.num_tables, np.int64)
            actions[indices] = _read_answer(self.choose(indices), len(indices))
            tables.step(actions, waiting)
            self._count(tables.rewards, waiting)

    def _count(self, rewards: np.ndarray, where: np.ndarray) -> None:
        count_rewards(rewards, where, self.seats, self.returns, self._unpaid)


def _read_answer(answer: Any, num_tables: int) -> np.ndarray:
    """An opponent's actions. Raises ValueError unless they are `num_tables` integers."""
    actions = as_array("the opponent's answer", answer)
    if actions.dtype.kind not in "iu" or actions.shape != (num_tables,):
        raise ValueError(f"the opponent must return {num_tables} integers, one for each table, not {answer!r}")
    return actions
