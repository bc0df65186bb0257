"""How a model writes arguments wrongly: from one JSON text, another.

Each rewriting is defined for every text, also for one that is no JSON to begin with,
and keeps what it says of its result: cut arguments are never valid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from agentsim.core import InvalidArguments, parse_arguments

__all__ = [
    "big_integer",
    "cut",
    "double_encoded",
    "duplicate_key",
    "extra_key",
    "in_a_list",
    "nan",
    "single_quoted",
    "vary",
]

INEXACT = 2**53 + 1
"""The least whole number that a JSON reader with floats only can't tell from another."""


def cut(text: str) -> str:
    """The first half of the text, as a lost tail leaves it; never valid."""
    whole = text.strip()
    half = whole[: (len(whole) + 1) // 2]
    return half if half and not _valid(half) else "{"


def single_quoted(text: str) -> str:
    """The text with single quotes, as Python writes a dict; never valid."""
    quoted = text.replace('"', "'")
    return quoted if quoted != text and not _valid(quoted) else "{'key': 'value'}"


def double_encoded(text: str) -> str:
    """The text as one JSON string, as a model that encodes twice writes it."""
    return json.dumps(text, ensure_ascii=False)


def in_a_list(text: str) -> str:
    """The text in a list, as for several calls in one."""
    return f"[{text.strip() or '{}'}]"


def extra_key(text: str) -> str:
    """The text with one more field, that no tool asks for."""
    return _written({**_read(text), "unasked_for": True})


def duplicate_key(text: str) -> str:
    """The text with its first field twice, the second time empty; never valid."""
    fields = _read(text) or {"key": 1}
    first = next(iter(fields))
    again = json.dumps(first, ensure_ascii=False)
    return f"{_written(fields)[:-1]}, {again}: null}}"


def nan(text: str) -> str:
    """The text with NaN as the value of its first field; never valid."""
    fields = _read(text)
    first = next(iter(fields), "key")
    return _written({**fields, first: float("nan")})


def big_integer(text: str) -> str:
    """The text with 2^53 + 1 as its first number, or as one more field."""
    fields = _read(text)
    numbers = (name for name, value in fields.items() if type(value) is int)
    return _written({**fields, next(numbers, "number"): INEXACT})


def vary(text: str, number: int) -> str:
    """The n-th variant of the arguments: all differ, and 0 is the text as it is."""
    if number == 0:
        return text
    fields = _read(text)
    for kind, change in _CHANGES.items():
        for name, value in fields.items():
            if type(value) is kind:
                return _written({**fields, name: change(value, number)})
    return _written({**fields, "variant": number})


_CHANGES: Mapping[type, Callable[[Any, int], object]] = {
    str: lambda value, number: f"{value}-{number + 1}",
    int: lambda value, number: value + number,
}


def _valid(text: str) -> bool:
    try:
        parse_arguments(text)
    except InvalidArguments:
        return False
    return True


def _read(text: str) -> dict[str, Any]:
    """The fields of the arguments; none where they can't be read."""
    try:
        return parse_arguments(text)
    except InvalidArguments:
        return {}


def _written(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False)
