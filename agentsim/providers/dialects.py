"""The dialects that a model's service speaks, by name; each is loaded when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import cast

from agentsim.providers.wires.dialect import Dialect

__all__ = ["DIALECTS", "dialect_named"]

DIALECTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "chat": ("agentsim.providers.openai_chat", "CHAT"),
        "messages": ("agentsim.providers.anthropic", "MESSAGES"),
        "responses": ("agentsim.providers.openai_responses", "RESPONSES"),
    }
)
"""Name of a dialect -> the package that has it, and its name there."""


@cache
def dialect_named(name: str) -> Dialect:
    """The dialect of this name, one of `DIALECTS`.

    Raises:
        KeyError: when there is none.
    """
    package, constant = DIALECTS[name]
    return cast("Dialect", getattr(import_module(package), constant))
