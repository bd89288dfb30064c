"""The registry of the games: name to `Game`, in the order of the pages."""

from __future__ import annotations

from ..game import Game
from . import freep

GAMES: dict[str, Game] = {game.name: game for game in (freep.GAME,)}
