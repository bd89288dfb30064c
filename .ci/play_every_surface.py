"""Plays a game of each surface that needs no extra, for each game, with the installed package."""

import importlib
import pathlib

import gymnasium
import numpy as np
import pettingzoo
import sobremesa


def play_tables(game, rng):
    tables = sobremesa.Tables(game, num_tables=8, seed=1)
    num_games = 0
    while not num_games:
        tables.step(sobremesa.sample_legal(tables.legal_action_mask, rng))
        num_games += int((tables.terminated | tables.truncated).sum())
    assert np.allclose(tables.rewards.sum(axis=1), 0, atol=1e-6)


def play_aec(env, rng):
    env.reset(seed=1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        over = terminated or truncated
        env.step(None if over else sobremesa.sample_legal(observation["action_mask"], rng))
    assert abs(sum(total.values())) < 1e-6


def play_single(env_id, rng):
    env = gymnasium.make(env_id)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(sobremesa.sample_legal(info["action_mask"], rng))
        over = terminated or truncated
    assert "winners" in info


def play_vector(env_id, rng):
    envs = gymnasium.make_vec(env_id, num_envs=4, autoreset_mode="SameStep")
    _, infos = envs.reset(seed=1)
    while "final_info" not in infos:
        *_, infos = envs.step(sobremesa.sample_legal(infos["action_mask"], rng))


def main():
    assert not pathlib.Path(sobremesa.__file__).is_relative_to(pathlib.Path.cwd())
    rng = np.random.default_rng(1)
    for name, game in sobremesa.games().items():
        module = importlib.import_module(f"sobremesa.{name}_v{game.version}")
        play_tables(name, rng)
        play_aec(module.env(), rng)
        play_aec(module.raw_env(), rng)
        play_aec(pettingzoo.make("aec", game.env_id), rng)
        play_single(game.env_id, rng)
        play_vector(game.env_id, rng)
        print(f"{name}: every surface has been played from the wheel, sobremesa {sobremesa.__version__}")


if __name__ == "__main__":
    main()
