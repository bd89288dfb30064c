"""Stable-Baselines3: one seat at each of many tables as a VecEnv over the batched core."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from sobremesa import Tables
from sobremesa.aec import box_of
from sobremesa.game import ParameterError, read_integer
from sobremesa.seats import Opponent, Seats
from sobremesa.tables import MAX_SEED
from stable_baselines3.common.vec_env import VecEnv


class SeatVecEnv(VecEnv):
    """One seat at each of `num_envs` tables (N), for MaskablePPO and the like.

    A finished game is followed by the next in the same step; its last observation is in the info's
    `terminal_observation`, and `episode` (return `r`, length `l` in the learner's decisions, time `t`) is what SB3's
    Monitor would say. `env_method("action_masks")` gives the legal actions, bool `[N, A]`.

    The arguments are those of the Gymnasium environments; scaled (float32 in [0, 1]) is what a network wants. seed: the
    first `reset` seeds environment i with seed + i. learner: a `Seats` of one's own, over tables with autoreset=False,
    instead of the other arguments.
    """

    render_mode = None

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        seat: int | None = None,
        opponent: str | Opponent = "random",
        illegal_action: str = "forfeit",
        seed: int | None = None,
        scaled: bool = True,
        num_threads: int = 1,
        learner: Seats | None = None,
        **parameters: Any,
    ):
        if learner is None:
            tables = Tables(game, num_envs, seed, num_threads, autoreset=False, scaled=scaled, **parameters)
            learner = Seats(tables, seat, opponent, illegal_action)
        self.learner, self.tables = learner, learner.tables
        self.observation_fields = self.tables.observation_fields
        num_envs = self.tables.num_tables
        super().__init__(num_envs, box_of(self.tables), spaces.Discrete(self.tables.num_actions))
        if seed is not None:
            self.seed(seed)
        self._actions = np.zeros(num_envs, np.int64)
        self._lengths = np.zeros(num_envs, np.int64)
        self._returns = np.zeros(num_envs)
        self._began = time.time()

    def reset(self) -> np.ndarray:
        kinds = np.array([id(options) if options else 0 for options in self._options])
        for kind in np.unique(kinds):
            where = kinds == kind
            self.learner.reset(self._seeds, self._options[int(where.argmax())], where)
        self._reset_seeds()
        self._reset_options()
        self._lengths[:] = 0
        self._returns[:] = 0
        return self.learner.observe()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds environment i with seed + i at the next reset. ParameterError names a seed that can't be."""
        return super().seed(None if seed is None else read_integer("seed", seed, 0, MAX_SEED - self.num_envs + 1))

    def set_options(self, options: list[dict] | dict | None = None) -> None:
        """What the next reset dictates: of all environments, or of each. ParameterError names what can't be dealt."""
        if isinstance(options, list) and len(options) != self.num_envs:
            raise ParameterError(f"options must be a mapping, or {self.num_envs} of them, not {len(options)}")
        for one in options if isinstance(options, list) else [options]:
            self.tables.game.dictate(one, self.tables.parameters)
        super().set_options(options)

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = copy.copy(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict]]:
        learner = self.learner
        learner.step(self._actions)
        rewards, dones = learner.rewards.astype(np.float32), learner.is_over
        self._returns += learner.rewards
        self._lengths += 1
        infos: list[dict] = [{} for _ in range(self.num_envs)]
        if dones.any():
            self._tell_ends(np.flatnonzero(dones), infos)
            learner.reset(where=dones)
        return self.learner.observe(), rewards, dones, infos

    def _tell_ends(self, ends: np.ndarray, infos: list[dict]) -> None:
        observations, winners, elapsed = self.learner.observe(), self.tables.winners, time.time() - self._began
        for i in ends:
            infos[i] = {
                "terminal_observation": observations[i].copy(),
                "TimeLimit.truncated": bool(self.tables.truncated[i]),
                "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": round(elapsed, 6)},
                "is_success": bool(winners[i, self.learner.seats[i]]),
            }
        self._returns[ends] = 0
        self._lengths[ends] = 0

    def action_masks(self) -> np.ndarray:
        """The legal actions, bool `[N, A]`, a new array."""
        return self.tables.legal_action_mask.copy()

    # What every VecEnv must answer; all environments are alike

    def close(self) -> None:
        """There is nothing to release."""

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """For "action_masks" the whole array `[N, A]` (of `indices`, if given); others are called once for all."""
        result = getattr(self, method_name)(*args, **kwargs)
        chosen = list(self._get_indices(indices))
        return result[chosen] if method_name == "action_masks" else [result] * len(chosen)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError("the environments share their attributes: they can't be set for some of them only")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[np.ndarray | None]:
        return [None] * self.num_envs
