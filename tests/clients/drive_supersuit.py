"""SuperSuit: its vector environments, over the parallel form of our turn-based ones, masks from the observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import supersuit
from driving import main, pettingzoo_module
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

NUM_COPIES, NUM_STEPS = 2, 300


def make_vector(game: str, num_cpus: int) -> Any:
    env = pettingzoo_module(game).raw_env(reward="score", max_decisions=100)  # it raises for an illegal action
    vector = supersuit.pettingzoo_env_to_vec_env_v1(turn_based_aec_to_parallel(env))
    return supersuit.concat_vec_envs_v1(vector, NUM_COPIES, num_cpus=num_cpus)


def play(game: str, num_cpus: int) -> str:
    envs, rng, num_ends = make_vector(game, num_cpus), np.random.default_rng(0), 0
    paid = np.zeros(envs.num_envs)
    observations, _ = envs.reset(seed=1)
    for _ in range(NUM_STEPS):
        masks = observations["action_mask"]
        assert (masks.reshape(NUM_COPIES, -1, masks.shape[1]).any(axis=2).sum(axis=1) == 1).all()  # one acts at a table
        actions = np.where(masks, rng.random(masks.shape), 0).argmax(axis=1)
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        assert np.allclose(rewards.reshape(NUM_COPIES, -1).sum(axis=1), 0, atol=1e-5)
        paid += np.abs(rewards)
        num_ends += int((terminated | truncated).reshape(NUM_COPIES, -1).all(axis=1).sum())
    assert num_ends > 0
    assert paid.any()
    envs.close()
    return f"{NUM_STEPS} steps of {NUM_COPIES} tables, {num_ends} games"


def drive_vector(game: str) -> str:
    """pettingzoo_env_to_vec_env_v1, concat_vec_envs_v1"""
    return play(game, num_cpus=0)


def drive_processes(game: str) -> str:
    """pettingzoo_env_to_vec_env_v1, concat_vec_envs_v1, processes"""
    return play(game, num_cpus=2)


if __name__ == "__main__":
    main("supersuit", drive_vector, drive_processes)
