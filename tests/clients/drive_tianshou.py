"""tianshou: its PettingZooEnv; DQN with masks learns to play one seat, random players have the others."""

from __future__ import annotations

from functools import partial

import numpy as np
from driving import main, pettingzoo_module
from tianshou.algorithm import DQN, MARLRandomDiscreteMaskedOffPolicyAlgorithm, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import BaseVectorEnv, DummyVectorEnv, PettingZooEnv, SubprocVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

NUM_ENVS, NUM_STEPS, NUM_GAMES = 2, 1000, 6


def make_env(game: str) -> PettingZooEnv:
    return PettingZooEnv(pettingzoo_module(game).raw_env(scaled=True, max_decisions=100))  # it raises if illegal


def make_algorithm(env: PettingZooEnv) -> MultiAgentOffPolicyAlgorithm:
    state_shape = env.observation_space["observation"].shape
    model = Net(state_shape=state_shape, action_shape=env.action_space.n, hidden_sizes=[32])
    policy = DiscreteQLearningPolicy(model=model, action_space=env.action_space, eps_training=0.2)
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=50)
    others = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in env.agents[1:]]
    return MultiAgentOffPolicyAlgorithm(algorithms=[learner, *others], env=env)


def make_collector(algorithm: MultiAgentOffPolicyAlgorithm, envs: BaseVectorEnv) -> Collector:
    buffer = VectorReplayBuffer(10 * NUM_STEPS, len(envs))
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    collector.reset(gym_reset_kwargs={"seed": 1})
    return collector


def check_payoffs(stats: CollectStats) -> None:
    """That the returns of the seats add up to 0 in each game, and differ."""
    assert np.allclose(stats.returns.sum(axis=1), 0, atol=1e-5)
    assert stats.returns.any()


def drive_training(game: str) -> str:
    """PettingZooEnv, DummyVectorEnv, DQN with masks against random"""
    env = make_env(game)
    algorithm = make_algorithm(env)
    envs = DummyVectorEnv([partial(make_env, game)] * NUM_ENVS)
    collector = make_collector(algorithm, envs)
    learned = algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=NUM_STEPS,
            collection_step_num_env_steps=50,
            update_step_num_gradient_steps_per_sample=0.1,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            show_progress=False,
            verbose=False,
        )
    )
    assert learned.update_step > 0
    check_payoffs(collector.collect(n_episode=NUM_GAMES))
    return f"{learned.train_step} steps, {learned.update_step} updates; returns of {NUM_GAMES} games add up to 0"


def drive_processes(game: str) -> str:
    """PettingZooEnv, SubprocVectorEnv (spawn)"""
    envs = SubprocVectorEnv([partial(make_env, game)] * NUM_ENVS, context="spawn")
    stats = make_collector(make_algorithm(make_env(game)), envs).collect(n_episode=NUM_GAMES)
    check_payoffs(stats)
    envs.close()
    return f"{NUM_GAMES} games"


if __name__ == "__main__":
    main("tianshou", drive_training, drive_processes)
