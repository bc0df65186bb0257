"""Writes recordings of other tools as one cassette."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentsim.cassettes.assembling import assembled
from agentsim.cassettes.importing.kinds import (
    http_kind_of_head,
    kind_named,
    kind_of_text,
)
from agentsim.cassettes.importing.values import BYTES_MAX, Recording, Unreadable
from agentsim.cassettes.records import (
    Cassette,
    CassetteHeader,
    RecordedExchange,
    RecordedTool,
)
from agentsim.cassettes.redaction.redactor import RedactionRules, Redactor
from agentsim.cassettes.wires import with_same_boundary
from agentsim.cassettes.writer import CassetteWriter
from agentsim.core import CassetteError

__all__ = ["HTTP_KINDS", "Imported", "http_kind", "import_recordings", "read_recording"]

HTTP_KINDS = ("vcr", "har")
"""Kinds that hold requests as they went over the wire, and are no transcripts."""

_HEAD_BYTES = 4096

MILLISECONDS_MAX = 250e12
"""Behind the last year that dates have."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one file.

    Attributes:
        kind: What it was read as.
        exchanges: How many of them it gave.
        tools: How many calls of tools it gave.
        notes: What was left out, and what can't be as it was: a sentence each.
    """

    file: Path
    kind: str
    exchanges: int
    tools: int
    notes: tuple[str, ...]


def import_recordings(
    files: Sequence[Path],
    into: Path,
    rules: RedactionRules | None = None,
    *,
    kind: str = "",
) -> tuple[Imported, ...]:
    """Write recordings of other tools as one cassette, secrets replaced.

    Args:
        files: One after the other.
        into: The cassette; it must not be there yet.
        rules: What is secret beside the usual.
        kind: What the files are, such as `har`; empty: found by their contents.

    Returns:
        What each file gave, in their order.

    Raises:
        CassetteError: with file and place, when one can't be read, or nothing is in it
            that can be replayed. No cassette is written then.
    """
    read = [_read(file, kind) for file in files]
    if into.exists():
        raise CassetteError(f"{into}: this file is there already: name a new one")
    names = ", ".join(file.name for file in files)
    redactor = Redactor(rules)
    header = CassetteHeader(
        recorded_by=f"imported from {names}",
        recorded_at=_recorded_at([recording.began_ms for _, recording in read]),
    )
    with CassetteWriter(into, header) as tape:
        number, at_ms = 0, 0.0
        for _, recording in read:
            for entry in recording.entries:
                tape.add(_ready(entry, redactor, number, at_ms))
            number += len(recording.entries)
            at_ms += max(entry.at_ms for entry in recording.entries)
    return tuple(told for told, _ in read)


def _recorded_at(began_ms: Sequence[float]) -> str:
    """When the first of several recordings began; empty when one does not tell."""
    first = min(began_ms, default=0.0)
    if not 0 < first < MILLISECONDS_MAX:
        return ""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=first)
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def http_kind(file: Path) -> str:
    """Which of `HTTP_KINDS` a file begins as; empty: as none, or it can't be read."""
    try:
        with file.open("rb") as opened:
            return http_kind_of_head(
                opened.read(_HEAD_BYTES).decode("utf-8", "replace")
            )
    except (OSError, ValueError):
        return ""


def read_recording(file: Path, kind: str) -> tuple[Cassette, Recording]:
    """Read a recording of another tool as the cassette that it would become.

    Nothing is redacted.

    Raises:
        CassetteError: as `import_recordings`.
    """
    _, recording = _read(file, kind)
    return Cassette(str(file), CassetteHeader(), recording.entries), recording


def _read(file: Path, kind: str) -> tuple[Imported, Recording]:
    text = _text(file)
    try:
        named = kind_named(kind) if kind else None
        name = kind or kind_of_text(text)
    except Unreadable as error:
        raise CassetteError(f"{file}: {error}") from None
    try:
        recording = (named or kind_named(name)).read(text, str(file))
    except Unreadable as error:
        raise CassetteError(str(error)) from None
    if not recording.entries:
        found = "; ".join(recording.notes) or "it is empty"
        raise CassetteError(
            f"{file}: no exchange is in it that can be imported as {name} ({found}): "
            "name another recording"
        )
    tools = sum(isinstance(entry, RecordedTool) for entry in recording.entries)
    exchanges = len(recording.entries) - tools
    return Imported(file, name, exchanges, tools, recording.notes), recording


def _text(file: Path) -> str:
    try:
        if not file.is_file():
            words = "a folder: name" if file.is_dir() else "there is no such file: name"
            raise CassetteError(f"{file}: {words} a recording")
        if file.stat().st_size > BYTES_MAX:
            raise CassetteError(f"{file}: longer than {BYTES_MAX >> 20} MiB: split it")
        return file.read_text("utf-8-sig")
    except (OSError, ValueError):
        raise CassetteError(
            f"{file}: this file can't be read as UTF-8: check its name and content"
        ) from None


def _ready(
    entry: RecordedExchange | RecordedTool,
    redactor: Redactor,
    number: int,
    at_ms: float,
) -> RecordedExchange | RecordedTool:
    """An entry as it is written, behind those of the files before it."""
    if isinstance(entry, RecordedTool):
        moved = replace(entry, number=entry.number + number, at_ms=entry.at_ms + at_ms)
        return redactor.tool(moved)
    return redactor.exchange(
        replace(
            entry,
            request=with_same_boundary(entry.request),
            number=entry.number + number,
            at_ms=entry.at_ms + at_ms,
            message=assembled(entry.wire, entry.answer),
        )
    )
