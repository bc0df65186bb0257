"""What is wrong with a YAML text, in our words, at a place that an editor can open."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentsim.core import DEPTH_MAX, ScenarioError

if TYPE_CHECKING:
    from yaml import MarkedYAMLError

__all__ = ["at", "control_character", "syntax_error"]

_UNREADABLE = (
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""A pattern that takes milliseconds to compile: where it is not needed, it is not."""

# Part of what either reader of PyYAML says -> our words; the first that fits counts.
# `_BEGINNING` has the faults that lie where their context begins, `_NOTICED` those that
# lie where they were noticed.
_BEGINNING = {
    "could not find expected ':'": "this line has no ':' behind its key",
    "quoted scalar found unexpected": "the quoted text that begins here has no end",
    "parsing a flow sequence": "the list that begins here lacks a ',' or its ']'",
    "parsing a flow mapping": "the mapping that begins here lacks a ',' or its '}'",
    "scanning an a": "a text can't begin with '*' or '&': put it into quotes",
    "a tag": "a text can't begin with '!': put it into quotes",
    "tag handle": "a text can't begin with '!': put it into quotes",
    "directive": "a text can't begin with '%': put it into quotes",
}
_NOTICED = {
    "mapping values are not allowed": "a ':' can't stand here: put a text that contains "
    "': ' into quotes, or mend the indentation",
    "unexpected ':'": "a ':' can't stand here: put a text that contains ':' into quotes",
    "cannot start any token": "a text can't begin with this character: put it into "
    "quotes",
    "a block scalar": "behind '|' or '>' the line must end",
    "node content": "a value was expected here",
    "document start": "a second value stands behind the end of the first",
    "block mapping": "expected a key here: mend the indentation, or put the text before "
    "into quotes",
    "block collection": "expected a '- ' here: mend the indentation",
    "are not allowed": "a '-' or '?' can't stand here: mend the indentation, or put the "
    "text into quotes",
    "nesting": f"nested deeper than {DEPTH_MAX} levels",
    "incompatible YAML": "this is YAML of another version: leave the line out",
}
_ESCAPE = "an unknown escape: in single quotes a backslash stands for itself"

_TAB = "a tab stands here: indent with spaces, and put a text with a tab into quotes"


def at(name: str, line: int, column: int, words: str) -> ScenarioError:
    """A scenario error that begins with its place; line and column are 1-based."""
    return ScenarioError(f"{name}:{line}:{column}: {words}")


def control_character(text: str, name: str) -> ScenarioError | None:
    """The error of the first character that YAML can't hold, or None."""
    if text.replace("\n", "").isprintable():
        return None
    match = re.search(_UNREADABLE, text)
    if match is None:
        return None
    before = text[: match.start()]
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    code = f"U+{ord(match[0]):04X}"
    return at(
        name,
        line,
        column,
        f"the character {code} can't stand in YAML: write it as an escape in double quotes",
    )


def syntax_error(error: MarkedYAMLError, text: str, name: str) -> ScenarioError:
    """Translate what one of PyYAML's readers found."""
    said = f"{error.context or ''} {error.problem or ''}"
    mark = error.problem_mark
    words = _first(_NOTICED, said)
    if words is None:
        words = _first(_BEGINNING, said)
        if words is not None:
            mark = error.context_mark or mark
        elif "quoted scalar" in said:
            words = _ESCAPE
    assert mark is not None  # each error of PyYAML's scanner and parser has one
    if _tab_before(text, mark.line, mark.column):
        words = _TAB
    return at(name, mark.line + 1, mark.column + 1, words or "this is not valid YAML")


def _first(table: dict[str, str], said: str) -> str | None:
    return next((words for part, words in table.items() if part in said), None)


def _tab_before(text: str, line: int, column: int) -> bool:
    """Whether a tab stands at a place, or in the white space that leads to it."""
    rows = re.split("\r\n|[\n\r\x85\u2028\u2029]", text)
    row = rows[line] if line < len(rows) else ""
    return (
        row[column : column + 1] == "\t" or "\t" in row[: len(row) - len(row.lstrip())]
    )
