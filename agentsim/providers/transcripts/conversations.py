"""The conversations in a JSON value: request bodies, lists of messages, exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from agentsim.core import UsageError
from agentsim.providers.transcripts.anthropic import read_anthropic
from agentsim.providers.transcripts.chat import read_chat
from agentsim.providers.transcripts.reading import (
    Path,
    Reading,
    ShapeFault,
    kind_of,
    path_text,
)
from agentsim.providers.transcripts.recognise import (
    ANTHROPIC,
    RESPONSES,
    is_message,
    recognise,
)
from agentsim.providers.transcripts.responses import read_responses
from agentsim.providers.transcripts.results import TranscriptWire
from agentsim.providers.transcripts.source import Document

__all__ = [
    "Conversation",
    "MessageLines",
    "Source",
    "conversations_in",
    "find_conversations",
    "usage_error",
]

EXPECTED = (
    "expected a request body (`messages` or `input`), a list of messages, "
    "or an exchange (`request` and `response`)"
)


class Source(Protocol):
    """Tells where the parts of a conversation stand in a file."""

    @property
    def repeated(self) -> str | None:
        """What a strict reader would refuse: a key that stands twice."""

    def place(self, path: Path) -> tuple[int, Path]:
        """Line of the file, and the path there, of the value at `path`."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation as it stands in a document, not yet read."""

    messages: object
    at: Path
    body: Mapping[str, Any]
    request: bool = False
    start: Path = ()
    exchange: Mapping[str, Any] | None = None

    def wire(self) -> TranscriptWire:
        """The wire that it speaks.

        Raises:
            ShapeFault: when it shows two.
        """
        if self.at[-1:] == ("input",) and self.body:
            return RESPONSES
        exchange = self.exchange or {}
        return recognise(
            self.messages,
            self.at,
            body=self.body,
            hint=exchange.get("wire"),
            answer=exchange.get("response"),
        )

    def read(self, wire: TranscriptWire) -> Reading:
        """Read it as of a wire.

        Raises:
            ShapeFault: when a message does not have the form of the wire.
        """
        if wire == RESPONSES:
            return read_responses(self.messages, self.at, body=self.body)
        if wire == ANTHROPIC:
            return read_anthropic(self.messages, self.at, body=self.body)
        return read_chat(self.messages, self.at)


def find_conversations(value: object, at: Path) -> Iterator[Conversation]:
    """Yield the conversations in a value: one, or those that a list holds."""
    if isinstance(value, list):
        if not value or any(is_message(element) for element in value):
            yield Conversation(value, at, {}, start=at)
            return
        for index, element in enumerate(value):
            yield from find_conversations(element, (*at, index))
    elif isinstance(value, dict):
        yield _of_object(value, at)
    else:
        raise ShapeFault(at, f"{EXPECTED}, got {kind_of(value)}")


def _of_object(value: Mapping[str, Any], at: Path) -> Conversation:
    request = value.get("request")
    inner = _of_body(request, (*at, "request")) if isinstance(request, dict) else None
    if inner is not None:
        return replace(inner, request=True, start=at, exchange=value)
    inner = _of_body(value, at)
    if inner is not None:
        return inner
    if is_message(value):
        return Conversation([value], at, {}, start=at)
    raise ShapeFault(at, f"{EXPECTED}, got an object with none of these")


def _of_body(body: Mapping[str, Any], at: Path) -> Conversation | None:
    keys = [key for key in ("messages", "input") if key in body]
    # Some recorders write every field of a request, null where it was not given.
    given = [key for key in keys if body[key] is not None]
    held = body.get("previous_response_id") or body.get("conversation")
    if not keys and not ("model" in body and held):
        return None
    key = (given or keys or ["input"])[0]
    request = "model" in body
    return Conversation(body.get(key), (*at, key), body, request, start=at)


class MessageLines:
    """A file with one message a line, which are one conversation."""

    def __init__(self, read: Sequence[Document]) -> None:
        self.read = read
        self.repeated = next((one.repeated for one in read if one.repeated), None)

    def place(self, path: Path) -> tuple[int, Path]:
        """Line of the file, and the path there, of the value at `path`."""
        index = path[0] if path else 0
        assert isinstance(index, int)
        return self.read[index].line_of(path[1:]), path


def conversations_in(
    file: str, read: Sequence[Document]
) -> Iterator[tuple[Document | MessageLines, Conversation]]:
    """Find the conversations of a file, each with what tells its places.

    Args:
        file: Its name, for errors.
        read: Its values.

    Raises:
        UsageError: when a value holds none.
    """
    if len(read) > 1 and is_message(read[0].value):
        for document in read:
            if not is_message(document.value):
                words = "expected a message, as on the first line"
                raise UsageError(f"{file}:{document.line}: {words}")
        messages = [document.value for document in read]
        yield MessageLines(read), Conversation(messages, (), {})
        return
    for document in read:
        try:
            found = list(find_conversations(document.value, ()))
        except ShapeFault as fault:
            raise usage_error(file, document, fault) from None
        for conversation in found:
            yield document, conversation


def usage_error(file: str, source: Source, fault: ShapeFault) -> UsageError:
    """A fault of form, told with its file, line and path."""
    line, path = source.place(fault.path)
    return UsageError(
        f"{file}:{line}: {path_text(path) or 'the document'}: {fault.words}"
    )
