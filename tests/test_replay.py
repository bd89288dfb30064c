"""Game records: whatever surface has played a game, its record is whole, replays as recorded, or is refused.

The golden sets in `records/` must replay for as long as the version stands. A new version needs a new set:
`python tests/test_replay.py --write` writes those that aren't there.
"""

from __future__ import annotations

import copy
import functools
import json
import pathlib
import pickle
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
import sobremesa
import support
from sobremesa import chance, replay
from sobremesa.tables import winners_of
from sobremesa_agents import SeatVecEnv

GOLDEN = support.TESTS / "records"
NUM_TABLES = 3
NUM_GAMES, MOST_DECISIONS = 6, 20  # played with most parameters, and cut off or given up if not over
LEARNER = 1  # its seat, where a surface is of one seat


class Shown(NamedTuple):
    """What a surface shows of a game that has ended."""

    decisions: int | None
    returns: tuple[float, ...]
    winners: tuple[int, ...]


def seats_of(flags: np.ndarray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(flags).tolist())


def choose(mask: np.ndarray, number: int) -> np.ndarray:
    """Legal actions that look random."""
    return support.nth_legal(mask, support.scatter(np.arange(len(mask)), number))


def choose_or_forfeit(mask: np.ndarray, number: int) -> np.ndarray:
    """As above; now and then at some of the tables one that isn't legal."""
    gives_up = support.scatter(np.arange(len(mask)), number, 1) % 15 == 0
    return np.where(gives_up, mask.argmin(axis=1), choose(mask, number))


def picker(num_games: int) -> Callable[[np.ndarray, int], np.ndarray]:
    """Of the actions: a single game is played to its end."""
    return choose_or_forfeit if num_games > 1 else choose


def until_recorded(recorder: replay.Recorder, num_games: int) -> Iterator[int]:
    """Counts until so many games are recorded."""
    number = 0
    while len(recorder.records) < num_games:
        yield number
        number += 1


# Every surface: plays, and returns what was recorded and what was shown of each game that has ended

Played = tuple[list[replay.Record], list[Shown]]


def play_tables(
    game: str, seed: int, options: Any, num_games: int, autoreset: bool = True, **parameters: Any
) -> Played:
    """Some tables are left out of each step; without autoreset some games are given up."""
    tables, shown = sobremesa.Tables(game, NUM_TABLES, autoreset=autoreset, **parameters), []
    sums = np.zeros(tables.rewards.shape)
    with replay.Recorder(tables) as recorder:
        tables.reset(seed, options)
        for number in until_recorded(recorder, num_games):
            where = support.scatter(np.arange(NUM_TABLES), number, 2) % 4 > 0
            if not autoreset and number % 30 == 29 and num_games > 1:
                tables.forfeit(where)
            else:
                tables.step(choose(tables.legal_action_mask, number), where)
            sums[where] += tables.rewards[where]
            ends = where & (tables.terminated | tables.truncated)
            ended = tables.ended_state if autoreset else tables.state
            for i in np.flatnonzero(ends):
                winners = seats_of(winners_of(ended, tables.num_players)[i])
                shown.append(Shown(int(ended["decisions"][i]), tuple(sums[i]), winners))
            sums[ends] = 0
            if not autoreset:
                tables.reset(where=ends)
    return recorder.records, shown


def play_tables_without_autoreset(game: str, seed: int, options: Any, num_games: int, **parameters: Any) -> Played:
    return play_tables(game, seed, options, num_games, autoreset=False, **parameters)


def play_aec(env: Any, seed: int, options: Any, num_games: int, pick: Callable) -> Played:
    shown, sums, decisions = [], np.zeros(len(env.possible_agents)), 0
    with replay.Recorder(env) as recorder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PettingZoo tells of illegal moves
        env.reset(seed=seed, options=options)
        for number in until_recorded(recorder, num_games):
            if not env.agents:
                env.reset()
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(int(pick(observation["action_mask"][None], number)[0]))
            sums += list(env.rewards.values())
            decisions += 1
            if any(env.terminations.values()) or any(env.truncations.values()):
                shown.append(Shown(decisions, tuple(sums), seats_of(env.unwrapped.tables.winners[0])))
                sums, decisions = np.zeros_like(sums), 0
    return recorder.records, shown


def play_raw_env(game: str, seed: int, options: Any, num_games: int, **parameters: Any) -> Played:
    return play_aec(support.pettingzoo_module(game).raw_env(**parameters), seed, options, num_games, choose)


def play_env(game: str, seed: int, options: Any, num_games: int, **parameters: Any) -> Played:
    return play_aec(support.pettingzoo_module(game).env(**parameters), seed, options, num_games, picker(num_games))


def opponent_of(seed: int) -> Any:
    """The random one, or a callable."""
    return "random" if seed % 2 else lambda observations, masks, seats: support.nth_legal(masks, seats * 7)


def ends_of(infos: dict[str, Any]) -> Iterator[Shown]:
    for i in np.flatnonzero(infos.get("_returns", [])):
        winners = seats_of(infos["winners"][i])
        yield Shown(int(infos["length"][i]), tuple(infos["returns"][i]), winners)


def play_single(game: str, seed: int, options: Any, num_games: int, **parameters: Any) -> Played:
    env, shown = gymnasium.make(support.env_id(game), seat=LEARNER, opponent=opponent_of(seed), **parameters), []
    with replay.Recorder(env) as recorder:
        _, info = env.reset(seed=seed, options=options)
        for number in until_recorded(recorder, num_games):
            if "returns" in info:
                _, info = env.reset()
            *_, info = env.step(int(picker(num_games)(info["action_mask"][None], number)[0]))
            if "returns" in info:
                shown.append(Shown(info["length"], tuple(info["returns"]), seats_of(info["winners"])))
    return recorder.records, shown


def play_vector(game: str, seed: int, options: Any, num_games: int, autoreset_mode: str, **parameters: Any) -> Played:
    arguments = {"autoreset_mode": autoreset_mode, "seat": LEARNER, "opponent": opponent_of(seed)}
    envs, shown = gymnasium.make_vec(support.env_id(game), NUM_TABLES, **arguments, **parameters), []
    with replay.Recorder(envs) as recorder:
        _, infos = envs.reset(seed=seed, options=options)
        for number in until_recorded(recorder, num_games):
            *_, infos = envs.step(picker(num_games)(infos["action_mask"], number))
            shown += [*ends_of(infos), *ends_of(infos.get("final_info", {}))]
            ends = infos.get("_returns", np.zeros(NUM_TABLES, bool))
            if autoreset_mode == "Disabled" and ends.any():
                _, fresh = envs.reset(options={"reset_mask": ends})
                infos["action_mask"][ends] = fresh["action_mask"][ends]
    return recorder.records, shown


def play_vector_next_step(game: str, seed: int, options: Any, num_games: int, **parameters: Any) -> Played:
    return play_vector(game, seed, options, num_games, "NextStep", **parameters)


def play_vector_same_step(game: str, seed: int, options: Any, num_games: int, **parameters: Any) -> Played:
    return play_vector(game, seed, options, num_games, "SameStep", **parameters)


def play_vector_disabled(game: str, seed: int, options: Any, num_games: int, **parameters: Any) -> Played:
    return play_vector(game, seed, options, num_games, "Disabled", **parameters)


def play_seat_vec_env(game: str, seed: int, options: Any, num_games: int, **parameters: Any) -> Played:
    """SB3's infos tell of the learner alone."""
    envs, shown = SeatVecEnv(game, NUM_TABLES, LEARNER, opponent_of(seed), **parameters), []
    with replay.Recorder(envs) as recorder:
        envs.seed(seed)
        envs.set_options(options or {})
        envs.reset()
        for number in until_recorded(recorder, num_games):
            _, _, dones, infos = envs.step(picker(num_games)(envs.action_masks(), number))
            for i in np.flatnonzero(dones):
                won = (LEARNER,) if infos[i]["is_success"] else ()
                shown.append(Shown(None, (infos[i]["episode"]["r"],), won))
    return recorder.records, shown


SURFACES: dict[str, Callable[..., Played]] = {
    "tables": play_tables,
    "tables without autoreset": play_tables_without_autoreset,
    "raw_env": play_raw_env,
    "env": play_env,
    "single": play_single,
    "vector, NextStep": play_vector_next_step,
    "vector, SameStep": play_vector_same_step,
    "vector, Disabled": play_vector_disabled,
    "SeatVecEnv": play_seat_vec_env,
}
OF_ALL_SEATS = {"tables", "tables without autoreset", "raw_env", "env"}
OF_ONE_TABLE = {"raw_env", "env", "single"}
RAISING = {"tables", "raw_env"}  # for an illegal action


def is_shown(surface: str, record: replay.Record) -> bool:
    """A game that is over before the learner has decided anything is followed by the next, unseen."""
    is_plain = surface in OF_ALL_SEATS or record.result.ended == "forfeited"
    return is_plain or any(step.seat == LEARNER for step in record.steps())


def shown_by(surface: str, record: replay.Record) -> Shown:
    """What the surface must have shown of that game."""
    result = record.result
    if surface == "SeatVecEnv":
        return Shown(None, result.returns[LEARNER : LEARNER + 1], tuple({LEARNER} & {*result.winners}))
    return Shown(result.decisions, result.returns, result.winners)


def games_to_play(game: str) -> Iterator[tuple[int, dict[str, Any], Any]]:
    """Numbers of games, parameters and options: a whole game of the defaults; the others are cut off."""
    yield 1, {}, None
    yield NUM_GAMES, {**support.variants(game)[-1], "max_decisions": MOST_DECISIONS}, None
    for number in range(2):
        rng = support.random_of(game, number)
        parameters = {**support.situation(game).draw_parameters(rng), "max_decisions": MOST_DECISIONS}
        yield NUM_GAMES, parameters, support.situation(game).draw_options(rng, parameters)


@pytest.mark.parametrize("surface", SURFACES)
def test_games_of_every_surface_are_recorded_and_replay(game, surface, tmp_path):
    ends = set()
    for number, (num_games, parameters, options) in enumerate(games_to_play(game)):
        records, shown = SURFACES[surface](game, 100 * number, options, num_games, **parameters)
        expected = [shown_by(surface, record) for record in records if is_shown(surface, record)]
        assert sorted(shown) == sorted(expected), parameters
        replay.write(tmp_path / "games.jsonl", records)
        back = list(replay.read(tmp_path / "games.jsonl"))
        assert back == records
        for record in back:
            record.verify()
            assert record.parameters == sobremesa.games()[game].read_parameters(parameters)
            ends.add(record.result.ended)
        seeds = {100 * number + i for i in range(1 if surface in OF_ONE_TABLE else NUM_TABLES)}
        assert records[0].seed in seeds
        assert {record.seed for record in records if record.options} <= seeds
        assert bool(records[0].options) == bool(options)
    assert ends == {"terminated", "truncated"} | ({"forfeited"} if surface not in RAISING else set())


@pytest.mark.parametrize("autoreset", [True, False])
def test_random_decisions_inside_the_kernel_are_recorded(game, autoreset):
    """What they return, and leave behind, is bit for bit what it is without a recorder."""
    calls = [("play_random", (0,)), ("play_random", (MOST_DECISIONS - 6,)),
             ("play_random_until", (1, np.arange(NUM_TABLES) > 0)),
             ("play_random", (12,)), ("play_random_until", (0,))]  # fmt: skip
    for parameters in support.variants(game)[-2:]:
        given = {**parameters, "autoreset": autoreset, "max_decisions": MOST_DECISIONS}
        plain, tables = (sobremesa.Tables(game, NUM_TABLES, **given) for _ in range(2))
        recorder = replay.Recorder(tables)
        for number in range(3):
            for one in (plain, tables):
                one.reset(4 + number, where=(one.current_player < 0) | (number == 0))
            for name, arguments in calls:
                expected, returned = (support.flatten(getattr(one, name)(*arguments)) for one in (plain, tables))
                assert returned == expected, name
                support.assert_same(support.snapshot(plain), support.snapshot(tables), name)
        assert {4, 5, 6} <= {record.seed for record in recorder.records}
        for record in recorder.records:
            record.verify()


@pytest.mark.parametrize("surface", support.SURFACES)
def test_recording_changes_nothing(game, surface):
    make, _, advance = support.SURFACES[surface]
    plain, recorded = (make(game, **support.variants(game)[-1], max_decisions=8) for _ in range(2))
    with replay.Recorder(recorded) as recorder:
        for step in range(40):
            expected, shown = (support.flatten(advance(one, support.scatter(step))) for one in (plain, recorded))
            assert shown == expected
    records = list(recorder.records)
    assert records
    for step in range(20):
        assert support.flatten(advance(recorded, step)) == support.flatten(advance(plain, step))
    assert recorder.records == records, "it has stopped"
    for record in records:
        record.verify()


def test_refused_calls_leave_the_record_whole(game):
    tables = sobremesa.Tables(game, NUM_TABLES, max_decisions=MOST_DECISIONS)
    twin = tables.copy()
    recorder = replay.Recorder(tables)
    for one in (tables, twin):
        one.reset(seed=1)
    for number in range(MOST_DECISIONS):
        for name, arguments in {
            "step": ([-1] * NUM_TABLES,), "reset": (-1,), "play_random": (-1,), "play_random_until": (99,),
            "forfeit": ([True],), "refresh": ([True],), "load": (__file__,),
            "redeal_hidden": (0, -1),
        }.items():  # fmt: skip
            messages = []
            for one in (tables, twin):
                with pytest.raises((ValueError, TypeError)) as refused:
                    getattr(one, name)(*arguments)
                messages.append(str(refused.value))
            assert messages[0] == messages[1]
        for one in (tables, twin):
            one.step(choose(one.legal_action_mask, number))
    support.assert_same(support.snapshot(twin), support.snapshot(tables))
    assert len(recorder.records) == NUM_TABLES
    for record in recorder.records:
        record.verify()


def test_every_method_that_changes_games_is_recorded():
    looking = {"action_to_string", "copy", "full_state", "observe", "observe_records", "read_actions", "save",
               "sample_actions", "string_to_action", "to_text", "uses_threads"}  # fmt: skip
    through_another = {"step"}
    public = {name for name, value in vars(sobremesa.Tables).items() if callable(value) and not name.startswith("_")}
    assert public == looking | through_another | set(replay.Recorder.METHODS) - {"_try_step"}


# What isn't recorded


def test_a_game_is_recorded_from_its_deal_to_its_end_or_not_at_all(game):
    tables = sobremesa.Tables(game, 2, seed=0, max_decisions=MOST_DECISIONS)
    tables.play_random(5)
    with replay.Recorder(tables) as recorder:
        tables.play_random(MOST_DECISIONS - 1)
        assert not recorder.records, "it was going on before"
        tables.play_random(MOST_DECISIONS - 4)
        assert len(recorder.records) == 2, "the one that followed"
        for record in recorder.records:
            record.verify()
        recorder.records.clear()
        tables.reset(seed=0)
        tables.play_random(5)
        tables.reset(seed=7, where=[True, False])
        tables.play_random(MOST_DECISIONS)
        assert [(record.seed, len(record.actions)) for record in recorder.records] == [
            (1, MOST_DECISIONS), (7, MOST_DECISIONS)
        ], "one was given up"  # fmt: skip


@pytest.mark.parametrize("how", ["refresh", "load"])
def test_a_table_changed_by_hand_is_not_recorded_before_its_next_game(game, how, tmp_path):
    tables = sobremesa.Tables(game, 2, max_decisions=MOST_DECISIONS)
    other = sobremesa.Tables(game, 2, max_decisions=MOST_DECISIONS)
    other.save(tmp_path / "other.npz")
    with replay.Recorder(tables) as recorder:
        tables.reset(seed=0)
        tables.play_random(3)
        if how == "load":
            tables.load(tmp_path / "other.npz")
        else:
            tables.state[0] = other.state[0]
            tables.refresh([True, False])
        tables.play_random(MOST_DECISIONS)
        expected = [] if how == "load" else [1]
        assert [record.seed for record in recorder.records] == expected
        tables.play_random(2 * MOST_DECISIONS)
        for record in recorder.records:
            record.verify()


@pytest.mark.parametrize("surface", support.SURFACES)
def test_a_copy_is_not_recorded(game, surface):
    make, look, advance = support.SURFACES[surface]
    original = make(game, max_decisions=MOST_DECISIONS)
    recorder = replay.Recorder(original)
    for step in range(MOST_DECISIONS // 3):
        advance(original, step)
    before, records = support.flatten(look(original)), list(recorder.records)
    for twin in (copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
        for step in range(2 * MOST_DECISIONS):
            advance(twin, step)
        assert replay.Recorder(twin).tables is not recorder.tables
    assert recorder.records == records
    assert support.flatten(look(original)) == before


def test_a_surface_is_recorded_once_at_a_time_and_must_have_tables():
    tables = sobremesa.Tables(next(iter(sobremesa.games())))
    recorder = replay.Recorder(tables)
    with pytest.raises(sobremesa.ParameterError, match="recorded already"):
        replay.Recorder(tables)
    recorder.stop()
    recorder.stop()
    assert not vars(tables).keys() & set(replay.Recorder.METHODS)
    with replay.Recorder(tables):
        pass
    for other in (None, "tables", gymnasium.make("CartPole-v1")):
        with pytest.raises(sobremesa.ParameterError, match="no tables"):
            replay.Recorder(other)


# What a record holds


def record_games(game: str, num_games: int = 3, seed: int = 0, options: Any = None, **parameters: Any) -> list:
    """Games of random play."""
    tables = sobremesa.Tables(game, **parameters)
    with replay.Recorder(tables) as recorder:
        tables.reset(seed, options)
        while len(recorder.records) < num_games:
            tables.play_random(1)
    return recorder.records


def test_every_state_of_the_random_numbers_has_its_seed():
    seeds = np.array([0, 1, 2**63, 2**64 - 1, *range(1000, 2000)], np.uint64)
    states, _ = chance.states_from_seeds(seeds)
    assert np.array_equal(chance.seeds_from_states(states), seeds)
    states = np.arange(1000, dtype=np.uint64) * np.uint64(2**54) + np.uint64(12345)
    assert np.array_equal(chance.states_from_seeds(chance.seeds_from_states(states))[0], states)


def test_any_surface_deals_the_game_from_seed_and_options(game):
    for number in range(3):
        rng = support.random_of(game, number)
        parameters = {**support.situation(game).draw_parameters(rng), "max_decisions": MOST_DECISIONS}
        options = support.situation(game).draw_options(rng, parameters)
        for record in record_games(game, 2, number, options, **parameters):
            env = support.pettingzoo_module(game).raw_env(**record.parameters)
            env.reset(seed=record.seed, options=record.options)
            returns = np.zeros(len(env.possible_agents))
            for step in record.steps():
                assert env.agent_selection == f"player_{step.seat}"
                observation = env.observe(env.agent_selection)["observation"]
                assert observation.tobytes() == step.observation.tobytes()
                env.step(step.action)
                returns += list(env.rewards.values())
            assert tuple(returns) == record.result.returns


def test_steps_show_the_game(game):
    for record in record_games(game, max_decisions=MOST_DECISIONS):
        tables = sobremesa.Tables(game, seed=record.seed, autoreset=False, max_decisions=MOST_DECISIONS)
        for number, step in enumerate(record.steps()):
            support.assert_same(support.snapshot(step.tables), support.snapshot(tables), f"decision {number}")
            assert (step.number, step.action, step.seat) == (number, record.actions[number], tables.current_player[0])
            assert step.text == tables.action_to_string(step.action)
            assert np.array_equal(step.observation, tables.observation[0])
            assert not np.shares_memory(step.observation, step.tables.observation)
            tables.step([step.action])
        assert step.tables.current_player[0] == -1
        assert step.tables.truncated[0] == (record.result.ended == "truncated")


def digest_of(record: replay.Record) -> str:
    """By the format's description, from what a table shows."""
    tables = sobremesa.Tables(record.game, autoreset=False, **record.parameters)
    tables.reset(record.seed, record.options)
    shown = b""
    for action in record.actions:
        shown += bytes([tables.current_player[0]]) + tables.legal_action_mask[0].tobytes()
        shown += tables.observation[0].tobytes()
        tables.step([action])
        shown += tables.rewards[0].tobytes()
    for seat in range(tables.num_players):
        shown += tables.observe(seat)[0].tobytes()
    return f"{zlib.crc32(shown + tables.state['chance'].tobytes()):08x}"


def test_the_digest_is_of_all_that_was_shown(game):
    for parameters in support.variants(game):
        for record in record_games(game, 1, **{**parameters, "reward": "score"}):
            assert record.result.digest == digest_of(record)


def test_a_record_replays_in_another_process(tmp_path):
    records = [record for game in sobremesa.games() for record in record_games(game, max_decisions=60)]
    replay.write(tmp_path / "games.jsonl", records)
    code = (
        "import json\nfrom sobremesa import replay\n"
        f"records = list(replay.read({str(tmp_path / 'games.jsonl')!r}))\n"
        "for record in records: record.verify()\n"
        "print(json.dumps([[record.to_line(), *(step.seat for step in record.steps())] for record in records]))"
    )
    expected = [[record.to_line(), *(step.seat for step in record.steps())] for record in records]
    assert support.run_python(code, PYTHONHASHSEED="7") == expected


# What is refused


@functools.cache
def fine_line(game: str) -> str:
    """A game with a dictated deal, cut off."""
    rng = support.random_of(game, 1)
    parameters = {**support.situation(game).draw_parameters(rng), "max_decisions": 12}
    (record,) = record_games(game, 1, 5, support.situation(game).draw_options(rng, parameters), **parameters)
    assert record.result.ended == "truncated"
    return record.to_line()


def line_of(content: dict[str, Any]) -> str:
    """With the checksum that belongs to the content."""
    text = json.dumps({name: value for name, value in content.items() if name != "checksum"}, separators=(",", ":"))
    return f'{text[:-1]},"checksum":"{zlib.crc32(text.encode()):08x}"}}'


def reason_of(lines: list[str | bytes], path: pathlib.Path) -> str:
    """Why the last of the lines, and no other, is refused."""
    path.write_bytes(b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines))
    records = replay.read(path)
    for _ in lines[:-1]:
        next(records).verify()
    with pytest.raises(replay.RecordError) as refused:
        next(records).verify()
    assert refused.value.line == len(lines)
    assert str(refused.value) == f"line {len(lines)}: {refused.value.reason}"
    return refused.value.reason


def put(value: Any, *path: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for name in path[:-1]:
            content = content[name]
        content[path[-1]] = value

    return change


def drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for name in path[:-1]:
            content = content[name]
        del content[path[-1]]

    return change


def deal_another_card(content: dict[str, Any]) -> None:
    deck = content["options"]["deck"]
    (deck if isinstance(deck[0], int) else deck[0])[0] = 999


def act_illegally(content: dict[str, Any]) -> None:
    """At the decision before the last."""
    record = replay.Record.from_line(line_of(content))
    step = list(record.steps())[-2]
    tables = sobremesa.Tables(record.game, autoreset=False, **record.parameters)
    tables.reset(record.seed, record.options)
    for action in record.actions[: step.number]:
        tables.step([action])
    content["actions"][step.number] = int(tables.legal_action_mask[0].argmin())


CONTENTS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    **{f"no {name}": (drop(name), rf"missing keys \['{name}'\]") for name in replay.KEYS if name != "checksum"},
    **{f"no {name} in the result": (drop("result", name), rf"result: missing keys \['{name}'\]")
       for name in replay.Result.__dataclass_fields__},
    "an unknown key": (put(1, "weather"), r"unknown keys \['weather'\]"),
    "an unknown key in the result": (put(1, "result", "weather"), r"result: .* unknown keys \['weather'\]"),
    "a result of another kind": (put([1], "result"), "result must be a JSON object, not list"),
    "another format": (put(2, "format"), "format is 2; this version of sobremesa reads format 1"),
    "a format of another kind": (put("1", "format"), "format is '1'"),
    "a version of the package that is no text": (put(1, "sobremesa"), "sobremesa must be text, not 1"),
    "an unknown game": (put("chess", "game"), "there is no game 'chess'; the games: freep, "),
    "a game of another kind": (put(["freep"], "game"), "there is no game"),
    "another version": (put(7, "version"), "is of version 7; here it has version 0"),
    "a parameter out of range": (put(99, "parameters", "num_players"), "num_players must be an integer from"),
    "a parameter of another kind": (put(1, "parameters", "recall"), "recall must be True or False, not 1"),
    "no parameter": (drop("parameters", "reward"), r"parameters: missing keys \['reward'\]"),
    "an unknown parameter": (put(1, "parameters", "weather"), r"parameters: .* unknown keys \['weather'\]"),
    "parameters of another kind": (put([], "parameters"), "parameters must be a JSON object, not list"),
    "a seed out of range": (put(-1, "seed"), "seed must be an integer from 0 to 18446744073709551615, not -1"),
    "a seed of another kind": (put("5", "seed"), "seed must be an integer"),
    "an unknown option": (put(1, "options", "weather"), "no option 'weather'"),
    "options of another kind": (put(None, "options"), "options must be a JSON object"),
    "another card": (deal_another_card, "999"),
    "an action out of range": (put(9999, "actions", 3), r"actions\[3\] must be an integer from 0 to \d+, not 9999"),
    "a negative action": (put(-1, "actions", 0), r"actions\[0\] must be .*, not -1"),
    "an action of another kind": (put(1.0, "actions", 0), r"actions\[0\] must be an integer .*, not 1.0"),
    "actions of another kind": (put("0,1", "actions"), "actions must be a list, not '0,1'"),
    "an illegal action": (act_illegally, r"decision 10: player_\d can't take action \d+ \(.+\) now"),
    "an action too many": (lambda content: content["actions"].append(0), "over after 12 decisions, but 13 are"),
    "an action too few": (lambda content: content["actions"].pop(),
                          r"the actions end after 11 decisions, but the game goes on: player_\d is to act"),
    "no actions": (put([], "actions"), "the actions end after 0 decisions"),
    "a forfeit after the end": (put("forfeited", "result", "ended"), "nobody can have forfeited"),
    "another end": (put("terminated", "result", "ended"),
                    "ended differs: recorded 'terminated', replayed 'truncated'"),
    "an unknown end": (put("won", "result", "ended"), "ended must be one of terminated, .*, not 'won'"),
    "an end of another kind": (put(["truncated"], "result", "ended"), "ended must be one of"),
    "another number of decisions": (put(11, "result", "decisions"), "decisions differs: recorded 11, replayed 12"),
    "decisions of another kind": (put(True, "result", "decisions"), "decisions must be an integer"),
    "other returns": (put(0.125, "result", "returns", 0), r"returns differs: recorded \(0.125, .*, replayed \("),
    "too many returns": (lambda content: content["result"]["returns"].append(0.0), "returns must be a list of"),
    "returns of another kind": (put(0, "result", "returns", 0), "returns must be a list of . numbers with decimals"),
    "other winners": (put([1], "result", "winners"), r"winners differs: recorded \(1,\), replayed \(\)"),
    "an unknown winner": (put([8], "result", "winners"), r"winners\[0\] must be an integer from 0 to \d, not 8"),
    "another digest": (put("00000000", "result", "digest"), "digest differs: recorded '00000000', replayed '"),
    "a digest of another kind": (put(0, "result", "digest"), "digest must be text, not 0"),
}  # fmt: skip

TEXTS: dict[str, tuple[Callable[[str], str | bytes], str]] = {
    "nothing": (lambda line: "", r"it isn't JSON: Expecting value \(character 0\)"),
    "half a line": (lambda line: line[: len(line) // 2], "it isn't JSON"),
    "two in one line": (lambda line: line + line, "it isn't JSON: Extra data"),
    "not ASCII": (lambda line: line.replace("sobremesa", "sobremésa", 1), "'ascii' codec can't decode"),
    "no text": (lambda line: bytes(range(256)).replace(b"\n", b""), "'ascii' codec can't decode"),
    "a list": (lambda line: f"[{line}]", "a record must be a JSON object, not list"),
    "a number": (lambda line: "3", "a record must be a JSON object, not int"),
    "null": (lambda line: "null", "a record must be a JSON object, not NoneType"),
    "an endless number": (lambda line: line.replace('"seed":5', f'"seed":{"9" * 5000}'), "it isn't JSON: Exceeds"),
    "a deep nest": (lambda line: "[" * 100_000, "it isn't JSON"),
    "no checksum": (lambda line: line[: line.index(',"checksum"')] + "}", r"missing keys \['checksum'\]"),
    "another checksum": (lambda line: line[:-4] + "xx" + line[-2:], "it was damaged or changed"),
    "another package version": (lambda line: line.replace('"sobremesa":"', '"sobremesa":"9'), "the checksum .*, not '"),
    "another parameter": (lambda line: line.replace('"max_decisions":12', '"max_decisions":13'), "the checksum"),
    "another order": (lambda line: line.replace('"format":1,', "")[:-1] + ',"format":1}',
                      "it isn't written as this format writes it"),
    "spaces": (lambda line: line.replace(":", ": ", 1), "it isn't written as this format writes it"),
    "a key twice": (lambda line: line.replace('"seed":5', '"seed":4,"seed":5'), "it isn't written as"),
    "a flag for the format": (lambda line: line.replace('"format":1', '"format":true'), "it isn't written as"),
    "a version with decimals": (lambda line: line.replace('"version":0', '"version":0.0'), "it isn't written as"),
}  # fmt: skip


@pytest.mark.parametrize("case", CONTENTS)
def test_other_content_is_refused(game, case, tmp_path):
    change, reason = CONTENTS[case]
    good = fine_line(game)
    content = json.loads(good)
    assert line_of(content) == good
    change(content)
    told = reason_of([good, line_of(content)], tmp_path / "games.jsonl")
    assert re.search(reason, told), told


@pytest.mark.parametrize("case", TEXTS)
def test_another_text_is_refused(game, case, tmp_path):
    change, reason = TEXTS[case]
    good = fine_line(game)
    told = reason_of([good, change(good)], tmp_path / "games.jsonl")
    assert re.search(reason, told), told


def test_lines_may_end_as_on_other_systems(game, tmp_path):
    good = fine_line(game)
    for text in (f"{good}\n{good}\n", f"{good}\r\n{good}\r\n", f"{good}\n{good}"):
        (tmp_path / "games.jsonl").write_bytes(text.encode())
        assert [record.to_line() for record in replay.read(tmp_path / "games.jsonl")] == [good, good]
    (tmp_path / "games.jsonl").write_bytes(b"")
    assert not list(replay.read(tmp_path / "games.jsonl"))
    with pytest.raises(FileNotFoundError):
        list(replay.read(tmp_path / "none.jsonl"))


def test_damage_is_always_seen(game):
    """Bytes changed, lost or doubled anywhere; the checksum sees what is JSON nevertheless."""
    good, rng = fine_line(game).encode(), support.random_of(game, 2)
    for _ in range(500):
        damaged, at = bytearray(good), rng.randrange(len(good))
        kind = rng.randrange(4)
        if kind == 0:
            damaged[at] ^= rng.randrange(1, 256)
        elif kind == 1:
            damaged[at] = rng.choice(b"0123456789")
        elif kind == 2:
            del damaged[at : at + rng.randrange(1, 9)]
        else:
            damaged[at:at] = damaged[at : at + rng.randrange(1, 9)]
        if damaged != good:
            with pytest.raises(replay.RecordError):
                replay.Record.from_line(bytes(damaged))


def places_of(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The path of every value within a nested one; of lists the first entry."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, part in parts:
        yield from places_of(part, (*path, name))


def test_whatever_stands_in_a_place_is_refused_or_replays(game):
    """With the right checksum: nothing but RecordError gets out."""
    good = fine_line(game)
    num_refused = 0
    for path in list(places_of(json.loads(good)))[1:]:
        for value in (None, True, -1, 0, 1, 255, 2**31, 2**70, 0.0, -1e300, float("nan"), float("inf"), "", "x", "high",
                      [], {}, [None], [[]], [0], [0.5] * 2, {"a": 1}):  # fmt: skip
            content = json.loads(good)
            put(value, *path)(content)
            try:
                replay.Record.from_line(line_of(content)).verify()
            except replay.RecordError:
                num_refused += 1
    assert num_refused > 100


def test_an_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(replay.RecordError("for no reason", 3)))
    assert (str(error), error.reason, error.line) == ("line 3: for no reason", "for no reason", 3)


# The golden sets


def golden_path(game: str) -> pathlib.Path:
    return GOLDEN / f"{game}_v{sobremesa.games()[game].version}.jsonl"


def golden_records(game: str) -> Iterator[replay.Record]:
    """Whole games of every variant, every other the second of its table; one cut off, one given up; dictated deals."""
    for seed, parameters in enumerate(support.variants(game)):
        yield record_games(game, 2, seed, **parameters)[seed % 2]
    yield from record_games(game, 1, 1, max_decisions=40)
    tables = sobremesa.Tables(game, autoreset=False)
    with replay.Recorder(tables) as recorder:
        tables.reset(seed=2)
        tables.play_random(40)
        tables.forfeit([True])
    yield from recorder.records
    for number in range(4):
        rng = support.random_of(game, number)
        parameters = {**support.situation(game).draw_parameters(rng), "max_decisions": 120}
        yield from record_games(game, 1, number, support.situation(game).draw_options(rng, parameters), **parameters)


def test_the_golden_set_replays(game):
    for record in replay.read(golden_path(game)):
        record.verify()


def test_the_golden_set_covers_the_game(game):
    records = list(replay.read(golden_path(game)))
    whole = [record for record in records if record.result.ended == "terminated"]
    assert {record.parameters["num_players"] for record in whole} == set(support.player_counts(game))
    assert {record.parameters["reward"] for record in whole} == {"outcome", "score"}
    assert {record.parameters["recall"] for record in whole} == {True, False}
    assert {record.result.ended for record in records} == set(replay.ENDS)
    assert max(record.seed for record in records) > 2**32, "one that began where another has ended"
    assert {name for record in records for name in record.options} == set(sobremesa.games()[game].options)


def test_every_game_and_version_has_its_golden_set_and_no_other_lies_there():
    assert set(GOLDEN.iterdir()) == set(map(golden_path, sobremesa.games()))


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    GOLDEN.mkdir(exist_ok=True)
    for name in sobremesa.games():
        if not golden_path(name).exists():
            replay.write(golden_path(name), golden_records(name))
