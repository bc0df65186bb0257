"""A function on a thread of its own is as repeatable as a coroutine, and leaves nothing."""

from __future__ import annotations

import asyncio
import contextvars
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from agentsim.core import UsageError
from agentsim.engine import Baton, Choices, Engine, Fenced, Life, Refused, Replay
from agentsim.engine.threads import baton as baton_module
from agentsim.engine.threads import workers as workers_module
from tests.engine.runs import Main, run

SETTING = contextvars.ContextVar("SETTING", default="none")


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Each of these runs ends with the threads that were there before."""
    before = threading.enumerate()
    yield
    left = [thread for thread in threading.enumerate() if thread not in before]
    assert [thread for thread in left if thread not in PARKED] == []


PARKED: list[threading.Thread] = []
"""Threads that a test left on purpose: nothing can end them."""


def wait(life: Life, label: str = "model", latency_s: float = 0.0) -> None:
    """Come to a gate from a thread."""
    held = Baton.held()
    assert held is not None
    held.wait_for(partial(life.gate, label, latency_s=latency_s))


async def drive(life: Life, function: Callable[[Life], object]) -> object:
    """Run a function that takes a life on a thread."""
    return await Baton(partial(function, life), name=function.__qualname__).drive()


def on_thread(function: Callable[[Life], object]) -> Main:
    """The main function of a run whose agent is synchronous."""
    return lambda life: drive(life, function)


def join_agents() -> None:
    """Wait for threads whose driver is gone: the fence lets them end."""
    for thread in threading.enumerate():
        if thread.name.endswith("agent") and thread not in PARKED:
            thread.join(5)


def test_the_function_returns_after_its_gates() -> None:
    """What it returns comes out, at the time at which its last gate opened."""

    def agent(life: Life) -> str:
        wait(life, latency_s=2)
        wait(life, latency_s=3)
        return f"at {life.now_ns / 1e9:g}"

    assert run(on_thread(agent)).ending.value == "at 5"


def test_only_one_of_both_goes_on_at_a_time() -> None:
    """Tasks of the loop act between the thread's steps, never during one."""
    seen: list[str] = []

    async def other(life: Life) -> None:
        for _ in range(3):
            seen.append("loop")
            await life.gate("tool", latency_s=1)

    def agent(life: Life) -> None:
        for _ in range(3):
            seen.append("thread begins")
            for _ in range(1_000):
                sys.intern("a step")
            seen.append("thread ends")
            wait(life, latency_s=1)

    async def main(life: Life) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(other(life))
            await drive(life, agent)

    run(main)
    assert seen == [*("thread begins", "thread ends", "loop") * 3]


def test_errors_come_out_on_both_sides() -> None:
    """What is awaited raises in the thread; what the thread raises comes out."""

    async def fails() -> None:
        raise KeyError("tool")

    def agent(life: Life) -> None:
        held = Baton.held()
        assert held is not None
        try:
            held.wait_for(fails)
        except KeyError as error:
            raise ValueError("mine") from error

    ending = run(on_thread(agent)).ending
    assert ending.kind == "raised"
    assert isinstance(ending.error, ValueError)
    assert isinstance(ending.error.__cause__, KeyError)


def test_cancellation_reaches_the_thread_where_it_waits() -> None:
    """It is a `CancelledError` out of the call at hand, and `finally` blocks run."""
    seen: list[str] = []

    def agent(life: Life) -> None:
        try:
            wait(life)
        except asyncio.CancelledError:
            seen.append("cancelled")
            wait(life, "last word")
            raise
        finally:
            seen.append("tidied up")

    engine = Engine(Replay({0: 1}), cancel=True)
    ending = engine.live(on_thread(agent))
    assert (ending.kind, seen) == ("cancelled", ["cancelled", "tidied up"])


def test_a_deadlock_names_the_function() -> None:
    """Who waits for what is told as of a coroutine."""

    def my_agent(life: Life) -> None:
        held = Baton.held()
        assert held is not None
        held.wait_for(asyncio.Event().wait)

    async def main(life: Life) -> None:
        await drive(life, my_agent)

    engine = Engine(Choices())
    ending = engine.live(main)
    assert ending.kind == "deadlock"
    assert ending.words.endswith("my_agent > Event.wait")
    engine.bury()


def crashed(agent: Callable[[Life], object]) -> None:
    """Let a life die at its first gate, and bury it."""
    engine = Engine(Replay({0: 1}), crash=True)
    assert engine.live(on_thread(agent)).kind == "crashed"
    engine.bury()


def test_nothing_of_a_dead_thread_runs_before_its_burial() -> None:
    """A crash stops the thread where it is; at the burial it ends behind the fence."""
    seen: list[str] = []

    def agent(life: Life) -> None:
        try:
            wait(life)
        finally:
            seen.append("finally")
            try:
                wait(life)
            except Fenced:
                seen.append("fenced")

    engine = Engine(Replay({0: 1}), crash=True)
    engine.live(on_thread(agent))
    assert seen == []
    engine.bury()
    assert seen == ["finally", "fenced"]


def test_a_dead_thread_that_catches_everything_is_parked(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for ever, silently; and so many of them are an error that says why."""
    dying: list[object] = []
    let_go: list[bool] = []

    def stubborn(life: Life) -> None:
        while not let_go:
            try:
                wait(life)
            except BaseException as error:  # noqa: BLE001 - as bad agents do
                dying.append(type(error))

    before = threading.enumerate()
    crashed(stubborn)
    left = [thread for thread in threading.enumerate() if thread not in before]
    assert [thread.name.rpartition(".")[2] for thread in left] == ["stubborn"]
    assert dying[:4] == [asyncio.CancelledError, Fenced, Fenced, Fenced]
    # Other tests may have left such threads too, of agents that can't be let go.
    started = workers_module._STARTED
    parked = sum(loop.dead and thread.is_alive() for thread, loop in started)
    monkeypatch.setattr(workers_module, "THREADS_MAX", parked)
    ending = run(on_thread(stubborn)).ending
    assert f"{parked} threads of dead agents wait for ever" in str(ending.error)
    assert capfd.readouterr() == ("", "")
    let_go.append(True)
    for thread in left:
        release(thread)


def release(thread: threading.Thread) -> None:
    """End a parked thread, which only a test can."""
    frame = sys._current_frames()[thread.ident or 0]
    while "self" not in frame.f_locals or not isinstance(frame.f_locals["self"], Baton):
        assert frame.f_back is not None
        frame = frame.f_back
    baton = frame.f_locals["self"]
    assert baton._worker is not None
    baton._worker.leave()
    baton._go.release()
    thread.join()


def test_sleep_is_virtual_on_the_thread_only() -> None:
    """`time.sleep` costs no real time there, and is put back after the run."""
    real = time.sleep

    def agent(life: Life) -> float:
        time.sleep(3600)
        time.sleep(1)
        for odd in (-1, math.nan):
            with pytest.raises(ValueError, match="must be non-negative"):
                time.sleep(odd)
        return life.now_ns / 1e9

    assert run(on_thread(agent)).ending.value == 3601
    assert time.sleep is real


def test_a_second_event_loop_is_refused_by_name() -> None:
    """`asyncio.run` in a synchronous agent says what to do instead."""

    def my_agent(life: Life) -> None:
        asyncio.new_event_loop()

    line = my_agent.__code__.co_firstlineno + 1
    with pytest.raises(UsageError) as caught:
        run(on_thread(my_agent))
    assert str(caught.value) == (
        f"my_agent (test_baton.py:{line}) asked for an event loop of its own (as "
        "asyncio.run does), but a simulation has one event loop: give the async "
        "function itself as the agent (of a framework its async run, not run_sync), "
        "or ask through env.sync"
    )


def _by_the_policy() -> object:
    return asyncio.get_event_loop_policy().new_event_loop()


def _by_its_class() -> object:
    loop = asyncio.SelectorEventLoop()
    try:
        return loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()


def _by_a_runner() -> object:
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        return runner.get_loop().run_forever()


@pytest.mark.parametrize("ask", [_by_the_policy, _by_its_class, _by_a_runner])
def test_no_way_to_a_second_event_loop_is_left(ask: Callable[[], object]) -> None:
    """Loops made by the policy, as frameworks do, or by their class are refused alike."""
    with pytest.raises(UsageError) as caught:
        run(on_thread(lambda life: ask()))
    assert f"{ask.__name__} (test_baton.py:" in str(caught.value)
    assert "asked for an event loop of its own" in str(caught.value)


def test_what_others_put_on_event_loops_is_there_after_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Notebooks patch loops so that they run inside of one another: they still do after."""

    def patched(self: object) -> None:
        """As theirs."""

    for name in ("run_forever", "run_until_complete"):
        monkeypatch.setattr(asyncio.SelectorEventLoop, name, patched)
    run(on_thread(lambda life: None))
    after = vars(asyncio.SelectorEventLoop)
    assert [after["run_forever"], after["run_until_complete"]] == [patched, patched]


def test_elsewhere_event_loops_are_as_ever() -> None:
    """A thread of which no run knows makes and runs loops while one is on, and after it."""
    made: list[object] = []

    def work() -> None:
        loop = asyncio.get_event_loop_policy().new_event_loop()
        made.append(loop.run_until_complete(asyncio.sleep(0, "done")))
        loop.close()

    async def main(life: Life) -> None:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join()

    run(main)
    work()
    assert made == ["done", "done"]


def test_one_that_never_stops_asking_is_stopped() -> None:
    """A thread that swallows every refusal hands over at last."""

    def agent(life: Life) -> None:
        for _ in range(6):
            try:
                asyncio.new_event_loop()
            except BaseException:  # noqa: BLE001 - as bad agents do
                continue
        pytest.fail("it went on")

    engine = Engine(Choices())
    with pytest.raises(UsageError, match="a simulation has one event loop"):
        engine.live(on_thread(agent))
    engine.bury()


def test_a_thread_that_does_not_hand_over_is_told_with_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a real time the run ends with an error; later the thread is fenced."""
    monkeypatch.setattr(baton_module, "PATIENCE_S", 0.05)
    stop = threading.Lock()  # one of C, made before the run
    stop.acquire()
    seen: list[str] = []

    def inner() -> None:
        stop.acquire()

    def my_agent(life: Life) -> None:
        inner()
        try:
            wait(life)
        except Fenced:
            seen.append("fenced")

    with pytest.raises(UsageError) as caught:
        run(on_thread(my_agent))
    words = str(caught.value)
    assert "my_agent has held its thread for 0.05 real seconds" in words
    assert "> inner (test_baton.py:" in words
    stop.release()
    for thread in threading.enumerate():
        if thread.name.endswith("my_agent"):
            thread.join(5)
    assert seen == ["fenced"]


def test_a_debugger_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that stands in a debugger is waited for, however long a person looks."""
    monkeypatch.setattr(baton_module, "PATIENCE_S", 0.02)
    looked: list[str] = []
    person = threading.Lock()
    person.acquire()
    namespace = {"__name__": "pdb", "acquire": person.acquire}
    exec("def set_trace():\n    acquire(timeout=0.1)", namespace)
    set_trace: Any = namespace["set_trace"]

    def agent(life: Life) -> str:
        set_trace()
        looked.append("looked")
        return "went on"

    assert run(on_thread(agent)).ending.value == "went on"
    assert looked == ["looked"]


def test_a_thread_whose_driver_is_gone_is_fenced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may catch the fence three times; then it waits for ever, alone."""
    monkeypatch.setattr(baton_module, "PATIENCE_S", 0.02)
    stop = threading.Lock()  # one of C, made before the run
    stop.acquire()
    seen: list[type[BaseException]] = []

    def agent(life: Life) -> None:
        stop.acquire()
        while True:
            try:
                wait(life)
            except BaseException as error:  # noqa: BLE001 - as bad agents do
                seen.append(type(error))

    before = threading.enumerate()
    with pytest.raises(UsageError, match="has held its thread"):
        run(on_thread(agent))
    (left,) = [thread for thread in threading.enumerate() if thread not in before]
    stop.release()
    left.join(0.05)
    assert (left.is_alive(), seen) == (True, [Fenced] * 3)
    PARKED.append(left)


def test_a_driver_that_is_closed_lets_its_thread_end() -> None:
    """The thread is fenced where it waits, and tidies up."""
    seen: list[str] = []

    def agent(life: Life) -> None:
        try:
            wait(life)
        except Fenced:
            seen.append("fenced")

    async def main(life: Life) -> None:
        driver = drive(life, agent)
        driver.send(None)
        driver.close()

    run(main)
    join_agents()
    assert seen == ["fenced"]


def test_other_threads_sleep_for_real() -> None:
    """While a simulation runs, threads without a baton have the real clock."""
    slept: list[float] = []

    def other() -> None:
        time.sleep(0.001)
        slept.append(asyncio.run(asyncio.sleep(0.001, 1.0)))

    def agent(life: Life) -> int:
        thread = threading.Thread(target=other, daemon=True)
        thread.start()
        thread.join()
        return life.now_ns

    assert run(on_thread(agent)).ending.value == 0
    assert slept == [1.0]


def test_context_variables_are_copied() -> None:
    """The thread sees what its driver had set; what it sets itself stays with it."""

    def agent(life: Life) -> str:
        seen = SETTING.get()
        SETTING.set("thread")
        return seen

    async def main(life: Life) -> tuple[object, str]:
        SETTING.set("driver")
        return await drive(life, agent), SETTING.get()

    assert run(main).ending.value == ("driver", "driver")


def test_no_state_is_left_for_the_next_thread() -> None:
    """Each run has a fresh thread: what is local to a thread is gone."""
    local = threading.local()

    def agent(life: Life) -> bool:
        found = hasattr(local, "mark")
        local.mark = True
        return found

    assert [run(on_thread(agent)).ending.value for _ in range(2)] == [False, False]


def test_exit_and_interrupt_come_out() -> None:
    """`sys.exit` in the thread ends the life as it does in a coroutine."""

    def agent(life: Life) -> None:
        sys.exit(3)

    ending = run(on_thread(agent)).ending
    assert isinstance(ending.error, SystemExit)


class Broken:
    """A lock at which Ctrl-C comes, before the thread got it or after it gave it back."""

    def __init__(self, lock: threading.Lock, at: int, *, late: bool) -> None:
        self._lock = lock
        self._left = at
        self._late = late

    def acquire(self, *, timeout: float) -> bool:
        """Wait for the thread, but the one time."""
        self._left -= 1
        if self._left:
            return self._lock.acquire(timeout=timeout)
        if self._late:
            self._lock.acquire(timeout=timeout)
            self._lock.release()  # taken by nobody: Ctrl-C broke in before
        raise KeyboardInterrupt

    def release(self) -> None:
        """Hand over."""
        self._lock.release()


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_ctrl_c_during_a_handover_comes_out(at: int, late: bool) -> None:
    """It ends the run, and no error of the handover takes its place."""
    seen: list[str] = []

    def agent(life: Life) -> None:
        for _ in range(3):
            wait(life)
        seen.append("the end")

    async def main(life: Life) -> None:
        baton = Baton(partial(agent, life), name="agent")
        baton._back = Broken(baton._back, at, late=late)  # type: ignore[assignment]
        await baton.drive()

    with pytest.raises(KeyboardInterrupt):
        run(main)
    join_agents()
    assert seen == []


def test_no_agent_swallows_ctrl_c() -> None:
    """One that comes while the loop answers is not for the agent, who may catch it."""
    seen: list[BaseException] = []

    async def interrupted() -> None:
        raise KeyboardInterrupt

    def agent(life: Life) -> None:
        held = Baton.held()
        assert held is not None
        try:
            held.wait_for(interrupted)
        except BaseException as error:  # noqa: BLE001 - as bad agents do
            seen.append(error)

    with pytest.raises(KeyboardInterrupt):
        run(on_thread(agent))
    join_agents()
    assert [type(error) for error in seen] == [Fenced]


def test_threads_of_its_own_may_not_wait() -> None:
    """A gate on another event loop is a named error, not a puzzle of asyncio."""

    def work(life: Life, seen: list[BaseException]) -> None:
        try:
            asyncio.run(life.gate("model"))
        except BaseException as error:  # noqa: BLE001 - what came is looked at
            seen.append(error)

    async def main(life: Life) -> None:
        seen: list[BaseException] = []
        thread = threading.Thread(target=work, args=(life, seen), daemon=True)
        thread.start()
        thread.join()
        assert [type(error) for error in seen] == [Refused]

    with pytest.raises(UsageError, match="an answer on a thread of its own"):
        run(main)
