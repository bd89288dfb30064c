"""Conformance checks: what a card game with hidden hands must hold, and the usual checkers don't look at.

## Description

Each check plays random games and raises `ConformanceError` at the first thing that is wrong; it returns what it has
covered. Its first argument is a game (a name, such as "freep", or a `Game`), or any function that makes a PettingZoo
AEC environment; the keywords that the check doesn't take itself go to the environment. Of a game the bare environment
is played, and where wrappers could matter (copies, rewards, buffers) the one in PettingZoo's wrappers too.
`sobremesa check <game>` runs all checks over a game's numbers of players, rewards and recall.

```
from sobremesa import check
check.check_no_leak("freep", num_games=3, num_players=4)
check.check_copies(my_environment_v0.env, num_games=10)
```

## Checks

- `check_no_leak`: nothing that an agent is given (`observe`, `last`, mask, info, rewards, text) changes when what is
  hidden from it is dealt anew. For games, and for environments whose bare form has `redeal_hidden(agent, seed)` and
  `state()`.
- `check_determinism`: one seeded reset gives the same games in a row, of which only the first was seeded: in two new
  environments and in one that was used before, with other global random numbers. A reset changes neither spaces nor
  agents nor metadata.
- `check_masks`: every action of the mask can be played, every other one is refused and changes nothing, tried on
  copies. Whoever is not to act has an empty mask; masks in observations and infos are the same.
- `check_copies`: a deep copy or a pickle in mid-game shows the same, goes on in the same way, through the end into the
  next game, and shares nothing with the original.
- `check_rewards`: what `last` gives an agent, its last step after the end included, adds up to what the steps have paid
  it. Of a game also: rewards sum to zero, the winners have their share, and a learner at each seat of the Gymnasium
  environment gets what its seat has earned.
- `check_observation_fields`: at any time every agent's observation lies in its space, and looking changes nothing. A
  published layout covers the vector without gaps and has the space's maxima, and what is read by it is what the table's
  record holds.
- `check_buffers`: nothing that was returned is overwritten later, in nested containers neither; of a game also in the
  Gymnasium environments.
- `check_vector`: a vector environment gives in each autoreset mode, byte for byte, what Gymnasium's `SyncVectorEnv`
  makes of single environments. For games, and for any pair of makers.

## Limits

- The checks see what random play comes to; more games see more.
- `check_no_leak` is as strong as `redeal_hidden`: a leak of what that never moves isn't seen. That it moves something
  is counted; where it never has, the check fails, as nothing is proved. The order of decisions (whose turn it is, how
  often somebody else was asked) is given to everybody.
- `check_masks` takes the environment's own word for what is refused. Our environments refuse by the mask, so a rule
  that the mask forgets is left to the tests of the rules. An environment may refuse by ending the game for all with a
  penalty for the mover, as PettingZoo's wrapper does; a losing move that ends the game looks just like that.
- `check_determinism` stays in one process: hash seed, threads and machine are the same.
- `check_rewards` takes `rewards` for what a step has paid; who has earned it is known of our games only.
- `check_observation_fields` compares with the record what it holds under the field's name with as many entries: those
  of all seats, the observer's first, or the observer's alone. A field may be 0 as a whole, where it means nothing. All
  fields are compared between observations with and without recall.

## Beside the checks of others

- PettingZoo's `api_test` plays one game and looks at the agent that is to act: not at leaks, other agents' masks and
  observations, whether a mask is true, copies, or reused arrays. (That `last` pays what `rewards` has shown, it does
  check, turn by turn.)
- PettingZoo's `seed_test` stops at the first end, so it never sees a second game; it leaves global random numbers as
  they are, sees only what the agent to act is given, and takes floats for equal that differ by 1e-5. Its parallel form
  samples without masks.
- PettingZoo's test of pickling does it before the first reset.
- Gymnasium's `check_env` samples from the whole space, and compares one step after each of two seeded resets and the
  observations of two resets; it looks for objects shared by the results of four calls. It plays no game to its end,
  makes no copies, adds up no rewards. There is no checker for vector environments.
- Stable-Baselines3's `check_env` samples from the whole space too. It reads the types and bounds of one reset and one
  step, and looks for NaN in ten.

## Failures

A `ConformanceError`, which is an AssertionError, says at which decision and for which agent something broke, what it
was, and which call shows it again. `check`, `subject`, `parameters`, `seed`, `decision` and `agent` (or None) are its
attributes. Decisions are counted from 0 since the reset with that seed.

## Version history

- v0: the first.

## References

- The sources of the checkers above, as of PettingZoo 1.27, Gymnasium 1.4 and Stable-Baselines3 2.9.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import inspect
import itertools
import math
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pettingzoo.utils.env_logger import EnvLogger

from .aec import CardGameEnv, wrapped_env
from .game import REWARDS, SEATS, Field, Game, ParameterError, read_integer
from .single import SeatEnv
from .tables import Tables, find_game
from .vector import SeatVectorEnv

Subject = str | Game | Callable[..., Any]
WAYS_TO_COPY: Mapping[str, Callable[[Any], Any]] = {
    "a deep copy": copy.deepcopy,
    "a pickle": lambda env: pickle.loads(pickle.dumps(env)),
}
TOLERANCE = 1e-5  # between sums of rewards, which are float32 in the core
COPIES_GO_ON = (30, 1, 1, 1, 1)  # for so many steps, in turn; an odd number of lengths, so each way has them all
STEPS_BEFORE_THE_SEED = 100  # of an environment that was used before
STEPS_AFTER_THE_END = 5
NUM_SEEDS = 8  # that must not all deal the same game
MOST_STEPS = 10_000  # of a game, which is left then
MOST_NAMES = 5  # of things that differ, in a message


class ConformanceError(AssertionError):
    """What a check has found; see the module's page for its attributes."""

    def __init__(self, message: str, facts: Mapping[str, Any]):
        super().__init__(message)
        self.facts = dict(facts)
        self.check: str = facts["check"]
        self.subject: str = facts["subject"]
        self.parameters: dict[str, Any] = facts["parameters"]
        self.seed: int = facts["seed"]
        self.decision: int = facts["decision"]
        self.agent: Any = facts["agent"]

    def __reduce__(self):
        return type(self), (self.args[0], self.facts)


@dataclass
class Coverage:
    """What a check has covered. `counts` are of other things, by name. Coverages can be added up."""

    games: int = 0
    decisions: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Coverage) -> Coverage:
        counts = Counter(self.counts)
        counts.update(other.counts)
        return Coverage(self.games + other.games, self.decisions + other.decisions, counts)

    def __str__(self) -> str:
        parts = {"games": self.games, "decisions": self.decisions, **self.counts}
        return ", ".join(f"{name} {number:,}" for name, number in parts.items())


# No leak


def check_no_leak(game: Subject, num_games: int = 2, seed: int = 0, every: int = 1, **parameters: Any) -> Coverage:
    """Nothing that an agent is given tells what is hidden from it.

    Plays games seeded `seed`, `seed` + 1, …. At each step (each `every`-th one) and at the end a copy of the game is
    dealt anew, for each agent in turn: all that the agent is given must stay as it was, byte for byte.
    """
    trial = _Trial("check_no_leak", game, parameters, every=every)
    for env in trial.games(num_games, seed, wrapped=False):
        if not hasattr(env.unwrapped, "redeal_hidden"):
            raise ParameterError(f"check_no_leak needs a method redeal_hidden(agent, seed) of {env}")
        for step, _, is_due in trial.play(env, every):
            if is_due:
                _redeal_for_each(trial, copy.deepcopy(env), step)
    moved = trial.coverage.counts["redeals that moved something"]
    trial.expect(moved > 0, "no redeal has moved anything, so nothing is proved")
    return trial.coverage


def _redeal_for_each(trial: _Trial, env: Any, step: int) -> None:
    for agent in list(env.agents):
        before, world = _given_to(env, agent), flatten(env.state())
        env.unwrapped.redeal_hidden(agent, trial.random(step, agent).getrandbits(63))
        trial.expect_same(before, _given_to(env, agent), "{} told what is hidden: a redeal has changed it", agent)
        trial.coverage.counts["redeals"] += 1
        trial.coverage.counts["redeals that moved something"] += flatten(env.state()) != world


def _given_to(env: Any, agent: Any) -> dict[str, Any]:
    """Everything that is handed to `agent`, or shown to all, as the game stands."""
    given: dict[str, Any] = {
        "observe": env.observe(agent),
        "info": env.infos[agent],
        "rewards": env.rewards,
        "terminations": env.terminations,
        "truncations": env.truncations,
        "agent_selection": env.agent_selection,
    }
    if agent == env.agent_selection:
        given |= {"last": env.last(), "render": _render(env)}
    tables = _tables_of(env)
    if tables is not None:
        seat = env.possible_agents.index(agent)
        given["text"] = tables.to_text(0, seat)
        if seat == tables.current_player[0]:
            given |= {"observation": tables.observation, "mask": tables.legal_action_mask, "repr": repr(tables)}
    return flatten(given)


# Determinism


def check_determinism(game: Subject, num_games: int = 20, seed: int = 0, **parameters: Any) -> Coverage:
    """One seed gives the same games in a row, `num_games` ≥ 2, whatever came before and whoever else draws numbers.

    Three environments are played alike, step by step, and all that they show is compared: two new ones and one that
    was played with another seed before. The latter two run with other global random numbers. Only the first reset is
    seeded. Of a game also: not all seeds deal the same.
    """
    trial = _Trial("check_determinism", game, parameters)
    read_integer("num_games", num_games, 2)
    for make in trial.makers(wrapped=False):
        trial.begin(seed, num_games=num_games)
        envs = {"the first environment": make(), "a second one": make(), "one that was used before": make()}
        _use(trial, envs["one that was used before"])
        for number in range(num_games):
            trial.coverage.games += 1
            _begin_alike(trial, envs, None if number else seed)
            _play_alike(trial, envs, number)
    if trial.game is not None:
        worlds = [trial.makers(wrapped=False)[0]() for _ in range(NUM_SEEDS)]
        for k, world in enumerate(worlds):
            world.reset(seed=seed + k)
        trial.expect(len({world.state().tobytes() for world in worlds}) > 1, "different seeds have dealt the same game")
    return trial.coverage


def _use(trial: _Trial, env: Any) -> None:
    env.reset(seed=trial.seed + 1)
    for step in range(STEPS_BEFORE_THE_SEED):
        _advance_or_reset(trial, env, step)


def _begin_alike(trial: _Trial, envs: Mapping[str, Any], seed: int | None) -> None:
    """Resets all; a reset may change neither spaces nor agents nor metadata."""
    for k, (name, env) in enumerate(envs.items()):
        before = _facts(env)
        with _global_numbers(k):
            env.reset(seed=seed)
        trial.expect(_facts(env) == before, f"a reset has changed the agents, spaces or metadata of {name}")


def _play_alike(trial: _Trial, envs: Mapping[str, Any], number: int) -> None:
    first, *others = envs
    for step, _, _ in trial.play(envs[first]):
        seen = _look(envs[first])
        for k, name in enumerate(others, start=1):
            with _global_numbers(len(envs) * step + k):
                trial.expect_same(seen, _look(envs[name]), f"in game {number} after the seed {name} has another {{}}")
                trial.advance(envs[name], step)
    for name in others:
        trial.expect(envs[name].agents == envs[first].agents, f"game {number} after the seed ends elsewhere in {name}")


@contextlib.contextmanager
def _global_numbers(seed: int) -> Iterator[None]:
    """Other global random numbers, unless `seed` is 0; the caller's are put back."""
    if seed == 0:
        yield
        return
    ours, numpys = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(ours)
        np.random.set_state(numpys)


def _facts(env: Any) -> str:
    agents = getattr(env, "possible_agents", [])
    return repr((agents, [(env.observation_space(agent), env.action_space(agent)) for agent in agents], env.metadata))


# Masks


def check_masks(game: Subject, num_games: int = 2, seed: int = 0, every: int = 10, **parameters: Any) -> Coverage:
    """The mask is what can be played.

    At each step the masks of all agents are looked at; at each `every`-th one every action is tried on a copy. Action
    spaces must be Discrete; a mask lies under "action_mask" in the observation, in the info, or in both.
    """
    trial = _Trial("check_masks", game, parameters, every=every)
    for env in trial.games(num_games, seed, wrapped=False):
        for _, is_dead, is_due in trial.play(env, every):
            for agent in env.agents:
                _expect_mask(trial, env, agent, agent == env.agent_selection and not is_dead)
            if is_due and not is_dead:
                _try_actions(trial, env, env.agent_selection)
    return trial.coverage


def _expect_mask(trial: _Trial, env: Any, agent: Any, is_to_act: bool) -> None:
    """Whoever is to act has an action, nobody else has one, and the info says what the observation says."""
    masks, space = _masks_of(env, agent), env.action_space(agent)
    if not isinstance(space, spaces.Discrete):
        raise ParameterError(f"check_masks needs Discrete action spaces, not {space}")
    trial.expect(bool(masks), "there is no action_mask, neither in the observation nor in the info", agent)
    for place, mask in masks.items():
        trial.expect(np.shape(mask) == (space.n,), f"the mask in the {place} isn't of {space.n} entries", agent)
        trial.expect(np.isin(mask, (0, 1)).all(), f"the mask in the {place} has entries other than 0 and 1", agent)
        if is_to_act:
            trial.expect(np.any(mask), f"the mask in the {place} is empty, but the agent is to act", agent)
        else:
            trial.expect(not np.any(mask), f"the mask in the {place} isn't empty, but the agent is not to act", agent)
    same = [np.array_equal(mask, other) for mask, other in itertools.pairwise(masks.values())]
    trial.expect(all(same), "the masks in the observation and in the info differ", agent)


def _masks_of(env: Any, agent: Any) -> dict[str, Any]:
    """By the place where it is found."""
    places = {"observation": env.observe(agent), "info": env.infos[agent]}
    return {
        place: given["action_mask"]
        for place, given in places.items()
        if isinstance(given, Mapping) and "action_mask" in given
    }


def _try_actions(trial: _Trial, env: Any, agent: Any) -> None:
    before, mask = _look(env), next(iter(_masks_of(env, agent).values())) != 0
    actions = int(env.action_space(agent).start) + np.arange(len(mask))
    twin = trial.look(copy.deepcopy(env), "a deep copy")
    trial.expect_same(before, twin, "a deep copy, to try actions on, has another {}", agent)
    for action in actions[mask].tolist():
        _try_legal(trial, copy.deepcopy(env), agent, action)
    _try_illegal(trial, env, agent, actions[~mask].tolist())
    trial.expect_same(before, _look(env), "actions tried on copies have changed the original's {}", agent)
    tables = _tables_of(env)
    if tables is not None:
        fresh = tables.copy()
        fresh.refresh()
        is_fresh = np.array_equal(fresh.legal_action_mask, tables.legal_action_mask)
        trial.expect(is_fresh, "the mask isn't that of the table as it stands", agent)
    trial.coverage.counts["actions tried"] += len(mask)


def _try_legal(trial: _Trial, env: Any, agent: Any, action: int) -> None:
    try:
        env.step(action)
    except Exception as error:
        raise trial.failure(f"action {action} is in the mask, but playing it raised {error!r}", agent) from error
    for other in env.agents:
        _expect_inside(trial, env, other, f"after action {action}, which is in the mask, ")


def _try_illegal(trial: _Trial, env: Any, agent: Any, actions: list[int]) -> None:
    before, twin = _look(env), copy.deepcopy(env)
    for action in actions:
        if _refuses(twin, action):
            continue  # the same copy serves for the next one, as nothing should have changed
        is_over = all(twin.terminations[other] or twin.truncations[other] for other in twin.agents)
        is_penalty = is_over and twin.rewards.get(agent, 0) < 0
        trial.expect(is_penalty, f"action {action} isn't in the mask, but can be played", agent)
        twin = copy.deepcopy(env)
    if _look(twin) == before:
        return
    for action in actions:  # which one was it?
        twin = copy.deepcopy(env)
        if _refuses(twin, action):
            trial.expect_same(before, _look(twin), f"action {action}, though refused, has changed {{}}", agent)


def _refuses(env: Any, action: int) -> bool:
    """Whether `step` raises; what it logs is of no interest."""
    EnvLogger.suppress_output()
    try:
        env.step(action)
    except Exception:
        return True
    finally:
        EnvLogger.unsuppress_output()
    return False


# Copies


def check_copies(game: Subject, num_games: int = 2, seed: int = 0, every: int = 1, **parameters: Any) -> Coverage:
    """A copy in mid-game shows the same, goes on in the same way, and shares nothing with the original.

    At each step (each `every`-th one), and before the first reset, deep copies and pickles in turn. Some go on for one
    step, others for many. Those made after the end, in each way, go on into the next game, whose deal shows what became
    of the random state.
    """
    trial = _Trial("check_copies", game, parameters, every=every)
    for make in trial.makers():
        for way in WAYS_TO_COPY:
            trial.begin(seed, num_games=1)
            original = make()
            twin = _copied(trial, original, way)
            original.reset(seed=seed)
            twin.reset(seed=seed)
            trial.expect_same(
                _look(original), trial.look(twin, way), f"{way} made before the first reset has another {{}}"
            )
    for env in trial.games(num_games, seed):
        _copy_on_the_way(trial, env, every)
    return trial.coverage


def _copy_on_the_way(trial: _Trial, env: Any, every: int) -> None:
    """Plays a game to its end, and on until it has come to all that its copies have shown."""
    ways, lengths = itertools.cycle(WAYS_TO_COPY), itertools.cycle(COPIES_GO_ON)
    shown: dict[int, list[tuple[str, dict[str, Any]]]] = {}  # by step: the way of a copy, and what it showed there
    last_copy, last_seen = None, {}
    num_steps = 0
    for step, is_dead, is_due in trial.play(env, every):
        seen, num_steps = _look(env), step + 1
        if last_copy is not None:
            trial.expect_same(last_seen, _look(last_copy), "playing the original on has changed its copy's {}")
        _compare(trial, shown.pop(step, []), seen)
        last_copy = None
        if not is_due:
            continue
        in_turn = [(next(ways), next(lengths))]
        for way, length in [(way, max(COPIES_GO_ON)) for way in WAYS_TO_COPY] if is_dead else in_turn:
            last_copy, last_seen = _copied(trial, env, way), seen
            twin = _copied(trial, env, way)
            trial.expect_same(seen, trial.look(twin, way), f"{way} has another {{}}")
            for then in range(step, step + length):
                _advance_or_reset(trial, twin, then)
                shown.setdefault(then + 1, []).append((way, _look(twin)))
            trial.expect_same(seen, _look(env), f"playing {way} on has changed the original's {{}}")
            trial.coverage.counts["copies"] += 1
    for step in range(num_steps, max(shown, default=0) + 1):
        _compare(trial, shown.get(step, []), _look(env))
        _advance_or_reset(trial, env, step)


def _compare(trial: _Trial, shown: list[tuple[str, dict[str, Any]]], seen: dict[str, Any]) -> None:
    for way, seen_by_copy in shown:
        trial.expect_same(seen, seen_by_copy, f"{way}, played on alike, came to another {{}}")


def _copied(trial: _Trial, env: Any, way: str) -> Any:
    try:
        return WAYS_TO_COPY[way](env)
    except Exception as error:
        raise trial.failure(f"{way} can't be made: {error!r}") from error


def _advance_or_reset(trial: _Trial, env: Any, step: int) -> None:
    if env.agents:
        trial.advance(env, step)
    else:
        env.reset()


# Rewards


def check_rewards(game: Subject, num_games: int = 5, seed: int = 0, **parameters: Any) -> Coverage:
    """Every agent gets what it has earned, once.

    What `last` gives an agent, its last step after the end included, adds up to what `rewards` has shown for it after
    each step, and each agent leaves by one such last step. Of a game also: rewards sum to zero, with reward="outcome"
    the winners have their share, and a learner at each seat of the Gymnasium environment gets what its seat has earned.
    """
    trial = _Trial("check_rewards", game, parameters)
    for env in trial.games(num_games, seed):
        _add_up(trial, env)
    for seat in range(trial.num_players):
        for number in range(num_games):
            trial.begin(seed + number, num_games=1)
            _add_up_learner(trial, SeatEnv(trial.game, seat=seat, **parameters), seat)  # type: ignore[arg-type]
    return trial.coverage


def _add_up(trial: _Trial, env: Any) -> None:
    received, earned, num_last_steps = Counter(), Counter(), Counter()
    was_dead = True
    for _, is_dead, _ in trial.play(env):
        if not was_dead:
            earned.update(env.rewards)
            trial.expect_zero_sum(env.rewards.values())
            tables = _tables_of(env)
            is_paid = tables is None or list(env.rewards.values()) == tables.rewards[0].tolist()
            trial.expect(is_paid, f"the rewards {env.rewards} aren't those that the table has paid")
        agent, reward = env.agent_selection, env.last()[1]
        received[agent] += reward
        num_last_steps[agent] += is_dead
        was_dead = is_dead
    if env.agents:
        return  # left before its end
    for agent in num_last_steps:
        trial.expect(num_last_steps[agent] == 1, f"it had {num_last_steps[agent]} last steps instead of one", agent)
        is_paid = math.isclose(received[agent], earned[agent], abs_tol=TOLERANCE)
        trial.expect(is_paid, f"it was given {received[agent]:g}, but its steps' rewards are {earned[agent]:g}", agent)
    if trial.game is not None:
        trial.expect_share(env.unwrapped.tables, [earned[agent] for agent in env.possible_agents])


def _add_up_learner(trial: _Trial, env: SeatEnv, seat: int) -> None:
    _, info = env.reset(seed=trial.seed)
    received, is_over = 0.0, False
    for step in itertools.count():
        if is_over:
            break
        action = trial.random(step).choice(np.flatnonzero(info["action_mask"]).tolist())
        _, reward, terminated, truncated, info = env.step(action)
        received, is_over = received + reward, terminated or truncated
        trial.decision += 1
    trial.coverage.games += 1
    trial.coverage.decisions += trial.decision
    earned, agent = info["returns"], f"player_{seat}"
    is_paid = math.isclose(received, earned[seat], abs_tol=TOLERANCE)
    trial.expect(is_paid, f"as a learner it was given {received:g}, but its seat has earned {earned[seat]:g}", agent)
    trial.expect_zero_sum(earned)
    trial.expect_share(env.tables, earned)


# Observations


def check_observation_fields(
    game: Subject, num_games: int = 2, seed: int = 0, every: int = 1, **parameters: Any
) -> Coverage:
    """Observations are in their spaces, looking changes nothing, and a published layout says what is where.

    Of every agent at each step (each `every`-th one) and at the end. The layout is `observation_fields` of the
    unwrapped environment, name to slice, shape and maximum.
    """
    trial = _Trial("check_observation_fields", game, parameters, every=every)
    for env in trial.games(num_games, seed, wrapped=False):
        fields = getattr(env.unwrapped, "observation_fields", None)
        if fields is not None:
            _expect_layout(trial, env, fields)
        for _, _, is_due in trial.play(env, every):
            if is_due:
                _expect_pure_looks(trial, env)
                if fields is not None and _tables_of(env) is not None:
                    _expect_truth(trial, env, fields)
    return trial.coverage


def _expect_pure_looks(trial: _Trial, env: Any) -> None:
    before = _look(env)
    for agent in env.agents:
        _expect_inside(trial, env, agent)
    trial.expect_same(before, _look(env), "looking has changed {}")


def _expect_inside(trial: _Trial, env: Any, agent: Any, when: str = "") -> None:
    space, observation = env.observation_space(agent), env.observe(agent)
    if space.contains(observation):
        return
    box, vector, told = _vector_of(space), _vector_of(observation), ""
    if isinstance(box, spaces.Box) and np.shape(vector) == box.shape:
        outside = np.flatnonzero((vector < box.low) | (vector > box.high))
        told = f": {trial.tell_entry(outside[0])} is {np.ravel(vector)[outside[0]]}" if outside.size else ""
    raise trial.failure(f"{when}its observation isn't in its space{told}", agent)


def _expect_layout(trial: _Trial, env: Any, fields: Mapping[str, Field]) -> None:
    """One field after the other, each of the size of its shape, up to the end of the vector; maxima as in the space."""
    end = 0
    for name, one in fields.items():
        size = math.prod(one.shape)
        fits = (one.slice.start, one.slice.stop) == (end, end + size)
        trial.expect(
            fits, f"field {name!r} should lie at {end}:{end + size} by its place and shape, not at {one.slice}"
        )
        end += size
    for agent in env.agents:
        space = _vector_of(env.observation_space(agent))
        trial.expect(space.shape == (end,), f"the fields end at {end}, the observation space is {space.shape}", agent)
        for name, one in fields.items():
            maximum = one.maximum if space.dtype == np.uint8 else 1
            trial.expect(
                (space.high[one.slice] == maximum).all(), f"field {name!r} has another maximum in the space", agent
            )


def _expect_truth(trial: _Trial, env: Any, fields: Mapping[str, Field]) -> None:
    """The fields against the record, and against an observation of the same record with, or without, recall."""
    tables = env.unwrapped.tables
    other = Tables(tables.game, autoreset=False, **{**tables.parameters, "recall": not tables.parameters["recall"]})
    other.state[:] = tables.state
    other.state["recall"] = other.parameters["recall"]
    for seat, agent in enumerate(env.possible_agents):
        vector = _vector_of(env.observe(agent))
        if tables.scaled:
            vector = np.rint(vector * tables.observation_scale).astype(np.uint8)
        seen = {name: vector[one.slice].reshape(one.shape) for name, one in fields.items()}
        elsewhere = other.game.decode(other.observe(seat)[0], other.parameters)
        for name, value in seen.items():
            is_same = name not in elsewhere or np.array_equal(value, elsewhere[name])
            trial.expect(is_same, f"field {name!r} reads otherwise with recall={other.parameters['recall']}", agent)
            kept = _kept(tables.state[0], name, value, seat)
            if kept is not None and value.any():
                is_true = np.array_equal(value, kept)
                trial.expect(is_true, f"field {name!r} reads {value.tolist()}, the table has {kept.tolist()}", agent)
                trial.coverage.counts["fields compared with the table"] += 1


def _kept(record: np.void, name: str, value: np.ndarray, seat: int) -> np.ndarray | None:
    """What the record keeps under the name of a field, in the field's form; None if it has nothing of that size."""
    if name not in (record.dtype.names or ()):
        return None
    kept, num_players, most_players = np.asarray(record[name]), int(record["num_players"]), len(record["rewards"])
    forms = [kept]
    axis = next((axis for axis, size in enumerate(kept.shape) if size in (most_players, SEATS)), None)
    if axis is not None:  # one entry, or row, for each seat
        relative = np.roll(kept.take(range(num_players), axis), -seat, axis)
        forms = [relative, kept.take(seat, axis)]
    return next((form.reshape(value.shape) for form in forms if form.size == value.size), None)


def _vector_of(observation: Any) -> Any:
    """The vector in an observation, or in its space, beside the mask; what has none is left as it is."""
    is_dict = isinstance(observation, (Mapping, spaces.Dict))
    return observation["observation"] if is_dict and "observation" in observation.keys() else observation  # noqa: SIM118


# Buffers


def check_buffers(game: Subject, num_games: int = 2, seed: int = 0, **parameters: Any) -> Coverage:
    """Nothing that was returned is overwritten later, arrays in nested containers included.

    All that `observe`, `last`, `state` and `render` have returned, and the infos, is kept, and compared at the end with
    copies made at once. Of a game also what the Gymnasium environments return, the vector one in each autoreset mode.
    """
    trial = _Trial("check_buffers", game, parameters)
    for env in trial.games(num_games, seed):
        kept = _Kept(trial)
        for _ in trial.play(env):
            kept.add("observe", {agent: env.observe(agent) for agent in env.agents})
            kept.add("infos", {agent: env.infos[agent] for agent in env.agents})
            kept.add("last", env.last())
            kept.add("state", _state(env))
            kept.add("render", _render(env))
        kept.expect_untouched()
    for env in _gymnasium_envs(trial, num_games, seed):
        _keep_steps(trial, env)
    return trial.coverage


class _Kept:
    """What was returned, with copies made at once."""

    def __init__(self, trial: _Trial):
        self.trial = trial
        self.returned: list[tuple[int, str, Any, dict[str, Any]]] = []

    def add(self, name: str, value: Any) -> None:
        self.returned.append((self.trial.decision, name, value, flatten(value)))

    def expect_untouched(self) -> None:
        for decision, name, value, then in self.returned:
            self.trial.decision = decision
            self.trial.expect_same(then, flatten(value), f"what {name} returned was overwritten later: {{}}")


def _gymnasium_envs(trial: _Trial, num_games: int, seed: int) -> Iterator[Any]:
    if trial.game is None:
        return
    makers = [SeatEnv, *(functools.partial(SeatVectorEnv, num_envs=2, autoreset_mode=mode) for mode in AutoresetMode)]
    for make, number in itertools.product(makers, range(num_games)):
        trial.begin(seed + number, num_games=1)
        yield make(trial.game, **trial.parameters)


def _keep_steps(trial: _Trial, env: Any) -> None:
    """Until a game has ended, and a few steps on."""
    kept, last_step, step = _Kept(trial), MOST_STEPS, 0
    given = env.reset(seed=trial.seed)
    kept.add("reset", given)
    while step < last_step:
        masks = np.atleast_2d(given[-1]["action_mask"])
        actions = [trial.random(step, i).choice(np.flatnonzero(mask).tolist() or [0]) for i, mask in enumerate(masks)]
        given = env.step(np.array(actions) if isinstance(env, SeatVectorEnv) else actions[0])
        kept.add("step", given)
        kept.add("action_masks", env.action_masks())
        ends = np.atleast_1d(given[2]) | np.atleast_1d(given[3])
        if ends.any() and getattr(env, "autoreset_mode", AutoresetMode.DISABLED) is AutoresetMode.DISABLED:
            given = env.reset(options={"reset_mask": ends} if isinstance(env, SeatVectorEnv) else None)
            kept.add("reset", given)
        if ends.any():
            last_step = min(last_step, step + STEPS_AFTER_THE_END)
        trial.decision, step = trial.decision + len(actions), step + 1
    trial.coverage.games += 1
    trial.coverage.decisions += trial.decision
    kept.expect_untouched()


# The vector environment


def check_vector(
    game: Subject,
    vector_fn: Callable[..., Any] | None = None,
    num_games: int = 10,
    seed: int = 0,
    num_envs: int = 5,
    autoreset_modes: Sequence[str | AutoresetMode] = tuple(AutoresetMode),
    illegal_every: int = 0,
    **parameters: Any,
) -> Coverage:
    """A vector environment gives, in each autoreset mode, exactly what `SyncVectorEnv` makes of single environments.

    game: a game; or a maker of a Gymnasium environment, with `vector_fn`, the maker of the vector environment that
    should equal it, which takes `num_envs` and `autoreset_mode` too. After a reset with a seed, one with a list of
    seeds and one without, each plays on until `num_games` games have ended. illegal_every: at each so-manyth step one
    environment gets an action that is not in its mask; 0: never.
    """
    trial = _Trial("check_vector", game, parameters, num_envs=num_envs, illegal_every=illegal_every)
    trial.arguments |= {} if vector_fn is None else {"vector_fn": vector_fn}
    single: Any = trial.maker
    several: Any = vector_fn
    if trial.game is not None:
        single, several = functools.partial(SeatEnv, trial.game), functools.partial(SeatVectorEnv, trial.game)
    elif vector_fn is None:
        raise ParameterError("check_vector needs vector_fn, the maker of the vector environment, beside that of one")
    read_integer("num_games", num_games, 1)
    read_integer("num_envs", num_envs, 1)
    read_integer("illegal_every", illegal_every, 0)
    if not autoreset_modes:
        raise ParameterError(
            f"autoreset_modes must name one of {[mode.value for mode in AutoresetMode]} or more, not none"
        )
    for mode in map(AutoresetMode, autoreset_modes):
        trial.begin(seed, num_games=num_games, autoreset_modes=[mode.value])
        ours = several(num_envs=num_envs, autoreset_mode=mode, **parameters)
        theirs = SyncVectorEnv([functools.partial(single, **parameters)] * num_envs, autoreset_mode=mode)
        _compare_vectors(trial, ours, theirs, num_games, illegal_every)
    return trial.coverage


def _compare_vectors(trial: _Trial, ours: Any, theirs: Any, num_games: int, illegal_every: int) -> None:
    for name in ("single_observation_space", "observation_space", "single_action_space", "action_space"):
        trial.expect(getattr(ours, name) == getattr(theirs, name), f"it has another {name}")
    mode = ours.metadata.get("autoreset_mode")
    trial.expect(mode == theirs.autoreset_mode, f"its metadata say that the autoreset_mode is {mode}")
    seeds = [trial.seed + (i << 40) if i % 2 else None for i in range(theirs.num_envs)]
    for given in (trial.seed, seeds, None):
        infos, num_left = _reset_both(trial, ours, theirs, seed=given), num_games
        for step in range(MOST_STEPS):
            if num_left <= 0:
                break
            infos, ends = _step_both(trial, ours, theirs, _choose_for_all(trial, infos, step, illegal_every))
            num_left -= ends
    trial.coverage.counts["modes"] += 1


def _step_both(trial: _Trial, ours: Any, theirs: Any, actions: np.ndarray) -> tuple[dict[str, Any], int]:
    """The infos, and how many games have ended; where nobody else does it, these are reset."""
    given = [envs.step(actions.copy()) for envs in (ours, theirs)]
    trial.expect_same(flatten(given[1]), flatten(given[0]), "step returned another {}")
    infos, ends = given[0][4], given[0][2] | given[0][3]
    if theirs.autoreset_mode is AutoresetMode.DISABLED and ends.any():
        infos = _reset_both(trial, ours, theirs, options={"reset_mask": ends})
    trial.decision += theirs.num_envs
    trial.coverage.decisions += theirs.num_envs
    trial.coverage.games += int(ends.sum())
    return infos, int(ends.sum())


def _reset_both(trial: _Trial, ours: Any, theirs: Any, **arguments: Any) -> dict[str, Any]:
    given = [envs.reset(**copy.deepcopy(arguments)) for envs in (ours, theirs)]  # Gymnasium takes the mask out of them
    trial.expect_same(flatten(given[1]), flatten(given[0]), "reset returned another {}")
    return given[0][1]


def _choose_for_all(trial: _Trial, infos: Mapping[str, Any], step: int, illegal_every: int) -> np.ndarray:
    """A legal action for each environment, by the masks in the infos; 0 where there is none."""
    masks = np.array(infos["action_mask"], bool)
    if illegal_every and step % illegal_every == 0:
        masks[step % len(masks)] ^= True
    return np.array([trial.random(step, i).choice(np.flatnonzero(m).tolist() or [0]) for i, m in enumerate(masks)])


# What the checks share


class _Trial:
    """One run of a check: what it is about, how far it has come, and what it has covered.

    arguments: of the check, for the call that repeats a failure.
    """

    def __init__(self, check: str, game: Subject, parameters: Mapping[str, Any], **arguments: Any):
        self.check = check
        self.game = None if callable(game) and not isinstance(game, Game) else find_game(game)
        self.maker = game
        self.subject = getattr(game, "__name__", repr(game)) if self.game is None else repr(self.game.name)
        self.parameters = dict(parameters)
        self.arguments = arguments
        self.coverage = Coverage()
        self.seed = 0
        self.decision = 0
        self.fields: Mapping[str, Field] = {}

    @property
    def num_players(self) -> int:
        """Of a game; 0 for other environments, whose agents may come and go."""
        if self.game is None:
            return 0
        return self.parameters.get("num_players", self.game.players[2])

    def makers(self, wrapped: bool = True) -> list[Callable[[], Any]]:
        """Of AEC environments: the one that was given; or the game's bare one, and that in PettingZoo's wrappers."""
        if self.game is None:
            return [functools.partial(self.maker, **self.parameters)]  # type: ignore[arg-type]
        parameters = {"render_mode": "ansi", **self.parameters}
        kinds = (CardGameEnv, wrapped_env) if wrapped else (CardGameEnv,)
        return [functools.partial(make, self.game, **parameters) for make in kinds]

    def games(self, num_games: int, seed: int, wrapped: bool = True) -> Iterator[Any]:
        """AEC environments, each just reset with a seed of its own."""
        read_integer("num_games", num_games, 1)
        read_integer("seed", seed, 0)
        for make, number in itertools.product(self.makers(wrapped), range(num_games)):
            env = make()
            if not (hasattr(env, "reset") and hasattr(env, "last")):
                raise ParameterError(f"{self.subject} must make a PettingZoo AEC environment, not {env!r}")
            self.begin(seed + number, num_games=1)
            env.reset(seed=self.seed)
            self.fields = getattr(env.unwrapped, "observation_fields", {})
            self.coverage.games += 1
            yield env

    def begin(self, seed: int, **arguments: Any) -> None:
        """From here on decisions are counted anew; a failure tells this seed and these arguments."""
        self.seed = read_integer("seed", seed, 0)
        self.decision = 0
        self.arguments |= arguments

    def play(self, env: Any, every: int = 1) -> Iterator[tuple[int, bool, bool]]:
        """Plays the game to its end. Gives before each step its number, whether the agent is dead, whether it is due.

        Due is each `every`-th step, and the first one after the end.
        """
        read_integer("every", every, 1)
        has_ended = False
        for step in range(MOST_STEPS):
            if not env.agents:
                return
            is_dead = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
            yield step, is_dead, step % every == 0 or (is_dead and not has_ended)
            has_ended |= is_dead
            self.advance(env, step)
            self.decision += not is_dead
            self.coverage.decisions += not is_dead

    def advance(self, env: Any, step: int) -> None:
        """A step, with an action that follows from the seed, the number of the step and the mask."""
        agent = env.agent_selection
        is_dead = env.terminations[agent] or env.truncations[agent]
        action = None if is_dead else self.choose(env, agent, step)
        try:
            env.step(action)
        except Exception as error:
            raise self.failure(f"step({action!r}) raised {error!r}", agent) from error

    def choose(self, env: Any, agent: Any, step: int) -> Any:
        """Drawn uniformly from the mask, or from the whole space if there is none."""
        rng, space, masks = self.random(step), env.action_space(agent), _masks_of(env, agent)
        if isinstance(space, spaces.Discrete):
            legal = np.flatnonzero(next(iter(masks.values()))) if masks else np.arange(space.n)
            self.expect(len(legal) > 0, "its mask is empty, but it is to act", agent)
            return int(space.start + rng.choice(legal.tolist()))
        space = copy.deepcopy(space)  # the environment's own is left alone
        space.seed(rng.getrandbits(31))
        return space.sample()

    def look(self, env: Any, name: str) -> dict[str, Any]:
        try:
            return _look(env)
        except Exception as error:
            raise self.failure(f"{name} can't be looked at: {error!r}") from error

    def random(self, *numbers: Any) -> random.Random:
        return random.Random(f"{self.seed} {numbers}")

    def expect(self, is_so: Any, otherwise: str, agent: Any = None) -> None:
        if not is_so:
            raise self.failure(otherwise, agent)

    def expect_same(self, one: dict[str, Any], other: dict[str, Any], otherwise: str, agent: Any = None) -> None:
        """That two flat values are equal; `otherwise` has a place for the names of what differs."""
        if one != other:
            names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
            told = ", ".join(self.tell(name, one.get(name), other.get(name)) for name in names[:MOST_NAMES])
            raise self.failure(otherwise.format(told + (", …" if len(names) > MOST_NAMES else "")), agent)

    def tell(self, name: str, one: Any, other: Any) -> str:
        """The name of what differs; of arrays also the first entry, and its field."""
        if not all(isinstance(entry, tuple) and len(entry) == 3 for entry in (one, other)) or one[:2] != other[:2]:
            return name
        left, right = (np.frombuffer(entry[2], entry[0]) for entry in (one, other))
        at = int((left != right).argmax())
        return f"{name}[{at}]" if not name.endswith("observation") else f"{name} at {self.tell_entry(at)}"

    def tell_entry(self, at: int) -> str:
        """An entry of an observation, with the field in which it lies."""
        within = [name for name, place in self.fields.items() if place.slice.start <= at < place.slice.stop]
        return f"entry {at} (field {within[0]!r})" if within else f"entry {at}"

    def expect_zero_sum(self, rewards: Any) -> None:
        """Of our games."""
        total = sum(rewards)
        is_zero = self.game is None or math.isclose(total, 0, abs_tol=TOLERANCE)
        self.expect(is_zero, f"the rewards sum to {total:g}, not to zero")

    def expect_share(self, tables: Tables, earned: Sequence[float]) -> None:
        """That an ended game has paid the outcome, if that is its reward: zeros if it was cut off."""
        if tables.parameters["reward"] != "outcome":
            return
        winners, n = tables.winners[0], tables.num_players
        k = int(winners.sum())
        share = 0 if k in (0, n) else (n - k) / (k * (n - 1))
        for seat, is_winner in enumerate(winners):
            due = share if is_winner else 0 if k in (0, n) else -1 / (n - 1)
            is_paid = math.isclose(earned[seat], due, abs_tol=TOLERANCE)
            self.expect(is_paid, f"it has earned {earned[seat]:g} instead of {due:g}", f"player_{seat}")

    def failure(self, what: str, agent: Any = None) -> ConformanceError:
        arguments = {**self.arguments, "seed": self.seed, **self.parameters}
        call = f"{self.check}({', '.join([self.subject, *(f'{name}={value!r}' for name, value in arguments.items())])})"
        facts = {name: getattr(self, name) for name in ("check", "subject", "parameters", "seed", "decision")}
        who = "" if agent is None else f", {agent}"
        message = f"decision {self.decision} after seed {self.seed}{who}: {what}; to see it again: {call}"
        return ConformanceError(message, {**facts, "agent": agent})


def _tables_of(env: Any) -> Tables | None:
    """The tables behind one of our environments."""
    tables = getattr(env.unwrapped, "tables", None)
    return tables if isinstance(tables, Tables) else None


def _look(env: Any) -> dict[str, Any]:
    """All that an AEC environment shows, flat, in a form that is compared exactly."""
    shown: dict[str, Any] = {
        "agents": list(env.agents),
        "rewards": env.rewards,
        "terminations": env.terminations,
        "truncations": env.truncations,
        "infos": env.infos,
        "observe": {agent: env.observe(agent) for agent in env.agents},
        "state": _state(env),
    }
    if env.agents:
        shown |= {"agent_selection": env.agent_selection, "last": env.last(), "render": _render(env)}
    return flatten(shown)


def _state(env: Any) -> Any:
    """The global state, if there is one."""
    with contextlib.suppress(NotImplementedError):
        return env.state() if callable(env.unwrapped.state) else None


def _render(env: Any) -> Any:
    """The text, if that is what the environment renders; pictures cost too much."""
    return env.render() if getattr(env, "render_mode", None) == "ansi" else None


def flatten(value: Any, path: str = "") -> dict[str, Any]:
    """A nested value as a flat dict of what compares exactly: dtype, shape and bytes of arrays, type of the rest."""
    if isinstance(value, Mapping):
        parts = {str(key): part for key, part in value.items()}
    elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype == object):
        parts = {str(i): part for i, part in enumerate(value)}
    elif isinstance(value, np.ndarray):
        return {path: (value.dtype.str, value.shape, np.ascontiguousarray(value).tobytes())}
    else:
        return {path: (type(value).__name__, value)}
    flat = {} if parts else {path: (type(value).__name__, "empty")}
    for key, part in parts.items():
        flat |= flatten(part, f"{path}/{key}" if path else key)
    return flat


# The command

CHECKS: Mapping[str, Callable[..., Coverage]] = {
    "no leak": check_no_leak,
    "determinism": check_determinism,
    "masks": check_masks,
    "copies": check_copies,
    "rewards": check_rewards,
    "observation fields": check_observation_fields,
    "buffers": check_buffers,
    "vector": check_vector,
}


@dataclass
class Args:
    num_games: int = 1
    """Games of each check with each setting; of determinism two at least, in a row."""
    seed: int = 0
    """Seed of the first game; the next ones follow."""
    every: int = 20
    """The checks that cost most look at each so-manyth step."""
    num_players: tuple[int, ...] = ()
    """Numbers of players; none: all that the game allows."""
    reward: tuple[str, ...] = REWARDS
    """Kinds of reward."""
    recall: tuple[bool, ...] = (True, False)
    """Whether observations hold what perfect memory would know."""
    max_decisions: int = 150
    """Games are cut off after so many decisions, but for those of the first setting, which are played to their end."""
    parameters: tuple[str, ...] = ()
    """Others of the game's parameters, such as max_decisions=3000, then for all settings."""


def main(game: str, args: Args) -> dict[str, Coverage]:
    """Runs every check with every setting and prints a line for each check, with what it has covered.

    Raises ConformanceError at the first failure.
    """
    from rich.console import Console
    from rich.progress import Progress

    every_setting, console = list(settings(find_game(game), args)), Console()
    console.print(f"{game}: {len(CHECKS)} checks, each with {len(every_setting)} settings")
    covered = {}
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("", total=len(CHECKS) * len(every_setting))
        for name, check in CHECKS.items():
            progress.update(task, description=name)
            covered[name] = Coverage()
            for parameters in every_setting:
                covered[name] += check(game, **budget(check, args), **parameters)
                progress.advance(task)
            console.print(f"{name}: {covered[name]}", soft_wrap=True, highlight=False)
    return covered


def settings(game: Game, args: Args) -> Iterator[dict[str, Any]]:
    """The parameters of each run: every number of players, every kind of reward with and without recall."""
    fewest, most, _ = game.players
    counts = args.num_players or range(fewest, most + 1)
    kinds = list(itertools.product(args.reward, args.recall))
    others = dict(map(_read_parameter, args.parameters))
    for k in range(max(len(counts), len(kinds))):
        reward, recall = kinds[k % len(kinds)]
        cut = {"max_decisions": args.max_decisions} if k else {}
        parameters = {"num_players": counts[k % len(counts)], "reward": reward, "recall": recall, **cut, **others}
        game.read_parameters(parameters)
        yield parameters


def _read_parameter(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError) as error:
        raise ParameterError(f"a parameter is given as name=value, such as max_decisions=100, not {text!r}") from error


def budget(check: Callable[..., Coverage], args: Args) -> dict[str, int]:
    """Those of the command's arguments that the check takes."""
    num_games = max(args.num_games, 2) if check is check_determinism else args.num_games
    given = {"num_games": num_games, "seed": args.seed, "every": args.every}
    return {name: given[name] for name in inspect.signature(check).parameters if name in given}
