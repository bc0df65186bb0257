"""Gates: where the outside answers, and where a run can therefore go another way."""

from __future__ import annotations

import asyncio
from heapq import heappop, heappush

__all__ = ["Fenced"]


class Fenced(BaseException):  # not an Exception: the dead do not retry
    """A dead incarnation asked the outside for something."""


class Gate:
    """One operation that waits for the engine to let it go on."""

    __slots__ = ("due_ns", "future", "label", "order")

    def __init__(
        self, label: str, *, due_ns: int, order: int, future: asyncio.Future[None]
    ) -> None:
        self.label = label
        self.due_ns = due_ns
        self.order = order
        self.future = future


class Gates:
    """The gates that wait, in order of arrival and in order of due time.

    Attributes:
        waiting: Number of arrival -> gate.
    """

    __slots__ = ("_by_due", "_last", "waiting")

    def __init__(self) -> None:
        self.waiting: dict[int, Gate] = {}
        self._by_due: list[tuple[int, int, Gate]] = []
        self._last = 0

    def add(self, label: str, due_ns: int, future: asyncio.Future[None]) -> Gate:
        """Let a new gate wait."""
        self._last = order = self._last + 1
        gate = Gate(label, due_ns=due_ns, order=order, future=future)
        self.waiting[order] = gate
        heappush(self._by_due, (due_ns, order, gate))
        return gate

    def discard(self, gate: Gate) -> None:
        """Forget a gate whose task gave up waiting."""
        self.waiting.pop(gate.order, None)

    def first(self) -> Gate | None:
        """The gate that is due first, then the one that came first, or None."""
        by_due = self._by_due
        while by_due:
            gate = by_due[0][2]
            if gate.order in self.waiting and not gate.future.done():
                return gate
            self.waiting.pop(gate.order, None)
            heappop(by_due)
        return None

    def others(self, first: Gate) -> list[Gate]:
        """The gates that wait beside this one, in order of arrival."""
        return [gate for gate in self.waiting.values() if gate is not first]

    def open(self, gate: Gate) -> None:
        """Let the operation go on."""
        del self.waiting[gate.order]
        gate.future.set_result(None)
