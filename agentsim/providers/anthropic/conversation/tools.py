"""Definitions of tools on this wire, read into the neutral form.

A tool that the service runs, or knows of itself, has a dated type: it is none of the
agent's own, and no neutral tool. `strict`, `defer_loading` and the like are a matter
between client and service.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.core import ToolDef

__all__ = ["read_tools", "write_tool"]


def read_tools(tools: object) -> tuple[ToolDef, ...]:
    """Read the `tools` of a request, as far as they are such of the client."""
    found = [_tool(entry) for entry in tools] if isinstance(tools, list) else []
    return tuple(tool for tool in found if tool is not None)


def write_tool(tool: ToolDef) -> dict[str, Any]:
    """Write a definition as a request has it."""
    told: dict[str, Any] = {"name": tool.name}
    if tool.description:
        told["description"] = tool.description
    return {**told, "input_schema": dict(tool.parameters)}


def _tool(entry: object) -> ToolDef | None:
    if not isinstance(entry, Mapping) or entry.get("type") not in (None, "custom"):
        return None
    name, description = entry.get("name"), entry.get("description")
    schema = entry.get("input_schema")
    told = (
        name if isinstance(name, str) else "",
        description if isinstance(description, str) else "",
    )
    return ToolDef(*told, schema) if isinstance(schema, Mapping) else ToolDef(*told)
