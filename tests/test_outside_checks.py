"""What PettingZoo, Gymnasium and Stable-Baselines3 ask of an environment, and what their checks leave out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
import sobremesa
import support
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test
from sobremesa import check
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

NUM_CYCLES = 60  # rounds of the agents in which `api_test` and `seed_test` play
UNAVOIDABLE = (
    "Observation is not a NumPy array",  # it is a Dict, for the mask in it
    "Observation space for each agent probably should be gymnasium.spaces.box",  # the same
    "Action mask numpy array is all zeros",  # of an agent that is dead
    "ignores the options",  # `api_test` passes an unknown option
)


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Iterator[None]:
    """Warnings of a check are failures, but for the few that no environment with masks can avoid."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in UNAVOIDABLE:
            warnings.filterwarnings("ignore", message=f".*{text}")
        yield


# PettingZoo


@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_pettingzoo_api_test(game, kind):
    for parameters in support.variants(game):
        for scaled in (False, True):
            make = getattr(support.pettingzoo_module(game), kind)
            api_test(make(scaled=scaled, **parameters), num_cycles=NUM_CYCLES)


def test_pettingzoo_api_test_over_the_end_of_games(game):
    for n in support.player_counts(game):
        api_test(support.pettingzoo_module(game).env(num_players=n, max_decisions=20), num_cycles=100)


@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_pettingzoo_seed_test(game, kind):
    for parameters in support.variants(game):
        seed_test(lambda: getattr(support.pettingzoo_module(game), kind)(**parameters), num_cycles=NUM_CYCLES)  # noqa: B023


def test_pettingzoo_render_test(game, capsys):
    for n in support.player_counts(game):
        render_test(lambda **mode: support.pettingzoo_module(game).env(num_players=n, **mode))  # noqa: B023
    assert capsys.readouterr().out.strip(), "human mode prints the table"


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has no registry before 1.27")
def test_pettingzoo_make(game):
    env = pettingzoo.make("aec", support.env_id(game), render_mode="ansi", reward="score")
    env.reset(seed=1)
    assert env.unwrapped.tables.game is sobremesa.games()[game]
    assert env.unwrapped.tables.parameters["reward"] == "score"
    assert env.render() == env.unwrapped.tables.to_text(0)


# PettingZoo, what it doesn't check


def choose(observation: dict[str, np.ndarray], number: int) -> int:
    return int(support.nth_legal(observation["action_mask"][None], support.scatter(number))[0])


def test_types_at_each_step_of_the_aec_environment(game):
    for parameters in support.variants(game):
        for scaled in (False, True):
            env = support.pettingzoo_module(game).raw_env(scaled=scaled, max_decisions=40, **parameters)
            env.reset(seed=2)
            for number, agent in enumerate(env.agent_iter()):
                observation, reward, terminated, truncated, info = env.last()
                space = env.observation_space(agent)
                assert space.contains(observation)
                assert observation["observation"].dtype == space["observation"].dtype
                assert observation["action_mask"].dtype == info["action_mask"].dtype == np.int8
                assert type(reward) is float
                assert type(terminated) is type(truncated) is bool
                if env.agents == env.possible_agents:  # dead steps leave PettingZoo's own zeros
                    assert {type(value) for value in env.rewards.values()} == {float}
                assert {type(value) for value in [*env.terminations.values(), *env.truncations.values()]} == {bool}
                env.step(None if terminated or truncated else choose(observation, number))


def test_last_gives_each_seat_its_payoff_exactly_once(game):
    for n in support.player_counts(game):
        for parameters in ({"reward": "score"}, {"max_decisions": 2000}, {"reward": "score", "max_decisions": 60}):
            check.check_rewards(game, num_games=1, seed=n, num_players=n, **parameters)


def test_agents_leave_after_one_dead_step_each(game):
    for n in support.player_counts(game):
        env = support.pettingzoo_module(game).env(num_players=n, max_decisions=15)
        env.reset(seed=1)
        number = 0
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            env.step(choose(env.last()[0], number))
            number += 1
        assert env.agents == env.possible_agents
        left = []
        while env.agents:
            left.append(env.agent_selection)
            with pytest.raises(ValueError, match="None"):
                env.unwrapped.step(0)
            env.step(None)
        assert sorted(left) == env.possible_agents


def illegal_actions(env: Any) -> list[int]:
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0).tolist()


def test_the_wrapped_environment_ends_an_illegal_game_and_plays_the_next(game):
    for n in support.player_counts(game):
        env = support.pettingzoo_module(game).env(num_players=n, max_decisions=100)
        for seed in range(3):
            env.reset(seed=seed)
            for number in range(seed * 3):
                env.step(choose(env.last()[0], number))
            mover = env.agent_selection
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PettingZoo tells of the illegal move
                env.step(illegal_actions(env)[seed])
            assert all(env.terminations.values())
            assert {agent: float(reward) for agent, reward in env.rewards.items()} == {
                agent: -1.0 if agent == mover else 0.0 for agent in env.agents
            }
            assert not any(info["action_mask"].any() for info in env.infos.values())
            while env.agents:
                env.step(None)
        env.reset(seed=9)
        bare = support.pettingzoo_module(game).raw_env(num_players=n, max_decisions=100)
        bare.reset(seed=9)
        for number, agent in enumerate(env.agent_iter()):
            assert agent == bare.agent_selection == env.unwrapped.agent_selection
            observation, _, terminated, truncated, _ = env.last()
            assert support.flatten(observation) == support.flatten(bare.observe(agent))
            for one in (env, bare):
                one.step(None if terminated or truncated else choose(observation, number))
        assert number >= n


def test_the_raw_environment_raises_for_an_illegal_action_and_changes_nothing(game):
    for parameters in support.variants(game):
        env = support.make_raw_env(game, **parameters)
        for number in range(20):
            before = support.flatten(support.look_at_aec(env))
            for action in (illegal_actions(env)[0], illegal_actions(env)[-1], env.unwrapped.tables.num_actions, -1):
                with pytest.raises(sobremesa.IllegalActionError, match=env.agent_selection):
                    env.step(action)
            with pytest.raises(TypeError, match=env.agent_selection):
                env.step(None)
            for nonsense in (0.0, float("nan"), "0", [0, 1]):
                with pytest.raises((TypeError, ValueError)):
                    env.step(nonsense)
            assert support.flatten(support.look_at_aec(env)) == before
            support.advance_aec(env, number)


def test_what_the_aec_environment_gave_is_not_overwritten(game):
    for parameters in support.variants(game):
        check.check_buffers(game, num_games=1, **parameters, max_decisions=40)


def test_one_mask_array_and_one_infos_dict_between_steps(game):
    env = support.make_raw_env(game)
    infos, agent = env.infos, env.agent_selection
    assert env.infos is infos
    assert env.observe(agent)["action_mask"] is env.last()[4]["action_mask"] is infos[agent]["action_mask"]
    support.advance_aec(env, 0)
    assert env.infos is not infos
    assert env.infos[env.agent_selection]["action_mask"] is not infos[agent]["action_mask"]


def test_unknown_options_are_told_and_ignored_and_bad_ones_refused(game):
    env = support.pettingzoo_module(game).env()
    with pytest.warns(UserWarning, match="ignores the options"):
        env.reset(seed=3, options={"weather": "fine"})
    for name in sobremesa.games()[game].options:
        with pytest.raises(sobremesa.ParameterError, match=name):
            env.reset(options={name: [None]})


def test_unknown_parameters_and_render_modes_are_refused(game):
    module = support.pettingzoo_module(game)
    for make in (module.env, module.raw_env, lambda **given: gymnasium.make(support.env_id(game), **given)):
        with pytest.raises(ValueError, match="colour_of_the_table"):
            make(colour_of_the_table="green")
        with pytest.raises(ValueError, match="num_players"):
            make(num_players=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Gymnasium tells of the unknown mode too
            with pytest.raises(ValueError, match="render_mode"):
                make(render_mode="smell")


# Gymnasium


def test_gymnasium_check_env(game):
    for parameters in support.variants(game):
        for scaled in (False, True):
            check_env(gymnasium.make(support.env_id(game), scaled=scaled, **parameters).unwrapped)


def test_gymnasium_check_env_with_its_wrappers(game):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version")
        check_env(gymnasium.make(support.env_id(game)))


def test_sb3_check_env(game):
    for parameters in support.variants(game):
        for scaled in (False, True):
            check_env_for_sb3(gymnasium.make(support.env_id(game), scaled=scaled, **parameters))


def test_gymnasium_make_imports_the_package(game):
    env = gymnasium.make(f"sobremesa:{support.env_id(game)}")
    assert env.unwrapped.tables.game is sobremesa.games()[game]
    assert env.spec.id == support.env_id(game)


def test_types_at_each_step_of_the_single_environment(game):
    for parameters in support.variants(game):
        for scaled in (False, True):
            env = gymnasium.make(support.env_id(game), scaled=scaled, max_decisions=40, **parameters).unwrapped
            observation, info = env.reset(seed=1)
            for number in range(60):
                assert observation.dtype == env.observation_space.dtype
                assert env.observation_space.contains(observation)
                assert info["action_mask"].dtype == np.int8
                assert info["action_mask"].tolist() == env.action_masks().tolist()
                assert env.action_masks().dtype == np.bool_
                assert type(info["seat"]) is int
                action = support.nth_legal(info["action_mask"][None], support.scatter(number))[0]
                observation, reward, terminated, truncated, info = env.step(action)
                assert type(reward) is float
                assert type(terminated) is type(truncated) is bool
                if terminated or truncated:
                    assert not info["action_mask"].any()
                    assert info["returns"].shape == info["winners"].shape == (env.tables.num_players,)
                    assert type(info["length"]) is int
                    observation, info = env.reset()


def test_what_the_single_environment_gave_is_not_overwritten(game):
    for scaled in (False, True):
        env = gymnasium.make(support.env_id(game), scaled=scaled, max_decisions=20).unwrapped
        kept = [env.reset(seed=1)]
        then = [support.flatten(kept[0])]
        for number in range(60):
            mask = env.action_masks()
            kept.append(env.step(support.nth_legal(mask[None], number)[0]) if mask.any() else env.reset())
            then.append(support.flatten(kept[-1]))
        assert [support.flatten(given) for given in kept] == then


def by_what_is_seen(observation: np.ndarray, mask: np.ndarray, seat: int) -> int:
    return int(support.nth_legal(mask[None], support.scatter(int(observation.sum(dtype=np.int64)), seat))[0])


def test_the_single_environment_is_a_seat_of_the_aec_environment(game):
    """Everybody chooses by what is seen: all that the learner is given, and what the game pays, is the same."""

    def opponent(observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        return np.array([by_what_is_seen(*seen) for seen in zip(observations, masks, seats)])

    for number, parameters in enumerate(support.variants(game)):
        parameters = {**parameters, "max_decisions": 150}
        aec = support.pettingzoo_module(game).raw_env(**parameters)
        seat = number % len(aec.possible_agents)
        single = gymnasium.make(support.env_id(game), seat=seat, opponent=opponent, **parameters).unwrapped
        aec.reset(seed=number)
        observation, info = single.reset(seed=number)
        payoff = np.zeros(len(aec.possible_agents))
        while not any(aec.terminations.values()) and not any(aec.truncations.values()):
            seen, acting = aec.observe(aec.agent_selection), aec.possible_agents.index(aec.agent_selection)
            action = by_what_is_seen(seen["observation"], seen["action_mask"], acting)
            if acting == seat:
                assert np.array_equal(observation, seen["observation"])
                assert np.array_equal(info["action_mask"], seen["action_mask"])
                observation, _, terminated, truncated, info = single.step(action)
            aec.step(action)
            payoff += list(aec.rewards.values())
        assert np.array_equal(observation, aec.observe(f"player_{seat}")["observation"])
        assert (terminated, truncated) == (aec.terminations[f"player_{seat}"], aec.truncations[f"player_{seat}"])
        assert info["returns"].tolist() == pytest.approx(payoff.tolist(), abs=1e-5)


def play_single(env: Any, seed: int) -> tuple[float, dict[str, Any]]:
    """The learner's return over a game, and the last info."""
    _, info = env.reset(seed=seed)
    total, is_over, number = 0.0, False, seed
    while not is_over:
        number += 1
        action = support.nth_legal(info["action_mask"][None], support.scatter(number))[0]
        _, reward, terminated, truncated, info = env.step(action)
        total, is_over = total + reward, terminated or truncated
    return total, info


def test_the_learner_gets_its_payoff(game):
    for n in support.player_counts(game):
        for reward in ("outcome", "score"):
            env = gymnasium.make(support.env_id(game), num_players=n, reward=reward, max_decisions=300).unwrapped
            seats = set()
            for seed in range(12):
                total, info = play_single(env, seed)
                assert total == pytest.approx(info["returns"][info["seat"]], abs=1e-5)
                assert info["returns"].sum() == pytest.approx(0, abs=1e-5)
                assert info["length"] == env.tables.state["decisions"][0]
                assert np.array_equal(info["winners"], env.tables.winners[0])
                seats.add(info["seat"])
            assert len(seats) > 1, "the seat is drawn at each reset"


def test_a_given_seat_is_kept(game):
    for n in support.player_counts(game):
        env = gymnasium.make(support.env_id(game), num_players=n, seat=n - 1, max_decisions=20)
        assert {play_single(env, seed)[1]["seat"] for seed in range(4)} == {n - 1}


def test_an_illegal_action_is_a_forfeit(game):
    for n in support.player_counts(game):
        env = gymnasium.make(support.env_id(game), num_players=n).unwrapped
        _, info = env.reset(seed=n)
        _, reward, terminated, truncated, last = env.step(np.flatnonzero(info["action_mask"] == 0)[0])
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert last["returns"].tolist() == [-1.0 if seat == info["seat"] else 0.0 for seat in range(n)]
        assert not last["winners"].any()
        total, info = play_single(env, 5)
        assert total == pytest.approx(info["returns"][info["seat"]], abs=1e-5)


@pytest.mark.parametrize(
    ("name", "value"), [("seat", -1), ("seat", 99), ("opponent", "clever"), ("illegal_action", "ignore"), ("scale", 1)]
)
def test_bad_arguments_of_the_single_environment_are_refused(game, name, value):
    with pytest.raises(ValueError, match=name):
        gymnasium.make(support.env_id(game), **{name: value})


def test_options_reach_the_single_environment_and_unknown_ones_raise(game):
    env = gymnasium.make(support.env_id(game)).unwrapped
    with pytest.raises(sobremesa.ParameterError, match="weather"):
        env.reset(options={"weather": "fine"})
