"""Runs of several threads follow one another: the same choices, the same bytes."""

import asyncio
import gc
import os
import random
import signal
import socket
import sys
import threading
import time
import uuid
import warnings
from _thread import allocate_lock
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agentsim import Run, Scenario, call, explore, reference, run, say
from agentsim.core import Env, UsageError
from agentsim.engine import in_turn
from agentsim.engine.seals.inside import SERIES
from agentsim.trace import to_jsonl
from agentsim.world import tool
from tests.simulation.sdk.loops import awaiting, blocking

pytest.importorskip("openai")  # here, else the first run on it would load it

THREADS = 4

STORY = Scenario(
    task="Look twice.",
    world=[tool("look", returns=["a", "b", "c"], read_only=True)],
    script=[call("look"), call("look"), say("Seen.")],
)

FREE = Scenario(task="Do.", script=[say("Done.")], exact=False)


@pytest.fixture(autouse=True)
def _many_switches() -> Iterator[None]:
    """Threads take turns at each step, so that what they share shows.

    Not where they are traced, as for coverage: while one thread installs its trace
    function, Python asks our audit hook, and where they take turns in that, Python 3.11
    refuses another thread its own, which then ends before it did anything.
    """
    before = sys.getswitchinterval()
    if threading.gettrace() is None:
        sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


async def draws(env: Env) -> object:
    """Ask clock and chance, before and after it waited."""
    seen: list[object] = [random.random(), str(uuid.uuid4()), time.time()]
    await reference(env)
    await asyncio.sleep(1.5)
    return [*seen, random.random(), time.monotonic(), len(asyncio.all_tasks())]


def blocks(env: Env) -> object:
    """Wait on a thread of its own, in virtual time."""
    seen: list[object] = []
    for _ in range(2):
        seen += [env.sync.tools[0](), random.random(), time.monotonic()]
        time.sleep(0.5)
    return seen


def told(made: Run) -> str:
    """All that a run left."""
    return f"{to_jsonl(made.trace)} {made.value} {made.notes}"


def at_once(work: Callable[[], Any]) -> list[Any]:
    """What several threads got that began at the same time."""
    start = threading.Barrier(THREADS)

    def begin(_: int) -> object:
        start.wait()
        return work()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


@pytest.mark.parametrize("agent", [reference, draws, blocks, awaiting, blocking])
def test_runs_of_several_threads_are_as_of_one(agent: Callable[..., Any]) -> None:
    """Each leaves what it leaves alone: trace, value and notes."""
    scenario = STORY if agent is not blocks else FREE_LOOKS
    run(scenario, agent)
    alone = told(run(scenario, agent))
    made = at_once(lambda: [told(run(scenario, agent)) for _ in range(2)])
    assert made == [[alone] * 2] * THREADS


FREE_LOOKS = Scenario(
    task="Look.",
    world=[tool("look", returns=["a", "b", "c"], read_only=True)],
    script=[say("Unused.")],
    exact=False,
)


def test_explorations_of_several_threads_are_as_of_one() -> None:
    """Each finds the same runs, and all leave the process as it was."""

    def found() -> list[str]:
        tokens: list[str] = []
        explore(STORY, draws, runs=4, on_run=lambda made: tokens.append(made.token))
        return tokens

    alone = found()
    random.seed(7)
    before = random.getstate(), gc.get_threshold(), gc.isenabled(), time.tzname
    assert at_once(found) == [alone] * THREADS
    after = random.getstate(), gc.get_threshold(), gc.isenabled(), time.tzname
    assert (after, SERIES) == (before, {})


def _within(_env: Env) -> str:
    return told(run(STORY, draws))


async def _within_async(env: Env) -> str:
    return _within(env)


async def _within_thread(env: Env) -> str:
    return await asyncio.to_thread(_within, env)


async def _within_thread_of_its_own(env: Env) -> str:
    got: list[str] = []
    thread = threading.Thread(target=lambda: got.append(_within(env)))
    thread.start()
    await asyncio.to_thread(thread.join)
    return got[0]


@pytest.mark.parametrize(
    "agent", [_within, _within_async, _within_thread, _within_thread_of_its_own]
)
def test_a_run_within_a_run_waits_for_nothing(agent: Callable[..., Any]) -> None:
    """On each thread of the outer run it is as alone, however many threads there are."""
    alone = told(run(STORY, draws))
    assert at_once(lambda: run(FREE, agent).value) == [alone] * THREADS


def test_threads_of_a_run_may_each_make_runs() -> None:
    """Behind a run within it, a run waits for its threads as before, and pools too."""

    def makes(_: int = 0) -> object:
        return run(FREE, reference).value

    def many() -> int:
        threads = [threading.Thread(target=makes) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with ThreadPoolExecutor(2) as pool:
            made = list(pool.map(makes, range(3)))
        late = threading.Thread(target=time.sleep, args=(2,))
        late.start()
        late.join()
        return len(made)

    async def agent(env: Env) -> object:
        made = await asyncio.to_thread(many)
        return [made, time.monotonic()]

    before = vars(threading.Thread)["join"], vars(ThreadPoolExecutor)["submit"]
    assert run(FREE, agent).value == [3, 2.0]
    after = vars(threading.Thread)["join"], vars(ThreadPoolExecutor)["submit"]
    assert after == before


def test_a_run_within_a_tool_waits_for_nothing() -> None:
    """A tool may simulate an agent of its own."""
    alone = told(run(STORY, draws))

    def ask() -> str:
        return told(run(STORY, draws))

    async def asks(env: Env) -> object:
        return await env.tools[0]()

    nests = Scenario(
        task="Ask.", world=[tool(ask, read_only=True)], script=[], exact=False
    )
    assert at_once(lambda: run(nests, asks).value) == [alone] * THREADS


def test_a_run_within_a_running_loop_is_as_alone() -> None:
    """Other tasks of that loop go on after it."""
    alone = told(run(STORY, draws))

    async def one() -> str:
        return told(run(STORY, draws))

    async def several() -> list[str]:
        return list(await asyncio.gather(one(), one()))

    assert at_once(lambda: asyncio.run(several())) == [[alone] * 2] * THREADS


def test_a_thread_left_to_itself_can_not_run() -> None:
    """The run that started it may wait for it: an error is better than that."""
    got: list[str] = []

    def tries() -> None:
        with pytest.raises(UsageError) as raised:
            run(STORY)
        got.append(str(raised.value))

    async def starts(env: Env) -> None:
        thread = threading.Thread(target=tries, name="helper-3", daemon=True)
        thread.start()
        thread.join()

    assert run(FREE, starts).verdict.status == "holds"
    assert len(got) == 1
    line = starts.__code__.co_firstlineno + 2
    assert got[0].startswith(
        "a run was started on the thread helper, which starts "
        f"(test_turns.py:{line}) started in a run that goes on"
    )


class Held:
    """A run on a thread of its own that has begun, and waits to be let go on."""

    def __init__(self) -> None:
        self._begun, self._go = allocate_lock(), allocate_lock()
        self._begun.acquire()
        self._go.acquire()
        self._made: list[Run] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._begun.acquire()

    def _run(self) -> None:
        async def waits(_env: Env) -> None:
            self._begun.release()
            self._go.acquire()

        self._made.append(run(FREE, waits))

    def over(self) -> Run:
        """Let it go on to its end."""
        self._go.release()
        self._thread.join()
        return self._made[0]


def test_a_thread_that_others_start_is_no_leak_of_a_run() -> None:
    """What goes on around a run is none of its doing."""
    held, end = Held(), allocate_lock()
    end.acquire()
    thread = threading.Thread(target=end.acquire)
    thread.start()
    made = held.over()
    end.release()
    thread.join()
    assert (made.outcome.ending, made.verdict.status) == ("returned", "holds")


def test_a_thread_that_simulates_is_free_between_its_runs() -> None:
    """It reaches what it wants while another one is in a run, and so do its threads."""
    seen: list[object] = []

    def looks_up() -> None:
        seen.append(socket.getaddrinfo("127.0.0.1", 80) != [])

    def simulates() -> None:
        run(STORY)
        held = Held()
        looks_up()
        thread = threading.Thread(target=looks_up)
        thread.start()
        thread.join()
        seen.append(held.over().verdict.status)

    simulating = threading.Thread(target=simulates)
    simulating.start()
    simulating.join()
    assert seen == [True, True, "holds"]


def test_ctrl_c_ends_the_wait_for_a_turn() -> None:
    """It comes through, and the turn is given to who asks next."""
    held, main = Held(), threading.main_thread().ident

    def interrupt() -> None:
        signal.pthread_kill(main or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)

    def waits() -> None:
        thread.start()
        run(STORY)
        thread.join()

    with pytest.raises(KeyboardInterrupt):
        waits()
    thread.join()
    assert held.over().verdict.status == "holds"
    assert run(STORY).verdict.status == "holds"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("torn", [True, False])
def test_a_copy_made_in_the_midst_of_a_run_says_so(torn: bool) -> None:
    """Another thread's run can't be ended there; one made between runs just works."""
    alone = run(STORY, draws).value
    held = Held() if torn else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads and copies
        copy = os.fork()
    if not copy:
        code = 1
        try:
            code = 2 if run(STORY, draws).value == alone else 3
        except UsageError as error:
            code = 4 if "half of that run" in str(error) else 5
        finally:
            os._exit(code)
    _, status = os.waitpid(copy, 0)
    assert os.waitstatus_to_exitcode(status) == (4 if torn else 2)
    if held is not None:
        assert held.over().verdict.status == "holds"


def test_a_turn_is_taken_again_on_its_thread() -> None:
    """Who holds it does not wait for itself."""
    with in_turn(), in_turn():
        assert run(STORY).verdict.status == "holds"


def test_threads_that_strays_start_are_a_runs_too() -> None:
    """A library's thread starts one that goes on: it is the run's, and is told."""
    end = allocate_lock()
    end.acquire()

    def library() -> None:
        threading.Thread(target=end.acquire, daemon=False).start()

    async def starts(_env: Env) -> None:
        thread = threading.Thread(target=library, daemon=True)
        thread.start()
        thread.join()

    made = run(FREE, starts)
    end.release()
    assert made.outcome.ending == "leak"
    assert "threads are alive after the end: Thread (acquire)" in str(
        made.outcome.error
    )
