"""Texts as YAML that libyaml reads back exactly: block literals wherever one can be.

PyYAML's own writer quotes each text with a tab, a trailing space or an emoji, and folds
what is long. Here a text of several lines stays as it is, line by line. What a literal
can't hold (carriage returns, control characters, U+0085, U+2028) is put into quotes with
escapes; halves of characters, which YAML can't hold at all, are spelt out, see `escaped`.
"""

from __future__ import annotations

import json
import re

from agentsim.plain_yaml import NotANumber, meaning

__all__ = ["ESCAPED", "escaped", "is_whole", "unescaped", "write_key", "write_text"]

ESCAPED = "escaped"
"""Key of the mapping that stands for a text with halves of characters."""

_HALF = re.compile("[\ud800-\udfff]")
_HALF_OR_BACKSLASH = re.compile("[\ud800-\udfff\\\\]")
_SPELT = re.compile(r"\\(u[0-9a-f]{4}|\\)")

# What a literal can't hold: line ends that YAML would read as "\n", and what YAML knows
# by escapes only.
_WIDE = "\xa0-\u2027\u202a-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_NO_LITERAL = re.compile(f"[^\t\n\x20-\x7e{_WIDE}]")
_QUOTED = re.compile(f"[^\x20-\x7e{_WIDE}]")

_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*(?::[A-Za-z0-9_./+-]+)*")


def is_whole(text: str) -> bool:
    """Whether a text has no halves of characters (lone surrogates)."""
    return _HALF.search(text) is None


def escaped(text: str) -> str:
    r"""Spell out halves of characters: `\udcc3` for one, and `\\` for a backslash."""
    return _HALF_OR_BACKSLASH.sub(_spell, text)


def unescaped(text: str) -> str:
    r"""Undo `escaped`.

    Raises:
        ValueError: for a backslash that begins neither `\\` nor `\u` with four digits.
    """
    if "\\" in _SPELT.sub("", text):
        raise ValueError
    return _SPELT.sub(
        lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), text
    )


def write_key(text: str) -> str:
    """Write a text as a key: on one line."""
    return text if _is_plain(text) else _quoted(text)


def write_text(text: str, indent: int) -> str:
    r"""Write a text as the value of a key, or as an entry: what stands behind it.

    Args:
        text: Without halves of characters.
        indent: Column of the key, or of the key's first letter behind a `- `; the lines
            of a literal stand two columns further right.

    Returns:
        With the line end, such as `gpt-5\n` or `|\n  one\n  two\n`.
    """
    if "\n" not in text and _is_plain(text):
        return f"{text}\n"
    if not _worth_a_literal(text):
        return f"{_quoted(text)}\n"
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    style = ("-", "", "+")[min(ends, 2)]
    given = "2" if text[0] in " \t\n" else ""
    pad = " " * (indent + 2)
    lines = "\n".join(pad + line if line else "" for line in body.split("\n"))
    return f"|{given}{style}\n{lines}\n" + "\n" * (ends - 1)


def _worth_a_literal(text: str) -> bool:
    if _NO_LITERAL.search(text) is not None or not text.strip("\n"):
        return False
    return "\n" in text or '"' in text or "\\" in text or "\t" in text


def _is_plain(text: str) -> bool:
    if _PLAIN.fullmatch(text) is None:
        return False
    try:
        return meaning(text) == text and text not in ("---", "...")
    except NotANumber:
        return False


def _quoted(text: str) -> str:
    """A text in double quotes, by escapes that JSON and YAML have both."""
    written = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return _QUOTED.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _spell(found: re.Match[str]) -> str:
    return "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}"
