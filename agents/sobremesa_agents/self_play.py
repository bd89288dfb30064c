"""Self-play with MaskablePPO: `sobremesa train <game>`.

The learner's seat is drawn anew each game; every other seat is played by the random player or by one of the learner's
own earlier selves, drawn anew too (a pool of snapshots as in "fictitious self-play": J. Heinrich, M. Lanctot and
D. Silver, ICML 2015). The learning is sb3-contrib's MaskablePPO: J. Schulman et al., "Proximal policy optimization
algorithms", 2017, with the masks of S. Huang and S. Ontañón, "A closer look at invalid action masking", 2020.
"""

from __future__ import annotations

import json
import os
import pathlib
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from sobremesa import Tables
from sobremesa.game import read_integer
from sobremesa.seats import Seats
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure

from .evaluation import evaluate_policy
from .players import PolicyPlayer, RandomPlayer
from .vec_env import SeatVecEnv

CHECKPOINT, MODEL, RESULTS, CURVE = "checkpoint.pt", "model.zip", "results.json", "curve.png"
MODEL_STATE = ("num_timesteps", "_n_updates", "_last_obs", "_last_episode_starts", "_current_progress_remaining",
               "ep_info_buffer", "_episode_num")  # fmt: skip
SEAT_ARRAYS = ("seats", "rewards", "returns", "_unpaid", "_has_begun", "players")
FREE_TO_CHANGE = ("resume", "folder", "run", "num_games", "checkpoint_every")
COUNTS = ("num_decisions", "num_envs", "num_steps", "batch_size", "num_epochs", "pool_size", "snapshot_every",
          "checkpoint_every", "num_threads", "num_games")  # fmt: skip
RECENT = 10  # updates over which the share of games won is taken
RANDOM = -1  # the player of a seat that no snapshot plays


@dataclass
class Args:
    num_decisions: int = 1_200_000
    """The learner's decisions in all; a run is reproducible from its arguments."""
    seed: int = 1
    """Of the network, the games and the draws."""
    run: str = "default"
    """The name of the run: its files go to <folder>/<game>/<run>."""
    folder: str = "runs"
    """Where the runs are kept."""
    resume: bool = False
    """Go on from the run's last checkpoint, as if it had never stopped. Other arguments must be the same."""
    num_players: int | None = None
    """Players at a table; None: the game's default."""
    reward: str = "score"
    """What is learned from: "score" comes more often than "outcome"; the evaluation counts games won all the same."""
    num_envs: int = 1024
    """Tables that are played side by side."""
    num_steps: int = 32
    """Decisions at each table between two updates."""
    batch_size: int = 4096
    """Decisions in one gradient step."""
    num_epochs: int = 4
    """How often an update goes over its decisions."""
    learning_rate: float = 1e-3
    """At the beginning; it falls to a tenth, linearly."""
    gamma: float = 0.995
    """Discount for each decision of the learner."""
    gae_lambda: float = 0.95
    """Of generalised advantage estimation."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    hidden: tuple[int, ...] = (128, 128)
    """Widths of the hidden layers."""
    random_share: float = 0.3
    """How often another seat is played by the random player instead of a snapshot."""
    pool_size: int = 8
    """Snapshots that are kept; one that is drawn at random makes room for a new one."""
    snapshot_every: int = 4
    """Updates between two snapshots."""
    checkpoint_every: int = 5
    """Updates between two checkpoints: what a killed run loses at most."""
    num_threads: int = 1
    """Threads that torch learns on (it collects on one). More pay on a machine that is otherwise idle."""
    num_games: int = 2000
    """Games of each evaluation at the end."""


def train(game: str, args: Args) -> dict[str, Any]:
    """Trains, evaluates, and leaves the model, its curve, its log and its results in the run's folder."""
    for name in COUNTS:
        read_integer(name, getattr(args, name), 1)
    folder = pathlib.Path(args.folder) / game / args.run
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(game, args, folder)
    if args.resume:
        run.load()
    console = Console()
    try:
        run.learn(console)
    except KeyboardInterrupt:
        console.print("interrupted: the model is kept; --resume goes on from here")
    else:
        run.save()
    run.model.save(folder / MODEL)
    draw_curve(run.curve, folder / CURVE, game)
    results = evaluate_policy(
        game, run.model.policy, ["random", "baseline"], args.num_games, args.seed, console, num_players=run.num_players
    )
    report = {"game": game, "args": asdict(args), "num_decisions": run.model.num_timesteps, "results": results}
    (folder / RESULTS).write_text(json.dumps(report, indent=1) + "\n")
    console.print(f"kept in {folder}: {MODEL}, {CURVE}, {RESULTS}, {CHECKPOINT} and the TensorBoard log")
    return report


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
        winners, seats = self.tables.winners[tables], self.seats[tables]
        rows = np.arange(len(tables))
        shares = winners[rows, seats] / np.maximum(winners.sum(axis=1), 1)
        others = self.players[tables] == RANDOM
        others[rows, seats] = True
        for name, counted in (("random", others.all(axis=1)), ("pool", ~others.all(axis=1))):
            self.tally[name][0] += float(shares[counted].sum())
            self.tally[name][1] += int(counted.sum())

    def kept(self) -> dict[str, Any]:
        """All that a checkpoint needs to go on with these seats."""
        return {
            "tables": self.tables,
            "arrays": {name: getattr(self, name) for name in SEAT_ARRAYS},
            "tally": self.tally,
            "draws": (self.rng, self.random_player, self.generator.get_state()),
            "pool": [snapshot.policy.state_dict() for snapshot in self.pool],
        }

    def restore(self, kept: dict[str, Any], policy: Any) -> None:
        """Goes on, in place, from what `kept` gave; `policy` is one of the snapshots' kind."""
        self.tables.__setstate__(kept["tables"].__getstate__())
        for name, array in kept["arrays"].items():
            setattr(self, name, array)
        self.tally = kept["tally"]
        self.rng, self.random_player, state = kept["draws"]
        self.generator.set_state(state)
        for weights in kept["pool"]:
            self.add(policy)
            self.pool[-1].policy.load_state_dict(weights)


class Run:
    """A training run: the model, its tables and the way it has come. `learn` goes on until the budget is spent."""

    def __init__(self, game: str, args: Args, folder: pathlib.Path):
        self.args, self.folder = args, folder
        chosen = {} if args.num_players is None else {"num_players": args.num_players}
        tables = Tables(game, args.num_envs, seed=args.seed, autoreset=False, scaled=True, reward=args.reward, **chosen)
        self.num_players = tables.num_players
        self.seats = PoolSeats(tables, args.seed, args.random_share, args.pool_size)
        self.env = SeatVecEnv(game, args.num_envs, learner=self.seats)
        self.model = make_model(self.env, args)
        self.curve: list[dict[str, Any]] = []
        self.num_updates, self.seconds = 0, 0.0

    def learn(self, console: Console) -> None:
        if not self.seats.pool:
            self.begin()
        self.model.set_logger(configure(str(self.folder / "log"), ["tensorboard"]))
        with progress_bar(console) as progress:
            total = self.args.num_decisions
            task = progress.add_task("learning", total=total, completed=self.model.num_timesteps, rate="", share="")
            while self.model.num_timesteps < total:
                self.update()
                if self.num_updates % self.args.checkpoint_every == 0:
                    self.save()
                rate = f"{self.model.num_timesteps / self.seconds:,.0f}/s"
                progress.update(task, completed=self.model.num_timesteps, rate=rate, share=self.recent_share())

    def begin(self) -> None:
        """The first deal; a checkpoint is there from the start."""
        self.model._setup_learn(self.args.num_decisions, None)
        self.seats.add(self.model.policy)
        self.save()

    def update(self) -> None:
        """Collects `num_steps` decisions at each table, learns from them, and notes how the games went."""
        model, args, began = self.model, self.args, time.perf_counter()
        torch.set_num_threads(1)  # for batches this small, more threads mostly wait for each other
        model.collect_rollouts(self.env, self._no_callback(), model.rollout_buffer, args.num_steps)
        model._update_current_progress_remaining(model.num_timesteps, args.num_decisions)
        torch.set_num_threads(args.num_threads)
        model.train()
        torch.set_num_threads(1)
        self.num_updates += 1
        if self.num_updates % args.snapshot_every == 0:
            self.seats.add(model.policy)
        self.seconds += time.perf_counter() - began
        self._note()

    def _no_callback(self) -> CallbackList:
        callback = CallbackList([])
        callback.init_callback(self.model)
        return callback

    def _note(self) -> None:
        tally, self.seats.tally = self.seats.tally, {"random": [0.0, 0], "pool": [0.0, 0]}
        self.curve.append({"num_decisions": self.model.num_timesteps, "seconds": self.seconds, **tally})
        log = self.model.logger
        for name, (wins, games) in tally.items():
            if games:
                log.record(f"self_play/win_share_against_{name}", wins / games)
        if self.model.ep_info_buffer:
            log.record("rollout/ep_rew_mean", float(np.mean([end["r"] for end in self.model.ep_info_buffer])))
            log.record("rollout/ep_len_mean", float(np.mean([end["l"] for end in self.model.ep_info_buffer])))
        log.record("time/decisions_per_second", self.model.num_timesteps / self.seconds)
        log.dump(self.model.num_timesteps)

    def recent_share(self) -> str:
        """The share of games won lately, against random and against the pool, in words."""
        words = []
        for name in ("random", "pool"):
            wins, games = np.sum([entry[name] for entry in self.curve[-RECENT:]], axis=0)
            if games:
                words.append(f"{wins / games:.0%} against {name}")
        return "wins " + ", ".join(words) if words else ""

    def save(self) -> None:
        """Writes the checkpoint, whole or not at all."""
        model = self.model
        kept = {
            "args": asdict(self.args),
            "progress": (self.num_updates, self.seconds, self.curve),
            "model": {name: getattr(model, name) for name in MODEL_STATE},
            "policy": model.policy.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "seats": self.seats.kept(),
            "env": (self.env._lengths, self.env._returns),
            "draws": (np.random.get_state(), torch.get_rng_state()),  # SB3 draws from the global generators
        }
        new = self.folder / f"{CHECKPOINT}.new"
        torch.save(kept, new)
        os.replace(new, self.folder / CHECKPOINT)

    def load(self) -> None:
        """Goes on from the checkpoint. Raises FileNotFoundError without one, ValueError if it is of other arguments."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            raise FileNotFoundError(f"there is no checkpoint to resume from: {path}")
        kept = torch.load(path, weights_only=False)
        for name, value in asdict(self.args).items():
            if name not in FREE_TO_CHANGE and kept["args"][name] != value:
                raise ValueError(f"{path} was trained with {name}={kept['args'][name]!r}, not {value!r}")
        self.num_updates, self.seconds, self.curve = kept["progress"]
        self.model._setup_learn(self.args.num_decisions, None)
        for name, value in kept["model"].items():
            setattr(self.model, name, value)
        self.model.policy.load_state_dict(kept["policy"])
        self.model.policy.optimizer.load_state_dict(kept["optimizer"])
        self.seats.restore(kept["seats"], self.model.policy)
        self.env._lengths, self.env._returns = kept["env"]
        np.random.set_state(kept["draws"][0])
        torch.set_rng_state(kept["draws"][1])


def make_model(env: SeatVecEnv, args: Args) -> MaskablePPO:
    torch.distributions.Distribution.set_default_validate_args(False)  # checks each batch of masked logits anew
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda remaining: args.learning_rate * (0.1 + 0.9 * max(remaining, 0.0)),
        n_steps=args.num_steps,
        batch_size=args.batch_size,
        n_epochs=args.num_epochs,
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        ent_coef=args.entropy,
        policy_kwargs={"net_arch": list(args.hidden), "activation_fn": torch.nn.ReLU},
        seed=args.seed,
        device="cpu",
    )


def copy_of(policy: Any) -> Any:
    """A policy with the same weights, for playing; a deep copy would take the optimizer and its gradients along."""
    twin = type(policy)(**policy._get_constructor_parameters())
    twin.load_state_dict(policy.state_dict())
    return twin.eval().requires_grad_(False)


def progress_bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[share]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def draw_curve(curve: list[dict[str, Any]], path: pathlib.Path, game: str) -> None:
    """The share of the learner's training games that it won, over its decisions, as a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot(
        xlabel="the learner's decisions", ylabel="games won", ylim=(0, 1), title=f"{game}: training"
    )
    for name in ("random", "pool"):
        points = [
            (entry["num_decisions"], *np.sum([e[name] for e in curve[max(0, i - RECENT + 1) : i + 1]], axis=0))
            for i, entry in enumerate(curve)
        ]
        shares = [(x, wins / games) for x, wins, games in points if games]
        axes.plot([x for x, _ in shares], [share for _, share in shares], label=f"against {name}")
    axes.legend()
    axes.grid(alpha=0.3)
    FigureCanvasAgg(figure).print_png(str(path))
