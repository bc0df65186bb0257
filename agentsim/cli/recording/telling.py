"""What is told of a proxy that has stopped: a summary, and the exit code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentsim.cassettes.tape import Mode, TapeUse
from agentsim.report import EXIT_CODES
from agentsim.server import CommandEnding
from agentsim.server.recording import Troubles

__all__ = ["Summary"]

EXIT_INTERNAL = 4

EXIT_SIGNAL = 128
"""To this shells add the number of the signal that ended a command."""

NEVER_ASKED = (
    "no request came: does the program take its base URL from OPENAI_BASE_URL or "
    "ANTHROPIC_BASE_URL, or from the option of its client?"
)


@dataclass(frozen=True)
class Summary:
    """A use of a cassette that is over.

    Attributes:
        beside: Where the recording stands when it did not replace the old one.
        command: How the command ended, if one ran.
        unwritten: How many exchanges could not be written.
    """

    path: Path
    mode: Mode
    use: TapeUse
    troubles: Troubles
    beside: Path | None = None
    command: CommandEnding | None = None
    unwritten: int = 0

    @property
    def recorded(self) -> int:
        """How many exchanges went live and are in the file."""
        return self.use.live - self.unwritten

    @property
    def was_asked(self) -> bool:
        """Whether any request came."""
        return bool(self.use.hits or self.use.live or self.troubles.missed)

    @property
    def verdict(self) -> str:
        """The use of the cassette in one word, whatever became of the command."""
        if self.troubles.failure is not None:
            return "internal"
        if self.troubles.missed or self.troubles.unkept:
            return "usage"
        return "holds" if self.was_asked else "unknown"

    @property
    def code(self) -> int:
        """The command's own exit code; where it succeeded, that of the verdict."""
        ended = self.command.code if self.command is not None else 0
        if ended:
            return ended if ended > 0 else EXIT_SIGNAL - ended
        word = self.verdict
        return EXIT_INTERNAL if word == "internal" else EXIT_CODES[word]

    @property
    def error(self) -> str:
        """The first thing that went wrong; empty: nothing did."""
        troubles = self.troubles
        if troubles.failure is not None:
            return f"internal error, please report it: {troubles.failure}"
        first = next(iter([*troubles.unkept, *troubles.missed]), "")
        return first or ("" if self.was_asked else NEVER_ASKED)

    @property
    def sentences(self) -> list[str]:
        """The summary for people."""
        use = self.use
        counts = [_count(self.recorded, "exchange recorded", "exchanges recorded")]
        if self.mode != "record":
            unused = f"{len(use.unused)} never asked for"
            counts = [f"{use.hits} answered from it", *counts, unused]
        if self.mode == "replay":
            counts[1] = f"{len(self.troubles.missed)} missed"
        told = [f"{self.path}: {', '.join(counts)}."]
        if self.beside is not None:
            failed = self.command is not None and self.command.code
            why = "the command failed" if failed else "not all could be recorded"
            told.append(
                f"{self.path} is as it was, since {why}: the new recording stands in "
                f"{self.beside}."
            )
        if self.troubles.failure is not None or not self.was_asked:
            told.append(self.error)
        return told

    @property
    def data(self) -> dict[str, Any]:
        """All of it as JSON data."""
        use, command = self.use, self.command
        verdict = self.verdict
        if command is not None and command.code and verdict == "holds":
            verdict = "violated"
        data: dict[str, Any] = {
            "verdict": verdict,
            "file": str(self.path),
            "mode": self.mode,
            "hits": use.hits,
            "recorded": self.recorded,
            "missed": list(self.troubles.missed),
            "unused": [one.number for one in use.unused],
            "notes": [*self.troubles.unkept, *self.troubles.noted],
            "beside": None if self.beside is None else str(self.beside),
        }
        if command is not None:
            data["command"] = {"exit_code": command.code, "words": command.words}
        return {**data, "error": self.error} if self.error else data


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"
