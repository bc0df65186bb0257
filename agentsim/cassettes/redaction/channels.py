"""The texts that a stream carries in pieces, put together, with the way back.

A piece of text, of arguments or of reasoning is a string in the JSON of an event; the
pieces of one text stand at the same place of their events, with the same indexes and ids
beside them. Nothing here knows a dialect: each string of each event is a piece of
something, so that a secret can't hide in a field that nobody thought of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from agentsim.cassettes.redaction.views import unescaped_view

__all__ = ["Channel", "channels"]

_DATA = re.compile(r"(?:^|(?<=[\n\r]))data: ?([^\n\r]*)")
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\[\],:]|[^\s{}\[\],:"]+')

_BESIDE = ("index", "output_index", "content_index", "summary_index", "item_id")
"""Fields that tell the pieces of one text from those of another."""


@dataclass(slots=True)
class Channel:
    """One text that came in pieces.

    Attributes:
        starts: Of each character, where it begins in the stream.
        ends: Of each character, where it ends there.
    """

    parts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.parts)

    def add(self, raw: str, at: int) -> None:
        """Add a piece, as it stands between its quotes."""
        view = unescaped_view(raw) if "\\" in raw else None
        starts = list(range(len(raw) + 1)) if view is None else view.starts
        self.parts.append(raw if view is None else view.text)
        self.starts.extend(at + one for one in starts[:-1])
        self.ends.extend(at + one for one in starts[1:])

    def segments(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where a range of the text stands in the stream: one range for each piece."""
        begun = start
        for at in range(start + 1, end + 1):
            if at == end or self.starts[at] != self.ends[at - 1]:
                yield self.starts[begun], self.ends[at - 1]
                begun = at


def channels(stream: str) -> list[Channel]:
    """The texts of a stream of server-sent events; none where it is no such stream."""
    found: dict[tuple[str, ...], Channel] = {}
    for line in _DATA.finditer(stream):
        for leaf in _leaves(stream, *line.span(1)):
            key = (leaf.path, *leaf.beside())
            found.setdefault(key, Channel()).add(
                stream[leaf.start : leaf.end], leaf.start
            )
    return list(found.values())


class _Leaf(NamedTuple):
    path: str
    objects: tuple[dict[str, str], ...]
    start: int
    end: int

    def beside(self) -> Iterator[str]:
        for one in self.objects:
            yield from (f"{name}={one[name]}" for name in _BESIDE if name in one)


def _leaves(stream: str, start: int, end: int) -> list[_Leaf]:
    """The strings of one event, each with what stands beside it and around it."""
    found: list[_Leaf] = []
    objects: list[dict[str, str]] = []
    path: list[str] = []
    key: str | None = None
    for token in _TOKEN.finditer(stream, start, end):
        mark = token[0]
        if mark in "{[":
            objects.append({})
            path.append(key if key is not None else "[]")
            key = None
        elif mark in "}]":
            if objects:
                objects.pop()
                path.pop()
            key = None
        elif mark == ",":
            key = None
        elif mark != ":":
            if token[2] is not None:
                key = token[1]
            else:
                name = key if key is not None else "[]"
                if objects:
                    objects[-1][name] = mark
                if token[1] is not None:
                    where = ".".join((*path, name))
                    found.append(_Leaf(where, tuple(objects), *token.span(1)))
    return found
