"""RLlib: its PettingZooEnv, and PPO with its own module for action masks: one network plays every seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import ray
import torch
from driving import SHORT, Record, main, pettingzoo_module
from gymnasium import spaces
from pettingzoo.utils import BaseWrapper
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv, PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from ray.tune.registry import register_env

NUM_STEPS = 768


class Renamed(BaseWrapper):
    """What PettingZoo calls "observation" is "observations" to RLlib's module for action masks."""

    def observation_space(self, agent: str) -> spaces.Dict:
        return spaces.Dict({self._name(name): space for name, space in super().observation_space(agent).items()})

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        return {self._name(name): value for name, value in super().observe(agent).items()}

    @staticmethod
    def _name(name: str) -> str:
        return "observations" if name == "observation" else name


def make_env(settings: dict[str, Any]) -> MultiAgentEnv:
    """The raw environment: it raises for an illegal action."""
    game = settings["game"]
    env = Renamed(pettingzoo_module(game).raw_env(scaled=True, **SHORT[game]))
    return ParallelPettingZooEnv(turn_based_aec_to_parallel(env)) if settings["parallel"] else PettingZooEnv(env)


def train(game: str, parallel: bool) -> tuple[dict[str, Any], Record]:
    """One iteration of PPO, all in this process, and what the table did meanwhile."""
    torch.set_num_threads(1)
    if not ray.is_initialized():
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    register_env("sobremesa", make_env)
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [32]})
    config = (
        PPOConfig()
        .environment(
            "sobremesa",
            env_config={"game": game, "parallel": parallel},
            disable_env_checking=True,  # it would try any action
        )
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, *_, **__: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .training(train_batch_size_per_learner=NUM_STEPS, minibatch_size=128, num_epochs=1)
        .debugging(seed=0)
    )
    algorithm = config.build_algo()
    try:
        (env,) = algorithm.env_runner.env.unwrapped.envs
        record = Record(env.unwrapped.get_sub_environments.tables)
        return algorithm.train(), record
    finally:
        algorithm.stop()


def drive_check(game: str) -> str:
    """check_multiagent_environments of PettingZooEnv"""
    check_multiagent_environments(PettingZooEnv(pettingzoo_module(game).env()))
    return "passed"


def check_training(game: str, parallel: bool) -> str:
    result, record = train(game, parallel)
    played, loss = result["env_runners"], float(result["learners"]["shared"]["total_loss"])
    mean_returns = [played["agent_episode_returns_mean"][f"player_{seat}"] for seat in range(len(record.returns))]
    assert np.isfinite(loss)
    assert played["num_env_steps_sampled"] == record.num_steps
    assert played["num_episodes"] == record.num_games
    assert np.allclose(np.multiply(mean_returns, record.num_games), record.returns, atol=1e-3)
    assert record.was_paid
    return f"one iteration, {record.num_steps} steps, {record.num_games} games, each seat paid its payoff"


def drive_ppo(game: str) -> str:
    """PPO on PettingZooEnv, masks"""
    return check_training(game, parallel=False)


def drive_ppo_parallel(game: str) -> str:
    """PPO on ParallelPettingZooEnv of turn_based_aec_to_parallel, masks"""
    return check_training(game, parallel=True)


if __name__ == "__main__":
    main(drive_check, drive_ppo, drive_ppo_parallel)
