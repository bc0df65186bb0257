"""The form of single values, with the refusals of the service for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = [
    "Check",
    "Faults",
    "anything",
    "at_path",
    "boolean",
    "integer",
    "listed",
    "missing",
    "nullable",
    "number",
    "one_of",
    "pattern",
    "quoted",
    "record",
    "shape",
    "surplus",
    "tagged",
    "text",
    "wrong",
]

Faults = Iterator[WireRefusal]

Check = Callable[[object, str], Faults]
"""Looks at a value that stands at a path."""

SHOWN_MAX = 64
"""The longest tag that a message tells in full."""


def wrong(path: str, expected: str, *, rule: str = "value") -> WireRefusal:
    """A value of another type than expected, or out of its bounds."""
    return refuse(rule, f"Input should be {expected}", path)


def missing(path: str) -> WireRefusal:
    """Something that must be there is not."""
    return refuse("missing-field", "Field required", path)


def surplus(path: str) -> WireRefusal:
    """Something that the service does not know."""
    return refuse("surplus-field", "Extra inputs are not permitted", path)


def at_path(path: str, key: str | int) -> str:
    """The path of what stands in a value; what the body has stands at its own name."""
    return f"{path}.{key}" if path else str(key)


def anything(_value: object, _path: str) -> Faults:
    """Whatever it is."""
    return iter(())


def text(value: object, path: str) -> Faults:
    """A text."""
    if not isinstance(value, str):
        yield wrong(path, "a valid string")


def boolean(value: object, path: str) -> Faults:
    """True or false."""
    if not isinstance(value, bool):
        yield wrong(path, "a valid boolean")


def record(value: object, path: str) -> Faults:
    """An object."""
    if not isinstance(value, Mapping):
        yield wrong(path, "a valid dictionary")


def integer(least: int, *, rule: str = "value") -> Check:
    """A whole number, from a bound on."""

    def check(value: object, path: str) -> Faults:
        if isinstance(value, bool) or not isinstance(value, int):
            yield wrong(path, "a valid integer")
        elif value < least:
            yield wrong(path, f"greater than or equal to {least}", rule=rule)

    return check


def number(least: float, most: float) -> Check:
    """A number between bounds, which it may be."""

    def check(value: object, path: str) -> Faults:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            yield wrong(path, "a valid number")
        elif value < least:
            yield wrong(path, f"greater than or equal to {least:g}")
        elif value > most:
            yield wrong(path, f"less than or equal to {most:g}")

    return check


def one_of(*values: str) -> Check:
    """One of a few texts."""

    def check(value: object, path: str) -> Faults:
        if not isinstance(value, str) or value not in values:
            yield wrong(path, quoted(values))

    return check


def quoted(values: Sequence[str]) -> str:
    """Texts to choose from, in words."""
    told = [f"'{value}'" for value in values]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} or {told[-1]}"


def pattern(expression: str, rule: str) -> Check:
    """A text of a form."""
    compiled = re.compile(expression.strip("^$"))

    def check(value: object, path: str) -> Faults:
        if not isinstance(value, str):
            yield wrong(path, "a valid string")
        elif not compiled.fullmatch(value):
            yield refuse(rule, f"String should match pattern '{expression}'", path)

    return check


def nullable(inner: Check) -> Check:
    """The same, or null."""

    def check(value: object, path: str) -> Faults:
        return iter(()) if value is None else inner(value, path)

    return check


def listed(inner: Check) -> Check:
    """A list of such values."""

    def check(value: object, path: str) -> Faults:
        if not isinstance(value, list):
            yield wrong(path, "a valid list")
            return
        for index, entry in enumerate(value):
            yield from inner(entry, f"{path}.{index}")

    return check


def shape(
    required: Mapping[str, Check],
    optional: Mapping[str, Check] | None = None,
    *,
    closed: bool = True,
) -> Check:
    """An object with such fields.

    Args:
        closed: Whether no other field may be there.
    """
    known = {**required, **(optional or {})}

    def check(value: object, path: str) -> Faults:
        if not isinstance(value, Mapping):
            yield wrong(path, "a valid dictionary")
            return
        for key, inner in known.items():
            if key in value:
                yield from inner(value[key], at_path(path, key))
            elif key in required:
                yield missing(at_path(path, key))
        for key in value if closed else ():
            if key not in known:
                yield surplus(at_path(path, key))

    return check


def tagged(kinds: Mapping[str, Check], *, also: str = "") -> Check:
    """An object whose `type` says which fields it has.

    Args:
        also: A pattern of types that are taken with any fields: the service has ever
            more of them.
    """
    others = re.compile(also) if also else None

    def check(value: object, path: str) -> Faults:
        if not isinstance(value, Mapping):
            yield wrong(path, "a valid dictionary")
            return
        kind = value.get("type")
        if "type" not in value:
            yield missing(f"{path}.type")
        elif isinstance(kind, str) and kind in kinds:
            yield from kinds[kind](value, f"{path}.{kind}")
        elif not isinstance(kind, str):
            yield wrong(f"{path}.type", "a valid string")
        elif not (others and others.fullmatch(kind)):
            yield _no_tag(kind, kinds, path)

    return check


def _no_tag(kind: str, kinds: Mapping[str, Check], path: str) -> WireRefusal:
    shown = kind if len(kind) <= SHOWN_MAX else f"{kind[:SHOWN_MAX]}..."
    tags = ", ".join(f"'{known}'" for known in kinds)
    words = (
        f"Input tag '{shown}' found using 'type' does not match any of the expected "
        f"tags: {tags}"
    )
    return refuse("block-type", words, path)
