"""What a service accepts, and a loop should not get used to (spec R3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentsim.core import Message, MessageView

__all__ = ["RESULTS_LATE", "RESULTS_SWAPPED", "RESULTS_TWICE", "Habits"]

RESULTS_SWAPPED = (
    "the results of a response went back in another order than its calls: the service "
    "accepts that, but a model that reads them as a list takes one for another; append "
    "them in the order of the calls"
)

RESULTS_LATE = (
    "the result of a call went back behind other messages: this service accepts that, "
    "others do not, and the model reads on without it; append it directly after the "
    "response with its call"
)

RESULTS_TWICE = (
    "a call went back with two results: this service may accept that, others do not, and "
    "the model can't tell which of them holds; append each result once"
)


class Habits:
    """Looks at each request of one client, and only at what is new of its history."""

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before = MessageView([], 0)

    def look(self, messages: MessageView) -> tuple[str, ...]:
        """What of a history should be said, in sentences without their period.

        Args:
            messages: Of a request that the service accepts.
        """
        before, self._before = self._before, messages
        start = len(before) if messages.extends(before) else 0
        while 0 < start < len(messages) and messages[start].role == "tool":
            start -= 1  # to the response that asked for the first of what is new
        found: dict[str, None] = {}
        for at, results in _results(messages.since(start)):
            asked_at = _begin(messages, start + at) if at >= 0 else start
            turn = messages.since(asked_at)[: start + at + 1 - asked_at]
            order = [call.id for message in turn for call in message.tool_calls]
            found.update(dict.fromkeys(_wrong(order, results)))
            if any(result not in order for result in results):
                earlier = messages.since(0)[:asked_at]
                found.update(dict.fromkeys(_late(order, results, earlier)))
        return tuple(found)


def _begin(messages: MessageView, at: int) -> int:
    """Where the turn of the model begins that a message belongs to."""
    while at > 0 and messages[at - 1].role == messages[at].role == "assistant":
        at -= 1
    return at


def _results(messages: Sequence[Message]) -> Iterator[tuple[int, list[str]]]:
    """Ids of the results that stand together, and the index of what is before them."""
    results: list[str] = []
    at = -1
    for index, message in enumerate(messages):
        if message.role == "tool":
            results.append(message.tool_call_id or "")
            continue
        if results:
            yield at, results
            results = []
        at = index
    if results:
        yield at, results


def _wrong(order: list[str], results: list[str]) -> Iterator[str]:
    """What is wrong with the results of a response whose calls have an order."""
    own = [result for result in results if result in order]
    places = [order.index(result) for result in dict.fromkeys(own)]
    if places != sorted(places):
        yield RESULTS_SWAPPED
    if len(set(results)) < len(results):
        yield RESULTS_TWICE


def _late(
    order: list[str], results: list[str], earlier: Sequence[Message]
) -> Iterator[str]:
    """What is wrong with results that answer calls of responses before the last one."""
    asked = {call.id for message in earlier for call in message.tool_calls}
    answered = {message.tool_call_id for message in earlier}
    late = [result for result in results if result not in order and result in asked]
    if any(result not in answered for result in late):
        yield RESULTS_LATE
    if any(result in answered for result in late):
        yield RESULTS_TWICE
