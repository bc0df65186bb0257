"""anyio's worker threads do in a simulation what they do in life."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from functools import partial

import anyio
import anyio.from_thread
import anyio.to_thread
import pytest

from agentsim.engine import Life
from tests.engine.runs import run


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Each of these runs ends with the threads that were there before."""
    before = threading.enumerate()
    yield
    later = [thread for thread in threading.enumerate() if thread not in before]
    # Of a loop elsewhere, anyio tells its workers to end, and does not wait for it.
    for thread in later:
        thread.join(5)
    assert [thread for thread in later if thread.is_alive()] == []


async def double(number: int) -> int:
    """Take a while."""
    await anyio.sleep(3)
    return 2 * number


def test_results_and_errors_come_back() -> None:
    """What the function returns or raises is what awaiting it gives."""

    async def main(life: Life) -> list[object]:
        with pytest.raises(ValueError, match="invalid literal"):
            await anyio.to_thread.run_sync(int, "no number")
        return [await anyio.to_thread.run_sync(abs, number) for number in (-1, -2)]

    assert run(main).ending.value == [1, 2]


def test_a_thread_reaches_the_async_side() -> None:
    """`from_thread.run` and `run_sync` wait for the loop; a sleep is virtual."""

    async def main(life: Life) -> tuple[list[object], float]:
        def work() -> list[object]:
            time.sleep(2)
            task = anyio.from_thread.run_sync(asyncio.current_task)
            return [anyio.from_thread.run(double, 4), task]

        result = await anyio.to_thread.run_sync(work)
        return result, asyncio.get_running_loop().time()

    assert run(main).ending.value == ([8, None], 5)


def test_the_limiter_bounds_the_threads() -> None:
    """No more jobs go on at once than the limiter lets in."""

    async def main(life: Life) -> float:
        limiter = anyio.CapacityLimiter(2)
        work = partial(
            anyio.to_thread.run_sync, partial(time.sleep, 1), limiter=limiter
        )
        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(work)
        return asyncio.get_running_loop().time()

    assert run(main).ending.value == 3


@pytest.mark.parametrize(("abandon", "at_s"), [(False, 5.0), (True, 1.0)])
def test_cancellation_waits_or_abandons(abandon: bool, at_s: float) -> None:
    """A scope waits for its thread unless told to abandon it, as in life."""

    async def main(life: Life) -> float:
        loop = asyncio.get_running_loop()
        with anyio.move_on_after(1):
            await anyio.to_thread.run_sync(
                partial(time.sleep, 5), abandon_on_cancel=abandon
            )
        ended = loop.time()
        await anyio.sleep(9)
        return ended

    assert run(main).ending.value == at_s


def test_a_thread_asks_whether_it_is_cancelled() -> None:
    """`from_thread.check_cancelled` raises in a thread whose scope was cancelled."""
    seen: list[float] = []

    async def main(life: Life) -> None:
        loop = asyncio.get_running_loop()

        def work() -> None:
            try:
                for _ in range(9):
                    time.sleep(1)
                    anyio.from_thread.check_cancelled()
            finally:
                seen.append(loop.time())

        with anyio.move_on_after(2.5):
            await anyio.to_thread.run_sync(work)

    run(main)
    assert seen == [3]


def test_a_loop_on_a_daemon_thread_keeps_what_is_anyios() -> None:
    """While a run is on, scopes, workers and gathers of another loop are its own."""
    told: list[int] = []

    async def elsewhere() -> None:
        with anyio.CancelScope() as scope:
            assert {scope: 1}[scope] == 1
            workers = [anyio.to_thread.run_sync(partial(abs, -n)) for n in (1, 2)]
            gathered = asyncio.gather(*workers)
            assert {gathered: 1}[gathered] == 1
            told.extend(await gathered)

    async def main(life: Life) -> None:
        options = {"target": asyncio.run, "args": (elsewhere(),)}
        thread = threading.Thread(**options, daemon=True)  # type: ignore[arg-type]
        thread.start()
        await asyncio.to_thread(thread.join)

    run(main)

    assert told == [1, 2]
