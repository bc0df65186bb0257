"""Which exchanges are of one conversation: each goes on from the history of another.

Histories are compared by what they mean: calls and results by their ids, texts without
the white space around them; system prompts do not count, since some tell the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentsim.cassettes.conversations.heard import Heard, hear
from agentsim.cassettes.records import Cassette
from agentsim.core import Message

__all__ = ["RecordedConversation", "Spoken", "conversations_of"]

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message of a conversation.

    Attributes:
        wire: The dialect that it was read from, which its blocks are of.
        heard: The exchange whose answer it is; None for what only stands in histories.
    """

    message: Message
    wire: str
    heard: Heard | None = None


@dataclass(frozen=True, slots=True)
class RecordedConversation:
    """Exchanges that go on from one another.

    Attributes:
        answered: Those with a whole answer, in order.
        failed: Those without one, and those that were asked again, in order.
    """

    answered: tuple[Heard, ...]
    failed: tuple[Heard, ...] = ()

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        """All that was said, without system prompts: the answers as they came."""
        return tuple(_spoken(self.answered))


def conversations_of(cassette: Cassette) -> tuple[RecordedConversation, ...]:
    """The conversations of a cassette that have an answer, by their first request.

    Two that begin alike and go on otherwise share the exchanges of the beginning.
    """
    heard = hear(cassette)
    tree = _Tree()
    parents = [tree.add(one) for one in heard]
    inner = {
        parent
        for one, parent in zip(heard, parents, strict=True)
        if one.response is not None and parent is not None
    }
    # An answer that nobody went on from, to a request that was sent again, was left.
    aside = [
        number
        for number, one in enumerate(heard)
        if one.response is None
        or (number not in inner and any(tree.is_alike(number, n) for n in inner))
    ]
    found = []
    for position in range(len(heard)):
        if position in inner or position in aside:
            continue
        chain = _chain(position, parents)
        failed = [
            heard[number]
            for number in aside
            if parents[number] in chain or tree.is_alike(number, chain[0])
        ]
        found.append(
            RecordedConversation(tuple(heard[n] for n in chain), tuple(failed))
        )
    return tuple(sorted(found, key=lambda one: one.answered[0].exchange.number))


class _Tree:
    """Histories by their messages: each node is a beginning that they share."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[int, Key], int] = {}
        self._heard: list[tuple[int, Key | None]] = []
        self._ends: dict[int, list[int]] = {}

    def add(self, heard: Heard) -> int | None:
        """Add a request, and tell the number of the one that it goes on from.

        That is the one whose answer stands in its history, the last of several; else
        one whose answer was left out or written anew.
        """
        node = 0
        best: tuple[bool, int, int] | None = None
        for depth, message in enumerate(heard.messages):
            meaning = _meaning(message)
            for number in self._ends.get(node, ()):
                said = self._heard[number][1]
                if said is None or (said != meaning and message.tool_calls):
                    continue
                found = (said == meaning, depth, number)
                best = found if best is None else max(best, found)
            node = self._nodes.setdefault((node, meaning), len(self._nodes) + 1)
        response = heard.response
        said = None if response is None else _meaning(response.message)
        self._ends.setdefault(node, []).append(len(self._heard))
        self._heard.append((node, said))
        return None if best is None else best[2]

    def is_alike(self, number: int, other: int) -> bool:
        """Whether two requests have the same history."""
        return self._heard[number][0] == self._heard[other][0]


def _meaning(message: Message) -> Key:
    if message.role == "tool":
        return ("tool", message.tool_call_id)
    if message.tool_calls:
        return ("calls", *((call.id, call.name) for call in message.tool_calls))
    return (message.role, message.content.strip())


def _chain(position: int, parents: Sequence[int | None]) -> list[int]:
    chain = [position]
    while (parent := parents[chain[0]]) is not None:
        chain.insert(0, parent)
    return chain


def _spoken(answered: Sequence[Heard]) -> Iterator[Spoken]:
    """The first history, then each answer with what stands behind it in the next."""
    before: Heard | None = None
    for heard in answered:
        messages = heard.messages
        if before is not None:
            at = len(before.messages)
            while at < len(messages) and messages[at].role == "assistant":
                at += 1  # the answer, as it was sent back
            messages = messages[at:]
        wire = heard.exchange.wire
        yield from (Spoken(message, wire) for message in messages)
        assert heard.response is not None
        yield Spoken(heard.response.message, wire, heard)
        before = heard
