"""What the blocks of a well-formed message must hold: texts, and results of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.providers.anthropic.conversation.blocks import MARK
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.anthropic.rulebook.values import Faults

__all__ = ["block_faults", "system_faults", "text_faults"]


def text_faults(text: str, owner: str) -> Faults:
    """What is wrong with a text.

    Args:
        owner: Where it stands: `messages` or `system`.
    """
    if not text:
        yield refuse("empty-text", "text content blocks must be non-empty", owner)
    elif not text.strip():
        words = "text content blocks must contain non-whitespace text"
        yield refuse("blank-text", words, owner)


def block_faults(
    block: Mapping[str, Any], path: str, owner: str = "messages"
) -> Faults:
    """What is wrong with a block by itself."""
    if block["type"] == "text":
        if not block["text"] and block.get(MARK) is not None:
            words = "cache_control cannot be set for empty text blocks"
            yield refuse("empty-cached", words, f"{path}.text")
        yield from text_faults(block["text"], owner)
    elif block["type"] == "tool_result" and block.get("is_error"):
        yield from _error(block.get("content"), f"{path}.tool_result")


def _error(content: object, path: str) -> Faults:
    """What is wrong with the content of a result that tells of an error."""
    blocks: Sequence[Any] = content if isinstance(content, list) else ()
    if any(block["type"] != "text" for block in blocks):
        words = "all content must be type 'text' if 'is_error' is true"
        yield refuse("error-not-text", words, path)
    elif not content or (not any(block["text"] for block in blocks) and blocks):
        yield refuse(
            "error-empty", "content cannot be empty if `is_error` is true", path
        )


def system_faults(system: object) -> Faults:
    """What is wrong with the texts of a system prompt."""
    for number, block in enumerate(system if isinstance(system, list) else ()):
        yield from block_faults(block, f"system.{number}", "system")
