"""Entries of a script that make replies: by a function, in turn, by a choice (T3.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from agentsim.core import AgentsimError, Request, UsageError, raised_words
from agentsim.providers.reply import Reply, say
from agentsim.providers.words import type_words

__all__ = ["By", "Entry", "Forever", "Numbered", "Pick", "by", "forever", "pick"]

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


def _made(words: str, function: Callable[[Any], Reply], argument: object) -> Reply:
    try:
        reply = function(argument)
    except AgentsimError:
        raise
    except Exception as error:
        raise UsageError(
            f"the function of {words} in the script {raised_words(error)}"
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
