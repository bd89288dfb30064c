"""SuperSuit: its vector environments, over the parallel form of our turn-based ones, masks from the observations."""

from __future__ import annotations

from typing import Any

import supersuit
from driving import SHORT, Twin, main, pettingzoo_module
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

NUM_COPIES, NUM_STEPS, SEED = 2, 1500, 1


def make_vector(game: str, num_cpus: int) -> Any:
    """Of the raw environment: it raises for an illegal action."""
    env = turn_based_aec_to_parallel(pettingzoo_module(game).raw_env(**SHORT[game]))
    return supersuit.concat_vec_envs_v1(supersuit.pettingzoo_env_to_vec_env_v1(env), NUM_COPIES, num_cpus=num_cpus)


def play(game: str, num_cpus: int) -> str:
    envs, twin = make_vector(game, num_cpus), Twin(game, NUM_COPIES, SEED, **SHORT[game])
    observations, _ = envs.reset(seed=SEED)
    for _ in range(NUM_STEPS):
        twin.check_seen(observations["observation"], observations["action_mask"])
        observations, rewards, terminated, truncated, _ = envs.step(twin.step().ravel())
        twin.check_step(rewards, terminated, truncated)
    envs.close()
    return f"{NUM_STEPS} steps of {NUM_COPIES} tables, {twin.conclude()}"


def drive_vector(game: str) -> str:
    """pettingzoo_env_to_vec_env_v1, concat_vec_envs_v1"""
    return play(game, num_cpus=0)


def drive_processes(game: str) -> str:
    """pettingzoo_env_to_vec_env_v1, concat_vec_envs_v1, processes"""
    return play(game, num_cpus=2)


if __name__ == "__main__":
    main(drive_vector, drive_processes)
