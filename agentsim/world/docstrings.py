"""What a docstring tells: its words, and those of its arguments or attributes."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import getdoc

__all__ = ["words_of"]

_SECTION = re.compile(
    r"^(Args|Arguments|Attributes|Parameters|Returns|Raises|Yields|Examples?|Notes?):\s*$",
    re.MULTILINE,
)

_ENTRY = re.compile(r"^ {2,4}(\w+)(?: \([^)\n]*\))?: *(.*(?:\n {5,}.*)*)", re.MULTILINE)


def words_of(thing: Callable[..., object] | type) -> tuple[str, dict[str, str]]:
    """The words before the sections of a docstring, and those of each argument or attribute."""
    words, *sections = _SECTION.split(getdoc(thing) or "")
    arguments: dict[str, str] = {}
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title in ("Args", "Arguments", "Attributes", "Parameters"):
            found = _ENTRY.findall(body)
            arguments |= {name: " ".join(told.split()) for name, told in found}
    return words.strip(), arguments
