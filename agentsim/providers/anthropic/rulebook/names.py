"""The names of tools and the ids of calls on this wire."""

from __future__ import annotations

from agentsim.providers.anthropic.rulebook.values import pattern

__all__ = ["ID", "tool_name"]

ID = "^[a-zA-Z0-9_-]+$"

tool_name = pattern("^[a-zA-Z0-9_-]{1,128}$", "tool-name")
"""The name of a tool."""
