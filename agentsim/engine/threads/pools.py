"""Pools of threads that hold batons: so many jobs at once, the others wait their turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from agentsim.engine.threads.baton import Baton
from agentsim.engine.threads.outcomes import Job, settle
from agentsim.engine.threads.workers import Worker

if TYPE_CHECKING:
    from agentsim.engine.threads.jobs import Jobs

__all__ = ["Pool"]


class Pool:
    """Threads of one life that run jobs, at most so many at once.

    Args:
        jobs: Those of the life.
        name: What its threads are called, with a number after it.
        size: How many there may be.
        begin: Runs first on each of its threads.
    """

    __slots__ = (
        "_begin",
        "_count",
        "_emptied",
        "_idle",
        "_jobs",
        "_name",
        "_running",
        "_size",
        "_waiting",
    )

    def __init__(
        self,
        jobs: Jobs,
        name: str,
        *,
        size: float,
        begin: Callable[[], object] | None = None,
    ) -> None:
        self._jobs = jobs
        self._name = name
        self._size = size
        self._begin = begin
        self._idle: list[Worker] = []
        self._waiting: deque[Job] = deque()
        self._running = self._count = 0
        self._emptied: list[asyncio.Future[None]] = []

    @property
    def is_busy(self) -> bool:
        """Whether a job runs or waits."""
        return self._running > 0

    def start(self, job: Job) -> None:
        """Let a job begin, at its gate, as soon as there is a thread for it."""
        if self._running >= self._size:
            self._waiting.append(job)
            return
        self._running += 1
        self._jobs.drive(self._work(job), job.name)

    def cancel_waiting(self) -> None:
        """Drop the jobs for which there was no thread yet."""
        while self._waiting:
            job = self._waiting.popleft()
            if job.cancel is not None:
                job.cancel()

    async def idle(self) -> None:
        """Wait until no job runs or waits."""
        while self._running:
            future: asyncio.Future[None] = self._jobs.loop.create_future()
            self._emptied.append(future)
            await future

    def waiting(self) -> list[str]:
        """The names of the jobs for which there was no thread."""
        return [job.name for job in self._waiting]

    def end(self) -> None:
        """Let the threads end that have nothing to do."""
        while self._idle:
            self._idle.pop().end()

    async def _work(self, job: Job) -> None:
        await self._jobs.gate(f"thread {job.name}")
        fresh = not self._idle
        worker = self._hired(job.name) if fresh else self._idle.pop()
        call = job.call
        if fresh and self._begin is not None:
            begin = self._begin

            def call() -> object:
                begin()
                return job.call()

        baton = Baton(call, name=f"thread {job.name}", worker=worker)
        value, error = await baton.outcome()
        self._idle.append(worker)
        self._running -= 1
        if self._waiting:
            self.start(self._waiting.popleft())
        elif not self._running:
            for future in self._emptied:
                settle(future, None, None)
            self._emptied.clear()
        job.report(value, error)

    def _hired(self, wanted_by: str) -> Worker:
        name = f"{self._name}_{self._count}"
        self._count += 1
        return Worker(name, self._jobs.loop, wanted_by=f"thread {wanted_by}")
