"""The calls of a conversation on this wire, and the results that answer them.

Turns of one role that follow one another count as one. A verdict stands for every longer
conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.providers.anthropic.conversation.blocks import (
    SERVER_CALLS,
    is_server_result,
)
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["Pairing"]


class Pairing:
    """Reads the blocks of a conversation once.

    Attributes:
        split: Whether results of one turn of the model came in several messages.
    """

    __slots__ = (
        "_answered",
        "_ids",
        "_open",
        "_others",
        "_served",
        "_told_at",
        "split",
    )

    def __init__(self) -> None:
        self._open: dict[str, int] = {}
        self._answered: list[str] = []
        self._others = False
        self._ids: set[str] = set()
        self._served: set[str] = set()
        self._told_at = 0
        self.split = False

    @property
    def answering(self) -> bool:
        """Whether the turn that was read last holds results."""
        return bool(self._answered)

    @property
    def has_blocks(self) -> bool:
        """Whether the conversation has calls."""
        return bool(self._ids)

    def turn(self) -> WireRefusal | None:
        """Begin a new turn; calls that the last one left open stay so for ever."""
        found = None
        if self._answered or self._others:
            found = self.left_open()
            self._open = {}
        self._answered, self._others = [], False
        return found

    def left_open(self, *, rule: str = "unanswered") -> WireRefusal | None:
        """What is wrong with a conversation that ends here, if calls have no result."""
        if not self._open:
            return None
        words = (
            "`tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(self._open)}. Each `tool_use` block must have a corresponding "
            "`tool_result` block in the next message."
        )
        return refuse(rule, words, f"messages.{next(iter(self._open.values()))}")

    def of_model(
        self, block: Mapping[str, Any], position: int, path: str
    ) -> WireRefusal | None:
        """Read a block of a turn of the model."""
        kind = block["type"]
        if kind == "tool_use":
            call_id = block["id"]
            seen = call_id in self._ids
            self._ids.add(call_id)
            self._open[call_id] = position
            if seen:
                return refuse("duplicate-id", "`tool_use` ids must be unique", path)
        elif kind in SERVER_CALLS:
            self._served.add(block["id"])
        elif is_server_result(kind):
            return self._served_result(block, path)
        return None

    def _served_result(self, block: Mapping[str, Any], path: str) -> WireRefusal | None:
        kind, call_id = block["type"], block.get("tool_use_id")
        if not isinstance(call_id, str) or call_id in self._served:
            return None
        asked = "mcp_tool_use" if kind == "mcp_tool_result" else "server_tool_use"
        words = (
            f"unexpected `tool_use_id` found in `{kind}` blocks: {call_id}. Each "
            f"`{kind}` block must have a corresponding `{asked}` block before it."
        )
        return refuse("server-orphan", words, path)

    def of_user(
        self, block: Mapping[str, Any], position: int, path: str
    ) -> WireRefusal | None:
        """Read a block of a turn of the user."""
        kind = block["type"]
        if kind != "tool_result":
            self._others = True
            return self._served_result(block, path) if is_server_result(kind) else None
        call_id = block["tool_use_id"]
        if call_id in self._open:
            found = self.left_open(rule="results-first") if self._others else None
            del self._open[call_id]
            if self._answered and position != self._told_at:
                self.split = True
            self._told_at = position
            self._answered.append(call_id)
            return found
        if call_id in self._answered:
            words = (
                "each tool_use must have a single result. Found multiple `tool_result` "
                f"blocks with id: {call_id}"
            )
            return refuse("answered-twice", words, path)
        words = (
            f"unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. Each "
            "`tool_result` block must have a corresponding `tool_use` block in the "
            "previous message."
        )
        return refuse("orphan", words, path)
