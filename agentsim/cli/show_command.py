"""`agentsim show`: the timeline and the verdict of a recorded trace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from agentsim.cli.common import JsonOption, RuntimeOption, read_trace
from agentsim.cli.options.declared import Argument, Option
from agentsim.cli.output import LINES_MAX, console, print_json, tell
from agentsim.invariants import judge, overall
from agentsim.report import (
    EXIT_CODES,
    failure_text,
    judgements_data,
    print_judgements,
    print_timeline,
    timeline,
)
from agentsim.trace import Trace, diff

__all__ = ["command"]


def command(
    trace: Annotated[Path, Argument(metavar="TRACE", says="A trace in JSON Lines.")],
    against: Annotated[
        Path | None,
        Option("--diff", metavar="TRACE", says="Say where another trace diverges."),
    ] = None,
    runtime_events: RuntimeOption = False,
    as_json: JsonOption = False,
) -> int:
    """Show a trace that was recorded, judged anew."""
    shown = read_trace(trace)
    judgements = judge(shown)
    status = overall(judgements)
    divergence = diff(shown, read_trace(against)) if against is not None else None
    if as_json:
        print_json(
            {
                "verdict": status,
                "scenario": shown.header.scenario,
                "agent": shown.header.agent,
                "trace_digest": shown.digest(),
                "invariants": judgements_data(judgements),
                "timeline": _timeline_data(shown, runtime_events=runtime_events),
                **({"divergence": divergence} if against is not None else {}),
            }
        )
    else:
        terminal = console()
        print_timeline(
            terminal, shown, judgements, runtime=runtime_events, lines_max=LINES_MAX
        )
        terminal.print()
        print_judgements(terminal, judgements)
        terminal.print()
        if status == "violated":
            tell(terminal, failure_text(shown, judgements))
        tell(
            terminal,
            f"{trace}: {status}. {shown.header.agent} in {shown.header.scenario}.",
        )
        if against is not None:
            tell(terminal, divergence or "The traces are equal.")
    return EXIT_CODES[status]


def _timeline_data(trace: Trace, *, runtime_events: bool) -> list[dict[str, object]]:
    return [
        {"event": line.index, "at": line.at, "actor": line.actor, "words": line.words}
        for line in timeline(trace, runtime=runtime_events)
    ]
