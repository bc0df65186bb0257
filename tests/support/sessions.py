"""Recorded sessions made by hand, in the form of any wire, as cassettes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentsim.cassettes import (
    Cassette,
    CassetteHeader,
    CassetteWriter,
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)
from agentsim.cassettes.neutral import (
    NEUTRAL,
    delta_text,
    request_text,
    response_text,
)
from agentsim.core import Delta, Message, Request, Response, ToolDef
from agentsim.providers import DIALECTS, dialect_named
from agentsim.providers.anthropic.conversation.tools import write_tool as anthropic_tool
from agentsim.providers.anthropic.conversation.writing import write_history
from agentsim.providers.openai_chat.messages import write_message
from agentsim.providers.openai_chat.tools import write_tool as chat_tool
from agentsim.providers.openai_responses.messages import write_items
from agentsim.providers.openai_responses.tools import write_tool as responses_tool
from agentsim.providers.wires import Answered, Dialect
from agentsim.providers.wires.sse import frame_bytes

__all__ = [
    "WIRES",
    "answered",
    "body_of",
    "cassette",
    "dialect_of",
    "refused",
    "written",
]

WIRES = ("anthropic-messages", "neutral", "openai-chat", "openai-responses")


def cassette(*entries: RecordedExchange | RecordedTool) -> Cassette:
    """A cassette of these entries, as it would be read."""
    return Cassette("session.yaml", CassetteHeader(), entries)


def written(path: Path, *entries: RecordedExchange | RecordedTool) -> Path:
    """The same as a file."""
    with CassetteWriter(path, CassetteHeader()) as writer:
        for entry in entries:
            writer.add(entry)
    return path


def answered(
    number: int,
    wire: str,
    messages: Sequence[Message],
    response: Response,
    *,
    tools: Sequence[ToolDef] = (),
    times_ms: Sequence[float] | None = None,
    body: Mapping[str, Any] | None = None,
) -> RecordedExchange:
    """An exchange of a wire.

    Args:
        times_ms: When the pieces of a stream came; it ends with the last of them. None:
            it is not streamed.
        body: Fields of the request beside those that follow.
    """
    if wire == NEUTRAL:
        return _neutral(number, Request("m", messages, tools), response, times_ms)
    asked = {**body_of(wire, messages, tools), **(body or {})}
    if times_ms is not None:
        asked["stream"] = True
        if wire == "openai-chat":
            asked["stream_options"] = {"include_usage": True}
    dialect = dialect_of(wire)
    request = Request("m", messages, tools)
    told = Answered(response, request, number, 1_700_000_000, asked)
    if times_ms is None:
        text = json.dumps(dialect.body(told), ensure_ascii=False)
        answer = RecordedAnswer(body=text, at_ms=1500)
    else:
        answer = RecordedAnswer(chunks=_chunks(dialect, told, times_ms))
    return RecordedExchange(number, _request(asked), answer, wire)


def _neutral(
    number: int,
    request: Request,
    response: Response,
    times_ms: Sequence[float] | None,
) -> RecordedExchange:
    """The same with a neutral client."""
    asked = RecordedRequest(body=request_text(request, streamed=times_ms is not None))
    if times_ms is None:
        answer = RecordedAnswer(body=response_text(response), at_ms=1500)
        return RecordedExchange(number, asked, answer, NEUTRAL)
    deltas = [Delta(text=response.message.content), Delta(response=response)]
    pieces = [delta_text(delta) for delta in deltas]
    chunks = tuple(map(RecordedChunk, times_ms, pieces))
    return RecordedExchange(number, asked, RecordedAnswer(chunks=chunks), NEUTRAL)


def refused(
    number: int, wire: str, messages: Sequence[Message], status: int | None = 429
) -> RecordedExchange:
    """An exchange whose answer was an error."""
    answer = RecordedAnswer(status, body='{"error": {"message": "wait"}}')
    if status is None:
        answer = RecordedAnswer(None, ended="no answer", error="timed out")
    return RecordedExchange(number, _request(body_of(wire, messages, ())), answer, wire)


def _request(body: Mapping[str, Any]) -> RecordedRequest:
    return RecordedRequest(body=json.dumps(body, ensure_ascii=False))


def dialect_of(wire: str) -> Dialect:
    """The dialect of a wire."""
    return next(d for d in map(dialect_named, sorted(DIALECTS)) if d.wire == wire)


def _chunks(
    dialect: Dialect, told: Answered, times_ms: Sequence[float]
) -> tuple[RecordedChunk, ...]:
    frames = [frame_bytes(frame).decode() for frame in dialect.frames(told)]
    size = -(-len(frames) // len(times_ms))
    parts = [frames[at : at + size] for at in range(0, len(frames), size)]
    parts += [[]] * (len(times_ms) - len(parts))
    pairs = zip(times_ms, parts, strict=True)
    return tuple(RecordedChunk(at_ms, "".join(part)) for at_ms, part in pairs)


def body_of(
    wire: str, messages: Sequence[Message], tools: Sequence[ToolDef]
) -> dict[str, Any]:
    """The body of a request, as a client of the wire writes it."""
    if wire == "openai-chat":
        body: dict[str, Any] = {"messages": [write_message(one) for one in messages]}
        listed = [chat_tool(tool) for tool in tools]
    elif wire == "openai-responses":
        items = [item for one in messages for item in write_items(one)]
        body = {"input": items}
        listed = [responses_tool(tool) for tool in tools]
    else:
        body = {"max_tokens": 1000, **write_history(messages)}
        listed = [anthropic_tool(tool) for tool in tools]
    return {"model": "m", **body, **({"tools": listed} if listed else {})}
