"""What a docstring of ours says, in parts: words, fields, arguments, errors."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

__all__ = ["Told", "told"]

_NUMBERS = re.compile(
    r"\s+\((?:spec |design )?[A-Z]?[0-9][0-9.]*(?:(?:, | to )[A-Z]?[0-9][0-9.]*)*\)"
    r"|\s+of R[0-9]+\.[0-9]+"
)
"""The numbers of the specification that a sentence of ours points to."""

_SECTION = re.compile(r"^(Args|Attributes|Raises):\n", re.MULTILINE)
_ENTRY = re.compile(r"^    ([*\w]+): (.*(?:\n {8}.*)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Told:
    """A docstring in parts.

    Attributes:
        words: Its paragraphs, each in one line.
        entries: What it says of each field or argument.
        errors: What it says of each error.
    """

    words: tuple[str, ...]
    entries: dict[str, str]
    errors: dict[str, str]

    @property
    def sentence(self) -> str:
        """Its first line."""
        return self.words[0]


def told(thing: object) -> Told:
    """Read the docstring of a class, function or property, without rule numbers."""
    text = _NUMBERS.sub("", inspect.getdoc(thing) or "")
    words, *sections = _SECTION.split(text)
    titles, bodies = sections[::2], sections[1::2]
    parts = {t: _entries(body) for t, body in zip(titles, bodies, strict=True)}
    return Told(
        tuple(" ".join(part.split()) for part in words.split("\n\n") if part.strip()),
        {**parts.get("Attributes", {}), **parts.get("Args", {})},
        parts.get("Raises", {}),
    )


def _entries(body: str) -> dict[str, str]:
    return {name: " ".join(words.split()) for name, words in _ENTRY.findall(body)}
