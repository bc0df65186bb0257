"""What of a history is new, wherever the breakpoints of its cache stand by now.

Clients move the breakpoints to the end with each request: what was said stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentsim.providers.anthropic.conversation.blocks import unmarked

__all__ = ["Growth"]


class Growth:
    """Compares the messages of each request with those of the one before."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: Sequence[Any] = ()

    @property
    def count(self) -> int:
        """How many messages the last request had."""
        return len(self._seen)

    def kept(self, messages: Sequence[Any]) -> tuple[int, list[int]]:
        """How many messages at the start are those of the last request.

        Returns:
            Their number, and the indexes of those whose breakpoints are others.
        """
        seen, self._seen = self._seen, messages
        count = len(seen)
        if messages[:count] == seen:
            return count, []
        moved: list[int] = []
        for index, (was, now) in enumerate(zip(seen, messages, strict=False)):
            if was == now:
                continue
            if unmarked(was) != unmarked(now):
                return index, moved
            moved.append(index)
        return min(count, len(messages)), moved
