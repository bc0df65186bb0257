"""Definitions of tools on this wire, which are flat, read into the neutral form.

`strict` is a matter between client and service and has no place in the neutral form,
and neither have tools that the service runs itself. A tool that takes a text, and no
JSON, has parameters of the type `custom`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.core import ToolDef
from agentsim.providers.openai.custom import CUSTOM

__all__ = ["read_tools", "write_tool"]


def read_tools(tools: object) -> tuple[ToolDef, ...]:
    """Read the `tools` of a request, as far as they are such, those of namespaces too."""
    return tuple(_tools(tools))


def write_tool(tool: ToolDef) -> dict[str, Any]:
    """Write a definition as a request has it."""
    told: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.parameters.get("type") == CUSTOM:
        return {**told, **tool.parameters}
    return {"type": "function", **told, "parameters": dict(tool.parameters)}


def _tools(tools: object) -> Iterator[ToolDef]:
    for tool in tools if isinstance(tools, list) else ():
        if not isinstance(tool, Mapping):
            continue
        kind = tool.get("type")
        if kind == "namespace":
            yield from _tools(tool.get("tools"))
        elif kind in ("function", CUSTOM):
            yield _tool(tool)


def _tool(tool: Mapping[str, Any]) -> ToolDef:
    name, description = _text(tool, "name"), _text(tool, "description")
    if tool.get("type") == CUSTOM:
        rest = {k: v for k, v in tool.items() if k not in ("name", "description")}
        return ToolDef(name, description, rest)
    parameters = tool.get("parameters")
    if not isinstance(parameters, Mapping):
        return ToolDef(name, description)
    return ToolDef(name, description, parameters)


def _text(body: Mapping[str, Any], key: str) -> str:
    value = body.get(key)
    return value if isinstance(value, str) else ""
