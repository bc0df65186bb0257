"""Crash and cancellation at any point of a program with threads leave nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import anyio
import anyio.from_thread
import anyio.to_thread
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.engine import (
    Baton,
    Choices,
    Engine,
    Fenced,
    Life,
    Replay,
    Seeded,
    Series,
)
from tests.engine.runs import Observed, every_run, run


def wait(life: Life, label: str, latency_s: float = 0.0) -> None:
    """Come to a gate from a thread."""
    held = Baton.held()
    assert held is not None
    held.wait_for(partial(life.gate, label, latency_s=latency_s))


async def everything(life: Life) -> list[object]:
    """A program with each kind of thread that waits in each kind of way."""
    loop = asyncio.get_running_loop()
    lock = threading.Lock()
    answers: queue.Queue[int] = queue.Queue(1)

    def produce() -> None:
        for number in range(3):
            wait(life, "tool", latency_s=number)
            answers.put(number)

    def consume() -> list[int]:
        return [answers.get() for _ in range(3)]

    def locked() -> None:
        with lock:
            time.sleep(2)
            wait(life, "write")

    def asks() -> object:
        return anyio.from_thread.run(partial(life.gate, "model", latency_s=1))

    def pooled() -> list[int]:
        with ThreadPoolExecutor(2) as pool:
            thread = threading.Thread(target=locked)
            thread.start()
            squares = list(pool.map(lambda number: number * number, range(3)))
            thread.join()
        return squares

    return await asyncio.gather(
        *map(asyncio.to_thread, (produce, consume, locked, pooled)),
        loop.run_in_executor(None, locked),
        anyio.to_thread.run_sync(asks),
    )


VALUE = [None, [0, 1, 2], None, [0, 1, 4], None, None]


def observed(choices: Choices, **options: bool) -> Observed:
    """Run the program; no thread may be left when it is buried."""
    before = threading.enumerate()
    seen = run(everything, choices, policy="any_order", **options)
    assert [thread for thread in threading.enumerate() if thread not in before] == []
    return seen


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_orders_change_no_outcome_and_repeat(seed: int) -> None:
    """Whatever comes first, all is done; and the same choices give the same run."""
    first = observed(Seeded(seed))
    assert first.ending.value == VALUE
    again = observed(Replay(first.choices.deviations))
    assert (again.ending.value, again.engine.words) == (VALUE, first.engine.words)
    assert again.choices.arities == first.choices.arities


class Ending(Seeded):
    """Random choices, and an end at a place that is drawn: no run is made in vain."""

    def __init__(self, seed: int, option: str) -> None:
        super().__init__(seed)
        self._option = option
        self._place = int(self._random() * DULL_CHOICES)

    def draw(self, position: int, label: str, arity: int) -> int:
        """Take the option at the first choice from the place on that has it."""
        value = super().draw(position, label, arity)
        if position >= self._place and self._option in self.kinds:
            self._place = sys.maxsize
            return arity - len(self.kinds) + self.kinds.index(self._option)
        return value


ENDED = {"crash": "returned", "cancel": "cancelled"}

DULL_CHOICES = 17
"""How many choices the program has where nothing deviates."""


@pytest.mark.slow
@pytest.mark.parametrize("option", ["crash", "cancel"])
def test_random_ends_leave_nothing(
    option: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """200 random crashes and 200 random cancellations: no thread, nothing on stderr."""
    with Series():
        for seed in range(200):
            seen = observed(Ending(seed, option), **{option: True})
            ended = option in " ".join(seen.engine.words).replace("died", "crash")
            assert (seen.ending.kind, ended) == (ENDED[option], True)
    assert capfd.readouterr() == ("", "")


def test_the_dead_end_behind_the_fence() -> None:
    """A job of a dead life is fenced where it waits, and its `finally` runs at burial."""
    seen: list[str] = []

    def work(life: Life) -> None:
        try:
            time.sleep(5)
        except BaseException as error:
            seen.append(type(error).__name__)
            with contextlib.suppress(Fenced):
                wait(life, "after death")
                seen.append("acted")
            raise

    async def main(life: Life) -> None:
        await asyncio.gather(
            asyncio.to_thread(work, life), life.gate("model", latency_s=1)
        )

    before = threading.enumerate()
    engine = Engine(Replay({1: 1}), crash=True)
    assert engine.live(main).kind == "crashed"
    assert seen == []
    engine.bury()
    assert seen == ["Fenced"]
    assert threading.enumerate() == before


def test_what_has_not_begun_never_does() -> None:
    """A job whose life died before its gate opened is not run at the burial."""
    seen: list[str] = []

    async def main(life: Life) -> None:
        thread = threading.Thread(target=seen.append, args=["thread"])
        thread.start()
        with ThreadPoolExecutor() as pool:
            pool.submit(seen.append, "pool")
            await asyncio.to_thread(seen.append, "job")

    before = threading.enumerate()
    engine = Engine(Replay({0: 1}), crash=True)
    assert engine.live(main).kind == "crashed"
    engine.bury()
    assert seen == []
    assert threading.enumerate() == before


def test_a_job_that_outlives_the_agent_is_a_leak() -> None:
    """It is told by the name of its function; one that is about to end is not."""

    def get_weather() -> None:
        time.sleep(9)

    async def leaves(life: Life) -> str:
        asyncio.get_running_loop().run_in_executor(None, get_weather)
        asyncio.get_running_loop().run_in_executor(None, sys.intern, "soon done")
        return "done"

    ending = run(leaves).ending
    assert (ending.kind, ending.words) == (
        "leak",
        "functions on threads go on after the end: get_weather",
    )


def test_a_cancelled_run_may_leave_its_jobs() -> None:
    """Nobody can end a thread from outside: who was cancelled is not blamed for it."""

    async def main(life: Life) -> None:
        await asyncio.gather(asyncio.to_thread(time.sleep, 5), life.gate("model"))

    kinds = {seen.ending.kind for seen in every_run(main, deviations=1, cancel=True)}
    assert kinds == {"returned", "cancelled"}
