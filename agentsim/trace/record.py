"""A run as a value: the header and the events in their order (spec T5)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, overload

from agentsim.core import Event, Who
from agentsim.trace.header import Header

__all__ = ["Recorder", "Trace"]

E = TypeVar("E", bound=Event)


class Trace:
    """What happened in one run, in order; it does not change any more.

    Equal when header and events are equal. `len()` is the number of events.
    """

    __slots__ = ("events", "header")

    def __init__(self, header: Header, events: Iterable[Event]) -> None:
        self.header = header
        self.events: tuple[Event, ...] = tuple(events)

    @overload
    def of(self, *, who: Who | None = None) -> list[Event]: ...
    @overload
    def of(self, *types: type[E], who: Who | None = None) -> list[E]: ...
    def of(self, *types: type[Event], who: Who | None = None) -> Sequence[Event]:
        """The events of some types, or of all, in order.

        Args:
            who: The witness; None is everyone outside of the agent, which leaves out
                only what a runtime says of itself (`runtime`).
        """
        kinds = types or (Event,)
        return [
            event
            for event in self.events
            if isinstance(event, kinds)
            and (event.who == who if who is not None else event.who != "runtime")
        ]

    def digest(self) -> str:
        """Sixteen hexadecimal digits over the canonical text: equal texts, equal runs.

        Raises:
            UsageError: when an event carries what a trace can't be written with.
        """
        from agentsim.trace._writing import jsonl_lines

        found = hashlib.blake2b(digest_size=8)
        for line in jsonl_lines(self.header, self.events):
            found.update(line.encode("ascii"))
            found.update(b"\n")
        return found.hexdigest()

    def __len__(self) -> int:
        return len(self.events)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        return self.header == other.header and self.events == other.events

    __hash__ = None  # type: ignore[assignment]  # its events are not frozen

    def __repr__(self) -> str:
        return f"Trace({self.header.scenario!r}, {len(self.events)} events)"


class Recorder:
    """Takes the events of a running simulation.

    Attributes:
        add: Takes one event. It is the append of a list and nothing more, since it
            stands on the hot path.
    """

    __slots__ = ("add", "events")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.add: Callable[[Event], None] = self.events.append

    def trace(self, header: Header) -> Trace:
        """What was taken so far, as a trace."""
        return Trace(header, self.events)
