"""The command line: what it refuses, and what it says."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import sobremesa
from sobremesa import bench, check, cli, replay
from sobremesa.aec import CardGameEnv


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    return ended.value.code, "".join(capsys.readouterr())


def test_without_a_command_it_lists_them(capsys):
    cli.main([])
    printed = capsys.readouterr().out
    for name, command in cli.COMMANDS.items():
        assert f"sobremesa {name} <{command.argument}>" in printed


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_help_explains_every_option(capsys, command):
    code, printed = run(capsys, command, "--help")
    assert code == 0
    assert ("--show" if command == "replay" else "--seed") in printed


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_unknown_options_are_refused(capsys, command):
    code, printed = run(capsys, command, "freep", "--fly", "1")
    assert code == 2
    assert "--fly" in printed


def test_unknown_commands_and_games_are_refused(capsys):
    code, printed = run(capsys, "fly")
    assert code == 2
    assert "train, evaluate, bench, replay" in printed
    code, printed = run(capsys, "bench", "chess")
    assert code == 2
    assert "'chess'" in printed
    assert ", ".join(sobremesa.games()) in printed


def test_an_interrupt_ends_it_without_a_traceback(capsys, monkeypatch):
    def interrupt(game, args):
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "main", interrupt)
    code, printed = run(capsys, "bench", "freep")
    assert code == cli.INTERRUPTED
    assert printed == "sobremesa: interrupted\n"


def test_a_missing_model_is_named(capsys):
    code, printed = run(capsys, "evaluate", "freep", "--model", "nowhere.zip")
    assert code == 2
    assert "nowhere.zip" in printed


@pytest.mark.parametrize(
    ("command", "missing", "extra"),
    [("train", "torch", "agents"), ("bench", "tyro", "bench"), ("check", "rich", "check")],
)
def test_a_missing_extra_is_named(command, missing, extra):
    script = (
        f"import sys; sys.modules[{missing!r}] = None; from sobremesa.cli import main; main([{command!r}, 'freep'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 2
    assert f'pip install "sobremesa[{extra}]"' in done.stderr
    assert "Traceback" not in done.stderr


def quick(**given):
    return bench.Args(**{"num_runs": 2, "seconds": 0.002, "first_steps": False, **given})


@pytest.mark.parametrize("game", sobremesa.games())
def test_bench_measures_everything(capsys, game, tmp_path):
    path = tmp_path / "bench.json"
    report = bench.main(game, quick(num_tables=(1, 4096), json=str(path)))
    assert json.loads(path.read_text()) == report
    printed = capsys.readouterr().out
    measured = {(row["what"], row["num_tables"], row["num_threads"]) for row in report["results"]}
    assert {what for what, *_ in measured} == set(bench.MEASURES)
    for what, kind in bench.MEASURES.items():
        assert what in printed
        assert (what, 1, 1) in measured
        assert ((what, 4096, 1) in measured) == kind.is_batched
        assert ((what, 4096, 2) in measured) == (kind.steps_per_call > 0)
        assert (what, 1, 2) not in measured
    for row in report["results"]:
        assert row["slowest_run"] <= row["per_second"] <= row["fastest_run"]
        assert row["clock"] == ("cpu" if row["num_threads"] == 1 else "wall")
        assert row["times_reference"] == pytest.approx(row["nanoseconds"] / row["reference_nanoseconds"])
    (size,) = report["sizes"]
    assert size["bytes_per_table"] > 2 * size["bytes_of_a_record"]  # as it is, and as it ended


@pytest.mark.parametrize("what", ["full_loop", "play_random", "aec_raw", "aec_wrapped", "vector_env"])
def test_bench_counts_each_decision_once(what, monkeypatch):
    made, step, play_random = 0, sobremesa.Tables._try_step, sobremesa.Tables.play_random

    def counted_step(tables, chosen, where):
        nonlocal made
        made += int(where.sum())
        return step(tables, chosen, where)

    def counted_play_random(tables, num_steps):
        nonlocal made
        made += tables.num_tables * num_steps
        return play_random(tables, num_steps)

    monkeypatch.setattr(sobremesa.Tables, "_try_step", counted_step)
    monkeypatch.setattr(sobremesa.Tables, "play_random", counted_play_random)
    setting = bench.Setting("figaro", 0, 4, True, num_tables=3 if bench.MEASURES[what].is_batched else 1)
    advance = bench.MEASURES[what].make(setting)
    made = 0
    assert advance() == made
    assert made > 0


def test_bench_goes_through_players_and_recall(capsys):
    game = sobremesa.games()["friegas_tu"]
    only = {"only": ("full_loop",), "num_tables": (2,), "num_threads": (1,)}
    report = bench.main("friegas_tu", quick(every=True, **only))
    fewest, most, _ = game.players
    wanted = [(n, recall) for n in range(fewest, most + 1) for recall in (True, False)]
    assert [(row["num_players"], row["recall"]) for row in report["results"]] == wanted
    sizes = {(size["num_players"], size["recall"]): size["observation_size"] for size in report["sizes"]}
    assert list(sizes) == wanted
    assert all(sizes[n, True] > sizes[n, False] for n, _ in wanted)
    report = bench.main("friegas_tu", quick(num_players=(3,), recall=(False,), **only))
    assert [(row["num_players"], row["recall"]) for row in report["results"]] == [(3, False)]
    assert capsys.readouterr().out.rstrip().endswith("}")  # without a file the JSON is printed


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"only": ("chess",)}, "'chess'"),
        ({"seconds": 0}, "seconds"),
        ({"num_runs": 0}, "num_runs"),
        ({"num_tables": (1, 0)}, "num_tables"),
        ({"num_threads": (0,)}, "num_threads"),
        ({"num_players": (9,)}, "num_players"),
    ],
)
def test_bench_refuses_what_it_cannot_measure(given, told):
    with pytest.raises(ValueError, match=told):
        bench.main("friegas_tu", quick(**given))


def test_bench_times_the_first_step_of_new_processes():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}  # compiling would take the time of many tests
    steps = bench.time_first_steps(bench.Setting("figaro", 0, 4, True), environment)
    assert list(steps) == ["cold", "warm", "import"]
    assert all(0 < step[clock] < 60 for step in steps.values() for clock in bench.CLOCKS)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system pins nothing")
def test_bench_pins_to_cores_and_gives_them_back():
    before = os.sched_getaffinity(0)
    with bench.pinned(1) as cores:
        assert os.sched_getaffinity(0) == set(cores)
        assert len(cores) == 1
    assert os.sched_getaffinity(0) == before


def test_the_reference_kernel_draws_every_legal_action_alike():
    masks = np.full((6000, 2), 0x0100010001000100, np.uint64)  # every second of 16 actions
    states, actions = np.arange(6000, dtype=np.uint64), np.zeros(6000, np.int64)
    bench.reference_kernel(states, masks, actions, np.zeros((6000, 16), np.uint64))
    counts = np.bincount(actions, minlength=16)
    assert not counts[::2].any()
    assert counts[1::2].min() > 600  # 750 each, with a standard deviation of 26


# replay


def write_games(path, game, num_games=3):
    tables = sobremesa.Tables(game, max_decisions=20, reward="score")
    with replay.Recorder(tables) as recorder:
        tables.reset(seed=4)
        while len(recorder.records) < num_games:
            tables.play_random(1)
    replay.write(path, recorder.records)
    return recorder.records


@pytest.mark.parametrize("game", sobremesa.games())
def test_replay_verifies_every_line_and_shows_one(capsys, game, tmp_path):
    path = tmp_path / "games.jsonl"
    record = write_games(path, game)[1]
    cli.main(["replay", str(path)])
    assert capsys.readouterr().out == f"the 3 games in {path} replay as recorded\n"
    cli.main(["replay", str(path), "--show", "2"])
    printed = capsys.readouterr().out
    assert printed.startswith(f"{game} v0, seed {record.seed}, ")
    assert printed.endswith(f"the 3 games in {path} replay as recorded\n")
    for step in record.steps():
        moves = f"{step.tables.to_text(0)}\n\ndecision {step.number}, player_{step.seat}: {step.text}\n"
        assert moves in printed
    end = f"truncated after 20 decisions; returns: player_0 {record.result.returns[0]:+.4g}, player_1 "
    assert f"{step.tables.to_text(0)}\n\n{end}" in printed


def test_replay_names_every_bad_line(capsys, tmp_path):
    path = tmp_path / "games.jsonl"
    write_games(path, "freep", 4)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + "{\n" + lines[2] + lines[3].replace('"seed":', '"seed":1'))
    code, printed = run(capsys, "replay", str(path))
    assert code == 2
    assert "line 2: it isn't JSON" in printed
    assert "line 4: the content has the checksum" in printed
    assert f"sobremesa: 2 of the 4 games in {path} don't replay as recorded\n" in printed


def test_replay_refuses_what_is_not_there(capsys, tmp_path):
    path = tmp_path / "games.jsonl"
    code, printed = run(capsys, "replay", str(path))
    assert code == 2
    assert str(path) in printed
    path.write_text("")
    code, printed = run(capsys, "replay", str(path))
    assert code == 2
    assert "holds no game" in printed
    write_games(path, "freep")
    for line in ("0", "4"):
        code, printed = run(capsys, "replay", str(path), "--show", line)
        assert code == 2
        assert f"show must be an integer from 1 to 3, not {line}" in printed
    code, printed = run(capsys, "replay")
    assert code == 2
    assert "the file is missing: sobremesa replay <file>" in printed


# check


SMALL = ("--num-players", "3", "--reward", "score", "--recall", "True", "--parameters", "max_decisions=12")


def test_check_prints_what_each_check_has_covered(capsys):
    cli.main(["check", "figaro", *SMALL])
    first, *lines = filter(None, capsys.readouterr().out.splitlines())
    assert first == f"figaro: {len(check.CHECKS)} checks, each with 1 settings"
    assert [line.split(":")[0] for line in lines] == list(check.CHECKS)
    for line in lines:
        assert re.search(r": games [1-9]\d*, decisions [1-9]", line), line


def test_a_failed_check_is_told_in_a_sentence(capsys, monkeypatch):
    class Leaky(CardGameEnv):
        def _write_infos(self) -> None:
            super()._write_infos()
            self.infos[self.agents[0]]["all"] = self.tables.full_state()

    monkeypatch.setattr(check, "CardGameEnv", Leaky)
    code, printed = run(capsys, "check", "figaro", *SMALL)
    assert code == cli.FAILED
    *_, last = printed.splitlines()
    assert last.startswith("sobremesa: decision 0 after seed 0, player_0: info/all")
    assert "check_no_leak('figaro', every=20, num_games=1, seed=0, num_players=3" in last


@pytest.mark.parametrize("given", ["max_decisions", "max_decisions=soon", "weather='fine'"])
def test_bad_parameters_of_a_check_are_refused(capsys, given):
    code, printed = run(capsys, "check", "figaro", "--parameters", given)
    assert code == cli.BAD_USE
    assert given.split("=")[0] in printed
