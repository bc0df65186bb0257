"""The form of a tool's definition, which is the same on both wires of OpenAI."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentsim.providers.openai.values import (
    Faults,
    empty,
    missing,
    not_among,
    text,
    too_long,
    wrong_type,
)
from agentsim.providers.wires.rules import WireRefusal

__all__ = [
    "CHOICES",
    "choice_not_offered",
    "choice_type_faults",
    "format_faults",
    "name_faults",
    "schema_faults",
]

CHOICES = ("none", "auto", "required")
"""What a `tool_choice` in one word may be."""

_NAME = re.compile(r"[a-zA-Z0-9_-]+")

_DEEP = ("properties", "$defs", "definitions")
"""Fields of a schema that hold schemas by name."""


def name_faults(name: object, path: str, *, longest: int) -> Faults:
    """What is wrong with the name of a tool."""
    yield from text(name, path)
    if not isinstance(name, str):
        return
    if not name:
        yield empty("string", path, rule="tool-name-length")
    if len(name) > longest:
        yield too_long("string", path, (longest, len(name)), rule="tool-name-length")
    if not _NAME.fullmatch(name):
        words = (
            f"Invalid '{path}': string does not match pattern. Expected a string that "
            "matches the pattern '^[a-zA-Z0-9_-]+$'."
        )
        yield WireRefusal("tool-name", words, path, "invalid_value")


def choice_type_faults(choice: object, path: str, kinds: Sequence[str]) -> Faults:
    """What is wrong with the type of a `tool_choice`: a word, or an object of a kind."""
    if isinstance(choice, str):
        if choice not in CHOICES:
            yield not_among(choice, CHOICES, path, rule="tool-choice")
        return
    if not isinstance(choice, Mapping):
        yield wrong_type(path, "one of a string or an object", choice)
        return
    kind = choice.get("type")
    if kind is None:
        yield missing(f"{path}.type")
    elif not isinstance(kind, str):
        yield wrong_type(f"{path}.type", "a string", kind)
    elif kind not in kinds:
        yield not_among(kind, kinds, f"{path}.type")


def choice_not_offered(name: str) -> WireRefusal:
    """A `tool_choice` names a tool that the request does not offer."""
    words = f"Tool choice '{name}' not found in 'tools' parameter."
    return WireRefusal("choice-not-offered", words, "tool_choice")


def schema_faults(body: Mapping[str, Any], path: str) -> Faults:
    """What is wrong with the schema of a function.

    Args:
        body: The definition, with a proper name and with parameters that are an object.
        path: Of the parameters.
    """
    name, schema = body["name"], body["parameters"]
    kind = schema.get("type")
    if kind != "object":
        words = (
            "schema must be a JSON Schema of 'type: \"object\"', got 'type: "
            f'"{kind if isinstance(kind, str) else None}"\'.'
        )
        yield _bad_schema(name, words, path)
        return
    for words in _in_contexts(schema, strict=body.get("strict") is True):
        yield _bad_schema(name, words, path)


def format_faults(body: Mapping[str, Any], path: str) -> Faults:
    """What is wrong with the schema of a strict format.

    Args:
        body: The format, with its name and with a schema that is an object.
        path: Of the schema.
    """
    if body.get("strict") is not True:
        return
    for words in _in_contexts(body["schema"], strict=True):
        said = f"Invalid schema for response_format '{body['name']}': {words}"
        yield WireRefusal("format-schema", said, path, "invalid_json_schema")


def _in_contexts(schema: Mapping[str, Any], *, strict: bool) -> Iterator[str]:
    for context, words in _schema(schema, (), strict=strict):
        place = (
            f"({', '.join(map(_quoted, context))}{',' if len(context) == 1 else ''})"
        )
        yield f"In context={place}, {words}"


def _bad_schema(name: str, words: str, path: str) -> WireRefusal:
    said = f"Invalid schema for function '{name}': {words}"
    return WireRefusal("tool-schema", said, path, "invalid_function_parameters")


def _quoted(part: str) -> str:
    return f"'{part}'"


_Context = tuple[str, ...]


def _schema(
    schema: Mapping[str, Any], context: _Context, *, strict: bool
) -> Iterator[tuple[_Context, str]]:
    """What is wrong in a schema, and where."""
    properties = schema.get("properties")
    if not context and not isinstance(properties, Mapping):
        yield context, "object schema missing properties."
    if schema.get("type") == "array" and "items" not in schema:
        yield context, "array schema missing items."
    if strict and schema.get("type") == "object":
        yield from _strict(schema, context)
    for step, inner in _inner(schema):
        yield from _schema(inner, (*context, *step), strict=strict)


def _strict(
    schema: Mapping[str, Any], context: _Context
) -> Iterator[tuple[_Context, str]]:
    if schema.get("additionalProperties") is not False:
        words = "'additionalProperties' is required to be supplied and to be false."
        yield context, words
    required = schema.get("required")
    listed = required if isinstance(required, list) else []
    properties = schema.get("properties")
    for name in properties if isinstance(properties, Mapping) else ():
        if name not in listed:
            yield (
                context,
                (
                    "'required' is required to be supplied and to be an array including "
                    f"every key in properties. Missing '{name}'."
                ),
            )


def _inner(schema: Mapping[str, Any]) -> Iterator[tuple[_Context, Mapping[str, Any]]]:
    for key in _DEEP:
        named = schema.get(key)
        if isinstance(named, Mapping):
            for name, inner in named.items():
                if isinstance(inner, Mapping):
                    yield (key, name), inner
    for key in ("anyOf", "oneOf", "allOf"):
        listed = schema.get(key)
        for number, inner in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(inner, Mapping):
                yield (key, str(number)), inner
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield ("items",), items
