"""Programs whose order hangs on how asyncio and anyio walk through sets.

Run as a script it prints what an observer sees of each, as JSON: the same bytes in any
process, if the engine keeps its promise. The first argument says how the heap is laid out,
so that memory addresses differ; after it come the names of programs, all of `PROGRAMS` by
default.
"""

import asyncio
import contextvars
import json
import sys
import threading
import time
from asyncio import as_completed
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread

from agentsim.cli.determinism.heap import scatter
from agentsim.core import Event
from agentsim.engine import Ending, Engine, Life, Seeded

CHILDREN = 20

THREADS = 12


async def task_group_abort(life: Life) -> list[Any]:
    """Children of a failed group are cancelled in one order."""
    seen: list[Any] = []

    async def child(number: int) -> None:
        try:
            await asyncio.sleep(100)
        finally:
            seen.append(number)

    try:
        async with asyncio.TaskGroup() as group:
            for number in range(CHILDREN):
                group.create_task(child(number))
            await asyncio.sleep(0)
            raise LookupError
    except ExceptionGroup as error:
        seen.append(len(error.exceptions))
    return seen


async def wait_and_walk(life: Life) -> list[Any]:
    """The sets that `wait` gives are walked in one order."""
    tasks = [asyncio.create_task(asyncio.sleep(n % 3, n)) for n in range(CHILDREN)]
    done, pending = await asyncio.wait(tasks, timeout=1.5)
    seen = [task.result() for task in done]
    return [*seen, *(task.get_name() for task in pending)]


async def wait_on_futures(life: Life) -> list[Any]:
    """The same for plain futures, and for gathered ones."""
    loop = asyncio.get_running_loop()
    futures = [loop.create_future() for _ in range(CHILDREN)]
    for number, future in enumerate(futures):
        loop.call_later(number % 4, future.set_result, number)
    gathered = [asyncio.gather(future) for future in futures[3::-1]]
    done, _ = await asyncio.wait(futures[::-1], timeout=2.5)
    together, _ = await asyncio.wait(gathered)
    return [future.result() for future in (*done, *together)]


async def completed(life: Life) -> list[Any]:
    """Coroutines given to `as_completed` start, and end, in the order of the list."""
    started: list[Any] = []

    async def work(number: int) -> int:
        started.append(number)
        await asyncio.sleep(number % 2)
        return number

    made = [work(number) for number in range(CHILDREN)]
    ends = [await done for done in as_completed(made[1::2] + made[::2])]
    return [*started, *ends]


async def completed_in_time(life: Life) -> list[Any]:
    """`as_completed` with a timeout, over tasks."""
    tasks = [asyncio.create_task(asyncio.sleep(n, n)) for n in range(CHILDREN)]
    seen: list[Any] = []
    try:
        for done in asyncio.as_completed(tasks, timeout=5.5):
            seen.append(await done)  # noqa: PERF401 - the order of arrival is the point
    except TimeoutError:
        seen.append("late")
    for task in asyncio.all_tasks():
        if task is not asyncio.current_task():
            seen.append(task.get_name())
            task.cancel()
    return seen


async def anyio_scopes(life: Life) -> list[Any]:
    """Children and nested scopes of a cancelled scope hear of it in one order."""
    seen: list[Any] = []

    async def child(number: int) -> None:
        with anyio.CancelScope():
            try:
                await anyio.sleep(100)
            finally:
                seen.append(number)

    async with anyio.create_task_group() as group:
        for number in range(CHILDREN):
            group.start_soon(child, number)
        await anyio.sleep(1)
        group.cancel_scope.cancel()
    with anyio.move_on_after(5) as scope:
        await anyio.sleep(10)
    return [*seen, scope.cancelled_caught, anyio.current_time()]


async def timeouts(life: Life) -> list[Any]:
    """Deadlines of one instant strike in one order."""
    seen: list[Any] = []

    async def limited(number: int) -> None:
        try:
            async with asyncio.timeout(1 + number % 2):
                await asyncio.sleep(100)
        except TimeoutError:
            seen.append(number)

    await asyncio.gather(*(limited(number) for number in range(CHILDREN)))
    return seen


async def queues_and_locks(life: Life) -> list[Any]:
    """Waiters are served in the order in which they came."""
    queue: asyncio.Queue[int] = asyncio.Queue(2)
    lock, seen = asyncio.Lock(), []

    async def produce(number: int) -> None:
        async with lock:
            await queue.put(number)

    async def consume() -> None:
        while True:
            seen.append(await queue.get())
            await asyncio.sleep(0.1)

    consumers = [asyncio.create_task(consume()) for _ in range(3)]
    await asyncio.gather(*(produce(number) for number in range(CHILDREN)))
    await asyncio.sleep(10)
    for task in consumers:
        task.cancel()
    return seen


current: contextvars.ContextVar[int] = contextvars.ContextVar("current")


async def contexts(life: Life) -> list[Any]:
    """Each task has its own context, copied where it was made."""

    async def show(number: int) -> tuple[int, int]:
        before = current.get()
        current.set(number)
        await asyncio.sleep(0)
        return before, current.get()

    current.set(-1)
    shown = await asyncio.gather(*(show(number) for number in range(3)))
    return [*shown, current.get()]


async def generators(life: Life) -> list[Any]:
    """Dropped and open generators are closed in one order."""
    seen: list[Any] = []

    async def numbers(name: int) -> AsyncIterator[int]:
        try:
            for number in range(3):
                yield number
        finally:
            seen.append(name)

    held = [numbers(name) for name in range(CHILDREN)]
    for generator in held[::3] + held[1::3]:
        await anext(generator)
    held[3:9] = []
    await asyncio.sleep(1)
    await asyncio.get_running_loop().shutdown_asyncgens()
    return seen


async def eager(life: Life) -> list[Any]:
    """Eager tasks, where Python has them, begin at once and hash like others."""
    factory = getattr(asyncio, "eager_task_factory", None)
    if factory is None:
        return await eager_expected()
    asyncio.get_running_loop().set_task_factory(factory)
    return await eager_expected(at_once=True)


async def eager_expected(*, at_once: bool = False) -> list[Any]:
    """What eager tasks do; a version without them takes the sleep for a start."""
    seen: list[Any] = []

    async def work(number: int) -> int:
        seen.append(number)
        await asyncio.sleep(1)
        return number

    tasks = [asyncio.create_task(work(number)) for number in range(CHILDREN)]
    if not at_once:
        await asyncio.sleep(0)
    seen.append("made")
    done, _ = await asyncio.wait(tasks)
    return [*seen, *(task.result() for task in done)]


async def gates(life: Life) -> list[Any]:
    """Gates in every order that a seed can draw."""
    seen: list[Any] = []

    async def ask(number: int) -> None:
        for step in range(3):
            await life.gate(f"g{number}", latency_s=(number * 7) % 5 / 10)
            seen.append((number, step, life.now_ns))

    async with asyncio.TaskGroup() as group:
        for number in range(CHILDREN):
            group.create_task(ask(number))
    return seen


last_words: list[Any] = []
"""What tasks did that outlived their agent; emptied before each run."""


async def leftovers(life: Life) -> list[Any]:
    """Tasks alive at the end are told, cancelled and closed in order of creation."""

    async def linger(number: int) -> None:
        try:
            await asyncio.sleep(100 + number % 3)
        finally:
            last_words.append(number)

    tasks = [asyncio.create_task(linger(number)) for number in range(CHILDREN)]
    await asyncio.sleep(1)
    for task in asyncio.all_tasks() & set(tasks[::2]):
        task.cancel()
    await asyncio.sleep(1)
    return list(last_words)


async def gathered_and_shielded(life: Life) -> list[Any]:
    """Sets of what `gather` and `shield` give are walked in one order."""
    seen: list[Any] = []

    async def work(number: int) -> int:
        try:
            await asyncio.sleep(1 + number % 3)
        finally:
            seen.append(number)
        return number

    tasks = [asyncio.create_task(work(number)) for number in range(CHILDREN)]
    groups = {asyncio.gather(*tasks[n : n + 4]): n for n in range(0, CHILDREN, 4)}
    shields = {asyncio.shield(task): number for number, task in enumerate(tasks)}
    for outer in set(shields):
        seen.append(shields[outer])
        outer.cancel()
    await asyncio.sleep(1.5)
    for group in set(groups):
        seen.append(groups[group])
        if groups[group] % 8:
            group.cancel()
    ends = await asyncio.gather(*set(tasks), *set(groups), return_exceptions=True)
    return [
        *seen,
        *(n if isinstance(n, int | list) else type(n).__name__ for n in ends),
    ]


def blocking(seen: list[Any], few: threading.Semaphore, number: int) -> int:
    """Work of a thread: it sleeps, and waits for its turn at a semaphore."""
    seen.append(("began", number))
    time.sleep(1 + number % 3)
    with few:
        time.sleep(0.5)
        seen.append(("ended", number))
    return number


async def in_threads(life: Life) -> list[Any]:
    """Jobs given to threads begin, block and end in one order."""
    seen: list[Any] = []
    work = partial(blocking, seen, threading.Semaphore(2))
    jobs = [asyncio.to_thread(work, number) for number in range(THREADS)]
    done = [await one for one in as_completed(jobs)]
    return [*seen, *done]


async def in_anyio_threads(life: Life) -> list[Any]:
    """The same on the workers of anyio, three at a time, with calls back to the loop."""
    seen: list[Any] = []
    limiter, few = anyio.CapacityLimiter(3), threading.Semaphore(2)

    def work(number: int) -> None:
        anyio.from_thread.run(anyio.sleep, number % 2)
        seen.append(("slept", anyio.from_thread.run_sync(anyio.current_time)))
        blocking(seen, few, number)

    async with anyio.create_task_group() as group:
        for number in range(THREADS):
            run = partial(anyio.to_thread.run_sync, work, number, limiter=limiter)
            group.start_soon(run)
    return seen


async def set_of_strings(life: Life) -> list[Any]:
    """Strings hash by the process: what a pinned hash seed is for."""
    seen: list[Any] = []
    for name in {f"tool_{number}" for number in range(CHILDREN)}:
        await life.gate(name)
        seen.append(name)
    return seen


async def set_of_objects(life: Life) -> list[Any]:
    """Objects hash by their address: nothing but a check in two processes tells."""
    seen: list[Any] = []

    class Tool:
        def __init__(self, name: str) -> None:
            self.name = name

    for tool in {Tool(f"tool_{number}") for number in range(CHILDREN)}:
        await life.gate(tool.name)
        seen.append(tool.name)
    return seen


PROGRAMS = (
    task_group_abort,
    wait_and_walk,
    wait_on_futures,
    completed,
    completed_in_time,
    anyio_scopes,
    timeouts,
    queues_and_locks,
    contexts,
    generators,
    eager,
    gates,
    in_threads,
    in_anyio_threads,
    leftovers,
    gathered_and_shielded,
)

UNORDERED = (set_of_strings, set_of_objects)
"""What the engine can't order."""


def observe(names: Sequence[str] = ()) -> dict[str, Any]:
    """Run programs dully, and by two seeds with everything that may happen."""
    seen: dict[str, Any] = {}
    by_name = {program.__name__: program for program in (*PROGRAMS, *UNORDERED)}
    for program in [by_name[name] for name in names] or PROGRAMS:
        for seed, probability in ((0, 0.0), (1, 0.3), (2, 0.6)):
            events: list[Event] = []
            choices = Seeded(seed, probability)
            engine = Engine(
                choices,
                policy="any_order",
                cancel=True,
                crash=True,
                record=events.append,
            )
            endings: list[Ending] = []
            last_words.clear()
            while not endings or endings[-1].kind == "crashed":
                endings.append(engine.live(program))
            engine.bury()
            seen[f"{program.__name__} {seed}"] = {
                "endings": [(e.kind, e.value, e.words, e.unhandled) for e in endings],
                "events": [(e.kind, e.at_ns, e.life) for e in events],
                "choices": choices.log,
                "told": engine.told,
                "now_ns": engine.now_ns,
                "last_words": list(last_words),
            }
    return seen


if __name__ == "__main__":
    kept = scatter(int(sys.argv[1]))
    sys.stdout.write(json.dumps(observe(sys.argv[2:]), indent=1))
