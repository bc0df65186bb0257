"""The rules of a history on this wire: calls and outputs, reasoning, ids of items.

Items are read one by one, each once: those that the service holds, and those of the
request. Which items came with which reasoning is known of what the service issued.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from agentsim.providers.openai_responses.items import (
    CALLS,
    OUTPUTS,
    REASONING,
    role_of,
    type_of,
)
from agentsim.providers.openai_responses.rulebook.table import refuse
from agentsim.providers.openai_responses.stored import Stored
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["Pairing"]

_SPOKEN = {call: call.replace("_", " ") for call in CALLS}
"""Type of a call -> as the service says it."""


class Pairing:
    """Reads a growing history once.

    Args:
        off: Ids of the rules that are not enforced.
        stored: What the service issued and keeps.
        elsewhere: Whether the service holds more of the history than is known here.
    """

    __slots__ = (
        "_answered",
        "_calls",
        "_elsewhere",
        "_found",
        "_ids",
        "_off",
        "_open",
        "_reasoning",
        "_stored",
    )

    def __init__(
        self, off: Collection[str], stored: Stored, *, elsewhere: bool = False
    ) -> None:
        self._off = off
        self._stored = stored
        self._elsewhere = elsewhere
        self._ids: dict[str, None] = {}
        self._open: dict[str, str] = {}
        self._answered: dict[str, None] = {}
        self._reasoning: str | None = None
        self._found: WireRefusal | None = None

    def feed(self, items: Sequence[object], *, held: bool = False) -> None:
        """Read the items that come next.

        Args:
            held: Whether the service holds them, and they were judged before.
        """
        for item in items:
            if self._found is not None:
                return
            if isinstance(item, dict):
                self._found = self._judge(item, held=held)

    def verdict(self) -> WireRefusal | None:
        """Why a history that ends here is refused, or None."""
        return self._found or self._lone() or self._left_open()

    def _judge(self, item: Mapping[str, Any], *, held: bool) -> WireRefusal | None:
        kind, own = type_of(item), item.get("id")
        item_id = own if isinstance(own, str) else ""
        found = None if held else self._identity(item, kind, item_id)
        if found is not None:
            return found
        if item_id:
            self._ids[item_id] = None
        if kind == REASONING and item_id and not held:
            self._reasoning = item_id
        call_id = item.get("call_id")
        if not isinstance(call_id, str):
            return None
        if kind in CALLS:
            self._open[call_id] = kind
            self._answered.pop(call_id, None)
        return self._output(kind, call_id) if kind in OUTPUTS else None

    def _identity(
        self, item: Mapping[str, Any], kind: str, item_id: str
    ) -> WireRefusal | None:
        """What is wrong with what an item is, and with what stands before it."""
        if item_id in self._ids and "duplicate-item" not in self._off:
            words = (
                f"Duplicate item found with id {item_id}. Remove duplicate items from "
                "your input and try again."
            )
            return refuse("duplicate-item", words, "input")
        if self._is_unstored(item, kind, item_id):
            words = (
                f"Item with id '{item_id}' not found. Items are not persisted when "
                "`store` is set to false. Try again with `store` set to true, or remove "
                "this item from your input."
            )
            return refuse("unstored-item", words, "input")
        return self._follows(item, item_id) or self._alone(kind, item_id)

    def _is_unstored(self, item: Mapping[str, Any], kind: str, item_id: str) -> bool:
        if "unstored-item" in self._off or self._elsewhere:
            return False
        if kind == REASONING:
            issued = self._stored.issue(item_id)
            bare = item.get("encrypted_content") is None
            return bare and issued is not None and not issued.kept
        # What is kept was put in the place of its reference before.
        return kind == "item_reference"

    def _follows(self, item: Mapping[str, Any], item_id: str) -> WireRefusal | None:
        """Whether the reasoning before an item is that of another, or of none."""
        pending = self._reasoning
        if pending is None or type_of(item) == REASONING:
            return None
        if role_of(item) != "assistant":
            return self._lone()
        issue, own = self._stored.issue(pending), self._stored.issue(item_id)
        known = issue is not None and issue.following and own is not None
        if known and issue is not None and issue.following != item_id:
            return self._lone()
        self._reasoning = None
        return None

    def _lone(self) -> WireRefusal | None:
        if self._reasoning is None or "lone-reasoning" in self._off:
            return None
        words = (
            f"Item '{self._reasoning}' of type 'reasoning' was provided without its "
            "required following item."
        )
        return refuse("lone-reasoning", words, "input")

    def _alone(self, kind: str, item_id: str) -> WireRefusal | None:
        """Whether an item is without the reasoning that it came with."""
        issue = self._stored.issue(item_id)
        needed = issue.reasoning if issue is not None else ""
        if not needed or needed in self._ids or "lost-reasoning" in self._off:
            return None
        words = (
            f"Item '{item_id}' of type '{kind}' was provided without its required "
            f"'reasoning' item: '{needed}'."
        )
        return refuse("lost-reasoning", words, "input")

    def _output(self, kind: str, call_id: str) -> WireRefusal | None:
        if self._open.pop(call_id, None) is not None:
            self._answered[call_id] = None
            return None
        spoken = _SPOKEN[kind.removesuffix("_output")]
        if call_id in self._answered:
            if "answered-twice" in self._off:
                return None
            words = f"Duplicate {spoken} output found for call_id {call_id}."
            return refuse("answered-twice", words, "input")
        if self._elsewhere or "orphan" in self._off:
            return None
        words = f"No tool call found for {spoken} output with call_id {call_id}."
        return refuse("orphan", words, "input")

    def _left_open(self) -> WireRefusal | None:
        if "unanswered" in self._off:
            return None
        for call_id, kind in self._open.items():
            words = f"No tool output found for {_SPOKEN[kind]} {call_id}."
            return refuse("unanswered", words, "input")
        return None
