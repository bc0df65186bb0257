"""What the scripted model will answer, in order: an immutable list of entries (T3.1).

An entry is a `Reply`, or a rule that makes one: `by` a function of the request,
`forever` in turn, `pick` by a choice. A script knows each reply by its index, counted
on through an entry that goes on for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

from agentsim.core import (
    AgentsimError,
    Request,
    UsageError,
    canonical_arguments,
)
from agentsim.providers.prepared import Prepared
from agentsim.providers.reply import Call, Reply, say
from agentsim.providers.words import type_words

__all__ = [
    "By",
    "Entry",
    "Forever",
    "Numbered",
    "Pick",
    "Script",
    "by",
    "forever",
    "pick",
]

Content = str | tuple[tuple[str, str], ...]

Numbered = Callable[[int], Reply]
"""Makes the n-th repetition of a reply, counted from 1."""


@dataclass(frozen=True, slots=True)
class By:
    """A reply that a function makes of the request; made by `by`."""

    function: Callable[[Request], Reply]

    @property
    def words(self) -> str:
        """The rule in a few words."""
        return f"by({_function_name(self.function)})"

    def plain(self) -> dict[str, Any]:
        """The function's name: functions of one name are taken for one."""
        return {"by": _function_name(self.function)}

    def reply(self, request: Request) -> Reply:
        """Ask the function; errors of agentsim pass, others are named as its own.

        Raises:
            UsageError: when the function raises, or returns no reply.
        """
        return _made(self.words, self.function, request)


@dataclass(frozen=True, slots=True)
class Forever:
    """Replies in turn, without an end; made by `forever`."""

    turns: tuple[Reply | By | Numbered, ...]

    @property
    def words(self) -> str:
        """The rule in a few words."""
        return f"forever({', '.join(_turn_words(turn) for turn in self.turns)})"

    def plain(self) -> dict[str, Any]:
        """Its turns as JSON-able values; functions by their names."""
        return {"forever": [_plain_turn(turn) for turn in self.turns]}

    def turn(self, n: int) -> Reply | By:
        """The n-th reply, 0-based over all turns.

        Raises:
            UsageError: when a function raises, or returns no reply.
        """
        turn = self.turns[n % len(self.turns)]
        if isinstance(turn, Reply | By):
            return turn
        return _made(self.words, turn, n // len(self.turns) + 1)


@dataclass(frozen=True, slots=True)
class Pick:
    """A policy that draws each reply; made by `pick`."""

    replies: tuple[Reply, ...]
    final: Reply
    at_most: int

    @property
    def words(self) -> str:
        """The rule in a few words."""
        return f"pick({', '.join(reply.words for reply in self.replies)})"

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the choice; the first one, the final answer, is the dull one."""
        return (self.final.words, *(reply.words for reply in self.replies))

    def plain(self) -> dict[str, Any]:
        """All of it as JSON-able values."""
        return {
            "pick": [reply.plain() for reply in self.replies],
            "final": self.final.plain(),
            "at_most": self.at_most,
        }

    def reply(self, n: int, choose: Callable[[str, Sequence[str]], int]) -> Reply:
        """Draw the n-th reply, 0-based; past `at_most` nothing is drawn any more."""
        if n >= self.at_most:
            return self.final
        drawn = choose("model", self.options)
        return self.final if drawn == 0 else self.replies[drawn - 1]


Entry: TypeAlias = Reply | By | Forever | Pick


def by(function: Callable[[Request], Reply]) -> By:
    """A reply made by a function of the request, which should hang on nothing else.

    Such a reply is found again in a history by the derived ids of its calls, or as long
    as this run's model remembers that it gave it.

    Raises:
        UsageError: when `function` can't be called.
    """
    if not callable(function):
        raise UsageError(f"by(): expected a function, got {type_words(function)}")
    return By(function)


def forever(*turns: Reply | By | Numbered) -> Forever:
    """The last entry of a script: these replies in turn, as often as it is asked.

    Args:
        *turns: Replies, `by(...)`, or functions of n that make the n-th repetition,
            counted from 1.

    Raises:
        UsageError: for none, or for what makes no reply.
    """
    if not turns:
        raise UsageError("forever(): expected a reply or more, got none")
    given: tuple[object, ...] = turns
    for position, turn in enumerate(given, 1):
        if isinstance(turn, Forever | Pick) or not (
            isinstance(turn, Reply | By) or callable(turn)
        ):
            raise UsageError(
                f"forever(): expected a reply, by(...) or a function of n, "
                f"got {type_words(turn)} at {position}"
            )
    return Forever(turns)


def pick(*replies: Reply, final: Reply | None = None, at_most: int = 20) -> Pick:
    """The last entry of a script: a model that draws what it answers.

    Each reply is one choice named `model`, whose option 0 is the final answer; so a
    run without deviations ends at once.

    Args:
        final: The final answer; `say("Done.")` unless given.
        at_most: How many replies are drawn; after them only the final answer comes,
            so that every run ends.

    Raises:
        UsageError: for no replies, what is no reply, or `at_most` under 1.
    """
    final = say("Done.") if final is None else final
    if not replies:
        raise UsageError("pick(): expected a reply or more, got none")
    for reply in (*replies, final):
        if not isinstance(reply, Reply):
            raise UsageError(f"pick(): expected replies, got {type_words(reply)}")
    if at_most < 1:
        raise UsageError(f"pick(): at_most: expected 1 or more, got {at_most!r}")
    return Pick(replies, final, at_most)


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

    @property
    def endless(self) -> bool:
        """Whether the script has an answer to any number of requests."""
        return bool(self._entries) and isinstance(self._entries[-1], Forever | Pick)

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


def _made(words: str, function: Callable[[Any], Reply], argument: object) -> Reply:
    try:
        reply = function(argument)
    except AgentsimError:
        raise
    except Exception as error:
        raise UsageError(
            f"the function of {words} in the script raised {type(error).__name__}"
        ) from error
    if not isinstance(reply, Reply):
        raise UsageError(
            f"the function of {words} in the script returned {type_words(reply)}, "
            "expected a reply: say(...), call(...) or together(...)"
        )
    return reply


def _function_name(function: Callable[..., object]) -> str:
    name = getattr(function, "__qualname__", None)
    return name if isinstance(name, str) else type(function).__qualname__


def _turn_words(turn: Reply | By | Numbered) -> str:
    return turn.words if isinstance(turn, Reply | By) else _function_name(turn)


def _plain_turn(turn: Reply | By | Numbered) -> dict[str, Any]:
    if isinstance(turn, Reply | By):
        return turn.plain()
    return {"function": _function_name(turn)}
