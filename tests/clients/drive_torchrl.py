"""TorchRL: its PettingZoo and Gymnasium wrappers, with the masks that they read from us."""

from __future__ import annotations

from functools import partial

import gymnasium
import numpy as np
import torch
from driving import SHORT, Record, env_id, main, pettingzoo_module, refused
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.data import Binary
from torchrl.envs import ActionMask, EnvBase, GymWrapper, ParallelEnv, PettingZooWrapper, TransformedEnv
from torchrl.envs.gym_like import default_info_dict_reader
from torchrl.envs.utils import check_env_specs

NUM_STEPS, SEED = 1000, 1


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
                check_env_specs(PettingZooWrapper(env, use_mask=True, categorical_actions=categorical), seed=SEED)
    env = module.raw_env(**SHORT[game])  # it raises for an illegal action
    record = Record(env.tables)
    played = PettingZooWrapper(env, use_mask=True, seed=SEED).rollout(NUM_STEPS, break_when_any_done=False)
    paid = [float(played["next", agent, "reward"].sum()) for agent in env.possible_agents]
    assert record.num_steps == NUM_STEPS
    assert record.num_games > 1
    assert np.allclose(paid, record.returns, atol=1e-3)
    assert record.was_paid
    assert int(played["next", "done"].sum()) == record.num_games
    assert int(sum(played[agent, "mask"].sum() for agent in env.possible_agents)) == NUM_STEPS  # one acts at a time
    return f"check_env_specs; {NUM_STEPS} steps of {record.num_games} games, each seat paid its payoff"


def drive_parallel(game: str) -> str:
    """PettingZooWrapper of turn_based_aec_to_parallel"""
    env = pettingzoo_module(game).raw_env(**SHORT[game])
    record = Record(env.tables)
    wrapped = PettingZooWrapper(turn_based_aec_to_parallel(env), use_mask=True, seed=SEED)
    policy = TensorDictModule(draw, [("player", "action_mask")], [("player", "action")])
    played = wrapped.rollout(NUM_STEPS, policy, break_when_any_done=False)
    assert record.num_steps == NUM_STEPS
    assert np.allclose(played["next", "player", "reward"].sum(0).flatten(), record.returns, atol=1e-3)
    assert record.was_paid
    return f"{NUM_STEPS} steps of {record.num_games} games, each seat paid its payoff"


def drive_parallel_random(game: str) -> str:
    """PettingZooWrapper of turn_based_aec_to_parallel, TorchRL's own random actions"""
    wrapped = PettingZooWrapper(turn_based_aec_to_parallel(pettingzoo_module(game).raw_env()), use_mask=True, seed=SEED)
    with refused(RuntimeError, "invalid multinomial"):  # a seat that is not to act has no legal action to draw
        wrapped.rollout(NUM_STEPS)
    return f"{NUM_STEPS} steps"


def make_single(game: str) -> gymnasium.Env:
    return gymnasium.make(env_id(game), scaled=True, illegal_action="raise", **SHORT[game])


def make_masked(game: str) -> EnvBase:
    env = make_single(game)
    reader = default_info_dict_reader(["action_mask"], {"action_mask": Binary(env.action_space.n, dtype=torch.int8)})
    wrapped = GymWrapper(env, categorical_action_encoding=True).set_info_dict_reader(reader)
    return TransformedEnv(wrapped, ActionMask())


def drive_gym(game: str) -> str:
    """GymWrapper and ActionMask"""
    check_env_specs(make_masked(game), seed=SEED)
    env = make_masked(game)
    env.set_seed(SEED)
    played = env.rollout(NUM_STEPS, break_when_any_done=False)
    assert len(played) == NUM_STEPS
    assert played["next", "reward"].any()
    check_as_without(make_single(game), played)
    return f"check_env_specs; {NUM_STEPS} steps of {int(played['next', 'done'].sum())} games, all as without TorchRL"


def check_as_without(env: gymnasium.Env, played: TensorDict) -> None:
    """That the same actions lead to the same observations, masks, rewards and ends without TorchRL."""
    env.reset(seed=SEED)  # as `set_seed` does, and `rollout` resets once more
    seen, info = env.reset()
    observations, masks = played["observation"].numpy(), played["action_mask"].numpy()
    actions, rewards = played["action"].tolist(), played["next", "reward"].flatten().tolist()
    for step, ends in enumerate(zip(*(played["next", name].tolist() for name in ("terminated", "truncated")))):
        assert np.array_equal(observations[step], seen)
        assert np.array_equal(masks[step], info["action_mask"])
        seen, reward, *ended, info = env.step(actions[step])
        assert (rewards[step], [end for (end,) in ends]) == (reward, ended)
        if any(ended):
            seen, info = env.reset()


def drive_processes(game: str) -> str:
    """GymWrapper and ActionMask in ParallelEnv (spawn)"""
    envs = ParallelEnv(2, partial(make_masked, game), mp_start_method="spawn")
    policy = TensorDictModule(draw, ["action_mask"], ["action"])
    played = envs.rollout(NUM_STEPS // 2, policy, break_when_any_done=False)
    assert played.shape == (2, NUM_STEPS // 2)
    assert played["next", "reward"].any()
    envs.close()
    return f"{NUM_STEPS} steps of {int(played['next', 'done'].sum())} games"


if __name__ == "__main__":
    torch.manual_seed(SEED)
    main(drive_aec, drive_parallel, drive_parallel_random, drive_gym, drive_processes)
