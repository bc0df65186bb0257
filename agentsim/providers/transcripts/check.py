"""`agentsim check`: does a history recorded elsewhere keep the rules of its wire?

Read are request bodies (`messages` or `input`), bare lists of messages, exchanges
(`request` with `response`, as in recorded sessions), as one JSON document or as JSON
Lines of these, and one message a line as one conversation. A body with `model`, and
the request of an exchange, is judged as sent; the rest as a transcript that may stop
in the middle of the calls. Streamed answers are not read; other wire rules than pairing
(schemas, parameters, reasoning items) are the strict provider's, not judged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path as FilePath
from typing import Any

from agentsim.core import UsageError
from agentsim.providers.transcripts.anthropic import (
    read_anthropic,
    read_anthropic_answer,
)
from agentsim.providers.transcripts.chat import read_chat, read_chat_answer
from agentsim.providers.transcripts.judge import judge
from agentsim.providers.transcripts.reading import (
    Entry,
    Path,
    Reading,
    ShapeFault,
    WireNote,
    kind_of,
    path_text,
    printable,
)
from agentsim.providers.transcripts.recognise import (
    ANTHROPIC,
    RESPONSES,
    UNCLEAR,
    WIRES,
    is_message,
    recognise,
    wire_of_answer,
)
from agentsim.providers.transcripts.responses import (
    read_responses,
    read_responses_answer,
)
from agentsim.providers.transcripts.results import (
    ConversationReport,
    HistoryFinding,
    HistoryStatus,
    TranscriptReport,
    TranscriptWire,
)
from agentsim.providers.transcripts.source import Document, documents, read_text

__all__ = ["check_file", "check_text"]

TRACE_KEY = "agentsim_trace"

EXPECTED = (
    "expected a request body (`messages` or `input`), a list of messages, "
    "or an exchange (`request` and `response`)"
)


def check_file(path: str | PathLike[str]) -> TranscriptReport:
    """Judge the conversations of a file by the history rules of their wires.

    Raises:
        UsageError: when the file can't be read as transcripts; the message names the
            file, and the line and field where there are such.
    """
    name = fspath(path)
    return check_text(name, read_text(FilePath(name), printable(name)))


def check_text(name: str, text: str) -> TranscriptReport:
    """Judge the conversations of a text; `name` stands for the file in what is told.

    Raises:
        UsageError: as `check_file`.
    """
    file = printable(name)
    read: list[Document] = []
    for document in documents(file, text):
        value = document.value
        if not read and isinstance(value, dict) and TRACE_KEY in value:
            return TranscriptReport(file, "trace")
        read.append(document)
    if len(read) > 1 and is_message(read[0].value):
        return TranscriptReport(file, conversations=(_lines(file, read),))
    judged = [one for document in read for one in _document(file, document)]
    return TranscriptReport(file, conversations=tuple(judged))


@dataclass(frozen=True, slots=True)
class _Conversation:
    """One conversation as it stands in a document, not yet read."""

    messages: object
    at: Path
    body: Mapping[str, Any]
    request: bool = False
    start: Path = ()
    exchange: Mapping[str, Any] | None = None


class _Lines:
    """Tells the line of a path in a file with one message a line."""

    def __init__(self, read: list[Document]) -> None:
        self._read = read
        self.line = read[0].line
        self.repeated = next((one.repeated for one in read if one.repeated), None)

    def line_of(self, path: Path) -> int:
        index = path[0] if path else 0
        assert isinstance(index, int)
        return self._read[index].line_of(path[1:])


def _lines(file: str, read: list[Document]) -> ConversationReport:
    for document in read:
        if not is_message(document.value):
            words = "expected a message, as on the first line"
            raise UsageError(f"{file}:{document.line}: {words}")
    messages = [document.value for document in read]
    return _report(file, _Lines(read), _Conversation(messages, (), {}))


def _document(file: str, document: Document) -> Iterator[ConversationReport]:
    try:
        found = list(_find(document.value, ()))
    except ShapeFault as fault:
        raise _usage_error(file, document, fault) from None
    for conversation in found:
        yield _report(file, document, conversation)


def _find(value: object, at: Path) -> Iterator[_Conversation]:
    """Yield the conversations in a value: one, or those that a list holds."""
    if isinstance(value, list):
        if not value or any(is_message(element) for element in value):
            yield _Conversation(value, at, {}, start=at)
            return
        for index, element in enumerate(value):
            yield from _find(element, (*at, index))
    elif isinstance(value, dict):
        yield _of_object(value, at)
    else:
        raise ShapeFault(at, f"{EXPECTED}, got {kind_of(value)}")


def _of_object(value: Mapping[str, Any], at: Path) -> _Conversation:
    request = value.get("request")
    inner = _of_body(request, (*at, "request")) if isinstance(request, dict) else None
    if inner is not None:
        return replace(inner, request=True, start=at, exchange=value)
    inner = _of_body(value, at)
    if inner is not None:
        return inner
    if is_message(value):
        return _Conversation([value], at, {}, start=at)
    raise ShapeFault(at, f"{EXPECTED}, got an object with none of these")


def _of_body(body: Mapping[str, Any], at: Path) -> _Conversation | None:
    keys = [key for key in ("messages", "input") if key in body]
    # Some recorders write every field of a request, null where it was not given.
    given = [key for key in keys if body[key] is not None]
    held = body.get("previous_response_id") or body.get("conversation")
    if not keys and not ("model" in body and held):
        return None
    key = (given or keys or ["input"])[0]
    request = "model" in body
    return _Conversation(body.get(key), (*at, key), body, request, start=at)


def _report(
    file: str, source: Document | _Lines, conversation: _Conversation
) -> ConversationReport:
    try:
        return _judged(file, source, conversation)
    except ShapeFault as fault:
        raise _usage_error(file, source, fault) from None


def _judged(
    file: str, source: Document | _Lines, conversation: _Conversation
) -> ConversationReport:
    exchange = conversation.exchange or {}
    wire = _wire(conversation, exchange)
    reading = _read(wire, conversation)
    answer = _answer(wire, exchange, (*conversation.start, "response"), reading)
    judged = judge(reading, wire, request=conversation.request, answer=answer)
    findings = tuple(
        HistoryFinding(
            file,
            source.line_of(_message_path(breach.at, conversation.at)),
            path_text(breach.at),
            breach.rule,
            breach.words,
        )
        for breach in judged.breaches
    )
    notes = [_words(note) for note in judged.notes]
    if source.repeated:
        notes.append(source.repeated)
    hint = exchange.get("wire")
    if hint in WIRES and wire not in (hint, UNCLEAR):
        notes.append(f"the file calls its wire {hint}, its structure is {wire}")
    status: HistoryStatus = "holds"
    if reading.held is not None or not reading.messages:
        status = "unknown"
    label = exchange.get("id")
    return ConversationReport(
        line=source.line_of(conversation.start),
        wire=wire,
        status="violated" if findings else status,
        findings=findings,
        notes=tuple(notes),
        label=printable(label) if isinstance(label, str) else None,
        messages=reading.messages,
        calls=judged.calls,
    )


def _wire(conversation: _Conversation, exchange: Mapping[str, Any]) -> TranscriptWire:
    if conversation.at[-1:] == ("input",) and conversation.body:
        return RESPONSES
    return recognise(
        conversation.messages,
        conversation.at,
        body=conversation.body,
        hint=exchange.get("wire"),
        answer=exchange.get("response"),
    )


def _read(wire: TranscriptWire, conversation: _Conversation) -> Reading:
    messages, at, body = conversation.messages, conversation.at, conversation.body
    if wire == RESPONSES:
        return read_responses(messages, at, body=body)
    if wire == ANTHROPIC:
        return read_anthropic(messages, at, body=body)
    return read_chat(messages, at)


def _answer(
    wire: TranscriptWire, exchange: Mapping[str, Any], at: Path, reading: Reading
) -> list[Entry]:
    """What the service answered with success, whole and not as a stream."""
    answer = exchange.get("response")
    if not isinstance(answer, dict) or answer.get("error"):
        return []
    if exchange.get("status", 200) != 200:
        return []
    if wire_of_answer(answer) != wire:
        words = f"not judged: it does not have the form of {wire}"
        reading.notes.append(WireNote(at, words))
        return []
    if wire == RESPONSES:
        return read_responses_answer(answer, at)
    if wire == ANTHROPIC:
        return read_anthropic_answer(answer, at)
    return read_chat_answer(answer, at)


def _words(note: WireNote) -> str:
    return f"{path_text(note.at)}: {note.words}" if note.at else note.words


def _message_path(at: Path, messages: Path) -> Path:
    """The path of the message that a place lies in."""
    if at[: len(messages)] == messages:
        return at[: len(messages) + 1]
    return at


def _usage_error(file: str, source: Document | _Lines, fault: ShapeFault) -> UsageError:
    return UsageError(f"{file}:{source.line_of(fault.path)}: {fault}")
