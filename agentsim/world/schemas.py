"""The JSON Schema of what a file says of a part, or of a person, with its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

from agentsim.world.docstrings import words_of
from agentsim.world.own.models import untitled

_NUMBERS = re.compile(r"\s*\([RT][0-9.]+(?:, [RT][0-9.]+)*\)")
"""Rules that a docstring cites; readers of a file have their page."""

_NONE = re.compile(r"\bNone\b")

__all__ = ["spec_schema", "untitled"]


def spec_schema(spec: type[Any]) -> dict[str, Any]:
    """The schema of a frozen dataclass: its fields with types, defaults and words."""
    from pydantic import TypeAdapter

    schema: dict[str, Any] = untitled(TypeAdapter(spec).json_schema())
    inside = schema.get("$defs", {})
    _describe(schema, spec)
    for nested in dict.fromkeys(_nested(spec)):
        if nested.__name__ in inside:
            _describe(inside[nested.__name__], nested)
    return schema


def _describe(schema: dict[str, Any], spec: type[Any]) -> None:
    words, told = words_of(spec)
    schema["description"] = words.split("\n\n", 1)[0].replace("\n", " ")
    schema["additionalProperties"] = False
    for name, entry in schema["properties"].items():
        if name in told:
            entry["description"] = _NONE.sub("`null`", _NUMBERS.sub("", told[name]))


def _nested(spec: type[Any]) -> Iterator[type[Any]]:
    """The dataclasses in the fields of a dataclass, at any depth."""
    hints = get_type_hints(spec)
    for one in fields(spec):
        for part in _parts(hints[one.name]):
            if isinstance(part, type) and is_dataclass(part):
                yield part
                yield from _nested(part)


def _parts(annotation: object) -> Iterator[object]:
    yield annotation
    for part in get_args(annotation):
        yield from _parts(part)
