"""What a reader makes of a recording: entries of a cassette, and words for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentsim.cassettes.records import RecordedExchange, RecordedTool

__all__ = ["BYTES_MAX", "LeftOut", "Recording", "Unreadable", "counted"]

BYTES_MAX = 256 << 20
"""Bytes that a recording may have, and a body that is unpacked."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What was read of one file.

    Attributes:
        entries: In the order in which they began, numbered from 1.
        notes: What was left out, and what can't be as it was: a sentence each.
    """

    entries: tuple[RecordedExchange | RecordedTool, ...]
    notes: tuple[str, ...] = ()


class Unreadable(Exception):
    """A part of a recording has not the form of its kind; the words say what is wrong."""

    def __init__(self, words: str, place: str = "") -> None:
        super().__init__(f"{place}: {words}" if place else words)


class LeftOut:
    """Counts what is left out, by its reason."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, what: str) -> None:
        """Count one more of a kind, such as `entry without an answer`."""
        self._counts[what] = self._counts.get(what, 0) + 1

    def notes(self) -> tuple[str, ...]:
        """A sentence for each kind, in the order in which they were met."""
        return tuple(f"left out: {words}" for words in counted(self._counts))


def counted(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Kinds with how many there are of each: `3 entries of images`.

    Args:
        counts: By kind in the singular; its first word is what is counted.
    """
    return tuple(
        f"{count} {kind if count == 1 else _plural(kind)}"
        for kind, count in counts.items()
    )


def _plural(kind: str) -> str:
    first, _, rest = kind.partition(" ")
    first = f"{first[:-1]}ies" if first.endswith("y") else f"{first}s"
    return f"{first} {rest}".rstrip()
