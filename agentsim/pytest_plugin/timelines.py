"""The timeline of a run as plain text."""

from __future__ import annotations

from collections.abc import Collection

from agentsim.report import row, timeline
from agentsim.simulation import Run
from agentsim.trace import Trace

__all__ = ["timeline_section", "timeline_text"]

LINES_SHOWN = 80
"""Lines of a timeline in the report of a failing test; its trace has them all."""


def timeline_text(of: Run | Trace) -> str:
    """A line per event; those of a run that show a violation are marked."""
    return "\n".join(_rows(of))


def timeline_section(of: Run, elsewhere: Collection[str] = ()) -> str:
    """The same for the report of a failing test: the middle of a long one is left out.

    Args:
        elsewhere: Invariants whose violations are not marked.
    """
    rows = _rows(of, elsewhere)
    left_out = len(rows) - LINES_SHOWN
    if left_out > 1:
        head = LINES_SHOWN // 2
        words = "are left out here; --agentsim-traces=FOLDER keeps all of them"
        rows[head : head + left_out] = [f"  ⋮ {left_out} lines {words}"]
    return "\n".join(rows)


def _rows(of: Run | Trace, elsewhere: Collection[str] = ()) -> list[str]:
    if isinstance(of, Trace):
        return [row(line) for line in timeline(of)]
    marked = {
        index
        for judgement in of.verdict.violated
        if judgement.id not in elsewhere
        for violation in judgement.violations
        for index in violation.events
    }
    return [row(line) for line in timeline(of.trace, marked=marked)]
