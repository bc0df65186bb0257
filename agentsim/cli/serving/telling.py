"""The verdicts on the runs of a server, for people and for machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from agentsim.cli.options.places import trace_not_written
from agentsim.cli.output import LINES_MAX, console, print_json, tell
from agentsim.cli.serving.ended import Ended
from agentsim.report import failure_text, print_judgements, print_timeline
from agentsim.server import ServedVerdict

__all__ = ["Ended", "print_ended", "write_traces"]

WORST = ("internal", "usage", "violated", "unknown", "holds")


def print_ended(ended: Ended, repeat: str, *, as_json: bool) -> None:
    """Print all verdicts; one run alone is told in full, of several what is wrong."""
    if as_json:
        print_json(_data(ended))
        return
    terminal = console()
    alone = len(ended.told) == 1
    for told in ended.told:
        _print(terminal, told, repeat, full=alone or told.word == "violated")
    if ended.command is not None and ended.failed:
        tell(terminal, f"{ended.command.words[0].upper()}{ended.command.words[1:]}.")


def write_traces(ended: Ended, path: Path) -> list[str]:
    """Write the trace of the run, or of each: then its name stands in that of the file.

    Returns:
        What kept them from being written, a sentence for each.
    """
    unwritten = []
    for told in ended.told:
        name = f"{path.stem}-{told.session.name}{path.suffix}"
        file = path if len(ended.told) == 1 else path.with_name(name)
        unwritten.append(trace_not_written(file, told.trace))
    return [words for words in unwritten if words is not None]


def _print(terminal: Console, told: ServedVerdict, repeat: str, *, full: bool) -> None:
    verdict = told.verdict
    judgements = () if verdict is None else verdict.judgements
    if full and told.session.life.asked:
        print_timeline(terminal, told.trace, judgements, lines_max=LINES_MAX)
        terminal.print()
    if full and verdict is not None:
        print_judgements(terminal, judgements)
        terminal.print()
    if verdict is not None and verdict.violated:
        words = told.session.life.words
        tell(
            terminal,
            failure_text(told.trace, judgements, deviations=words, repeat=repeat),
        )
    elif verdict is not None and verdict.unmet:
        tell(terminal, f"Named and never met: {', '.join(verdict.unmet)}")
    tell(terminal, told.sentence)
    if told.error:
        tell(terminal, told.error)
    for note in told.session.scene.warnings:
        tell(terminal, f"Note: {note}.")


def _data(ended: Ended) -> dict[str, Any]:
    words = [told.word for told in ended.told]
    verdict = next((word for word in WORST if word in words), "unknown")
    if ended.failed and verdict == "holds":
        verdict = "violated"
    data: dict[str, Any] = {"verdict": verdict, "runs": [t.data for t in ended.told]}
    if ended.command is not None:
        command = {"exit_code": ended.command.code, "words": ended.command.words}
        data["command"] = command
    errors = [told.error for told in ended.told if told.error]
    return {**data, "error": errors[0]} if errors else data
