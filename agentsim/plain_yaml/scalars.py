"""What a text without quotes stands for in YAML, by the core schema of YAML 1.2.

One departure: a whole number with zeros before it, such as `007`, stays text, since who
writes them means them. Dates, times, `on`, `yes` and `1_000` are text, as in YAML 1.2.
"""

from __future__ import annotations

import math
import re

from agentsim.core import DIGITS_MAX

__all__ = ["NotANumber", "Plain", "meaning"]

Plain = str | int | float | bool | None

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
}
_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_EXPONENT = r"[eE][-+]?[0-9]+"
_FLOAT = re.compile(
    rf"[-+]?(?:(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:{_EXPONENT})?|[0-9]+{_EXPONENT})"
)
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class NotANumber(Exception):
    """A text that has the form of a number, and no value that JSON can carry."""


def meaning(text: str) -> Plain:
    """The value of a text without quotes.

    Raises:
        NotANumber: for NaN, infinity, and what is out of range.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _NO_NUMBER.fullmatch(text):
        raise NotANumber(f"{text} can't be used as a number")
    if _WHOLE.fullmatch(text):
        if len(text.lstrip("+-")) > DIGITS_MAX:
            raise NotANumber(f"a number of more than {DIGITS_MAX} digits")
        return int(text)
    if _BASED.fullmatch(text):
        value = int(text[2:], 8 if text[1] == "o" else 16)
        if value >= 10**DIGITS_MAX:
            raise NotANumber(f"a number of more than {DIGITS_MAX} digits")
        return value
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise NotANumber("a number out of range")
        return number
    return text
