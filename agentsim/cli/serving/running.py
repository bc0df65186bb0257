"""A server for as long as a command runs, or until somebody stops it.

What judges is loaded later: a program waits for the server to be up.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Sequence

from agentsim.server import CommandEnding, Listening, run_command

__all__ = ["serve_beside", "serve_until_stopped"]


def serve_beside(listening: Listening, command: Sequence[str]) -> CommandEnding:
    """Serve while a command runs.

    Raises:
        UsageError: when the command can't be started.
    """
    return asyncio.run(_beside(listening, command))


def serve_until_stopped(listening: Listening) -> None:
    """Serve until a signal comes."""
    asyncio.run(_until_stopped(listening))


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
