"""Reads the blocks of code and the headings and links of a page in Markdown.

Only what our own pages use: fences of three backticks, headings with `#`, and links in
one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Block", "anchors", "blocks", "links"]

_FENCE = re.compile(r" {0,3}```(.*)")
_TITLE = re.compile(r'title="([^"]+)"')
_FILE = re.compile(r"# file: (\S+)")
_NEEDS = re.compile(r"# needs (\S+)")
_FIELDS = re.compile(r"# fields of (\S+)")
_EXIT_CODE = re.compile(r"# exit code (\d)")
_HEADING = re.compile(r"#{1,6} +(.*)")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page.

    Attributes:
        line: 1-based line of its fence.
        language: The first word after the fence, or the empty text.
        info: All that stands after the fence.
    """

    line: int
    language: str
    info: str
    text: str

    @property
    def needs(self) -> str | None:
        """The framework whose environment the block runs in, by its first line."""
        found = _NEEDS.match(self.text)
        return found[1] if found else None

    @property
    def file(self) -> str | None:
        """The file that the block is, by its title or its first line, or None."""
        found = _TITLE.search(self.info) or _FILE.match(self.text)
        return found[1] if found else None

    @property
    def fields_of(self) -> str | None:
        """The file whose fields the block replaces, by its first line, or None."""
        found = _FIELDS.match(self.text)
        return found[1] if found else None

    @property
    def exit_code(self) -> int:
        """What a run of the block ends with, by the comment in its first line."""
        found = _EXIT_CODE.search(self.text.partition("\n")[0])
        return int(found[1]) if found else 0


def blocks(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order; the last fence must be closed."""
    opened: tuple[int, str] | None = None
    body: list[str] = []
    for number, line in enumerate(page.splitlines(), 1):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            body.append(line)
        elif opened is None:
            opened, body = (number, fence[1].strip()), []
        else:
            start, info = opened
            language = info.partition(" ")[0]
            yield Block(start, language, info, "".join(f"{one}\n" for one in body))
            opened = None
    assert opened is None, f"the fence of line {opened} is not closed"


def anchors(page: str) -> tuple[str, ...]:
    """The anchors of a page's headings, as code hosts make them."""
    found = (_HEADING.fullmatch(line) for line in _prose(page))
    return tuple(_slug(heading[1]) for heading in found if heading)


def links(page: str) -> tuple[str, ...]:
    """The targets of a page's links, outside of its blocks."""
    return tuple(target for line in _prose(page) for target in _LINK.findall(line))


def _prose(page: str) -> Iterator[str]:
    inside = False
    for line in page.splitlines():
        if _FENCE.fullmatch(line):
            inside = not inside
        elif not inside:
            yield line


def _slug(heading: str) -> str:
    words = re.sub(r"[^\w\- ]", "", heading.lower())
    return words.strip().replace(" ", "-")
