"""Which recorded exchange answers a request, and what is nearest where none does."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from agentsim.cassettes.matching.differences import (
    changed_settings,
    changes_between,
    distance,
)
from agentsim.cassettes.matching.meaning import Meaning, asked_text
from agentsim.cassettes.matching.reader import MeaningReader
from agentsim.cassettes.records import RecordedExchange
from agentsim.core import CassetteMiss, Change

__all__ = ["Matcher"]


class Matcher:
    """Answers requests out of recorded exchanges, each of them once.

    Equal requests are answered in the order in which they were recorded, whatever is
    asked between them.

    Args:
        exchanges: In the order in which they were asked.
        name: How errors call the cassette.
        volatile: Regular expressions for what may differ beside ids, uuids and times.

    Attributes:
        reader: Reads the requests; what it has read of a conversation costs it little.
    """

    def __init__(
        self,
        exchanges: Sequence[RecordedExchange],
        name: str = "the cassette",
        *,
        volatile: Sequence[str] = (),
    ) -> None:
        self._name = name
        self.reader = MeaningReader(volatile)
        self._exchanges = exchanges
        self._meanings = [
            self.reader.read(asked_text(one.request, one.wire), one.wire)
            for one in exchanges
        ]
        self._waiting: dict[bytes, deque[int]] = {}
        for position, meaning in enumerate(self._meanings):
            self._waiting.setdefault(meaning.digest, deque()).append(position)
        self._notes: dict[int, Change] = {}
        self._asked = 0

    @property
    def unused(self) -> tuple[RecordedExchange, ...]:
        """The exchanges that nobody asked for, in order."""
        left = sorted(one for waiting in self._waiting.values() for one in waiting)
        return tuple(self._exchanges[position] for position in left)

    @property
    def notes(self) -> Mapping[int, Change]:
        """By number of an exchange that answered: what of the settings was another."""
        return dict(self._notes)

    def find(self, body: str, wire: str, *, again: bool = False) -> RecordedExchange:
        """The next exchange that was recorded for such a request.

        Args:
            body: Redacted as the recordings are, of `asked_text`.
            again: Whether it is the same request as before, redacted in another way.

        Raises:
            CassetteMiss: when there is none: with the nearest, and all that differs.
        """
        self._asked += not again
        meaning = self.reader.read(body, wire)
        waiting = self._waiting.get(meaning.digest)
        if not waiting:
            raise self._miss(meaning)
        position = waiting.popleft()
        found = self._exchanges[position]
        other = changed_settings(self._meanings[position], meaning)
        if other is not None:
            self._notes[found.number] = other
        return found

    def _miss(self, meaning: Meaning) -> CassetteMiss:
        told, turn = f"{self._name}: request {self._asked}", meaning.turn
        told += f" (turn {turn}, {meaning.wire or 'unknown'})"
        same = [n for n, of in enumerate(self._meanings) if of.digest == meaning.digest]
        if same:
            times = f"{len(same)} time{'s' * (len(same) > 1)}"
            often = f"was recorded {times}, and asked once more"
            return CassetteMiss(
                f"{told} {often}: let the agent ask no more often, or record again",
                changes=(Change("count", f"how often it is asked: it {often}"),),
                nearest=self._exchanges[same[-1]].number,
                turn=turn,
            )
        if not self._meanings:
            return CassetteMiss(
                f"{told}: nothing was recorded: record it first",
                changes=(Change("nothing recorded", "nothing was recorded"),),
                turn=turn,
            )
        at = min(
            range(len(self._meanings)),
            key=lambda position: distance(self._meanings[position], meaning),
        )
        recorded, nearest = self._meanings[at], self._exchanges[at].number
        changes = changes_between(recorded, meaning)
        head = (
            f"{told} was never recorded: the nearest is exchange {nearest}, and differs "
            f"in {_listed([one.where for one in changes])}; record again if that is wanted"
        )
        other = changed_settings(recorded, meaning)
        shown = (head, *_shown(changes, other))
        changes = changes if other is None else (*changes, other)
        return CassetteMiss(
            "\n".join(shown), changes=changes, nearest=nearest, turn=turn
        )


def _listed(parts: Sequence[str]) -> str:
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last


def _shown(changes: Sequence[Change], settings: Change | None) -> Iterator[str]:
    """The differences, each under its name where there are several."""
    yield from ("--- recorded", "+++ asked")
    for change in changes:
        if len(changes) > 1:
            yield f"@@ {change.where}"
        yield from change.lines
    if settings is not None:
        yield f"@@ {settings.where}: not the cause, as they do not count"
        yield from settings.lines
