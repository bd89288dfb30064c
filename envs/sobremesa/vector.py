"""Gymnasium: one seat at each of many tables as a VectorEnv, stepped by the batched core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .aec import box_of, check_render_mode, new_tables
from .game import Game, ParameterError, read_integer
from .seats import Opponent, Seats
from .single import SeatEnv


class SeatVectorEnv(VectorEnv):
    """One seat at each of `num_envs` tables (N), as if N single environments were stepped one by one.

    The arguments, the infos and the rewards are those of the single environment; an integer seed s seeds environment i
    with s + i. autoreset_mode: "NextStep", "SameStep" (with `final_obs` and `final_info`) or "Disabled" (reset by
    `reset(options={"reset_mask": …})`). num_threads: for large batches. All arrays returned are the caller's own.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        seat: int | None = None,
        opponent: str | Opponent = "random",
        illegal_action: str = "forfeit",
        render_mode: str | None = None,
        scaled: bool = False,
        num_threads: int = 1,
        **parameters: Any,
    ):
        self.num_envs = read_integer("num_envs", num_envs, 1)
        self.tables = new_tables(game, self.num_envs, scaled, parameters, num_threads)
        self.learner = Seats(self.tables, seat, opponent, illegal_action)
        self.autoreset_mode = _read_mode(autoreset_mode)
        self.metadata = {**SeatEnv.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = check_render_mode(render_mode, self.metadata)
        self.observation_fields = self.tables.observation_fields
        self.single_observation_space = box_of(self.tables)
        self.single_action_space = spaces.Discrete(self.tables.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everywhere = np.ones(num_envs, bool)

    def reset(self, *, seed: Any = None, options: Mapping[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """New games; where `options["reset_mask"]` is given, bool `[N]`, only there."""
        where = self._everywhere
        if isinstance(options, Mapping) and "reset_mask" in options:
            where = self._read_reset_mask(options["reset_mask"])
            options = {name: value for name, value in options.items() if name != "reset_mask"}
        self.learner.reset(seed, options, where)
        super().reset(seed=seed if isinstance(seed, int) else None)
        return self._observe(), self._infos(where)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        learner, was_over = self.learner, self.learner.is_over
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and was_over.any():
            return self._step_and_reset(actions, was_over)
        learner.step(actions)
        ends = learner.is_over
        rewards, terminated, truncated = self._outcome()
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ends.any():
            final = {"final_obs": self._final_observations(ends), "_final_obs": ends.copy(),
                     "final_info": self._infos(ends), "_final_info": ends.copy()}  # fmt: skip
            learner.reset(where=ends)
            return self._observe(), rewards, terminated, truncated, {**final, **self._infos(self._everywhere)}
        return self._observe(), rewards, terminated, truncated, self._infos(self._everywhere)

    def _step_and_reset(self, actions: Any, resets: np.ndarray):
        """NextStep: where the last step ended a game this one begins the next, whatever the action."""
        self.learner.step(actions, ~resets)
        self.learner.reset(where=resets)
        return self._observe(), *self._outcome(), self._infos(self._everywhere)

    def action_masks(self) -> np.ndarray:
        """The legal actions, bool `[N, A]`, a new array."""
        return self.tables.legal_action_mask.copy()

    def render(self) -> tuple[str, ...] | None:
        if self.render_mode is None:
            return None
        texts = tuple(self.tables.to_text(i, int(seat)) for i, seat in enumerate(self.learner.seats))
        if self.render_mode == "ansi":
            return texts
        print("\n\n".join(texts))
        return None

    def _outcome(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.learner.rewards.copy(), self.tables.terminated.copy(), self.tables.truncated.copy()

    def _observe(self) -> np.ndarray:
        return self.learner.observe()

    def _final_observations(self, ends: np.ndarray) -> np.ndarray:
        final, observation = np.full(self.num_envs, None, object), self._observe()
        for i in np.flatnonzero(ends):
            final[i] = observation[i].copy()
        return final

    def _infos(self, where: np.ndarray) -> dict[str, Any]:
        """Gymnasium's form: an array over all environments, and under `_name` which of its rows mean something."""
        infos = {"action_mask": self.tables.action_mask.copy(), "seat": self.learner.seats.copy()}
        infos = _masked(infos, where)
        ends = where & self.learner.is_over
        if ends.any():
            ended = {
                "returns": self.learner.returns.copy(),
                "winners": self.tables.winners.astype(np.int8),
                "length": self.tables.state["decisions"].astype(np.int64),
            }
            infos |= _masked(ended, ends)
        return infos

    def _read_reset_mask(self, mask: Any) -> np.ndarray:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ParameterError(f"reset_mask must be a bool array of the shape ({self.num_envs},), not {mask!r}")
        if not mask.any():
            raise ParameterError("reset_mask must have a True entry")
        return mask


def _read_mode(mode: Any) -> AutoresetMode:
    modes = [each.value for each in AutoresetMode]
    if not isinstance(mode, AutoresetMode) and mode not in modes:
        raise ParameterError(f"autoreset_mode must be one of {', '.join(modes)}, not {mode!r}")
    return AutoresetMode(mode)


def _masked(infos: dict[str, np.ndarray], where: np.ndarray) -> dict[str, np.ndarray]:
    masked = {}
    for name, values in infos.items():
        values[~where] = 0
        masked[name], masked[f"_{name}"] = values, where.copy()
    return masked
