"""Agents for the environments of `sobremesa`: a Stable-Baselines3 VecEnv, self-play training, evaluation, baselines.

Needs the extra: `pip install "sobremesa[agents]"`.
"""

from __future__ import annotations

try:
    import sb3_contrib as _sb3_contrib  # noqa: F401  # brings torch and stable_baselines3
except ImportError as error:
    raise ImportError('sobremesa_agents needs the extra "agents": pip install "sobremesa[agents]"') from error

from .vec_env import SeatVecEnv

__all__ = ["SeatVecEnv"]
