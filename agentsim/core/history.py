"""One growing history and cheap views of it (design 2.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import overload
from weakref import ref

from agentsim.core.messages import Message

__all__ = ["History", "MessageView"]


class MessageView(Sequence[Message]):
    """The first `length` messages of a list that only grows."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: list[Message], length: int) -> None:
        self._items = items
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._length)
            if step == 1:
                return self._items[start:stop]
            return [self._items[at] for at in range(start, stop, step)]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._items[index if index >= 0 else self._length + index]

    def __iter__(self) -> Iterator[Message]:
        return islice(self._items, self._length)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, MessageView):
            return other._length == self._length and self._starts(other._items)
        if isinstance(other, Sequence) and not isinstance(other, str | bytes):
            return len(other) == self._length and all(
                mine == theirs for mine, theirs in zip(self, other, strict=True)
            )
        return NotImplemented

    def _starts(self, theirs: list[Message]) -> bool:
        """Whether another list begins with these messages.

        Traces are compared event by event, with a view that grows in each request: what
        two lists were found to have in common is not compared again.
        """
        mine, length = self._items, self._length
        if theirs is mine:
            return True
        known = mine.in_common(theirs) if isinstance(mine, _Measured) else 0
        if mine[known:length] != theirs[known:length]:
            return False
        if isinstance(mine, _Measured) and isinstance(theirs, _Measured):
            mine.like = ref(theirs), max(known, length)
        return True

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have no hash

    def __repr__(self) -> str:
        return f"MessageView({list(self)!r})"

    def since(self, start: int) -> list[Message]:
        """The messages from index `start` on, which must not be negative.

        For readers with a cursor: a general slice costs several times as much.
        """
        return self._items[start : self._length]

    @property
    def characters(self) -> int:
        """Characters of all messages; each is measured once for all views of a list."""
        items = self._items
        if not isinstance(items, _Measured):
            return sum(message.characters for message in self)
        sums = items.sums
        known = len(sums) - 1
        if known < self._length:
            total = sums[known]
            for message in items[known : self._length]:
                total += message.characters
                sums.append(total)
        return sums[self._length]

    def news(self, earlier: MessageView) -> int:
        """The index from which this view is new to who read `earlier`; 0 for all."""
        return earlier._length if self.extends(earlier) else 0

    def behind(self, earlier: MessageView) -> list[Message] | None:
        """The messages behind `earlier`, or None where this view does not extend it."""
        length, start = self._length, earlier._length
        if self._items is earlier._items and start <= length:
            return self._items[start:length]
        return self.since(earlier._length) if self.extends(earlier) else None

    def extends(self, earlier: MessageView) -> bool:
        """Whether this view is `earlier` with nothing or something after it.

        Costs nothing when both are of one list, else a comparison of the prefix.
        """
        if self._length < earlier._length:
            return False
        if self._items is earlier._items:
            return True
        n = earlier._length
        return self._items[:n] == earlier._items[:n]

    def shared(self, other: MessageView) -> MessageView:
        """The longest view of this list that starts `other` too."""
        pairs = zip(self, other, strict=False)
        shortest = min(self._length, other._length)
        same = next((n for n, (a, b) in enumerate(pairs) if a != b), shortest)
        return MessageView(self._items, same)


class _Measured(list[Message]):
    """Messages, and what was found out of the first n of them, which never change.

    Attributes:
        sums: How many characters they have, as far as asked.
        like: Another list, and how many messages from its start on are the same.
    """

    __slots__ = ("__weakref__", "like", "sums")

    def __init__(self, messages: Iterable[Message]) -> None:
        super().__init__(messages)
        self.sums = [0]
        self.like: tuple[ref[_Measured], int] | None = None

    def in_common(self, other: object) -> int:
        """How many messages are known to be the same as in another list."""
        if self.like is None or self.like[0]() is not other:
            return 0
        return self.like[1]


class History:
    """An append-only list of messages; its views never change."""

    __slots__ = ("_items",)

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._items = _Measured(messages)

    def append(self, message: Message) -> None:
        """Add one message at the end."""
        self._items.append(message)

    def __len__(self) -> int:
        return len(self._items)

    def view(self) -> MessageView:
        """What stands in the history now."""
        return MessageView(self._items, len(self._items))

    def follow(self, messages: Sequence[Message]) -> MessageView:
        """Take over `messages` when they extend what is here, else start a new list.

        This is how a boundary keeps the requests of a runtime that it does not know:
        one list for as long as the runtime only appends, a new one when it rewrites.
        """
        if isinstance(messages, MessageView) and messages._items is self._items:
            return messages
        n = len(self._items)
        head = messages[:n]
        if len(head) == n and list(head) == self._items:
            self._items.extend(messages[n:])
        else:
            self._items = _Measured(messages)
        return self.view()
