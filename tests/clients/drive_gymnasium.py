"""Gymnasium: its vector environments over our single one, our own, its wrappers, and masks from the infos alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import sobremesa
from driving import SHORT, env_id, main, refused
from gymnasium import wrappers
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import vector as vector_wrappers
from sobremesa import check

NUM_ENVS, NUM_STEPS = 2, 300
BEFORE_1_4 = gymnasium.__version__ < "1.4"
SAME_STEP, NEXT_STEP, DISABLED = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED


def arguments(game: str) -> dict[str, Any]:
    return {"scaled": True, "illegal_action": "raise", **SHORT[game]}


def make_single(game: str) -> gymnasium.Env:
    return gymnasium.make(env_id(game), disable_env_checker=True, **arguments(game))


def make_sync(game: str, mode: AutoresetMode) -> VectorEnv:
    return SyncVectorEnv([partial(make_single, game)] * NUM_ENVS, autoreset_mode=mode)


def make_async(game: str, mode: AutoresetMode, shared_memory: bool = True) -> VectorEnv:
    makers = [partial(make_single, game)] * NUM_ENVS
    return AsyncVectorEnv(makers, shared_memory=shared_memory, context="spawn", autoreset_mode=mode)


def make_ours(game: str, mode: AutoresetMode) -> VectorEnv:
    return gymnasium.make_vec(env_id(game), num_envs=NUM_ENVS, autoreset_mode=mode, **arguments(game))


def make_vec(game: str, mode: AutoresetMode, kind: str, **more: Any) -> VectorEnv:
    vector_arguments = {"autoreset_mode": mode, **more}
    return gymnasium.make_vec(env_id(game), NUM_ENVS, kind, vector_kwargs=vector_arguments, **arguments(game))


def play(envs: VectorEnv, mode: AutoresetMode) -> Iterator[tuple]:
    """What each step gives, played at random by the masks in the infos; `envs` is closed at the end."""
    rng = np.random.default_rng(0)
    masks = np.zeros((NUM_ENVS, envs.single_action_space.n), np.int8)
    _, infos = envs.reset(seed=5)
    for _ in range(NUM_STEPS):
        read_masks(masks, infos)
        given = envs.step(sobremesa.sample_legal(masks, rng))
        yield given
        infos, ends = given[4], given[2] | given[3]
        if mode is DISABLED and ends.any():
            read_masks(masks, infos)
            _, infos = envs.reset(options={"reset_mask": ends})
    envs.close()


def read_masks(masks: np.ndarray, infos: dict[str, Any]) -> None:
    """Takes over the masks that the infos tell, in place: after a reset of some environments, theirs only."""
    told = infos["_action_mask"]
    masks[told] = infos["action_mask"][told]


def flatten(given: tuple) -> dict[str, Any]:
    """What a step has given, without the seconds that games have taken."""
    return {name: value for name, value in check.flatten(given).items() if not name.endswith("/episode/t")}


def check_equal(mode: AutoresetMode, *all_envs: VectorEnv) -> int:
    """That all give the same at each step. Returns how many games have ended."""
    num_games = 0
    for given in zip(*(play(envs, mode) for envs in all_envs), strict=True):
        first, *others = map(flatten, given)
        assert all(other == first for other in others), mode
        num_games += int((given[0][2] | given[0][3]).sum())
    assert num_games > NUM_ENVS
    return num_games


def drive_vectors(game: str) -> str:
    """SyncVectorEnv, AsyncVectorEnv (spawn) and make_vec"""
    num_games = sum(check_equal(mode, *(make(game, mode) for make in (make_ours, make_sync, make_async)))
                    for mode in AutoresetMode)  # fmt: skip
    others = (
        make_async(game, NEXT_STEP, shared_memory=False),
        make_vec(game, NEXT_STEP, "sync"),
        make_vec(game, NEXT_STEP, "async", context="spawn"),
    )
    num_games += check_equal(NEXT_STEP, make_ours(game, NEXT_STEP), *others)
    return f"all equal in each autoreset mode, {num_games} games"


ANY_MODE: dict[str, Callable[[VectorEnv], VectorEnv]] = {
    "NormalizeReward": vector_wrappers.NormalizeReward,
    "ClipReward": lambda envs: vector_wrappers.ClipReward(envs, -0.5, 0.5),
    "TransformReward": lambda envs: vector_wrappers.TransformReward(envs, lambda rewards: rewards * 2),
}
NOT_SAME_STEP: dict[str, Callable[[VectorEnv], VectorEnv]] = {
    "RescaleObservation": lambda envs: vector_wrappers.RescaleObservation(envs, -1.0, 1.0),
    "DtypeObservation": lambda envs: vector_wrappers.DtypeObservation(envs, np.float64),
    "FlattenObservation": vector_wrappers.FlattenObservation,
}
NEXT_STEP_ONLY = {"NormalizeObservation": vector_wrappers.NormalizeObservation}
WRAPPERS = {
    SAME_STEP: ANY_MODE,
    DISABLED: ANY_MODE | NOT_SAME_STEP,
    NEXT_STEP: ANY_MODE | NOT_SAME_STEP | NEXT_STEP_ONLY,
}


def drive_vector_wrappers(game: str) -> str:
    """vector wrappers"""
    for mode, kinds in WRAPPERS.items():
        for wrap in kinds.values():
            check_equal(mode, wrap(make_ours(game, mode)), wrap(make_sync(game, mode)))
    check_lists(game)
    return ", ".join([*WRAPPERS[NEXT_STEP], "DictInfoToList"])


def check_lists(game: str) -> None:
    """That a list of infos can be made of ours."""
    envs, rng = vector_wrappers.DictInfoToList(make_ours(game, NEXT_STEP)), np.random.default_rng(1)
    _, infos = envs.reset(seed=1)
    for _ in range(NUM_STEPS):
        assert all({"action_mask", "seat"} <= set(info) for info in infos)
        masks = np.array([info["action_mask"] for info in infos])
        *_, infos = envs.step(sobremesa.sample_legal(masks, rng))


def drive_observation_wrappers_same_step(game: str) -> str:
    """vector wrappers of observations, SameStep"""
    with refused(AssertionError if BEFORE_1_4 else ValueError):
        NOT_SAME_STEP["RescaleObservation"](make_ours(game, SAME_STEP))
    return "all but NormalizeObservation"


def drive_statistics(game: str) -> str:
    """RecordEpisodeStatistics of make_vec"""
    num_games = sum(check_statistics(game, mode) for mode in (NEXT_STEP, DISABLED))
    return f"NextStep, Disabled: the learner's payoff and decisions in each of {num_games} games"


def drive_statistics_same_step(game: str) -> str:
    """RecordEpisodeStatistics of make_vec, SameStep"""
    if BEFORE_1_4:
        with refused(AssertionError, "recorded"):
            check_statistics(game, SAME_STEP)
    return f"the learner's payoff and decisions in each of {check_statistics(game, SAME_STEP)} games"


def check_statistics(game: str, mode: AutoresetMode) -> int:
    """That what is recorded of each game is the learner's payoff and its decisions. Returns the number of games."""
    num_games, was_paid, ends = 0, False, np.zeros(NUM_ENVS, bool)
    lengths = np.zeros(NUM_ENVS, int)
    for *_, terminated, truncated, infos in play(vector_wrappers.RecordEpisodeStatistics(make_ours(game, mode)), mode):
        lengths += ~ends if mode is NEXT_STEP else 1  # NextStep's resets are no decisions
        ends = terminated | truncated
        told = infos.get("final_info", infos)
        for i in np.flatnonzero(ends):
            recorded = float(infos["episode"]["r"][i]), int(infos["episode"]["l"][i])
            played = float(told["returns"][i, told["seat"][i]]), int(lengths[i])
            assert np.allclose(recorded, played, atol=1e-5), f"recorded {recorded}, played {played}"
            num_games, was_paid = num_games + 1, was_paid or played[0] != 0
        lengths[ends] = 0
    assert num_games > NUM_ENVS
    assert was_paid
    return num_games


SINGLE_WRAPPERS: dict[str, Callable[[gymnasium.Env], gymnasium.Env]] = {
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "NormalizeObservation": wrappers.NormalizeObservation,
    "NormalizeReward": wrappers.NormalizeReward,
    "FrameStackObservation": lambda env: wrappers.FrameStackObservation(env, 4),
    "RescaleObservation": lambda env: wrappers.RescaleObservation(env, np.float32(-1), np.float32(1)),
    "TimeLimit": lambda env: wrappers.TimeLimit(env, 10),
    "TimeAwareObservation": lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 10)),
    "Autoreset": wrappers.Autoreset,
}


def drive_single_wrappers(game: str) -> str:
    """wrappers of the single environment"""
    for wrap in SINGLE_WRAPPERS.values():
        env, rng = wrap(make_single(game)), np.random.default_rng(2)
        observation, info = env.reset(seed=3)
        for _ in range(NUM_STEPS):
            assert env.observation_space.contains(observation)
            mask = info["action_mask"]
            assert np.array_equal(mask, env.get_wrapper_attr("action_masks")())
            action = sobremesa.sample_legal(mask, rng) if mask.any() else 0  # Autoreset takes any where it resets
            observation, _, terminated, truncated, info = env.step(action)
            if (terminated or truncated) and not isinstance(env, wrappers.Autoreset):
                observation, info = env.reset()
    return ", ".join(SINGLE_WRAPPERS)


if __name__ == "__main__":
    main(
        drive_vectors,
        drive_vector_wrappers,
        drive_observation_wrappers_same_step,
        drive_statistics,
        drive_statistics_same_step,
        drive_single_wrappers,
    )
