"""The loop: asyncio's order, virtual time, and what a loop must not do by itself."""

import asyncio
import gc
import math
import selectors
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from importlib import import_module
from itertools import count
from typing import Any, TypeVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import UsageError
from agentsim.engine import Choices, Engine, Life
from tests.engine.programs import Interpreter, Program, program_of, programs

T = TypeVar("T")


class VirtualSelector(selectors.SelectSelector):
    """Lets a stock loop jump over its waits instead of sleeping through them."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        """Move the clock; a wait without end is one that our loop must end as well."""
        if timeout is None:
            raise LookupError
        self.now += max(timeout, 0.0)
        return []


class NumberedTask(asyncio.Task[Any]):
    """A stock task that hashes by creation: sets of stock ones have no fixed order."""

    number = 0

    def __hash__(self) -> int:
        if not self.number:
            self.number = self.get_loop().next_number()  # type: ignore[attr-defined]
        return self.number


class StockLoop(asyncio.SelectorEventLoop):
    """CPython's own loop and scheduling, over a virtual clock."""

    def __init__(self) -> None:
        numbers = count(1)
        self.next_number = lambda: next(numbers)
        self.virtual = VirtualSelector()
        super().__init__(self.virtual)
        self._clock_resolution = 1e-9
        self.set_task_factory(
            lambda loop, coro, **more: NumberedTask(coro, loop=loop, **more)
        )

    def time(self) -> float:
        """Virtual seconds."""
        return self.virtual.now


async def sleeping_gate(_: str, delay_s: float) -> None:
    """A gate for loops without any: a sleep."""
    await asyncio.sleep(delay_s)


def stock_log(program: Program) -> list[tuple[str, str]]:
    """What the program does on a stock loop."""
    loop = StockLoop()
    made: list[Interpreter] = []

    async def main() -> None:
        made.append(Interpreter(sleeping_gate))
        with suppress(asyncio.CancelledError):
            await made[0].run(program)
        made[0].log.append(("main", "over"))

    with suppress(LookupError):
        loop.run_until_complete(main())
    log = list(made[0].log)
    for _ in range(20):
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
    return log


def our_log(program: Program) -> list[tuple[str, str]]:
    """What the program does in a life."""
    made: list[Interpreter] = []

    async def main(life: Life) -> None:
        made.append(Interpreter(sleeping_gate))
        with suppress(asyncio.CancelledError):
            await made[0].run(program)
        made[0].log.append(("main", "over"))

    engine = Engine(Choices())
    engine.live(main)
    log = list(made[0].log)
    engine.bury()
    return log


def up_to_the_end(log: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Cut what comes after the program: the two loops end it in their own ways."""
    over = ("main", "over")
    return log[: log.index(over)] if over in log else log


@pytest.mark.slow
@settings(max_examples=500)
@given(st.builds(program_of, st.integers(0, 1 << 32)))
def test_the_order_of_many_programs_is_that_of_a_stock_loop(program: Program) -> None:
    """The next property, on more programs."""
    assert up_to_the_end(our_log(program)) == up_to_the_end(stock_log(program))


@settings(max_examples=12)
@given(programs())
def test_the_order_is_that_of_a_stock_loop(program: Program) -> None:
    """Any program does the same things in the same order as on CPython's own loop."""
    assert up_to_the_end(our_log(program)) == up_to_the_end(stock_log(program))


def live(main: Callable[[Life], Coroutine[Any, Any, T]]) -> T:
    """Run one life and give its value; what it raises is raised."""
    ending = Engine(Choices()).live(main)
    if ending.error is not None:
        raise ending.error
    assert ending.kind == "returned", ending
    return cast(T, ending.value)


def test_time_starts_at_zero_and_moves_by_sleeping() -> None:
    """The clock shows virtual seconds, and a sleep takes exactly its time."""

    async def main(life: Life) -> list[tuple[float, int]]:
        loop = asyncio.get_running_loop()
        seen = [(loop.time(), life.now_ns)]
        for delay_s in (0.1, 0.2, 3600, 1e-9, 31_536_000):
            await asyncio.sleep(delay_s)
            seen.append((loop.time(), life.now_ns))
        return seen

    seen = live(main)
    assert [now_ns for _, now_ns in seen] == [
        0,
        100_000_000,
        300_000_000,
        3_600_300_000_000,
        3_600_300_000_001,
        31_539_600_300_000_001,
    ]
    assert all(seconds == pytest.approx(now_ns / 1e9) for seconds, now_ns in seen)
    assert all(type(now_ns) is int for _, now_ns in seen)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_deadline_and_an_equal_sleep_fall_on_one_instant(
    before_ms: int, delay_ms: int
) -> None:
    """Rounding of seconds never parts what is due together, deadline or delay."""

    async def main(life: Life) -> list[int]:
        loop = asyncio.get_running_loop()
        due: list[int] = []
        await asyncio.sleep(before_ms / 1000)
        loop.call_at(loop.time() + delay_ms / 1000, lambda: due.append(life.now_ns))
        loop.call_later(delay_ms / 1000, lambda: due.append(life.now_ns))
        await asyncio.sleep(2000)
        return due

    assert live(main) == [(before_ms + delay_ms) * 1_000_000] * 2


def test_a_deadline_is_past_when_it_fires() -> None:
    """Who compares the clock with a deadline that fired never finds it in the future."""

    async def main(life: Life) -> list[bool]:
        loop = asyncio.get_running_loop()
        past: list[bool] = []
        for step in range(1, 200):
            when = loop.time() + step / 700

            def check(when: float = when) -> None:
                past.append(loop.time() >= when)

            loop.call_at(when, check)
            await asyncio.sleep(step / 650)
        return past

    assert all(live(main))


@pytest.mark.parametrize("delay_s", [math.inf, 1e300])
def test_an_endless_timer_never_fires(delay_s: float) -> None:
    """A timer without end is no timer: who waits for it alone is in a deadlock."""

    async def main(life: Life) -> None:
        loop = asyncio.get_running_loop()
        fired = loop.create_future()
        loop.call_later(delay_s, fired.set_result, None)
        loop.call_at(delay_s, fired.set_result, None)
        await fired

    engine = Engine(Choices())
    ending = engine.live(main)
    assert (ending.kind, engine.now_ns) == ("deadlock", 0)
    engine.bury()


def test_simultaneous_timers_fire_in_order_of_creation() -> None:
    """Many timers of one instant keep their order (a stock loop's heap may not)."""

    async def main(life: Life) -> list[int]:
        loop = asyncio.get_running_loop()
        fired: list[int] = []
        for number in range(100):
            loop.call_later(5, fired.append, number)
        await asyncio.sleep(6)
        return fired

    assert live(main) == list(range(100))


def test_cancelled_timers_are_dropped() -> None:
    """A deadline per request, cancelled each time, does not pile up."""

    async def main(life: Life) -> int:
        loop: Any = asyncio.get_running_loop()
        most = 0
        for _ in range(500):
            async with asyncio.timeout(3600):
                await asyncio.sleep(1)
            most = max(most, len(loop.timers))
        return most

    assert live(main) < 200


def test_a_cancelled_timer_does_not_move_the_clock() -> None:
    """The time of a timer that was called off is never waited for."""

    async def main(life: Life) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(3600, print).cancel()
        loop.call_later(1, seen.append, "first")
        loop.call_later(1, seen.append, "never").cancel()
        await asyncio.sleep(1)
        loop.call_later(0, print).cancel()

    seen: list[str] = []
    engine = Engine(Choices())
    assert engine.live(main).kind == "returned"
    assert engine.now_ns == 1_000_000_000
    assert seen == ["first"]


def test_call_soon_threadsafe_works_on_the_loops_thread() -> None:
    """Libraries that call it out of caution are served in order."""

    async def main(life: Life) -> list[int]:
        loop = asyncio.get_running_loop()
        seen: list[int] = []
        loop.call_soon(seen.append, 1)
        loop.call_soon_threadsafe(seen.append, 2)
        loop.call_soon(seen.append, 3)
        await asyncio.sleep(0)
        return seen

    assert live(main) == [1, 2, 3]


def test_many_tasks_are_forgotten_when_done() -> None:
    """The loop does not keep the tasks of a long run."""

    async def main(life: Life) -> int:
        loop: Any = asyncio.get_running_loop()
        most = 0
        for _ in range(500):
            await asyncio.create_task(asyncio.sleep(0))
            most = max(most, len(loop._tasks))
        return most

    assert live(main) < 100


def test_the_loop_looks_like_a_running_one() -> None:
    """Agents that ask see a running loop that can't be run or closed from inside."""

    async def main(life: Life) -> None:
        loop = asyncio.get_running_loop()
        assert loop.is_running()
        assert not loop.is_closed()
        with pytest.raises(RuntimeError, match="already running"):
            loop.run_until_complete(loop.create_future())
        with pytest.raises(RuntimeError, match="running event loop"):
            loop.close()
        await loop.shutdown_default_executor()
        assert "SimLoop" in repr(loop)
        loops.append(loop)

    loops: list[asyncio.AbstractEventLoop] = []
    live(main)
    assert not loops[0].is_running()
    assert loops[0].is_closed()


def test_the_former_loop_is_back_afterwards() -> None:
    """A simulation inside of a running loop leaves that loop as it was."""

    async def agent(life: Life) -> list[str]:
        await life.gate("model", latency_s=5)
        names = []
        for done in asyncio.as_completed(
            [asyncio.sleep(1, "b"), asyncio.sleep(0, "a")]
        ):
            names.append(await done)  # noqa: PERF401 - the order of arrival is the point
        return names

    async def outside() -> list[str]:
        loop = asyncio.get_running_loop()
        names: list[str] = live(agent)
        assert asyncio.get_running_loop() is loop
        await asyncio.sleep(0)
        done, _ = await asyncio.wait([asyncio.create_task(asyncio.sleep(0, "c"))])
        return [*names, *(task.result() for task in done)]

    assert asyncio.run(outside()) == ["a", "b", "c"]


def test_nothing_of_asyncio_or_anyio_stays_replaced() -> None:
    """After a run, however it ended, both libraries are as they were."""
    names = vars(asyncio.tasks)
    backend = vars(import_module("anyio._backends._asyncio"))

    def state() -> list[object]:
        keys = ("_GatheringFuture", "_scheduled_tasks", "_all_tasks")
        inside = [names.get(key) for key in keys]
        ours = [backend["CancelScope"], backend["WorkerThread"]]
        return [names.get("set", set), *inside, *ours, sys.get_asyncgen_hooks()]

    before = state()

    async def main(life: Life) -> list[object]:
        return state()

    async def failing(life: Life) -> None:
        asyncio.get_running_loop().stop()

    inside = live(main)
    assert all(
        one is not other for one, other in zip(inside, before, strict=True) if one
    )
    assert state() == before
    with pytest.raises(UsageError):
        live(failing)
    assert state() == before


@pytest.mark.parametrize("collecting", [True, False])
def test_garbage_is_not_collected_in_a_life(collecting: bool) -> None:
    """Finalizers would run at a random step; afterwards all is as before."""

    async def main(life: Life) -> bool:
        return gc.isenabled()

    try:
        if not collecting:
            gc.disable()
        assert not live(main)
        assert gc.isenabled() is collecting
    finally:
        gc.enable()


def test_tasks_are_listed_in_one_order_among_those_of_others() -> None:
    """Tasks of an outer loop, ordered by address, do not mix up a life's own."""

    async def main(life: Life) -> bool:
        kept = []
        for number in range(200):
            task = asyncio.create_task(asyncio.sleep(0 if number % 32 else 9))
            kept += [] if number % 32 else [task]
        await asyncio.sleep(1)
        this = asyncio.current_task()
        assert this is not None
        as_made: set[asyncio.Task[Any]] = set()
        for task in (this, *kept):
            as_made.add(task)
        same = list(asyncio.all_tasks()) == list(as_made)
        await asyncio.wait(kept)
        return same

    async def outside() -> bool:
        others = [asyncio.create_task(asyncio.sleep(9)) for _ in range(300)]
        same = all(live(main) for _ in range(3))
        for task in others:
            task.cancel()
        return same

    assert asyncio.run(outside())


def test_errors_of_callbacks_are_noted_and_not_printed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A callback that fails stops nothing, prints nothing and is told in the end."""

    async def fail() -> None:
        raise KeyError("secret")

    async def main(life: Life) -> str:
        loop = asyncio.get_running_loop()
        loop.call_soon(int, "x")
        loop.call_later(1, int, "y")
        task = asyncio.create_task(fail(), name="helper")
        await asyncio.sleep(2)
        del task
        loop.call_exception_handler({"message": "by hand"})
        return "fine"

    ending = Engine(Choices()).live(main)
    assert ending.value == "fine"
    assert ending.unhandled == (
        "ValueError in a callback of the event loop",
        "ValueError in a callback of the event loop",
        "an error in a callback of the event loop",
        "helper failed with KeyError, and nothing awaited it",
    )
    assert capfd.readouterr() == ("", "")


def test_an_agents_own_exception_handler_is_called() -> None:
    """A handler that the agent sets gets the errors instead."""

    async def main(life: Life) -> list[str]:
        loop = asyncio.get_running_loop()
        seen: list[str] = []
        loop.set_exception_handler(
            lambda _, context: seen.append(type(context["exception"]).__name__)
        )
        loop.call_soon(int, "x")
        await asyncio.sleep(0)
        return seen

    ending = Engine(Choices()).live(main)
    assert (ending.value, ending.unhandled) == (["ValueError"], ())


def test_dropped_generators_are_closed_at_once() -> None:
    """A generator that is left by `break` is closed by the loop, as in asyncio."""

    async def main(life: Life) -> list[str]:
        seen: list[str] = []

        async def numbers() -> AsyncIterator[int]:
            try:
                yield 1
            finally:
                seen.append("closed")

        async for _ in numbers():
            break
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        seen.append("after")
        return seen

    assert live(main) == ["closed", "after"]


def test_open_generators_are_closed_in_order_at_the_end() -> None:
    """Generators that are still held are closed in the order of their first use."""
    seen: list[str] = []
    held: list[AsyncIterator[int]] = []

    async def numbers(name: str) -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)
            seen.append(name)

    async def main(life: Life) -> str:
        held.extend(numbers(name) for name in "abcde")
        for name in (3, 0, 4, 1):
            await anext(held[name])
        return "done"

    assert live(main) == "done"
    assert seen == ["d", "a", "e", "b"]


def test_generators_can_be_shut_down_by_hand() -> None:
    """`shutdown_asyncgens` closes all in order, while the agent runs."""
    seen: list[str] = []

    async def numbers(name: str) -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            seen.append(name)

    async def main(life: Life) -> None:
        held = [numbers(name) for name in "ab"]
        for generator in reversed(held):
            await anext(generator)
        await asyncio.get_running_loop().shutdown_asyncgens()
        seen.append("after")

    live(main)
    assert seen == ["b", "a", "after"]


def test_a_task_factory_may_be_set_and_is_checked() -> None:
    """Agents may bring a factory; what can't be called is refused as in asyncio."""

    class Named(asyncio.Task[Any]):
        pass

    async def main(life: Life) -> list[str]:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(lambda loop, coro, **more: Named(coro, loop=loop, **more))
        assert loop.get_task_factory() is not None
        task = loop.create_task(asyncio.sleep(0), name="mine")
        other = loop.create_task(asyncio.sleep(0), context=None)
        await asyncio.gather(task, other)
        with pytest.raises(TypeError, match="must be a callable or None"):
            loop.set_task_factory(3)  # type: ignore[arg-type]
        loop.set_task_factory(None)
        plain = loop.create_task(asyncio.sleep(0))
        await plain
        return [type(task).__name__, task.get_name(), type(plain).__name__]

    assert live(main) == ["Named", "mine", "SimTask"]


def test_names_of_tasks_may_be_anything() -> None:
    """As in asyncio, a name is made a text."""

    async def main(life: Life) -> str:
        loop = asyncio.get_running_loop()
        task = loop.create_task(asyncio.sleep(0), name=17)  # type: ignore[arg-type]
        await task
        return task.get_name()

    assert live(main) == "17"


def test_an_unknown_policy_is_refused() -> None:
    """The error names the policies that there are."""
    with pytest.raises(UsageError, match="'timed' or 'any_order', got 'fifo'"):
        Engine(Choices(), policy="fifo")  # type: ignore[arg-type]
