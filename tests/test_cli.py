"""The command line: what it refuses, and what it says."""

import json
import subprocess
import sys

import pytest
import sobremesa
from sobremesa import bench, cli, replay


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


@pytest.mark.parametrize(("command", "missing", "extra"), [("train", "torch", "agents"), ("bench", "tyro", "bench")])
def test_a_missing_extra_is_named(command, missing, extra):
    script = (
        f"import sys; sys.modules[{missing!r}] = None; from sobremesa.cli import main; main([{command!r}, 'freep'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 2
    assert f'pip install "sobremesa[{extra}]"' in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("game", sobremesa.games())
def test_bench_prints_a_table_and_json(capsys, game, tmp_path):
    args = bench.Args(num_tables=(1, 4096), num_runs=2, seconds=0.01, json=str(tmp_path / "bench.json"))
    report = bench.main(game, args)
    printed = capsys.readouterr().out
    assert json.loads(printed[printed.index("{") :]) == report == json.loads((tmp_path / "bench.json").read_text())
    measured = {(row["what"], row["num_tables"], row["num_threads"]) for row in report["results"]}
    one_table = {(what, 1, 1) for what in ("Tables.step", "play_random", "AEC raw_env", "AEC env")}
    many = {(what, 4096, threads) for what in ("Tables.step", "play_random") for threads in (1, 2)}
    assert measured == one_table | many
    assert all(row["slowest_run"] <= row["decisions_per_second"] <= row["fastest_run"] for row in report["results"])
    assert "Tables.step" in printed[: printed.index("{")]


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
    write_games(path, "freep")
    for line in ("0", "4"):
        code, printed = run(capsys, "replay", str(path), "--show", line)
        assert code == 2
        assert f"show must be an integer from 1 to 3, not {line}" in printed
    code, printed = run(capsys, "replay")
    assert code == 2
    assert "the file is missing: sobremesa replay <file>" in printed
