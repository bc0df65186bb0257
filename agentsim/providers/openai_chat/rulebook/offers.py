"""The form of the tools that a request offers, and of what it says about their use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.providers.openai.values import (
    Faults,
    array,
    missing,
    not_among,
    record,
    text,
    too_long,
    wrong_type,
)
from agentsim.providers.openai_chat.rulebook.names import name_faults
from agentsim.providers.openai_chat.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["choice_faults", "choice_rules", "tools_faults"]

TOOLS_MAX = 128

DESCRIPTION_MAX = 1024

_KINDS = ("function", "custom")

_DEEP = ("properties", "$defs", "definitions")
"""Fields of a schema that hold schemas by name."""


def tools_faults(tools: object, path: str) -> Faults:
    """What is wrong with the tools of a request."""
    if not isinstance(tools, list):
        yield wrong_type(path, "an array of objects", tools)
        return
    if len(tools) > TOOLS_MAX:
        yield too_long("array", path, (TOOLS_MAX, len(tools)), rule="tool-count")
    for number, tool in enumerate(tools):
        yield from _tool(tool, f"{path}[{number}]")


def _tool(tool: object, path: str) -> Faults:
    yield from record(tool, path)
    if not isinstance(tool, Mapping):
        return
    kind = tool.get("type")
    if kind is None:
        yield missing(f"{path}.type")
    elif kind not in _KINDS:
        yield from text(kind, f"{path}.type")
        if isinstance(kind, str):
            yield not_among(kind, _KINDS, f"{path}.type")
    elif tool.get(kind) is None:
        yield missing(f"{path}.{kind}")
    else:
        yield from _definition(tool[kind], f"{path}.{kind}")


def _definition(body: object, path: str) -> Faults:
    yield from record(body, path)
    if not isinstance(body, Mapping):
        return
    if body.get("name") is None:
        yield missing(f"{path}.name")
        return
    yield from name_faults(body["name"], f"{path}.name")
    told = body.get("description")
    if told is not None:
        where = f"{path}.description"
        yield from text(told, where)
        if isinstance(told, str) and len(told) > DESCRIPTION_MAX:
            sizes = (DESCRIPTION_MAX, len(told))
            yield too_long("string", where, sizes, rule="description-length")
    parameters = body.get("parameters")
    if parameters is not None:
        where = f"{path}.parameters"
        yield from record(parameters, where)
        if isinstance(parameters, Mapping):
            yield from _schema_faults(body, parameters, where)


def _schema_faults(
    body: Mapping[str, Any], schema: Mapping[str, Any], path: str
) -> Faults:
    name, kind = body["name"], schema.get("type")
    if kind != "object":
        words = (
            "schema must be a JSON Schema of 'type: \"object\"', got 'type: "
            f'"{kind if isinstance(kind, str) else None}"\'.'
        )
        yield refuse(
            "tool-schema", f"Invalid schema for function '{name}': {words}", path
        )
        return
    for context, words in _schema(schema, (), strict=body.get("strict") is True):
        place = (
            f"({', '.join(map(_quoted, context))}{',' if len(context) == 1 else ''})"
        )
        said = f"Invalid schema for function '{name}': In context={place}, {words}"
        yield refuse("tool-schema", said, path)


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


def choice_faults(choice: object, path: str) -> Faults:
    """What is wrong with the form of a `tool_choice`."""
    words = ("none", "auto", "required")
    if isinstance(choice, str):
        if choice not in words:
            yield not_among(choice, words, path, rule="tool-choice")
        return
    if not isinstance(choice, Mapping):
        yield wrong_type(path, "one of a string or an object", choice)
        return
    kind = choice.get("type")
    if kind is None:
        yield missing(f"{path}.type")
    elif not isinstance(kind, str):
        yield wrong_type(f"{path}.type", "a string", kind)
    elif kind not in (*_KINDS, "allowed_tools"):
        yield not_among(kind, (*_KINDS, "allowed_tools"), f"{path}.type")
    elif choice.get(kind) is None:
        yield missing(f"{path}.{kind}")
    else:
        body, where = choice[kind], f"{path}.{kind}"
        yield from record(body, where)
        key = "tools" if kind == "allowed_tools" else "name"
        if isinstance(body, Mapping):
            check = array if key == "tools" else text
            if body.get(key) is None:
                yield missing(f"{where}.{key}")
            yield from check(body.get(key), f"{where}.{key}")


def choice_rules(body: Mapping[str, Any]) -> Iterator[WireRefusal]:
    """What is wrong with choices for the tools that are offered."""
    tools = body.get("tools")
    for key in ("tool_choice", "parallel_tool_calls"):
        if body.get(key) is not None and not tools:
            words = (
                f"Invalid value for '{key}': '{key}' is only allowed when 'tools' are "
                "specified."
            )
            yield refuse("choice-without-tools", words, key)
    choice = body.get("tool_choice")
    if isinstance(choice, Mapping) and choice.get("type") in _KINDS:
        name = choice[choice["type"]]["name"]
        if name not in [tool[tool["type"]]["name"] for tool in tools or ()]:
            words = f"Tool choice '{name}' not found in 'tools' parameter."
            yield refuse("choice-not-offered", words, "tool_choice")
