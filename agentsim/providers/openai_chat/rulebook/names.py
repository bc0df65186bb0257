"""The names of tools on this wire."""

from __future__ import annotations

import re

from agentsim.providers.openai.values import Faults, empty, text, too_long
from agentsim.providers.openai_chat.rulebook.table import refuse

__all__ = ["name_faults"]

NAME_MAX = 64

_NAME = re.compile(r"[a-zA-Z0-9_-]+")


def name_faults(name: object, path: str) -> Faults:
    """What is wrong with the name of a tool."""
    yield from text(name, path)
    if not isinstance(name, str):
        return
    if not name:
        yield empty("string", path, rule="tool-name-length")
    if len(name) > NAME_MAX:
        sizes = (NAME_MAX, len(name))
        yield too_long("string", path, sizes, rule="tool-name-length")
    if not _NAME.fullmatch(name):
        words = (
            f"Invalid '{path}': string does not match pattern. Expected a string that "
            "matches the pattern '^[a-zA-Z0-9_-]+$'."
        )
        yield refuse("tool-name", words, path)
