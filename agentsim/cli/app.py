"""The entry point: finds the command, and turns every error into one sentence.

Exit codes: 0 holds, 1 violated, 2 unknown, 3 usage, 4 internal; and as shells have it,
130 when stopped by the keyboard, 141 when whoever read the output went away before it
was known what to say.
"""

from __future__ import annotations

import errno
import importlib
import sys
from collections.abc import Callable, Sequence
from itertools import takewhile

import typer

from agentsim.cli.output import (
    EXIT_STOPPED,
    FullyTold,
    accept_any_text,
    print_json,
    silence_output,
    uncollected,
)
from agentsim.core import AgentsimError, Finding, InternalError, UsageError

__all__ = ["COMMANDS", "load_command", "main"]

COMMANDS = (
    "run",
    "explore",
    "replay",
    "show",
    "check",
    "cassette audit",
    "cassette check",
    "cassette import",
    "serve",
    "list",
    "doctor",
)
"""All commands, in the order of the help; a command of two words is one of a group."""

GROUPS = {"cassette": "What can be done with recorded sessions."}

EXIT_VIOLATED = 1
EXIT_USAGE = 3
EXIT_INTERNAL = 4
EXIT_UNREAD = 141

_EXITS = {
    "violated": EXIT_VIOLATED,
    "usage": EXIT_USAGE,
    "internal": EXIT_INTERNAL,
    "stopped": EXIT_STOPPED,
}

_OURS = "internal error, please report it"

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a full or broken disk says under an output that goes to a file."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    accept_any_text()
    try:
        code = _exit_code(words)
        sys.stdout.flush()
    except BrokenPipeError:
        code = EXIT_UNREAD
        silence_output()
    except OSError as error:
        code = EXIT_USAGE
        silence_output()
        typer.echo(f"agentsim: can't write the output: {error.strerror}", err=True)
    sys.exit(code)


def _exit_code(words: list[str]) -> int:
    """Run a command; with `--json`, an error too is one JSON object on stdout."""
    as_json = "--json" in takewhile(lambda word: word != "--", words)
    try:
        code = _run(words)
    except InternalError as error:
        verdict, told = "internal", f"{_OURS}: {error}"
    except (AgentsimError, _Misuse) as error:
        verdict = "violated" if isinstance(error, Finding) else "usage"
        told = str(error)
    except (KeyboardInterrupt, typer.Abort):
        verdict, told = "stopped", "stopped by the keyboard"
    except Exception as error:
        if isinstance(error, BrokenPipeError) or _is_full(error):
            raise
        verdict = "internal"
        told = f"{_OURS}: {type(error).__name__}: {error}"
    else:
        return code
    typer.echo(f"agentsim: {told}", err=True)
    if as_json:
        print_json({"verdict": verdict, "error": told})
    return _EXITS[verdict]


def _is_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in _NO_ROOM


class _Misuse(Exception):
    """The words of the command line are not as its parser expects."""


def _run(words: list[str]) -> int:
    if words[-1:] == ["--"]:  # as from `-- $CMD` where the variable is empty
        raise UsageError("expected a command behind --, and there is none")
    try:
        with uncollected():
            app = _app(words)
        code = app(words, prog_name="agentsim", standalone_mode=False)
    except SystemExit:  # how typer and rich say that nobody reads any more
        raise BrokenPipeError from None
    except Exception as error:
        misuse = getattr(error, "format_message", None)
        if misuse is None:
            raise
        sentence = " ".join(misuse().split()).rstrip(".") or "say what to do"
        raise _Misuse(f"{sentence}; see agentsim --help") from None
    if code == EXIT_STOPPED and not isinstance(code, FullyTold):  # typer's Ctrl-C
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


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
    groups: dict[str, typer.Typer] = {}
    for name in _called(words) or COMMANDS:
        group, _, last = name.rpartition(" ")
        if group and group not in groups:
            groups[group] = _group(group)
            app.add_typer(groups[group], name=group)
        groups.get(group, app).command(last)(load_command(name))
    return app


def _called(words: Sequence[str]) -> tuple[str, ...]:
    """The one command that is called, or those of its group; empty: none."""
    for named in (words[:2], words[:1]):
        if named and (name := " ".join(named)) in COMMANDS:
            return (name,)
    return tuple(name for name in COMMANDS if name.split(" ")[:-1] == list(words[:1]))


def load_command(name: str) -> Callable[..., int]:
    """Import the function of a command, such as `run` or `cassette audit`."""
    group, _, last = name.replace("-", "_").rpartition(" ")
    place = f"{group}.{last}_action" if group else f"{last}_command"
    command: Callable[..., int] = importlib.import_module(
        f"agentsim.cli.{place}"
    ).command
    return command


def _group(name: str) -> typer.Typer:
    group = typer.Typer(no_args_is_help=True, help=GROUPS[name])
    group.callback()(lambda: None)
    return group


def _root() -> None:
    """Deterministic simulation and testing for agent loops."""
