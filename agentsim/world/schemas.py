"""The JSON Schema of what a file says of a part, or of a person, with its words."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from agentsim.plain_yaml import field_names, nested_shapes
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
    for nested in nested_shapes(spec):
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
    names = dict(
        zip((one.name for one in fields(spec)), field_names(spec), strict=True)
    )
    schema["properties"] = {
        names[name]: entry for name, entry in schema["properties"].items()
    }
