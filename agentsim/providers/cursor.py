"""Reads a growing history once: each reader keeps where it stopped (design 2.5)."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.core import History, Message, MessageView


class Cursor:
    """Remembers which history was read last, and how far.

    Costs nothing while the views are of one list; a history in another list is
    compared with what was read.
    """

    __slots__ = ("_read",)

    def __init__(self) -> None:
        self._read = MessageView([], 0)

    def advance(self, view: MessageView) -> int:
        """Take `view` as read, and return the index from which it is new.

        Zero means that it must be read from the start, with fresh state.
        """
        start = view.news(self._read)
        self._read = view
        return start


def as_view(messages: Sequence[Message]) -> MessageView:
    """The view itself, or a view of a copy of any other sequence."""
    if isinstance(messages, MessageView):
        return messages
    return History(messages).view()
