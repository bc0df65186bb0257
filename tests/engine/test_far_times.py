"""Times at the edges: for ever, no time at all, and what is no number."""

import asyncio
import math
import queue
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentsim.core import UsageError
from agentsim.engine import Ending, Life
from agentsim.engine.seals.epoch import NEVER_S
from agentsim.engine.threads.baton import Baton
from tests.engine.runs import run

EDGES = (
    *(0, -0.0, -1, True, 5e-324, 0.4e-9, 1.0, 1e9, 1e10, NEVER_S, 1e18, 1e300),
    *(math.inf, -math.inf, math.nan, 2**63, -(2**63), 10**30, 10**400),
)

SECONDS = st.one_of(st.sampled_from(EDGES), st.floats(), st.integers(), st.floats(0, 2))


def ended(main: Callable[[Life], object]) -> tuple[Ending, float]:
    """How a life ended, and when."""

    async def starts(life: Life) -> object:
        made = main(life)
        return await made if asyncio.iscoroutine(made) else made

    seen = run(starts)
    return seen.ending, seen.engine.now_ns / 1e9


async def _wait_for(seconds: float) -> None:
    done = asyncio.get_running_loop().create_task(asyncio.sleep(1))
    await asyncio.wait_for(done, seconds)


async def _timeout(seconds: float) -> None:
    async with asyncio.timeout(seconds):
        await asyncio.sleep(1)


async def _timeout_at(seconds: float) -> None:
    async with asyncio.timeout_at(seconds):
        await asyncio.sleep(1)


async def _wait(seconds: float) -> None:
    task = asyncio.get_running_loop().create_task(asyncio.sleep(1))
    await asyncio.wait([task], timeout=seconds)
    if not task.done():
        task.cancel()
        raise TimeoutError


@pytest.mark.parametrize("bounded", [_wait_for, _timeout, _timeout_at, _wait])
def test_a_bound_may_be_any_number(
    bounded: Callable[[float], object],
) -> None:
    """It ends what takes longer, at its time; one that never comes bounds nothing."""
    for seconds in EDGES:
        ending, at_s = ended(lambda _, s=seconds: bounded(s))  # type: ignore[misc]
        if seconds != seconds:  # noqa: PLR0124 - NaN
            assert "got nan" in str(ending.error)
        elif seconds == 10**400 and bounded is not _timeout_at:
            assert isinstance(ending.error, OverflowError)
        elif seconds > 1:
            assert (ending.kind, at_s) == ("returned", 1.0)
        elif seconds < 1:
            assert isinstance(ending.error, TimeoutError)
            assert at_s == pytest.approx(max(float(seconds), 0), abs=2e-9)


@settings(max_examples=50)
@given(SECONDS)
@example(1e300)
def test_a_sleep_may_have_any_length(seconds: float) -> None:
    """It ends at its time, or never; what is no number is an error of the agent's."""

    async def sleeps(_life: Life) -> str:
        await asyncio.sleep(seconds)
        return datetime.now(UTC).isoformat()

    ending, at_s = ended(sleeps)
    if seconds != seconds:  # noqa: PLR0124
        assert isinstance(ending.error, ValueError)
    elif ending.kind == "raised":
        assert isinstance(ending.error, OverflowError)
        assert isinstance(seconds, int)
        assert seconds > 10**300
    elif seconds >= NEVER_S:
        assert (ending.kind, at_s) == ("deadlock", 0.0)
    else:
        assert ending.kind == "returned"
        assert at_s == pytest.approx(max(float(seconds), 0), rel=1e-9, abs=2e-9)


@settings(max_examples=20)
@given(st.floats(0, 1e6), st.floats(1e-12, 10))
@example(0.333333333, 0.1)
@example(0.0, 1e-10)
def test_who_waits_for_what_is_left_comes_to_an_end(start: float, wait: float) -> None:
    """However little is left of a time, waiting for it lets it pass."""

    async def waits(_life: Life) -> int:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(start)
        end, count = loop.time() + wait, 0
        while (left := end - loop.time()) > 0:
            await asyncio.sleep(left)
            count += 1
        return count

    def blocks() -> int:
        time.sleep(start)
        with pytest.raises(queue.Empty):
            queue.Queue[int]().get(timeout=wait)
        return 1

    async def on_thread(_life: Life) -> object:
        return await Baton(blocks, name="blocks").drive()

    counted, _ = ended(waits)
    assert counted.value in (0, 1, 2)  # none where the float is too coarse for it
    for main in (on_thread, lambda _: blocks()):
        assert ended(main)[0].value == 1


@pytest.mark.parametrize("latency_s", [NEVER_S, 1e300, math.inf, 10**400])
def test_an_answer_that_is_due_too_late_never_comes(latency_s: float) -> None:
    """It is as one that never answers, whatever the order."""

    async def asks(life: Life) -> None:
        await life.gate("service", latency_s=latency_s)

    async def asks_late(life: Life) -> None:
        await life.gate("first", latency_s=NEVER_S / 2)
        await life.gate("second", latency_s=NEVER_S / 2)

    for main in (asks, asks_late):
        for policy in ("timed", "any_order"):
            assert run(main, policy=policy).ending.kind == "deadlock"


def test_blocking_the_loop_for_ever_is_refused() -> None:
    """Nothing else could end it: who does so is named, with what to do."""

    async def sleeps(_life: Life) -> None:
        for _ in range(40):
            time.sleep(9.2e9)  # noqa: ASYNC251 - it is what is refused

    with pytest.raises(
        UsageError, match=r"sleeps \(test_far_times.py:\d+\) asked for a"
    ):
        run(sleeps)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (math.inf, "timeout value is too large"),
        (10**400, "timeout value is too large"),
        (math.nan, "timeout value must be a non-negative number"),
        (-5, "timeout value must be a non-negative number"),
    ],
)
def test_a_lock_takes_the_times_that_it_takes_in_life(
    seconds: float, words: str
) -> None:
    """What is too long for it there, or no number, is the same error here, taken or not."""

    def blocks() -> list[str]:
        said = []
        for lock in (threading.Lock(), threading.Lock()):
            with pytest.raises((OverflowError, ValueError)) as raised:
                lock.acquire(timeout=seconds)
            said.append(str(raised.value))
        thread = threading.Thread(target=time.sleep, args=(1,))
        thread.start()
        if seconds > 0 or math.isnan(seconds):
            with pytest.raises((OverflowError, ValueError)) as raised:
                thread.join(seconds)
            said.append(str(raised.value))
        thread.join()
        with pytest.raises(ValueError, match="non-blocking"):
            threading.Lock().acquire(blocking=False, timeout=1)
        return said

    async def on_thread(_life: Life) -> object:
        return await Baton(blocks, name="blocks").drive()

    said = run(on_thread).ending.value
    assert isinstance(said, list)
    assert set(said) == {words}
