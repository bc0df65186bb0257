"""Files of sessions: found by their contents, read line by line or as one document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType

from agentsim.core import UsageError
from agentsim.providers.transcripts.reading import Path
from agentsim.providers.transcripts.sessions.agents_sdk import (
    is_agents_trace,
    read_agents_trace,
)
from agentsim.providers.transcripts.sessions.claude_code import (
    is_claude_code,
    read_claude_code,
)
from agentsim.providers.transcripts.sessions.opentelemetry import read_opentelemetry
from agentsim.providers.transcripts.sessions.otel_spans import is_opentelemetry
from agentsim.providers.transcripts.sessions.values import Session
from agentsim.providers.transcripts.source import Document, parsed

__all__ = ["SESSIONS", "SessionKind", "lines_of", "read_session", "session_kind"]

_LINES_MAX = 50
"""Lines that are looked at for the kind of a file."""

_MARKS = ('"trace.span"', '"trace"', '"span_id"', "esourceSpans", "esourceLogs")
_MORE_MARKS = ("resource_spans", "resource_logs", '"parentUuid"')
"""What a file of one document has to hold before it is read for its kind."""


@dataclass(frozen=True, slots=True)
class SessionKind:
    """One kind of file.

    Attributes:
        fits: Whether a JSON value of a file is of this kind.
        read: Reads its values, given the name of the file.
    """

    fits: Callable[[object], bool]
    read: Callable[[str, Sequence[Document]], Session]


SESSIONS: Mapping[str, SessionKind] = MappingProxyType(
    {
        "claude-code": SessionKind(is_claude_code, read_claude_code),
        "agents-sdk": SessionKind(
            is_agents_trace, lambda _name, read: read_agents_trace(read)
        ),
        "opentelemetry": SessionKind(
            is_opentelemetry, lambda _name, read: read_opentelemetry(read)
        ),
    }
)
"""Name -> kind."""


def session_kind(text: str) -> str:
    """The name of the kind that a text is of; empty: of none."""
    for document in islice(_values(text, looking=True), _LINES_MAX):
        for name, kind in SESSIONS.items():
            if isinstance(document, Document) and kind.fits(document.value):
                return name
    return ""


def read_session(name: str, text: str, kind: str) -> Session:
    """Read the session of a file.

    Args:
        name: Of the file, for errors.
        kind: One of `SESSIONS`.

    Raises:
        UsageError: when nothing in it can be read.
    """
    read, broken = [], []
    for document in _values(text):
        if isinstance(document, Document):
            read.append(document)
        else:
            broken.append(document)
    if not read:
        first = broken[0] if broken else "1: empty"
        raise UsageError(f"{name}:{first}; expected JSON, or one JSON value a line")
    session = SESSIONS[kind].read(name, read)
    notes = tuple(f"left out: line {words}" for words in broken)
    return replace(session, notes=(*notes, *session.notes))


def lines_of(text: str, path: Path, count: int) -> tuple[int, ...]:
    """The line in which each value of a list in a JSON text begins.

    Args:
        path: Of the list.
        count: How many values it has.
    """
    document = Document(None, text.removeprefix("\ufeff"), 1)
    return tuple(document.line_of((*path, index)) for index in range(count))


def _values(text: str, *, looking: bool = False) -> Iterator[Document | str]:
    """The JSON values of a text, or what is wrong with a line.

    Programs append to such files and are killed, so one broken line is no reason to
    read none.

    Args:
        looking: Read one document only where it may be of some kind.
    """
    text = text.removeprefix("\ufeff")
    lines = text.split("\n")
    first = next((line for line in lines if line.strip(" \t\r")), "")
    if isinstance(parsed(first, 1), Document):
        for number, line in enumerate(lines, 1):
            if line.strip(" \t\r"):
                yield parsed(line, number)
    elif not looking or any(mark in text for mark in (*_MARKS, *_MORE_MARKS)):
        whole = parsed(text, 1)
        if isinstance(whole, Document):
            yield whole
        else:
            yield from _blocks(lines)


def _blocks(lines: Sequence[str]) -> Iterator[Document | str]:
    """Documents of several lines one behind the other: each ends at the left margin."""
    begin = 0
    for number, line in enumerate(lines, 1):
        if line.startswith(("}", "]")) or number == len(lines):
            block = "\n".join(lines[begin:number]).rstrip("\r")
            if block.strip(" \t\r\n"):
                yield parsed(block, begin + 1)
            begin = number
