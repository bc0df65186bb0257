"""The form of the tools that a request offers, and of what it says about their use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.providers.openai.tools import (
    choice_not_offered,
    choice_type_faults,
    name_faults,
    schema_faults,
)
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
from agentsim.providers.openai_chat.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["choice_faults", "choice_rules", "tools_faults"]

TOOLS_MAX = 128

NAME_MAX, DESCRIPTION_MAX = 64, 1024

_KINDS = ("function", "custom")

_CHOICES = (*_KINDS, "allowed_tools")


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
    yield from name_faults(body["name"], f"{path}.name", longest=NAME_MAX)
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
            yield from schema_faults(body, where)


def choice_faults(choice: object, path: str) -> Faults:
    """What is wrong with the form of a `tool_choice`."""
    yield from choice_type_faults(choice, path, _CHOICES)
    kind = choice.get("type") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or kind not in _CHOICES:
        return
    if choice.get(kind) is None:
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
            yield choice_not_offered(name)
