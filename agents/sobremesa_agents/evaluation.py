"""Who beats whom: games over rotated seats, with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import sobremesa
from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table
from sb3_contrib import MaskablePPO
from sobremesa.game import read_integer

from .players import BASELINES, Player, PolicyPlayer, RandomPlayer
from .policy import torch_threads

MAX_TABLES = 1000
SEED_SPACING = 2**24  # between the tables of one seed and those of the next
MAX_SEED = 2**23 - 1
SEED_OFFSET = SEED_SPACING * 2**23  # keeps the tables of evaluations apart from those of training
Z_95 = 1.959963984540054  # the two-sided 95 % quantile of the normal distribution


@dataclass
class Args:
    model: str
    """The trained model, a .zip file."""
    opponent: str = "random"
    """Who plays the other seats: "random", "baseline" where the game has one, or another model's .zip file."""
    num_games: int = 2000
    """Games, rounded up to whole rotations of the seats."""
    seed: int = 1
    """Of the games and the draws; the games are never those that a training run of any small seed has seen."""
    num_players: int | None = None
    """Players at a table; None: the game's default."""


@dataclass
class Result:
    """Games of one player against others. A shared win counts 1 / winners.

    low, high: Wilson's 95 % interval of the win share. fair_share: 1 / players.
    """

    opponent: str
    num_games: int
    wins: float
    win_share: float
    low: float
    high: float
    fair_share: float
    mean_return: float


def main(game: str, args: Args) -> list[dict[str, Any]]:
    """Evaluates a model from a file and prints the table; returns its rows."""
    read_integer("num_games", args.num_games, 1)
    chosen = {} if args.num_players is None else {"num_players": args.num_players}
    if args.opponent == "baseline" and game not in BASELINES:
        raise ValueError(f"{game} has no baseline; the games that have one: {', '.join(BASELINES)}")
    policy = load_policy(args.model, game, chosen)
    return evaluate_policy(game, policy, [args.opponent], args.num_games, args.seed, Console(), **chosen)


def load_policy(path: str, game: str, parameters: dict[str, Any]) -> Any:
    """The policy of a trained model. Raises ValueError if it was trained for other observations or actions."""
    policy: Any = MaskablePPO.load(path, device="cpu", n_envs=1, n_steps=1).policy  # no room for experience
    tables = sobremesa.Tables(game, 1, seed=0, **parameters)
    wanted = tables.observation_size, tables.num_actions
    trained = policy.observation_space.shape[0], policy.action_space.n
    if trained != wanted:
        raise ValueError(
            f"{path} was trained for {trained[0]} observation entries and {trained[1]} actions; "
            f"{game} with these parameters has {wanted[0]} and {wanted[1]}"
        )
    return policy


def wilson_interval(wins: float, num_games: int) -> tuple[float, float]:
    """The 95 % score interval of a proportion: E. B. Wilson, "Probable inference …", JASA 22 (1927)."""
    share, z2 = wins / num_games, Z_95**2
    centre = (share + z2 / (2 * num_games)) / (1 + z2 / num_games)
    half = Z_95 * math.sqrt(share * (1 - share) / num_games + z2 / (4 * num_games**2)) / (1 + z2 / num_games)
    return max(0.0, centre - half), min(1.0, centre + half)


def evaluate(
    game: str,
    player: Callable[[sobremesa.Tables], Player],
    opponent: Callable[[sobremesa.Tables], Player],
    opponent_name: str,
    num_games: int,
    seed: int,
    tell_ended: Callable[[int], Any] = lambda num_games: None,
    **parameters: Any,
) -> Result:
    """Plays `num_games` games (rounded up to whole rotations of the seats), table i with the seed `seed + i`.

    `player` and `opponent` are made for the tables they play at. The player sits at seat i mod n of table i.
    `tell_ended` is called with the number of games that have just ended.
    """
    num_players = sobremesa.Tables(game, 1, seed=0, **parameters).num_players
    num_games = -(-num_games // num_players) * num_players
    wins, returns = 0.0, 0.0
    for start in range(0, num_games, MAX_TABLES - MAX_TABLES % num_players):
        size = min(MAX_TABLES - MAX_TABLES % num_players, num_games - start)
        tables = sobremesa.Tables(game, size, seed=seed + start, autoreset=False, scaled=True, **parameters)
        seats = np.arange(size) % num_players
        total = play_out(tables, seats, player(tables), opponent(tables), tell_ended)
        wins += float(win_shares(tables.winners, seats).sum())
        returns += float(total[np.arange(size), seats].sum())
    low, high = wilson_interval(wins, num_games)
    return Result(opponent_name, num_games, wins, wins / num_games, low, high, 1 / num_players, returns / num_games)


def win_shares(winners: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """What `seats` `[N]` have won of N games, float64: a win that `winners` (bool `[N, n]`) share is 1 / winners."""
    return winners[np.arange(len(seats)), seats] / np.maximum(winners.sum(axis=1), 1)


def play_out(
    tables: sobremesa.Tables, seats: np.ndarray, player: Player, opponent: Player, tell_ended: Callable[[int], Any]
) -> np.ndarray:
    """Plays every table to its end, in place: `player` at `seats` `[N]`, `opponent` elsewhere; returns reward sums."""
    total = np.zeros((tables.num_tables, tables.num_players))
    going = tables.current_player >= 0
    while going.any():
        mine = going & (tables.current_player == seats)
        actions = np.zeros(tables.num_tables, np.int64)
        observations, masks, to_act = tables.observation, tables.legal_action_mask, tables.current_player
        for who, where in ((player, mine), (opponent, going & ~mine)):
            if where.any():
                actions[where] = who(observations[where], masks[where], to_act[where].astype(np.int64))
        tables.step(actions, going)
        total[going] += tables.rewards[going]
        still = tables.current_player >= 0
        tell_ended(int(going.sum() - still.sum()))
        going = still
    return total


def evaluate_policy(
    game: str, policy: Any, opponents: Sequence[str], num_games: int, seed: int, console: Console, **parameters: Any
) -> list[dict[str, Any]]:
    """The policy against each of `opponents`, as a printed table; returns its rows.

    A "baseline" is left out where the game has none.
    """
    first = SEED_OFFSET + read_integer("seed", seed, 0, MAX_SEED) * SEED_SPACING
    player = PolicyPlayer(policy, seed)

    with torch_threads(1), Progress(console=console, transient=True) as progress:
        results = []
        for name in opponents:
            if name == "baseline" and game not in BASELINES:
                continue
            opponent = find_opponent(name, game, seed + 1, parameters)
            task = progress.add_task(f"against {name}", total=num_games)
            tell = partial(progress.advance, task)
            results.append(evaluate(game, lambda _: player, opponent, name, num_games, first, tell, **parameters))
    print_results(game, results, console)
    return [asdict(result) for result in results]


def find_opponent(name: str, game: str, seed: int, parameters: dict[str, Any]) -> Callable[[sobremesa.Tables], Player]:
    """A maker of the player that `name` says: "random", "baseline", or the path of a model."""
    if name == "random":
        random_player = RandomPlayer(seed)
        return lambda _: random_player
    if name == "baseline":
        return BASELINES[game]
    player = PolicyPlayer(load_policy(name, game, parameters), seed)
    return lambda _: player


def print_results(game: str, results: list[Result], console: Console) -> None:
    columns = Column("against", overflow="fold"), "games", "won", "95 % interval", "fair share", "won / fair"
    table = Table(*columns, title=f"{game}: games won")
    for r in results:
        interval = f"{r.low:.1%} – {r.high:.1%}"
        ratio = f"{r.win_share / r.fair_share:.2f} (≥ {r.low / r.fair_share:.2f})"
        table.add_row(r.opponent, f"{r.num_games:,}", f"{r.win_share:.1%}", interval, f"{r.fair_share:.1%}", ratio)
    console.print(table)
