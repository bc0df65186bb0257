"""Random asyncio programs, and an interpreter that logs what they do in which order.

A program is a list of operations, nested where they start tasks. The same program can
run on a stock loop, or in a life, where its gates are real ones.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import strategies as st

Operation = tuple[Any, ...]
Program = list[Operation]
Gate = Callable[[str, float], Awaitable[None]]

_PLAIN = ("soon", "yield", "set", "wait", "put", "get", "lock", "cancel", "generate")
_TIMED = ("sleep", "later", "gate")
_NESTED = ("spawn", "gather", "timeout", "group", "completed", "first")


def program(choose: Callable[[int], int], size: int = 8, levels: int = 3) -> Program:
    """Make a program of some operations, up to so many levels deep.

    Args:
        choose: Gives a number below another one.
        size: How many operations there are at most at the outermost level.
    """
    made: Program = []
    kinds = (*_PLAIN, *_TIMED, *(_NESTED if levels > 1 else ()))
    for _ in range(1 + choose(size)):
        kind = kinds[choose(len(kinds))]
        if kind in _NESTED:
            inner = range(1 + choose(3))
            parts = [program(choose, max(1, size // 2), levels - 1) for _ in inner]
            made.append((kind, choose(6), parts))
        else:
            made.append((kind, choose(3 if kind in _PLAIN else 6)))
    return made


@st.composite
def programs(draw: st.DrawFn, size: int = 8) -> Program:
    """Draw programs in a way that shrinks."""
    return program(lambda below: draw(st.integers(0, below - 1)), size)


def program_of(seed: int) -> Program:
    """The program of a number, for many of them: drawn as above each takes five times."""
    chance = Random(seed)
    return program(chance.randrange)


@dataclass
class Interpreter:
    """Runs one program; its log is what an observer would see."""

    gate: Gate
    log: list[tuple[str, str]] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    timers: int = 0

    def __post_init__(self) -> None:
        """Make what the tasks share."""
        self.events = [asyncio.Event() for _ in range(3)]
        self.queues: list[asyncio.Queue[str]] = [asyncio.Queue(1) for _ in range(3)]
        self.locks = [asyncio.Lock() for _ in range(3)]

    def delay_s(self, units: int) -> float:
        """A delay that no sum of others equals, so that no two timers tie."""
        self.timers = min(self.timers + 1, 40)
        return ((units << 42) + (1 << self.timers)) / 1_000_000_000

    async def run(self, program: Program, name: str = "m") -> None:
        """Run operation after operation; each says when it begins and ends."""
        for place, (kind, *arguments) in enumerate(program):
            here = f"{name}.{place}"
            self.log.append((here, kind))
            try:
                await getattr(self, f"do_{kind}")(here, *arguments)
            except (TimeoutError, asyncio.CancelledError, ExceptionGroup) as error:
                self.log.append((here, type(error).__name__))
                if isinstance(error, asyncio.CancelledError):
                    raise
        self.log.append((name, "end"))

    def start(self, program: Program, name: str) -> asyncio.Task[None]:
        """Start a task."""
        task = asyncio.create_task(self.run(program, name))
        self.tasks.append(task)
        return task

    async def do_soon(self, here: str, _: int) -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(self.log.append, (here, "soon ran"))

    async def do_yield(self, here: str, times: int) -> None:
        for _ in range(times + 1):
            await asyncio.sleep(0)

    async def do_set(self, here: str, which: int) -> None:
        self.events[which].set()

    async def do_wait(self, here: str, which: int) -> None:
        async with asyncio.timeout(self.delay_s(3)):
            await self.events[which].wait()

    async def do_put(self, here: str, which: int) -> None:
        await asyncio.wait_for(self.queues[which].put(here), self.delay_s(2))

    async def do_get(self, here: str, which: int) -> None:
        got = await asyncio.wait_for(self.queues[which].get(), self.delay_s(2))
        self.log.append((here, got))

    async def do_lock(self, here: str, which: int) -> None:
        async with self.locks[which]:
            await asyncio.sleep(0)
            self.log.append((here, "locked"))

    async def do_cancel(self, here: str, which: int) -> None:
        if which < len(self.tasks):
            self.tasks[which].cancel()

    async def do_generate(self, here: str, which: int) -> None:
        async def numbers() -> AsyncIterator[int]:
            try:
                for number in range(3):
                    await asyncio.sleep(0)
                    yield number
            finally:
                self.log.append((here, "generator closed"))

        async for number in numbers():
            if number == which:
                break

    async def do_sleep(self, here: str, units: int) -> None:
        await asyncio.sleep(self.delay_s(units))

    async def do_later(self, here: str, units: int) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(self.delay_s(units), self.log.append, (here, "timer ran"))

    async def do_gate(self, here: str, units: int) -> None:
        await self.gate(here, self.delay_s(units))

    async def do_spawn(self, here: str, _: int, parts: list[Program]) -> None:
        for number, part in enumerate(parts):
            self.start(part, f"{here}:{number}")

    async def do_gather(self, here: str, _: int, parts: list[Program]) -> None:
        tasks = [self.start(part, f"{here}:{n}") for n, part in enumerate(parts)]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def do_timeout(self, here: str, units: int, parts: list[Program]) -> None:
        async with asyncio.timeout(self.delay_s(units)):
            await self.run(parts[0], f"{here}:0")

    async def do_group(self, here: str, units: int, parts: list[Program]) -> None:
        async with asyncio.TaskGroup() as group:
            for number, part in enumerate(parts):
                group.create_task(self.run(part, f"{here}:{number}"))
            if units > 3:
                await asyncio.sleep(0)
                raise TimeoutError

    async def do_completed(self, here: str, _: int, parts: list[Program]) -> None:
        tasks = [self.start(part, f"{here}:{n}") for n, part in enumerate(parts)]
        for done in asyncio.as_completed(tasks[:1]):
            await done

    async def do_first(self, here: str, _: int, parts: list[Program]) -> None:
        tasks = [self.start(part, f"{here}:{n}") for n, part in enumerate(parts)]
        await asyncio.wait(tasks[:1], return_when=asyncio.FIRST_COMPLETED)
