"""JSON as the model wrote it: strict reading, canonical writing, faults in our words.

The interpreter's own messages and positions differ between Python versions, so none of
them leaves this module: a text is read by the fast standard parser, and only when that
fails does a small scanner find out what is wrong and where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from agentsim.core.json_fault import DEPTH_MAX, DIGITS_MAX, find_fault

__all__ = [
    "InvalidArguments",
    "canonical_arguments",
    "canonical_json",
    "parse_arguments",
    "parse_json",
]


KNOWN_LENGTH = 1_000
"""Characters of a text up to which what was made of it is kept: models repeat calls."""


class InvalidArguments(ValueError):
    """A text is not the JSON it should be; the message says what is wrong and where."""


def canonical_json(value: object) -> str:
    """Write `value` with sorted keys and without white space, in ASCII (R1.11).

    Keys should be texts; an integer as a key becomes one, as everywhere in `json`.

    Raises:
        ValueError: for NaN, infinity, and what contains itself or is nested deeper
            than `DEPTH_MAX`: what is written can always be read by `parse_json`.
        TypeError: for what JSON can't carry.
    """
    try:
        text = _ENCODER.encode(value)
    except _CannotCarry:
        raise
    except TypeError:
        raise TypeError("the keys of a JSON object must be texts") from None
    except (ValueError, RecursionError):
        raise ValueError(_UNWRITABLE) from None
    if (_too_deep(text) or _has_long_number(text)) and find_fault(text) is not None:
        raise ValueError(_UNWRITABLE)
    return text


def parse_json(text: str, *, unique_keys: bool = True) -> Any:
    """Read strict JSON: no NaN, no duplicate keys, no number out of range.

    Args:
        unique_keys: False for texts that others recorded: of a key that stands twice,
            the last value counts, as for most services.

    Raises:
        InvalidArguments: with what is wrong, and the line and column.
    """
    # What the interpreter may be set to read, or to refuse, is judged by the scanner.
    if _too_deep(text) or _has_long_number(text):
        fault = find_fault(text, unique_keys=unique_keys)
        if fault is not None:
            raise InvalidArguments(fault)
    try:
        return (_UNIQUE if unique_keys else _LENIENT).decode(text)
    except (ValueError, RecursionError):
        fault = find_fault(text, unique_keys=unique_keys)
        raise InvalidArguments(fault or "more than this interpreter can read") from None


def parse_arguments(text: str) -> dict[str, Any]:
    """Read the arguments of a tool call: an object; empty text means `{}` (R1.11).

    Raises:
        InvalidArguments: when the text is not JSON, or not an object.
    """
    flat = _flat(text) if len(text) <= KNOWN_LENGTH else None
    return _parsed(text) if flat is None else flat.copy()


def _parsed(text: str) -> dict[str, Any]:
    if not text.strip(" \t\n\r"):
        return {}
    value = parse_json(text)
    if not isinstance(value, dict):
        raise InvalidArguments(f"expected a JSON object, got {_type_name(value)}")
    return value


@lru_cache(maxsize=1024)
def _flat(text: str) -> dict[str, Any] | None:
    """Arguments with no list or object in them: copying these is cheap; else None."""
    arguments = _parsed(text)
    for value in arguments.values():
        if isinstance(value, (dict, list)):
            return None
    return arguments


def canonical_arguments(text: str) -> str:
    """Canonical form of a call's arguments; what is invalid stays as it was written."""
    return _known(text) if len(text) <= KNOWN_LENGTH else _canonical(text)


def _canonical(text: str) -> str:
    try:
        return canonical_json(parse_arguments(text))
    except InvalidArguments:
        return text


_known = lru_cache(maxsize=1024)(_canonical)


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    return "a string" if isinstance(value, str) else "an array"


def _unique_pairs(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError
    return record


def _refuse_constant(_name: str) -> None:
    raise ValueError


def _finite_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError
    return value


_UNIQUE = json.JSONDecoder(
    object_pairs_hook=_unique_pairs,
    parse_constant=_refuse_constant,
    parse_float=_finite_float,
)
_LENIENT = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite_float)

_UNWRITABLE = (
    f"JSON can't carry NaN, infinity, a number of more than {DIGITS_MAX} digits, "
    f"or a value that contains itself or is nested deeper than {DEPTH_MAX} levels"
)

_LONG_NUMBER = re.compile(rf"(?<![0-9])[0-9]{{{DIGITS_MAX + 1}}}")
_DIGIT = re.compile("[0-9]")
_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def _too_deep(text: str) -> bool:
    """Whether brackets outside of strings stand deeper than `DEPTH_MAX`."""
    if text.count("[") + text.count("{") <= DEPTH_MAX:
        return False
    if _is_flat(text):
        return False
    depth = 0
    for match in _BRACKET.finditer(text):
        mark = match[0]
        if mark in "[{":
            depth += 1
            if depth > DEPTH_MAX:
                return True
        elif mark in "]}":
            depth -= 1
    return False


_NO_MARKS = bytes(code for code in range(256) if code not in b'[]{}"')

_PASSES = DEPTH_MAX // 4
"""Each takes away one or two levels of brackets."""


def _is_flat(text: str) -> bool:
    """Whether JSON is plainly not too deep, without going through it bracket by bracket.

    Of what is no JSON, and of what is nested deeper than a few levels, it says no.
    """
    plain = text.encode("utf-8", "surrogatepass")
    plain = plain.replace(b"\\\\", b"").replace(
        b'\\"', b""
    )  # now each quote is a border
    left = b"".join(plain.translate(None, _NO_MARKS).split(b'"')[::2])
    for _ in range(_PASSES):
        left = left.replace(b"[]", b"").replace(b"{}", b"")
        if not left:
            return True
    return False


def _has_long_number(text: str) -> bool:
    """Whether more digits stand in a row than `DIGITS_MAX`, in a string or not."""
    # So many in a row have one at each such distance: all others need no look.
    some = text[DIGITS_MAX :: DIGITS_MAX + 1]
    return _DIGIT.search(some) is not None and _LONG_NUMBER.search(text) is not None


class _CannotCarry(TypeError):
    """A value that JSON has no form for."""


def _refuse_value(value: object) -> None:
    raise _CannotCarry(f"JSON can't carry a value of type {type(value).__name__}")


_ENCODER = json.JSONEncoder(
    sort_keys=True,
    separators=(",", ":"),
    allow_nan=False,
    default=_refuse_value,
)
