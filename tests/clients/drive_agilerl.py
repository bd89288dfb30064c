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
from driving import SHORT, Twin, env_id, main, pettingzoo_module, refused
from gymnasium import spaces
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseWrapper
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

NUM_ENVS, NUM_STEPS, SEED = 2, 600, 1


class Plain(BaseWrapper):
    """AgileRL wants the masks in the infos, and not in the observations."""

    def observation_space(self, agent: str) -> spaces.Box:
        return super().observation_space(agent)["observation"]

    def observe(self, agent: str) -> np.ndarray:
        return super().observe(agent)["observation"]


def make_parallel(game: str) -> ParallelEnv:
    """The raw environment: it raises for an illegal action."""
    return turn_based_aec_to_parallel(Plain(pettingzoo_module(game).raw_env(scaled=True, **SHORT[game])))


def make_vector(game: str) -> AsyncPettingZooVecEnv:
    return AsyncPettingZooVecEnv([partial(make_parallel, game)] * NUM_ENVS, context="spawn")


def drive_vector(game: str) -> str:
    """AsyncPettingZooVecEnv (spawn) of turn_based_aec_to_parallel"""
    envs, twin = make_vector(game), Twin(game, NUM_ENVS, SEED, scaled=True, **SHORT[game])
    observations, infos = envs.reset(seed=SEED)
    for _ in range(NUM_STEPS):
        assert all(envs.observation_space(agent).contains(seen) for agent, seen in observations.items())
        masks = {agent: infos[agent]["action_mask"] for agent in envs.agents}
        twin.check_seen(*(table_by_table(envs, told) for told in (observations, masks)))
        observations, *given, infos = envs.step(dict(zip(envs.agents, twin.step().T)))
        twin.check_step(*(table_by_table(envs, told) for told in given))
    envs.close()
    return f"{NUM_STEPS} steps of {NUM_ENVS} tables, {twin.conclude()}"


def table_by_table(envs: AsyncPettingZooVecEnv, told: dict[str, np.ndarray]) -> np.ndarray:
    """`[N, n, …]` of what is told for each agent, `[N, …]`."""
    return np.stack([told[agent] for agent in envs.agents], axis=1)


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
    arguments = {"scaled": True, "illegal_action": "raise", **SHORT[game]}
    envs = gymnasium.make_vec(env_id(game), num_envs=NUM_ENVS, autoreset_mode="SameStep", **arguments)
    envs = RecordEpisodeStatistics(envs)
    space, actions = envs.single_observation_space, envs.single_action_space
    learner = PPO(space, actions, num_envs=NUM_ENVS, batch_size=64, learn_step=512, update_epochs=1)
    scores, *_ = collect_rollouts(learner, envs)
    assert np.allclose(scores, envs.return_queue)
    assert any(scores)
    losses = learner.learn()
    assert np.isfinite(list(losses.values()) if isinstance(losses, dict) else losses).all()
    return f"512 steps of {len(scores)} games, one update"


if __name__ == "__main__":
    torch.manual_seed(SEED)
    main(drive_vector, drive_ippo, drive_ppo)
