"""Self-play with MaskablePPO: `sobremesa train <game>`.

One seat at each table learns, against a pool of its earlier selves, or every seat does, against itself. The learning is
sb3-contrib's: J. Schulman et al., "Proximal policy optimization algorithms", 2017, with the masks of S. Huang and
S. Ontañón, "A closer look at invalid action masking", 2020.
"""

from __future__ import annotations

import copy
import json
import os
import pathlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sobremesa.game import read_integer
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv

from .evaluation import MAX_SEED, SEED_SPACING, evaluate_policy
from .every_seat import EverySeat
from .policy import LeanPolicy, torch_threads
from .pool import OneSeat

CHECKPOINT, MODEL, RESULTS, CURVE = "checkpoint.pt", "model.zip", "results.json", "curve.png"
MODEL_STATE = ("num_timesteps", "_n_updates", "_last_obs", "_last_episode_starts", "_current_progress_remaining",
               "ep_info_buffer", "_episode_num")  # fmt: skip
FREE_TO_CHANGE = ("resume", "folder", "run", "num_games", "checkpoint_every")
COUNTS = ("num_decisions", "num_envs", "num_steps", "batch_size", "num_epochs", "pool_size", "snapshot_every",
          "checkpoint_every", "num_threads", "num_games")  # fmt: skip
OPPONENTS = ("random", "baseline")  # of the evaluation at the end
RECENT = 10  # updates over which the share of games won is taken
LEARNERS = {"one": OneSeat, "all": EverySeat}


@dataclass
class Args:
    num_decisions: int = 1_200_000
    """The learner's decisions in all; a run is reproducible from its arguments."""
    seed: int = 1
    """Of the network, the games and the draws."""
    run: str | None = None
    """The name of the run: its files go to <folder>/<game>/<run>. None: the time of day; with --resume, the latest."""
    folder: str = "runs"
    """Where the runs are kept."""
    resume: bool = False
    """Go on from the run's last checkpoint, as if it had never stopped. Other arguments must be the same."""
    learners: Literal["one", "all"] = "one"
    """Seats that learn at a table: "one", against a pool of its earlier selves and random players, or "all", from more
    decisions per second, against themselves and random players."""
    num_players: int | None = None
    """Players at a table; None: the game's default."""
    reward: str = "score"
    """What is learned from: "score" comes more often than "outcome"; the evaluation counts games won all the same."""
    num_envs: int = 1024
    """Tables that are played side by side."""
    num_steps: int = 32
    """Decisions at each table between two updates."""
    batch_size: int | None = None
    """Decisions in one gradient step; None: 4096, and 1024 where all seats learn."""
    num_epochs: int | None = None
    """How often an update goes over its decisions; None: 3, and 1 where all seats learn."""
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
    """How often another seat is played by the random player instead of a snapshot, or of a learner."""
    pool_size: int = 8
    """Snapshots that are kept; one that is drawn at random makes room for a new one."""
    snapshot_every: int = 4
    """Updates between two snapshots."""
    checkpoint_every: int = 5
    """Updates between two checkpoints: what a killed run loses at most."""
    num_threads: int = 1
    """Threads that torch learns on (it collects on one). More pay on idle cores; on busy ones they cost a multiple."""
    num_games: int = 2000
    """Games of each evaluation at the end."""


def train(game: str, args: Args) -> dict[str, Any]:
    """Trains, evaluates, and leaves the model, its curve, its log and its results in the run's folder.

    An interrupt ends the training with the last whole update; a second one leaves the curve or the evaluation out.
    Raises ValueError for an argument out of range or a run that is there already, FileNotFoundError for none to resume.
    """
    if args.learners not in LEARNERS:
        raise ValueError(f"learners must be {' or '.join(map(repr, LEARNERS))}, not {args.learners!r}")
    for name in COUNTS:
        if getattr(args, name) is not None:
            read_integer(name, getattr(args, name), 1)
    console = Console()
    with console.status("preparing; the first time the game is compiled"):
        run = Run(game, args, find_folder(game, args))
        if args.resume:
            run.load()
    try:
        run.learn(console)
    except KeyboardInterrupt:
        run.rewind()
        console.print("interrupted: the same command with --resume goes on from here")
    run.save()
    run.write_model()
    return finish(run, console)


def finish(run: Run, console: Console) -> dict[str, Any]:
    """Draws the curve, evaluates, and writes and returns the report."""
    args, folder, report = run.args, run.folder, run.report()
    try:
        draw_curve(run.curve, folder / CURVE, run.game)
        report["results"] = evaluate_policy(
            run.game, run.model.policy, OPPONENTS, args.num_games, args.seed, console, num_players=run.num_players
        )
    except KeyboardInterrupt:
        console.print("interrupted: no evaluation")
    (folder / RESULTS).write_text(json.dumps(report, indent=1) + "\n")
    console.print(f"kept in {folder}: {', '.join(sorted(path.name for path in folder.iterdir()))}")
    return report


def find_folder(game: str, args: Args) -> pathlib.Path:
    """The run's folder: that of a new run, or with `resume` of the one to go on with."""
    runs = pathlib.Path(args.folder) / game
    if not args.resume:
        folder = runs / (args.run or datetime.now().strftime("%Y-%m-%d_%H-%M-%S"))
        if (folder / CHECKPOINT).exists():
            raise ValueError(f"{folder} has a run already: go on with it by --resume, or choose another name by --run")
        return folder
    folders = [runs / args.run] if args.run else runs.glob("*")
    found = [folder for folder in folders if (folder / CHECKPOINT).exists()]
    if not found:
        raise FileNotFoundError(f"there is no checkpoint to resume from: {runs / (args.run or '*') / CHECKPOINT}")
    return max(found, key=lambda folder: (folder / CHECKPOINT).stat().st_mtime)


class Run:
    """A training run: the model, its tables and the way it has come. `learn` goes on until the budget is spent.

    `kept` is all that it takes to go on from the last whole update: what a checkpoint holds.
    """

    def __init__(self, game: str, args: Args, folder: pathlib.Path):
        self.game, self.args, self.folder = game, args, folder
        first = read_integer("seed", args.seed, 0, MAX_SEED) * SEED_SPACING
        chosen = {} if args.num_players is None else {"num_players": args.num_players}
        self.collector = LEARNERS[args.learners](game, args, first, {"reward": args.reward, **chosen})
        self.num_players = self.collector.env.tables.num_players
        self.model = make_model(self.collector.env, args)
        self.collector.begin(self.model)
        self.curve: list[dict[str, Any]] = []
        self.num_updates, self.seconds = 0, 0.0
        self.kept = self.keep()

    def learn(self, console: Console) -> None:
        """Updates until the budget is spent, with a checkpoint at the start and after every few of them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.save()
        self.model.set_logger(configure(str(self.folder / "log"), ["tensorboard"]))
        with progress_bar(console) as progress:
            total = self.args.num_decisions
            task = progress.add_task("", total=total, completed=self.model.num_timesteps, told=self.recent_shares())
            while self.model.num_timesteps < total:
                self.update(lambda: progress.update(task, completed=self.model.num_timesteps))
                if self.num_updates % self.args.checkpoint_every == 0:
                    self.save()
                progress.update(task, told=self.recent_shares())

    def update(self, tell_step: Callable[[], Any] = lambda: None) -> None:
        """Collects `num_steps` decisions at each table, learns from them, and notes how the games went."""
        model, args, began = self.model, self.args, time.perf_counter()
        with torch_threads(1):
            self.collector.collect(model, tell_step)
        model._update_current_progress_remaining(model.num_timesteps, args.num_decisions)
        with torch_threads(args.num_threads):
            model.train()
        self.num_updates += 1
        tally = self.collector.note_update(model, self.num_updates)
        self.seconds += time.perf_counter() - began
        self._note(tally)
        self.kept = self.keep()

    def _note(self, tally: dict[str, list]) -> None:
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

    def recent_shares(self) -> str:
        """How fast it goes, and the share of games won lately against random and against the pool, in words."""
        words = [f"{self.model.num_timesteps / self.seconds:,.0f}/s"] if self.seconds else []
        for name in ("random", "pool"):
            wins, games = np.sum([(0, 0), *(entry[name] for entry in self.curve[-RECENT:])], axis=0)
            if games:
                words.append(f"beats {name} {wins / games:.0%}")
        return ", ".join(words)

    def keep(self) -> dict[str, Any]:
        """All that it takes to go on from here, copied."""
        model = self.model
        live = {
            "progress": (self.num_updates, self.seconds, self.curve),
            "model": {name: getattr(model, name) for name in MODEL_STATE},
            "policy": model.policy.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
        }
        draws = np.random.get_state(), torch.get_rng_state()  # SB3 draws from the global generators
        return {**copy.deepcopy(live), "draws": draws, "collector": self.collector.kept()}

    def rewind(self) -> None:
        """Goes back to the last whole update, in place."""
        kept = {**self.kept, **copy.deepcopy({name: self.kept[name] for name in ("progress", "model")})}
        self.num_updates, self.seconds, self.curve = kept["progress"]
        for name, value in kept["model"].items():
            setattr(self.model, name, value)
        self.model.policy.load_state_dict(kept["policy"])
        self.model.policy.optimizer.load_state_dict(copy.deepcopy(kept["optimizer"]))
        self.collector.restore(kept["collector"], self.model)
        np.random.set_state(kept["draws"][0])
        torch.set_rng_state(kept["draws"][1])

    def save(self) -> None:
        """Writes the checkpoint, whole or not at all."""
        new = self.folder / f"{CHECKPOINT}.new"
        torch.save({"args": asdict(self.args), **self.kept}, new)
        os.replace(new, self.folder / CHECKPOINT)

    def load(self) -> None:
        """Goes on from the checkpoint. Raises ValueError if it is of other arguments."""
        path = self.folder / CHECKPOINT
        kept = torch.load(path, weights_only=False)
        trained = kept.pop("args")
        for name, value in asdict(self.args).items():
            if name not in FREE_TO_CHANGE and trained.get(name) != value:
                raise ValueError(f"{path} was trained with {name}={trained.get(name)!r}, not {value!r}")
        self.kept = kept
        self.rewind()

    def write_model(self) -> None:
        """The model as a file that `MaskablePPO.load` reads, whole or not at all."""
        new = self.folder / f"{MODEL}.new"
        self.model.policy_class = MaskableActorCriticPolicy  # of the same weights: the file needs nothing of ours
        with new.open("wb") as file:
            self.model.save(file, exclude=["_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer"])
        os.replace(new, self.folder / MODEL)

    def report(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "args": asdict(self.args),
            "num_decisions": self.model.num_timesteps,
            "seconds": round(self.seconds, 1),
            "curve": self.curve,
            "results": [],
        }


def make_model(env: VecEnv, args: Args) -> MaskablePPO:
    return MaskablePPO(
        LeanPolicy,
        env,
        learning_rate=LinearSchedule(args.learning_rate, args.learning_rate / 10, 1.0),
        n_steps=args.num_steps,
        batch_size=args.batch_size or LEARNERS[args.learners].BATCH_SIZE,
        n_epochs=args.num_epochs or LEARNERS[args.learners].NUM_EPOCHS,
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        ent_coef=args.entropy,
        policy_kwargs={"net_arch": list(args.hidden), "activation_fn": torch.nn.ReLU},
        seed=args.seed,
        device="cpu",
    )


def progress_bar(console: Console) -> Progress:
    return Progress(
        BarColumn(20),
        TextColumn("{task.percentage:.0f}%"),
        TextColumn("{task.fields[told]}"),
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
        xlabel="the learner's decisions", ylabel="games won", ylim=(0, 1.02), title=f"{game}: training"
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
