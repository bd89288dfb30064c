"""What several test files share.

Letters in shapes: N tables, n players, A actions, O observation entries.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import json
import os
import pathlib
import random
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import sobremesa
from sobremesa.check import flatten

TESTS = pathlib.Path(__file__).parent


def situation(game: str) -> ModuleType:
    """What the shared tests need to know about a game."""
    return importlib.import_module(f"situations.{game}")


def pettingzoo_module(game: str) -> ModuleType:
    """Such as `sobremesa.<game>_v0`."""
    return importlib.import_module(f"sobremesa.{game}_v{sobremesa.games()[game].version}")


def env_id(game: str) -> str:
    return sobremesa.games()[game].env_id


def player_counts(game: str) -> list[int]:
    low, high, _ = sobremesa.games()[game].players
    return list(range(low, high + 1))


def variants(game: str) -> list[dict[str, Any]]:
    """The defaults, then every number of players, with both rewards, and recall on and off."""
    kinds = [("score", False), ("outcome", True), ("score", True), ("outcome", False)]
    return [{}] + [
        {"num_players": n, "reward": kinds[k % 4][0], "recall": kinds[k % 4][1]}
        for k, n in enumerate(player_counts(game))
    ]


def deals_of(given: Any) -> list[list[int]]:
    """One dictated deck, or a list of them, as a list of decks."""
    return list(given) if isinstance(given[0], list) else [given]


def random_of(game: str, number: int) -> random.Random:
    """To draw what the game with that number is played with."""
    return random.Random(f"{game} {number}")


def compile_kernels(game: str) -> None:
    """Every loop once, so that no test is charged with compiling."""
    tables = sobremesa.Tables(game, 2, seed=0)
    tables.step(first_legal(tables.legal_action_mask))
    tables.play_random(1)
    tables.play_random_until(np.zeros(2, np.int64))
    tables.redeal_hidden(0, seed=0)
    tables.refresh()
    tables.observe(0)
    gymnasium.make(env_id(game)).reset(seed=0)


# Ways to choose that depend on nothing but the mask and a number


def first_legal(mask: np.ndarray) -> np.ndarray:
    """`[N]`, of a mask `[N, A]`."""
    return mask.argmax(axis=1)


def nth_legal(mask: np.ndarray, number: Any) -> np.ndarray:
    """Of each row of a mask `[N, A]` the legal action of rank `number` `[N]` modulo their count; 0 if there is none."""
    counts = np.maximum(mask.sum(axis=1), 1)
    return (np.cumsum(mask, axis=1) > (number % counts)[:, None]).argmax(axis=1)


def scatter(*numbers: Any) -> Any:
    """A number ≥ 0, or int64 `[N]` of them, that looks random: a hash of the given ones."""
    mixed = np.uint64(0)
    with np.errstate(over="ignore"):
        for number in numbers:
            mixed = (mixed ^ np.asarray(number).astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            mixed = mixed ^ (mixed >> np.uint64(29))
    return (mixed >> np.uint64(1)).astype(np.int64)


# Everything that can be seen, as `flatten` compares it


def digest(value: Any) -> str:
    hashed = hashlib.sha256()
    for path, entry in sorted(flatten(value).items()):
        for part in (path, *entry):
            hashed.update((part if isinstance(part, bytes) else repr(part).encode()) + b"\n")
    return hashed.hexdigest()


def snapshot(tables: sobremesa.Tables) -> dict[str, np.ndarray]:
    """Copies of everything that Tables show, and of what they keep."""
    shown = {
        "current_player": tables.current_player,
        "legal_action_mask": tables.legal_action_mask,
        "observation": tables.observation,
        "rewards": tables.rewards,
        "terminated": tables.terminated,
        "truncated": tables.truncated,
        "winners": tables.winners,
        **tables._arrays(),
    }
    return {name: array.copy() for name, array in shown.items()}


def assert_same(left: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray], message: str = "") -> None:
    """That two snapshots are equal, byte for byte."""
    differing = [
        name
        for name in left
        if left[name].dtype != right[name].dtype
        or left[name].shape != right[name].shape
        or left[name].tobytes() != right[name].tobytes()
    ]
    assert not differing, f"{message}: {differing} differ"


def is_zero_sum(rewards: np.ndarray) -> bool:
    return bool(np.all(np.abs(rewards.sum(axis=-1, dtype=np.float64)) < 1e-5))


# Surfaces: for each way to use a game, how to make it, what it shows, and one step of it


def look_at_aec(env: Any) -> dict[str, Any]:
    agents = env.possible_agents
    return {
        "agents": env.agents,
        "agent_selection": env.agent_selection,
        "observe": {agent: env.observe(agent) for agent in agents},
        "rewards": env.rewards,
        "cumulative": env._cumulative_rewards,
        "terminations": env.terminations,
        "truncations": env.truncations,
        "infos": env.infos,
        "state": env.state(),
        "text": env.render(),
    }


def advance_aec(env: Any, number: int) -> dict[str, Any]:
    """One step (of a dead agent too), or a new game; all that can be seen afterwards."""
    if not env.agents:
        env.reset()
        return look_at_aec(env)
    observation, _, terminated, truncated, _ = env.last()
    mask = observation["action_mask"]
    env.step(None if terminated or truncated else nth_legal(mask[None], number)[0])
    return look_at_aec(env) if env.agents else {"rewards": env.rewards, "infos": env.infos}


def look_at_single(env: Any) -> dict[str, Any]:
    bare = env.unwrapped
    return {"mask": bare.action_masks(), "text": env.render(), "seat": bare.learner.seats, "state": bare.tables.state}


def advance_single(env: Any, number: int) -> dict[str, Any]:
    mask = env.unwrapped.action_masks()
    given = env.step(nth_legal(mask[None], number)[0]) if mask.any() else env.reset()
    return {"given": given, **look_at_single(env)}


def look_at_vector(envs: Any) -> dict[str, Any]:
    return {
        "masks": envs.action_masks(),
        "text": envs.render(),
        "seats": envs.learner.seats,
        "state": envs.tables.state,
        "over": envs.learner.is_over,
    }


def advance_vector(envs: Any, number: int) -> dict[str, Any]:
    actions = nth_legal(envs.action_masks(), scatter(np.arange(envs.num_envs), number))
    return {"given": envs.step(actions), **look_at_vector(envs)}


def look_at_tables(tables: sobremesa.Tables) -> dict[str, Any]:
    seats = {str(seat): tables.observe(seat) for seat in range(tables.num_players)}
    return {**snapshot(tables), "observe": seats, "full_state": tables.full_state(), "repr": repr(tables)}


def advance_tables(tables: sobremesa.Tables, number: int) -> dict[str, Any]:
    tables.step(nth_legal(tables.legal_action_mask, scatter(np.arange(tables.num_tables), number)))
    return look_at_tables(tables)


def make_tables(game: str, **parameters: Any) -> sobremesa.Tables:
    return sobremesa.Tables(game, 3, seed=5, **parameters)


def make_raw_env(game: str, **parameters: Any) -> Any:
    env = pettingzoo_module(game).raw_env(render_mode="ansi", **parameters)
    env.reset(seed=5)
    return env


def make_env(game: str, **parameters: Any) -> Any:
    env = pettingzoo_module(game).env(render_mode="ansi", **parameters)
    env.reset(seed=5)
    return env


def make_single(game: str, **parameters: Any) -> gymnasium.Env:
    env = gymnasium.make(env_id(game), render_mode="ansi", **parameters)
    env.reset(seed=5)
    return env


def make_vector(game: str, **parameters: Any) -> Any:
    envs = gymnasium.make_vec(env_id(game), num_envs=3, render_mode="ansi", **parameters)
    envs.reset(seed=5)
    return envs


SURFACES = {
    "tables": (make_tables, look_at_tables, advance_tables),
    "raw_env": (make_raw_env, look_at_aec, advance_aec),
    "env": (make_env, look_at_aec, advance_aec),
    "single": (make_single, look_at_single, advance_single),
    "vector": (make_vector, look_at_vector, advance_vector),
}


def look_at_vec_env(envs: Any) -> dict[str, Any]:
    kept = {"returns": envs._returns, "lengths": envs._lengths}
    return {"masks": envs.action_masks(), "seats": envs.learner.seats, "state": envs.tables.state, **kept}


def advance_vec_env(envs: Any, number: int) -> dict[str, Any]:
    actions = nth_legal(envs.action_masks(), scatter(np.arange(envs.num_envs), number))
    observations, rewards, dones, infos = envs.step(actions)
    for info in infos:
        info.get("episode", {}).pop("t", None)  # seconds
    return {"given": (observations, rewards, dones, infos), **look_at_vec_env(envs)}


def make_vec_env(game: str, **parameters: Any) -> Any:
    from sobremesa_agents import SeatVecEnv  # which takes seconds

    envs = SeatVecEnv(game, 3, seed=5, **parameters)
    envs.reset()
    return envs


ALL_SURFACES = {**SURFACES, "vec_env": (make_vec_env, look_at_vec_env, advance_vec_env)}


def story(game: str, num_steps: int, **more: Any) -> Iterator[dict[str, Any]]:
    """What every surface without an extra shows over `num_steps` steps, for each variant of the game."""
    for parameters in variants(game):
        for make, look, advance in SURFACES.values():
            surface = make(game, **parameters, **more)
            yield look(surface)
            for step in range(num_steps):
                yield advance(surface, scatter(step))


def story_digest(game: str, num_steps: int, **more: Any) -> str:
    return digest([digest(shown) for shown in story(game, num_steps, **more)])


# Other processes


PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # of linux/prctl.h and linux/capability.h


def bind_by_permissions() -> None:
    """For a new process: where root may write to what is read-only, it no longer may after the next exec."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)  # others than root may not, and need not


@contextmanager
def read_only(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """The folder and all that is in it, which nobody may write to meanwhile; root must be bound by permissions."""
    inside = [folder, *folder.rglob("*")]
    for path in inside:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        yield folder
    finally:
        for path in inside:
            path.chmod(path.stat().st_mode | stat.S_IWUSR)


def run_python(code: str, *options: str, is_bound: bool = False, **environment: str | None) -> Any:
    """What `code` prints last, read as JSON, run by a new interpreter; a variable that is None is taken away.

    is_bound: permissions hold even for root.
    """
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    settings = {**os.environ, "PYTHONPATH": path, **environment}
    kept = {name: value for name, value in settings.items() if value is not None}
    run = subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        env=kept,
        timeout=600,
        preexec_fn=bind_by_permissions if is_bound else None,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout.splitlines()[-1])
