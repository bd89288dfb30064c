"""Bad input at the surfaces: the error names the value and what would be right."""

import gymnasium
import numpy as np
import pytest
import sobremesa
import support
from sobremesa.seats import Seats


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
