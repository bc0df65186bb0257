"""A file as JSON values that know their lines.

One JSON document, or JSON Lines: when the first line holds a whole value and more
follows, each line is a value of its own. Lines of inner values are looked up only for
what is told of them, so that a sound file costs one parse.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from json import JSONDecoder
from pathlib import Path as FilePath
from typing import Any

from agentsim.core import InvalidArguments, UsageError, parse_json
from agentsim.providers.transcripts.reading import Path, printable

BYTES_MAX = 512 * 1024 * 1024
"""The largest file that is read; a longer one should be split."""

EXPECTED = "expected a JSON document, or one JSON value a line"

_BREAK = re.compile("\n")
_SPACE = re.compile(r"[ \t\n\r]*")
_FAULT = re.compile(r"(.*?)(?: at line (\d+), column (\d+))?", re.DOTALL)
_decode = JSONDecoder().raw_decode


@dataclass(slots=True)
class Document:
    """One JSON value of a file.

    Attributes:
        line: 1-based line of the file where `text` starts.
        repeated: What a strict reader would refuse: a key that stands twice.
    """

    value: Any
    text: str
    line: int
    repeated: str | None = None
    _offsets: dict[int, dict[str | int, int]] = field(default_factory=dict)
    _breaks: list[int] = field(default_factory=list)

    def place(self, path: Path) -> tuple[int, Path]:
        """Line of the file, and the path there, of the value at `path`."""
        return self.line_of(path), path

    def line_of(self, path: Path) -> int:
        """The line of the file where the value at `path` starts.

        Leads as far as the path does: a missing key has the line of its object.
        """
        at = _skip(self.text, 0)
        for part in path:
            inner = self._inside(at).get(part)
            if inner is None:
                break
            at = inner
        if not self._breaks:
            # The length stands in for a last break, so that the list is never empty.
            found = (match.start() for match in _BREAK.finditer(self.text))
            self._breaks = [*found, len(self.text)]
        return self.line + bisect_left(self._breaks, at)

    def _inside(self, at: int) -> dict[str | int, int]:
        found = self._offsets.get(at)
        if found is None:
            found = self._offsets[at] = dict(_children(self.text, at))
        return found


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _children(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Yield key or index, and offset, of each value in the container at `at`."""
    opening = text[at]
    if opening not in "[{":
        return
    at = _skip(text, at + 1)
    index = 0
    while text[at] not in "]}":
        name: str | int = index
        if opening == "{":
            name, at = _decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        yield name, at
        _, at = _decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        index += 1


def read_text(path: FilePath, name: str) -> str:
    """The text of a file.

    Raises:
        UsageError: when there is no such file, or it is no text, or too long.
    """
    try:
        with path.open("rb") as file:
            data = file.read(BYTES_MAX + 1)
    except FileNotFoundError:
        raise UsageError(f"{name}: there is no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{name}: a directory; give the files in it") from None
    except PermissionError:
        raise UsageError(f"{name}: you have no permission to read it") from None
    except (OSError, ValueError):
        raise UsageError(f"{name}: can't be read; give a regular file") from None
    if len(data) > BYTES_MAX:
        limit = BYTES_MAX // (1024 * 1024)
        raise UsageError(f"{name}: longer than {limit} MiB; split it into parts")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise UsageError(
            f"{name}:{line}: byte {fault.start} is not UTF-8 text; {EXPECTED}"
        ) from None


def documents(name: str, text: str) -> Iterator[Document]:
    """Yield the JSON values of a text.

    Raises:
        UsageError: at the first that is no JSON, with its line and column.
    """
    # A byte-order mark is no JSON, but some editors write one.
    text = text.removeprefix("\ufeff")
    if not text.strip(" \t\n\r"):
        raise UsageError(f"{name}: empty; {EXPECTED}")
    lines = text.split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip(" \t\r")]
    first = parsed(lines[filled[0]], filled[0] + 1)
    if isinstance(first, str):
        yield _required(name, parsed(text, 1))
        return
    yield first
    for number in filled[1:]:
        yield _required(name, parsed(lines[number], number + 1))


def _required(name: str, found: Document | str) -> Document:
    if isinstance(found, str):
        raise UsageError(f"{name}:{found}; {EXPECTED}")
    return found


def parsed(text: str, line: int) -> Document | str:
    """The value of a text that starts at `line`, or what is wrong and where."""
    try:
        return Document(parse_json(text), text, line)
    except InvalidArguments as fault:
        repeated, _, _ = _split(fault)
    try:
        value = parse_json(text, unique_keys=False)
    except InvalidArguments as fault:
        words, line_within, column = _split(fault)
        return f"{line + line_within - 1}:{column}: not JSON: {words}"
    return Document(value, text, line, f"{repeated}; the last value counts")


def _split(fault: InvalidArguments) -> tuple[str, int, int]:
    """The words of a fault, and its line and column within the text."""
    found = _FAULT.fullmatch(str(fault))
    assert found is not None
    return printable(found[1]), int(found[2] or 1), int(found[3] or 1)
