"""Events told in words: one short line for each kind that a person reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from agentsim.core import (
    Acknowledged,
    CallIdsReplaced,
    CancelRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    Crashed,
    Declared,
    EffectApplied,
    Event,
    FaultStruck,
    IncarnationStarted,
    Message,
    MessageInjected,
    Outcome,
    RequestFailed,
    RequestSent,
    ResponseReceived,
    ResumeProbe,
    Returned,
    ToolEnded,
    ToolStarted,
    canonical_json,
)

__all__ = ["printable", "told", "told_arguments"]

WIDTH = 72
"""Characters that a text may take before it is cut."""

CALLS_SHOWN = 3
"""Calls of one response that are told; the others are counted."""

_ESCAPES = {"\n": "⏎", "\t": " ", "\r": " "}

_STAMPS = ("at_ns", "life", "who")


def told(event: Event) -> str:
    """Tell one event in a line of text."""
    tell = _WORDS.get(type(event), _any)
    return printable(tell(event))


def printable(text: str) -> str:
    """A text as it can stand in one line of any terminal; the rest is escaped."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else _ESCAPES.get(c) or _escaped(ord(c)) for c in text
    )


def told_arguments(arguments: Mapping[str, Any]) -> str:
    """Arguments as they would stand in a call: `host="web-03", n=5`."""
    pairs = (f"{key}={_json(value)}" for key, value in arguments.items())
    return _cut(", ".join(pairs))


def _json(value: object) -> str:
    try:
        return canonical_json(value)
    except (TypeError, ValueError):  # an agent that passes what no model can write
        return f"a {type(value).__name__}"


def _cut(text: str) -> str:
    # Cut before escaping too: a text may be as long as a file.
    cut = printable(text[: WIDTH + 1])
    return cut if len(cut) <= WIDTH else f"{cut[: WIDTH - 1]}…"


def _escaped(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _any(event: Event) -> str:
    """The kind of an event, and what its plain fields hold."""
    told = [event.kind.replace("_", " ")]
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name in _STAMPS or value is None:
            continue
        if isinstance(value, (bool, int, float, str)):
            text = value if isinstance(value, str) else _json(value)
            told.append(f"{field.name}={_cut(text)}")
    return " ".join(told)


def _request(event: RequestSent) -> str:
    count = len(event.messages)
    return f"request {event.number} with {count} message{'s' if count != 1 else ''}"


def _response(event: ResponseReceived) -> str:
    return f"response {event.number}: {_message(event.message)}{_reason(event)}"


def _message(message: Message) -> str:
    text = f'"{_cut(message.content)}"' if message.content else ""
    return " and ".join(part for part in (text, _calls(message)) if part) or "nothing"


def _calls(message: Message) -> str:
    calls = message.tool_calls
    shown = [f"{call.name}({_cut(call.arguments)})" for call in calls[:CALLS_SHOWN]]
    more = len(calls) - CALLS_SHOWN
    return ", ".join(shown) + (f" and {more} more calls" if more > 0 else "")


def _reason(event: ResponseReceived) -> str:
    usual = "tool_use" if event.message.tool_calls else "end_turn"
    return "" if event.stop_reason == usual else f" [{event.stop_reason}]"


def _failed(event: RequestFailed) -> str:
    status = event.status if event.status is not None else "no answer"
    return f"request {event.number} failed: {status} {event.error}: {_cut(event.words)}"


def _declared(event: Declared) -> str:
    promises = [name for name in ("limits", "loop") if getattr(event, name) is not None]
    return f"the agent promises to keep: {', '.join(promises) or 'nothing'}"


def _ended(event: ToolEnded) -> str:
    ending = "" if event.ending == "ok" else f" [{event.ending}]"
    return f"{event.name}{ending}" + (f": {_cut(event.output)}" if event.output else "")


def _answered(event: ConfirmationAnswered) -> str:
    if event.approved:
        return f"approved by {event.confirmed_by or 'nobody'}"
    return f"declined: {_cut(event.reason)}" if event.reason else "declined"


def _replaced(event: CallIdsReplaced) -> str:
    pairs = ", ".join(f"{old or '(none)'} → {new}" for old, new in event.replaced)
    return f"call ids replaced: {pairs}"


def _probed(event: ResumeProbe) -> str:
    if event.rule is None:
        return "the history left would take a new message"
    return f"a new message would be refused: {event.param}: {_cut(event.words)}"


def _outcome(event: Outcome) -> str:
    parts = [event.status or event.ending]
    if event.iterations is not None:
        parts.append(
            f"after {event.iterations} iteration{'s' if event.iterations != 1 else ''}"
        )
    text = event.error if event.error is not None else event.output
    return " ".join(parts) + (f": {_cut(text)}" if text else "")


_WORDS: dict[type[Event], Callable[[Any], str]] = {
    IncarnationStarted: lambda event: f"life {event.life} begins",
    Declared: _declared,
    RequestSent: _request,
    ResponseReceived: _response,
    RequestFailed: _failed,
    ToolStarted: lambda event: f"{event.name}({told_arguments(event.arguments)})",
    ToolEnded: _ended,
    EffectApplied: lambda event: f"{event.name} took effect",
    ConfirmationAsked: lambda event: (
        f"may {event.name}({told_arguments(event.arguments)}) run?"
    ),
    ConfirmationAnswered: _answered,
    FaultStruck: lambda event: f"{event.fault} strikes {event.target}: {event.words}",
    CallIdsReplaced: _replaced,
    MessageInjected: lambda event: (
        f"takes in message {event.message_id}: {_cut(event.text)}"
    ),
    Acknowledged: lambda event: f"message {event.message_id} acknowledged",
    CancelRequested: lambda _event: "the run is cancelled from outside",
    ResumeProbe: _probed,
    Returned: lambda _event: "the agent returned; what follows comes after its end",
    Crashed: lambda _event: "the process dies",
    Outcome: _outcome,
}
