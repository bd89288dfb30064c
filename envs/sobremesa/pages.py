"""The tables of a game's page, made from the code: `python -m sobremesa.pages` writes them into the rooms."""

from __future__ import annotations

import inspect
import pathlib
import re
import sys
from typing import Any

from .game import Game
from .games import GAMES


def page_with_tables(game: Game) -> str:
    """The game's page with its tables as the code has them now."""
    page = game.page
    for heading, table in (
        ("Actions", action_table(game)),
        ("Observation", observation_table(game)),
        ("Parameters", parameter_table(game)),
    ):
        before, after = page.split(f"## {heading}\n\n")
        prose = after.split("\n\n", 1)[1] if after.startswith("|") else after
        page = f"{before}## {heading}\n\n{table}\n\n{prose}"
    return page


def action_table(game: Game) -> str:
    """Ids and texts, with the default parameters; texts that differ in what follows their first word share a row."""
    names = game.action_names(game.read_parameters({}))
    rows, start = [], 0
    for end in range(1, len(names) + 1):
        if end == len(names) or _first_word(names[end]) != _first_word(names[start]):
            one = end - start == 1
            ids, text = (
                (f"{start}", names[start]) if one else (f"{start}–{end - 1}", f"{names[start]} … {names[end - 1]}")
            )
            rows.append((ids, text))
            start = end
    return _table(("id", "action"), rows)


def observation_table(game: Game) -> str:
    """Fields in order, with the maxima of the default parameters; n is the number of players."""
    low, high, _ = game.players
    fewest, most, default = ({"num_players": low}, {"num_players": high}, {})
    features = [game.features(game.read_parameters(given)) for given in (default, fewest, most)]
    rows = []
    for feature, small, large in zip(*features):
        sizes = zip(feature.shape, small.shape, large.shape)
        shape = " × ".join(_size(size, a / low, b / high, a != b) for size, a, b in sizes)
        recall = "recall" if feature.recall else ""
        rows.append((f"`{feature.name}`", shape, str(feature.maximum), recall, feature.note))
    return _table(("field", "shape", "maximum", "", "content"), rows)


def parameter_table(game: Game) -> str:
    """Parameters, their defaults and what they may be."""
    rows = [
        (f"`{name}`", f"`{_default(parameter.default)}`", parameter.allowed, parameter.note)
        for name, parameter in game.parameters.items()
    ]
    return _table(("parameter", "default", "allowed", "meaning"), rows)


def _default(value: Any) -> str:
    """A default as Python writes it, but runs of integers by their ends, which keeps rows short."""
    if isinstance(value, tuple) and isinstance(value[0], tuple):
        return f"({', '.join(map(_default, value))})"
    if isinstance(value, tuple) and len(value) > 3 and value == tuple(range(value[0], value[0] + len(value))):
        return f"({value[0]}…{value[-1]})"
    return repr(value)


def _first_word(text: str) -> str:
    return re.split(r"[ ]|_?\d", text)[0]


def _size(size: int, each_of_few: float, each_of_many: float, depends: bool) -> str:
    if not depends or each_of_few != each_of_many:
        return str(size)
    return "n" if each_of_few == 1 else f"{each_of_few:g}·n"


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)


def write(game: Game) -> None:
    """Writes the page with its tables into the docstring of the game's room."""
    room = pathlib.Path(inspect.getfile(sys.modules[game.kernels["apply"].__module__]))
    room.write_text(room.read_text().replace(game.page, page_with_tables(game), 1))


if __name__ == "__main__":
    for each in GAMES.values():
        write(each)
