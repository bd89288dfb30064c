"""Card games with hidden hands as reinforcement-learning environments.

`Tables` steps many tables of one game together. The same games for PettingZoo: `sobremesa.<game>_v0.env()`; for
Gymnasium: `gymnasium.make("sobremesa/<Game>-v0")` and `gymnasium.make_vec`, after `import sobremesa`.
"""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

import gymnasium as _gymnasium
import pettingzoo as _pettingzoo

from . import figaro_v0, freep_v0, friegas_tu_v0, pinata_v0
from .game import Game, ParameterError
from .games import GAMES as _GAMES
from .tables import IllegalActionError, Tables, sample_legal

if _TYPE_CHECKING:
    from . import check

__version__ = "0.1.0"
__all__ = [
    "Game",
    "IllegalActionError",
    "ParameterError",
    "Tables",
    "__version__",
    "check",
    "figaro_v0",
    "freep_v0",
    "friegas_tu_v0",
    "games",
    "pinata_v0",
    "sample_legal",
]


def __getattr__(name: str) -> _Any:
    """The checks, `sobremesa.check`, are imported when they are first asked for."""
    if name == "check":
        return _importlib.import_module(f"{__name__}.check")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def games() -> dict[str, Game]:
    """The games by name, such as "freep"."""
    return dict(_GAMES)


def _register() -> None:
    for game in _GAMES.values():
        if game.env_id not in _gymnasium.registry:
            _gymnasium.register(
                game.env_id,
                entry_point="sobremesa.single:SeatEnv",
                vector_entry_point="sobremesa.vector:SeatVectorEnv",
                kwargs={"game": game.name},
            )
        if hasattr(_pettingzoo, "register") and game.env_id not in _pettingzoo.aec_registry:
            _pettingzoo.register("aec", game.env_id, entry_point=f"sobremesa.{game.name}_v{game.version}:env")


_register()
