"""A server for as long as a command runs, or until somebody stops it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from agentsim.server import (
    CommandEnding,
    Listening,
    ServedVerdict,
    exit_code,
    run_command,
    verdict_of,
)

__all__ = ["Ended", "serve_beside", "serve_until_stopped"]

EXIT_VIOLATED = 1


@dataclass(frozen=True)
class Ended:
    """What is left when a server has stopped.

    Attributes:
        told: The verdicts on its runs.
        command: How the command ended that ran beside it, if one did.
    """

    told: list[ServedVerdict]
    command: CommandEnding | None = None

    @property
    def failed(self) -> bool:
        """Whether the command failed."""
        return self.command is not None and self.command.code != 0

    @property
    def code(self) -> int:
        """The exit code: that of the verdicts, and no success where the command failed."""
        return exit_code(self.told) or (EXIT_VIOLATED if self.failed else 0)


def serve_beside(listening: Listening, command: Sequence[str]) -> Ended:
    """Serve while a command runs; one that fails has raised, as an agent in process.

    Raises:
        UsageError: when the command can't be started.
    """
    ending = asyncio.run(_beside(listening, command))
    failed = ending.code != 0
    for session in listening.runs.to_tell:
        if failed:
            session.end("raised", ending.words)
        else:
            session.end()
    return Ended(_verdicts(listening), ending)


def serve_until_stopped(listening: Listening) -> Ended:
    """Serve until a signal comes."""
    asyncio.run(_until_stopped(listening))
    for session in listening.runs.to_tell:
        session.end()
    return Ended(_verdicts(listening))


def _verdicts(listening: Listening) -> list[ServedVerdict]:
    return [verdict_of(session) for session in listening.runs.to_tell]


async def _beside(listening: Listening, command: Sequence[str]) -> CommandEnding:
    serving = asyncio.create_task(listening.serve())
    try:
        return await run_command(command, listening.environment())
    finally:
        listening.stop()
        await serving


async def _until_stopped(listening: Listening) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # not on Windows
            loop.add_signal_handler(number, listening.stop)
    await listening.serve()
