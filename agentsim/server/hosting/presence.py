"""Work for a client, which may go away meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

from agentsim.server.asgi import Receive

__all__ = ["gone", "while_there"]


async def while_there(work: Coroutine[Any, Any, bool], receive: Receive) -> bool:
    """Do some work for as long as the client waits for it; True where it went away."""
    task = asyncio.create_task(work)
    await asyncio.sleep(0)
    if task.done():  # nearly always: nothing in it waits
        return task.result()
    leaving = asyncio.create_task(gone(receive))
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        return True
    finally:
        for left in (task, leaving):
            left.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await left


async def gone(receive: Receive) -> None:
    """Wait until the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass
