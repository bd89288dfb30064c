"""Gymnasium: one seat of one table as an Env, the other seats played inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from .aec import box_of, check_render_mode, new_tables, one_action, read_seed
from .game import Game
from .seats import Opponent, Seats


class SeatEnv(gymnasium.Env):
    """One seat of a game for Gymnasium.

    game: a game's name. seat: the learner's, or None: drawn at each reset. opponent: "random", or a callable
    (observations `[K, O]`, masks `[K, A]`, seats `[K]`) → actions `[K]` that plays the other seats.
    illegal_action: "forfeit" (the game ends with −1, as the checkers and most trainers want) or "raise".
    render_mode: None, "ansi" (text, as the learner sees the table) or "human" (prints it). scaled: observations are
    float32 in [0, 1] instead of uint8. parameters: those of the game's page.

    The mask is in `info["action_mask"]`, int8 `[A]` (all zero after the end), and comes from `action_masks()`; the
    learner's seat is in `info["seat"]`. When a game has ended, the infos have each seat's `returns` `[n]`, the
    `winners` int8 `[n]`, and `length`, the decisions of all seats. `observation_fields` is on `env.unwrapped`.
    """

    metadata = {"render_modes": ["human", "ansi"], "render_fps": 1}  # noqa: RUF012  # Gymnasium's own form

    def __init__(
        self,
        game: str | Game,
        seat: int | None = None,
        opponent: str | Opponent = "random",
        illegal_action: str = "forfeit",
        render_mode: str | None = None,
        scaled: bool = False,
        **parameters: Any,
    ):
        self.tables = new_tables(game, 1, scaled, parameters)
        self.learner = Seats(self.tables, seat, opponent, illegal_action)
        self.render_mode = check_render_mode(render_mode, self.metadata)
        self.observation_fields = self.tables.observation_fields
        self.observation_space = box_of(self.tables)
        self.action_space = spaces.Discrete(self.tables.num_actions)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        seed = read_seed(seed)
        self.learner.reset(seed, options)
        super().reset(seed=seed)
        self._show()
        return self._observe(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        given, _ = one_action(action, self.tables)
        self.learner.step(given)
        self._show()
        terminated, truncated = bool(self.tables.terminated[0]), bool(self.tables.truncated[0])
        return self._observe(), float(self.learner.rewards[0]), terminated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """The legal actions, bool `[A]`, a new array."""
        return self.tables.legal_action_mask[0].copy()

    def _observe(self) -> np.ndarray:
        return self.learner.observe()[0]

    def _info(self) -> dict[str, Any]:
        info = {"action_mask": self.tables.action_mask[0].copy(), "seat": int(self.learner.seats[0])}
        if self.learner.is_over[0]:
            info["returns"] = self.learner.returns[0].copy()
            info["winners"] = self.tables.winners[0].astype(np.int8)
            info["length"] = int(self.tables.state["decisions"][0])
        return info

    def _show(self) -> None:
        if self.render_mode == "human":
            print(self._text())

    def _text(self) -> str:
        return self.tables.to_text(0, int(self.learner.seats[0]))

    def render(self) -> str | None:
        if self.render_mode is None:
            gymnasium.logger.warn('this environment has no render_mode; make it with "ansi" or "human"')
        return self._text() if self.render_mode == "ansi" else None
