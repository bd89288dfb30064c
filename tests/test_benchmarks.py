"""The pages on speed say what was measured, and the peers' contest works and tells who could not take part."""

from __future__ import annotations

import functools
import pathlib
import re

import peers
import pytest
import results
import sobremesa
from sobremesa import bench

ROOT = pathlib.Path(__file__).parent.parent
MEASURED = results.load(ROOT / "benchmarks" / "results")


def pins(path: pathlib.Path) -> dict[str, str]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.lower().replace("-", "_").split("==") for line in lines)


def test_the_pages_are_what_the_results_give():
    assert (ROOT / "benchmarks" / "RESULTS.md").read_text() == results.page(MEASURED)
    assert results.SENTENCE.search((ROOT / "README.md").read_text()).group() == results.readme_sentence(MEASURED)


def test_the_page_shows_every_plot():
    shown = re.findall(r"\((\w+\.png)\)", results.page(MEASURED))
    assert sorted(shown) == sorted(results.PLOTS)
    assert all((ROOT / "benchmarks" / name).exists() for name in shown)


@pytest.mark.parametrize("name", results.PLOTS)
def test_a_plot_is_drawn(name, tmp_path):
    results.plot(results.PLOTS[name], MEASURED, tmp_path / name)
    assert (tmp_path / name).stat().st_size > 10_000


@pytest.mark.parametrize(
    ("per_second", "told"),
    [
        (12_345_678, "12.3 M"),
        (1_249_000, "1.2 M"),
        (123_456, "120 k"),
        (12_345, "12 k"),
        (9_960, "10 k"),
        (1_234, "1.2 k"),
    ],
)
def test_rates_have_two_digits(per_second, told):
    assert results.rate(per_second) == told


def test_every_game_and_every_peer_was_measured():
    assert set(MEASURED) == {"peers", *sobremesa.games(), *(f"{game}_players" for game in sobremesa.games())}
    measured = {(row["library"], row["game"], row["kind"], row["form"]) for row in MEASURED["peers"]["results"]}
    assert measured == {(each.library, each.game, each.kind, each.form) for each in peers.contestants()}
    assert {library for library, *_ in measured} == set(peers.LIBRARIES)


def test_peers_are_pinned_and_share_our_versions():
    pinned, ours = pins(ROOT / "benchmarks" / "peers.txt"), pins(ROOT / "constraints.txt")
    assert set(peers.VERSIONS) - {"sobremesa"} <= set(pinned)
    shared = ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo")
    assert {name: pinned[name] for name in shared} == {name: ours[name] for name in shared}


def test_a_contest_measures_who_is_there_and_tells_who_is_not():
    game = next(iter(sobremesa.games()))
    group = [
        peers.Contestant("sobremesa", game, "full_loop", functools.partial(peers.ours, game, "full_loop")),
        peers.Contestant("nowhere", "nothing", "full_loop", functools.partial(peers.pettingzoo, "nothing", "env")),
    ]
    (result,), missing = peers.compete(group, num_runs=2, seconds=0.002)
    assert (result.library, result.game, result.num_tables) == ("sobremesa", game, peers.OUR_TABLES)
    assert result.slowest_run <= result.per_second <= result.fastest_run
    assert list(missing) == ["nowhere nothing"]
    assert "No module named 'pettingzoo.classic.nothing'" in missing["nowhere nothing"]
    peers.show("full_loop", [result])


@pytest.mark.parametrize("kind", peers.KINDS)
def test_we_compete_with_every_game_in_what_the_bench_measures(kind):
    assert kind in bench.MEASURES
    ours = [each.game for each in peers.contestants() if (each.library, each.kind) == ("sobremesa", kind)]
    assert ours == list(sobremesa.games())
