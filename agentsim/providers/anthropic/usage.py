"""Counts of tokens on this wire: those of the input exclude what the cache had (R1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.core import Message, Usage, tokens_of

__all__ = ["fill_usage", "read_usage", "usage_body"]

READ, WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"


def usage_body(usage: Usage, message: Message) -> dict[str, Any]:
    """The counts of an answer.

    Args:
        message: What the model said, with its thinking, whose tokens are told apart.
    """
    return {
        "input_tokens": usage.prompt - usage.cache_read,
        WRITTEN: 0,
        READ: usage.cache_read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": 0,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": usage.completion,
        "output_tokens_details": {"thinking_tokens": _thinking(usage, message)},
        "service_tier": "standard",
        "inference_geo": "not_available",
    }


def _thinking(usage: Usage, message: Message) -> int:
    thought = [
        block["thinking"]
        for block in message.blocks
        if block.get("type") == "thinking" and isinstance(block.get("thinking"), str)
    ]
    length = sum(map(len, thought))
    return min(tokens_of(length), usage.completion) if length else 0


def read_usage(told: object) -> Usage | None:
    """The neutral counts: the prompt is all that was read, from the cache or not."""
    if not isinstance(told, Mapping):
        return None
    fresh, output = _count(told.get("input_tokens")), _count(told.get("output_tokens"))
    if fresh is None or output is None:
        return None
    cached, written = _count(told.get(READ)) or 0, _count(told.get(WRITTEN)) or 0
    return Usage(fresh + written + cached, output, cached)


def fill_usage(told: dict[str, Any], usage: Usage) -> None:
    """Put the neutral counts in, if they are others than what is told there."""
    if read_usage(told) == usage:
        return
    written = _count(told.get(WRITTEN)) or 0
    if usage.prompt - usage.cache_read < written:
        written = 0
        told[WRITTEN] = 0
    told["input_tokens"] = usage.prompt - usage.cache_read - written
    told["output_tokens"] = usage.completion
    if told.get(READ) is not None or usage.cache_read:
        told[READ] = usage.cache_read


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
