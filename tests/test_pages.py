"""A game's page has its fixed form, and its tables are those that the code makes."""

import re

import pytest
import sobremesa
from sobremesa import pages

HEADINGS = ["Description", "Rulings", "Actions", "Observation", "Rewards", "End", "Parameters", "Options",
            "Version history", "References"]  # fmt: skip
GAMES = pytest.mark.parametrize("game", sobremesa.games().values(), ids=lambda game: game.name)


@GAMES
def test_the_headings_are_the_fixed_ones(game):
    assert re.findall(r"^## (.+)$", game.page, re.MULTILINE) == HEADINGS


@GAMES
def test_the_tables_are_those_of_the_code(game):
    assert game.page == pages.page_with_tables(game), "run `make pages`"


@GAMES
def test_every_action_field_parameter_and_option_is_on_the_page(game):
    parameters = game.read_parameters({})
    for feature in game.features(parameters):
        assert f"| `{feature.name}` |" in game.page
        assert feature.note, feature.name
    for name in game.parameters:
        assert f"| `{name}` |" in game.page
    for name in game.options:
        assert f"`{name}`" in game.page.split("## Options")[1].split("## Version")[0]
    first_ids = re.findall(r"^\| (\d+)(?:–(\d+))? \|", game.page, re.MULTILINE)
    covered = [i for low, high in first_ids for i in range(int(low), int(high or low) + 1)]
    assert covered == list(range(len(game.action_names(parameters))))
