"""Command lines that typer reads: help, refusals, and whatever is not plain."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import get_args

import typer
from typer.models import ArgumentInfo

from agentsim.cli.app import COMMANDS, GROUPS, called, load_command
from agentsim.cli.options.declared import for_typer
from agentsim.cli.output import EXIT_STOPPED, FullyTold, uncollected
from agentsim.core import UsageError

__all__ = ["run_by_typer"]


def run_by_typer(words: Sequence[str]) -> int:
    """Run what the words ask for, and give its exit code.

    Raises:
        UsageError: for words that are not expected.
        KeyboardInterrupt: when it was stopped by the keyboard.
    """
    try:
        with uncollected():
            app = _app(words)
        code = app(list(words), prog_name="agentsim", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        misuse = getattr(error, "format_message", None)
        if misuse is None:
            raise
        sentence = " ".join(misuse().split()).rstrip(".") or "say what to do"
        raise UsageError(f"{sentence}; see agentsim --help") from None
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
        context_settings={"help_option_names": ["--help", "-h"]},
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    groups: dict[str, typer.Typer] = {}
    for name in called(words) or COMMANDS:
        group, _, last = name.rpartition(" ")
        if group and group not in groups:
            groups[group] = _group(group)
            app.add_typer(groups[group], name=group)
        groups.get(group, app).command(last)(_for_help(load_command(name)))
    return app


def _for_help(command: Callable[..., int]) -> Callable[..., int]:
    """A command as typer's help shows it as it is meant.

    Lines are broken by the terminal's width, and by nothing else; what stands in brackets
    is no markup; and of a word that may be repeated typer says so itself.
    """
    from rich.markup import escape

    made = for_typer(command)
    paragraphs = escape(inspect.getdoc(command) or "").split("\n\n")
    made.__doc__ = "\n\n".join(" ".join(lines.split()) for lines in paragraphs)
    for parameter in inspect.signature(made).parameters.values():
        note = get_args(parameter.annotation)[-1]
        note.help = escape(note.help or "")
        repeated = isinstance(note, ArgumentInfo) and str(note.metavar).strip("[]")
        if repeated and repeated.endswith("..."):
            note.metavar = repeated.removesuffix("...")
    return made


def _group(name: str) -> typer.Typer:
    group = typer.Typer(no_args_is_help=True, help=GROUPS[name])
    group.callback()(lambda: None)
    return group


def _root() -> None:
    """Deterministic simulation and testing for agent loops."""
