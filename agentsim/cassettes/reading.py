"""Cassettes read from files: up to the last complete document, errors with their place.

Each document ends with `complete: true`. What stands behind the last of these lines was
being written when the recording was killed; it is left out, and its size is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, BinaryIO

from agentsim.cassettes.chunks import MARKED, cut_out
from agentsim.cassettes.recognising import HEADER_KEY
from agentsim.cassettes.records import (
    VERSION,
    Cassette,
    CassetteHeader,
    RecordedExchange,
    RecordedTool,
)
from agentsim.cassettes.shapes import Misfit, read_entry, read_header
from agentsim.core import CassetteError, ScenarioError, shown_path
from agentsim.plain_yaml import YamlDocument, load_yaml

__all__ = [
    "BYTES_MAX",
    "begins_as_cassette",
    "complete_end",
    "entry_lines",
    "holds_nothing",
    "load_cassette",
    "load_header",
    "read_cassette",
]

BYTES_MAX = 512 << 20
"""Bytes that a cassette may have."""

VALUES_MAX = 20_000_000
"""Values that one document may hold."""

_COMPLETE = re.compile(rb"[ \t]+true[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
_CONTENT = re.compile(rb"^[^#\s]", re.MULTILINE)
_BEGINS = re.compile(rb"---(?=[ \t\r\n]|\Z)")

# Characters that YAML reads as something else where they stand in a literal.
_ORDINARY = bytes(code for code in range(256) if code >= 0x20 or code in b"\t\n")
_SPECIAL = re.compile(
    rb"\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]"
)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One document: its bytes, and where in the file they begin."""

    data: bytes
    file: bytes
    start: int

    @property
    def line(self) -> int:
        """The line in which it begins, 1-based."""
        return 1 + self.file.count(b"\n", 0, self.start)


def load_cassette(path: FilePath | str) -> Cassette:
    """Read a cassette from a file.

    Raises:
        CassetteError: when it can't be read, with file, line and field.
    """
    return read_cassette(_bytes_of(FilePath(path)), shown_path(FilePath(path)))


def load_header(path: FilePath | str) -> CassetteHeader:
    """Read what a cassette says of itself, whatever stands behind that.

    Raises:
        CassetteError: when the file can't be read, or begins as no cassette.
    """
    data = _bytes_of(FilePath(path))
    end = complete_end(data)
    if end == 0:
        raise CassetteError(_nothing_complete(data, shown_path(FilePath(path))))
    return _read_header(next(_pieces(data[:end])), shown_path(FilePath(path)))


def _bytes_of(path: FilePath) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise CassetteError(
                f"{shown_path(path)}: this is no regular file: name a cassette"
            )
        if path.stat().st_size > BYTES_MAX:
            raise CassetteError(
                f"{shown_path(path)}: longer than {BYTES_MAX >> 20} MiB: record in parts"
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise CassetteError(
            f"{shown_path(path)}: there is no such file: record it first"
        ) from None
    except (OSError, ValueError):
        raise CassetteError(
            f"{shown_path(path)}: this file can't be read: check its name and permissions"
        ) from None


def read_cassette(data: bytes, name: str = "the cassette") -> Cassette:
    """Read a cassette from its bytes.

    Args:
        name: How errors call the file.

    Raises:
        CassetteError: with file, line and field.
    """
    end = complete_end(data)
    if end == 0:
        raise CassetteError(_nothing_complete(data, name))
    pieces = list(_pieces(data[:end]))
    header = _read_header(pieces[0], name)
    entries = tuple(_read_entry(piece, name) for piece in pieces[1:])
    left = len(data) - end if data[end:].strip() else 0
    return Cassette(name, header, entries, end, left)


def entry_lines(data: bytes) -> list[int]:
    """The line in which each entry of a cassette begins, 1-based, in the file's order."""
    return [piece.line for piece in _pieces(data[: complete_end(data)])][1:]


def complete_end(data: bytes) -> int:
    """Where the last line that closes a document ends; 0 when there is none."""
    at = len(data)
    while (at := data.rfind(b"\ncomplete:", 0, at)) >= 0:
        found = _COMPLETE.match(data, at + len(b"\ncomplete:"))
        if found is not None:
            return found.end()
    return 0


def begins_as_cassette(data: bytes) -> bool:
    """Whether a file without a complete document may be a cassette that was cut."""
    head = f"---\n{HEADER_KEY}:".encode()
    return data[: len(head)] == head[: len(data)]


def holds_nothing(file: BinaryIO) -> bool:
    """Whether an open file is empty, or was killed before a document was complete."""
    file.seek(0)
    start = file.read(4_096)
    if not begins_as_cassette(start) or complete_end(start):
        return False
    return complete_end(start + file.read()) == 0


def _nothing_complete(data: bytes, name: str) -> str:
    if begins_as_cassette(data):
        return (
            f"{name}: no document in it is complete: the recording was killed before "
            "anything was kept; delete the file and record again"
        )
    return (
        f"{name}:1: expected a cassette, which begins with `{HEADER_KEY}: {VERSION}`: "
        "name another file, or record this one again"
    )


def _pieces(data: bytes) -> Iterator[_Piece]:
    """Cut a file into its documents, each from its `---` on."""
    start = at = 0
    while (at := data.find(b"\n---", at)) >= 0:
        at += 1
        if _BEGINS.match(data, at) is None:
            continue
        if _CONTENT.search(data, start, at) is not None:
            yield _Piece(data[start:at], data, start)
        start = at
    yield _Piece(data[start:], data, start)


def _read_header(piece: _Piece, name: str) -> CassetteHeader:
    document = _document(piece, name)
    if HEADER_KEY not in document.value:
        raise CassetteError(_nothing_complete(b"?", name))
    try:
        return read_header(document.value)
    except Misfit as misfit:
        raise _error(misfit, document) from None


def _read_entry(piece: _Piece, name: str) -> RecordedExchange | RecordedTool:
    found = _read_fast(piece, name)
    if found is not None:
        return found
    document = _document(piece, name)
    try:
        return read_entry(document.value)
    except Misfit as misfit:
        raise _error(misfit, document) from None


def _read_fast(piece: _Piece, name: str) -> RecordedExchange | RecordedTool | None:
    """Read a document in the form that we write; None for any other, right or wrong."""
    data = piece.data
    if data.translate(None, _ORDINARY) or (
        not data.isascii() and _SPECIAL.search(data)
    ):
        return None
    try:
        text = data.decode()
        cut = cut_out(text)
        rest, chunks = (text, None) if cut is None else cut
        value = load_yaml(rest, name, values_max=VALUES_MAX).value
        if chunks is not None and not _is_marked(value):
            return None
        return read_entry(value, chunks)
    except (UnicodeDecodeError, ScenarioError, Misfit):
        return None


def _is_marked(value: dict[str, Any]) -> bool:
    answer = value.get("answer")
    return isinstance(answer, dict) and answer.get("chunks") == MARKED


def _document(piece: _Piece, name: str) -> YamlDocument:
    """Read a document with the lines of the file."""
    try:
        text = piece.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = piece.line + piece.data.count(b"\n", 0, error.start)
        raise CassetteError(
            f"{name}:{line}: this is not UTF-8: save the file as UTF-8 text"
        ) from None
    text = text.removeprefix("\ufeff")
    try:
        above = "\n" * (piece.line - 1)
        return load_yaml(above + text, name, values_max=VALUES_MAX)
    except ScenarioError as error:
        raise CassetteError(str(error)) from None


def _error(misfit: Misfit, document: YamlDocument) -> CassetteError:
    steps = (f"[{s}]" if isinstance(s, int) else f".{s}" for s in misfit.path)
    field = "".join(steps).removeprefix(".")
    line = document.line(misfit.path)
    return CassetteError(f"{document.name}:{line}: {field}: {misfit.words}")
