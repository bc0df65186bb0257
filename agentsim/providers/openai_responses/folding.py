"""Folds the items of a growing history into neutral messages, each once.

A loop may send each call with its output right behind it; the service takes that. Both
calls are still of one answer of the model, which is one message of the neutral form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentsim.core import History, Message, MessageView, system
from agentsim.providers.openai_responses.items import OUTPUTS, role_of, type_of
from agentsim.providers.openai_responses.messages import Origins, belongs, read_group

__all__ = ["Folding", "Gathered"]

ResponseOf = Callable[[object], str | None]
"""Finds the response that an item is of, where it is known."""


class Gathered:
    """A growing list of items in the order in which they make messages.

    Args:
        response_of: Only items of which it knows are moved.
    """

    __slots__ = ("_moved", "_response_of", "items")

    def __init__(self, response_of: ResponseOf) -> None:
        self._response_of = response_of
        self._moved: list[tuple[int, int]] = []
        self.items: list[object] = []

    def follow(self, items: Sequence[object], kept: int) -> int:
        """Take over what is new, and tell how many at the start are as they were.

        Args:
            kept: How many items at the start are those of the last time.
        """
        while self._moved and self._moved[-1][1] > kept:
            kept = min(kept, self._moved.pop()[0])
        del self.items[kept:]
        self._add(items[kept:])
        return kept

    def _add(self, items: Sequence[object]) -> None:
        out = self.items
        group: str | None = None
        first = place = len(out)
        for item in items:
            of = self._response_of(item) if role_of(item) == "assistant" else None
            if of is not None and of == group:
                moves = place < len(out)
                out.insert(place, item)
                place += 1
                if moves:
                    self._note(first)
                continue
            if type_of(item) in OUTPUTS:
                out.append(item)
                self._grow(first)
                continue
            group, first = of, len(out)
            out.append(item)
            place = len(out)

    def _note(self, first: int) -> None:
        """Remember that something moved in the range that began at an index."""
        if self._moved and self._moved[-1][0] == first:
            self._moved.pop()
        self._moved.append((first, len(self.items)))

    def _grow(self, first: int) -> None:
        if self._moved and self._moved[-1][0] == first:
            self._note(first)


class Folding:
    """The neutral messages of the items of one client.

    Args:
        origins: Finds the response that an item is of.
    """

    __slots__ = ("_count", "_gathered", "_history", "_lead", "_origins", "_starts")

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._gathered = Gathered(origins.response_of)
        self._history = History()
        self._lead: list[Message] = []
        self._starts: list[int] = []
        self._count = 0

    def fold(self, items: Sequence[object], *, kept: int, prompt: str) -> MessageView:
        """The messages of all items.

        Messages that were made before stay the same objects, as far as their items are.

        Args:
            kept: How many items at the start are those of the last time.
            prompt: The instructions of the request, which are no item.
        """
        kept = self._gathered.follow(items, kept)
        items = self._gathered.items
        lead = [system(prompt)] if prompt else []
        starts = self._starts
        whole = len(starts)
        while whole and self._end(whole) > kept:
            whole -= 1
        at = self._end(whole)
        if whole and at < len(items) and self._joins(items, at):
            whole -= 1
            at = starts[whole]
        if lead != self._lead or whole < len(starts):
            old = self._history.view()[len(self._lead) :]
            self._history = History([*lead, *old[:whole]])
            del starts[whole:]
            self._lead = lead
        self._read(items, at)
        return self._history.view()

    def _end(self, count: int) -> int:
        """How many items the first messages are made of."""
        if not count:
            return 0
        return self._starts[count] if count < len(self._starts) else self._count

    def _joins(self, items: Sequence[object], at: int) -> bool:
        return belongs(items[at - 1], items[at], self._origins)

    def _read(self, items: Sequence[object], start: int) -> None:
        for at in range(start + 1, len(items) + 1):
            if at < len(items) and self._joins(items, at):
                continue
            self._history.append(read_group(items[start:at]))
            self._starts.append(start)
            start = at
        self._count = len(items)
