"""What a reader makes of a recording: entries of a cassette, and words for the rest."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.cassettes.records import RecordedExchange, RecordedTool

__all__ = ["BYTES_MAX", "Recording", "StillPacked", "Unreadable"]

BYTES_MAX = 256 << 20
"""Bytes that a recording may have, and a body that is unpacked."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What was read of one file.

    Attributes:
        entries: In the order in which they began, numbered from 1.
        notes: What was left out, and what can't be as it was: a sentence each.
        lines: Line of the file in which each entry begins; empty: not known.
        began_ms: When the first of them began, from 1970 on in UTC; 0: not known.
    """

    entries: tuple[RecordedExchange | RecordedTool, ...]
    notes: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    began_ms: float = 0.0


class Unreadable(Exception):
    """A part of a recording has not the form of its kind; the words say what is wrong."""

    def __init__(self, words: str, place: str = "") -> None:
        super().__init__(f"{place}: {words}" if place else words)


class StillPacked(Unreadable):
    """A body is packed in a way that can't be undone here."""
