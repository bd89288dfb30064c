"""tianshou: its PettingZooEnv; DQN with masks learns to play one seat, random players have the others."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from driving import SHORT, Record, main, pettingzoo_module
from tianshou.algorithm import DQN, MARLRandomDiscreteMaskedOffPolicyAlgorithm, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import BaseVectorEnv, DummyVectorEnv, PettingZooEnv, SubprocVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

NUM_ENVS, NUM_STEPS, NUM_GAMES, SEED = 2, 1000, 4, 1


def make_env(game: str) -> PettingZooEnv:
    return PettingZooEnv(pettingzoo_module(game).raw_env(scaled=True, **SHORT[game]))  # it raises if illegal


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
    collector.reset()
    return collector


def collect_games(game: str, envs: BaseVectorEnv) -> CollectStats:
    """Some games of an untrained learner, which are the same in every vector environment."""
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    envs.seed(SEED)
    stats = make_collector(make_algorithm(make_env(game)), envs).collect(n_episode=NUM_GAMES)
    envs.close()
    return stats


def drive_training(game: str) -> str:
    """PettingZooEnv, DummyVectorEnv, DQN with masks against random"""
    env = make_env(game)
    algorithm = make_algorithm(env)
    envs = DummyVectorEnv([partial(make_env, game)] * NUM_ENVS)
    records = [Record(worker.env.unwrapped.env.unwrapped.tables) for worker in envs.workers]
    envs.seed(SEED)
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
    before = sum(record.returns for record in records)
    stats = collector.collect(n_episode=NUM_GAMES)
    assert stats.returns.any()
    assert np.allclose(stats.returns.sum(axis=0), sum(record.returns for record in records) - before, atol=1e-5)
    return f"{learned.train_step} steps, {learned.update_step} updates; {NUM_GAMES} games, each seat paid its payoff"


def drive_processes(game: str) -> str:
    """PettingZooEnv, SubprocVectorEnv (spawn)"""
    makers = [partial(make_env, game)] * NUM_ENVS
    stats, expected = (
        collect_games(game, envs) for envs in (SubprocVectorEnv(makers, context="spawn"), DummyVectorEnv(makers))
    )
    assert np.array_equal(stats.returns, expected.returns)
    assert np.array_equal(stats.lens, expected.lens)
    assert stats.returns.any()
    return f"{NUM_GAMES} games as in DummyVectorEnv"


if __name__ == "__main__":
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    main(drive_training, drive_processes)
