"""Every seat learns, each from its own decisions; all are played by the policy of the moment.

There is nobody to wait for: each decision at a table is one to learn from, except those of the seats that are drawn,
for a game, to be the random player's. Advantages are those of a seat between its own decisions, with all that it was
paid in between: J. Schulman et al., "High-dimensional continuous control using generalized advantage estimation", 2016.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from sobremesa import Tables
from sobremesa.tables import winners_of

from .evaluation import win_shares
from .vec_env import SeatVecEnv

if TYPE_CHECKING:
    from .self_play import Args


class Experience:
    """What T steps at each of N tables were, and the rollout buffer that MaskablePPO's `train` learns from.

    observations uint8 `[T, N, O]`, masks bool `[T, N, A]`, and `[T, N]`: actions, seats, log_probs and values by the
    policy, is_learners (the policy has chosen), terminated and truncated; rewards float32 `[T, N, n]`. `close` gives
    what was learned: `returns` and `values` float32 `[K]` of the K decisions that `get` draws from.
    """

    def __init__(self, tables: Tables, num_steps: int):
        shape = num_steps, tables.num_tables
        self.scale = torch.from_numpy(tables.observation_scale)
        self.observations = np.zeros((*shape, tables.observation_size), np.uint8)
        self.masks = np.zeros((*shape, tables.num_actions), bool)
        self.rewards = np.zeros((*shape, tables.num_players), np.float32)
        self.actions, self.seats = np.zeros((2, *shape), np.int64)
        self.log_probs, self.step_values = np.zeros((2, *shape), np.float32)
        self.is_learners, self.terminated, self.truncated = np.zeros((3, *shape), bool)
        self.values = self.returns = self.advantages = np.zeros(0, np.float32)
        self.learned = np.zeros(0, np.int64)

    def close(self, gamma: float, gae_lambda: float) -> None:
        """Finds the advantages; what is to be learned from them is ready for `get`."""
        advantages, is_known = find_advantages(
            self.step_values, self.seats, self.rewards, self.terminated, self.truncated, gamma, gae_lambda
        )
        self.learned = np.flatnonzero(is_known & self.is_learners)
        self.values, self.advantages = self.step_values.flat[self.learned], advantages.flat[self.learned]
        self.returns = self.values + self.advantages

    def get(self, batch_size: int) -> Iterator[MaskableRolloutBufferSamples]:
        """All decisions once, in a drawn order, in parts of about `batch_size`, as equal as can be."""
        num_learned = len(self.learned)
        order = np.random.permutation(num_learned)  # from the global generator, as MaskablePPO draws
        for part in np.array_split(order, max(1, round(num_learned / batch_size))):
            yield self._samples(part)

    def _samples(self, part: np.ndarray) -> MaskableRolloutBufferSamples:
        at = self.learned[part]
        observations = self.observations.reshape(-1, self.observations.shape[-1])[at]
        return MaskableRolloutBufferSamples(
            observations=torch.from_numpy(observations) / self.scale,
            actions=torch.from_numpy(self.actions.flat[at]),
            old_values=torch.from_numpy(self.values[part]),
            old_log_prob=torch.from_numpy(self.log_probs.flat[at]),
            advantages=torch.from_numpy(self.advantages[part]),
            returns=torch.from_numpy(self.returns[part]),
            action_masks=torch.from_numpy(self.masks.reshape(-1, self.masks.shape[-1])[at]),
        )


def find_advantages(
    values: np.ndarray,
    seats: np.ndarray,
    rewards: np.ndarray,
    terminated: np.ndarray,
    truncated: np.ndarray,
    gamma: float,
    gae_lambda: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimates `[T, N]` of decisions, and where they are known, bool `[T, N]`.

    values, seats `[T, N]`: of the decisions; rewards `[T, N, n]`: of all seats for each; terminated, truncated
    `[T, N]`: the game ended with it. A seat's next decision, or the end of the game, closes the one before. What
    nothing closes, at the end of the T steps or of a truncated game, is not known: 0.
    """
    num_steps, num_tables = values.shape
    rows = np.arange(num_tables)
    advantages, is_known = np.zeros_like(values), np.zeros(values.shape, bool)
    reward, next_value, next_advantage = np.zeros((3, *rewards.shape[1:]), values.dtype)
    is_closed = np.zeros(rewards.shape[1:], bool)
    for step in reversed(range(num_steps)):
        over = terminated[step] | truncated[step]
        reward[over] = next_value[over] = next_advantage[over] = 0
        is_closed[over] = terminated[step, over, None]
        reward += rewards[step]
        at = rows, seats[step]
        is_known[step] = is_closed[at]
        found = reward[at] + gamma * next_value[at] - values[step] + gamma * gae_lambda * next_advantage[at]
        advantages[step] = np.where(is_known[step], found, 0)
        reward[at], next_value[at], next_advantage[at], is_closed[at] = 0, values[step], advantages[step], True
    return advantages, is_known


class EverySeat:
    """Collects the decisions of all seats of each table. `tally` counts a learner's games against random players."""

    BATCH_SIZE, NUM_EPOCHS = 1024, 1  # new decisions cost less than to go over old ones again

    def __init__(self, game: str, args: Args, seed: int, parameters: dict[str, Any]):
        self.args = args
        self.tables = Tables(game, args.num_envs, seed, **parameters)
        self.env = SeatVecEnv(game, **parameters)  # says the model what there is to see and to do
        self.rng = np.random.default_rng(args.seed)
        self.is_random = np.zeros((args.num_envs, self.tables.num_players), bool)
        self._draw(np.ones(args.num_envs, bool))
        self.tally = [0.0, 0]
        self.experience = Experience(self.tables, args.num_steps)

    def begin(self, model: MaskablePPO) -> None:
        model.rollout_buffer = self.experience  # type: ignore[assignment]  # all that `train` reads of one

    def collect(self, model: MaskablePPO, tell_step: Callable[[], Any]) -> None:
        """`num_steps` decisions at each table."""
        model.policy.set_training_mode(False)
        for step in range(self.args.num_steps):
            self._step(model.policy, step)
            model.num_timesteps += int(self.experience.is_learners[step].sum())
            tell_step()
        self.experience.close(model.gamma, model.gae_lambda)

    def _step(self, policy: Any, step: int) -> None:
        tables, experience = self.tables, self.experience
        experience.observations[step] = tables.observation
        experience.masks[step] = tables.legal_action_mask
        experience.seats[step] = tables.current_player
        experience.is_learners[step] = ~self.is_random[np.arange(tables.num_tables), experience.seats[step]]
        observations = torch.from_numpy(experience.observations[step]) / experience.scale
        with torch.no_grad():
            actions, values, log_probs = policy(observations, action_masks=experience.masks[step])
        experience.step_values[step], experience.log_probs[step] = values.flatten(), log_probs
        experience.actions[step] = np.where(experience.is_learners[step], actions, tables.sample_actions())
        tables.step(experience.actions[step])
        experience.rewards[step] = tables.rewards
        experience.terminated[step], experience.truncated[step] = tables.terminated, tables.truncated
        is_over = tables.terminated | tables.truncated
        if is_over.any():
            self._count_games(is_over)
            self._draw(is_over)

    def _draw(self, where: np.ndarray) -> None:
        """Who plays the new games at `where`: one seat is always the policy's."""
        shape = int(where.sum()), self.tables.num_players
        is_random = self.rng.random(shape) < self.args.random_share
        is_random[np.arange(shape[0]), self.rng.integers(shape[1], size=shape[0])] = False
        self.is_random[where] = is_random

    def _count_games(self, is_over: np.ndarray) -> None:
        is_learner = ~self.is_random
        counted = np.flatnonzero(is_over & (is_learner.sum(axis=1) == 1))
        winners = winners_of(self.tables.ended_state[counted], self.tables.num_players)
        self.tally[0] += float(win_shares(winners, is_learner[counted].argmax(axis=1)).sum())
        self.tally[1] += len(counted)

    def note_update(self, model: MaskablePPO, num_updates: int) -> dict[str, list]:
        """Returns the tally of the games since the last update."""
        tally, self.tally = self.tally, [0.0, 0]
        return {"random": tally, "pool": [0.0, 0]}

    def kept(self) -> dict[str, Any]:
        """All that it takes to go on from here but the model, copied."""
        return copy.deepcopy({name: getattr(self, name) for name in ("tables", "rng", "is_random", "tally")})

    def restore(self, kept: dict[str, Any], model: MaskablePPO) -> None:
        """Goes on, in place, from what `kept` gave."""
        for name, value in copy.deepcopy(kept).items():
            setattr(self, name, value)
