"""What a service accepts, and a loop should not get used to (spec R3.2)."""

from __future__ import annotations

from collections.abc import Mapping

from agentsim.core import MessageView

__all__ = ["RESULTS_SWAPPED", "Habits"]

RESULTS_SWAPPED = (
    "the results of a response went back in another order than its calls: the service "
    "accepts that, but a model that reads them as a list takes one for another; append "
    "them in the order of the calls"
)


class Habits:
    """Looks at each request of one client, and only at what is new of its history."""

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before = MessageView([], 0)

    def look(self, messages: MessageView) -> tuple[str, ...]:
        """What of a history should be said, in sentences without their period."""
        before, self._before = self._before, messages
        count = len(before) if messages.extends(before) else 0
        return (RESULTS_SWAPPED,) if _swapped(messages, count) else ()


def _swapped(messages: MessageView, start: int) -> bool:
    """Whether a result from an index on stands after that of a later call."""
    while 0 < start < len(messages) and messages[start].role == "tool":
        start -= 1
    places: Mapping[str, int] = {}
    last = -1
    for message in messages.since(start):
        if message.role != "tool":
            calls = message.tool_calls
            places = {call.id: n for n, call in enumerate(calls)} if calls[1:] else {}
            last = -1
        elif (place := places.get(message.tool_call_id or "")) is not None:
            if place < last:
                return True
            last = place
    return False
