"""What is left when a server has stopped."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.server import (
    CommandEnding,
    Listening,
    ServedVerdict,
    exit_code,
    verdict_of,
)

__all__ = ["Ended"]

EXIT_VIOLATED = 1


@dataclass(frozen=True)
class Ended:
    """The runs of a server that has stopped, and the command beside it.

    Attributes:
        told: The verdicts on the runs.
        command: How the command ended that ran beside it, if one did.
    """

    told: list[ServedVerdict]
    command: CommandEnding | None = None

    @classmethod
    def of(cls, listening: Listening, command: CommandEnding | None) -> Ended:
        """End all runs; where a command failed, those that it left open have raised."""
        runs = listening.runs.to_tell
        for session in runs:
            if command is not None and command.code != 0:
                session.end("raised", command.words)
            else:
                session.end()
        return cls([verdict_of(session) for session in runs], command)

    @property
    def failed(self) -> bool:
        """Whether the command failed."""
        return self.command is not None and self.command.code != 0

    @property
    def code(self) -> int:
        """The exit code: that of the verdicts, and no success where the command failed."""
        return exit_code(self.told) or (EXIT_VIOLATED if self.failed else 0)
