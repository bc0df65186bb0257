"""How the commands print: one JSON object, or lines that no text can disturb."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentsim.core import AgentsimError, Finding, InternalError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "EXIT_STOPPED",
    "LINES_MAX",
    "SCHEMA_VERSION",
    "FullyTold",
    "accept_any_text",
    "agent_output",
    "console",
    "echo",
    "error_words",
    "open_what_is_closed",
    "print_json",
    "silence_output",
    "tell",
    "uncollected",
]

SCHEMA_VERSION = 1

EXIT_STOPPED = 130

LINES_MAX = 400
"""Lines of a timeline that are printed; `--trace` and `--json` have them all."""

WIDTH = 120
"""Columns where the output is no terminal, so that it is the same everywhere."""


OURS = "internal error, please report it"


class FullyTold(int):
    """An exit code of a command that said itself what it means."""


def console() -> Console:
    """The terminal to print on: texts of models and files hold no markup and no emoji.

    When the reader goes away the command goes on in silence: its exit code is known.
    """
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            self.quiet = True
            silence_output()

    made = Terminal(markup=False, emoji=False, highlight=False)
    if not made.is_terminal:
        made.width = WIDTH
    return made


def echo(text: str, *, err: bool = False) -> None:
    """Print a line at once, to the standard output or to that for errors."""
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def error_words(error: Exception) -> tuple[str, str]:
    """What the verdict is where an error ends a command, and what is told of it."""
    notes = getattr(error, "__notes__", ())
    if isinstance(error, AgentsimError) and not isinstance(error, InternalError):
        verdict = "violated" if isinstance(error, Finding) else "usage"
        return verdict, "\n".join((str(error), *notes))
    kind = "" if isinstance(error, InternalError) else f"{type(error).__name__}: "
    return "internal", "\n".join((f"{OURS}: {kind}{error}", *notes))


def tell(terminal: Console, text: str) -> None:
    """Print text line by line as it is; a terminal may wrap it."""
    from rich.text import Text

    from agentsim.report import printable

    for line in text.split("\n"):
        terminal.print(Text(printable(line)), soft_wrap=True)


def print_json(data: Mapping[str, Any]) -> None:
    """Print one JSON object; text of the agent may hold lone surrogates, so in ASCII."""
    text = json.dumps({"schema_version": SCHEMA_VERSION, **data}, indent=2)
    try:
        echo(text)
    except BrokenPipeError:
        silence_output()


@contextlib.contextmanager
def agent_output(*, shown: bool) -> Iterator[None]:
    """Keep what an agent and its modules print apart from what the command prints.

    Args:
        shown: Whether to show it, on stderr; over many runs it would be noise, and so
            would what it logs and prints to stderr itself.
    """
    if shown:
        with contextlib.redirect_stdout(sys.stderr):
            yield
        return
    with (
        open(os.devnull, "w", encoding="utf-8", errors="backslashreplace") as nowhere,  # noqa: PTH123
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        yield


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Load modules without a look for garbage, then or later: what is loaded stays."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was:
            gc.enable()


def open_what_is_closed() -> None:
    """Let standard streams that were closed (`>&-`) lead nowhere, and be no other file.

    The next file would take such a stream's number, and get what is printed to it.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)  # the least number that is free
            os.set_inheritable(nowhere, True)  # noqa: FBT003 - as standard streams are
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(nowhere, mode, encoding="utf-8"))  # noqa: SIM115, PTH123


def accept_any_text() -> None:
    """Let texts be printed that the encoding of the terminal does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def silence_output() -> None:
    """Send what is still to be printed nowhere, the interpreter's last flush too."""
    with contextlib.suppress(OSError, ValueError), Path(os.devnull).open("wb") as none:
        os.dup2(none.fileno(), sys.stdout.fileno())
