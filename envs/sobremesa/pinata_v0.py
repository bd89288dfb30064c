"""Piñata for PettingZoo: `env()` in the usual wrappers, `raw_env()` without."""

from .aec import constructors

env, raw_env = constructors("pinata")
