"""What a session that another tool wrote holds: conversations, calls of tools, the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from agentsim.providers.transcripts.conversations import Conversation
from agentsim.providers.transcripts.reading import Path
from agentsim.providers.transcripts.results import TranscriptWire
from agentsim.providers.transcripts.source import Document

__all__ = ["LeftOut", "Place", "Session", "SessionCall", "SessionPart"]


class Place(NamedTuple):
    """Where a part of a conversation stands in the file.

    Attributes:
        path: Within the document.
        inside: Whether its inner values stand there under the same names.
    """

    document: Document
    path: Path
    inside: bool = True

    def told(self, rest: Path) -> tuple[int, Path]:
        """Line and path of an inner value, as far as they are the same."""
        path = (*self.path, *rest) if self.inside else self.path
        return self.document.line_of(path), path


@dataclass(frozen=True, slots=True)
class SessionPart:
    """A conversation, or one request to a model, in the form of its wire.

    Attributes:
        body: A request: `messages` or `input`, and what else is known of it.
        answer: What the model said to it; None where the conversation holds all.
        sent: Whether the model was asked with exactly these messages.
        places: Path in the body, or in `response` -> where it stands in the file.
        times: Milliseconds since 1970: of each message, where it is a conversation; of
            the request and of the answer, where it is a request.
    """

    wire: TranscriptWire
    body: Mapping[str, Any]
    places: Mapping[Path, Place]
    answer: Mapping[str, Any] | None = None
    sent: bool = False
    label: str = ""
    times: Sequence[float] = ()

    @property
    def repeated(self) -> str | None:
        """What a strict reader would refuse: a key that stands twice."""
        listed = (place.document.repeated for place in self.places.values())
        return next((words for words in listed if words), None)

    @property
    def key(self) -> str:
        """The field of the body that has the messages."""
        return "input" if "input" in self.body else "messages"

    def conversation(self) -> Conversation:
        """What is judged of it."""
        exchange = {"wire": self.wire, "id": self.label, "response": self.answer}
        return Conversation(
            self.body[self.key], (self.key,), self.body, self.sent, (), exchange
        )

    def place(self, path: Path) -> tuple[int, Path]:
        """Line of the file, and the path there, of a value of the body."""
        for length in range(len(path), -1, -1):
            place = self.places.get(path[:length])
            if place is not None:
                return place.told(path[length:])
        return 1, path


@dataclass(frozen=True, slots=True)
class SessionCall:
    """A tool that was run.

    Attributes:
        arguments: JSON text.
        error: What it failed with; None when it did not.
        at_ms: Milliseconds since 1970; 0 when it is not known.
    """

    name: str
    call_id: str = ""
    arguments: str = ""
    result: str = ""
    error: str | None = None
    at_ms: float = 0
    took_ms: float = 0


@dataclass(frozen=True, slots=True)
class Session:
    """A file of another tool, read.

    Attributes:
        parts: In the order of the file.
        calls: Those that stand apart from the conversations.
        notes: What was left out, and what can't be as it was: a sentence each.
    """

    parts: tuple[SessionPart, ...]
    calls: tuple[SessionCall, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class LeftOut:
    """Counts what is left out, by its reason."""

    _counts: dict[str, int] = field(default_factory=dict)

    def add(self, what: str) -> None:
        """Count one more of a kind, such as `entry without an answer`."""
        self._counts[what] = self._counts.get(what, 0) + 1

    def notes(self) -> tuple[str, ...]:
        """A sentence for each kind, in the order in which they were met."""
        return tuple(
            f"left out: {count} {what if count == 1 else _plural(what)}"
            for what, count in self._counts.items()
        )


def _plural(what: str) -> str:
    """The first word is what is counted."""
    first, _, rest = what.partition(" ")
    first = f"{first[:-1]}ies" if first.endswith("y") else f"{first}s"
    return f"{first} {rest}".rstrip()
