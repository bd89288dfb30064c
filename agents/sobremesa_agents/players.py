"""Players: callables that choose actions for tables that wait for them.

A player takes observations `[K, O]` (scaled, float32), masks bool `[K, A]` and seats `[K]`, and returns actions `[K]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import sobremesa
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sobremesa.game import Field

from .policy import action_logits

Player = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class RandomPlayer:
    """Draws uniformly from the legal actions."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def __call__(self, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        return sobremesa.sample_legal(masks, self.rng)


class PolicyPlayer:
    """Plays a trained policy: draws from its probabilities (the draws from a generator or a seed)."""

    def __init__(self, policy: MaskableActorCriticPolicy, draws: torch.Generator | int):
        self.policy = policy
        self.generator = torch.Generator().manual_seed(draws) if isinstance(draws, int) else draws

    def __call__(self, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            logits = action_logits(self.policy, torch.from_numpy(observations))
        logits[~torch.from_numpy(masks)] = -torch.inf
        # The Gumbel-max trick: the argmax of logits plus Gumbel noise is a draw from their softmax.
        uniform = torch.rand(logits.shape, generator=self.generator).clamp_(1e-20)
        return (logits - torch.log(-torch.log(uniform))).argmax(dim=1).numpy()


class FreepBaseline:
    """Freep by what is in sight: calls the likelier side, stands when the next call risks more than it may win.

    It knows how many cards of each number the game has, and the numbers it sees at the moment: the row and every
    visible won card. It remembers nothing. The chance of a hit is that of the unseen numbers on the better side (a tie
    wins as well, a Wild always hits); another hit is worth one card, a fail costs the row. Lives are used at once,
    cards are claimed, and a Wild is announced as 1: from there HIGHER can't fail.
    """

    def __init__(self, tables: sobremesa.Tables):
        self.fields: Mapping[str, Field] = tables.observation_fields
        self.scale = tables.observation_scale if tables.scaled else np.ones(1, np.float32)
        self.counts = np.array(tables.parameters["number_counts"], float)
        self.wilds = float(tables.parameters["wilds"])
        self.actions = {name: action for action, name in enumerate(tables.action_names)}

    def __call__(self, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        seen = np.rint(observations * self.scale).astype(int)
        chosen = np.full(len(seen), -1)
        call = masks[:, self.actions["HIGHER"]]
        chosen[call] = self._call(seen[call], masks[call])
        for name in ("CLAIM", "USE_LIFE", "ANNOUNCE_1"):
            chosen[(chosen < 0) & masks[:, self.actions[name]]] = self.actions[name]
        return chosen

    def _call(self, seen: np.ndarray, masks: np.ndarray) -> np.ndarray:
        unseen = self._unseen_numbers(seen)
        reference = self._field(seen, "reference")
        numbers = np.arange(1, 10)
        above = (unseen * (numbers >= reference)).sum(axis=1) + self.wilds
        below = (unseen * (numbers <= reference)).sum(axis=1) + self.wilds
        success = np.maximum(above, below) / np.maximum(unseen.sum(axis=1) + self.wilds, 1)
        at_risk = self._field(seen, "row").sum(axis=1)
        lives = self._field(seen, "active_lives")[:, 0]
        stands = masks[:, self.actions["STAND"]] & (lives == 0) & ((1 - success) * at_risk > success)
        calls = np.where(above >= below, self.actions["HIGHER"], self.actions["LOWER"])
        return np.where(stands, self.actions["STAND"], calls)

    def _unseen_numbers(self, seen: np.ndarray) -> np.ndarray:
        unseen = self.counts - self._field(seen, "row")[:, :9]
        visible = self._field(seen, "visible_number")
        for number in range(1, 10):
            unseen[:, number - 1] -= (visible == number).sum(axis=1)
        return np.maximum(unseen, 0)

    def _field(self, seen: np.ndarray, name: str) -> np.ndarray:
        return seen[:, self.fields[name].slice]


BASELINES: dict[str, Callable[[sobremesa.Tables], Player]] = {"freep": FreepBaseline}
