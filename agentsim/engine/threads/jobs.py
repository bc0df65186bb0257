"""What goes on beside the agent's tasks: functions given to threads, and threads.

Each begins at a gate, so that order, cancellation and crash are offered there as
where any answer of the outside comes. What it waits for is awaited by a task that the
agent does not see, and that is not cancelled when the agent gives up its result.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.thread import BrokenThreadPool
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from agentsim.engine.asyncio_shim import JobTask
from agentsim.engine.threads.adopted import REAL_JOIN, adopt, thread_label
from agentsim.engine.threads.baton import Baton
from agentsim.engine.threads.held import mark
from agentsim.engine.threads.outcomes import Job
from agentsim.engine.threads.pools import Pool

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

__all__ = ["Jobs"]

BEGINS = "thread "
"""With the name of a function, the label of the gate at which it begins."""

DEFAULT_SIZE = 32
"""Threads of the default executor at once: as many as asyncio's on a large machine."""

ANYIO = "WorkerThread"
"""Who asks for threads where anyio does, which bounds them itself."""

DEFAULT = "asyncio"


class Jobs:
    """The threads of one life that its loop waits for.

    Args:
        gate: Parks a job, by its label, until the engine lets it begin.

    Attributes:
        gate: The same.
        loop: That of the life.
        default: The executor that `run_in_executor(None, ...)` uses, if one was set.
    """

    __slots__ = (
        "_adopted",
        "_names",
        "_numbers",
        "_pools",
        "_tasks",
        "default",
        "gate",
        "loop",
    )

    def __init__(self, loop: SimLoop, gate: Callable[[str], Awaitable[None]]) -> None:
        self.loop = loop
        self.gate = gate
        self.default: ThreadPoolExecutor | None = None
        self._adopted: dict[threading.Thread, JobTask] = {}
        self._pools: dict[object, Pool] = {}
        self._tasks: dict[asyncio.Task[None], str] = {}
        self._numbers = 0

    def start(self, job: Job, owner: object = DEFAULT) -> None:
        """Run a function on a thread, from its gate on, and report how it ended.

        Args:
            owner: Whose pool of threads it is for.
        """
        self.pool(owner).start(job)

    def pool(self, owner: object) -> Pool:
        """The pool of a thread pool executor, of anyio, or the default one."""
        pool = self._pools.get(owner)
        if pool is None:
            pool = self._pools[owner] = self._made(owner)
        return pool

    def pool_of(self, executor: ThreadPoolExecutor) -> Pool | None:
        """What stands for an executor, if anything was given to it."""
        return self._pools.get(executor)

    def _made(self, owner: object) -> Pool:
        if isinstance(owner, ThreadPoolExecutor):
            inside: Any = owner
            begin = inside._initializer and partial(_begin, inside)  # noqa: SLF001
            name, size = inside._thread_name_prefix, inside._max_workers  # noqa: SLF001
            return Pool(self, name, size=size, begin=begin)
        if owner == ANYIO:
            return Pool(self, "AnyIO worker thread", size=inf)
        return Pool(self, DEFAULT, size=DEFAULT_SIZE)

    def adopt(self, thread: threading.Thread, start: Callable[[], None]) -> None:
        """Let a thread that the agent starts begin at a gate, and go on as others do.

        Args:
            start: Starts it for real.
        """
        name = thread_label(thread)
        baton = adopt(thread, name, self.loop)
        start()
        mark(thread)
        self.loop.idents.add(thread.ident or 0)
        driver = self.drive(self._lead(thread, baton, name), name)
        self._adopted[thread] = driver
        driver.add_done_callback(partial(self._orphaned, thread, baton))

    def _orphaned(self, thread: threading.Thread, baton: Baton, _: object) -> None:
        """Let a thread end that has lost its driver; one that never began, at once."""
        if self._adopted.pop(thread, None) is not None:
            baton.abandon()
            if not baton.has_begun:
                REAL_JOIN(thread)

    def driver_of(self, thread: threading.Thread) -> JobTask | None:
        """What drives a thread that the agent has started, if it goes on."""
        return self._adopted.get(thread)

    async def _lead(self, thread: threading.Thread, baton: Baton, name: str) -> None:
        await self.gate(BEGINS + name)
        _, error = await baton.outcome()
        REAL_JOIN(thread)  # it is past its last step: who asks must not find it alive
        del self._adopted[thread]
        if error is not None and not isinstance(error, SystemExit):
            self.loop.unhandled.append(
                f"thread {name} failed with {type(error).__name__}, and nothing took it"
            )

    def drive(self, work: Coroutine[Any, Any, None], name: str) -> JobTask:
        """Begin what drives a thread."""
        self._numbers += 1
        task = JobTask(
            work, loop=self.loop, number=self._numbers, name=f"thread {name}"
        )
        self._tasks[task] = name
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        if not task.cancelled() and (error := task.exception()) is not None:
            self.loop.halt(error)

    def alive(self) -> list[asyncio.Task[None]]:
        """The drivers of what has not ended, in order of their start."""
        return list(self._tasks)

    def names(self) -> list[str]:
        """The names of the functions that have not ended, in order of their start."""
        names = list(self._tasks.values())
        for pool in self._pools.values():
            names += pool.waiting()
        return names

    def end(self) -> None:
        """Let the threads end that have nothing to do."""
        for pool in self._pools.values():
            pool.end()


def _begin(executor: Any) -> None:  # noqa: ANN401 - its inside is asked for
    """Run the initializer of an executor, as it does on each of its threads."""
    try:
        executor._initializer(*executor._initargs)  # noqa: SLF001
    except BaseException as error:
        executor._broken = (  # noqa: SLF001
            "A thread initializer failed, the thread pool is not usable anymore"
        )
        raise BrokenThreadPool(executor._broken) from error  # noqa: SLF001
