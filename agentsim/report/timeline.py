"""The timeline of a trace: a line per event, with lanes for what overlaps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from agentsim.core import (
    EffectApplied,
    Event,
    Outcome,
    RequestFailed,
    ResponseReceived,
    ResumeProbe,
    ToolEnded,
    ToolStarted,
)
from agentsim.report.words import told
from agentsim.trace import Trace

__all__ = ["Line", "timeline"]

NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Line:
    """One event on the timeline.

    Attributes:
        index: Index of the event in the trace.
        at: Virtual time, such as `1.250 s`.
        lanes: One character per tool in flight: `╭` starts, `│` runs, `●` takes
            effect, `╰` ends.
        actor: Who acts: `agent`, `model`, `tool`, `person`, `world`, `fault`, `engine`.
        marked: Whether the event shows a violation.
    """

    index: int
    at: str
    lanes: str
    actor: str
    words: str
    marked: bool


def timeline(
    trace: Trace,
    *,
    marked: Collection[int] = (),
    runtime: bool = False,
) -> tuple[Line, ...]:
    """Lay out a trace.

    Args:
        marked: Indexes of the events that show a violation.
        runtime: Whether to show what the runtime says of itself beside the boundary.
    """
    lanes: list[int | None] = []
    lines: list[Line] = []
    for index, event in enumerate(trace.events):
        if event.who == "runtime" and not runtime:
            continue
        if isinstance(event, ResumeProbe) and not runtime:
            continue  # a question about the run, and nothing that happened in it
        drawn = _draw(lanes, event)
        at = f"{event.at_ns / NANOSECONDS:.3f} s"
        lines.append(
            Line(index, at, drawn, _actor(event), told(event), index in marked)
        )
    return tuple(lines)


def _draw(lanes: list[int | None], event: Event) -> str:
    """Draw the tools in flight at an event, and keep the lanes up to date."""
    boundary = event.who in ("boundary", "world")
    operation = getattr(event, "operation", None) if boundary else None
    if isinstance(event, ToolStarted) and boundary:
        free = lanes.index(None) if None in lanes else len(lanes)
        lanes[free : free + 1] = [event.operation]
    if event.kind == "crash":
        lanes.clear()
    mark = "│"
    for kind, sign in ((ToolStarted, "╭"), (EffectApplied, "●"), (ToolEnded, "╰")):
        mark = sign if isinstance(event, kind) else mark
    drawn = "".join(_cell(lane, operation, mark) for lane in lanes)
    if isinstance(event, ToolEnded) and operation in lanes:
        lanes[lanes.index(operation)] = None
        while lanes and lanes[-1] is None:
            lanes.pop()
    return drawn


def _cell(lane: int | None, operation: int | None, mark: str) -> str:
    if lane is None:
        return " "
    return mark if lane == operation else "│"


def _actor(event: Event) -> str:
    if event.who != "boundary":
        return event.who
    if isinstance(event, (ResponseReceived, RequestFailed)):
        return "model"
    if isinstance(event, (ToolStarted, ToolEnded)):
        return "tool"
    if event.kind == "confirmation_answered":
        return "person"
    return "end" if isinstance(event, Outcome) else "agent"
