"""The timeline of a whole run as plain text."""

from __future__ import annotations

from agentsim.report import row, timeline
from agentsim.simulation import Run
from agentsim.trace import Trace

__all__ = ["timeline_text"]


def timeline_text(of: Run | Trace) -> str:
    """A line per event; those of a run that show a violation are marked."""
    if isinstance(of, Trace):
        return "\n".join(map(row, timeline(of)))
    marked = {
        index
        for judgement in of.verdict.violated
        for violation in judgement.violations
        for index in violation.events
    }
    return "\n".join(map(row, timeline(of.trace, marked=marked)))
