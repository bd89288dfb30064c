"""The command line: what it refuses, and what it says."""

import json
import re
import subprocess
import sys

import pytest
import sobremesa
from sobremesa import bench, check, cli
from sobremesa.aec import CardGameEnv


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    return ended.value.code, "".join(capsys.readouterr())


def test_without_a_command_it_lists_them(capsys):
    cli.main([])
    printed = capsys.readouterr().out
    for command in cli.COMMANDS:
        assert f"sobremesa {command} <game>" in printed


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_help_explains_every_option(capsys, command):
    code, printed = run(capsys, command, "--help")
    assert code == 0
    assert "--seed" in printed


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_unknown_options_are_refused(capsys, command):
    code, printed = run(capsys, command, "freep", "--fly", "1")
    assert code == 2
    assert "--fly" in printed


def test_unknown_commands_and_games_are_refused(capsys):
    code, printed = run(capsys, "fly")
    assert code == 2
    assert "train, evaluate, bench" in printed
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
