"""What of the standard library is another on the threads of a run: loops, locks, threads.

All that is replaced looks whose thread it is on, and those of which no run knows get
what the standard library does. What is made while a life runs may outlive it.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from asyncio import events
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.thread import BrokenThreadPool
from functools import partial
from inspect import iscoroutine
from typing import TYPE_CHECKING, Any, TypeVar

from agentsim.engine.refusals import BLOCKING, LOOP
from agentsim.engine.seals.inside import inside, looking
from agentsim.engine.seals.strays import plain_name
from agentsim.engine.seals.timers import TIMERS
from agentsim.engine.threads.adopted import REAL_JOIN, REAL_START
from agentsim.engine.threads.baton import Baton
from agentsim.engine.threads.held import HERE
from agentsim.engine.threads.locks import SimLock, wrong_timeout
from agentsim.engine.threads.outcomes import Job, function_name

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

T = TypeVar("T")

_REAL_LOOP = asyncio.new_event_loop
_REAL_RUN = asyncio.run
_REAL_RUN_FOREVER = asyncio.BaseEventLoop.run_forever
_REAL_RUN_UNTIL = asyncio.BaseEventLoop.run_until_complete
_POLICY: Any = getattr(events, "BaseDefaultEventLoopPolicy", None) or vars(events).get(
    "_BaseDefaultEventLoopPolicy"
)
_REAL_POLICY_LOOP = _POLICY.new_event_loop
_REAL_SUBMIT = ThreadPoolExecutor.submit
_REAL_SHUTDOWN = ThreadPoolExecutor.shutdown

_THREADING: dict[str, Any] = vars(threading)
_QUEUE: dict[str, Any] = vars(queue)

_monotonic = next(home.stand_in for home in TIMERS if home.attribute == "monotonic")


class Replaced:
    """While entered, what blocks, or makes a loop or a thread, looks where it is."""

    __slots__ = (
        "_before",
        "_policy_loop",
        "_run",
        "_run_forever",
        "_run_until",
        "_threads",
    )

    def __enter__(self) -> None:
        """Put all in place, keeping what was there before."""
        self._run = asyncio.run
        asyncio.run = _run
        self._before = [names[name] for names, name, _ in _NAMES]
        for names, name, ours in _NAMES:
            names[name] = ours
        self._policy_loop = _POLICY.new_event_loop
        _POLICY.new_event_loop = _policy_loop
        # Not of their base class, which is that of the simulated loop as well: each
        # change of a class makes Python look up anew what its heirs have.
        self._run_forever = asyncio.SelectorEventLoop.run_forever
        self._run_until = asyncio.SelectorEventLoop.run_until_complete
        asyncio.SelectorEventLoop.run_forever = _run_forever  # type: ignore[method-assign]
        asyncio.SelectorEventLoop.run_until_complete = _run_until  # type: ignore[method-assign]
        # In a run within another one these are that one's, which goes on.
        thread, pool = threading.Thread, ThreadPoolExecutor
        self._threads = (thread.start, thread.join, pool.submit, pool.shutdown)
        threading.Thread.start = _start  # type: ignore[method-assign]
        threading.Thread.join = _join  # type: ignore[method-assign]
        ThreadPoolExecutor.submit = _submit  # type: ignore[method-assign, assignment]
        ThreadPoolExecutor.shutdown = _shutdown  # type: ignore[method-assign, assignment]

    def __exit__(self, *_: object) -> None:
        """Put back what was there before."""
        thread, pool = threading.Thread, ThreadPoolExecutor
        thread.start, thread.join, pool.submit, pool.shutdown = self._threads  # type: ignore[method-assign]
        asyncio.SelectorEventLoop.run_forever = self._run_forever  # type: ignore[method-assign]
        asyncio.SelectorEventLoop.run_until_complete = self._run_until  # type: ignore[method-assign]
        _POLICY.new_event_loop = self._policy_loop
        for (names, name, _), before in zip(_NAMES, self._before, strict=True):
            names[name] = before
        asyncio.run = self._run


# ------------------------------------------------------------------------- event loops


def _no_loop_on_a_baton(main: object = None) -> None:
    baton = Baton.held()
    if baton is not None:
        if iscoroutine(main):
            main.close()  # else Python would warn that it was never awaited
        baton.refuse("an event loop of its own (as asyncio.run does)", LOOP)


def _new_event_loop() -> asyncio.AbstractEventLoop:
    _no_loop_on_a_baton()
    return _REAL_LOOP()


def _policy_loop(self: object) -> Any:  # noqa: ANN401 - whatever loop the policy makes
    """Make a loop by the policy, as the blocking entry points of frameworks do."""
    _no_loop_on_a_baton()
    return _REAL_POLICY_LOOP(self)


def _run_forever(self: asyncio.BaseEventLoop) -> None:
    """Run a loop, which may have been made by its class, or before the run."""
    _no_loop_on_a_baton()
    _REAL_RUN_FOREVER(self)


def _run_until(self: asyncio.BaseEventLoop, future: Any) -> Any:  # noqa: ANN401 - as theirs
    """The same until one thing is done."""
    _no_loop_on_a_baton(future)
    return _REAL_RUN_UNTIL(self, future)


def _run(main: Coroutine[Any, Any, T], **options: Any) -> T:
    _no_loop_on_a_baton(main)
    return _REAL_RUN(main, **options)


# ----------------------------------------------------------------------------- threads


def _start(self: threading.Thread) -> None:
    """Start a thread, which waits for its baton unless it is a daemon, as libraries' are."""
    loop = inside()
    if loop is None or loop.jobs is None or self.daemon or self.ident is not None:
        _start_for_real(self)
    else:
        loop.jobs.adopt(self, partial(_start_for_real, self))


def _start_for_real(self: threading.Thread) -> None:
    before, HERE.is_starting = HERE.is_starting, True
    try:
        REAL_START(self)
    finally:
        HERE.is_starting = before


def _join(self: threading.Thread, timeout: float | None = None) -> None:
    """Wait for a thread; for one of the run, in virtual time."""
    loop = inside()
    jobs = None if loop is None else loop.jobs
    driver = None if jobs is None else jobs.driver_of(self)
    baton = HERE.baton
    if loop is None or driver is None or self is threading.current_thread():
        REAL_JOIN(self, timeout)
    elif timeout is not None and not timeout <= threading.TIMEOUT_MAX:
        raise wrong_timeout(timeout)
    elif baton is not None:
        limit_s = None if timeout is None else max(timeout, 0)
        baton.wait_for(lambda: asyncio.wait([driver], timeout=limit_s))
    else:
        _block(loop, f"the end of the thread {plain_name(self)}", timeout)


def _block(loop: SimLoop, what: str, timeout: float | None) -> None:
    """Wait in vain on the loop's thread: so long, or for ever, which is refused."""
    if timeout is None:
        loop.refuse(what, BLOCKING)
    looking(what)
    loop.stand_still(max(timeout, 0), what)


# ------------------------------------------------------------------------------- pools


def _submit(
    self: ThreadPoolExecutor, fn: Callable[..., T], /, *args: Any, **kwargs: Any
) -> Future[T]:
    """Give a function to a thread of the run, in place of one of the pool's own."""
    loop = inside()
    pool: Any = self
    if loop is None or loop.jobs is None:
        return _REAL_SUBMIT(self, fn, *args, **kwargs)
    if pool._broken:  # noqa: SLF001 - nothing public tells it
        raise BrokenThreadPool(pool._broken)  # noqa: SLF001
    if pool._shutdown:  # noqa: SLF001
        raise RuntimeError("cannot schedule new futures after shutdown")
    future: Future[T] = Future()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - who waits for it takes it
            future.set_exception(error)

    def report(_: object, error: BaseException | None) -> None:
        if error is not None and not future.done():
            future.set_exception(error)  # it did not come to `work`

    name = function_name(partial(fn, *args))
    loop.jobs.start(Job(work, name, report, future.cancel), self)
    return future


def _shutdown(
    self: ThreadPoolExecutor,
    wait: bool = True,  # noqa: FBT001, FBT002 - as there
    *,
    cancel_futures: bool = False,
) -> None:
    """Take no more, and wait for what the run's threads do for the pool."""
    _REAL_SHUTDOWN(self, wait=False, cancel_futures=cancel_futures)
    loop = inside()
    pool = None if loop is None or loop.jobs is None else loop.jobs.pool_of(self)
    if pool is None:
        _REAL_SHUTDOWN(self, wait=wait)
        return
    if cancel_futures:
        pool.cancel_waiting()
    if not wait or not pool.is_busy:
        return
    baton = HERE.baton
    if baton is None:
        assert loop is not None
        _block(loop, "the end of a pool of threads", None)
    else:
        baton.wait_for(pool.idle)


# ------------------------------------------------------------------- what has its place


_NAMES: tuple[tuple[dict[str, Any], str, Any], ...] = (
    # What `Condition.wait` waits on, and thereby events, queues, barriers and futures.
    (_THREADING, "_allocate_lock", SimLock),
    (_THREADING, "Lock", SimLock),
    # Without its lock of C, `RLock` is made of `_allocate_lock`.
    (_THREADING, "_CRLock", None),
    (_QUEUE, "SimpleQueue", _QUEUE["_PySimpleQueue"]),
    (vars(asyncio), "new_event_loop", _new_event_loop),
    (vars(events), "new_event_loop", _new_event_loop),
    (_THREADING, "_time", _monotonic),
    (_QUEUE, "time", _monotonic),
)
"""Names of the standard library's modules, and what is there while a life runs."""
