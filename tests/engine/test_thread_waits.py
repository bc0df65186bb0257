"""Threads of a run that wait for each other hand over: order and time are the run's."""

from __future__ import annotations

import asyncio
import concurrent.futures
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from agentsim.core import UsageError
from agentsim.engine import Baton, Choices, Engine, Life
from tests.engine.runs import Main, run


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Each of these runs ends with the threads that were there before."""
    before = threading.enumerate()
    yield
    assert [thread for thread in threading.enumerate() if thread not in before] == []


def on_threads(*functions: Callable[[], object]) -> Main:
    """The main function of a run that gives functions to threads, all at once."""

    async def main(life: Life) -> tuple[object, ...]:
        loop = asyncio.get_running_loop()
        values = await asyncio.gather(*map(asyncio.to_thread, functions))
        return *values, loop.time()

    return main


def blocking(function: Callable[[], object]) -> Main:
    """The main function of a run whose agent is synchronous."""

    async def main(life: Life) -> object:
        value = await Baton(function, name="agent").drive()
        return value, asyncio.get_running_loop().time()

    return main


def test_an_event_wakes_who_waits() -> None:
    """One thread waits, with and without a limit, until the other has slept."""
    event = threading.Event()

    def wait() -> list[bool]:
        return [event.wait(1), event.wait()]

    def set_it() -> None:
        time.sleep(3)
        event.set()

    assert run(on_threads(wait, set_it)).ending.value == ([False, True], None, 3)


@pytest.mark.parametrize("kind", [queue.Queue, queue.LifoQueue, "SimpleQueue"])
def test_a_queue_hands_over(kind: object) -> None:
    """`get` waits for `put`, and gives up in virtual time."""
    queues: list[queue.Queue[int] | queue.SimpleQueue[int]] = []

    def consume() -> list[int]:
        made = queue.SimpleQueue() if kind == "SimpleQueue" else kind()  # type: ignore[operator]
        queues.append(made)
        with pytest.raises(queue.Empty):
            made.get(timeout=1)
        return [made.get(timeout=9), made.get()]

    def produce() -> None:
        time.sleep(2)
        queues[0].put(1)
        time.sleep(2)
        queues[0].put(2)

    assert run(on_threads(consume, produce)).ending.value == ([1, 2], None, 4)


@pytest.mark.parametrize("kind", ["Lock", "RLock", "Semaphore", "BoundedSemaphore"])
def test_a_lock_made_in_the_run_goes_round(kind: str) -> None:
    """Three threads sleep within it, one after the other."""
    seen: list[int] = []

    async def main(life: Life) -> float:
        lock = getattr(threading, kind)()

        def work(number: int) -> None:
            with lock:
                time.sleep(1)
                seen.append(number)

        await asyncio.gather(*(asyncio.to_thread(work, n) for n in range(3)))
        assert not lock.acquire(timeout=0) or lock.release() is None
        return asyncio.get_running_loop().time()

    assert run(main).ending.value == 3
    assert seen == [0, 1, 2]


def test_a_lock_is_given_up_in_virtual_time() -> None:
    """`acquire` with a limit fails when the clock has come to it."""

    def work() -> tuple[bool, float]:
        lock = threading.Lock()
        lock.acquire()
        return lock.acquire(timeout=5), time.monotonic()

    assert run(on_threads(work)).ending.value == ((False, 5.0), 5)


def test_a_barrier_and_a_condition_wake_all() -> None:
    """Both are made of what hands over."""
    barrier = threading.Barrier(3)

    def work(seconds: int) -> float:
        time.sleep(seconds)
        barrier.wait()
        return time.monotonic()

    main = on_threads(*(partial(work, seconds) for seconds in (1, 2, 3)))
    assert run(main).ending.value == (3, 3, 3, 3)


def test_a_thread_of_the_agents_own_is_waited_for() -> None:
    """It begins at a gate, sleeps in virtual time, and `join` hands over."""
    seen: list[object] = []

    def agent() -> bool:
        def work() -> None:
            time.sleep(2)
            seen.append(threading.current_thread().name)

        thread = threading.Thread(target=work, name="mine")
        thread.start()
        thread.join(1)
        seen.append(thread.is_alive())
        thread.join()
        return thread.is_alive()

    assert run(blocking(agent)).ending.value == (False, 2)
    assert seen == [True, "mine"]


def test_an_error_that_kills_a_thread_is_noted() -> None:
    """Nobody takes it, as of a task that nobody awaits."""

    def agent() -> None:
        thread = threading.Thread(target=int, args=["no number"])
        thread.start()
        thread.join()

    words = run(blocking(agent)).ending.unhandled
    assert words == ("thread int failed with ValueError, and nothing took it",)


def test_a_pool_of_the_agents_own_is_served() -> None:
    """Its jobs go on in virtual time, no more at once than it has workers."""

    def work(number: int) -> int:
        time.sleep(1)
        return number * number

    def agent() -> object:
        with ThreadPoolExecutor(2, thread_name_prefix="mine") as pool:
            squares = list(pool.map(work, range(4)))
            name = pool.submit(lambda: threading.current_thread().name).result()
        with pytest.raises(RuntimeError, match="after shutdown"):
            pool.submit(print)
        return squares, name

    assert run(blocking(agent)).ending.value == (([0, 1, 4, 9], "mine_0"), 2)


def test_shutdown_waits_for_what_was_given() -> None:
    """It waits for what runs, and cancels what has no thread yet if it is told to."""

    def agent() -> list[object]:
        pool = ThreadPoolExecutor(1)
        futures = [pool.submit(time.sleep, 2) for _ in range(3)]
        pool.shutdown(cancel_futures=True)
        return [future.cancelled() for future in futures]

    assert run(blocking(agent)).ending.value == ([False, True, True], 2)


def test_futures_are_waited_for() -> None:
    """`wait` and `as_completed` hand over."""

    def agent() -> tuple[int, list[object]]:
        with ThreadPoolExecutor(3) as pool:

            def job(seconds: int) -> int:
                time.sleep(seconds)
                return seconds

            futures = [pool.submit(job, seconds) for seconds in (3, 1, 2)]
            first, _ = concurrent.futures.wait(futures, timeout=1.5)
            ended = concurrent.futures.as_completed(futures)
            return len(first), [future.result() for future in ended]

    assert run(blocking(agent)).ending.value == ((1, [1, 2, 3]), 3)


def test_a_pool_given_to_the_loop_bounds_its_jobs() -> None:
    """`run_in_executor` with a pool keeps its workers, and runs its initializer."""
    local = threading.local()

    def begin() -> None:
        local.mark = "begun"

    def work() -> str:
        time.sleep(1)
        return str(local.mark)

    async def main(life: Life) -> object:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(2, initializer=begin) as pool:
            jobs = [loop.run_in_executor(pool, work) for _ in range(4)]
            return await asyncio.gather(*jobs), loop.time()

    assert run(main).ending.value == (["begun"] * 4, 2)


def test_a_pool_that_outlives_runs_is_the_same_in_each() -> None:
    """One at the top of a module serves every run, and keeps no threads of them."""
    pool = ThreadPoolExecutor(2)

    def agent() -> str:
        return pool.submit(lambda: threading.current_thread().name).result()

    values = [run(blocking(agent)).ending.value for _ in range(2)]
    assert values[0] == values[1]
    assert pool.submit(abs, -1).result() == 1
    pool.shutdown()


WAITS: dict[str, Callable[[], object]] = {
    "a wait for another thread": lambda: threading.Event().wait(),
    "the end of the thread": lambda: _joined(threading.Thread(target=print)),
    "a wait for another": lambda: ThreadPoolExecutor(1).submit(print).result(),
    "the end of a pool": lambda: _left(ThreadPoolExecutor(1)),
}


def _joined(thread: threading.Thread) -> None:
    thread.start()
    thread.join()


def _left(pool: ThreadPoolExecutor) -> None:
    with pool:
        pool.submit(print)


@pytest.mark.parametrize("what", WAITS)
def test_a_wait_on_the_loops_thread_says_to_await(what: str) -> None:
    """It would block for ever: no other thread goes on meanwhile."""

    async def my_tool(life: Life) -> None:
        WAITS[what]()

    engine = Engine(Choices())
    with pytest.raises(UsageError) as caught:
        engine.live(my_tool)
    engine.bury()
    words = str(caught.value)
    assert f" asked for {what}" in words
    assert "await it" in words
    assert "(test_thread_waits.py:" in words


def test_a_limited_wait_on_the_loops_thread_takes_virtual_time() -> None:
    """It gives up, and all tasks stand still meanwhile, as in life."""

    async def main(life: Life) -> object:
        seen = threading.Event().wait(5)
        with pytest.raises(queue.Empty):
            queue.Queue[int]().get(timeout=3)
        return seen, asyncio.get_running_loop().time()

    assert run(main).ending.value == (False, 8)


def test_threads_of_libraries_wake_who_waits() -> None:
    """A daemon thread works in real time, and a thread of the run may wait for it."""
    real = threading.Lock()
    real.acquire()

    def agent() -> str:
        answers: queue.Queue[str] = queue.Queue()

        def serve() -> None:
            real.acquire()
            answers.put("served")

        threading.Thread(target=serve, daemon=True).start()
        real.release()
        return answers.get()

    assert run(blocking(agent)).ending.value == ("served", 0)


def test_a_deadlock_of_threads_names_their_functions() -> None:
    """Who waits for whom is told of each thread, by its functions."""
    one, other = threading.Event(), threading.Event()

    def first() -> None:
        one.wait()
        other.set()

    def second() -> None:
        other.wait()
        one.set()

    ending = run(on_threads(first, second)).ending
    assert ending.kind == "deadlock"
    for name in ("first", "second"):
        place = f"<locals>.{name} > Event.wait > Condition.wait"
        assert f"thread {name} waits in " in ending.words
        assert place in ending.words
