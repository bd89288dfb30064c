"""AgileRL: its vector environment of processes over the parallel form of our turn-based ones, and its algorithms."""

from __future__ import annotations

from functools import partial

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import IPPO, PPO
from agilerl.rollouts import collect_rollouts
from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy
from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv
from driving import env_id, main, pettingzoo_module, refused
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseWrapper
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

NUM_ENVS, NUM_STEPS = 2, 300


class Plain(BaseWrapper):
    """AgileRL wants the masks in the infos, and not in the observations."""

    def observation_space(self, agent: str) -> spaces.Box:
        return super().observation_space(agent)["observation"]

    def observe(self, agent: str) -> np.ndarray:
        return super().observe(agent)["observation"]


def make_parallel(game: str) -> ParallelEnv:
    """The raw environment: it raises for an illegal action."""
    env = pettingzoo_module(game).raw_env(scaled=True, reward="score", max_decisions=100)
    return turn_based_aec_to_parallel(Plain(env))


def make_vector(game: str) -> AsyncPettingZooVecEnv:
    return AsyncPettingZooVecEnv([partial(make_parallel, game)] * NUM_ENVS, context="spawn")


def drive_vector(game: str) -> str:
    """AsyncPettingZooVecEnv (spawn) of turn_based_aec_to_parallel"""
    envs, rng, num_ends = make_vector(game), np.random.default_rng(0), 0
    observations, infos = envs.reset(seed=1)
    for _ in range(NUM_STEPS):
        assert all(envs.observation_space(agent).contains(seen) for agent, seen in observations.items())
        masks = {agent: infos[agent]["action_mask"] for agent in envs.agents}
        assert (sum(mask.any(axis=1).astype(int) for mask in masks.values()) == 1).all()  # one acts at a table
        actions = {agent: np.where(mask, rng.random(mask.shape), 0).argmax(axis=1) for agent, mask in masks.items()}
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert np.allclose(sum(rewards.values()), 0, atol=1e-5)
        first = envs.agents[0]
        num_ends += int((terminated[first] | truncated[first]).sum())
    assert num_ends > 0
    envs.close()
    return f"{NUM_STEPS} steps of {NUM_ENVS} tables, {num_ends} games"


def drive_ippo(game: str) -> str:
    """IPPO on AsyncPettingZooVecEnv, masks"""
    torch.set_num_threads(1)
    envs = make_vector(game)
    agents = envs.possible_agents
    learner = IPPO(
        [envs.single_observation_space(agent) for agent in agents],
        [envs.single_action_space(agent) for agent in agents],
        agents,
        batch_size=64,
        learn_step=128,
        update_epochs=1,
    )
    try:
        with refused(ValueError, "truth value of an array"):  # it looks for None among the masks with `in`
            train_multi_agent_on_policy(
                envs, game, "IPPO", [learner], False, max_steps=512, evo_steps=256, eval_steps=50, verbose=False
            )
    finally:
        envs.close()
    return "512 steps"


def drive_ppo(game: str) -> str:
    """PPO on make_vec, masks"""
    torch.set_num_threads(1)
    arguments = {"scaled": True, "illegal_action": "raise", "max_decisions": 100}
    envs = gymnasium.make_vec(env_id(game), num_envs=NUM_ENVS, autoreset_mode="SameStep", **arguments)
    space, actions = envs.single_observation_space, envs.single_action_space
    learner = PPO(space, actions, num_envs=NUM_ENVS, batch_size=64, learn_step=512, update_epochs=1)
    scores, *_ = collect_rollouts(learner, envs)
    assert len(scores) > 0
    losses = learner.learn()
    assert np.isfinite(list(losses.values()) if isinstance(losses, dict) else losses).all()
    return f"512 steps of {len(scores)} games, one update"


if __name__ == "__main__":
    main("agilerl", drive_vector, drive_ippo, drive_ppo)
