"""The message of an answer, put together for those who read a cassette."""

from __future__ import annotations

from agentsim.cassettes.neutral import NEUTRAL, Unreadable, read_answer
from agentsim.cassettes.records import AssembledAnswer, RecordedAnswer, RecordedCall
from agentsim.core import InvalidArguments, Response, parse_json
from agentsim.providers import DIALECTS, dialect_named
from agentsim.providers.wires import Dialect, read_frames_of

__all__ = ["assembled"]


def assembled(wire: str, answer: RecordedAnswer) -> AssembledAnswer | None:
    """Put an answer together as the dialect reads it.

    Args:
        wire: Name of the dialect, such as `openai-chat`.

    Returns:
        None for errors, for wires that nobody knows, and for what can't be read.
    """
    if answer.status != 200:
        return None
    try:
        response = _response(wire, answer)
    except (InvalidArguments, LookupError, TypeError, ValueError, AttributeError):
        return None  # foreign recordings hold what no service sends
    if response is None:
        return None
    message = response.message
    return AssembledAnswer(
        message.content,
        tuple(
            RecordedCall(call.id, call.name, call.arguments)
            for call in message.tool_calls
        ),
        response.stop_reason,
        response.refusal or "",
    )


def _response(wire: str, answer: RecordedAnswer) -> Response | None:
    """What an answer says; None when it says it on a wire that nobody knows."""
    if wire == NEUTRAL:
        try:
            read = read_answer(answer)
        except Unreadable:
            return None
        return read if isinstance(read, Response) else None
    listed = map(dialect_named, sorted(DIALECTS))
    dialect = next((one for one in listed if one.wire == wire), None)
    return None if dialect is None else _read(dialect, answer)


def _read(dialect: Dialect, answer: RecordedAnswer) -> Response:
    if answer.chunks is None:
        return dialect.read_answer(parse_json(answer.body, unique_keys=False)).response
    raw = answer.text.encode("utf-8", "surrogateescape")
    return dialect.read_frames(read_frames_of(raw)).response
