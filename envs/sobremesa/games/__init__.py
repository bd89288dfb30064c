"""The registry of the games: name to `Game`, in the order of the pages."""

from __future__ import annotations

from ..game import Game
from . import figaro, freep, friegas_tu, pinata

GAMES: dict[str, Game] = {game.name: game for game in (freep.GAME, friegas_tu.GAME, pinata.GAME, figaro.GAME)}
