"""Hand-written traces that hold one of everything a reader may meet."""

from __future__ import annotations

from collections.abc import Iterable

from agentsim.core import (
    Acknowledged,
    CallIdsReplaced,
    CancelRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    Crashed,
    Declared,
    DeltaReceived,
    EffectApplied,
    Event,
    FaultStruck,
    FinalAnswer,
    History,
    IncarnationStarted,
    Injected,
    Limits,
    LoopBlocked,
    LoopRules,
    MessageInjected,
    Outcome,
    RequestFailed,
    RequestSent,
    ResponseReceived,
    RunStarted,
    ToolCall,
    ToolEnded,
    ToolStarted,
    Usage,
    assistant,
    user,
)
from agentsim.invariants import Judgement, Violation
from agentsim.trace import Header, Trace

VIEW = History([user("x")]).view()

CALLS = tuple(ToolCall(f"c{n}", "read_file", f'{{"path":"{n}"}}') for n in range(5))

MESSAGE = Injected("m1", "Hurry up.")


def trace(*events: Event, header: Header | None = None) -> Trace:
    """A trace in which each event comes a quarter of a second after the one before."""
    for number, event in enumerate(events):
        event.at_ns = number * 250_000_000
    return Trace(header or Header(scenario="story"), events)


def everything() -> Iterable[Event]:
    """One event of each kind that is told in words of its own, and some that are not."""
    return (
        IncarnationStarted(who="engine"),
        Declared(Limits(), LoopRules()),
        Declared(None, None),
        RequestSent(1, "m", VIEW, (), 0.0, None),
        ResponseReceived(
            1, assistant("Let me see.", *CALLS[:1]), "tool_use", Usage(1, 1)
        ),
        ResponseReceived(2, assistant("", *CALLS), "tool_use", Usage(1, 1)),
        ResponseReceived(3, assistant(""), "end_turn", None),
        ResponseReceived(4, assistant("Cut"), "max_tokens", None),
        RequestFailed(5, 400, "invalid_request_error", "messages: no"),
        RequestFailed(6, None, "connection_error", "gone"),
        DeltaReceived(1, "Let"),
        ToolStarted(1, "read_file", {"path": "a b", "n": 5}),
        FaultStruck("slow", "read_file", False, "the tool takes longer", who="fault"),
        EffectApplied(1, "read_file", {}, who="world"),
        ToolEnded(1, "read_file", "ok", "one\ntwo\tthree\r"),
        ToolStarted(2, "check_disk", {}),
        ToolEnded(2, "check_disk", "unknown", ""),
        CallIdsReplaced((("", "call-1"), ("a", "call-2"))),
        ConfirmationAsked(1, "restart", {"host": "web-03"}),
        ConfirmationAnswered(1, True, "ada"),
        ConfirmationAnswered(2, True),
        ConfirmationAnswered(3, False),
        ConfirmationAnswered(4, False, None, "Not now."),
        MessageInjected("m1", "Hurry up."),
        Acknowledged("m1"),
        RunStarted("task", who="runtime"),
        FinalAnswer("Done.", who="runtime"),
        LoopBlocked("read_file", 3, who="runtime"),
        CancelRequested(who="engine"),
        Crashed(who="engine"),
        Outcome("returned", "done", "All is well.", None, 1),
        Outcome("returned", "failed", None, "It broke.", 5),
        Outcome("deadlock", None, None, None),
    )


def violated(*events: int, words: str = "a rule was broken") -> Judgement:
    """A judgement with one violation that these events show."""
    violation = Violation(words, "this", "that", events)
    return Judgement("writes-alone", "violated", 1, (violation,), "")
