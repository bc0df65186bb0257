"""Which recorded exchange answers a request, and what is nearest where none does."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from difflib import unified_diff

from agentsim.cassettes.matching.meaning import Meaning, lines_of, meaning_of
from agentsim.cassettes.records import RecordedExchange
from agentsim.core import CassetteMiss

__all__ = ["Matcher"]

LINES_MAX = 24
"""Lines of a difference that are shown."""


class Matcher:
    """Answers requests out of recorded exchanges, each of them once.

    Equal requests are answered in the order in which they were recorded, whatever is
    asked between them.

    Args:
        exchanges: In the order in which they were asked.
        name: How errors call the cassette.
        volatile: Regular expressions for what may differ beside ids, uuids and times.
    """

    def __init__(
        self,
        exchanges: Sequence[RecordedExchange],
        name: str = "the cassette",
        *,
        volatile: Sequence[str] = (),
    ) -> None:
        self._name = name
        self._volatile = volatile
        self._exchanges = exchanges
        self._meanings = [
            meaning_of(one.request.body, one.wire, volatile) for one in exchanges
        ]
        self._waiting: dict[bytes, deque[int]] = {}
        for position, meaning in enumerate(self._meanings):
            self._waiting.setdefault(meaning.digest, deque()).append(position)
        self._asked = 0

    @property
    def unused(self) -> tuple[RecordedExchange, ...]:
        """The exchanges that nobody asked for, in order."""
        left = sorted(one for waiting in self._waiting.values() for one in waiting)
        return tuple(self._exchanges[position] for position in left)

    def find(self, body: str, wire: str) -> RecordedExchange:
        """The next exchange that was recorded for such a request.

        Args:
            body: Redacted as the recordings are.

        Raises:
            CassetteMiss: when there is none: with the nearest, and what differs.
        """
        self._asked += 1
        meaning = meaning_of(body, wire, self._volatile)
        waiting = self._waiting.get(meaning.digest)
        if waiting:
            return self._exchanges[waiting.popleft()]
        raise CassetteMiss(self._missed(meaning, used=waiting is not None))

    def _missed(self, meaning: Meaning, *, used: bool) -> str:
        asked = (
            f"request {self._asked} (turn {meaning.turn}, {meaning.wire or 'unknown'})"
        )
        if used:
            count = sum(one.digest == meaning.digest for one in self._meanings)
            return (
                f"{self._name}: {asked} was recorded {count} times, and asked once more: "
                "let the agent ask no more often, or record again"
            )
        if not self._meanings:
            return f"{self._name}: {asked}: nothing was recorded: record it first"
        nearest = min(
            range(len(self._meanings)),
            key=lambda position: _distance(self._meanings[position], meaning),
        )
        number = self._exchanges[nearest].number
        where, lines = _difference(self._meanings[nearest], meaning)
        told = (
            f"{self._name}: {asked} was never recorded: the nearest is exchange "
            f"{number}, and differs in {where}; record again if that is wanted"
        )
        return "\n".join((told, *lines))


def _distance(recorded: Meaning, asked: Meaning) -> tuple[object, ...]:
    """How far a recording is from a request: the conversation counts most."""
    pairs = zip(recorded.messages, asked.messages, strict=False)
    common = sum(one == two for one, two in pairs)
    return (
        recorded.wire != asked.wire,
        max(len(recorded.messages), len(asked.messages)) - common,
        recorded.model != asked.model,
        recorded.system != asked.system,
        recorded.tools != asked.tools,
        recorded.streamed != asked.streamed,
    )


def _difference(recorded: Meaning, asked: Meaning) -> tuple[str, list[str]]:
    """The first thing in which two requests differ, and its lines."""
    for where, one, two in (
        ("the dialect", recorded.wire, asked.wire),
        ("the model", recorded.model, asked.model),
        ("whether it streams", recorded.streamed, asked.streamed),
        ("the tools", recorded.tools, asked.tools),
        ("the system prompt", recorded.system, asked.system),
    ):
        if one != two:
            return where, _lines(one, two)
    return _of_messages(recorded, asked)


def _of_messages(recorded: Meaning, asked: Meaning) -> tuple[str, list[str]]:
    for number, (one, two) in enumerate(
        zip(recorded.messages, asked.messages, strict=False), 1
    ):
        if one != two:
            return f"message {number}{_role(two)}", _lines(one, two)
    count, other = len(asked.messages), len(recorded.messages)
    longer = asked.messages if count > other else recorded.messages
    one, two = ((), longer[other:]) if count > other else (longer[count:], ())
    return f"its length: {count} messages, recorded were {other}", _lines(one, two)


def _role(message: object) -> str:
    if not isinstance(message, dict):
        return ""
    return f" ({message.get('role') or message.get('type')})"


def _lines(recorded: object, asked: object) -> list[str]:
    found = list(
        unified_diff(
            list(lines_of(recorded)),
            list(lines_of(asked)),
            *("recorded", "asked"),
            n=1,
            lineterm="",
        )
    )
    shown = [line for line in found if not line.startswith("@@")]
    if len(shown) > LINES_MAX:
        left = len(shown) - LINES_MAX
        return [*shown[:LINES_MAX], f"... and {left} lines more"]
    return shown
