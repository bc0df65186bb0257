"""The timeline and the table of judgements on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from agentsim.invariants import Judgement
from agentsim.report.failure import invariant_sentence
from agentsim.report.timeline import Line, timeline
from agentsim.report.words import printable
from agentsim.trace import Trace

__all__ = ["print_judgements", "print_timeline"]

STATUS_STYLES = {
    "holds": "green",
    "violated": "bold red",
    "unknown": "yellow",
}

REASON_WIDTH = 40
"""Columns that a reason has beside a long list of invariants."""

ACTOR_STYLES = {
    "agent": "cyan",
    "model": "magenta",
    "tool": "blue",
    "person": "green",
    "world": "yellow",
    "fault": "red",
    "engine": "red",
    "end": "bold",
}


def print_timeline(
    console: Console,
    trace: Trace,
    judgements: Sequence[Judgement] = (),
    *,
    runtime: bool = False,
    lines_max: int | None = None,
) -> None:
    """Print a trace as a timeline; events that show a violation are marked.

    Args:
        runtime: Whether to show what the runtime says of itself beside the boundary.
        lines_max: Leave out the middle of a longer one, and say so.
    """
    marked = {i for j in judgements for v in j.violations for i in v.events}
    lines = timeline(trace, marked=marked, runtime=runtime)
    left_out = len(lines) - (len(lines) if lines_max is None else lines_max)
    if left_out <= 0:
        console.print(_table(lines))
        return
    head = (len(lines) - left_out + 1) // 2
    console.print(_table(lines[:head]))
    console.print(Text(f"⋮ {left_out} lines are left out here", style="dim"))
    console.print(_table(lines[head + left_out :]))


def _table(lines: Sequence[Line]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    table.add_column(width=1)
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for line in lines:
        style = "bold red" if line.marked else ""
        table.add_row(
            Text("✗" if line.marked else "", style="bold red"),
            Text(line.at),
            Text(line.actor, style=ACTOR_STYLES.get(line.actor, "")),
            Text(line.lanes, style="blue"),
            Text(line.words, style=style),
        )
    return table


def print_judgements(console: Console, judgements: Sequence[Judgement]) -> None:
    """Print a row for each judgement; those that do not apply stand below, by reason."""
    applying = [entry for entry in judgements if entry.status != "not_applicable"]
    if applying:
        console.print(_judged(applying))
    reasons: dict[str, list[str]] = {}
    for entry in judgements:
        if entry.status == "not_applicable":
            reasons.setdefault(entry.why, []).append(entry.id)
    if reasons:
        if applying:
            console.print()
        console.print(_set_aside(reasons))


def _judged(judgements: Sequence[Judgement]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column("invariant", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("evidence", justify="right")
    table.add_column("what it says", overflow="fold", style="dim")
    for judgement in judgements:
        words = judgement.why or invariant_sentence(judgement.id)
        table.add_row(
            Text(judgement.id),
            Text(judgement.status, style=STATUS_STYLES[judgement.status]),
            Text(str(judgement.evidence)),
            Text(printable(words)),
        )
    return table


def _set_aside(reasons: Mapping[str, Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1), style="dim")
    table.add_column("not applicable", overflow="fold")
    table.add_column("since", overflow="fold", min_width=REASON_WIDTH)
    for why, identifiers in reasons.items():
        table.add_row(Text(", ".join(identifiers)), Text(printable(why)))
    return table
