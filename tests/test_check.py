"""The public checks: they pass where they should, and each goes red on the faults that it is there for.

Most faults are planted in small subclasses of our environments, which the checks take as anybody's.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import random
import re
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import sobremesa
import support
from pettingzoo import AECEnv
from sobremesa import check
from sobremesa.aec import CardGameEnv
from sobremesa.game import ParameterError
from sobremesa.single import SeatEnv
from sobremesa.vector import SeatVectorEnv

GAME, SEED = "figaro", 70
SHORT = {"max_decisions": 30}


class Bare(CardGameEnv):
    """A game as anybody's environment, some decisions long."""

    def __init__(self, **parameters: Any):
        super().__init__(GAME, **{**SHORT, "render_mode": "ansi", **parameters})


def failure_of(run: Callable, *arguments: Any, **named: Any) -> check.ConformanceError:
    with pytest.raises(check.ConformanceError) as caught:
        run(*arguments, **named)
    return caught.value


def assert_red(run: Callable, subject: Any, what: str, **named: Any) -> check.ConformanceError:
    """That the check fails and says `what`, when, and by which call it can be seen again, which then says the same."""
    error = failure_of(run, subject, seed=SEED, **named)
    text = str(error)
    assert re.search(what, text), text
    assert error.check == run.__name__
    assert error.seed >= SEED
    assert text.startswith(f"decision {error.decision} after seed {error.seed}")
    assert error.agent is None or f", {error.agent}: " in text
    again = text.split("; to see it again: ")[1]
    names = {**vars(check), getattr(subject, "__name__", "subject"): subject}
    second = failure_of(eval, again, names)
    assert (second.decision, second.seed, second.agent) == (error.decision, error.seed, error.agent)
    assert re.search(what, str(second)), second
    assert str(pickle.loads(pickle.dumps(error))) == text
    return error


# Green


@pytest.mark.parametrize("name", check.CHECKS)
def test_the_games_pass(game, name):
    run = check.CHECKS[name]
    for number, parameters in enumerate(support.variants(game)[:2]):
        covered = run(game, **check.budget(run, check.Args(seed=number, every=7)), **parameters, max_decisions=40)
        assert covered.games > 0
        assert covered.decisions > 0
        assert all(covered.counts.values()), covered


class Nim(AECEnv):
    """Nothing of ours: two agents take one to three of a heap of random size; who takes the last has won.

    The mask is in the infos; `masked=False` has none, and actions that are too high take what there is.
    """

    metadata = {"name": "nim", "render_modes": []}  # noqa: RUF012  # PettingZoo's own form

    def __init__(self, masked: bool = True):
        super().__init__()
        self.masked = masked
        self.possible_agents = ["first_0", "second_0"]
        self.agents = []
        self.rng = np.random.default_rng()
        self.spaces = gymnasium.spaces.Box(0, 40, (1,), np.int64), gymnasium.spaces.Discrete(3, start=1)

    def observation_space(self, agent: str) -> gymnasium.Space:
        return self.spaces[0]

    def action_space(self, agent: str) -> gymnasium.Space:
        return self.spaces[1]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.heap = int(self.rng.integers(10, 41))
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[0]
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0), dict.fromkeys(self.agents, 0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self._tell()

    def _tell(self) -> None:
        self.infos = {agent: {} for agent in self.agents}
        if self.masked:
            for agent in self.agents:
                most = self.heap if agent == self.agent_selection else 0
                self.infos[agent] = {"action_mask": (np.arange(1, 4) <= most).astype(np.int8)}

    def observe(self, agent: str) -> np.ndarray:
        return np.array([self.heap])

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if self.masked and action > self.heap:
            raise ValueError("not so many")
        self.heap = max(self.heap - action, 0)
        self._cumulative_rewards[agent] = 0
        self.rewards = dict.fromkeys(self.agents, 0)
        if not self.heap:
            self.rewards = {each: 1 if each == agent else -1 for each in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.agent_selection = next(each for each in self.agents if each != agent)
        self._tell()


@pytest.mark.parametrize("masked", [True, False])
def test_an_environment_that_is_not_ours_passes(masked):
    for name in ("determinism", "copies", "rewards", "observation fields", "buffers", *(["masks"] if masked else [])):
        assert check.CHECKS[name](Nim, masked=masked).decisions > 0
    with pytest.raises(sobremesa.ParameterError, match="redeal_hidden"):
        check.check_no_leak(Nim)


@pytest.mark.parametrize("name", ["tictactoe_v3", "connect_four_v3"])
@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_what_pettingzoos_classics_hold_and_what_not(name, kind):
    pytest.importorskip("pygame")
    make = getattr(importlib.import_module(f"pettingzoo.classic.{name}"), kind)
    for passed in ("determinism", "rewards", "observation fields", "buffers"):
        assert check.CHECKS[passed](make).decisions > 0
    assert_red(check.check_copies, make, "a deep copy can't be looked at")  # EzPickle makes a new environment
    assert_red(check.check_masks, make, "a deep copy can't be looked at")


# No leak


class LeakyObservation(Bare):
    """An entry tells how many low cards the next player holds: possible as a value, so no space refuses it."""

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        other = (self._seats[agent] + 1) % self.tables.num_players
        seen["observation"][self.observation_fields["round"].slice.start] = self.tables.state["hand"][0, other, 0] > 0
        return seen


class LeakyInfo(Bare):
    def _write_infos(self) -> None:
        super()._write_infos()
        for agent in self.agents:
            self.infos[agent]["about"] = {"chance": self.tables.state["chance"].copy()}


class LeakyText(Bare):
    def render(self) -> Any:
        return f"{super().render()} {self.tables.state['hand'].sum(axis=2)} {self.tables.state['hand'][0, :, 3]}"


class LeakyMask(Bare):
    """A mask of somebody else, so of another hand."""

    def _write_infos(self) -> None:
        super()._write_infos()
        self._zeros = self._mask

    def redeal_hidden(self, agent: str, seed: int) -> None:
        super().redeal_hidden(agent, seed)


class Immovable(Bare):
    def redeal_hidden(self, agent: str, seed: int) -> None:
        pass


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        (LeakyObservation, r"observe/observation at entry \d+ \(field 'round'\).* told what is hidden"),
        (LeakyInfo, r"info/about/chance\[0\]"),
        (LeakyText, r"render"),
        (LeakyMask, r"observe/action_mask"),
    ],
)
def test_a_leak_turns_it_red(subject, what):
    assert assert_red(check.check_no_leak, subject, what).agent


def test_a_redeal_that_moves_nothing_proves_nothing():
    assert_red(check.check_no_leak, Immovable, "no redeal has moved anything, so nothing is proved")


# Determinism


class SeededOnce(Bare):
    """The seed holds for the first game only."""

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(np.random.SeedSequence().entropy % 2**63 if seed is None else seed, options)


class GlobalNumbers(Bare):
    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(seed, options)
        self.tables.state["chance"] += np.uint64(np.random.randint(1000))


class Remembering(Bare):
    """What it did before the seed shows after it."""

    num_steps = 0

    def step(self, action: Any) -> None:
        self.num_steps += 1
        super().step(action)
        for info in self.infos.values():
            info["num_steps"] = self.num_steps


class Shrinking(Bare):
    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(seed, options)
        self._spaces[0] = gymnasium.spaces.Discrete(3)


class Stubborn(CardGameEnv):
    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(seed and 1, options)


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        (SeededOnce, r"in game 1 after the seed a second one has another"),
        (GlobalNumbers, r"in game \d+ after the seed a second one has another"),
        (Remembering, r"one that was used before has another infos/player_\d/num_steps"),
        (Shrinking, r"a reset has changed the agents, spaces or metadata of the first environment"),
    ],
)
def test_a_seed_that_does_not_hold_turns_it_red(subject, what):
    assert_red(check.check_determinism, subject, what)


def test_a_seed_that_is_ignored_turns_it_red(monkeypatch):
    monkeypatch.setattr(check, "CardGameEnv", Stubborn)
    assert_red(check.check_determinism, GAME, "different seeds have dealt the same game", num_games=2, **SHORT)


def test_the_callers_random_numbers_are_left_alone():
    np.random.seed(5)
    before = np.random.get_state()[1].tobytes()
    check.check_determinism(Bare, num_games=2)
    assert np.random.get_state()[1].tobytes() == before


# Masks


class TooLenient(Bare):
    """The mask has an action that is refused."""

    def _write_infos(self) -> None:
        super()._write_infos()
        if self._mask.any():
            self._mask[self._mask.argmin()] = 1


class TooStrict(Bare):
    def _write_infos(self) -> None:
        super()._write_infos()
        if self._mask.sum() > 1:
            self._mask[self._mask.argmax()] = 0


class MaskOfOthers(Bare):
    def observe(self, agent: str) -> Any:
        return {**super().observe(agent), "action_mask": self._mask}


class EmptyMask(Bare):
    def _write_infos(self) -> None:
        super()._write_infos()
        self._mask[:] = 0


class TwoMasks(Bare):
    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        seen["action_mask"] = np.roll(seen["action_mask"], 1)
        return seen


class Hasty(Bare):
    """An illegal action is refused when something has already changed."""

    def step(self, action: Any) -> None:
        if action is not None and not self._mask[action]:
            self.tables.state["road"][0, 0] += 1
        super().step(action)


class Stale(Bare):
    """The mask of the table before what the action has brought."""

    def step(self, action: Any) -> None:
        before = self.tables._mask.copy()
        super().step(action)
        if action is not None and self.tables.current_player[0] >= 0:
            self.tables._mask[...] = before
            self._write_infos()


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        (TooLenient, r"action \d+ is in the mask, but playing it raised IllegalActionError"),
        (TooStrict, r"action \d+ isn't in the mask, but can be played"),
        (MaskOfOthers, r"the mask in the observation isn't empty, but the agent is not to act"),
        (EmptyMask, r"the mask in the observation is empty, but the agent is to act"),
        (TwoMasks, r"the masks in the observation and in the info differ"),
        (Hasty, r"action \d+, though refused, has changed observe/player_\d/observation at entry \d+ \(field 'road'\)"),
        (Stale, r"the mask isn't that of the table as it stands|after action \d+, which is in the mask, its obs"),
    ],
)
def test_a_mask_that_lies_turns_it_red(subject, what):
    assert assert_red(check.check_masks, subject, what, every=3).agent


class Penalising(Nim):
    """An illegal action ends the game, with a penalty for the mover: a way to refuse."""

    def step(self, action: Any) -> None:
        if action is None or action <= self.heap:
            super().step(action)
            return
        self.rewards = {agent: -1 if agent == self.agent_selection else 0 for agent in self.agents}
        self.terminations = dict.fromkeys(self.agents, True)


def test_a_penalty_that_ends_the_game_is_a_refusal():
    assert check.check_masks(Penalising, every=1).counts["actions tried"] > 0


# Copies


class SharedTables(Bare):
    def __deepcopy__(self, memo: Any) -> Any:
        twin = copy.copy(self)
        twin.agents = self.agents[:]
        return twin


class FreshCopy(Bare):
    """As EzPickle does it: a copy is a new environment."""

    def __reduce__(self) -> Any:
        return type(self), ()

    def __deepcopy__(self, memo: Any) -> Any:
        return type(self)()


class ForgetsRandomness(Bare):
    """Copies have a random state of their own, so the next deal is another one."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.tables.state["chance"] = 1


class Unpicklable(Bare):
    def __init__(self, **parameters: Any):
        super().__init__(**parameters)
        self.helper = lambda: None


class FollowsTheOriginal(Bare):
    """A copy keeps its own tables, but shows the original's infos."""

    def __deepcopy__(self, memo: Any) -> Any:
        twin = pickle.loads(pickle.dumps(self))
        twin.__dict__["heard"] = self.__dict__.setdefault("heard", [])
        return twin

    def step(self, action: Any) -> None:
        super().step(action)
        if self.agents:
            self.heard.append(action) if "heard" in self.__dict__ else None

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        seen["observation"][self.observation_fields["round"].slice.start] = len(self.__dict__.get("heard", [])) % 2
        return seen


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        (SharedTables, r"playing a deep copy on has changed the original's"),
        (FreshCopy, r"a deep copy (can't be looked at|has another)"),
        (ForgetsRandomness, r"played on alike, came to another"),
        (Unpicklable, r"a pickle can't be made"),
        (FollowsTheOriginal, r"playing .* on has changed"),
    ],
)
def test_a_copy_that_is_none_turns_it_red(subject, what):
    assert_red(check.check_copies, subject, what)


# Rewards


class PaidTwice(Bare):
    """What `last` has given stays to be given again."""

    def step(self, action: Any) -> None:
        agent, kept = self.agent_selection, self._cumulative_rewards.get(self.agent_selection, 0)
        super().step(action)
        if action is not None:
            self._cumulative_rewards[agent] += kept


class LoserGetsNothing(Bare):
    def step(self, action: Any) -> None:
        super().step(action)
        for agent, reward in self._cumulative_rewards.items():
            self._cumulative_rewards[agent] = max(reward, 0)


class AllLeaveAtOnce(Bare):
    """No last step for anybody, so no last reward."""

    def step(self, action: Any) -> None:
        super().step(action)
        if action is not None and self.terminations[self.agent_selection]:
            self.agents = [self.agent_selection]


class WrongSeats(CardGameEnv):
    """The environment gives each reward to the next seat."""

    def step(self, action: Any) -> None:
        super().step(action)
        if action is not None and any(self.rewards.values()):
            self.rewards = dict(zip(self.agents, np.roll(self.tables.rewards[0], 1).tolist()))
            self._cumulative_rewards = dict(self.rewards)


class WrongWinner(WrongSeats):
    """The table itself does."""

    def step(self, action: Any) -> None:
        super().step(action)
        if action is not None:
            self.tables.rewards[0] = list(self.rewards.values())


class Generous(CardGameEnv):
    def step(self, action: Any) -> None:
        super().step(action)
        if action is not None and self.agents:
            self.rewards = {agent: reward + 1 for agent, reward in self.rewards.items()}


class LearnerOfAnotherSeat(SeatEnv):
    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        return observation, -reward, *rest


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        (PaidTwice, r"it was given \S+, but its steps' rewards are"),
        (LoserGetsNothing, r"it was given 0, but its steps' rewards are -0.33"),
        (AllLeaveAtOnce, r"it had 0 last steps instead of one"),
    ],
)
def test_a_reward_that_goes_astray_turns_it_red(subject, what):
    parameters = {"reward": "score" if subject is PaidTwice else "outcome", "max_decisions": 400}
    assert assert_red(check.check_rewards, subject, what, **parameters).agent


@pytest.mark.parametrize(
    ("name", "subject", "what"),
    [
        ("CardGameEnv", WrongSeats, r"the rewards .* aren't those that the table has paid"),
        ("CardGameEnv", WrongWinner, r"it has earned \S+ instead of"),
        ("CardGameEnv", Generous, r"the rewards sum to 4, not to zero"),
        ("SeatEnv", LearnerOfAnotherSeat, r"as a learner it was given \S+, but its seat has earned"),
    ],
)
def test_a_game_that_pays_wrongly_turns_it_red(monkeypatch, name, subject, what):
    monkeypatch.setattr(check, name, subject)
    assert_red(check.check_rewards, GAME, what, num_games=3)


# Observations


class OutsideOfItsSpace(Bare):
    """In the eyes of those that are not to act, whom nobody else's checker asks."""

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        if agent != self.agent_selection:
            seen["observation"][0] = 77
        return seen


class Moody(Bare):
    """Looking moves something."""

    def observe(self, agent: str) -> Any:
        self.looks = self.__dict__.get("looks", 0) + 1
        seen = super().observe(agent)
        seen["observation"][0] = self.looks % 2
        return seen


def swap(names: tuple[str, str], name: str = GAME) -> sobremesa.Game:
    """The game with two fields in each other's place in the published layout; its kernels write what they did."""
    game = sobremesa.games()[name]

    def features(parameters: Any) -> list:
        fields = list(game.features(parameters))
        one, other = (i for i, field in enumerate(fields) if field.name in names)
        fields[one], fields[other] = fields[other], fields[one]
        return fields

    return dataclasses.replace(game, features=features)


class ShiftedLayout(Bare):
    def __init__(self, **parameters: Any):
        super().__init__(**parameters)
        self.observation_fields = {
            name: field._replace(slice=slice(field.slice.start + 1, field.slice.stop + 1))
            for name, field in self.observation_fields.items()
        }


class GivesAwayMore(Bare):
    """The space promises less than the layout says."""

    def __init__(self, **parameters: Any):
        super().__init__(**parameters)
        self.observation_fields = {
            name: field._replace(maximum=field.maximum + 1) for name, field in self.observation_fields.items()
        }


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        (OutsideOfItsSpace, r"its observation isn't in its space: entry 0 \(field 'to_act'\) is 77"),
        (Moody, r"looking has changed observe"),
        (ShiftedLayout, r"field 'to_act' should lie at 0:4 by its place and shape, not at slice\(1, 5"),
        (GivesAwayMore, r"field 'to_act' has another maximum in the space"),
    ],
)
def test_an_observation_that_is_not_what_it_says_turns_it_red(subject, what):
    assert_red(check.check_observation_fields, subject, what)


def test_a_layout_in_another_order_turns_it_red():
    for names in (("pile_size", "road"), ("pile_size", "hand_size")):
        error = failure_of(check.check_observation_fields, swap(names), **SHORT)
        assert re.search(rf"field '({'|'.join(names)})' reads .*, the table has", str(error))
    error = failure_of(check.check_observation_fields, swap(("hand", "opponent_known"), "pinata"))
    assert re.search("field 'hand' reads otherwise with recall=False", str(error))


# Buffers


class LiveObservation(Bare):
    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        if agent == self.agent_selection:
            seen["observation"] = self.tables.observation[0]
        return seen


class LiveMask(Bare):
    """In a container within the info."""

    def _write_infos(self) -> None:
        super()._write_infos()
        self.__dict__.setdefault("buffer", np.zeros_like(self._mask))[:] = self._mask
        for agent in self.agents:
            self.infos[agent]["about"] = {"masks": [self.buffer]}


class LiveState(Bare):
    def state(self) -> np.ndarray:
        buffer = self.__dict__.setdefault("buffer", super().state())
        buffer[:] = super().state()
        return buffer


class LiveSeatEnv(SeatEnv):
    def _observe(self) -> np.ndarray:
        return self.tables.observation[0]


class LiveVectorEnv(SeatVectorEnv):
    def _outcome(self) -> Any:
        return self.learner.rewards, self.tables.terminated.copy(), self.tables.truncated.copy()


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        (LiveObservation, r"what observe returned was overwritten later: player_\d/observation at entry \d+ \(field '"),
        (LiveMask, r"what infos returned was overwritten later: player_\d/about/masks/0\[\d+\]"),
        (LiveState, r"what state returned was overwritten later"),
    ],
)
def test_a_live_buffer_turns_it_red(subject, what):
    assert_red(check.check_buffers, subject, what)


@pytest.mark.parametrize(
    ("name", "subject", "what"),
    [
        ("SeatEnv", LiveSeatEnv, r"what reset returned was overwritten later: 0\[\d+\]"),
        ("SeatVectorEnv", LiveVectorEnv, r"what step returned was overwritten later: 1\[\d\]"),
    ],
)
def test_a_live_buffer_of_the_gymnasium_environments_turns_it_red(monkeypatch, name, subject, what):
    monkeypatch.setattr(check, name, subject)
    assert_red(check.check_buffers, GAME, what, num_games=1, reward="score", max_decisions=100)


# The vector environment


class FinalOfAnother(SeatVectorEnv):
    """The final observations are those of the environments beside."""

    def _final_observations(self, ends: np.ndarray) -> np.ndarray:
        final, observation = np.full(self.num_envs, None, object), self._observe()
        for i in np.flatnonzero(ends):
            final[i] = observation[i - 1].copy()
        return final


class ActsOnReset(SeatVectorEnv):
    """NextStep: the action of the step that begins a new game is played in it."""

    def _step_and_reset(self, actions: Any, resets: np.ndarray) -> Any:
        given = super()._step_and_reset(actions, resets)
        legal = support.nth_legal(self.action_masks(), 0)
        self.learner.step(legal, resets)
        return self._observe(), *given[1:]


class ResetsAll(SeatVectorEnv):
    """Disabled: the mask of a reset is ignored."""

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return super().reset(seed=seed)


class Misnamed(SeatVectorEnv):
    def __init__(self, *arguments: Any, **named: Any):
        super().__init__(*arguments, **named)
        self.metadata = {}


@pytest.mark.parametrize(
    ("subject", "mode", "what"),
    [
        (FinalOfAnother, "SameStep", r"step returned another 4/final_obs/\d"),
        (ActsOnReset, "NextStep", r"step returned another 0"),
        (ResetsAll, "Disabled", r"reset returned another"),
        (Misnamed, "SameStep", r"its metadata say that the autoreset_mode is None"),
    ],
)
def test_another_vector_environment_turns_it_red(subject, mode, what):
    make = lambda **named: subject(GAME, **named)  # noqa: E731
    one = lambda **named: SeatEnv(GAME, **named)  # noqa: E731
    check.check_vector(one, lambda **named: SeatVectorEnv(GAME, **named), num_games=1, autoreset_modes=[mode], **SHORT)
    error = failure_of(check.check_vector, one, make, autoreset_modes=[mode], num_games=3, **SHORT)
    assert re.search(what, str(error)), error
    assert (error.check, error.seed) == ("check_vector", 0)


def test_a_vector_check_of_one_maker_alone_is_refused():
    with pytest.raises(sobremesa.ParameterError, match="vector_fn"):
        check.check_vector(SeatEnv)


# The page, the command, and what is refused


def test_every_check_is_on_the_page_and_in_the_command():
    public = [name for name in vars(check) if name.startswith("check_")]
    assert [f"check_{name.replace(' ', '_')}" for name in check.CHECKS] == public
    listed = re.findall(r"^- `(check_\w+)`", check.__doc__, re.MULTILINE)
    assert listed[: len(public)] == public
    for name in public:
        assert inspect.getdoc(getattr(check, name))


def test_settings_have_every_number_of_players_and_every_kind(game):
    low, high, _ = sobremesa.games()[game].players
    first, *others = check.settings(sobremesa.games()[game], check.Args(max_decisions=8))
    assert "max_decisions" not in first
    assert {one["max_decisions"] for one in others} == {8}
    found = list(check.settings(sobremesa.games()[game], check.Args(parameters=("max_decisions=9",))))
    assert {one["num_players"] for one in found} == set(range(low, high + 1))
    assert len({(one["reward"], one["recall"]) for one in found}) == 4
    assert {one["max_decisions"] for one in found} == {9}


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"num_games": 0}, "num_games must be an integer from 1"),
        ({"seed": -1}, "seed must be an integer from 0"),
        ({"every": 0}, "every must be an integer from 1"),
        ({"weather": "fine"}, "no parameter 'weather'"),
    ],
)
def test_bad_arguments_are_refused(named, message):
    with pytest.raises(sobremesa.ParameterError, match=message):
        check.check_masks(GAME, **named)
    with pytest.raises(sobremesa.ParameterError, match="there is no game 'chess'"):
        check.check_masks("chess")


def test_it_is_at_hand_without_being_imported():
    code = "import json, sys, sobremesa; before = 'sobremesa.check' in sys.modules; sobremesa.check.check_copies; "
    assert support.run_python(code + "print(json.dumps([before, 'sobremesa.check' in sys.modules]))") == [False, True]
    with pytest.raises(AttributeError, match="weather"):
        sobremesa.weather  # noqa: B018


class SharedDeals(Bare):
    """A reset without a seed takes one from numbers that a copy shares."""

    def __init__(self, **parameters: Any):
        super().__init__(**parameters)
        self.numbers = random.Random(5)

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(self.numbers.getrandbits(32) if seed is None else seed, options)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        twin = super().__deepcopy__({**memo, id(self.numbers): self.numbers})
        twin.numbers = self.numbers
        return twin


@pytest.mark.parametrize("every", [1, 20, 500])
def test_a_copy_that_shares_the_next_deal_is_found_however_few_are_made(every):
    error = failure_of(check.check_copies, SharedDeals, num_games=1, every=every, max_decisions=60)
    assert "played on alike, came to another" in str(error)


def test_a_check_with_nothing_to_do_is_refused():
    for arguments in ({"num_games": 0}, {"num_envs": 0}, {"illegal_every": -1}, {"autoreset_modes": []}):
        with pytest.raises(ParameterError, match=next(iter(arguments))):
            check.check_vector("freep", **arguments)
    for seed in ("a", None, True, -1):
        for run in (check.check_masks, check.check_rewards, check.check_observation_fields, check.check_buffers):
            with pytest.raises(ParameterError, match="seed must be an integer"):
                run("freep", seed=seed)
    with pytest.raises(ParameterError, match="must make a PettingZoo AEC environment"):
        check.check_masks(lambda: 3)
