"""What the model wrote as arguments: read, checked, and its faults told in our words.

The library that checks a schema says what is wrong by kind and place; its sentences are
never quoted, since they change between versions.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import jsonschema_rs

from agentsim.core import (
    InvalidArguments,
    ToolDef,
    UsageError,
    canonical_json,
    parse_arguments,
)

__all__ = ["APPROVER", "check_arguments", "compile_schema", "read_arguments"]

APPROVER = "confirmed_by"
"""The one field that the runtime adds to a call: who approved it (R4.4)."""

FAULTS_MAX = 5
"""How many faults of one call are told at once."""

QUOTE_MAX = 1000
"""How many characters of unreadable arguments are quoted."""

Schema = jsonschema_rs.Validator


def compile_schema(definition: ToolDef) -> Schema:
    """Compile the parameters of a tool, once per distinct schema.

    Arguments are checked without `confirmed_by`, so a schema may require that field:
    the tool gets it, the model does not have to write it.

    Raises:
        UsageError: when the parameters are not a JSON Schema.
    """
    known = _KNOWN.get(definition.name)
    if known is not None and known[0] == definition.parameters:
        return known[1]
    try:
        schema = _compile(canonical_json(dict(definition.parameters)))
    except (TypeError, ValueError, jsonschema_rs.ReferencingError):
        raise UsageError(
            f"tool {definition.name!r}: its parameters are not a JSON Schema; "
            'expected something like {"type": "object", "properties": {...}}'
        ) from None
    # A copy, since a caller may change the parameters in place.
    _KNOWN[definition.name] = (copy.deepcopy(definition.parameters), schema)
    return schema


_KNOWN: dict[str, tuple[Mapping[str, Any], Schema]] = {}
"""The last parameters of each name, with their schema: comparing is 20 x cheaper."""


@lru_cache(maxsize=512)
def _compile(text: str) -> Schema:
    schema = json.loads(text)
    required = schema.get("required")
    if isinstance(required, list) and APPROVER in required:
        schema["required"] = [name for name in required if name != APPROVER]
    return jsonschema_rs.validator_for(schema, offline=True)


def read_arguments(text: str) -> dict[str, Any]:
    """Read the arguments of one call, as the model wrote them.

    Raises:
        InvalidArguments: when they are not a JSON object: what is wrong, and where.
    """
    try:
        arguments = parse_arguments(text)
    except InvalidArguments as fault:
        # Quoted, since a wire that carries objects only can't give the text back (R1.2).
        quote = text if len(text) <= QUOTE_MAX else text[:QUOTE_MAX] + "…"
        raise InvalidArguments(f"{fault}; the arguments were: {quote}") from None
    if "\\u" in text or not text.isascii():
        _refuse_half_characters(arguments)
    return arguments


def check_arguments(arguments: dict[str, Any], schema: Schema) -> None:
    """Check arguments against a schema; a `confirmed_by` in them is removed first.

    Raises:
        InvalidArguments: with what is wrong, and where (R3.5).
    """
    arguments.pop(APPROVER, None)
    if not schema.is_valid(arguments):
        raise InvalidArguments(_faults(schema, arguments))


def _refuse_half_characters(arguments: Mapping[str, Any]) -> None:
    # A lone surrogate is legal in JSON text, but no text that a tool could write.
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidArguments("a text holds half of a surrogate pair") from None


def _faults(schema: Schema, arguments: Mapping[str, Any]) -> str:
    found = [
        f"{_place(error.instance_path)}{_words(error)}"
        for error in schema.iter_errors(arguments)
    ]
    told = sorted(dict.fromkeys(found))
    more = len(told) - FAULTS_MAX
    rest = [f"and {more} more"] if more > 0 else []
    return "; ".join(told[:FAULTS_MAX] + rest)


def _place(path: Sequence[str | int]) -> str:
    """Where a fault is, such as `items[0].name: `; nothing for the whole."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return f"{text}: " if text else ""


def _words(error: jsonschema_rs.ValidationError) -> str:
    kind = error.kind
    if kind.name == "falseSchema" and error.schema_path[-1:] == [
        "additionalProperties"
    ]:
        return "no field is allowed"  # the library's special case: no properties named
    words = _WORDS.get(kind.name)
    if words is None:
        return f"does not fit the schema's {kind.name}"
    return words(kind, error.instance)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _names(names: Sequence[str]) -> str:
    return ", ".join(_json(name) for name in sorted(names))


def _type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


_WORDS: dict[str, Callable[[Any, Any], str]] = {
    "type": lambda kind, value: (
        f"expected {' or '.join(sorted(kind.types))}, got {_type(value)}"
    ),
    "required": lambda kind, _: f"{_json(kind.property)} is missing",
    "additionalProperties": lambda kind, _: f"unknown: {_names(kind.unexpected)}",
    "unevaluatedProperties": lambda kind, _: f"unknown: {_names(kind.unexpected)}",
    "enum": lambda kind, value: (
        f"expected one of {_json(kind.options)}, got {_json(value)}"
    ),
    "const": lambda kind, value: (
        f"expected {_json(kind.expected_value)}, got {_json(value)}"
    ),
    "minimum": lambda kind, value: f"expected {kind.limit} or more, got {value}",
    "maximum": lambda kind, value: f"expected {kind.limit} or less, got {value}",
    "exclusiveMinimum": lambda kind, value: (
        f"expected more than {kind.limit}, got {value}"
    ),
    "exclusiveMaximum": lambda kind, value: (
        f"expected less than {kind.limit}, got {value}"
    ),
    "multipleOf": lambda kind, value: (
        f"expected a multiple of {kind.multiple_of}, got {value}"
    ),
    "minLength": lambda kind, value: (
        f"expected at least {kind.limit} characters, got {len(value)}"
    ),
    "maxLength": lambda kind, value: (
        f"expected at most {kind.limit} characters, got {len(value)}"
    ),
    "minItems": lambda kind, value: (
        f"expected at least {kind.limit} items, got {len(value)}"
    ),
    "maxItems": lambda kind, value: (
        f"expected at most {kind.limit} items, got {len(value)}"
    ),
    "minProperties": lambda kind, value: (
        f"expected at least {kind.limit} fields, got {len(value)}"
    ),
    "maxProperties": lambda kind, value: (
        f"expected at most {kind.limit} fields, got {len(value)}"
    ),
    "uniqueItems": lambda _kind, _: "expected items that differ",
    "pattern": lambda kind, _: f"expected a text that matches {kind.pattern}",
    "format": lambda kind, _: f"expected a text of format {kind.format}",
    "anyOf": lambda _kind, _: "fits none of the forms that are allowed",
    "oneOf": lambda _kind, _: "does not fit exactly one of the forms that are allowed",
    "not": lambda _kind, _: "has a form that is not allowed",
    "contains": lambda _kind, _: "lacks an item that must be there",
    "propertyNames": lambda _kind, _: "has a key that is not allowed",
    "falseSchema": lambda _kind, _: "nothing is allowed here",
}
