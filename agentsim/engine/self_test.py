"""Tries out, at the first use, what the shim assumes of this Python's asyncio."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache

from agentsim.core import InternalError
from agentsim.engine.asyncio_shim import (
    Installed,
    forget_task,
    nobody_asked,
    run_ready,
    waited_for,
)
from agentsim.engine.loop import SimLoop

__all__ = ["self_test"]

Trial = Callable[[], Awaitable[bool]]


async def _as_completed_keeps_order() -> bool:
    started: list[int] = []

    async def start(number: int) -> None:
        started.append(number)

    numbers = [5, 1, 4, 0, 3, 2]
    made = {number: start(number) for number in sorted(numbers)}
    for done in asyncio.as_completed([made[number] for number in numbers]):
        await done
    return started == numbers


async def _tasks_keep_order() -> bool:
    tasks = [asyncio.create_task(asyncio.sleep(0)) for _ in range(4)]
    listed = [task for task in asyncio.all_tasks() if task in tasks]
    names = [task.get_name() for task in tasks]
    await asyncio.wait(tasks)
    return listed == tasks and names == sorted(names)


async def _cancelled_timers_are_told() -> bool:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimLoop)
    loop.call_later(1, print).cancel()
    return loop.next_timer_ns() is None


async def _callbacks_run_in_their_context() -> bool:
    seen: list[tuple[int, ...]] = []

    def call(*numbers: int) -> None:
        seen.append(numbers)

    loop = asyncio.get_running_loop()
    loop.call_soon(call, 1, 2)
    loop.call_soon(call, 3).cancel()
    await asyncio.sleep(0)
    return seen == [(1, 2)]


async def _waiting_is_seen() -> bool:
    inner = asyncio.create_task(asyncio.sleep(0))

    async def outer() -> None:
        await inner

    task = asyncio.create_task(outer())
    await asyncio.sleep(0)
    seen = waited_for(task) is inner
    await task
    return seen


async def _unasked_errors_are_seen() -> bool:
    future = asyncio.get_running_loop().create_future()
    future.set_exception(ValueError())
    return nobody_asked(future) and not nobody_asked(future)


async def _generators_are_told() -> bool:
    closed: list[bool] = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            closed.append(True)

    async for _ in numbers():
        break
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return closed == [True]


async def _tasks_can_be_forgotten() -> bool:
    task = asyncio.create_task(asyncio.sleep(0))
    forget_task(task)
    await task
    return True


TRIALS: dict[str, Trial] = {
    "as_completed starts its coroutines as they are listed": _as_completed_keeps_order,
    "tasks are found by their hash": _tasks_keep_order,
    "a cancelled timer tells its loop": _cancelled_timers_are_told,
    "a handle holds a callback and its arguments": _callbacks_run_in_their_context,
    "a task tells what it waits for": _waiting_is_seen,
    "a future tells whether its exception was taken": _unasked_errors_are_seen,
    "an async generator tells its loop when it is dropped": _generators_are_told,
    "a task can be taken off the books": _tasks_can_be_forgotten,
}
"""What is assumed -> a coroutine that says whether it is so."""


@cache
def self_test() -> None:
    """Try out every assumption, once per process.

    Raises:
        InternalError: One of them does not hold; the message names it.
    """
    for assumption, trial in TRIALS.items():
        if not _holds(trial):
            raise InternalError(
                f"the asyncio of Python {platform.python_version()} is not as agentsim "
                f"assumes ({assumption}): please report it"
            )


def _holds(trial: Trial) -> bool:
    async def guarded() -> bool:
        try:
            return await trial()
        except Exception:  # noqa: BLE001 - a missing private name is such a failure
            return False

    loop = SimLoop()
    with Installed(loop):
        task = loop.create_task(guarded())
        run_ready(loop, 1_000, task)
        loop.let_go()
    return task.done() and task.result()
