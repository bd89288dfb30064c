"""What holds in every game at any time, and a golden playthrough of each.

After a change of results that is meant: `python tests/test_invariants.py --write` writes the playthroughs anew.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import sobremesa
import support
from sobremesa import check

GOLDEN = support.TESTS / "golden"
DECISIONS_BETWEEN_TEXTS = 20
MOST_GOLDEN_DECISIONS = 250
NUM_TABLES, NUM_STEPS = 16, 250


def all_observations(tables: sobremesa.Tables) -> np.ndarray:
    """`[n, N, O]`: what every seat sees."""
    return np.stack([tables.observe(seat) for seat in range(tables.num_players)])


def random_play(game: str, parameters: dict[str, Any], **arguments: Any) -> Iterator[sobremesa.Tables]:
    """The same Tables again after each of many random steps."""
    tables = sobremesa.Tables(game, NUM_TABLES, seed=11, **arguments, **parameters)
    rng = np.random.default_rng(11)
    yield tables
    for _ in range(NUM_STEPS):
        tables.step(sobremesa.sample_legal(tables.legal_action_mask, rng))
        yield tables


def test_components_are_conserved(game):
    num_cards = support.situation(game).num_cards
    for parameters in support.variants(game):
        components = num_cards(sobremesa.Tables(game, seed=0, **parameters).state[0], parameters)
        assert components.total() > 0
        for step, tables in enumerate(random_play(game, parameters)):
            for record in tables.state[: 1 if step % 10 else NUM_TABLES]:
                assert num_cards(record, parameters) == components, f"{parameters}, step {step}"


def test_components_are_conserved_in_the_last_state_of_a_game(game):
    num_cards = support.situation(game).num_cards
    for parameters in support.variants(game):
        components = num_cards(sobremesa.Tables(game, seed=0, **parameters).state[0], parameters)
        for tables in random_play(game, {**parameters, "max_decisions": 40}):
            for i in np.flatnonzero(tables.terminated | tables.truncated):
                assert num_cards(tables.ended_state[i], parameters) == components, parameters


def test_rewards_sum_to_zero_and_the_seat_to_act_has_an_action(game):
    for parameters in support.variants(game):
        for tables in random_play(game, parameters):
            assert support.is_zero_sum(tables.rewards), parameters
            assert tables.legal_action_mask.any(axis=1).all(), parameters
            assert np.all((tables.current_player >= 0) & (tables.current_player < tables.num_players)), parameters
            assert not (tables.terminated & tables.truncated).any(), parameters


def test_the_outcome_is_paid_once_and_by_the_formula(game):
    for n in support.player_counts(game):
        tables = sobremesa.Tables(game, 64, seed=3, autoreset=False, num_players=n)
        while (tables.current_player >= 0).any():
            running = tables.current_player >= 0
            tables.step(support.nth_legal(tables.legal_action_mask, support.scatter(np.arange(64), n)), running)
            assert not tables.rewards[running & ~tables.terminated].any()
        winners = tables.winners & tables.terminated[:, None]
        k = winners.sum(axis=1, keepdims=True)
        paid = np.where(winners, (n - k) / np.maximum(k * (n - 1), 1), np.where((k == 0) | (k == n), 0, -1 / (n - 1)))
        assert np.allclose(tables.rewards, paid, atol=1e-6)
        assert tables.terminated.any()
        assert np.all(k[tables.terminated] >= 1)


def test_the_score_is_paid_before_the_end_and_whatever_the_outcome(game):
    for parameters in support.variants(game):
        tables = sobremesa.Tables(game, 64, seed=4, **{**parameters, "reward": "score"})
        returns, num_games = tables.play_random(600)
        assert num_games.sum() > 0
        assert np.abs(returns).sum() > 0
        assert np.allclose(returns.sum(axis=1), 0, atol=1e-4)


def test_observations_stay_within_the_declared_maxima(game):
    for parameters in support.variants(game):
        for tables in random_play(game, parameters):
            maxima = tables.observation_scale
            assert np.all(all_observations(tables) <= maxima), parameters
        scaled = next(random_play(game, parameters, scaled=True))
        assert scaled.observation.dtype == np.float32
        assert 0 <= scaled.observation.min() <= scaled.observation.max() <= 1


def test_nobody_but_the_seat_to_act_has_an_action(game):
    for parameters in support.variants(game):
        check.check_masks(game, num_games=1, every=15, **parameters, max_decisions=60)


def test_looking_changes_nothing(game):
    for parameters in support.variants(game):
        for tables in random_play(game, parameters):
            if tables.state["decisions"][0] % 25 == 0:
                before = support.snapshot(tables)
                first = support.flatten(support.look_at_tables(tables))
                assert support.flatten(support.look_at_tables(tables)) == first
                support.assert_same(before, support.snapshot(tables), str(parameters))


# The golden playthroughs


def golden_parameters(game: str) -> list[dict[str, Any]]:
    low, high, _ = sobremesa.games()[game].players
    return [{}, {"num_players": low, "reward": "score"}, {"num_players": high, "recall": False}]


def playthrough(game: str, seed: int, parameters: dict[str, Any]) -> Iterator[str]:
    """A game as text: the actions by name, what they paid, a fingerprint of what everybody sees, some tables."""
    tables = sobremesa.Tables(game, seed=seed, autoreset=False, **parameters)
    rng = random.Random(seed)
    yield f"{game}, seed {seed}, {parameters}"
    for number in range(MOST_GOLDEN_DECISIONS):
        seat = int(tables.current_player[0])
        if seat < 0:
            break
        if number % DECISIONS_BETWEEN_TEXTS == 0:
            yield tables.to_text(0)
        legal = np.flatnonzero(tables.legal_action_mask[0])
        action = int(legal[int(rng.random() * len(legal))])
        tables.step([action])
        rewards = " ".join(f"{reward:+.4f}" for reward in tables.rewards[0]) if tables.rewards.any() else ""
        seen = zlib.crc32(all_observations(tables).tobytes())
        yield f"{number} player_{seat} {tables.action_to_string(action)} {seen:08x} {rewards}".rstrip()
    winners = np.flatnonzero(tables.winners[0]).tolist()
    yield f"terminated {tables.terminated[0]}, truncated {tables.truncated[0]}, winners {winners}"
    yield tables.to_text(0, seat=0)


def golden_text(game: str) -> str:
    games = [playthrough(game, seed, parameters) for seed, parameters in enumerate(golden_parameters(game), start=1)]
    return "\n\n".join("\n".join(line.rstrip() for text in game for line in text.splitlines()) for game in games) + "\n"


def test_golden_playthrough(game):
    expected = (GOLDEN / f"{game}.txt").read_text(encoding="utf-8")
    assert golden_text(game).splitlines() == expected.splitlines()


def test_every_game_has_its_golden_playthrough_and_no_other_lies_there():
    assert {path.name for path in GOLDEN.iterdir()} == {f"{game}.txt" for game in sobremesa.games()}


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    GOLDEN.mkdir(exist_ok=True)
    for name in sobremesa.games():
        (GOLDEN / f"{name}.txt").write_text(golden_text(name), encoding="utf-8")
