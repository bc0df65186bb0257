"""Whether a text reached the model, in whatever form it was put."""

from __future__ import annotations

import json
import re

__all__ = [
    "TELLING",
    "differ_in_numbers",
    "is_form_of",
    "is_gone",
    "numbered_words",
    "telling_words",
]

TELLING = 12
"""From how many characters on it is no coincidence that a text says the same as another."""

_WORD = re.compile(r"[^\W_]{4,}")

_ANY_WORD = re.compile(r"[^\W_]+")

_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")
"""What JSON has in place of a character, where a text is a value in it."""


def telling_words(text: str) -> list[str]:
    """The words of a text that another form of it keeps, each once, in order."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))


def is_gone(text: str, told: str) -> bool:
    """Whether nothing of a text is left: no word, plain or as JSON in ASCII has it."""
    told = told.lower()
    words = telling_words(text) or [text.strip().lower()]
    return not any(
        word in told or json.dumps(word)[1:-1].lower() in told for word in words
    )


def is_form_of(text: str, other: str) -> bool:
    """Whether one of two texts has all the words of the other, in their order.

    So it is of a value and the JSON that holds it, of an answer and the same with its
    sources left out, or with what was said before and a line of numbers around it.
    """
    if text in other or other in text:
        return True
    shorter, longer = sorted((_all_words(text), _all_words(other)), key=len)
    left = iter(longer)
    return bool(shorter) and all(word in left for word in shorter)


def _all_words(text: str) -> list[str]:
    plain = _ESCAPED.sub(lambda found: chr(int(found[1] or "20", 16)), text)
    return _ANY_WORD.findall(plain.lower())


_NUMBERED = re.compile(r"\w*\d\w*")
"""A word with a digit: numbers, dates, times, ids."""


def numbered_words(text: str) -> list[str]:
    """The words of a text with a digit in them, in order."""
    return _NUMBERED.findall(text)


def differ_in_numbers(one: str, other: str) -> bool:
    """Whether two texts are the same but for words with a digit in them."""
    return _NUMBERED.sub("0", one) == _NUMBERED.sub("0", other)
