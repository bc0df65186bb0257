"""What a scenario says should happen, judged on a run without deviations.

An agent that does nothing violates no invariant; the expectation is what tells it from
one that does the job.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from agentsim.core import (
    STATUSES,
    EffectApplied,
    Message,
    Outcome,
    ResponseReceived,
    ToolStarted,
    UsageError,
    did_you_mean,
)
from agentsim.invariants import Judgement, VerdictStatus, Violation
from agentsim.trace import Trace

__all__ = ["EXPECTED", "Expectation", "judge_expectation"]

EXPECTED = "expected"
"""The id under which a verdict lists the scenario's own expectation."""

UNTOLD = object()
"""What only a `RunResult` tells: not judged of an agent that returned none."""

ON_THE_WIRE = ("iterations", "calls")
"""What shows where only the wire was seen; nothing else is judged of such a run."""

BLOCK_TEXT = "Error: loop detected:"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What should be true of a run without deviations; None is not asked for.

    An agent that returns a text instead of a `RunResult` is `done`; the messages and the
    first block of its history are not judged, since it gives none. Of a program of its
    own, of which only the wire is seen, just iterations and calls are judged.

    Attributes:
        status: How the run ends (R1.9).
        output: A text that the output contains.
        iterations: Responses consumed.
        messages: Messages in the history it leaves, from the system prompt to the
            final answer.
        calls: Calls the model made.
        first_block: Which call, 1-based, is the first answered as a loop.
        tools: Names of the tools that ran, in order.
        effects: How often each writing tool took effect; others never.
    """

    status: str | None = None
    output: str | None = None
    iterations: int | None = None
    messages: int | None = None
    calls: int | None = None
    first_block: int | None = None
    tools: tuple[str, ...] | None = None
    effects: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        self._check_kinds()
        if self.status is not None and self.status not in STATUSES:
            raise UsageError(
                f"expect.status: unknown status {self.status!r} "
                f"(there are {', '.join(STATUSES)})"
                f"{did_you_mean(self.status, STATUSES)}"
            )
        for name in ("iterations", "messages", "calls", "first_block"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise UsageError(f"expect.{name}: expected zero or more, got {value!r}")
        for name, count in (self.effects or {}).items():
            if count < 0:
                raise UsageError(
                    f"expect.effects.{name}: expected zero or more, got {count!r}"
                )

    def _check_kinds(self) -> None:
        for name, (kind, words) in _KINDS.items():
            value = getattr(self, name)
            if value is None or (type(value) is not bool and isinstance(value, kind)):
                continue
            raise UsageError(
                f"expect.{name}: expected {words}, got {_told_kind(value)}"
            )
        for name, count in (self.effects or {}).items():
            if type(count) is not int:
                raise UsageError(
                    f"expect.effects.{name}: expected a whole number, got "
                    f"{_told_kind(count)}"
                )
        for name in self.tools or ():
            if not isinstance(name, str):
                raise UsageError(
                    f"expect.tools: expected names of tools, got {_told_kind(name)}"
                )


_KINDS: dict[str, tuple[type, str]] = {
    **dict.fromkeys(("status", "output"), (str, "a text")),
    **dict.fromkeys(
        ("iterations", "messages", "calls", "first_block"), (int, "a whole number")
    ),
    "tools": (tuple, "names of tools"),
    "effects": (Mapping, "a mapping from tools to how often"),
}
"""Field -> what it is, unless it is None, and that in words."""


def _told_kind(value: object) -> str:
    return repr(value) if isinstance(value, (int, float, str)) else type(value).__name__


_NAMES = tuple(field.name for field in fields(Expectation))


def judge_expectation(expectation: Expectation, trace: Trace) -> Judgement:
    """Compare a trace with what the scenario expects."""
    asked = {
        name: value
        for name in _NAMES
        if (value := getattr(expectation, name)) is not None
    }
    why = "the scenario expects nothing"
    if trace.header.wire_only:
        asked = {name: asked[name] for name in asked if name in ON_THE_WIRE}
        why = "nothing of what the scenario expects shows on the wire"
    if not asked:
        return Judgement(EXPECTED, "not_applicable", 0, (), why)
    violations = tuple(_differences(asked, trace))
    status: VerdictStatus = "violated" if violations else "holds"
    return Judgement(EXPECTED, status, len(asked), violations, "")


def _differences(asked: Mapping[str, Any], trace: Trace) -> Iterator[Violation]:
    found = _facts(trace)
    last = (len(trace.events) - 1,)
    for name, expected in asked.items():
        if found[name] is UNTOLD:
            continue
        if name == "output":
            text = found["output"]
            if not isinstance(text, str) or expected not in text:
                yield Violation(
                    "the output lacks an expected text",
                    repr(expected),
                    repr(text),
                    last,
                )
            continue
        meant = expected
        if name == "effects":
            meant = {tool: count for tool, count in expected.items() if count}
        if found[name] != meant:
            yield Violation(
                f"{name} is not as the scenario expects",
                _told(meant),
                _told(found[name]),
                last,
            )


def _told(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {count}" for name, count in value.items()) or "none"
    return str(value)


def _facts(trace: Trace) -> dict[str, object]:
    outcome = next((e for e in reversed(trace.events) if isinstance(e, Outcome)), None)
    history = (
        outcome.history if outcome is not None and outcome.history is not None else ()
    )
    effects: dict[str, int] = {}
    calls: list[int] = []
    tools: list[str] = []
    for event in trace.events:
        if event.who == "runtime":
            continue
        # Not by `isinstance`, which takes long to say no: most events are others.
        if type(event) is ResponseReceived:
            calls.append(len(event.message.tool_calls))
        elif type(event) is ToolStarted:
            tools.append(event.name)
        elif type(event) is EffectApplied:
            effects[event.name] = effects.get(event.name, 0) + 1
    found = {
        "status": None,
        "output": None,
        "iterations": len(calls),
        "messages": UNTOLD,
        "calls": sum(calls),
        "first_block": _first_block(history),
        "tools": tuple(tools),
        "effects": effects,
    }
    if outcome is not None:
        found["output"] = outcome.output
        found["status"] = outcome.status or _ending(outcome)
        if outcome.iterations is not None:
            found["iterations"] = outcome.iterations
        if outcome.history is not None:
            found["messages"] = len(history)
        else:
            found["first_block"] = UNTOLD
    return found


def _first_block(history: Sequence[Message]) -> int | None:
    """Which result, 1-based, is the first that tells of a loop."""
    results = 0
    for message in history:
        if message.role == "tool":
            results += 1
            if message.content.startswith(BLOCK_TEXT):
                return results
    return None


def _ending(outcome: Outcome) -> str:
    """How an agent ended that gave no status: one that returned a text is done."""
    returned = outcome.ending == "returned" and outcome.output is not None
    return "done" if returned else f"no status ({outcome.ending})"
