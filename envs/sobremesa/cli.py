"""The command `sobremesa`: `sobremesa train|evaluate|bench|check <game>` and `sobremesa replay <file>`.

`sobremesa <command> --help` lists every option.
"""

from __future__ import annotations

import importlib
import sys
from typing import NamedTuple

from .check import ConformanceError
from .tables import find_game


class Command(NamedTuple):
    """Where a command lives: `module` has its `Args` and `function(argument, args)`; both need the extra.

    argument: what the command's first argument is, a game or something else.
    """

    module: str
    function: str
    extra: str
    description: str
    argument: str = "game"


COMMANDS = {
    "train": Command("sobremesa_agents.self_play", "train", "agents", "Train an agent by self-play."),
    "evaluate": Command("sobremesa_agents.evaluation", "main", "agents", "Play a trained agent against others."),
    "bench": Command("sobremesa.bench", "main", "bench", "Measure decisions per second."),
    "replay": Command("sobremesa.replay", "main", "bench", "Replay recorded games and verify them.", "file"),
    "check": Command("sobremesa.check", "main", "check", "Check leaks, masks, copies, rewards and the like."),
}
FAILED, BAD_USE, INTERRUPTED = 1, 2, 130  # exit codes


def main(arguments: list[str] | None = None) -> None:
    """Runs one command; exits with a sentence: 1 for a failed check, 2 for what it can't do, 130 if interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    name, *rest = arguments or ["--help"]
    if name not in COMMANDS:
        _tell_usage(name)
        return
    try:
        _run(name, COMMANDS[name], rest)
    except ImportError as error:
        extra, missing = COMMANDS[name].extra, f" ({error.name} is missing)" if error.name else ""
        _fail(f'sobremesa {name} needs the extra "{extra}": pip install "sobremesa[{extra}]"{missing}')
    except ConformanceError as error:
        _fail(str(error), FAILED)
    except (ValueError, OSError) as error:
        _fail(str(error))
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED)


def _run(name: str, command: Command, arguments: list[str]) -> None:
    """`<argument> [options]`: exits for unknown options, and for --help."""
    import tyro

    module = importlib.import_module(command.module)
    is_given = bool(arguments) and not arguments[0].startswith("-")
    argument, options = (arguments[0], arguments[1:]) if is_given else ("", arguments)
    usage = f"sobremesa {name} <{command.argument}>"
    args = tyro.cli(module.Args, prog=usage, description=command.description, args=options)
    if command.argument == "game":
        argument = find_game(argument).name
    elif not argument:
        raise ValueError(f"the {command.argument} is missing: {usage}")
    getattr(module, command.function)(argument, args)


def _tell_usage(name: str) -> None:
    for each, command in COMMANDS.items():
        print(f"sobremesa {each} <{command.argument}> [options]  {command.description}")
    if name not in ("--help", "-h"):
        _fail(f"there is no command {name!r}; the commands: {', '.join(COMMANDS)}")


def _fail(sentence: str, code: int = BAD_USE) -> None:
    print(f"sobremesa: {sentence}", file=sys.stderr)
    sys.exit(code)
