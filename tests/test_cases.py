"""Games recorded by independent implementations of the rules, every deal dictated: nothing may differ.

A line of `cases/<game>.jsonl` is a game: `config` and `options`, and for each decision who was asked (`seat`), every
legal action id, the one taken, the CRC-32 of every seat's observation before it, `rewards` where one isn't 0, and at
some decisions the acting seat's observation by field.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np
import pytest
import sobremesa
import support

CASES = support.TESTS / "cases"


def read_cases(game: str) -> list[dict[str, Any]]:
    with open(CASES / f"{game}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def as_tuples(value: Any) -> Any:
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


def config_of(case: dict[str, Any]) -> dict[str, Any]:
    return {name: as_tuples(value) for name, value in case["config"].items()}


def by_field(observation: np.ndarray, fields: dict[str, Any]) -> dict[str, list[int]]:
    return {name: observation[field.slice].tolist() for name, field in fields.items()}


def rewards_of(decision: dict[str, Any], num_players: int) -> list[float]:
    return decision.get("rewards", [0.0] * num_players)


def crcs(observations: list[np.ndarray]) -> list[int]:
    return [zlib.crc32(observation.tobytes()) for observation in observations]


def test_every_game_has_recorded_games(game):
    assert len(read_cases(game)) >= 40


def test_tables_replay_recorded_games(game):
    for line, case in enumerate(read_cases(game), start=1):
        tables = sobremesa.Tables(game, autoreset=False, **config_of(case))
        tables.reset(options=case["options"])
        for number, decision in enumerate(case["decisions"]):
            where = f"line {line}, decision {number}"
            assert tables.current_player[0] == decision["seat"], where
            if "observation" in decision:
                seen = by_field(tables.observation[0], tables.observation_fields)
                assert seen == decision["observation"], where
            assert np.flatnonzero(tables.legal_action_mask[0]).tolist() == decision["legal"], where
            assert crcs([tables.observe(seat)[0] for seat in range(tables.num_players)]) == decision["crc"], where
            tables.step([decision["action"]])
            assert tables.rewards[0] == pytest.approx(rewards_of(decision, tables.num_players), abs=1e-5), where
        assert tables.current_player[0] == -1, f"line {line}"
        assert crcs([tables.observe(seat)[0] for seat in range(tables.num_players)]) == case["end_crc"], f"line {line}"
        assert (tables.terminated[0], tables.truncated[0]) == (case["terminated"], case["truncated"]), f"line {line}"
        assert np.flatnonzero(tables.winners[0]).tolist() == case["winners"], f"line {line}"


def test_raw_env_replays_recorded_games(game):
    for line, case in enumerate(read_cases(game), start=1):
        env = support.pettingzoo_module(game).raw_env(**config_of(case))
        env.reset(options=case["options"])
        agents = env.possible_agents
        for number, decision in enumerate(case["decisions"]):
            where = f"line {line}, decision {number}"
            assert env.agent_selection == agents[decision["seat"]], where
            assert np.flatnonzero(env.last()[0]["action_mask"]).tolist() == decision["legal"], where
            assert crcs([env.observe(agent)["observation"] for agent in agents]) == decision["crc"], where
            env.step(decision["action"])
            assert list(env.rewards.values()) == pytest.approx(rewards_of(decision, len(agents)), abs=1e-5), where
        assert crcs([env.observe(agent)["observation"] for agent in agents]) == case["end_crc"], f"line {line}"
        assert env.terminations == dict.fromkeys(agents, case["terminated"]), f"line {line}"
        assert env.truncations == dict.fromkeys(agents, case["truncated"]), f"line {line}"
