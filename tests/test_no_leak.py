"""Nothing that a seat is given depends on what is hidden from it.

Hidden cards are permuted in a table's record in ways that the seat can't tell apart; so are the random states and what
is dictated of later deals. Every output to that seat must stay the same, byte for byte.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import sobremesa
import support

NUM_SHUFFLES = 10_000  # of full decks, for each game
SHUFFLES_AT_ONCE = 50
MOST_PLACEMENTS = 5000  # of a tiny deck that are all tried
BATCH = 128

Views = Mapping[str, Callable[[Any, str], Any]]


def seat_of(agent: str) -> int:
    return int(agent.removeprefix("player_"))


AEC_VIEWS: Views = {
    "observe": lambda env, agent: env.observe(agent),
    "info": lambda env, agent: env.infos[agent],
    "last": lambda env, agent: env.last() if agent == env.agent_selection else None,
    "render": lambda env, agent: env.render() if agent == env.agent_selection else None,
    "text": lambda env, agent: env.tables.to_text(0, seat_of(agent)),
    "observation": lambda env, agent: env.tables.observation if agent == env.agent_selection else None,
    "mask": lambda env, agent: env.tables.legal_action_mask if agent == env.agent_selection else None,
    "repr": lambda env, agent: repr(env.tables) if agent == env.agent_selection else None,
}
SINGLE_VIEWS: Views = {
    "observation": lambda env, agent: env._observe(),
    "info": lambda env, agent: env._info(),
    "mask": lambda env, agent: env.action_masks(),
    "render": lambda env, agent: env.render(),
}
LEAKY_VIEWS: Views = {"leak": lambda env, agent: env.tables.full_state()}


def look(env: Any, record: np.void, agent: str, views: Views) -> dict[str, Any]:
    """What `agent` is given with that record on the table, by view."""
    env.tables.state[0] = record
    env.tables.refresh()
    if hasattr(env, "infos"):
        env._write_infos()
    return {name: support.flatten(view(env, agent)) for name, view in views.items()}


def find_leaks(env: Any, records: Iterable[np.void], agent: str, views: Views) -> set[str]:
    """The views that tell one of `records` from the table as it stands, which is left as it was."""
    original = env.tables.state[0].copy()
    expected = look(env, original, agent, views)
    leaks = set()
    for record in records:
        seen = look(env, record, agent, views)
        leaks |= {name for name in views if seen[name] != expected[name]}
    assert look(env, original, agent, views) == expected
    return leaks


def forget_the_future(record: np.void, rng: random.Random) -> None:
    """Other random states, and another dictated deal to come, in place."""
    record["chance"], record["choice"] = rng.getrandbits(64), rng.getrandbits(64)
    record["dictated"] = np.frombuffer(rng.randbytes(record["dictated"].size), np.uint8)


def shuffled(game: str, record: np.void, seat: int, parameters: dict[str, Any], seed: int) -> Iterator[np.void]:
    rng = random.Random(seed)
    for _ in range(SHUFFLES_AT_ONCE):
        other = record.copy()
        support.situation(game).shuffle_hidden(other, seat, parameters, rng)
        forget_the_future(other, rng)
        yield other


def play_aec(envs: list[Any], seed: int) -> Iterator[int]:
    """Steps all `envs` alike for ever, and new games after those that end; gives the number of the step."""
    number = 0
    for env in envs:
        env.reset(seed=seed)
    while True:
        yield number
        number += 1
        for env in envs:
            support.advance_aec(env, support.scatter(number, seed))


def find_leaks_at(env: Any, game: str, parameters: dict[str, Any], views: Views, seed: int) -> set[str]:
    """By shuffles of what is hidden from each seat, as the table stands."""
    leaks = set()
    for agent in env.agents:
        records = shuffled(game, env.tables.state[0], seat_of(agent), parameters, seed)
        leaks |= find_leaks(env, records, agent, views)
    return leaks


def test_no_view_of_the_aec_environment_leaks(game):
    variants = support.variants(game)
    for parameters in variants:
        module, shuffles = support.pettingzoo_module(game), 0
        envs = [module.raw_env(render_mode="ansi", scaled=scaled, **parameters) for scaled in (False, True)]
        for number in play_aec(envs, seed=len(parameters)):
            for env in envs if number % 13 == 0 else []:
                assert find_leaks_at(env, game, parameters, AEC_VIEWS, number) == set(), parameters
                shuffles += len(env.agents) * SHUFFLES_AT_ONCE
            if shuffles > NUM_SHUFFLES / len(variants):
                break


def test_no_view_of_the_single_environment_leaks(game):
    for parameters in support.variants(game):
        for scaled in (False, True):
            env = support.make_single(game, scaled=scaled, **parameters).unwrapped
            for number in range(12):
                support.advance_single(env, support.scatter(number))
                seat = int(env.learner.seats[0])
                records = shuffled(game, env.tables.state[0], seat, parameters, number)
                assert find_leaks(env, records, f"player_{seat}", SINGLE_VIEWS) == set(), parameters


def test_no_observation_leaks_after_the_end(game):
    for parameters in support.variants(game):
        env = support.pettingzoo_module(game).raw_env(render_mode="ansi", max_decisions=25, **parameters)
        for number in play_aec([env], seed=3):
            if number >= 25 and len(env.agents) == len(env.possible_agents):
                assert find_leaks_at(env, game, parameters, AEC_VIEWS, number) == set(), parameters
                break


def test_a_leak_is_found(game):
    for parameters in support.variants(game):
        env = support.pettingzoo_module(game).raw_env(render_mode="ansi", **parameters)
        found = set()
        for _ in zip(range(4), play_aec([env], seed=1)):
            found |= find_leaks_at(env, game, parameters, {**AEC_VIEWS, **LEAKY_VIEWS}, seed=1)
        assert found == {"leak"}, parameters


# Every placement of a tiny deck


def find_batch_leaks(tables: sobremesa.Tables, records: list[np.void], seat: int) -> set[str]:
    """As `find_leaks`, for what Tables give of many tables together."""
    tables.state[:] = np.resize(np.array(records), tables.num_tables)
    tables.refresh()
    views = {"observe": tables.observe(seat), "current_player": tables.current_player}
    if seat == tables.current_player[0]:
        views |= {"observation": tables.observation, "legal_action_mask": tables.legal_action_mask}
    return {name for name, rows in views.items() if (rows != rows[0]).any()}


def points_of_play(game: str, parameters: dict[str, Any]) -> Iterator[tuple[np.void, int]]:
    """The record and a seat, at every decision and the end of some games."""
    tables = sobremesa.Tables(game, autoreset=False, **parameters)
    for seed in range(2):
        tables.reset(seed)
        number, is_over = 0, False
        while not is_over:
            is_over = bool(tables.current_player[0] < 0) or number == 60
            for seat in range(tables.num_players):
                yield tables.state[0].copy(), seat
            number += 1
            if not is_over:
                tables.step(support.nth_legal(tables.legal_action_mask, support.scatter(number, seed)))


def hidden_state(game: str, record: np.void) -> bytes:
    return b"".join(record[name].tobytes() for name in sobremesa.games()[game].state_fields)


def tiny_parameters(game: str) -> list[dict[str, Any]]:
    tiny = support.situation(game).TINY_PARAMETERS
    if not tiny:
        pytest.skip("no deck of this game is small enough")
    return tiny


def test_no_placement_of_a_tiny_deck_leaks(game):
    known = support.situation(game)
    for parameters in tiny_parameters(game):
        batches = [sobremesa.Tables(game, BATCH, scaled=scaled, **parameters) for scaled in (False, True)]
        most = 0
        for record, seat in points_of_play(game, parameters):
            every_one = (placed for placed, _ in known.hidden_placements(record, seat, parameters))
            placements = list(itertools.islice(every_one, MOST_PLACEMENTS))
            most = max(most, len(placements))
            for first in range(0, len(placements), BATCH - 1):
                records = [record, *placements[first : first + BATCH - 1]]
                for tables in batches:
                    assert find_batch_leaks(tables, records, seat) == set(), parameters
        assert most > 1, parameters


def test_placements_of_a_tiny_deck_are_distinct_and_shuffles_reach_them_all(game):
    known = support.situation(game)
    for parameters in tiny_parameters(game):
        checked = 0
        for number, (record, seat) in enumerate(points_of_play(game, parameters)):
            placements = [hidden_state(game, other) for other, _ in known.hidden_placements(record, seat, parameters)]
            assert len(set(placements)) == len(placements)
            assert hidden_state(game, record) in placements
            if number % 3 or not 1 < len(placements) <= 24:
                continue
            rng, reached = random.Random(number), set()
            for _ in range(20 * len(placements)):
                other = record.copy()
                known.shuffle_hidden(other, seat, parameters, rng)
                reached.add(hidden_state(game, other))
            assert reached == set(placements), parameters
            checked += 1
        assert checked, parameters


def test_a_leak_to_the_batch_is_found(game):
    """An observation that tells a hidden byte is caught by the same function."""
    known = support.situation(game)

    class LeakyTables(sobremesa.Tables):
        def observe(self, seat: Any) -> np.ndarray:
            return np.concatenate([super().observe(seat), self.full_state()], axis=1)

    for parameters in tiny_parameters(game):
        tables, found = LeakyTables(game, BATCH, **parameters), set()
        for record, seat in points_of_play(game, parameters):
            placements = itertools.islice(known.hidden_placements(record, seat, parameters), BATCH - 1)
            found |= find_batch_leaks(tables, [record, *(placed for placed, _ in placements)], seat)
        assert found == {"observe"}, parameters
