"""PettingZoo: a game as an AEC environment over a batch of one table. Seat s is the agent `player_s`."""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from .game import Game, ParameterError, read_integer
from .tables import MAX_SEED, Tables, as_array, find_game

ILLEGAL_REWARD = -1  # what `env()` gives to whoever makes an illegal move


class CardGameEnv(AECEnv):
    """A game for PettingZoo.

    Observations are `{"observation": [O], "action_mask": int8 [A]}`; no later step overwrites them. The mask is all
    zero for a seat that is not to act. It is also in `infos[agent]["action_mask"]`, the same array until the next step:
    copy it before you write to it.
    A seat may decide several times running: `agent_selection` then stays. All seats end together.

    game: a game's name. render_mode: None, "ansi" (text, as the selected agent sees the table) or "human" (prints it).
    scaled: observations are float32 in [0, 1] instead of uint8. parameters: those of the game's page.

    `step` raises IllegalActionError for an illegal action and changes nothing. `reset` ignores unknown options with a
    warning, as PettingZoo's tests pass such; ParameterError names what is wrong with a known one. After an interrupt
    that has cut a call short `step` raises ValueError until a reset.
    """

    def __init__(self, game: str | Game, render_mode: str | None = None, scaled: bool = False, **parameters: Any):
        super().__init__()
        self.tables = new_tables(game, 1, scaled, parameters)
        name = f"{self.tables.game.name}_v{self.tables.game.version}"
        self.metadata = {"name": name, "render_modes": ["human", "ansi"], "render_fps": 1, "is_parallelizable": False}
        self.render_mode = check_render_mode(render_mode, self.metadata)
        self.observation_fields = self.tables.observation_fields
        self.possible_agents = [f"player_{seat}" for seat in range(self.tables.num_players)]
        self.agents: list[str] = []
        self._is_whole = False  # has been reset, and no call was cut short since
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._no_rewards = dict.fromkeys(self.possible_agents, 0.0)
        self._spaces: dict[str | int, spaces.Space] = {}  # a seat's are its actions; made when first asked for

    def observation_space(self, agent: str) -> spaces.Dict:
        """The same for all agents."""
        self._seat_of(agent)
        return self._space("observation", lambda: spaces.Dict({
            "observation": box_of(self.tables),
            "action_mask": spaces.Box(0, 1, (self.tables.num_actions,), np.int8),
        }))  # fmt: skip

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._space(self._seat_of(agent), lambda: spaces.Discrete(self.tables.num_actions))

    @property
    def state_space(self) -> spaces.Box:
        return self._space("state", lambda: spaces.Box(0, 255, self.state().shape, np.uint8))

    def _space(self, name: str | int, make: Callable[[], Any]) -> Any:
        if name not in self._spaces:
            self._spaces[name] = make()
        return self._spaces[name]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        seed = read_seed(seed)
        known = self.tables.game.options
        if options is not None and not isinstance(options, Mapping):
            raise ParameterError(f"options must be a mapping, not {options!r}")
        unknown = [name for name in options or {} if name not in known]
        if unknown:
            gymnasium.logger.warn(f"{self} ignores the options {unknown}; it knows {list(known)}")
        given = {name: value for name, value in (options or {}).items() if name in known}
        self._change(self.tables.reset, seed, given)
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[self.tables.current_player[0]]
        self._skip_agent_selection = None
        self.rewards = self._no_rewards.copy()
        self._cumulative_rewards = self._no_rewards.copy()
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._write_infos()
        self._is_whole = True
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        if not self._is_whole:
            raise ValueError("reset the environment first: it has not begun, or a call was cut short")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._change(self._was_dead_step, action)
            self._is_whole = True
            return
        if action is None:
            raise TypeError(f"{agent} is to act: the action must be an integer, not None")
        tables = self.tables
        given, chosen = one_action(action, tables)
        self._is_whole = False
        if tables._try_step(chosen, tables._everywhere) >= 0:
            self._is_whole = True
            raise tables._illegal(0, int(given[0]))
        self._cumulative_rewards[agent] = 0.0
        [rewards], seat = tables.rewards.tolist(), tables.current_player.item()
        if any(rewards):
            self.rewards = dict(zip(self.agents, rewards))
            self._accumulate_rewards()
        else:
            self.rewards = self._no_rewards.copy()
        if seat < 0:
            seat = 0
            self.terminations = dict.fromkeys(self.agents, bool(tables.terminated[0]))
            self.truncations = dict.fromkeys(self.agents, bool(tables.truncated[0]))
        self.agent_selection = self.agents[seat]
        self._write_infos()
        self._is_whole = True
        if self.render_mode == "human":
            self.render()

    def _change(self, call: Callable[..., None], *given: Any) -> None:
        """The environment isn't whole from here on, unless `call` refuses what it was given."""
        was_whole, self._is_whole = self._is_whole, False
        try:
            call(*given)
        except (TypeError, ValueError):
            self._is_whole = was_whole
            raise

    def _write_infos(self) -> None:
        """One mask array for the seat to act and one of zeros for the others, new at each step."""
        self._mask = self.tables.action_mask[0].copy()
        self._zeros = None
        self._info = {"action_mask": self._mask}  # of the seat to act
        self._infos = None

    @property
    def _no_mask(self) -> np.ndarray:
        """Of the seats that are not to act; made when first asked for after a step."""
        if self._zeros is None:
            self._zeros = np.zeros_like(self._mask)
        return self._zeros

    @property
    def infos(self) -> dict[str, dict[str, Any]]:  # type: ignore[override]
        """By agent; made when first asked for after a step."""
        if self._infos is None:
            self._infos = {agent: {"action_mask": self._no_mask} for agent in self.agents}
            self._infos[self.agent_selection] = self._info
        return self._infos

    def last(self, observe: bool = True) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """As PettingZoo's, without making the infos of the seats that it doesn't tell of."""
        agent, infos = self.agent_selection, self._infos
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self._info if infos is None else infos[agent],
        )

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What `agent` sees, at any time: any possible agent, also after the end."""
        seat = self._seat_of(agent)
        is_to_act = seat == self.tables.current_player.item() and not self.terminations.get(agent, True)
        observation = self.tables.observation[0].copy() if is_to_act else self.tables.observe(seat)[0]
        return {"observation": observation, "action_mask": self._mask if is_to_act else self._no_mask}

    # What holds nothing but numbers and words, and is copied as it is
    FLAT = ("metadata", "possible_agents", "agents", "_seats", "observation_fields", "_no_rewards", "rewards",
            "_cumulative_rewards", "terminations", "truncations")  # fmt: skip

    def __deepcopy__(self, memo: dict[int, Any]) -> CardGameEnv:
        twin = memo[id(self)] = object.__new__(type(self))
        for name, value in vars(self).items():
            setattr(twin, name, value.copy() if name in self.FLAT else copy.deepcopy(value, memo))
        return twin

    def redeal_hidden(self, agent: str, seed: int) -> None:
        """Deals anew, in place, all that is hidden from `agent`, as `Tables.redeal_hidden`: for search, on a copy."""
        self.tables.redeal_hidden(self._seat_of(agent), seed)
        if self.agents:
            self._write_infos()

    def state(self) -> np.ndarray:
        """The whole table, hidden cards included, uint8 `[S]`: for central critics, never for a player."""
        return self.tables.full_state()[0]

    def render(self) -> str | None:
        if self.render_mode is None:
            gymnasium.logger.warn(f'{self} has no render_mode; make it with "ansi" or "human"')
            return None
        text = self.tables.to_text(0, self._seats[self.agent_selection])
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """There is nothing to release."""

    def _seat_of(self, agent: str) -> int:
        seat = self._seats.get(agent)
        if seat is None:
            raise ParameterError(f"agent must be one of {', '.join(self._seats)}, not {agent!r}")
        return seat

    def action_to_string(self, action: int) -> str:
        """The text of an action id."""
        return self.tables.action_to_string(action)

    def string_to_action(self, text: str) -> int:
        """The id of an action's text."""
        return self.tables.string_to_action(text)


def new_tables(
    game: str | Game, num_tables: int, scaled: bool, parameters: Mapping[str, Any], num_threads: int = 1
) -> Tables:
    """The tables behind a wrapper, not dealt anew by themselves; `parameters` may hold the game's only."""
    parameters = find_game(game).read_parameters(parameters)
    return Tables(game, num_tables, num_threads=num_threads, autoreset=False, scaled=scaled, **parameters)


def read_seed(seed: Any) -> int | None:
    """The seed of one table. Raises ParameterError for what isn't one."""
    return None if seed is None else read_integer("seed", seed, 0, MAX_SEED)


def one_action(action: Any, tables: Tables) -> tuple[np.ndarray, np.ndarray]:
    """An action as the batch of one that `tables` take, as given and as they read it; not to be written to.

    Raises ValueError for several, TypeError for what is no integer.
    """
    try:
        number = -1 if isinstance(action, bool) else operator.index(action)
    except TypeError:
        number = -1
    if 0 <= number < tables.num_actions:
        read = tables.single_actions[number]
        return read, read
    given = as_array("the action", action)
    if given.size != 1:
        raise ValueError(f"the action must be one integer, not {action!r}")
    given = given.reshape(1)
    return given, tables.read_actions(given)


def box_of(tables: Tables) -> spaces.Box:
    """The space of one observation: each entry from 0 to its field's maximum, or to 1 if scaled."""
    if tables.scaled:
        return spaces.Box(0.0, 1.0, (tables.observation_size,), np.float32)
    return spaces.Box(
        np.zeros(tables.observation_size, np.uint8), tables.observation_scale.astype(np.uint8), dtype=np.uint8
    )


def check_render_mode(render_mode: str | None, metadata: Mapping[str, Any]) -> str | None:
    """`render_mode`. Raises ValueError if the environment has no such mode."""
    if render_mode is not None and render_mode not in metadata["render_modes"]:
        raise ValueError(f"render_mode must be None or one of {metadata['render_modes']}, not {render_mode!r}")
    return render_mode


def constructors(game: str) -> tuple[Callable[..., AECEnv], Callable[..., CardGameEnv]]:
    """`env` and `raw_env` of a game's PettingZoo module."""
    return functools.partial(wrapped_env, game), functools.partial(CardGameEnv, game)


class ForfeitIllegalWrapper(wrappers.TerminateIllegalWrapper):
    """PettingZoo's wrapper, which ends the game at an illegal move; the table below it is then over too."""

    def step(self, action: Any) -> None:
        if isinstance(action, (bool, np.bool_)):
            raise TypeError(f"the action must be an integer, not {action}")
        was_terminated = self._terminated
        super().step(action)
        if self._terminated and not was_terminated:
            bare: Any = self.unwrapped
            bare.tables.forfeit(np.ones(1, bool))
            bare._write_infos()


class InBoundsWrapper(wrappers.AssertOutOfBoundsWrapper):
    """PettingZoo's wrapper, which looks its environment's attributes up faster."""


class InOrderWrapper(wrappers.OrderEnforcingWrapper):
    """PettingZoo's wrapper, which looks its environment's attributes up faster."""

    def __str__(self) -> str:
        return str(self.env)


# Looked up many times in each step; PettingZoo's `__getattr__` takes ten times as long to find them
LOOKED_UP = ("agents", "agent_selection", "_cumulative_rewards", "terminations", "truncations", "infos")


def _after_reset(name: str) -> property:
    """An attribute of the environment below; before the first reset PettingZoo's `__getattr__` is asked for it."""
    find = operator.attrgetter(f"env.{name}")

    def look_up(wrapper: Any) -> Any:
        if not wrapper._has_reset:
            raise AttributeError(name)
        return find(wrapper)

    return property(look_up)


for _name in LOOKED_UP:
    for _wrapper in (ForfeitIllegalWrapper, InBoundsWrapper):
        setattr(_wrapper, _name, property(operator.attrgetter(f"env.{_name}")))
    setattr(InOrderWrapper, _name, _after_reset(_name))


def wrapped_env(game: str | Game, **arguments: Any) -> AECEnv:
    """A game in PettingZoo's usual wrappers: an illegal move costs the mover 1 and ends the game."""
    env = ForfeitIllegalWrapper(CardGameEnv(game, **arguments), illegal_reward=ILLEGAL_REWARD)
    env = InBoundsWrapper(env)
    return InOrderWrapper(env)
