"""A copy in mid-game goes on exactly as the original, and leaves it alone; so do saved tables."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import sobremesa
import support
from sobremesa import check

NUM_POINTS, STEPS_BETWEEN, STEPS_AFTER = 8, 7, 25
MOST_DECISIONS = 30  # so that games end between the points, and after them

WAYS: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}


def go_on(thing: Any, advance: Callable, first: int, num_steps: int) -> list[dict[str, Any]]:
    return [support.flatten(advance(thing, support.scatter(first + step))) for step in range(num_steps)]


def test_a_copy_of_an_aec_environment_in_mid_game_goes_on_as_the_original(game):
    for number, parameters in enumerate(support.variants(game)):
        check.check_copies(game, num_games=1, seed=number, every=2, **parameters, max_decisions=MOST_DECISIONS)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("surface", [name for name in support.ALL_SURFACES if name not in ("raw_env", "env")])
def test_a_copy_in_mid_game_goes_on_as_the_original(game, surface, way):
    make, look, advance = support.ALL_SURFACES[surface]
    for parameters in support.variants(game):
        original = make(game, **parameters, max_decisions=MOST_DECISIONS)
        for point in range(NUM_POINTS):
            go_on(original, advance, 1000 * point, STEPS_BETWEEN)
            before = support.flatten(look(original))
            twin = WAYS[way](original)
            assert support.flatten(look(twin)) == before
            expected = go_on(twin, advance, point, STEPS_AFTER)
            assert support.flatten(look(original)) == before, "the copy has moved the original"
            assert go_on(original, advance, point, STEPS_AFTER) == expected


def test_copies_of_tables_share_nothing(game):
    original = sobremesa.Tables(game, 4, seed=1)
    for twin in (original.copy(), copy.copy(original), copy.deepcopy(original)):
        for name, array in original._arrays().items():
            assert not np.shares_memory(array, twin._arrays()[name]), name
        assert twin.rewards.base is not None
        twin.play_random(3)
        assert np.shares_memory(twin.rewards, twin._arrays()["results"])
        assert np.shares_memory(twin.legal_action_mask, twin._arrays()["mask"])


def test_a_copy_is_of_the_same_kind(game):
    original = sobremesa.Tables(game, 4, seed=1, num_threads=2, autoreset=False, scaled=True, reward="score")
    for twin in (original.copy(), pickle.loads(pickle.dumps(original))):
        assert twin.game is original.game
        for name in ("parameters", "num_tables", "num_threads", "autoreset", "scaled", "action_names"):
            assert getattr(twin, name) == getattr(original, name), name


def test_copies_of_one_table_part_ways_with_other_random_states(game):
    tables = sobremesa.Tables(game, 1, seed=1)
    tables.play_random(5)
    futures = []
    for seed in range(8):
        twin = tables.copy()
        twin.state["choice"] = seed
        twin.state["chance"] = seed
        twin.play_random(100)
        futures.append(twin.full_state().tobytes())
    assert len(set(futures)) == 8


# Saving


def saved(game: str, path: Path, **arguments: Any) -> sobremesa.Tables:
    """Tables in mid-game that have been saved to `path`."""
    tables = sobremesa.Tables(game, 3, seed=8, max_decisions=MOST_DECISIONS, **arguments)
    tables.play_random(40)
    tables.save(path)
    return tables


def fresh(game: str, **arguments: Any) -> sobremesa.Tables:
    return sobremesa.Tables(game, **{"num_tables": 3, "max_decisions": MOST_DECISIONS, **arguments})


def assert_refused(tables: sobremesa.Tables, path: Path, reason: str) -> None:
    before = support.snapshot(tables)
    with pytest.raises(ValueError, match=reason):
        tables.load(path)
    support.assert_same(before, support.snapshot(tables), "a refused file has changed something")


def rewrite(path: Path, change: Callable[[dict[str, np.ndarray]], None]) -> None:
    with np.load(path) as kept:
        arrays = {name: kept[name] for name in kept.files}
    change(arrays)
    with open(path, "wb") as file:
        np.savez(file, **arrays)


def with_facts(**changed: Any) -> Callable[[dict[str, np.ndarray]], None]:
    def change(arrays: dict[str, np.ndarray]) -> None:
        arrays["facts"] = np.array(json.dumps({**json.loads(str(arrays["facts"])), **changed}))

    return change


def test_saved_tables_go_on_where_they_were(game, tmp_path):
    for number, parameters in enumerate(support.variants(game)):
        original = saved(game, tmp_path / f"{number}.npz", **parameters)
        loaded = fresh(game, **parameters)
        loaded.load(tmp_path / f"{number}.npz")
        support.assert_same(support.snapshot(original), support.snapshot(loaded), str(parameters))
        assert go_on(loaded, support.advance_tables, 0, 40) == go_on(original, support.advance_tables, 0, 40)


def test_dictated_deals_to_come_are_saved_and_copied(game, tmp_path):
    """With every later deal dictated, the random states that deal them don't matter."""
    known = support.situation(game)
    for number in range(6):
        rng = support.random_of(game, number)
        parameters = {**known.draw_parameters(rng), "max_decisions": 300}
        options = known.draw_options(rng, parameters)
        original = sobremesa.Tables(game, 2, autoreset=False, **parameters)
        original.reset(options=options)
        original.save(tmp_path / "dictated.npz")
        loaded = sobremesa.Tables(game, 2, autoreset=False, **parameters)
        loaded.load(tmp_path / "dictated.npz")
        ways = [original, loaded, original.copy(), pickle.loads(pickle.dumps(original))]
        for way, tables in enumerate(ways):
            tables.state["chance"] = way
            tables.play_random(300)
        assert len({tables.full_state().tobytes() for tables in ways}) == 1, parameters


def test_a_path_may_be_text(game, tmp_path):
    original = saved(game, tmp_path / "tables.npz")
    loaded = fresh(game)
    loaded.load(str(tmp_path / "tables.npz"))
    support.assert_same(support.snapshot(original), support.snapshot(loaded))


@pytest.mark.parametrize(
    ("other", "reason"),
    [({"num_tables": 4}, "num_tables"), ({"max_decisions": 31}, "parameters"), ({"recall": False}, "parameters"),
     ({"reward": "score"}, "parameters")],
)  # fmt: skip
def test_tables_of_another_kind_refuse_a_file(game, tmp_path, other, reason):
    saved(game, tmp_path / "tables.npz")
    assert_refused(fresh(game, **other), tmp_path / "tables.npz", reason)


def test_another_game_or_version_is_refused(game, tmp_path):
    path = tmp_path / "tables.npz"
    version = sobremesa.games()[game].version
    for changed, reason in (({"version": version + 1}, "version"), ({"game": "chess"}, "chess")):
        saved(game, path)
        rewrite(path, with_facts(**changed))
        assert_refused(fresh(game), path, reason)


def drop(name: str) -> Callable[[dict[str, np.ndarray]], None]:
    return lambda arrays: arrays.pop(name)


def replace(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[dict[str, np.ndarray]], None]:
    def apply(arrays: dict[str, np.ndarray]) -> None:
        arrays[name] = change(arrays[name])

    return apply


def garble(array: np.ndarray) -> np.ndarray:
    """As many bytes of anything."""
    noise = np.random.default_rng(1).integers(0, 256, array.nbytes, np.uint8)
    return np.frombuffer(noise.tobytes(), array.dtype).reshape(array.shape)


def flip(array: np.ndarray) -> np.ndarray:
    """One bit of it is another."""
    data = bytearray(array.tobytes())
    data[len(data) // 2] ^= 1
    return np.frombuffer(bytes(data), array.dtype).reshape(array.shape)


ARRAYS = ("state", "ended_state", "results", "mask", "observation", "dictated")
DAMAGES = {
    "no facts": drop("facts"),
    **{f"no {name}": drop(name) for name in ARRAYS},
    **{f"{name} of another type": replace(name, lambda array: np.zeros(array.shape, np.float64)) for name in ARRAYS},
    **{f"{name} cut short": replace(name, lambda array: array[:1]) for name in ARRAYS if name != "dictated"},
    "facts of another kind": replace("facts", lambda array: np.array("[1, 2]")),
    "facts that aren't JSON": replace("facts", lambda array: np.array("{")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(game, tmp_path, damage):
    path = tmp_path / "tables.npz"
    saved(game, path)
    rewrite(path, DAMAGES[damage])
    assert_refused(fresh(game), path, "tables")


@pytest.mark.parametrize("change", [garble, flip])
@pytest.mark.parametrize("name", [name for name in ARRAYS if name != "dictated"])
def test_a_well_formed_file_with_other_values_is_refused(game, tmp_path, name, change):
    """Indices out of range would lead the kernels past the ends of the arrays."""
    path = tmp_path / "tables.npz"
    saved(game, path)
    rewrite(path, replace(name, change))
    assert_refused(fresh(game), path, "was changed")


def test_a_file_of_something_else_is_refused(game, tmp_path):
    path = tmp_path / "tables.npz"
    saved(game, path)
    whole = path.read_bytes()
    other_zip = tmp_path / "other.zip"
    with zipfile.ZipFile(other_zip, "w") as file:
        file.writestr("facts.npy", b"nothing")
    np.save(tmp_path / "array.npy", np.arange(3))
    damaged = bytearray(whole)
    damaged[len(whole) // 3 : len(whole) // 3 + 64] = bytes(64 * [0xAA])
    pickled = pickle.dumps({"facts": 1})
    contents = (b"", b"not tables", whole[: len(whole) // 2], whole[:-30], other_zip.read_bytes(), pickled,
                (tmp_path / "array.npy").read_bytes(), bytes(damaged))  # fmt: skip
    for content in contents:
        path.write_bytes(content)
        assert_refused(fresh(game), path, "tables")


def test_a_file_without_all_dictated_deals_is_refused(game, tmp_path):
    """A kernel would read past the end of them."""
    known, path, checked = support.situation(game), tmp_path / "tables.npz", 0
    for number in range(8):
        rng = support.random_of(game, number)
        parameters = known.draw_parameters(rng)
        tables = sobremesa.Tables(game, **parameters)
        tables.reset(options=known.draw_options(rng, parameters))
        if len(tables._arrays()["dictated"]):
            tables.save(path)
            rewrite(path, replace("dictated", lambda array: array[:-1]))
            assert_refused(sobremesa.Tables(game, **parameters), path, "was changed")
            checked += 1
    assert checked


def test_a_missing_file_is_reported_as_such(game, tmp_path):
    with pytest.raises(FileNotFoundError):
        fresh(game).load(tmp_path / "nothing.npz")


@pytest.mark.parametrize("make", ["gymnasium", "vector"])
def test_a_pickle_with_read_only_buffers_plays_on(game, make):
    env = {
        "gymnasium": lambda: gymnasium.make(support.env_id(game)).unwrapped,
        "vector": lambda: gymnasium.make_vec(support.env_id(game), num_envs=1),
    }[make]()
    env.reset(seed=3)
    buffers: list[bytes] = []
    kept = pickle.dumps(env, protocol=5, buffer_callback=lambda buffer: buffers.append(buffer.raw().tobytes()))
    twin = pickle.loads(kept, buffers=buffers)
    assert buffers
    for _ in range(5):
        actions = env.action_masks().reshape(1, -1).argmax(axis=1)
        shown = [support.flatten(one.step(actions if make == "vector" else int(actions[0]))) for one in (env, twin)]
        assert shown[0] == shown[1]
