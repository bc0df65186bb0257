"""`agentsim check`: does a history recorded elsewhere keep the rules of its wire?

Read are request bodies (`messages` or `input`), bare lists of messages, exchanges
(`request` with `response`, as in recorded sessions), as one JSON document or as JSON
Lines of these, one message a line as one conversation, and sessions of other tools. A
body with `model`, and the request of an exchange, is judged as sent; the rest as a
transcript that may stop in the middle of the calls. Streamed answers are not read; other
wire rules than pairing (schemas, parameters, reasoning items) are the strict provider's,
not judged here.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path as FilePath
from typing import Any

from agentsim.core import UsageError, did_you_mean
from agentsim.providers.transcripts.anthropic import read_anthropic_answer
from agentsim.providers.transcripts.chat import read_chat_answer
from agentsim.providers.transcripts.conversations import (
    Conversation,
    Source,
    conversations_in,
    usage_error,
)
from agentsim.providers.transcripts.judge import judge
from agentsim.providers.transcripts.reading import (
    Entry,
    Path,
    Reading,
    ShapeFault,
    WireNote,
    path_text,
    printable,
)
from agentsim.providers.transcripts.recognise import (
    ANTHROPIC,
    RESPONSES,
    UNCLEAR,
    WIRES,
    wire_of_answer,
)
from agentsim.providers.transcripts.responses import read_responses_answer
from agentsim.providers.transcripts.results import (
    ConversationReport,
    HistoryFinding,
    HistoryStatus,
    TranscriptReport,
    TranscriptWire,
)
from agentsim.providers.transcripts.sessions import (
    SESSIONS,
    SessionPart,
    read_session,
    session_kind,
)
from agentsim.providers.transcripts.source import Document, documents, read_text

__all__ = ["check_file", "check_text"]

TRACE_KEY = "agentsim_trace"


def check_file(path: str | PathLike[str], kind: str = "") -> TranscriptReport:
    """Judge the conversations of a file by the history rules of their wires.

    Args:
        kind: Which tool wrote it: `claude-code`, `agents-sdk`, `opentelemetry`; empty:
            found by its contents.

    Raises:
        UsageError: when the file can't be read as transcripts; the message names the
            file, and the line and field where there are such.
    """
    name = fspath(path)
    return check_text(name, read_text(FilePath(name), printable(name)), kind)


def check_text(name: str, text: str, kind: str = "") -> TranscriptReport:
    """Judge the conversations of a text; `name` stands for the file in what is told.

    Raises:
        UsageError: as `check_file`.
    """
    file = printable(name)
    if kind and kind not in SESSIONS:
        listed = ", ".join(SESSIONS)
        near = did_you_mean(kind, SESSIONS)
        raise UsageError(f"--from: expected one of {listed}, got {kind!a}{near}")
    found = kind or session_kind(text)
    if found:
        return _session(file, text, found)
    read: list[Document] = []
    for document in documents(file, text):
        value = document.value
        if not read and isinstance(value, dict) and TRACE_KEY in value:
            return TranscriptReport(file, "trace")
        read.append(document)
    judged = tuple(
        _report(file, source, conversation)
        for source, conversation in conversations_in(file, read)
    )
    return TranscriptReport(file, conversations=judged)


def _session(file: str, text: str, kind: str) -> TranscriptReport:
    session = read_session(file, text, kind)
    if not session.parts:
        told = "; ".join(session.notes) or "it is empty"
        raise UsageError(f"{file}: no conversation is in it, read as {kind} ({told})")
    judged = tuple(_report(file, part, part.conversation()) for part in session.parts)
    return TranscriptReport(file, conversations=judged, notes=session.notes)


def _report(
    file: str, source: Source, conversation: Conversation
) -> ConversationReport:
    try:
        return _judged(file, source, conversation)
    except ShapeFault as fault:
        raise usage_error(file, source, fault) from None


def _judged(
    file: str, source: Source, conversation: Conversation
) -> ConversationReport:
    exchange = conversation.exchange or {}
    wire = conversation.wire()
    reading = conversation.read(wire)
    answer = _answer(wire, exchange, (*conversation.start, "response"), reading)
    judged = judge(
        reading,
        wire,
        request=conversation.request,
        answer=answer,
        told=lambda path: _told(path, source),
    )
    findings = tuple(
        HistoryFinding(
            file,
            _line(breach.at, source, conversation),
            path_text(source.place(breach.at)[1]),
            breach.rule,
            breach.words,
        )
        for breach in judged.breaches
    )
    notes = [_words(note, source) for note in judged.notes]
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
        line=source.place(conversation.start)[0],
        wire=wire,
        status="violated" if findings else status,
        findings=findings,
        notes=tuple(notes),
        label=printable(label) if isinstance(label, str) else None,
        messages=reading.messages,
        calls=judged.calls,
    )


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


def _words(note: WireNote, source: Source) -> str:
    if not note.at:
        return note.words
    return f"{path_text(source.place(note.at)[1])}: {note.words}"


def _told(path: Path, source: Source) -> str:
    """How a place is called: as in the file, and with its line where it has other names."""
    line, named = source.place(path)
    words = path_text(named)
    return words if named == path else f"{words} in line {line}"


def _line(at: Path, source: Source, conversation: Conversation) -> int:
    """Where the message starts that a place lies in; in a session, the place itself."""
    messages = conversation.at
    if not isinstance(source, SessionPart) and at[: len(messages)] == messages:
        at = at[: len(messages) + 1]
    return source.place(at)[0]
