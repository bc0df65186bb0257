r"""A text as others would read it: without escapes, decoded, with the way back.

A secret can stand in JSON inside of a JSON string (`\"`, `@`), in a URL (`%40`), in
HTML (`&quot;`) or in Base64. Each view is the text after one such step, and knows for
every character where in the text before it came from.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = [
    "BASE64_MIN",
    "View",
    "base64_runs",
    "unescaped",
    "unescaped_view",
    "unquoted",
    "unquoted_view",
]


@dataclass(frozen=True, slots=True)
class View:
    """A text made of another.

    Attributes:
        starts: Of each character, where it begins in the other; one more for the end.
    """

    text: str
    starts: list[int]

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Where a range of this text stands in the other."""
        return self.starts[start], self.starts[end]


_ESCAPE = re.compile(
    r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\(.)",
    re.IGNORECASE | re.DOTALL,
)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_MARKS = {"quot": '"', "#34": '"', "#x22": '"', "#39": "'", "#x27": "'", "apos": "'"}
_MARKS |= {"amp": "&", "lt": "<", "gt": ">"}
_PERCENT = re.compile(f"%([2-7][0-9a-fA-F])|&({'|'.join(_MARKS)});")

BASE64_MIN = 12
"""Characters from which Base64 is looked into."""

_BASE64 = re.compile(f"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{BASE64_MIN},}}={{0,2}}")


def unescaped(text: str) -> str:
    """The text with the escapes of JSON undone, without the way back."""
    parts = text.split("\\\\")  # no backslash of these begins another escape
    return "\\".join(_undone(part) if "\\" in part else part for part in parts)


def _undone(text: str) -> str:
    text = text.replace("\\n", "\n").replace('\\"', '"')  # nearly all are one of these
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def unquoted(text: str) -> str:
    """The text with the escapes of URLs and of HTML undone, without the way back."""
    return _PERCENT.sub(_unquote, text)


def unescaped_view(text: str) -> View:
    """The text with the escapes of JSON undone."""
    return _view(text, _ESCAPE, _unescape)


def unquoted_view(text: str) -> View:
    """The text with the escapes of URLs and of HTML undone."""
    return _view(text, _PERCENT, _unquote)


def base64_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs that are Base64 of a text: start, end, and that text."""
    for found in _BASE64.finditer(text):
        raw = found[0].rstrip("=").replace("-", "+").replace("_", "/")
        raw = raw[: len(raw) - (len(raw) % 4 == 1)]
        try:
            decoded = base64.b64decode(raw + "=" * (-len(raw) % 4)).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
        yield *found.span(), decoded


def _view(
    text: str, pattern: re.Pattern[str], undo: Callable[[re.Match[str]], str]
) -> View:
    parts: list[str] = []
    starts: list[int] = []
    at = 0
    for found in pattern.finditer(text):
        parts.append(text[at : found.start()])
        starts.extend(range(at, found.start()))
        made = undo(found)
        parts.append(made)
        starts.extend([found.start()] * len(made))
        at = found.end()
    parts.append(text[at:])
    starts.extend(range(at, len(text) + 1))
    return View("".join(parts), starts)


def _unescape(found: re.Match[str]) -> str:
    if found[1]:
        high, low = int(found[1], 16), int(found[2], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if found[3]:
        return chr(int(found[3], 16))
    return _PLAIN.get(found[4], found[4])


def _unquote(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _MARKS[found[2]]
