"""One learner at each table, against the random player and a pool of its own earlier selves.

The learner's seat and the player of every other seat are drawn anew for each game: a pool of snapshots, as in
"fictitious self-play" (J. Heinrich, M. Lanctot and D. Silver, ICML 2015).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sobremesa import Tables
from sobremesa.seats import Seats
from stable_baselines3.common.callbacks import ConvertCallback

from .evaluation import win_shares
from .players import PolicyPlayer, RandomPlayer
from .policy import copy_of
from .vec_env import SeatVecEnv

if TYPE_CHECKING:
    from .self_play import Args

RANDOM = -1  # the player of a seat that no snapshot plays


class PoolSeats(Seats):
    """The learner's seats; each other seat is drawn, for every game, a snapshot of the pool or the random player.

    `tally` counts the learner's finished games, by whether every other seat was random: [games won, games].
    """

    def __init__(self, tables: Tables, seed: int, random_share: float, pool_size: int):
        self.random_player = RandomPlayer(seed + 1)
        super().__init__(tables, opponent=self.random_player)
        self.random_share, self.pool_size = random_share, pool_size
        self.rng = np.random.default_rng(seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.pool: list[PolicyPlayer] = []
        self.players = np.full((tables.num_tables, tables.num_players), RANDOM)
        self.tally = {"random": [0.0, 0], "pool": [0.0, 0]}

    def add(self, policy: Any) -> None:
        """Takes a snapshot of `policy` into the pool."""
        snapshot = PolicyPlayer(copy_of(policy), self.generator)
        if len(self.pool) < self.pool_size:
            self.pool.append(snapshot)
        else:
            self.pool[int(self.rng.integers(self.pool_size))] = snapshot

    def reset(self, seed: Any = None, options: Any = None, where: np.ndarray | None = None) -> None:
        if where is not None:
            self._count_games(where)
        super().reset(seed, options, where)

    def draw(self, where: np.ndarray) -> None:
        super().draw(where)
        shape = (int(where.sum()), self.tables.num_players)
        drawn = self.rng.integers(max(len(self.pool), 1), size=shape)
        is_random = (self.rng.random(shape) < self.random_share) | (not self.pool)
        self.players[where] = np.where(is_random, RANDOM, drawn)

    def choose(self, tables: np.ndarray) -> np.ndarray:
        source = self.tables
        observations, masks = source.observation[tables], source.legal_action_mask[tables]
        seats = source.current_player[tables].astype(np.int64)
        players, actions = self.players[tables, seats], np.zeros(len(tables), np.int64)
        for number in np.unique(players):
            where = players == number
            player = self.random_player if number == RANDOM else self.pool[number]
            actions[where] = player(observations[where], masks[where], seats[where])
        return actions

    def _count_games(self, where: np.ndarray) -> None:
        tables = np.flatnonzero(where & self.is_over)
        seats = self.seats[tables]
        shares = win_shares(self.tables.winners[tables], seats)
        others = self.players[tables] == RANDOM
        others[np.arange(len(tables)), seats] = True
        for name, counted in (("random", others.all(axis=1)), ("pool", ~others.all(axis=1))):
            self.tally[name][0] += float(shares[counted].sum())
            self.tally[name][1] += int(counted.sum())

    def kept(self) -> dict[str, Any]:
        """All that it takes to go on with these seats, copied."""
        live = {
            "tables": self.tables,
            "arrays": {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)},
            "tally": self.tally,
            "draws": (self.rng, self.random_player),
        }
        snapshots = [player.policy.state_dict() for player in self.pool]  # these never change
        return {**copy.deepcopy(live), "generator": self.generator.get_state(), "pool": snapshots}

    def restore(self, kept: dict[str, Any], policy: Any) -> None:
        """Goes on, in place, from what `kept` gave; `policy` is one of the snapshots' kind."""
        kept = {**kept, **copy.deepcopy({name: kept[name] for name in ("arrays", "tally", "draws")})}
        self.tables.__setstate__(kept["tables"].__getstate__())
        for name, array in kept["arrays"].items():
            setattr(self, name, array)
        self.tally = kept["tally"]
        self.rng, self.random_player = kept["draws"]
        self.generator.set_state(kept["generator"])
        self.pool = []
        for weights in kept["pool"]:
            self.add(policy)
            self.pool[-1].policy.load_state_dict(weights)


class OneSeat:
    """Collects the decisions of one seat at each table, by MaskablePPO's own way, into its own rollout buffer."""

    BATCH_SIZE, NUM_EPOCHS = 4096, 3

    def __init__(self, game: str, args: Args, seed: int, parameters: dict[str, Any]):
        tables = Tables(game, args.num_envs, seed, autoreset=False, scaled=True, **parameters)
        self.args, self.seed = args, seed
        self.seats = PoolSeats(tables, args.seed, args.random_share, args.pool_size)
        self.env = SeatVecEnv(game, learner=self.seats)

    def begin(self, model: MaskablePPO) -> None:
        self.env.seed(self.seed)
        model._setup_learn(self.args.num_decisions, None)  # the first deal
        self.seats.add(model.policy)

    def collect(self, model: MaskablePPO, tell_step: Callable[[], Any]) -> None:
        callback = ConvertCallback(lambda *_: (tell_step(), True)[1])
        callback.init_callback(model)
        model.collect_rollouts(self.env, callback, model.rollout_buffer, self.args.num_steps)

    def note_update(self, model: MaskablePPO, num_updates: int) -> dict[str, list]:
        """Takes a snapshot after every few updates; returns the tally of the games since the last one."""
        if num_updates % self.args.snapshot_every == 0:
            self.seats.add(model.policy)
        tally, self.seats.tally = self.seats.tally, {"random": [0.0, 0], "pool": [0.0, 0]}
        return tally

    def kept(self) -> dict[str, Any]:
        """All that it takes to go on from here but the model, copied."""
        return {"env": (self.env._lengths.copy(), self.env._returns.copy()), "seats": self.seats.kept()}

    def restore(self, kept: dict[str, Any], model: MaskablePPO) -> None:
        """Goes on, in place, from what `kept` gave."""
        self.env._lengths, self.env._returns = (array.copy() for array in kept["env"])
        self.seats.restore(kept["seats"], model.policy)
