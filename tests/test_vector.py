"""The VectorEnv against Gymnasium's SyncVectorEnv of the single environment: nothing may differ."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import sobremesa
import support
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from sobremesa import check
from sobremesa.tables import DECISIONS_PER_THREAD

NUM_ENVS = 5
NUM_STEPS = 80
MOST_DECISIONS = 24  # so that many games end
MODES = list(AutoresetMode)


def make_pair(game: str, mode: AutoresetMode, **arguments: Any) -> tuple[VectorEnv, VectorEnv]:
    """Ours, and Gymnasium's."""
    arguments = {"max_decisions": MOST_DECISIONS, **arguments}
    ours = gymnasium.make_vec(support.env_id(game), num_envs=NUM_ENVS, autoreset_mode=mode.value, **arguments)
    make_one = lambda: gymnasium.make(support.env_id(game), disable_env_checker=True, **arguments)  # noqa: E731
    return ours, SyncVectorEnv([make_one] * NUM_ENVS, autoreset_mode=mode)


def reset_both(pair: tuple[VectorEnv, VectorEnv], **arguments: Any) -> np.ndarray:
    """That both give the same at a reset. Returns the masks."""
    given = [envs.reset(**_copied(arguments)) for envs in pair]
    assert support.flatten(given[0]) == support.flatten(given[1])
    return pair[0].action_masks()


def _copied(arguments: dict[str, Any]) -> dict[str, Any]:
    """Gymnasium takes the mask out of the options it is given."""
    return {name: dict(value) if isinstance(value, dict) else value for name, value in arguments.items()}


def choose(masks: np.ndarray, step: int) -> np.ndarray:
    return support.nth_legal(masks, support.scatter(np.arange(len(masks)), step))


def second_choice(observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """An opponent whose actions depend on all it is given."""
    assert observations.ndim == masks.ndim == 2
    assert len(observations) == len(masks) == len(seats)
    assert masks.dtype == np.bool_
    numbers = support.scatter((observations * 255).astype(np.int64).sum(axis=1), seats)
    return support.nth_legal(masks, numbers)


def expect_what_gymnasium_makes(game: str, mode: AutoresetMode, **arguments: Any) -> None:
    """That ours gives what Gymnasium's gives, both made by their ids."""
    arguments = {"max_decisions": MOST_DECISIONS, "num_games": NUM_ENVS, "seed": 7, **arguments}
    make = functools.partial(gymnasium.make, support.env_id(game), disable_env_checker=True)
    make_vec = functools.partial(gymnasium.make_vec, support.env_id(game))
    check.check_vector(make, make_vec, num_envs=NUM_ENVS, autoreset_modes=[mode], **arguments)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_it_is_what_gymnasium_makes_of_single_environments(game, mode):
    for parameters in support.variants(game):
        for arguments in ({}, {"seat": 0, "scaled": True}):
            expect_what_gymnasium_makes(game, mode, **arguments, **parameters)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_it_is_with_whole_games_too(game, mode):
    most = sobremesa.games()[game].max_decisions
    expect_what_gymnasium_makes(game, mode, seed=1, num_games=1, reward="score", max_decisions=most)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_callable_opponents(game, mode):
    for parameters in support.variants(game):
        expect_what_gymnasium_makes(game, mode, opponent=second_choice, **parameters)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("opponent", ["random", second_choice])
def test_forfeits(game, mode, opponent):
    for n in support.player_counts(game):
        expect_what_gymnasium_makes(game, mode, num_players=n, opponent=opponent, illegal_every=2)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_nothing_returned_is_overwritten(game, mode):
    for parameters in support.variants(game):
        envs, _ = make_pair(game, mode, **parameters)
        kept = [envs.reset(seed=1)]
        then = [support.flatten(kept[0])]
        for step in range(60):
            given = envs.step(choose(envs.action_masks(), step))
            kept.append(given)
            then.append(support.flatten(given))
            ends = given[2] | given[3]
            if mode is AutoresetMode.DISABLED and ends.any():
                envs.reset(options={"reset_mask": ends})
        assert [support.flatten(given) for given in kept] == then


def test_what_is_returned_may_be_written_to(game):
    """Nobody's arrays but the caller's own."""
    envs, untouched = (make_pair(game, AutoresetMode.SAME_STEP)[0] for _ in range(2))
    for one in (envs, untouched):
        one.reset(seed=4)
    for step in range(60):
        actions = choose(untouched.action_masks(), step)
        given, expected = envs.step(actions), untouched.step(actions)
        assert support.flatten(given) == support.flatten(expected)
        observations, rewards, terminated, truncated, infos = given
        for array in (
            observations,
            rewards,
            terminated,
            truncated,
            infos["action_mask"],
            infos["seat"],
            infos["_seat"],
        ):
            array[:] = 1


def test_types_and_spaces(game):
    for scaled in (False, True):
        for mode in MODES:
            envs, theirs = make_pair(game, mode, scaled=scaled)
            assert envs.metadata["autoreset_mode"] is mode
            for name in ("single_observation_space", "observation_space", "single_action_space", "action_space"):
                assert getattr(envs, name) == getattr(theirs, name), name
            observations, infos = envs.reset(seed=1)
            assert envs.observation_space.contains(observations)
            for one in (envs, theirs):
                one.action_space.seed(5)
            assert np.array_equal(envs.action_space.sample(), theirs.action_space.sample())
            _, rewards, terminated, truncated, _ = envs.step(choose(envs.action_masks(), 0))
            assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
            assert infos["action_mask"].dtype == np.int8
            assert envs.action_masks().dtype == np.bool_


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.value)
def test_gymnasiums_vector_wrappers_see_the_same(game, mode):
    pair = [RecordEpisodeStatistics(envs) for envs in make_pair(game, mode, reward="score")]
    for envs in pair:
        envs.reset(seed=4)
    num_ends = 0
    for step in range(NUM_STEPS):
        actions = choose(pair[0].env.action_masks(), step)
        given = [envs.step(actions) for envs in pair]
        ends = given[0][2] | given[0][3]
        told = [dict(infos.get("episode", {}), _episode=infos.get("_episode")) for *_, infos in given]
        for each in told:
            each.pop("t", None)  # seconds
        assert support.flatten(told[0]) == support.flatten(told[1])
        num_ends += ends.sum()
    assert num_ends > NUM_ENVS


def test_all_environments_see_different_games(game):
    envs = gymnasium.make_vec(support.env_id(game), num_envs=64)
    envs.reset(seed=1)
    assert len(np.unique(envs.unwrapped.tables.full_state(), axis=0)) == 64


def test_payoffs_of_whole_games_are_in_the_final_infos(game):
    envs, _ = make_pair(game, AutoresetMode.SAME_STEP, reward="score")
    envs.reset(seed=2)
    totals, checked = np.zeros(NUM_ENVS), 0
    for step in range(200):
        seats = envs.learner.seats.copy()
        _, rewards, terminated, truncated, infos = envs.step(choose(envs.action_masks(), step))
        totals += rewards
        for i in np.flatnonzero(terminated | truncated):
            final = infos["final_info"]
            assert totals[i] == pytest.approx(final["returns"][i, seats[i]], abs=1e-5)
            assert final["seat"][i] == seats[i]
            assert 1 <= final["length"][i] <= MOST_DECISIONS
            totals[i] = 0
            checked += 1
    assert checked > NUM_ENVS


def test_threads_change_nothing(game):
    num_envs = 2 * DECISIONS_PER_THREAD + 1
    pair = [
        gymnasium.make_vec(support.env_id(game), num_envs=num_envs, num_threads=num_threads, max_decisions=6)
        for num_threads in (1, 2)
    ]
    given = [envs.reset(seed=5) for envs in pair]
    for step in range(8):
        assert support.flatten(given[0]) == support.flatten(given[1])
        given = [envs.step(choose(envs.action_masks(), step)) for envs in pair]


def test_gymnasiums_processes_give_the_same(game):
    make_one: Callable[[], gymnasium.Env] = lambda: gymnasium.make(support.env_id(game), max_decisions=MOST_DECISIONS)  # noqa: E731
    envs = AsyncVectorEnv([make_one] * 2, context="spawn")
    ours = gymnasium.make_vec(support.env_id(game), num_envs=2, max_decisions=MOST_DECISIONS)
    try:
        given = envs.reset(seed=3), ours.reset(seed=3)
        for step in range(40):
            assert support.flatten(given[0]) == support.flatten(given[1])
            actions = choose(ours.action_masks(), step)
            given = envs.step(actions), ours.step(actions)
    finally:
        envs.close()


def wrong_reset_masks() -> list[Any]:
    return [np.zeros(NUM_ENVS, bool), np.ones(NUM_ENVS, np.int8), np.ones(NUM_ENVS + 1, bool), [True] * NUM_ENVS, None]


def test_a_wrong_reset_mask_is_refused_and_changes_nothing(game):
    envs, _ = make_pair(game, AutoresetMode.DISABLED, render_mode="ansi")
    envs.reset(seed=1)
    before = support.flatten(support.look_at_vector(envs))
    for mask in wrong_reset_masks():
        with pytest.raises(sobremesa.ParameterError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    assert support.flatten(support.look_at_vector(envs)) == before


def test_stepping_an_ended_game_raises_without_autoreset(game):
    envs, _ = make_pair(game, AutoresetMode.DISABLED)
    envs.reset(seed=1)
    while not envs.learner.is_over.any():
        envs.step(choose(envs.action_masks(), 0))
    with pytest.raises(sobremesa.IllegalActionError, match="over"):
        envs.step(choose(envs.action_masks(), 0))


def test_options_are_for_every_reset_environment(game):
    known, rng = support.situation(game), support.random_of(game, 1)
    parameters = known.draw_parameters(rng)
    pair = make_pair(game, AutoresetMode.DISABLED, **{**parameters, "max_decisions": MOST_DECISIONS})
    reset_both(pair, seed=1)
    mask = np.arange(NUM_ENVS) % 2 == 0
    reset_both(pair, options={**known.draw_options(rng, parameters), "reset_mask": mask})
    for step in range(NUM_STEPS):
        actions = choose(pair[0].action_masks(), step)
        given = [envs.step(actions) for envs in pair]
        assert support.flatten(given[0]) == support.flatten(given[1]), f"step {step}"
        ends = given[0][2] | given[0][3]
        if ends.any():
            reset_both(pair, options={"reset_mask": ends})
