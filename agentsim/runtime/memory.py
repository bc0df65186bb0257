"""Where a conversation lives between runs (spec R2).

A memory holds what was said, without the system prompt: that belongs to the
configuration. It is plain and in process; durability is the store's part (R10).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from agentsim.core import HistoryRules, Message

__all__ = ["Conversation", "Memory", "keeper", "open_calls", "recall"]


@runtime_checkable
class Memory(Protocol):
    """Keeps a conversation: read once at the start of a run, then appended to.

    Every message is appended in the moment it enters the history of the run, the
    results that repair it included; so a memory can be continued after any ending.
    """

    def load(self) -> Sequence[Message]:
        """All that was said so far."""

    def append(self, message: Message) -> None:
        """Add one message at the end."""


class Conversation:
    """A memory in the process: a list of its own, never the caller's."""

    __slots__ = ("_messages",)

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self._messages = list(messages)

    def load(self) -> Sequence[Message]:
        """A copy of all that was said so far."""
        return tuple(self._messages)

    def append(self, message: Message) -> None:
        """Add one message at the end."""
        self._messages.append(message)


def keeper(memory: Memory | Sequence[Message] | None) -> Memory | None:
    """The memory that a run appends to, if it was given one."""
    if memory is None or isinstance(memory, (tuple, list)):
        return None  # the usual cases first: asking for a protocol is slow
    return memory if isinstance(memory, Memory) else None


def recall(memory: Memory | Sequence[Message] | None) -> Sequence[Message]:
    """What was said before this run, without the system prompt of an earlier one."""
    if memory is None:
        return ()
    earlier = memory.load() if isinstance(memory, Memory) else memory
    head = 0
    while head < len(earlier) and earlier[head].role == "system":
        head += 1
    return earlier[head:]


def open_calls(messages: Sequence[Message]) -> tuple[str, ...]:
    """Ids of the calls at the end of a history that have no result yet."""
    rules = HistoryRules()
    for message in messages:
        rules.feed(message)
    return rules.open_calls
