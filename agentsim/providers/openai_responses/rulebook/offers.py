"""The form of the tools that a request offers, and of what it says about their use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.providers.openai.fields import unknown
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
    one_of,
    record,
    text,
    wrong_type,
)
from agentsim.providers.openai_responses.rulebook.forms import NAME_MAX
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["choice_faults", "choice_rules", "tools_faults"]

_SOMETIMES = ("allowed_callers", "async", "defer_loading")

_KEYS: dict[str, tuple[str, ...]] = {
    "function": (
        *("type", "name", "description", "parameters", "strict", "output_schema"),
        *_SOMETIMES,
    ),
    "custom": ("type", "name", "description", "format", *_SOMETIMES),
    "namespace": ("type", "name", "description", "tools"),
}

_NEEDED: dict[str, str] = {
    "function": "name",
    "custom": "name",
    "namespace": "name",
    "file_search": "vector_store_ids",
    "code_interpreter": "container",
    "mcp": "server_label",
}

_HOSTED = (
    *("file_search", "web_search", "web_search_2025_08_26", "web_search_preview"),
    *("web_search_preview_2025_03_11", "code_interpreter", "mcp", "image_generation"),
    *("computer", "computer_use", "computer_use_preview", "local_shell", "shell"),
    *("apply_patch", "tool_search", "programmatic_tool_calling"),
)

TOOL_TYPES = (*_KEYS, *_HOSTED)

CHOICE_TYPES = ("function", "custom", "allowed_tools", *_HOSTED)


def tools_faults(tools: object, path: str) -> Faults:
    """What is wrong with the tools of a request."""
    if not isinstance(tools, list):
        yield wrong_type(path, "an array of objects", tools)
        return
    for number, tool in enumerate(tools):
        yield from _tool(tool, f"{path}[{number}]")


def _tool(tool: object, path: str) -> Faults:
    yield from record(tool, path)
    if not isinstance(tool, Mapping):
        return
    kind = tool.get("type")
    if kind is None:
        yield missing(f"{path}.type")
        return
    yield from text(kind, f"{path}.type")
    if not isinstance(kind, str):
        return
    if kind not in TOOL_TYPES:
        yield not_among(kind, TOOL_TYPES, f"{path}.type")
        return
    needed = _NEEDED.get(kind)
    if needed is not None and tool.get(needed) is None:
        yield missing(f"{path}.{needed}")
        return
    if kind in _KEYS:
        for key in tool:
            if key not in _KEYS[kind]:
                yield unknown(f"{path}.{key}")
        yield from _named(tool, kind, path)


def _named(tool: Mapping[str, Any], kind: str, path: str) -> Faults:
    yield from name_faults(tool["name"], f"{path}.name", longest=NAME_MAX)
    if tool.get("description") is not None:
        yield from text(tool["description"], f"{path}.description")
    if kind == "namespace":
        yield from tools_faults(tool.get("tools") or [], f"{path}.tools")
    parameters = tool.get("parameters")
    if kind == "function" and parameters is not None:
        where = f"{path}.parameters"
        yield from record(parameters, where)
        if isinstance(parameters, Mapping):
            yield from schema_faults(tool, where)


def choice_faults(choice: object, path: str) -> Faults:
    """What is wrong with the form of a `tool_choice`."""
    yield from choice_type_faults(choice, path, CHOICE_TYPES)
    kind = choice.get("type") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or kind not in CHOICE_TYPES:
        return
    if kind == "allowed_tools":
        yield from _allowed(choice, path)
    else:
        key = {"mcp": "server_label"}.get(kind, "name")
        if key == "server_label" or kind in ("function", "custom"):
            yield from _needed(choice, key, path)


def _needed(choice: Mapping[str, Any], key: str, path: str) -> Faults:
    if choice.get(key) is None:
        yield missing(f"{path}.{key}")
    else:
        yield from text(choice[key], f"{path}.{key}")


def _allowed(choice: Mapping[str, Any], path: str) -> Faults:
    for key in ("mode", "tools"):
        if choice.get(key) is None:
            yield missing(f"{path}.{key}")
            return
    yield from one_of("auto", "required")(choice["mode"], f"{path}.mode")
    yield from array(choice["tools"], f"{path}.tools")
    for number, tool in enumerate(
        choice["tools"] if isinstance(choice["tools"], list) else ()
    ):
        yield from record(tool, f"{path}.tools[{number}]")


def choice_rules(body: Mapping[str, Any]) -> Iterator[WireRefusal]:
    """What is wrong with choices for the tools that are offered."""
    choice, tools = body.get("tool_choice"), body.get("tools") or []
    if not isinstance(choice, Mapping):
        return
    offered = list(_offered(tools))
    if "tool_search" in offered:
        return  # which finds tools that stand elsewhere
    allowed = choice["type"] == "allowed_tools"
    for chosen in choice["tools"] if allowed else [choice]:
        name = _identity(chosen)
        if name and name not in offered:
            yield choice_not_offered(name)


def _offered(tools: list[Any]) -> Iterator[str]:
    for tool in tools:
        yield _identity(tool)
        if tool["type"] == "namespace":
            yield from _offered(tool.get("tools") or [])


def _identity(tool: Mapping[str, Any]) -> str:
    """What a tool is chosen by: its name, the label of its server, or its type."""
    kind = tool.get("type")
    if kind in ("function", "custom", "namespace"):
        told = tool.get("name")
    else:
        told = tool.get("server_label") if kind == "mcp" else kind
    return told if isinstance(told, str) else ""
