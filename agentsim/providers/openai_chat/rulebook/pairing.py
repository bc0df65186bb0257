"""The rules of a conversation on this wire: calls and their answers, and empty messages.

Messages are read one by one, in the wire's own form, each once. A verdict stands for
every longer history.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from agentsim.providers.openai_chat.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["Pairing"]


class Pairing:
    """Reads a growing conversation once.

    Args:
        off: Ids of the rules that are not enforced.
    """

    __slots__ = ("_answered", "_found", "_off", "_open", "_position")

    def __init__(self, off: Collection[str] = ()) -> None:
        self._off = off
        self._position = 0
        self._open: list[str] = []
        self._answered: list[str] = []
        self._found: WireRefusal | None = None

    def feed(self, messages: Sequence[object]) -> None:
        """Read the messages that come next."""
        for message in messages:
            if self._found is not None:
                return
            if isinstance(message, Mapping):
                self._found = self._judge(message)
            self._position += 1

    def verdict(self) -> WireRefusal | None:
        """Why a conversation that ends here is refused, or None."""
        return self._found or self._left_open()

    def _judge(self, message: Mapping[str, object]) -> WireRefusal | None:
        if message.get("role") == "tool":
            return self._result(message) or self._content(message)
        found = self._left_open()
        if found is not None:
            return found
        self._open, self._answered = [], []
        calls = message.get("tool_calls")
        if message.get("role") == "assistant" and isinstance(calls, list) and calls:
            return self._calls(calls)
        return self._content(message)

    def _calls(self, calls: Sequence[object]) -> WireRefusal | None:
        for call in calls:
            call_id = call.get("id") if isinstance(call, Mapping) else None
            if not isinstance(call_id, str):
                continue
            if call_id in self._open and "duplicate-id" not in self._off:
                path = f"messages.[{self._position}].tool_calls"
                words = f"Duplicate value for 'tool_call_id' of {call_id} in '{path}'."
                return refuse("duplicate-id", words, path)
            if call_id not in self._open:
                self._open.append(call_id)
        return None

    def _result(self, message: Mapping[str, object]) -> WireRefusal | None:
        at = f"messages.[{self._position}]"
        call_id = message.get("tool_call_id")
        if call_id is None or not isinstance(call_id, str):
            words = (
                "Missing parameter 'tool_call_id': messages with role 'tool' must have "
                "a 'tool_call_id'."
            )
            return refuse("missing-id", words, f"{at}.tool_call_id")
        if call_id in self._open:
            self._open.remove(call_id)
            self._answered.append(call_id)
            return None
        if call_id in self._answered:
            if "answered-twice" in self._off:
                return None
            words = f"Duplicate value for 'tool_call_id' of {call_id} in '{at}'."
            return refuse("answered-twice", words, f"{at}.tool_call_id")
        words = (
            "Invalid parameter: messages with role 'tool' must be a response to a "
            "preceeding message with 'tool_calls'."
        )
        return refuse("orphan", words, f"{at}.role")

    def _left_open(self) -> WireRefusal | None:
        if not self._open:
            return None
        words = (
            "An assistant message with 'tool_calls' must be followed by tool messages "
            "responding to each 'tool_call_id'. The following tool_call_ids did not "
            f"have response messages: {', '.join(self._open)}"
        )
        return refuse("unanswered", words, f"messages.[{self._position}].role")

    def _content(self, message: Mapping[str, object]) -> WireRefusal | None:
        if message.get("content") is not None or "null-content" in self._off:
            return None
        if message.get("role") == "assistant":
            said = ("refusal", "function_call", "audio")
            if any(message.get(key) is not None for key in said):
                return None
        if message.get("role") == "function":
            return None
        words = "Invalid value for 'content': expected a string, got null."
        return refuse("null-content", words, f"messages.[{self._position}].content")
