"""Gates: where the outside answers, and where a run can therefore go another way."""

from __future__ import annotations

from asyncio import Future

__all__ = ["Fenced"]


class Fenced(BaseException):  # not an Exception: the dead do not retry
    """A dead incarnation asked the outside for something."""


class Gate:
    """One operation that waits for the engine to let it go on.

    Attributes:
        label: What goes on, in the words of a person.
        due_ns: When it is due, under the policy `timed`.
        opened: What its task waits for: a future of asyncio's own, which a task waits
            for more quickly than for ours. No agent gets hold of it.
    """

    __slots__ = ("due_ns", "label", "opened")

    def __init__(self, label: str, due_ns: int, opened: Future[None]) -> None:
        self.label = label
        self.due_ns = due_ns
        self.opened = opened


def first_due(gates: list[Gate]) -> Gate:
    """The gate that is due first, and of these the one that came first.

    Args:
        gates: Those that wait, in order of arrival; one or more.
    """
    first = gates[0]
    for gate in gates:
        if gate.due_ns < first.due_ns:
            first = gate
    return first
