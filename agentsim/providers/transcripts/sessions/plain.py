"""Message lists and request bodies of any wire, one message a line or in one document."""

from __future__ import annotations

from agentsim.providers.transcripts.conversations import (
    Conversation,
    MessageLines,
    conversations_in,
    usage_error,
)
from agentsim.providers.transcripts.reading import Path, ShapeFault
from agentsim.providers.transcripts.recognise import CHAT, RESPONSES, UNCLEAR
from agentsim.providers.transcripts.sessions.values import (
    LeftOut,
    Place,
    Session,
    SessionPart,
)
from agentsim.providers.transcripts.source import Document, documents

__all__ = ["read_conversations"]


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
