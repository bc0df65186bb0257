"""Functions that the agent gives to threads: `asyncio.to_thread`, executors, anyio.

Each begins at a gate, so that order, cancellation and crash are offered there as
where any answer of the outside comes. What it waits for is awaited by a task that the
agent does not see, and that is not cancelled when the agent gives up its result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from agentsim.engine.asyncio_shim import JobTask
from agentsim.engine.threads.baton import Baton
from agentsim.engine.threads.workers import Worker

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

__all__ = ["Jobs"]

Report = Callable[[object, BaseException | None], object]
"""Takes what a function returned, or raised."""


class Jobs:
    """The threads of one life that run functions for it.

    Args:
        gate: Parks a job, by its label, until the engine lets it begin.
    """

    __slots__ = ("_gate", "_idle", "_loop", "_numbers", "_tasks")

    def __init__(self, loop: SimLoop, gate: Callable[[str], Awaitable[None]]) -> None:
        self._loop = loop
        self._gate = gate
        self._idle: list[Worker] = []
        self._tasks: list[JobTask] = []
        self._numbers = 0

    def start(self, function: Callable[[], object], name: str, report: Report) -> None:
        """Run a function on a thread, from its gate on, and report how it ended.

        Args:
            name: That of the function, as it is told to people.
            report: Called on the loop's thread.
        """
        self._numbers += 1
        task = JobTask(
            self._work(function, name, report),
            loop=self._loop,
            number=self._numbers,
            name=f"thread {name}",
        )
        self._tasks.append(task)
        task.add_done_callback(self._tasks.remove)

    def alive(self) -> list[JobTask]:
        """The drivers of what has not ended, in order of their start."""
        return list(self._tasks)

    def end(self) -> None:
        """Let the threads end that have nothing to do."""
        while self._idle:
            self._idle.pop().end()

    async def _work(
        self, function: Callable[[], object], name: str, report: Report
    ) -> None:
        await self._gate(f"thread {name}")
        worker = self._idle.pop() if self._idle else self._hired(name)
        baton = Baton(function, name=f"thread {name}", worker=worker)
        value, error = await baton.outcome()
        self._idle.append(worker)
        report(value, error)

    def _hired(self, name: str) -> Worker:
        return Worker("asyncio", self._loop, wanted_by=f"thread {name}")
