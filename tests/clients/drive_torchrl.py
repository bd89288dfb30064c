"""TorchRL: its PettingZoo and Gymnasium wrappers, with the masks that they read from us."""

from __future__ import annotations

from functools import partial

import gymnasium
import numpy as np
import torch
from driving import Record, env_id, main, pettingzoo_module, refused
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from tensordict.nn import TensorDictModule
from torchrl.data import Binary
from torchrl.envs import ActionMask, EnvBase, GymWrapper, ParallelEnv, PettingZooWrapper, TransformedEnv
from torchrl.envs.gym_like import default_info_dict_reader
from torchrl.envs.utils import check_env_specs

NUM_STEPS = 1000
ARGUMENTS = {"reward": "score", "max_decisions": 100}


def draw(masks: torch.Tensor) -> torch.Tensor:
    """A random legal action of each mask `[..., A]`, 0 where there is none."""
    flat = masks.reshape(-1, masks.shape[-1]).clone()
    flat[~flat.any(-1), 0] = True
    return torch.multinomial(flat.float(), 1).reshape(masks.shape[:-1])


def drive_aec(game: str) -> str:
    """PettingZooWrapper"""
    module = pettingzoo_module(game)
    for make in (module.env, module.raw_env):
        for scaled in (False, True):
            for categorical in (False, True):
                env = make(scaled=scaled)
                check_env_specs(PettingZooWrapper(env, use_mask=True, categorical_actions=categorical), seed=1)
    env = module.raw_env(**ARGUMENTS)  # it raises for an illegal action
    record = Record(env.tables)
    played = PettingZooWrapper(env, use_mask=True, seed=1).rollout(NUM_STEPS, break_when_any_done=False)
    paid = [float(played["next", agent, "reward"].sum()) for agent in env.possible_agents]
    assert record.num_steps == NUM_STEPS
    assert record.num_games > 1
    assert np.allclose(paid, record.returns, atol=1e-3)
    assert int(played["next", "done"].sum()) == record.num_games
    assert int(sum(played[agent, "mask"].sum() for agent in env.possible_agents)) == NUM_STEPS  # one acts at a time
    return f"check_env_specs; {NUM_STEPS} steps of {record.num_games} games, each seat paid its payoff"


def drive_parallel(game: str) -> str:
    """PettingZooWrapper of turn_based_aec_to_parallel"""
    env = pettingzoo_module(game).raw_env(**ARGUMENTS)
    record = Record(env.tables)
    wrapped = PettingZooWrapper(turn_based_aec_to_parallel(env), use_mask=True, seed=1)
    policy = TensorDictModule(draw, [("player", "action_mask")], [("player", "action")])
    played = wrapped.rollout(NUM_STEPS, policy, break_when_any_done=False)
    assert record.num_steps == NUM_STEPS
    assert np.allclose(played["next", "player", "reward"].sum(0).flatten(), record.returns, atol=1e-3)
    return f"{NUM_STEPS} steps of {record.num_games} games, each seat paid its payoff"


def drive_parallel_random(game: str) -> str:
    """PettingZooWrapper of turn_based_aec_to_parallel, TorchRL's own random actions"""
    wrapped = PettingZooWrapper(turn_based_aec_to_parallel(pettingzoo_module(game).raw_env()), use_mask=True, seed=1)
    with refused(RuntimeError, "invalid multinomial"):  # a seat that is not to act has no legal action to draw
        wrapped.rollout(NUM_STEPS)
    return f"{NUM_STEPS} steps"


def make_masked(game: str) -> EnvBase:
    env = gymnasium.make(env_id(game), scaled=True, illegal_action="raise", max_decisions=100)
    reader = default_info_dict_reader(["action_mask"], {"action_mask": Binary(env.action_space.n, dtype=torch.int8)})
    wrapped = GymWrapper(env, categorical_action_encoding=True).set_info_dict_reader(reader)
    return TransformedEnv(wrapped, ActionMask())


def drive_gym(game: str) -> str:
    """GymWrapper and ActionMask"""
    check_env_specs(make_masked(game), seed=1)
    played = make_masked(game).rollout(NUM_STEPS, break_when_any_done=False)
    assert len(played) == NUM_STEPS
    return f"check_env_specs; {NUM_STEPS} steps of {int(played['next', 'done'].sum())} games"


def drive_processes(game: str) -> str:
    """GymWrapper and ActionMask in ParallelEnv (spawn)"""
    envs = ParallelEnv(2, partial(make_masked, game), mp_start_method="spawn")
    policy = TensorDictModule(draw, ["action_mask"], ["action"])
    played = envs.rollout(NUM_STEPS // 2, policy, break_when_any_done=False)
    assert played.shape == (2, NUM_STEPS // 2)
    envs.close()
    return f"{NUM_STEPS} steps of {int(played['next', 'done'].sum())} games"


if __name__ == "__main__":
    main("torchrl", drive_aec, drive_parallel, drive_parallel_random, drive_gym, drive_processes)
