"""The entry point: finds the command, and turns every error into one sentence.

Exit codes: 0 holds, 1 violated, 2 unknown, 3 usage, 4 internal.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import typer

from agentsim.core import Finding, UsageError

__all__ = ["COMMANDS", "main"]

COMMANDS = ("run", "explore", "replay", "show", "check", "list", "doctor")

EXIT_VIOLATED = 1
EXIT_USAGE = 3
EXIT_INTERNAL = 4


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_exit_code(words))


def _exit_code(words: list[str]) -> int:
    try:
        code = _app(words)(words, prog_name="agentsim", standalone_mode=False)
    except typer.Abort:
        return _complain("stopped by the keyboard", EXIT_USAGE)
    except UsageError as error:
        return _complain(str(error), EXIT_USAGE)
    except Finding as error:
        return _complain(str(error), EXIT_VIOLATED)
    except BrokenPipeError:
        return 0
    except Exception as error:  # noqa: BLE001  # no traceback reaches a user
        misuse = getattr(error, "format_message", None)  # of the command line's parser
        if misuse is not None:
            return _complain(_sentence(misuse()), EXIT_USAGE)
        told = f"{type(error).__name__}: {error}"
        return _complain(f"internal error, please report it: {told}", EXIT_INTERNAL)
    return code if isinstance(code, int) else 0


def _sentence(words: str) -> str:
    return " ".join(words.split()).rstrip(".") + "; see agentsim --help"


def _app(words: Sequence[str]) -> typer.Typer:
    """Build the app with the one command that is called, or all of them for the help."""
    app = typer.Typer(
        name="agentsim",
        help="Deterministic simulation and testing for agent loops.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    called = [word for word in words[:1] if word in COMMANDS]
    for name in called or COMMANDS:
        module = importlib.import_module(f"agentsim.cli.{name}_command")
        app.command(name)(module.command)
    return app


def _root() -> None:
    """Deterministic simulation and testing for agent loops."""


def _complain(words: str, code: int) -> int:
    typer.echo(f"agentsim: {words}", err=True)
    return code
