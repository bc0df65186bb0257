"""The form of single values, with the refusals of the service for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from agentsim.providers.wires.rules import WireRefusal

__all__ = [
    "Check",
    "Faults",
    "array",
    "boolean",
    "decimal",
    "echoed",
    "empty",
    "integer",
    "missing",
    "not_among",
    "one_of",
    "record",
    "text",
    "too_long",
    "wrong_type",
]

Faults = Iterator[WireRefusal]

Check = Callable[[object, str], Faults]
"""Looks at a value that stands at a path."""

ECHOED_MAX = 64
"""The longest value that a message tells in full."""


def echoed(value: str) -> str:
    """A refused value as the service tells it: a long one by its ends only."""
    return value if len(value) <= ECHOED_MAX else f"{value[:3]}...{value[-3:]}"


def got(value: object) -> str:
    """Name the type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a decimal"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def wrong_type(
    path: str, expected: str, value: object, *, rule: str = "value"
) -> WireRefusal:
    """A value of another type than expected."""
    words = (
        f"Invalid type for '{path}': expected {expected}, but got {got(value)} instead."
    )
    return WireRefusal(rule, words, path, "invalid_type")


def missing(path: str) -> WireRefusal:
    """Something that must be there is not."""
    words = f"Missing required parameter: '{path}'."
    return WireRefusal("missing-parameter", words, path, "missing_required_parameter")


def text(value: object, path: str) -> Faults:
    """A text."""
    if not isinstance(value, str):
        yield wrong_type(path, "a string", value)


def boolean(value: object, path: str) -> Faults:
    """True or false."""
    if not isinstance(value, bool):
        yield wrong_type(path, "a boolean", value)


def record(value: object, path: str) -> Faults:
    """An object."""
    if not isinstance(value, dict):
        yield wrong_type(path, "an object", value)


def array(value: object, path: str) -> Faults:
    """An array."""
    if not isinstance(value, list):
        yield wrong_type(path, "an array", value)


def one_of(*values: str) -> Check:
    """One of a few texts."""

    def check(value: object, path: str) -> Faults:
        if not isinstance(value, str):
            yield wrong_type(path, f"one of {_listed(values)}", value)
        elif value not in values:
            yield not_among(value, values, path)

    return check


def not_among(
    value: str, values: Sequence[str], path: str, *, rule: str = "value"
) -> WireRefusal:
    """A text that is none of those that the service knows."""
    words = (
        f"Invalid value: '{echoed(value)}'. Supported values are: {_listed(values)}."
    )
    return WireRefusal(rule, words, path, "invalid_value")


def _listed(values: Sequence[str]) -> str:
    quoted = [f"'{value}'" for value in values]
    if len(quoted) == 1:
        return quoted[0]
    comma = "," if len(quoted) > 2 else ""
    return f"{', '.join(quoted[:-1])}{comma} and {quoted[-1]}"


def integer(least: int | None = None, most: int | None = None) -> Check:
    """A whole number between bounds, which it may be."""

    def check(value: object, path: str) -> Faults:
        if isinstance(value, bool) or not isinstance(value, int):
            yield wrong_type(path, "an integer", value)
        else:
            yield from _bounds("integer", value, path, (least, most))

    return check


def decimal(least: float, most: float) -> Check:
    """A number between bounds, which it may be."""

    def check(value: object, path: str) -> Faults:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            yield wrong_type(path, "a decimal", value)
        else:
            yield from _bounds("decimal", value, path, (least, most))

    return check


def _bounds(
    kind: Literal["integer", "decimal"],
    value: float,
    path: str,
    bounds: tuple[float | None, float | None],
) -> Faults:
    least, most = bounds
    if least is not None and value < least:
        side, sign, bound = "below minimum", ">=", least
    elif most is not None and value > most:
        side, sign, bound = "above maximum", "<=", most
    else:
        return
    words = (
        f"Invalid '{path}': {kind} {side} value. Expected a value {sign} {bound:g}, but "
        f"got {value} instead."
    )
    code = f"{kind}_{'below_min' if sign == '>=' else 'above_max'}_value"
    yield WireRefusal("value", words, path, code)


def too_long(
    kind: Literal["string", "array"],
    path: str,
    sizes: tuple[int, int],
    *,
    rule: str,
) -> WireRefusal:
    """A text or an array with more than there may be.

    Args:
        sizes: How long it may be, and how long it is.
    """
    most, length = sizes
    article = "an" if kind == "array" else "a"
    words = (
        f"Invalid '{path}': {kind} too long. Expected {article} {kind} with maximum "
        f"length {most}, but got {article} {kind} with length {length} instead."
    )
    return WireRefusal(rule, words, path, f"{kind}_above_max_length")


def empty(kind: Literal["string", "array"], path: str, *, rule: str) -> WireRefusal:
    """A text or an array that must not be empty."""
    article = "an" if kind == "array" else "a"
    words = (
        f"Invalid '{path}': empty {kind}. Expected {article} {kind} with minimum length "
        f"1, but got an empty {kind} instead."
    )
    return WireRefusal(rule, words, path, f"empty_{kind}")
