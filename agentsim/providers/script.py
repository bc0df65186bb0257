"""What the scripted model will answer, in order: an immutable list of entries (T3.1).

A script knows each reply by its index, counted on through an entry that goes on for
ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from agentsim.core import UsageError, canonical_arguments
from agentsim.providers.entries import By, Entry, Forever, Pick
from agentsim.providers.prepared import Prepared
from agentsim.providers.reply import Call, Reply
from agentsim.providers.words import type_words

__all__ = ["Script"]

Content = str | tuple[tuple[str, str], ...]


class Script(Sequence[Entry]):
    """Entries in order; only the last may go on for ever.

    What is derived from it (messages, replies of `forever`) is kept with it, so that
    one script serves many runs at no cost; the functions in it must therefore give the
    same reply for the same n.

    Raises:
        UsageError: for what is no entry, or for an endless entry before the end.
    """

    __slots__ = ("_by_content", "_by_id", "_entries", "_prepared", "_turns")

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)
        self._by_content: dict[Content | None, list[int]] | None = None
        self._by_id: dict[str, list[tuple[int, Call]]] | None = None
        self._prepared: dict[int, Prepared] = {}
        self._turns: dict[int, Reply | By] = {}
        last = len(self._entries) - 1
        for position, entry in enumerate(self._entries):
            if not isinstance(entry, Reply | By | Forever | Pick):
                raise UsageError(
                    f"script[{position}]: expected say(...), call(...), together(...), "
                    f"by(...), pick(...) or forever(...), got {type_words(entry)}"
                )
            if isinstance(entry, Forever | Pick) and position != last:
                raise UsageError(
                    f"script[{position}]: {entry.words} never ends, so nothing after "
                    "it is ever given: put it last"
                )

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        return self._entries[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Script) and self._entries == other._entries

    __hash__ = None  # type: ignore[assignment]  # blocks of replies have none

    def __repr__(self) -> str:
        return f"Script([{', '.join(entry.words for entry in self._entries)}])"

    def called_tools(self) -> Iterator[tuple[int, str]]:
        """Each call written by hand: the position of its entry, and its tool's name."""
        for position, entry in enumerate(self._entries):
            for reply in _written(entry):
                for call in reply.calls:
                    yield position, call.name

    def calls_by_name(self) -> Iterator[tuple[int, Call]]:
        """Each call whose arguments were given by name, and that a runtime may carry out."""
        for position, entry in enumerate(self._entries):
            for reply in _written(entry):
                for call in reply.calls:
                    if call.by_name and reply.reason == "tool_use":
                        yield position, call

    @property
    def endless(self) -> bool:
        """Whether the script has an answer to any number of requests."""
        return bool(self._entries) and isinstance(self._entries[-1], Forever | Pick)

    @property
    def never_ends(self) -> bool:
        """Whether it ends with replies for ever, of which each is written out."""
        last = self._entries[-1] if self._entries else None
        return isinstance(last, Forever) and all(
            isinstance(turn, Reply) for turn in last.turns
        )

    def plain(self) -> list[dict[str, Any]]:
        """The script as JSON-able values, for its digest."""
        return [entry.plain() for entry in self._entries]

    def at(self, index: int) -> Reply | By | Pick | None:
        """What makes the reply of this index, or None where the script has run out.

        Raises:
            UsageError: when a function of `forever` raises, or returns no reply.
        """
        if index < len(self._entries) - 1:
            entry = self._entries[index]
        elif not self._entries:
            return None
        else:
            entry = self._entries[-1]
            if isinstance(entry, Forever):
                return self._turn(entry, index)
            if index >= len(self._entries) and not isinstance(entry, Pick):
                return None
        assert not isinstance(entry, Forever)
        return entry

    def prepared(self, index: int) -> Prepared | None:
        """The reply written by hand at this index, ready to send; None for others."""
        prepared = self._prepared.get(index)
        if prepared is None:
            reply = self.at(index)
            if isinstance(reply, Reply):
                prepared = self._prepared[index] = Prepared(reply, index)
        return prepared

    def calls_with_id(self, given_id: str) -> Sequence[tuple[int, Call]]:
        """Calls of replies written by hand that were given this id, with the index."""
        if self._by_id is None:
            self._by_id = {}
            for index, reply in self._replies():
                for call in reply.calls:
                    if call.id is not None:
                        self._by_id.setdefault(call.id, []).append((index, call))
        return self._by_id.get(given_id, ())

    def only_later(self, reply: Reply, *, after: int) -> int | None:
        """Index of the only reply written by hand with this content, if it is later.

        Args:
            reply: Its text counts only when it has no calls; an empty one is nowhere.
        """
        if self._by_content is None:
            self._by_content = {}
            for index, written in self._replies():
                self._by_content.setdefault(_content(written), []).append(index)
        content = _content(reply)
        found = self._by_content.get(content, ()) if content is not None else ()
        return found[0] if len(found) == 1 and found[0] > after else None

    def _replies(self) -> Iterator[tuple[int, Reply]]:
        for index, entry in enumerate(self._entries):
            if isinstance(entry, Reply):
                yield index, entry

    def _turn(self, entry: Forever, index: int) -> Reply | By:
        turn = self._turns.get(index)
        if turn is None:
            turn = entry.turn(index - len(self._entries) + 1)
            self._turns[index] = turn
        return turn


def _content(reply: Reply) -> Content | None:
    if not reply.calls:
        return reply.text.strip() or None
    return tuple(
        (call.name, canonical_arguments(call.arguments)) for call in reply.calls
    )


def _written(entry: Entry) -> Iterator[Reply]:
    if isinstance(entry, Reply):
        yield entry
    elif isinstance(entry, Forever):
        yield from (turn for turn in entry.turns if isinstance(turn, Reply))
    elif isinstance(entry, Pick):
        yield from (*entry.replies, entry.final)
