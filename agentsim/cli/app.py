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
from functools import partial
from itertools import takewhile

from agentsim.cli.options.declared import plain_values
from agentsim.cli.output import (
    EXIT_STOPPED,
    accept_any_text,
    echo,
    error_words,
    open_what_is_closed,
    print_json,
    silence_output,
    uncollected,
)
from agentsim.core import UsageError, raised_words

__all__ = ["COMMANDS", "GROUPS", "called", "load_command", "main"]

COMMANDS = (
    "run",
    "explore",
    "replay",
    "show",
    "check",
    "record",
    "cassette audit",
    "cassette check",
    "cassette import",
    "cassette to-scenario",
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

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a full or broken disk says under an output that goes to a file."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    open_what_is_closed()
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
        echo(f"agentsim: can't write the output: {error.strerror}", err=True)
    sys.exit(code)


def _exit_code(words: list[str]) -> int:
    """Run a command; with `--json`, an error too is one JSON object on stdout."""
    as_json = "--json" in takewhile(lambda word: word != "--", words)
    try:
        code = _run(words)
    except (KeyboardInterrupt, EOFError):
        verdict, told = "stopped", "stopped by the keyboard"
    except Exception as error:
        if isinstance(error, BrokenPipeError) or _is_full(error):
            raise
        verdict, told = error_words(error)
    else:
        return code
    echo(f"agentsim: {told}", err=True)
    if as_json:
        print_json({"verdict": verdict, "error": told})
    return _EXITS[verdict]


def _is_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def _run(words: list[str]) -> int:
    if words[-1:] == ["--"]:  # as from `-- $CMD` where the variable is empty
        raise UsageError("expected a command behind --, and there is none")
    try:
        with uncollected():
            command = _plain(words)
        if command is not None:
            return command()
        from agentsim.cli.options.typed import run_by_typer

        return run_by_typer(words)
    except SystemExit as error:
        if _is_of_the_output(error):
            raise BrokenPipeError from None
        raise UsageError(
            f"code that is no part of agentsim {raised_words(error)}: an agent, a world, "
            "a fault or an invariant must not end the process"
        ) from None


def _is_of_the_output(error: SystemExit) -> bool:
    """Whether typer or rich exits: so they say that nobody reads any more."""
    step = error.__traceback__
    module = ""
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", ""))
        step = step.tb_next
    return module.partition(".")[0] in ("typer", "rich", "click")


def _plain(words: list[str]) -> Callable[[], int] | None:
    """The command that is called with its values, or None where typer has to read them."""
    for name in called(words):
        own = name.split(" ")
        if words[: len(own)] == own:
            command = load_command(name)
            values = plain_values(command, words[len(own) :])
            return None if values is None else partial(command, **values)
    return None


def called(words: Sequence[str]) -> tuple[str, ...]:
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
