"""sb3-contrib: MaskablePPO on Stable-Baselines3's vector environments of our single one, and on our own SeatVecEnv."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from driving import SHORT, env_id, main
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.wrappers import ActionMasker
from sobremesa_agents import SeatVecEnv
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv, VecMonitor, VecNormalize

NUM_ENVS, NUM_STEPS, NUM_GAMES = 2, 1024, 4


def arguments(game: str) -> dict[str, Any]:
    """With which an action that the mask forbids raises."""
    return {"scaled": True, "illegal_action": "raise", **SHORT[game]}


def make_with_own_masks(game: str) -> gymnasium.Env:
    return Monitor(gymnasium.make(env_id(game), **arguments(game)))


def make_with_masker(game: str) -> gymnasium.Env:
    return ActionMasker(make_with_own_masks(game), lambda env: env.unwrapped.action_masks())


def learn(envs: VecEnv) -> str:
    """A short training, then games of the policy that is saved and loaded."""
    torch.set_num_threads(1)
    model = MaskablePPO("MlpPolicy", envs, n_steps=NUM_STEPS // 2 // envs.num_envs, batch_size=128, n_epochs=2, seed=0)
    model.learn(NUM_STEPS)
    returns = [game["r"] for game in model.ep_info_buffer]
    assert any(returns)
    assert max(map(abs, returns)) <= 1
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        loaded = MaskablePPO.load(Path(folder) / "model", env=envs)
    returns, lengths = evaluate_policy(loaded, envs, NUM_GAMES, return_episode_rewards=True, warn=False)
    assert np.isfinite(returns).all()
    assert len(lengths) == NUM_GAMES
    envs.close()
    return f"{model.num_timesteps} steps, {len(model.ep_info_buffer)} games; saved, loaded, evaluated"


def drive_dummy(game: str) -> str:
    """MaskablePPO on DummyVecEnv, own action_masks"""
    return learn(DummyVecEnv([partial(make_with_own_masks, game)] * NUM_ENVS))


def drive_masker(game: str) -> str:
    """MaskablePPO on DummyVecEnv, ActionMasker"""
    return learn(DummyVecEnv([partial(make_with_masker, game)] * NUM_ENVS))


def drive_processes(game: str) -> str:
    """MaskablePPO on SubprocVecEnv (spawn)"""
    return learn(SubprocVecEnv([partial(make_with_own_masks, game)] * NUM_ENVS, start_method="spawn"))


def drive_ours(game: str) -> str:
    """MaskablePPO on SeatVecEnv"""
    return learn(SeatVecEnv(game, 4 * NUM_ENVS, seed=1, **arguments(game)))


def drive_wrapped_ours(game: str) -> str:
    """MaskablePPO on VecNormalize and VecMonitor of SeatVecEnv"""
    return learn(VecNormalize(VecMonitor(SeatVecEnv(game, 4 * NUM_ENVS, seed=1, **arguments(game)))))


if __name__ == "__main__":
    main(drive_dummy, drive_masker, drive_processes, drive_ours, drive_wrapped_ours)
