"""The agents: the Stable-Baselines3 VecEnv, self-play training with its checkpoints, and the evaluation."""

import copy
import json
import math

import gymnasium
import numpy as np
import pytest
import sobremesa
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from sobremesa.seats import Seats
from sobremesa_agents import SeatVecEnv, evaluation, players, pool, self_play
from sobremesa_agents.every_seat import EverySeat, find_advantages
from sobremesa_agents.policy import LeanPolicy, torch_threads
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

GAMES = pytest.mark.parametrize("game", sobremesa.games())
TINY = {"num_envs": 16, "num_steps": 8, "batch_size": 64, "num_epochs": 1, "hidden": (16,), "num_games": 8}
UPDATE = TINY["num_envs"] * TINY["num_steps"]
LEARNERS = pytest.mark.parametrize("learners", list(self_play.LEARNERS))


def tiny_args(folder, num_updates=2, **more):
    sizes = {**TINY, "num_decisions": num_updates * UPDATE}
    return self_play.Args(**{**sizes, "folder": str(folder), "run": "tiny", **more})


def weights_of(path):
    return {name: tensor.clone() for name, tensor in MaskablePPO.load(path, device="cpu").policy.state_dict().items()}


def same_weights(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


# The VecEnv


@GAMES
def test_the_vec_env_steps_as_the_vector_environment_in_the_same_step_mode(game):
    ours = SeatVecEnv(game, 6, seed=3, reward="score", max_decisions=40)
    theirs = gymnasium.make_vec(
        sobremesa.games()[game].env_id,
        num_envs=6,
        autoreset_mode="SameStep",
        scaled=True,
        reward="score",
        max_decisions=40,
    )
    observations, (expected, infos) = ours.reset(), theirs.reset(seed=3)
    rng = np.random.default_rng(0)
    num_ends = 0
    for _ in range(120):
        np.testing.assert_array_equal(observations, expected)
        np.testing.assert_array_equal(get_action_masks(ours), infos["action_mask"])
        actions = sobremesa.sample_legal(infos["action_mask"], rng)
        observations, rewards, dones, our_infos = ours.step(actions)
        expected, their_rewards, terminated, truncated, infos = theirs.step(actions)
        np.testing.assert_array_equal(dones, terminated | truncated)
        np.testing.assert_allclose(rewards, their_rewards, atol=1e-6)
        for i in np.flatnonzero(dones):
            num_ends += 1
            np.testing.assert_array_equal(our_infos[i]["terminal_observation"], infos["final_obs"][i])
            assert our_infos[i]["TimeLimit.truncated"] is bool(truncated[i])
    assert num_ends >= 6


class NotedSeats(Seats):
    """Keeps the payoffs of the games that it leaves."""

    def reset(self, seed=None, options=None, where=None):
        if where is not None:
            self.payoffs = [*getattr(self, "payoffs", []), *self.returns[where & self.is_over, self.seat]]
        super().reset(seed, options, where)


@GAMES
def test_an_episodes_rewards_are_the_payoff_of_its_seat(game):
    for seat in range(sobremesa.games()[game].players[2]):
        tables = sobremesa.Tables(game, 4, seed=5, autoreset=False, reward="score")
        envs = SeatVecEnv(game, 4, learner=NotedSeats(tables, seat))
        sums, paid, rng = np.zeros(4), [], np.random.default_rng(1)
        envs.reset()
        while len(paid) < 4:
            _, rewards, dones, infos = envs.step(sobremesa.sample_legal(envs.action_masks(), rng))
            sums += rewards
            for i in np.flatnonzero(dones):
                assert math.isclose(infos[i]["episode"]["r"], sums[i], abs_tol=1e-5)
                paid.append(infos[i]["episode"]["r"])
            sums[dones] = 0
        np.testing.assert_allclose(paid, envs.learner.payoffs, atol=1e-6)
        assert any(paid)


@GAMES
def test_what_the_vec_env_returned_is_not_overwritten(game):
    envs = SeatVecEnv(game, 4, seed=1)
    rng = np.random.default_rng(0)
    kept = [envs.reset()]
    copies = [kept[0].copy()]
    for _ in range(20):
        observations, rewards, dones, _ = envs.step(sobremesa.sample_legal(envs.action_masks(), rng))
        kept += [observations, rewards, dones]
        copies += [observations.copy(), rewards.copy(), dones.copy()]
    for array, as_it_was in zip(kept, copies):
        np.testing.assert_array_equal(array, as_it_was)


def test_the_vec_env_answers_what_sb3_asks():
    envs = SeatVecEnv("freep", 3, seed=2)
    assert is_masking_supported(envs)
    assert envs.env_method("action_masks").shape == (3, 17)
    assert envs.env_method("action_masks", indices=[2]).shape == (1, 17)
    assert envs.get_attr("render_mode") == [None] * 3
    assert not envs.has_attr("wings")
    assert envs.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    first = envs.reset()
    assert first.dtype == envs.observation_space.dtype
    envs.seed(2)
    np.testing.assert_array_equal(envs.reset(), first)
    assert not np.array_equal(envs.reset(), first)
    with pytest.raises(ValueError, match="some of them"):
        envs.set_attr("anything", 1, indices=[0])


def test_an_illegal_action_forfeits_the_game_or_raises():
    envs = SeatVecEnv("freep", 2, seed=0)
    envs.reset()
    illegal = envs.action_masks().argmin(axis=1)
    _, rewards, dones, infos = envs.step(illegal)
    assert dones.all()
    assert (rewards == -1).all()
    assert not infos[0]["is_success"]
    envs = SeatVecEnv("freep", 2, seed=0, illegal_action="raise")
    envs.reset()
    with pytest.raises(sobremesa.IllegalActionError):
        envs.step(illegal)


def test_plain_maskable_ppo_learns_on_it():
    envs = SeatVecEnv("freep", 8, seed=0, reward="score")
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")
    before = {name: tensor.clone() for name, tensor in model.policy.state_dict().items()}
    model.learn(256)
    assert not same_weights(before, model.policy.state_dict())


def test_what_learns_on_the_vec_env_beats_random_in_every_seat():
    """Numbers 1 and 9 alone: whoever calls the right side can't fail."""
    trivial = {"number_counts": (4, *(0,) * 7, 4), "wilds": 0, "steals": 0, "lives": 0, "wins_to_finish": 1}
    envs = SeatVecEnv("freep", 32, seed=0, **trivial)
    settings = {"n_steps": 32, "batch_size": 256, "n_epochs": 4, "learning_rate": 2e-3, "seed": 0, "device": "cpu"}
    model = MaskablePPO("MlpPolicy", envs, policy_kwargs={"net_arch": [32]}, **settings)
    with torch_threads(1):
        model.learn(6 * 32 * 32)
    for seat in range(2):
        tables = sobremesa.Tables("freep", 400, seed=10**9, autoreset=False, scaled=True, **trivial)
        player, opponent = players.PolicyPlayer(model.policy, 1), players.RandomPlayer(2)
        evaluation.play_out(tables, np.full(400, seat), player, opponent, lambda num_games: None)
        wins = evaluation.win_shares(tables.winners, np.full(400, seat)).sum()
        assert evaluation.wilson_interval(wins, 400)[0] > 0.6


@GAMES
def test_the_single_environment_runs_in_processes_of_sb3(game):
    def make():
        return gymnasium.make(sobremesa.games()[game].env_id, scaled=True, max_decisions=20)

    started, here = SubprocVecEnv([make] * 2, start_method="fork"), DummyVecEnv([make] * 2)
    try:
        for envs in (started, here):
            envs.seed(4)
        np.testing.assert_array_equal(started.reset(), here.reset())
        for _ in range(30):
            masks = get_action_masks(here)
            np.testing.assert_array_equal(get_action_masks(started), masks)
            given = [envs.step(masks.argmax(axis=1)) for envs in (started, here)]
            for ours, theirs in zip(given[0][:3], given[1][:3]):
                np.testing.assert_array_equal(ours, theirs)
    finally:
        started.close()


# The policy


@GAMES
def test_the_lean_policy_is_that_of_sb3_contrib_in_value_and_gradient(game):
    envs = SeatVecEnv(game, 64, seed=0)
    lean = LeanPolicy(envs.observation_space, envs.action_space, lambda _: 1e-3)
    plain = MaskableActorCriticPolicy(envs.observation_space, envs.action_space, lambda _: 1e-3)
    plain.load_state_dict(lean.state_dict())
    observations, masks = torch.from_numpy(envs.reset()), envs.action_masks()
    actions, values, log_probs = lean(observations, action_masks=masks)
    assert masks[np.arange(64), actions.numpy()].all()
    gradients = []
    for policy in (lean, plain):
        told = policy.evaluate_actions(observations, actions, action_masks=torch.from_numpy(masks).float())
        for ours, other in zip((values.flatten(), log_probs), (told[0].flatten(), told[1])):
            torch.testing.assert_close(ours, other)
        (told[0].mean() + told[1].mean() + told[2].mean()).backward()
        gradients.append({name: weight.grad for name, weight in policy.named_parameters()})
        gradients[-1]["entropy"] = told[2].detach()
    torch.testing.assert_close(*gradients)
    best = lean(observations, deterministic=True, action_masks=masks)[0]
    torch.testing.assert_close(best, plain(observations, deterministic=True, action_masks=masks)[0])


# The pool


@GAMES
def test_every_opponent_sees_its_own_seat_and_mask(game):
    tables = sobremesa.Tables(game, 32, seed=4, autoreset=False, scaled=True)
    seats = pool.PoolSeats(tables, seed=1, random_share=0.0, pool_size=2)
    asked = []

    def recorder(observations, masks, acting):
        waiting = np.flatnonzero((tables.current_player >= 0) & (tables.current_player != seats.seats))
        for observation, mask, seat in zip(observations, masks, acting):
            assert any(
                tables.current_player[i] == seat
                and np.array_equal(tables.observe(int(seat))[i], observation)
                and np.array_equal(tables.legal_action_mask[i], mask)
                for i in waiting
            )
        asked.append(len(acting))
        return sobremesa.sample_legal(masks, rng)

    rng = np.random.default_rng(0)
    seats.pool = [recorder, recorder]
    seats.reset(seed=9)
    for _ in range(6):
        seats.step(sobremesa.sample_legal(tables.legal_action_mask, rng), ~seats.is_over)
    assert sum(asked) > 32


def test_opponents_are_drawn_for_each_game_by_their_shares():
    tables = sobremesa.Tables("freep", 2000, seed=4, autoreset=False, scaled=True)
    seats = pool.PoolSeats(tables, seed=1, random_share=0.25, pool_size=2)
    seats.draw(np.ones(2000, bool))
    assert (seats.players == pool.RANDOM).all()  # there is no snapshot yet
    seats.pool = [None, None]
    seats.draw(np.ones(2000, bool))
    for player, share in ((pool.RANDOM, 0.25), (0, 0.375), (1, 0.375)):
        assert abs((seats.players == player).mean() - share) < 0.04
    assert abs(seats.seats.mean() - 0.5) < 0.05


def test_a_full_pool_makes_room():
    run = self_play.Run("freep", tiny_args("unused", pool_size=2), None)
    for _ in range(5):
        run.collector.seats.add(run.model.policy)
    assert len(run.collector.seats.pool) == 2
    (mine, snapshot) = run.model.policy, run.collector.seats.pool[0].policy
    assert same_weights(mine.state_dict(), snapshot.state_dict())
    with torch.no_grad():
        next(mine.parameters()).add_(1)
    assert not same_weights(mine.state_dict(), snapshot.state_dict())


def test_a_policy_player_draws_from_the_policys_distribution():
    envs = SeatVecEnv("freep", 4, seed=0)
    policy = MaskablePPO("MlpPolicy", envs, n_steps=2, batch_size=8, seed=0, device="cpu").policy
    observation, mask = envs.reset()[:1], envs.action_masks()[:1]
    with torch.no_grad():
        expected = (
            policy.get_distribution(torch.from_numpy(observation), action_masks=mask).distribution.probs[0].numpy()
        )
    player = players.PolicyPlayer(policy, 7)
    drawn = player(np.repeat(observation, 20_000, axis=0), np.repeat(mask, 20_000, axis=0), np.zeros(20_000, int))
    np.testing.assert_allclose(np.bincount(drawn, minlength=17) / 20_000, expected, atol=0.02)


# Training


@LEARNERS
@GAMES
def test_a_tiny_training_leaves_its_files_and_a_usable_model(game, learners, tmp_path):
    report = self_play.train(game, tiny_args(tmp_path, learners=learners))
    folder = tmp_path / game / "tiny"
    num_decisions = report["num_decisions"]  # the random player's aren't counted
    assert num_decisions == 2 * UPDATE or (learners == "all" and 2 * UPDATE < num_decisions < 3 * UPDATE)
    assert json.loads((folder / self_play.RESULTS).read_text())["results"] == report["results"]
    assert (folder / self_play.CURVE).read_bytes().startswith(b"\x89PNG")
    assert list((folder / "log").glob("events*"))
    opponents = [row["opponent"] for row in report["results"]]
    assert opponents == ["random", "baseline"] if game in players.BASELINES else ["random"]
    again = evaluation.main(game, evaluation.Args(str(folder / self_play.MODEL), num_games=8))
    assert again == report["results"][:1]
    against_itself = evaluation.Args(str(folder / self_play.MODEL), opponent=str(folder / self_play.MODEL), num_games=8)
    assert evaluation.main(game, against_itself)[0]["num_games"] == 8


@LEARNERS
@GAMES
def test_an_interrupted_and_resumed_run_is_the_uninterrupted_one(game, learners, tmp_path, monkeypatch):
    args = {"num_updates": 4, "checkpoint_every": 1, "snapshot_every": 1, "pool_size": 2, "learners": learners}
    self_play.train(game, tiny_args(tmp_path / "whole", **args))
    update = self_play.Run.update

    def interrupted(run, *args):
        if run.num_updates == 2:
            raise KeyboardInterrupt
        update(run, *args)

    monkeypatch.setattr(self_play.Run, "update", interrupted)
    report = self_play.train(game, tiny_args(tmp_path / "parts", **args))
    if learners == "one":
        assert report["num_decisions"] == 2 * UPDATE
    assert len(report["curve"]) == 2
    monkeypatch.undo()
    np.random.seed(0)
    torch.manual_seed(0)
    self_play.train(game, tiny_args(tmp_path / "parts", resume=True, **args))
    whole, parts = (tmp_path / name / game / "tiny" / self_play.MODEL for name in ("whole", "parts"))
    assert same_weights(weights_of(whole), weights_of(parts))


def test_the_learning_rate_falls_to_a_tenth_and_no_further(tmp_path):
    run = self_play.Run("freep", tiny_args(tmp_path, learning_rate=1.0), tmp_path)
    assert [run.model.lr_schedule(remaining) for remaining in (1.0, 0.0, -3.0)] == pytest.approx([1.0, 0.1, 0.1])


def test_a_run_killed_before_its_first_update_resumes_as_if_it_had_not_been(tmp_path, monkeypatch):
    self_play.train("freep", tiny_args(tmp_path / "whole"))

    def killed(run, *args):
        raise SystemExit

    monkeypatch.setattr(self_play.Run, "update", killed)
    with pytest.raises(SystemExit):
        self_play.train("freep", tiny_args(tmp_path / "parts"))
    monkeypatch.undo()
    self_play.train("freep", tiny_args(tmp_path / "parts", resume=True))
    whole, parts = (tmp_path / name / "freep/tiny" / self_play.MODEL for name in ("whole", "parts"))
    assert same_weights(weights_of(whole), weights_of(parts))


@pytest.mark.parametrize("name", self_play.COUNTS)
def test_counts_that_are_none_are_refused_before_anything_is_done(name, tmp_path):
    with pytest.raises(ValueError, match=f"{name} must be an integer from 1"):
        self_play.train("freep", tiny_args(tmp_path, **{name: 0}))
    assert not list(tmp_path.iterdir())


def test_options_of_single_environments_are_theirs():
    envs = SeatVecEnv("freep", 3, seat=0, seed=0)
    envs.set_options([{"starting_player": 0}, {"starting_player": 1}, {}])
    envs.reset()
    other = SeatVecEnv("freep", 3, seat=0, seed=0)
    other.reset()
    assert envs.tables.state["active"][0] == 0
    assert envs.tables.state[2].tobytes() == other.tables.state[2].tobytes()
    with pytest.raises(ValueError, match="fly"):
        SeatVecEnv("freep", 3, illegal_action="fly")


@pytest.mark.parametrize(
    ("learners", "owner", "method"),
    [
        ("one", MaskablePPO, "collect_rollouts"),
        ("one", MaskablePPO, "train"),
        ("all", EverySeat, "collect"),
        ("all", MaskablePPO, "train"),
    ],
)
def test_an_interrupt_amid_an_update_costs_that_update_alone(tmp_path, monkeypatch, learners, owner, method):
    """Whatever the update has changed already is undone: the resumed run is the uninterrupted one, bit for bit."""
    args = {"num_updates": 4, "checkpoint_every": 3, "snapshot_every": 1, "pool_size": 2, "learners": learners}
    args |= {"random_share": 0.0} if learners == "all" else {}  # so that all decisions are learners'
    self_play.train("freep", tiny_args(tmp_path / "whole", **args))
    original, calls = getattr(owner, method), []

    def interrupted(*arguments, **options):
        result = original(*arguments, **options)
        calls.append(method)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(owner, method, interrupted)
    report = self_play.train("freep", tiny_args(tmp_path / "parts", **args))
    assert report["num_decisions"] == 2 * UPDATE
    assert report["results"][0]["num_games"] == 8
    monkeypatch.undo()
    report = self_play.train("freep", tiny_args(tmp_path / "parts", resume=True, **args))
    assert report["num_decisions"] == 4 * UPDATE
    whole, parts = (tmp_path / name / "freep/tiny" / self_play.MODEL for name in ("whole", "parts"))
    assert same_weights(weights_of(whole), weights_of(parts))


def test_a_second_interrupt_leaves_the_evaluation_out(tmp_path, monkeypatch, capsys):
    def interrupt(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(self_play.Run, "update", interrupt)
    monkeypatch.setattr(self_play, "evaluate_policy", interrupt)
    report = self_play.train("freep", tiny_args(tmp_path))
    assert report["results"] == []
    assert "no evaluation" in capsys.readouterr().out
    assert {self_play.MODEL, self_play.CHECKPOINT} <= {path.name for path in (tmp_path / "freep/tiny").iterdir()}


def test_a_run_is_not_overwritten_and_resume_takes_the_latest(tmp_path):
    self_play.train("freep", tiny_args(tmp_path, num_updates=1))
    with pytest.raises(ValueError, match="has a run already"):
        self_play.train("freep", tiny_args(tmp_path, num_updates=1))
    self_play.train("freep", tiny_args(tmp_path, num_updates=1, run=None, seed=2))
    assert len(list((tmp_path / "freep").iterdir())) == 2
    resumed = self_play.train("freep", tiny_args(tmp_path, num_updates=1, run=None, seed=2, resume=True))
    assert resumed["num_decisions"] == UPDATE


def test_a_checkpoint_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    self_play.train("freep", tiny_args(tmp_path))
    checkpoint = tmp_path / "freep/tiny" / self_play.CHECKPOINT
    before = checkpoint.read_bytes()

    def killed(kept, path):
        path.write_bytes(b"half")
        raise SystemExit

    monkeypatch.setattr(torch, "save", killed)
    with pytest.raises(SystemExit):
        self_play.train("freep", tiny_args(tmp_path, resume=True))
    assert checkpoint.read_bytes() == before


def test_resuming_refuses_what_it_cannot_go_on_from(tmp_path):
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        self_play.train("freep", tiny_args(tmp_path, resume=True))
    self_play.train("freep", tiny_args(tmp_path))
    with pytest.raises(ValueError, match=r"gamma=0.995, not 0.5"):
        self_play.train("freep", tiny_args(tmp_path, resume=True, gamma=0.5))
    with pytest.raises(ValueError, match="seed must be an integer from 0 to"):
        self_play.train("freep", tiny_args(tmp_path, run="other", seed=-1))
    with pytest.raises(ValueError, match="reward must be one of"):
        self_play.train("freep", tiny_args(tmp_path, run="other", reward="fame"))
    assert not (tmp_path / "freep/other").exists()


# Evaluation


def test_games_of_evaluations_are_apart_from_those_of_training():
    """Whatever seeds are given: by far more than there are tables."""
    last_of_training = evaluation.MAX_SEED * evaluation.SEED_SPACING + evaluation.SEED_SPACING
    assert last_of_training <= evaluation.SEED_OFFSET
    assert evaluation.SEED_OFFSET + last_of_training <= 2**63
    assert 1000 * evaluation.MAX_TABLES < evaluation.SEED_SPACING


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(8, 10, 0.490162, 0.943318), (0, 10, 0.0, 0.277533), (10, 10, 0.722467, 1.0), (850, 1000, 0.826507, 0.870756)],
)
def test_wilsons_interval(wins, games, low, high):
    np.testing.assert_allclose(evaluation.wilson_interval(wins, games), (low, high), atol=2e-4)


@GAMES
def test_the_seats_are_rotated_and_equals_share_the_wins(game):
    seats = []

    def player(tables):
        draw = players.RandomPlayer(1)
        return lambda observations, masks, acting: (seats.extend(acting), draw(observations, masks, acting))[1]

    fewest = sobremesa.games()[game].players[0]
    result = evaluation.evaluate(
        game, player, lambda _: players.RandomPlayer(2), "random", 1001, 10**9, num_players=fewest
    )
    assert result.num_games == -(-1001 // fewest) * fewest
    assert set(seats) == set(range(fewest))
    assert abs(result.win_share - result.fair_share) < 0.06
    assert result.low < result.win_share < result.high


@pytest.mark.parametrize("game", players.BASELINES)
def test_a_baseline_plays_legally_and_beats_random(game):
    result = evaluation.evaluate(
        game, players.BASELINES[game], lambda _: players.RandomPlayer(2), "random", 200, 10**9, recall=False
    )
    assert result.low > result.fair_share


def test_the_baseline_of_freep_calls_the_likelier_side_and_stands_when_that_risks_more_than_it_wins():
    def choose(deck, names, **parameters):
        tables = sobremesa.Tables("freep", autoreset=False, wilds=0, steals=0, lives=0, **parameters)
        tables.reset(options={"deck": deck, "starting_player": 0})
        tables_action = None
        for name in names:
            tables.step([tables.string_to_action(name)])
        tables_action = players.FreepBaseline(tables)(tables.observation, tables.legal_action_mask, np.zeros(1, int))
        return tables.action_to_string(int(tables_action[0]))

    counts = {"number_counts": (1,) * 9}
    assert choose([2, 9, 1, 3, 4, 5, 6, 7, 8], [], **counts) == "HIGHER"
    assert choose([8, 9, 1, 3, 4, 5, 6, 7, 2], [], **counts) == "LOWER"
    # 8 and 5 at risk; 4 of the 7 unseen numbers are below 5: a hit wins 4/7 of a card, a fail loses two with 3/7.
    assert choose([8, 5, 1, 3, 4, 2, 6, 7, 9], ["LOWER"], **counts) == "STAND"
    # 9 and 2 at risk; 6 of the 7 unseen numbers are above 2.
    assert choose([9, 2, 1, 3, 4, 5, 6, 7, 8], ["LOWER"], **counts) == "HIGHER"


def test_a_model_for_something_else_is_refused(tmp_path):
    self_play.train("freep", tiny_args(tmp_path))
    model = str(tmp_path / "freep/tiny" / self_play.MODEL)
    with pytest.raises(ValueError, match="observation entries"):
        evaluation.main("freep", evaluation.Args(model, num_players=3))


# Every seat learns


def plain_advantages(values, seats, rewards, terminated, truncated, gamma, gae_lambda):
    """The same of one table, seat by seat and forwards: the sums of the definition, written out."""
    num_steps, found = len(values), {}
    for seat in range(rewards.shape[1]):
        mine = [step for step in range(num_steps) if seats[step] == seat]
        for step in mine:
            total, weight, at = 0.0, 1.0, step
            while True:
                until = min((later for later in mine if later > at), default=num_steps)
                ends = [later for later in range(at, until) if terminated[later] or truncated[later]]
                last = ends[0] if ends else until - 1
                if (not ends and until == num_steps) or (ends and truncated[ends[0]]):
                    break  # nothing closes this one: the sum ends with the one before
                following = 0.0 if ends else gamma * values[until]
                total += weight * (rewards[at : last + 1, seat].sum() + following - values[at])
                weight *= gamma * gae_lambda
                found[step] = total
                if ends:
                    break
                at = until
    return found


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_advantages_are_those_of_a_seat_between_its_own_decisions(num_players):
    rng = np.random.default_rng(num_players)
    shape = 40, 30
    values, rewards = rng.normal(size=shape), rng.normal(size=(*shape, num_players))
    seats, ends = rng.integers(num_players, size=shape), rng.random(shape)
    terminated, truncated = ends < 0.08, ends > 0.97
    found, is_known = find_advantages(values, seats, rewards, terminated, truncated, 0.9, 0.8)
    for i in range(shape[1]):
        expected = plain_advantages(
            values[:, i], seats[:, i], rewards[:, i], terminated[:, i], truncated[:, i], 0.9, 0.8
        )
        assert np.flatnonzero(is_known[:, i]).tolist() == sorted(expected)
        np.testing.assert_allclose([found[step, i] for step in expected], [*expected.values()])
    assert not found[~is_known].any()
    assert is_known.any(axis=0).all()
    assert not is_known[-1, ~terminated[-1]].any()


@GAMES
def test_every_seat_collects_what_the_tables_were(game):
    """Stepping other tables with the same actions shows each decision as it was noted; random seats aren't learned."""
    args = tiny_args("unused", learners="all", random_share=0.4, num_steps=60)
    run = self_play.Run(game, args, None)
    play, twin = run.collector, copy.deepcopy(run.collector.tables)
    play.collect(run.model, lambda: None)
    experience = play.experience
    for step in range(args.num_steps):
        np.testing.assert_array_equal(experience.observations[step], twin.observation)
        np.testing.assert_array_equal(experience.masks[step], twin.legal_action_mask)
        np.testing.assert_array_equal(experience.seats[step], twin.current_player)
        twin.step(experience.actions[step])
        np.testing.assert_array_equal(experience.rewards[step], twin.rewards)
        np.testing.assert_array_equal(experience.terminated[step], twin.terminated)
    assert 0 < experience.is_learners.sum() == run.model.num_timesteps < experience.is_learners.size
    assert experience.is_learners.flat[experience.learned].all()
    parts = list(experience.get(64))
    assert sum(len(part.actions) for part in parts) == len(experience.learned) > 0
    for part in parts:
        values, log_probs, _ = run.model.policy.evaluate_actions(part.observations, part.actions, part.action_masks)
        torch.testing.assert_close(log_probs, part.old_log_prob, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(values.flatten(), part.old_values, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(part.returns, part.old_values + part.advantages)


def test_what_every_seat_learns_beats_random(tmp_path):
    sizes = {"num_envs": 64, "num_steps": 64, "batch_size": 256, "hidden": (64,), "num_games": 200}
    report = self_play.train("freep", tiny_args(tmp_path, learners="all", **{**sizes, "num_decisions": 300_000}))
    assert report["results"][0]["low"] > 0.6


def test_learners_that_are_none_are_refused(tmp_path):
    with pytest.raises(ValueError, match="learners must be 'one' or 'all', not 'two'"):
        self_play.train("freep", tiny_args(tmp_path, learners="two"))
