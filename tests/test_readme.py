"""The README runs as written, and says of the games what the code says."""

import pathlib
import re

import pytest
import sobremesa
from clients import run as clients
from pettingzoo.utils.env_logger import EnvLogger

README = (pathlib.Path(__file__).parent.parent / "README.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PICTURE = re.search(r"^```\n(.*?)\n```$", README, re.MULTILINE | re.DOTALL)
MAX_LINES = 10  # of use for each surface, imports and empty lines aside


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_runs_as_written_and_without_an_illegal_action(block, tmp_path, monkeypatch):
    def forfeit(tables, where):
        raise AssertionError("an illegal action")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sobremesa.Tables, "forfeit", forfeit)
    EnvLogger.flush()
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert EnvLogger.mqueue == []  # where PettingZoo tells of an illegal move


def test_the_picture_is_of_a_real_table():
    tables = sobremesa.Tables("freep", seed=6)
    tables.play_random(30)
    assert PICTURE
    assert PICTURE.group(1) == tables.to_text()


def test_every_surface_has_a_block_of_about_ten_lines():
    for surface in ("sobremesa.Tables(", "freep_v0.env(", "gymnasium.make(", "gymnasium.make_vec(", "SeatVecEnv("):
        blocks = [block for block in BLOCKS if surface in block]
        assert blocks, surface
        lines = [line for line in blocks[0].splitlines() if line and not line.startswith(("import ", "from "))]
        assert len(lines) <= MAX_LINES, surface


@pytest.mark.parametrize("game", sobremesa.games().values(), ids=lambda game: game.name)
def test_the_games_table_has_each_game_with_its_players_and_its_page(game):
    fewest, most, _ = game.players
    players = f"{fewest}" if fewest == most else f"{fewest}–{most}"
    (row,) = [line for line in README.splitlines() if line.startswith(f"| {game.title} |")]
    assert row.split("|")[2].strip() == players
    assert f"(envs/sobremesa/games/{game.name}.py)" in row


def test_every_make_target_it_names_is_there():
    makefile = (pathlib.Path(__file__).parent.parent / "Makefile").read_text()
    for target in set(re.findall(r"`make (\w+)`", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_clients_are_those_that_were_driven_with_these_versions():
    results = (pathlib.Path(__file__).parent / "clients/RESULTS.md").read_text()
    driven = set(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|", results, re.MULTILINE))
    section = README.partition("## Clients")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([\w-]+)[^|]* \| ([\d., ]+) \|", section, re.MULTILINE)
    assert driven == {(client.lower(), version) for client, versions in rows for version in versions.split(", ")}
    assert re.search(r"\d{4}-\d\d-\d\d", section).group() == max(re.findall(r"\d{4}-\d\d-\d\d", results))


def test_every_client_was_driven_on_every_game_with_its_pins_and_nothing_failed():
    assert sorted(sobremesa.games()) == clients.GAMES
    results = clients.read_results()
    pairs = [(client, versions) for client, sets in clients.CLIENTS.items() for versions in sets]
    assert {row.key for row in results} == {(*pair, game) for pair in pairs for game in clients.GAMES}
    assert {row.result for row in results} == {"ok", "can't"}
    for row in results:
        assert row.version == clients.read_pins(row.versions)[row.client], row.key
