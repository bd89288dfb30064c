"""Writes RESULTS.md, the plots and the README's sentence on speed from what the bench has left in `results/`.

`make bench-results` measures and then calls this; `python benchmarks/results.py` alone writes the pages anew.
"""

from __future__ import annotations

import json
import pathlib
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import sobremesa

HERE = pathlib.Path(__file__).parent
README = HERE.parent / "README.md"
SENTENCE = re.compile(r"(?<=<!-- speed: written by make bench-results -->\n).*?(?=\n<!-- /speed -->)", re.DOTALL)
LINE_LENGTH = 120
TABLES = 4096  # of the tables and plots that compare games and players
TITLES = {
    "full_loop": "full loop",
    "play_random": "rules and choice alone",
    "rows_alone": "rows alone, without a game",
    "aec_raw": "PettingZoo's loop, `raw_env()`",
    "aec_wrapped": "PettingZoo's loop, `env()`",
    "vector_env": "Gymnasium's VectorEnv, learner's decisions",
    "copy": "copy of a table",
    "redeal_hidden": "hidden cards of a table dealt anew",
}
LIBRARIES = {"open_spiel": "OpenSpiel", "rlcard": "RLCard", "pettingzoo": "PettingZoo", "pgx": "pgx"}
Row = dict[str, Any]


def load(folder: pathlib.Path) -> dict[str, Any]:
    """What was measured: `<game>` (batches and threads), `<game>_players` (every number of players), `peers`."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


def main() -> None:
    measured = load(HERE / "results")
    (HERE / "RESULTS.md").write_text(page(measured))
    README.write_text(SENTENCE.sub(lambda _: readme_sentence(measured), README.read_text()))
    for name, draw in PLOTS.items():
        plot(draw, measured, HERE / name)


# Text


def sentence(measured: dict[str, Any]) -> str:
    """The speed of our slowest and fastest game, and of each peer's fastest, from the one run that has them all."""
    report = measured["peers"]
    loops = sorted((row for row in report["results"] if row["kind"] == "full_loop"), key=lambda row: row["per_second"])
    ours, best = ours_of(loops), {row["library"]: row for row in peers_of(loops)}
    least, most = (f"{spell(row['per_second'])} ({title(row['game'])})" for row in (ours[0], ours[-1]))
    others = ", ".join(f"{label(row)} {spell(row['per_second'])}" for row in reversed(best.values()))
    return (
        f"On one core ({report['machine']['processor']}) `Tables` makes from {least} to {most} random decisions per "
        f"second, with observations, masks and new deals; in the same run: {others}."
    )


def readme_sentence(measured: dict[str, Any]) -> str:
    text = f"{sentence(measured)} [All results](benchmarks/RESULTS.md)."
    return textwrap.fill(text, LINE_LENGTH, break_long_words=False, break_on_hyphens=False)


def page(measured: dict[str, Any]) -> str:
    parts = [
        "# Speed",
        "Written by `make bench-results`; see [`bench.py`](../envs/sobremesa/bench.py) for what is measured and how. "
        f"All figures are medians; one thread by CPU time, several by the wall clock; {TABLES:,} tables, the default "
        "number of players and recall where nothing else is said. In brackets: multiples of the frozen reference "
        "kernel, measured beside each run. M and k: millions and thousands per second.",
        sentence(measured),
        "## Goals",
        "What was measured, and what is aimed at: ✓ where it is reached, else the share that is. The goals were set on "
        "a machine where the reference kernel takes 16 ns.",
        goals_table(measured),
        limits(measured),
        "## Our games",
        games_table(measured),
        "![cost by number of tables](by_tables.png)",
        "## Players and recall",
        f"Nanoseconds of a decision in the full loop, {TABLES:,} tables.",
        players_table(measured),
        "![cost by number of players](by_players.png)",
        "## Threads",
        "![speed-up by two threads](by_threads.png)",
        "## First step and memory",
        first_steps_table(measured),
        "## Peers",
        "Processes side by side on one core, taking turns. The games differ: Leduc has six cards, three actions and "
        "about four decisions a game. First step: CPU seconds up to the end of the first call; ours finds its code in "
        "the cache (cold: above). The last columns: our game's decisions per second over the peer's.",
        *peers_tables(measured["peers"]),
        "![decisions per second of all](peers.png)",
        "## Where and when",
        machines_table(measured),
    ]
    return "\n\n".join(parts) + "\n"


def goals_table(measured: dict[str, Any]) -> str:
    """A column for each game, a row for each goal."""
    rows = []
    for goal in GOALS:
        cells = []
        for game in sobremesa.games():
            wanted, value = goal.wanted[game], goal.measured(measured, game)
            if value is None:
                cells.append("not measured")
            else:
                share = wanted / value if goal.is_least else value / wanted
                cells.append(f"{goal.tell(value)} of {goal.tell(wanted)} {'✓' if share >= 1 else f'({share:.2f})'}")
        rows.append([goal.name, *cells])
    return table(["", *(title(game) for game in sobremesa.games())], rows)


def limits(measured: dict[str, Any]) -> str:
    """What is in the way of the goals that aren't reached."""
    parts = []
    for game in sobremesa.games():
        report = measured[game]
        size, rows, loop = report["sizes"][0], find(report, "rows_alone", TABLES), find(report, "full_loop", TABLES)
        if rows and loop:
            share = rows["nanoseconds"] / loop["nanoseconds"]
            parts.append(
                f"{title(game)} {rows['nanoseconds']:.0f} ns, {share:.0%} (record: {size['bytes_of_a_record']:,})"
            )
    return (
        f"What memory alone takes of a decision in the full loop, {TABLES:,} tables: copying the rows of observation, "
        f"mask and results, which every decision writes: {'; '.join(parts)}. The record comes on top, in bytes, of "
        "which a decision reads a part. Two threads share a step of so few tables at the price of waking a core and of "
        "handing Python's lock to and fro, which can take as long as they save; PettingZoo's loop is mostly "
        "Python's. OpenSpiel's crazy_eights and hearts are measured with observers that write arrays, its fastest form."
    )


def games_table(measured: dict[str, Any]) -> str:
    """A column for each game, a row for each thing measured."""
    heads = ["", *(title(game) for game in sobremesa.games())]
    rows = []
    for what, name in TITLES.items():
        for num_tables in (1, 64, TABLES, 65536):
            found = [find(measured[game], what, num_tables) for game in sobremesa.games()]
            if all(found):
                tables = f", {num_tables:,} table{'s' if num_tables > 1 else ''}"
                rows.append([name + tables, *(f"{cost(row)} · {rate(row['per_second'])}" for row in found if row)])
    return table(heads, rows)


def players_table(measured: dict[str, Any]) -> str:
    numbers = sorted(
        {row["num_players"] for game in sobremesa.games() for row in measured[f"{game}_players"]["results"]}
    )
    heads, rows = ["", *(f"{number} players" for number in numbers)], []
    for game in sobremesa.games():
        for recall in (True, False):
            cells = {
                row["num_players"]: cost(row)
                for row in measured[f"{game}_players"]["results"]
                if row["what"] == "full_loop" and row["recall"] == recall and row["num_tables"] == TABLES
            }
            name = f"{title(game)}{'' if recall else ', no recall'}"
            rows.append([name, *(cells.get(number, "") for number in numbers)])
    return table(heads, rows)


def first_steps_table(measured: dict[str, Any]) -> str:
    heads = ["", "cold", "warm", "import", "bytes of a table", "its record", "observation", "actions"]
    rows = []
    for game in sobremesa.games():
        steps, size = measured[game]["first_steps"], measured[game]["sizes"][0]
        seconds = (f"{steps[name]['cpu']:.2f} s" for name in ("cold", "warm", "import"))
        sizes = (size[name] for name in ("bytes_per_table", "bytes_of_a_record", "observation_size", "num_actions"))
        rows.append([title(game), *seconds, *(f"{number:,}" for number in sizes)])
    return table(heads, rows)


def peers_tables(report: dict[str, Any]) -> Iterator[str]:
    for kind in dict.fromkeys(row["kind"] for row in report["results"]):
        rows = [row for row in report["results"] if row["kind"] == kind]
        ours = ours_of(rows)
        heads = [TITLES[kind], "tables", "per second", "ns", "first step", *(f"{title(row['game'])} ×" for row in ours)]
        lines = []
        for row in [*peers_of(rows), *ours]:
            ratios = [f"{our['per_second'] / row['per_second']:,.1f}" for our in ours] if row not in ours else [""] * 4
            first = f"{row['seconds_to_first_step']:.1f} s"
            lines.append([label(row), f"{row['num_tables']:,}", rate(row["per_second"]), cost(row), first, *ratios])
        yield table(heads, lines)
    for name, reason in report["missing"].items():
        yield f"Not measured: {name} ({reason})."


def machines_table(measured: dict[str, Any]) -> str:
    rows, machines = [], set()
    for report in measured.values():
        machine = report["machine"]
        rows.append([f"`{machine['command']}`", machine["date"], f"{report['seconds_in_all']:.0f} s"])
        versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
        where = f"{machine['processor']}, {machine['num_cpus']} CPUs, {machine['system']}"
        machines.add(f"- {where}; Python {machine['python']}, {versions}")
    return "\n\n".join([table(["command", "date", "took"], rows), "\n".join(sorted(machines))])


def table(heads: list[str], rows: Iterable[list[str]]) -> str:
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def find(report: dict[str, Any], what: str, num_tables: int, num_threads: int = 1) -> Row | None:
    wanted = {"what": what, "num_tables": num_tables, "num_threads": num_threads}
    found = [row for row in report["results"] if all(row[name] == value for name, value in wanted.items())]
    return found[0] if found else None


def per_second(what: str, num_tables: int) -> Callable[[dict[str, Any], str], float | None]:
    def measured_of(measured: dict[str, Any], game: str) -> float | None:
        row = find(measured[game], what, num_tables)
        return row["per_second"] if row else None

    return measured_of


def over(what: str, *pair: tuple[int, int]) -> Callable[[dict[str, Any], str], float | None]:
    """The speed with the first number of tables and threads over that with the second."""

    def measured_of(measured: dict[str, Any], game: str) -> float | None:
        one, other = (find(measured[game], what, *batch) for batch in pair)
        return one["per_second"] / other["per_second"] if one and other else None

    return measured_of


def over_peer(library: str, peer: str) -> Callable[[dict[str, Any], str], float | None]:
    """Our full loop over the peer's fastest."""

    def measured_of(measured: dict[str, Any], game: str) -> float | None:
        rows = [row for row in measured["peers"]["results"] if row["kind"] == "full_loop"]
        ours = [row["per_second"] for row in ours_of(rows) if row["game"] == game]
        theirs = [row["per_second"] for row in rows if (row["library"], row["game"]) == (library, peer)]
        return max(ours) / max(theirs) if ours and theirs else None

    return measured_of


def first_step(kind: str) -> Callable[[dict[str, Any], str], float | None]:
    return lambda measured, game: measured[game]["first_steps"][kind]["cpu"]


def times(number: float) -> str:
    return f"{number:.2f} ×" if number < 10 else f"{number:.0f} ×"


def seconds(number: float) -> str:
    return f"{number:.2g} s"


def each(wanted: float) -> dict[str, float]:
    return dict.fromkeys(sobremesa.games(), wanted)


def ours_of(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["library"] == "sobremesa"]


def peers_of(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["library"] != "sobremesa"]


def label(row: Row) -> str:
    form = f" ({row['form']})" if row["library"] == "open_spiel" and row["kind"] == "play_random" else ""
    name = title(row["game"]) if row["library"] == "sobremesa" else f"{LIBRARIES[row['library']]} {row['game']}"
    return name + form


def title(game: str) -> str:
    return sobremesa.games()[game].title


def cost(row: Row) -> str:
    return f"{digits(row['nanoseconds'])} ns ({digits(row['times_reference'])} ×)"


def digits(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


def rate(per_second: float) -> str:
    """Two digits or more: 12.3 M, 1.2 M, 120 k, 12 k, 1.2 k."""
    if per_second >= 995_000:
        return f"{per_second / 1e6:.1f} M"
    thousands = float(f"{per_second / 1e3:.2g}")
    return f"{thousands:.1f} k" if thousands < 10 else f"{thousands:.0f} k"


def spell(per_second: float) -> str:
    return rate(per_second).replace(" M", " million").replace(" k", " thousand")


# Goals


class Goal(NamedTuple):
    """wanted: by game. measured(all results, game): None where that wasn't done. is_least: the less the better."""

    name: str
    wanted: Mapping[str, float]
    measured: Callable[[dict[str, Any], str], float | None]
    tell: Callable[[float], str] = rate
    is_least: bool = False


GOALS = (
    Goal(
        f"full loop, {TABLES:,} tables, per second",
        {"freep": 12e6, "figaro": 10e6, "friegas_tu": 6e6, "pinata": 5e6},
        per_second("full_loop", TABLES),
    ),
    Goal(
        f"rules and choice alone, {TABLES:,} tables, per second",
        {"freep": 30e6, "figaro": 15e6, "friegas_tu": 8e6, "pinata": 10e6},
        per_second("play_random", TABLES),
    ),
    Goal(f"full loop, 64 tables over {TABLES:,}", each(0.6), over("full_loop", (64, 1), (TABLES, 1)), times),
    Goal("PettingZoo's loop, `raw_env()`, per second", each(250e3), per_second("aec_raw", 1)),
    Goal("PettingZoo's loop, `env()`, per second", each(45e3), per_second("aec_wrapped", 1)),
    Goal("two threads, full loop, 4,096 tables", each(1.4), over("full_loop", (4096, 2), (4096, 1)), times),
    Goal("two threads, full loop, 65,536 tables", each(1.8), over("full_loop", (65536, 2), (65536, 1)), times),
    Goal("two threads, rules alone, 4,096 tables", each(1.8), over("play_random", (4096, 2), (4096, 1)), times),
    Goal("first step, cold", each(10), first_step("cold"), seconds, is_least=True),
    Goal("first step, warm", each(0.5), first_step("warm"), seconds, is_least=True),
    Goal(
        "over pgx leduc_holdem",
        {"freep": 3, "figaro": 3, "friegas_tu": 1.8, "pinata": 1.8},
        over_peer("pgx", "leduc_holdem"),
        times,
    ),
    *(
        Goal(f"over {LIBRARIES[library]} {peer}", each(45), over_peer(library, peer), times)
        for library, peer in (
            ("pgx", "sparrow_mahjong"),
            ("open_spiel", "crazy_eights"),
            ("open_spiel", "hearts"),
            ("open_spiel", "gin_rummy"),
            ("rlcard", "uno"),
        )
    ),
)


# Plots


def plot(draw: Callable[[Any, dict[str, Any]], None], measured: dict[str, Any], path: pathlib.Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.5, 4.5), layout="constrained")
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    draw(axes, measured)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def draw_tables(axes: Any, measured: dict[str, Any]) -> None:
    """Cost by number of tables."""
    references = []
    for number, game in enumerate(sobremesa.games()):
        for what, style in (("full_loop", "-o"), ("play_random", "--.")):
            rows = [row for row in measured[game]["results"] if row["what"] == what and row["num_threads"] == 1]
            references += [row["reference_nanoseconds"] for row in rows]
            x, y = [row["num_tables"] for row in rows], [row["nanoseconds"] for row in rows]
            axes.loglog(x, y, style, color=f"C{number}", label=title(game) if what == "full_loop" else None)
    axes.axhline(sorted(references)[len(references) // 2], color="grey", linestyle=":", label="reference kernel")
    axes.set(xlabel="tables", ylabel="nanoseconds for each decision", xscale="log")
    axes.set_title("Cost of a decision: full loop (solid), rules and choice alone (dashed)", fontsize=11)
    label_axis(axes.xaxis, [row["num_tables"] for row in measured[next(iter(sobremesa.games()))]["results"]])
    legend(axes)


def draw_players(axes: Any, measured: dict[str, Any]) -> None:
    """Cost by number of players."""
    numbers = set()
    for number, game in enumerate(sobremesa.games()):
        for recall, style in ((True, "-o"), (False, "--.")):
            rows = [
                row
                for row in measured[f"{game}_players"]["results"]
                if (row["what"], row["recall"], row["num_tables"]) == ("full_loop", recall, TABLES)
            ]
            numbers |= {row["num_players"] for row in rows}
            x, y = [row["num_players"] for row in rows], [row["nanoseconds"] for row in rows]
            axes.plot(x, y, style, color=f"C{number}", label=title(game) if recall else None)
    axes.set(xlabel="players", ylabel="nanoseconds for each decision", xticks=sorted(numbers))
    axes.set_ylim(bottom=0)
    axes.set_title(f"Full loop, {TABLES:,} tables: with recall (solid), without (dashed)", fontsize=11)
    legend(axes)


def draw_threads(axes: Any, measured: dict[str, Any]) -> None:
    """Speed-up by two threads; where the batch is too small to be shared it is 1."""
    sizes = set()
    for number, game in enumerate(sobremesa.games()):
        for what, style in (("full_loop", "-o"), ("play_random", "--.")):
            one = {row["num_tables"]: row for row in measured[game]["results"] if is_of(row, what, 1)}
            two = {row["num_tables"]: row for row in measured[game]["results"] if is_of(row, what, 2)}
            sizes |= set(one)
            y = [two[size]["per_second"] / one[size]["per_second"] if size in two else 1 for size in one]
            axes.semilogx(list(one), y, style, color=f"C{number}", label=title(game) if what == "full_loop" else None)
    axes.axhline(2, color="grey", linestyle=":", label="ideal")
    axes.set(xlabel="tables", ylabel="times as fast with two threads", ylim=(0, 2.2))
    axes.set_title("Two threads: full loop (solid), rules and choice alone (dashed)", fontsize=11)
    label_axis(axes.xaxis, sizes)
    legend(axes)


def draw_peers(axes: Any, measured: dict[str, Any]) -> None:
    """Full loops."""
    rows = [row for row in measured["peers"]["results"] if row["kind"] == "full_loop"]
    rows.sort(key=lambda row: row["per_second"])
    colours = ["C0" if row["library"] == "sobremesa" else "lightgrey" for row in rows]
    names = [f"{label(row)}, {row['num_tables']:,}" for row in rows]
    bars = axes.barh(names, [row["per_second"] for row in rows], color=colours)
    axes.bar_label(bars, [rate(row["per_second"]) for row in rows], padding=3, fontsize=8)
    axes.set_xscale("log")
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.15)
    axes.tick_params(axis="y", labelsize=8)
    axes.set(xlabel="decisions per second, one core (game, tables)")
    axes.set_title("Full loop: observation, mask, choice, step, new deal", fontsize=11)


def legend(axes: Any) -> None:
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)


def is_of(row: Row, what: str, num_threads: int) -> bool:
    return row["what"] == what and row["num_threads"] == num_threads


def label_axis(axis: Any, numbers: Iterable[int]) -> None:
    ticks = sorted(set(numbers))
    axis.set_ticks(ticks, labels=[f"{number:,}" for number in ticks])
    axis.set_ticks([], minor=True)


PLOTS = {
    "by_tables.png": draw_tables,
    "by_players.png": draw_players,
    "by_threads.png": draw_threads,
    "peers.png": draw_peers,
}

if __name__ == "__main__":
    main()
