"""Every game against its plain-Python twin in `reference/`, until every branch of the twin has run."""

from __future__ import annotations

import inspect
import io
import itertools
import random
import runpy
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import coverage
import numpy as np
import sobremesa
import support

GAMES_AT_ONCE = 50
MOST_GAMES = 400
LEAST_DECISIONS = 8_000


class Moment(NamedTuple):
    """How the twin stands, and what it is asked to do next (None at the end)."""

    current_player: int
    legal: list[int]
    rewards: list[float]
    terminated: bool
    truncated: bool
    winners: list[int]
    observations: list[dict[str, Any]]  # by seat
    action: int | None


class Recording(NamedTuple):
    parameters: dict[str, Any]
    options: dict[str, Any]
    moments: list[Moment]


def moment_of(twin: Any, action: int | None) -> Moment:
    is_over = bool(twin.terminated or twin.truncated)
    return Moment(
        -1 if is_over else twin.current_player,
        sorted(twin.legal_actions()),
        list(twin.rewards),
        bool(twin.terminated),
        bool(twin.truncated),
        sorted(twin.winners),
        [twin.observe(seat) for seat in range(twin.num_players)],
        action,
    )


def play_twin(twin: Any, prefer: Callable[[random.Random, list[int]], int], rng: random.Random) -> list[Moment]:
    moments = []
    while not (twin.terminated or twin.truncated):
        action = prefer(rng, sorted(twin.legal_actions()))
        moments.append(moment_of(twin, action))
        twin.step(action)
    return [*moments, moment_of(twin, None)]


def record(game: str, number: int) -> Recording:
    """The game with that number, as the twin plays it."""
    known, rng = support.situation(game), support.random_of(game, number)
    parameters = known.draw_parameters(rng)
    options, prefer = known.draw_options(rng, parameters), known.draw_preference(rng)
    twin = known.TWIN(**parameters)
    twin.reset(**options)
    return Recording(parameters, options, play_twin(twin, prefer, rng))


def entries_of(fields: dict[str, Any]) -> list[int]:
    """All fields of an observation one after the other."""
    flat = (value if isinstance(value[0], int) else np.ravel(value).tolist() for value in fields.values())
    return list(itertools.chain.from_iterable(flat))


def differing_fields(tables: sobremesa.Tables, seat: int, expected: dict[str, Any]) -> dict[str, Any]:
    """Name to (product, twin) where they differ."""
    seen = tables.game.decode(tables.observe(seat)[0], tables.parameters)
    return {
        name: (seen[name].tolist(), expected[name])
        for name in seen
        if seen[name].ravel().tolist() != np.ravel(expected[name]).tolist()
    }


def compare(tables: sobremesa.Tables, moment: Moment, where: str) -> None:
    """That the table stands as the twin did, for everybody."""
    assert tables.current_player[0] == moment.current_player, where
    assert np.flatnonzero(tables.legal_action_mask[0]).tolist() == moment.legal, where
    assert (tables.terminated[0], tables.truncated[0]) == (moment.terminated, moment.truncated), where
    assert np.flatnonzero(tables.winners[0]).tolist() == moment.winners, where
    assert np.abs(tables.rewards[0] - moment.rewards).max() < 1e-6, (where, tables.rewards[0], moment.rewards)
    for seat, expected in enumerate(moment.observations):
        assert list(expected) == list(tables.observation_fields), where
        if tables.observe(seat)[0].tolist() != entries_of(expected):
            raise AssertionError(f"{where}, seat {seat}: {differing_fields(tables, seat, expected)} (product, twin)")


def replay(game: str, number: int, recording: Recording) -> None:
    tables = sobremesa.Tables(game, autoreset=False, **recording.parameters)
    tables.reset(options=recording.options)
    for decisions, moment in enumerate(recording.moments):
        compare(tables, moment, f"game {number}, {recording.parameters}, after {decisions} decisions")
        if moment.action is not None:
            tables.step([moment.action])


def play_in_lockstep(game: str, numbers: Iterable[int], measure: Callable[[], AbstractContextManager]) -> int:
    """Games played by the twin, which is measured, and by the product. Returns the number of decisions."""
    decisions = 0
    for number in numbers:
        with measure():
            recording = record(game, number)
        replay(game, number, recording)
        decisions += len(recording.moments) - 1
    return decisions


def test_game_and_twin_agree_and_the_whole_twin_has_run(game):
    source = inspect.getsourcefile(support.situation(game).TWIN)
    assert source
    measured = coverage.Coverage(branch=True, include=[source], data_file=None, config_file=False)
    with measured.collect():
        runpy.run_path(source)  # its definitions
    decisions, covered, report = 0, 0.0, io.StringIO()
    for first in range(0, MOST_GAMES, GAMES_AT_ONCE):
        measure = measured.collect if covered < 100 else nullcontext  # it takes half of the time
        decisions += play_in_lockstep(game, range(first, first + GAMES_AT_ONCE), measure)
        report = io.StringIO()
        covered = measured.report(file=report, show_missing=True)
        if covered == 100 and decisions >= LEAST_DECISIONS:
            return
    raise AssertionError(f"{decisions} decisions ran {covered} % of the twin:\n{report.getvalue()}")


def test_lockstep_draws_every_number_of_players_and_both_rewards(game):
    known = support.situation(game)
    defaults = {name: kind.default for name, kind in sobremesa.games()[game].parameters.items()}
    drawn = [defaults | known.draw_parameters(support.random_of(game, number)) for number in range(2 * GAMES_AT_ONCE)]
    assert {parameters["num_players"] for parameters in drawn} == set(support.player_counts(game))
    assert {parameters["reward"] for parameters in drawn} == {"outcome", "score"}
    assert {parameters["recall"] for parameters in drawn} == {True, False}
