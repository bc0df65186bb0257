"""Fresh ids for calls that came without a usable one (spec R3.13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentsim.core import Message, ToolCall

__all__ = ["CallIds"]


class CallIds:
    """Knows every call id of a history, and replaces what is missing or repeated.

    A fresh id is made from the number of the iteration and of the call, so that the
    same run always gets the same ids.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, None] = {}

    def know(self, messages: Iterable[Message]) -> None:
        """Take over the ids of an earlier history."""
        for message in messages:
            for call in message.tool_calls:
                self._known[call.id] = None

    def mend(
        self, message: Message, iteration: int
    ) -> tuple[Message, tuple[tuple[str, str], ...]]:
        """Return the message with an id of its own for each call, and what changed.

        Returns:
            The message itself if nothing had to change, and pairs of the id as it came
            and the id in its place.
        """
        calls: list[ToolCall] = []
        replaced: list[tuple[str, str]] = []
        for number, call in enumerate(message.tool_calls, start=1):
            if not call.id or call.id in self._known:
                fresh = self._fresh(f"call_{iteration}_{number}", message)
                replaced.append((call.id or "", fresh))
                call = replace(call, id=fresh)  # noqa: PLW2901 the call under its new id
            self._known[call.id] = None
            calls.append(call)
        if not replaced:
            return message, ()
        return replace(message, tool_calls=tuple(calls)), tuple(replaced)

    def _fresh(self, name: str, message: Message) -> str:
        own = [call.id for call in message.tool_calls]
        candidate, attempt = name, 1
        while candidate in self._known or candidate in own:
            attempt += 1
            candidate = f"{name}_{attempt}"
        return candidate
