"""Functions given to threads run one at a time, as the engine lets them, as in life."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import anyio.to_thread
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.engine import Life, Replay
from tests.engine.runs import every_run, run

SETTING = contextvars.ContextVar("SETTING", default="none")


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Each of these runs ends with the threads that were there before."""
    before = threading.enumerate()
    yield
    assert [thread for thread in threading.enumerate() if thread not in before] == []


def test_results_and_errors_come_back() -> None:
    """What the function returns or raises is what awaiting it gives."""

    def add(one: int, other: int) -> int:
        return one + other

    async def main(life: Life) -> list[object]:
        loop = asyncio.get_running_loop()
        return [
            await asyncio.to_thread(add, 1, other=2),
            await loop.run_in_executor(None, add, 3, 4),
            *await asyncio.gather(
                asyncio.to_thread(int, "no number"), return_exceptions=True
            ),
        ]

    value = run(main).ending.value
    assert isinstance(value, list)
    assert value[:2] == [3, 7]
    assert isinstance(value[2], ValueError)


def test_every_order_of_jobs_is_offered() -> None:
    """Each job begins at a gate: two jobs and a model's answer come in any order."""

    async def main(life: Life) -> str:
        seen: list[str] = []

        async def ask() -> None:
            await life.gate("model")
            seen.append("model")

        await asyncio.gather(
            asyncio.to_thread(seen.append, "a"),
            asyncio.to_thread(seen.append, "b"),
            ask(),
        )
        return " ".join(seen)

    orders = [str(r.ending.value) for r in every_run(main, policy="any_order")]
    assert sorted(orders) == sorted(
        ["a b model", "a model b", "b a model", "b model a", "model a b", "model b a"]
    )


def test_the_gate_has_the_name_of_the_function() -> None:
    """A deviation tells which job came first, without addresses."""

    def get_weather(city: str) -> str:
        return city

    async def main(life: Life) -> None:
        call = partial(get_weather, "Berne")
        await asyncio.gather(asyncio.to_thread(call), asyncio.to_thread(print, end=""))

    words = run(main, Replay({0: 1}), policy="any_order").engine.words
    assert words == ["thread print came before thread get_weather"]


def test_a_cancelled_job_goes_on() -> None:
    """Who waits for it is cancelled; the thread works on to its end, as in life."""
    seen: list[float] = []

    async def main(life: Life) -> float:
        loop = asyncio.get_running_loop()

        def work() -> None:
            time.sleep(5)
            seen.append(loop.time())

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.to_thread(work), 1)
        at = loop.time()
        await asyncio.sleep(9)
        return at

    assert run(main).ending.value == 1
    assert seen == [5]


def test_jobs_are_no_tasks_of_the_agent() -> None:
    """`all_tasks` has those that the agent made, so that it cancels no thread."""

    async def main(life: Life) -> list[list[str]]:
        seen: list[list[str]] = []
        loop = asyncio.get_running_loop()

        def look() -> None:
            seen.append([task.get_name() for task in asyncio.all_tasks(loop)])

        task = asyncio.create_task(asyncio.sleep(1))
        await asyncio.to_thread(look)
        await task
        return seen

    assert run(main).ending.value == [["main", "Task-2"]]


def test_a_thread_reaches_its_loop() -> None:
    """`call_soon_threadsafe` and `run_coroutine_threadsafe(...).result()` work there."""

    async def double(number: int) -> int:
        await asyncio.sleep(3)
        return 2 * number

    async def main(life: Life) -> tuple[int, list[str], float]:
        loop = asyncio.get_running_loop()
        seen: list[str] = []

        def work() -> int:
            loop.call_soon_threadsafe(seen.append, "called")
            return asyncio.run_coroutine_threadsafe(double(4), loop).result()

        return await asyncio.to_thread(work), seen, loop.time()

    assert run(main).ending.value == (8, ["called"], 3)


def test_context_variables_are_those_of_asyncio() -> None:
    """`to_thread` copies them; `run_in_executor` does not; none come back."""

    def change() -> str:
        seen = SETTING.get()
        SETTING.set("changed")
        return seen

    async def main(life: Life) -> list[str]:
        loop = asyncio.get_running_loop()
        SETTING.set("main")
        return [
            await asyncio.to_thread(change),
            await loop.run_in_executor(None, SETTING.get),
            SETTING.get(),
        ]

    assert run(main).ending.value == ["main", "none", "main"]


KINDS = ("to_thread", "executor", "pool", "anyio", "coroutine", "thread", "own pool")

Program = int | tuple[str, list["Program"]]

programs: st.SearchStrategy[Program] = st.recursive(
    st.integers(0, 9),
    lambda inner: st.tuples(
        st.sampled_from(KINDS), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=6,
)
"""A number; or a way to run other programs on threads, and to add up what they give."""


def worked_out(program: Program, loop: asyncio.AbstractEventLoop) -> int:
    """What a program gives, from a thread."""
    if isinstance(program, int):
        if program == 7:
            raise ValueError("seven")
        return program
    kind, parts = program
    if kind == "thread":
        seen: list[int] = []
        for part in parts:
            if isinstance(part, int):
                thread = threading.Thread(target=seen.append, args=[part])
                thread.start()
                thread.join()
        return sum(seen)
    if kind == "own pool":
        with ThreadPoolExecutor(4) as pool:
            return sum(pool.map(partial(worked_out, loop=loop), parts))
    coroutine = awaited(program)
    return asyncio.run_coroutine_threadsafe(coroutine, loop).result()


async def awaited(program: Program) -> int:
    """What a program gives, on the loop."""
    loop = asyncio.get_running_loop()
    if isinstance(program, int):
        return worked_out(program, loop)
    kind, parts = program
    pool = ThreadPoolExecutor(4)  # without threads until it is asked
    calls = [partial(worked_out, part, loop) for part in parts]
    if kind == "executor":
        jobs: list[Any] = [loop.run_in_executor(None, call) for call in calls]
    elif kind == "pool":
        jobs = [loop.run_in_executor(pool, call) for call in calls]
    elif kind == "anyio":
        jobs = [anyio.to_thread.run_sync(call) for call in calls]
    elif kind == "coroutine":
        jobs = [awaited(part) for part in parts]
    else:
        whole = [partial(worked_out, program, loop)] if "own" in kind else calls
        jobs = [asyncio.to_thread(call) for call in whole]
    values: list[Any] = await asyncio.gather(*jobs, return_exceptions=True)
    pool.shutdown(wait=False)
    for value in values:
        if isinstance(value, BaseException):
            raise value
    return int(sum(values))


async def outcome(program: Program) -> tuple[str, object]:
    """What becomes of a program."""
    try:
        return "value", await awaited(program)
    except ValueError as error:
        return "error", str(error)


@settings(max_examples=25, deadline=None)
@given(programs)
def test_programs_of_jobs_come_out_as_on_a_stock_loop(program: Program) -> None:
    """Values and errors through threads, pools and loops are those of real threads."""

    async def main(life: Life) -> tuple[str, object]:
        return await outcome(program)

    assert run(main).ending.value == asyncio.run(outcome(program))
