"""Folds the items of a growing history into neutral messages, each once."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.core import History, Message, MessageView, system
from agentsim.providers.openai_responses.messages import Origin, belongs, read_group

__all__ = ["Folding"]


class Folding:
    """The neutral messages of the items of one client.

    Args:
        origin: Finds the response that an item is of.
    """

    __slots__ = ("_count", "_history", "_lead", "_origin", "_starts")

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
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
        return belongs(items[at - 1], items[at], self._origin)

    def _read(self, items: Sequence[object], start: int) -> None:
        for at in range(start + 1, len(items) + 1):
            if at < len(items) and self._joins(items, at):
                continue
            self._history.append(read_group(items[start:at]))
            self._starts.append(start)
            start = at
        self._count = len(items)
