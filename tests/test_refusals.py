"""Bad input at the surfaces: the error names the value and what would be right, and nothing has changed."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import sobremesa
import support
from sobremesa.game import Flag, Integer, Integers, Word
from sobremesa.seats import Seats

NUM_TABLES = 3  # of the surfaces that have many
BATCHED = ("tables", "vector", "vec_env")
LEARNERS = ("single", "vector", "vec_env")  # where an illegal action may be a forfeit
NO_NUMBER = float("nan")
BAD_ACTIONS = (-1, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**64), NO_NUMBER, float("inf"), 0.5, "1",
               None, [0, 1], [], {}, b"0")  # fmt: skip
BAD_SEEDS = (-1, 2**64, -(2**64), 1.5, NO_NUMBER, "1", b"1", {}, [1] * (NUM_TABLES - 1), [-1] * NUM_TABLES)
BAD_DEALS = (None, [], [None], "abc", -1, 2**40, [[]], {}, 1.5, [2**40], [[-1]], NO_NUMBER, [NO_NUMBER])
WHAT_WOULD_BE_RIGHT = ("must be integers", "must be one integer", "must be an integer", "must be from 0 to", "legal: ",
                       "must be an array")  # fmt: skip
# What is wrapped or in flight, PettingZoo's cache, and machine code
NOT_KEPT = ("env", "_actions", "_prev_obs", "_prev_info", "_compiled")

each_surface = pytest.mark.parametrize("surface", support.ALL_SURFACES)


# At every surface


def contents(surface: Any) -> bytes:
    """Everything that it and what it wraps keep, counters and random states included."""
    layers, below = [], surface
    while below is not None:
        layers.append({name: value for name, value in vars(below).items() if name not in NOT_KEPT})
        below = vars(below).get("env")
    return pickle.dumps(layers)


def refused(surface: Any, errors: Any, words: tuple[str, ...], call: Callable[[], Any]) -> str:
    """The message, with those words, of the error that the call raises, with all left bit for bit as it was."""
    before = contents(surface)
    with pytest.raises(errors) as caught:
        call()
    assert all(word in str(caught.value) for word in words), (words, caught.value)
    assert contents(surface) == before, caught.value
    return str(caught.value)


def legal_actions(name: str, surface: Any) -> np.ndarray:
    if name == "tables":
        return support.first_legal(surface.legal_action_mask)
    if name in ("raw_env", "env"):
        return support.first_legal(surface.observe(surface.agent_selection)["action_mask"][None])
    return support.first_legal(surface.unwrapped.action_masks().reshape(-1, surface.unwrapped.tables.num_actions))


def step(name: str, surface: Any, action: Any) -> None:
    """With `action` at the second table of a batch."""
    if name not in BATCHED:
        surface.step(action)
        return
    actions = legal_actions(name, surface).tolist()
    actions[1] = action
    surface.step(actions)


def reset(name: str, surface: Any, seed: Any = None, options: Any = None) -> None:
    if name != "vec_env":
        surface.reset(seed=seed, options=options)
        return
    if seed is not None:
        surface.seed(seed)
    if options is not None:
        surface.set_options(options)
    surface.reset()


def play_on(name: str, surface: Any, other: Any) -> None:
    """That both go on alike."""
    advance = support.ALL_SURFACES[name][2]
    for number in range(12):
        assert support.flatten(advance(surface, number)) == support.flatten(advance(other, number)), number


def pair(name: str, game: str, **arguments: Any) -> tuple[Any, Any]:
    """Two of the same, in mid-game."""
    make, _, advance = support.ALL_SURFACES[name]
    made = make(game, **arguments), make(game, **arguments)
    for number in range(5):
        for one in made:
            advance(one, number)
    return made


def of_their_own(name: str, errors: Any, words: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    """PettingZoo's wrapper asserts, in its own words, that an action is one of the space."""
    return ((AssertionError, OverflowError), ()) if name == "env" else (errors, words)


@each_surface
def test_bad_actions_are_refused(game, surface):
    for arguments in ({}, {"illegal_action": "raise"}) if surface in LEARNERS else ({},):
        env, untouched = pair(surface, game, **arguments)
        num_actions = env.num_actions if surface == "tables" else env.unwrapped.tables.num_actions
        for action in (*BAD_ACTIONS, num_actions, num_actions + 7):
            expected = of_their_own(surface, (TypeError, ValueError), (str(action),))
            told = refused(env, *expected, lambda env=env, action=action: step(surface, env, action))
            assert surface == "env" or any(word in told for word in WHAT_WOULD_BE_RIGHT), told
        play_on(surface, env, untouched)


@pytest.mark.parametrize("surface", BATCHED)
def test_actions_of_another_type_or_shape_are_refused(game, surface):
    env, untouched = pair(surface, game)
    legal = legal_actions(surface, env)
    for actions in (legal.astype(float), legal.astype(bool), legal.astype(str), legal.astype(object), None, "012"):
        refused(env, TypeError, ("actions must be integers from 0 to",), lambda actions=actions: env.step(actions))
    for actions in (legal[:-1], np.append(legal, 0), legal[:, None], legal[None], legal[0], np.int64([])):
        words = f"({NUM_TABLES},)", str(np.shape(actions))
        refused(env, ValueError, words, lambda actions=actions: env.step(actions))
    play_on(surface, env, untouched)


@pytest.mark.parametrize("surface", ["tables", "raw_env", "single", "vector", "vec_env"])
def test_illegal_actions_are_refused_by_name(game, surface):
    env, untouched = pair(surface, game, **({} if surface in ("tables", "raw_env") else {"illegal_action": "raise"}))
    tables = env if surface == "tables" else env.unwrapped.tables
    i = int(surface in BATCHED)
    for action in np.flatnonzero(~tables.legal_action_mask[i])[[0, -1]].tolist():
        words = (f"table {i}, player_{tables.current_player[i]}", f"action {action} ({tables.action_names[action]})",
                 f"legal: {tables.legal_action_mask[i].argmax()} ")  # fmt: skip
        refused(env, sobremesa.IllegalActionError, words, lambda action=action: step(surface, env, action))
    play_on(surface, env, untouched)


@each_surface
def test_bad_seeds_are_refused(game, surface):
    env, untouched = pair(surface, game)
    for seed in BAD_SEEDS:
        words = ("seed", "integer", "" if isinstance(seed, list) else str(seed))
        refused(env, (TypeError, ValueError), words, lambda seed=seed: reset(surface, env, seed))
    play_on(surface, env, untouched)


@each_surface
def test_bad_options_are_refused(game, surface):
    env, untouched = pair(surface, game)
    known = sobremesa.games()[game].options
    seed = None if surface == "vec_env" else 3  # it takes them one after the other
    if surface not in ("raw_env", "env"):  # PettingZoo's own tests pass unknown ones: told, and ignored
        words = ("weather", *known)
        refused(env, sobremesa.ParameterError, words, lambda: reset(surface, env, seed, {"weather": "fine"}))
    for options in ([1], "deck", 3):
        refused(env, sobremesa.ParameterError, ("options",), lambda options=options: reset(surface, env, seed, options))
    for name in known:
        for value in BAD_DEALS:
            options = {name: value}
            refused(env, sobremesa.ParameterError, (name,), lambda options=options: reset(surface, env, None, options))
    play_on(surface, env, untouched)


def bad_values(kind: Any) -> Iterator[Any]:
    """Values outside a parameter's range."""
    yield from ([1, "x"], {"a": 1})
    if isinstance(kind, Integer):
        yield from (kind.low - 1, kind.high + 1, 2**70, 1.0, float("nan"), "2", True)
        yield from () if kind.optional else (None,)
    elif isinstance(kind, Integers):
        good = list(kind.default)
        yield from (None, 3, [], "123", [kind.low - 1, *good[1:]], [kind.high + 1, *good[1:]], [1.5, *good[1:]])
        yield from () if kind.length is None else (good[1:], [*good, good[0]])
    elif isinstance(kind, Flag):
        yield from (0, 1, None, "True")
    elif isinstance(kind, Word):
        yield from (None, 0, "", f"{kind.default}s", kind.default.upper())


def what_would_be_right(kind: Any) -> list[str]:
    """What the message must name."""
    if isinstance(kind, Integer):
        return [str(kind.low), str(kind.high)]
    return [*kind.words] if isinstance(kind, Word) else ["True or False"] if isinstance(kind, Flag) else []


@each_surface
def test_parameters_outside_their_range_are_refused_by_name(game, surface):
    make = support.ALL_SURFACES[surface][0]
    for name, kind in sobremesa.games()[game].parameters.items():
        for value in bad_values(kind):
            with pytest.raises(sobremesa.ParameterError, match=name) as caught:
                make(game, **{name: value})
            assert all(part in str(caught.value) for part in what_would_be_right(kind)), caught.value


@each_surface
def test_unknown_parameters_are_refused_by_name(game, surface):
    with pytest.raises(sobremesa.ParameterError, match="num_player'; its parameters: num_players"):
        support.ALL_SURFACES[surface][0](game, num_player=3)


# Other arguments


def test_records_of_something_else_are_not_observed(game):
    _, most, default = sobremesa.games()[game].players
    tables = sobremesa.Tables(game, 2, seed=0)
    np.testing.assert_array_equal(tables.observe_records(tables.state.copy(), 0), tables.observe(0))
    with pytest.raises(ValueError, match="2 records"):
        tables.observe_records(tables.state[:1], 0)
    with pytest.raises(ValueError, match="2 records"):
        tables.observe_records(np.zeros(2, np.uint8), 0)
    with pytest.raises(ValueError, match="differ in"):
        tables.observe_records(np.zeros(2, tables.game.table), 0)
    if most > default:
        with pytest.raises(ValueError, match="differ in num_players"):
            tables.observe_records(sobremesa.Tables(game, 2, num_players=most).state, 0)


@pytest.mark.parametrize("table", [-1, 2, 1.0, None])
def test_the_text_of_a_table_that_is_not_there_is_refused(game, table):
    with pytest.raises(ValueError, match="table must be an integer from 0 to 1"):
        sobremesa.Tables(game, 2, seed=0).to_text(table)


@pytest.mark.parametrize("name", ["num_tables", "seed", "autoreset", "fly"])
def test_wrappers_take_the_parameters_of_the_game_only(game, name):
    env_id = sobremesa.games()[game].env_id
    module = getattr(sobremesa, f"{game}_v0")
    for make in (
        module.raw_env,
        module.env,
        lambda **given: gymnasium.make(env_id, **given),
        lambda **given: gymnasium.make_vec(env_id, num_envs=2, **given),
    ):
        with pytest.raises(ValueError, match=f"no parameter '{name}'"):
            make(**{name: 1})


@pytest.mark.parametrize("name", ["autoreset", "scaled"])
def test_flags_of_tables_are_true_or_false(game, name):
    with pytest.raises(ValueError, match=f"{name} must be True or False, not 'Disabled'"):
        sobremesa.Tables(game, **{name: "Disabled"})


def test_the_learner_decides_for_nobody_else(game):
    seats = Seats(sobremesa.Tables(game, 4, seed=0, autoreset=False), seat=0)
    actions = np.zeros(4, np.int64)
    with pytest.raises(ValueError, match=r"not the learner's turn at table 0: reset first"):
        seats.step(actions)

    def failing(observations, masks, acting):
        raise RuntimeError("the opponent has failed")

    env = gymnasium.make(sobremesa.games()[game].env_id, seat=0, opponent=failing).unwrapped
    with pytest.raises(RuntimeError, match="has failed"):
        env.reset(seed=0, options={"starting_player": 1})
    before = env.tables.state.tobytes()
    with pytest.raises(ValueError, match="not the learner's turn"):
        env.step(int(env.action_masks().argmax()))
    assert env.tables.state.tobytes() == before


@pytest.mark.parametrize("answer", [None, [0.9], 3, [1, 2]])
def test_an_opponent_that_returns_something_else_is_told(game, answer):
    env = gymnasium.make(sobremesa.games()[game].env_id, seat=0, opponent=lambda *seen: answer)
    with pytest.raises(ValueError, match="the opponent must return 1 integers"):
        env.reset(seed=0, options={"starting_player": 1})


def test_a_finished_table_of_the_disabled_mode_asks_for_a_reset(game):
    env_id = sobremesa.games()[game].env_id
    envs = gymnasium.make_vec(env_id, num_envs=4, autoreset_mode="Disabled", max_decisions=9)
    _, infos = envs.reset(seed=0)
    rng = np.random.default_rng(0)
    while not envs.learner.is_over.any():
        *_, infos = envs.step(sobremesa.sample_legal(infos["action_mask"], rng))
    with pytest.raises(ValueError, match="the game is over; reset it"):
        envs.step(sobremesa.sample_legal(infos["action_mask"], rng))


def test_other_arguments_of_the_wrappers(game):
    env_id = sobremesa.games()[game].env_id
    with pytest.raises(ValueError, match=r"one of NextStep, SameStep, Disabled, not 'same_step'"):
        gymnasium.make_vec(env_id, num_envs=2, autoreset_mode="same_step")
    with pytest.raises(ValueError, match="num_envs must be an integer from 1"):
        gymnasium.make_vec(env_id, num_envs=2.5)
    env = getattr(sobremesa, f"{game}_v0").raw_env()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"one integer, not \[0, 1\]"):
        env.step([0, 1])
    with pytest.raises(ValueError, match=r"options must be a mapping, not \[1\]"):
        env.reset(options=[1])
    with pytest.raises(ValueError, match=r"one of player_0, player_1.*, not 'player_9'"):
        env.observe("player_9")
    with pytest.raises(ValueError, match=r"mask must have the shape"):
        sobremesa.sample_legal(np.ones((2, 2, 2), bool), np.random.default_rng(0))


def test_dictated_deals_that_nobody_needs_are_let_go(game):
    rng = support.random_of(game, 1)
    parameters = support.situation(game).draw_parameters(rng)
    options = support.situation(game).draw_options(rng, parameters)
    tables = sobremesa.Tables(game, 2, seed=0, autoreset=False, **parameters)
    tables.reset(options=options)
    most = 3 * len(tables._dictated.rows)  # of the table before its reset and after it, and of the other one
    for i in range(20):
        tables.reset(options=options, where=np.arange(2) == i % 2)
        assert len(tables._dictated.rows) <= most


@pytest.mark.parametrize("seed", [[7], (7,), np.array([7]), -1, 1.5, True, "7"], ids=repr)
def test_a_single_table_has_one_seed(game, seed):
    for env in (gymnasium.make(support.env_id(game)).unwrapped, support.pettingzoo_module(game).raw_env()):
        env.reset(seed=1)
        before = env.tables.state.tobytes()
        with pytest.raises(sobremesa.ParameterError, match="seed must be an integer"):
            env.reset(seed=seed)
        assert env.tables.state.tobytes() == before


def test_a_bool_is_no_action_of_the_wrapped_environment(game):
    env = support.pettingzoo_module(game).env()
    env.reset(seed=1)
    before = env.unwrapped.tables.state.tobytes()
    with pytest.raises(TypeError, match="must be an integer, not True"):
        env.step(True)
    assert env.unwrapped.tables.state.tobytes() == before
