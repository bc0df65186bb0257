"""Definitions of tools on this wire, read into the neutral form.

`strict` is a matter between client and service and has no place in the neutral form. A
tool that takes a text, and no JSON, has parameters of the type `custom`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.core import ToolDef
from agentsim.providers.openai.custom import CUSTOM

__all__ = ["read_tools", "write_tool"]


def read_tools(tools: object, functions: object = None) -> tuple[ToolDef, ...]:
    """Read the `tools` of a request, and the older `functions`, as far as they are such."""
    found = [_tool(entry) for entry in tools] if isinstance(tools, list) else []
    if isinstance(functions, list):
        found += [_function(entry) for entry in functions]
    return tuple(tool for tool in found if tool is not None)


def write_tool(tool: ToolDef) -> dict[str, Any]:
    """Write a definition as a request has it."""
    told: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.parameters.get("type") == CUSTOM:
        rest = {key: value for key, value in tool.parameters.items() if key != "type"}
        return {"type": CUSTOM, CUSTOM: told | rest}
    return {
        "type": "function",
        "function": told | {"parameters": dict(tool.parameters)},
    }


def _tool(entry: object) -> ToolDef | None:
    if not isinstance(entry, Mapping):
        return None
    if entry.get("type") == CUSTOM:
        body = entry.get(CUSTOM)
        if not isinstance(body, Mapping):
            return None
        rest = {k: v for k, v in body.items() if k not in ("name", "description")}
        return ToolDef(
            _text(body, "name"), _text(body, "description"), {"type": CUSTOM, **rest}
        )
    return _function(entry.get("function"))


def _function(body: object) -> ToolDef | None:
    if not isinstance(body, Mapping):
        return None
    name, description = _text(body, "name"), _text(body, "description")
    parameters = body.get("parameters")
    if not isinstance(parameters, Mapping):
        return ToolDef(name, description)
    return ToolDef(name, description, parameters)


def _text(body: Mapping[str, Any], key: str) -> str:
    value = body.get(key)
    return value if isinstance(value, str) else ""
