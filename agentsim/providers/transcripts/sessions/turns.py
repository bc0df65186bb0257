"""The requests and answers that a conversation went through, and the tools it ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentsim.core import ToolCall
from agentsim.providers.transcripts.conversations import usage_error
from agentsim.providers.transcripts.reading import ShapeFault
from agentsim.providers.transcripts.recognise import ANTHROPIC, RESPONSES
from agentsim.providers.transcripts.results import TranscriptWire
from agentsim.providers.transcripts.sessions.answers import answer_of
from agentsim.providers.transcripts.sessions.values import SessionCall, SessionPart

__all__ = ["SessionExchange", "calls_in", "exchanges_in"]


@dataclass(frozen=True, slots=True)
class SessionExchange:
    """A request and its answer.

    Attributes:
        position: Index of the first message of the answer; -1 where it stands apart.
        at_ms: Milliseconds since 1970; 0 when it is not known.
    """

    wire: TranscriptWire
    body: Mapping[str, Any]
    answer: Mapping[str, Any]
    position: int = -1
    at_ms: float = 0
    took_ms: float = 0


def exchanges_in(part: SessionPart) -> Iterator[SessionExchange]:
    """Take a conversation apart: each answer, with all that stands before it as asked."""
    if part.answer is not None:
        begin, end = (*part.times, 0.0, 0.0)[:2]
        took = max(0.0, end - begin)
        yield SessionExchange(
            part.wire, part.body, part.answer, at_ms=begin, took_ms=took
        )
        return
    listed = part.body[part.key]
    listed = listed if isinstance(listed, list) else []
    model = part.body.get("model")
    asked = [_as_asked(part.wire, message) for message in listed]
    for begin, end in _answers(part.wire, listed):
        said = listed[begin:end]
        at, until = _time(part, begin - 1), _time(part, end - 1)
        named = model or said[0].get("model")
        body = {
            **{key: value for key, value in part.body.items() if key != "stream"},
            **({"model": named} if isinstance(named, str) else {}),
            part.key: asked[:begin],
        }
        answer = answer_of(part.wire, said, model=named, made=f"imported_{begin}")
        took = max(0.0, until - at) if at else 0.0
        yield SessionExchange(part.wire, body, answer, begin, at or until, took)


def _as_asked(wire: TranscriptWire, message: Any) -> Any:  # noqa: ANN401 - JSON
    """A message as it is sent back: what only answers have, sessions keep in all."""
    if wire != ANTHROPIC or not isinstance(message, dict):
        return message
    return {key: message[key] for key in ("role", "content") if key in message}


def _time(part: SessionPart, index: int) -> float:
    if part.answer is not None:
        return 0.0
    return part.times[index] if 0 <= index < len(part.times) else 0.0


def _answers(wire: TranscriptWire, listed: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """Where answers begin and end: on Responses, one is all items in a row."""
    begin: int | None = None
    asked = False
    for index, message in enumerate((*listed, None)):
        if begin is not None and not (wire == RESPONSES and _is_said(message)):
            yield begin, index
            begin = None
        if begin is None and _is_said(message) and asked:
            begin = index
        asked = asked or _is_asked(message)


def _is_said(message: object) -> bool:
    if not isinstance(message, dict):
        return False
    kind = message.get("type")
    if kind is None or kind == "message" or "role" in message:
        return message.get("role") == "assistant"
    return kind == "reasoning" or str(kind).endswith("_call")


def _is_asked(message: object) -> bool:
    """Whether a message asks for an answer: instructions alone do not."""
    if not isinstance(message, dict) or _is_said(message):
        return False
    return message.get("role") not in ("system", "developer")


def calls_in(part: SessionPart, file: str) -> Iterator[tuple[int, SessionCall]]:
    """The calls that have a result in a conversation, with the index of that result.

    Args:
        file: Its name, for errors.

    Raises:
        UsageError: when a message does not have the form of its wire.
    """
    try:
        reading = part.conversation().read(part.wire)
    except ShapeFault as fault:
        raise usage_error(file, part, fault) from None
    asked: dict[str, tuple[int, ToolCall]] = {}
    for entry in reading.entries:
        if entry.server_side:
            continue
        index = next((int(step) for step in entry.at if isinstance(step, int)), 0)
        for call in entry.message.tool_calls:
            asked[call.id] = index, call
        found = asked.pop(entry.message.tool_call_id or "", None)
        if entry.message.role != "tool" or found is None:
            continue
        begun, call = found
        at, end = _time(part, begun), _time(part, index)
        content = entry.message.content
        failed = entry.message.is_error
        yield (
            index,
            SessionCall(
                call.name,
                call.id,
                call.arguments,
                "" if failed else content,
                content if failed else None,
                at,
                max(0.0, end - at) if at else 0.0,
            ),
        )
