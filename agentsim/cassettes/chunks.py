"""The chunks of a stream as a cassette holds them: checked at once, taken apart on use.

A stream has many small chunks, and libyaml makes a dozen objects of each. What our own
writer wrote has one form, which a single regular expression checks at the speed of C; a
list in any other form is left to libyaml.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import overload

from agentsim.cassettes.records import RecordedChunk

__all__ = ["StoredChunks", "cut_out"]

_KEY = "\n  chunks:\n"

_NUMBER = r"[0-9]{1,15}+(?:\.[0-9]{1,3}+)?+"

# A literal, whose first line must not begin with white space unless its indentation is
# given; or a text in quotes, by the escapes that JSON and YAML have both.
_LITERAL = (
    r"\|(?:[+-]?+\n      [^ \t\n].*+\n|2[+-]?+\n(?:      .*+\n|\n))(?:      .*+\n|\n)*+"
)
_QUOTES = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\bfnrt]|u(?!d[89a-f])[0-9a-f]{4}))*+"\n'

_LIST = re.compile(rf"(?:  - at_ms: {_NUMBER}\n    text: (?:{_LITERAL}|{_QUOTES}))++")

_BEGIN = "\n  - at_ms: "
_KEY_OF_TEXT = "\n    text: "
_USUAL = "|+\n      "
"""How the text of an event of a stream begins: it ends with an empty line."""

# A line of a few spaces would still belong to the text before it.
_NEXT = re.compile("(?:  )?[a-z]")

_MARK = "[{fast: true}]"
"""Stands in the document for the list that was cut out."""

MARKED = [{"fast": True}]


class StoredChunks(Sequence[RecordedChunk]):
    """Chunks of which the text in the cassette was checked, and not yet taken apart."""

    __slots__ = ("_chunks", "_end", "_start", "_text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._start, self._end = start, end
        self._chunks: tuple[RecordedChunk, ...] | None = None

    def _all(self) -> tuple[RecordedChunk, ...]:
        if self._chunks is None:
            # No line of a literal begins as an entry does.
            listed = self._text[self._start : self._end - 1].split(_BEGIN)
            listed[0] = listed[0].removeprefix(_BEGIN[1:])
            self._chunks = tuple(map(_chunk, listed))
            self._text = ""
        return self._chunks

    @overload
    def __getitem__(self, index: int) -> RecordedChunk: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RecordedChunk, ...]: ...
    def __getitem__(
        self, index: int | slice
    ) -> RecordedChunk | tuple[RecordedChunk, ...]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[RecordedChunk]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, StoredChunks):
            return self._all() == other._all()
        return self._all() == other

    __hash__ = None  # type: ignore[assignment]  # as of the mappings beside it

    def __repr__(self) -> str:
        return repr(self._all())


def cut_out(text: str) -> tuple[str, StoredChunks] | None:
    """Cut the chunks out of a document; None when it has none in the form we write.

    Args:
        text: Without characters that YAML reads as something else in a literal.

    Returns:
        The rest, in which `MARKED` stands in place of the list, and the chunks.
    """
    key = text.find(_KEY)
    if key < 0:
        return None
    start = key + len(_KEY)
    found = _LIST.match(text, start)
    if found is None or _NEXT.match(text, found.end()) is None:
        return None
    rest = f"{text[: start - 1]} {_MARK}\n{text[found.end() :]}"
    return rest, StoredChunks(text, start, found.end())


def _chunk(entry: str) -> RecordedChunk:
    """Read an entry without its beginning and its last line end."""
    at_ms, _, written = entry.partition(_KEY_OF_TEXT)
    if written.startswith(_USUAL):
        text = written[len(_USUAL) :].replace("\n      ", "\n")
        return RecordedChunk(float(at_ms), f"{text}\n")
    if not written.startswith("|"):
        return RecordedChunk(float(at_ms), json.loads(written))
    style, _, lines = written.partition("\n")
    text = f"{lines}\n".replace("\n      ", "\n").removeprefix("      ")
    if style[-1] != "+":
        text = text.rstrip("\n")
        if text and style[-1] != "-":
            text += "\n"
    return RecordedChunk(float(at_ms), text)
