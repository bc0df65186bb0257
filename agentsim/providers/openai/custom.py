"""Tools that take a text, and no JSON: their parameters are of a type of its own."""

from __future__ import annotations

from collections.abc import Iterable

from agentsim.core import ToolDef

__all__ = ["CUSTOM", "custom_names"]

CUSTOM = "custom"


def custom_names(tools: Iterable[ToolDef]) -> tuple[str, ...]:
    """Names of the tools that take a text, and no JSON."""
    return tuple(tool.name for tool in tools if tool.parameters.get("type") == CUSTOM)
