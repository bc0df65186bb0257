"""Message lists and request bodies of any wire, one message a line or in one document."""

from __future__ import annotations

from agentsim.providers.transcripts.conversations import (
    Conversation,
    MessageLines,
    conversations_in,
    find_conversations,
    usage_error,
)
from agentsim.providers.transcripts.reading import Path, ShapeFault
from agentsim.providers.transcripts.recognise import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    UNCLEAR,
    is_message,
)
from agentsim.providers.transcripts.sessions.values import (
    LeftOut,
    Place,
    Session,
    SessionPart,
)
from agentsim.providers.transcripts.source import Document, documents

__all__ = ["is_transcript", "read_conversations", "wire_of_bodies"]

_STREAM_MARKS = {
    "chat.completion.chunk": CHAT,
    "response.created": RESPONSES,
    "message_start": ANTHROPIC,
}
"""What stands in the first event of a stream, and in none of another wire."""

_BEGIN = 1_000
"""Characters of a stream in which that is looked for."""


def is_transcript(value: object) -> bool:
    """Whether a value looks like a message, a request body, or a list of such."""
    if isinstance(value, list):
        return bool(value) and all(map(is_transcript, value))
    return isinstance(value, dict) and (
        "messages" in value or "input" in value or is_message(value)
    )


def read_conversations(name: str, text: str) -> Session:
    """Read the conversations of a file.

    Raises:
        UsageError: with file, line and field.
    """
    left_out = LeftOut()
    parts: list[SessionPart] = []
    for source, conversation in conversations_in(name, list(documents(name, text))):
        try:
            parts.append(_part(source, conversation))
        except ShapeFault as fault:
            raise usage_error(name, source, fault) from None
        answer = (conversation.exchange or {}).get("response")
        if conversation.exchange is not None and parts[-1].answer is None:
            kind = "stream" if isinstance(answer, str) else "failed answer"
            left_out.add(f"{kind} of an exchange")
    return Session(tuple(parts), notes=left_out.notes())


def _part(source: Document | MessageLines, conversation: Conversation) -> SessionPart:
    wire = conversation.wire()
    wire = CHAT if wire == UNCLEAR else wire
    key = "input" if wire == RESPONSES else "messages"
    body = {
        name: value
        for name, value in conversation.body.items()
        if value is not None and name not in ("messages", "input")
    }
    places: dict[Path, Place]
    if isinstance(source, MessageLines):
        places = {(key, at): Place(line, ()) for at, line in enumerate(source.read)}
    else:
        places = {
            (): Place(source, conversation.start),
            (key,): Place(source, conversation.at),
        }
    exchange = conversation.exchange or {}
    answer = exchange.get("response")
    answered = isinstance(answer, dict) and exchange.get("status", 200) == 200
    return SessionPart(
        wire,
        {**body, key: conversation.messages},
        places,
        answer if answered else None,
        sent=conversation.request,
    )


def wire_of_bodies(request: object, answer: object) -> str:
    """The wire of an exchange, as its bodies show it; empty: none that is known.

    Args:
        answer: A JSON value, or the text of a stream.
    """
    if isinstance(answer, str):
        begin = answer[:_BEGIN]
        marks = (wire for mark, wire in _STREAM_MARKS.items() if mark in begin)
        if (marked := next(marks, None)) is not None:
            return marked
    try:
        (found,) = find_conversations({"request": request, "response": answer}, ())
        wire = found.wire()
    except ShapeFault:
        return ""
    return "" if wire == UNCLEAR else wire
