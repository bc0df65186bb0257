"""A server for as long as a command runs, or until somebody stops it.

What judges is loaded later: a program waits for the server to be up.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from typing import Protocol

from agentsim.server import CommandEnding, run_command

__all__ = ["STDERR", "Server", "serve_beside", "serve_until_stopped"]

STDERR = 2


class Server(Protocol):
    """What can be served: a scenario, or a cassette."""

    def environment(self) -> dict[str, str]:
        """The variables by which programs find it."""

    async def serve(self) -> None:
        """Serve until `stop` is called."""

    def stop(self) -> None:
        """Stop serving."""


def serve_beside(
    listening: Server, command: Sequence[str], *, output: int | None = STDERR
) -> CommandEnding:
    """Serve while a command runs.

    Args:
        output: The descriptor for the command's standard output; None: its own.

    Raises:
        UsageError: when the command can't be started.
    """
    return asyncio.run(_beside(listening, command, output))


def serve_until_stopped(listening: Server) -> None:
    """Serve until a signal comes."""
    asyncio.run(_until_stopped(listening))


async def _beside(
    listening: Server, command: Sequence[str], output: int | None
) -> CommandEnding:
    serving = asyncio.create_task(listening.serve())
    try:
        return await run_command(command, listening.environment(), output=output)
    finally:
        listening.stop()
        await serving


async def _until_stopped(listening: Server) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # not on Windows
            loop.add_signal_handler(number, listening.stop)
    await listening.serve()
