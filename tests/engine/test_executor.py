"""Functions given to threads run one at a time, as the engine lets them, as in life."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

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
