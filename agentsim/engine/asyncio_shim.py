"""All that leans on the inside of asyncio and anyio; `self_test` tries it out.

Sets of tasks, futures, coroutines and cancel scopes are ordered by memory address in
both libraries, and both iterate them; here these things are numbered in order of
creation instead. The replacements are in place only while a simulated loop runs.
Futures made by hand (`asyncio.Future()`) keep their address as hash, and anyio is not
looked after in the very life in which it is imported first.
"""

# ruff: noqa: SLF001 - private members are what this one file is for

from __future__ import annotations

import asyncio
import builtins
import sys
from asyncio import tasks as asyncio_tasks
from collections.abc import (
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    MutableSet,
)
from contextvars import Context, copy_context
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from agentsim.engine.threads.outcomes import Job, function_name

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

EAGER_FACTORY: object = getattr(asyncio, "eager_task_factory", None)
"""Python 3.12's factory of tasks that start at once, or None on 3.11."""

_GATHERING = "_GatheringFuture"
_BACKEND = "anyio._backends._asyncio"

_NAMES: dict[str, Any] = vars(asyncio_tasks)

_TASKS = "_scheduled_tasks" if sys.version_info >= (3, 12) else "_all_tasks"


class SimFuture(asyncio.Future[Any]):
    """A future that hashes by the order in which futures were first hashed."""

    __slots__ = ("_number",)
    _loop: SimLoop
    _number: int

    def __hash__(self) -> int:
        # Most futures are never hashed, so that the number is drawn late; the order
        # of first hashes is the order of the program.
        try:
            return self._number
        except AttributeError:
            self._number = self._loop.number_future()
            return self._number


class SimGathering(asyncio_tasks._GatheringFuture):  # type: ignore[name-defined, misc]
    """What `gather` gives, hashed as our futures are."""

    def __hash__(self) -> int:
        if not _is_ours(self.get_loop()):
            return int(super().__hash__())
        return SimFuture.__hash__(self)


class SimTask(asyncio.Task[Any]):
    """A task that hashes, and is named, by its order of creation in its loop."""

    def __init__(
        self,
        coro: Generator[Any, None, Any] | Coroutine[Any, Any, Any],
        *,
        loop: SimLoop,
        name: object = None,
        context: Context | None = None,
        **options: Any,
    ) -> None:
        # Before the base class, which hashes the task, and may run its first step.
        self._number = number = loop.number_task()
        name = f"Task-{number}" if name is None else str(name)
        super().__init__(coro, loop=loop, name=name, context=context, **options)

    def __hash__(self) -> int:
        return self._number


class JobTask(asyncio.Task[None]):
    """The task that drives a thread: the agent finds it in no list of tasks."""

    def __init__(
        self, coro: Coroutine[Any, Any, None], *, loop: SimLoop, number: int, name: str
    ) -> None:
        self._number = -number
        super().__init__(coro, loop=loop, name=name)

    def __hash__(self) -> int:
        return self._number


def base_attributes() -> dict[str, Any]:
    """What the base class sets at construction: it asks for the clock.

    Its queues are among it and shared by all loops: none is in use here.
    """
    base = asyncio.BaseEventLoop()
    attributes = dict(vars(base))
    base.close()
    return attributes


def run_ready(
    loop: SimLoop,
    budget: int,
    main: asyncio.Future[Any] | None = None,
    step: Callable[[], bool] | None = None,
) -> bool:
    """Run what is ready, in asyncio's own order, until nothing is.

    A batch is what was ready when it began; timers that came due join after it, as in
    a stock loop. Stops early when the loop is halted, and after the batch that
    finished `main`.

    Args:
        budget: How many handles may run, without a step in between.
        step: Makes more ready when nothing is; False when it can't.

    Returns:
        Whether the budget sufficed.
    """
    ready = loop.ready
    timers = loop.timers
    popleft = ready.popleft
    left = budget
    while True:
        if timers and timers[0][0] <= loop.now_ns:
            loop.release_due()
        count = len(ready)
        if not count:
            if step is None or not step():
                return True
            left = budget
            continue
        left -= count
        if left < 0:
            return False
        while count:
            count -= 1
            handle = popleft()
            if handle._cancelled:
                continue
            # What `handle._run()` does, without one more call per step.
            try:
                handle._context.run(handle._callback, *handle._args)  # type: ignore[attr-defined]
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as error:  # noqa: BLE001 - as a stock loop
                loop.callback_failed(handle, error)
            if loop.halted:
                return True
        if main is not None and main.done():
            return True


def ready_handle(
    callback: Callable[..., object],
    args: tuple[Any, ...],
    loop: SimLoop,
    context: Context | None,
) -> asyncio.Handle:
    """Make a handle as its class does, without asking the loop whether it debugs.

    Each step of a task makes one, and a call of a class takes several of a function.
    """
    handle: Any = _new(asyncio.Handle)
    handle._context = copy_context() if context is None else context
    handle._loop = loop
    handle._callback = callback
    handle._args = args
    handle._cancelled = False
    handle._repr = handle._source_traceback = None
    return cast("asyncio.Handle", handle)


_new = object.__new__


def timer_handle(
    when: float,
    callback: Callable[..., object],
    args: tuple[Any, ...],
    *,
    loop: SimLoop,
    context: Context | None,
) -> asyncio.TimerHandle:
    """Make a handle that tells the loop when it is cancelled."""
    handle = asyncio.TimerHandle(when, callback, args, loop, context)
    handle._scheduled = True  # type: ignore[attr-defined]
    return handle


def nobody_asked(future: asyncio.Future[Any]) -> bool:
    """Whether a future failed and nothing took its exception; asks only once."""
    asked = not getattr(future, "_log_traceback", False)
    if not asked:
        future._log_traceback = False
    return not asked


def waited_for(task: asyncio.Task[Any]) -> object:
    """What a suspended task waits for: a future, another task, or None."""
    return getattr(task, "_fut_waiter", None)


def forget_task(task: asyncio.Task[Any]) -> None:
    """Take a task that never ends off asyncio's books, and silence its last word."""
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    asyncio_tasks._unregister_task(task)


class Installed:
    """While entered, a loop is the running one and all replacements are in place."""

    __slots__ = ("_anyio", "_before", "_gathering", "_hooks", "_loop", "_set", "_tasks")

    def __init__(self, loop: SimLoop) -> None:
        self._loop = loop

    def __enter__(self) -> None:
        """Put everything in place, keeping what was there before."""
        loop = self._loop
        self._before = asyncio._get_running_loop()
        self._hooks = sys.get_asyncgen_hooks()
        self._set = _NAMES.get("set", builtins.set)
        self._tasks = _NAMES[_TASKS]
        self._gathering = _NAMES[_GATHERING]
        _NAMES["set"] = _ordered
        _NAMES[_GATHERING] = SimGathering
        _NAMES[_TASKS] = _Tasks(loop, self._tasks)
        # Where anyio is loaded, its backend may not be: it comes with its first use.
        backend = import_module(_BACKEND) if "anyio" in sys.modules else None
        self._anyio = None if backend is None else _replace_in_anyio(backend)
        asyncio._set_running_loop(loop)
        sys.set_asyncgen_hooks(loop.generator_started, loop.generator_dropped)

    def __exit__(self, *_: object) -> None:
        """Put back what was there before."""
        sys.set_asyncgen_hooks(*self._hooks)
        asyncio._set_running_loop(self._before)
        if self._anyio is not None:
            self._anyio()
        _NAMES[_TASKS] = self._tasks
        _NAMES["set"] = self._set
        _NAMES[_GATHERING] = self._gathering


def _ordered(items: Iterable[object] = ()) -> set[object] | tuple[object, ...]:
    """Stand in for `set` inside asyncio.tasks: `as_completed` and `wait` call it.

    Of coroutines it makes a tuple without repeats, in the order in which they came:
    both functions only walk through it. This way also `from asyncio import
    as_completed` is served.
    """
    if not items:
        return builtins.set()
    listed = list(items)
    if all(isinstance(item, asyncio.Future) for item in listed):
        return builtins.set(listed)
    return tuple(dict.fromkeys(listed))


class _Tasks:
    """Stands in for asyncio's set of tasks: those of the loop, in order of creation."""

    def __init__(self, loop: SimLoop, others: MutableSet[Any]) -> None:
        self._loop = loop
        self._others = others

    def __iter__(self) -> Iterator[asyncio.Future[Any]]:
        yield from self._loop.alive_tasks()
        yield from [task for task in self._others if task.get_loop() is not self._loop]

    def add(self, task: object) -> None:
        self._others.add(task)

    def discard(self, task: object) -> None:
        self._others.discard(task)


def _replace_in_anyio(backend: ModuleType) -> Callable[[], None]:
    """Put our classes into anyio's asyncio backend; the result puts its own back."""
    names = vars(backend)
    before = names["CancelScope"], names["WorkerThread"]
    names["CancelScope"], names["WorkerThread"] = _anyio_classes(backend)

    def restore() -> None:
        names["CancelScope"], names["WorkerThread"] = before

    return restore


@cache
def _anyio_classes(backend: ModuleType) -> tuple[type, type]:
    """Make a cancel scope that hashes by creation, and a worker whose jobs are ours."""
    original = backend.CancelScope

    class CancelScope(original):  # type: ignore[misc, valid-type]
        __slots__ = ("_number",)

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            loop = _running()
            ours = _is_ours(loop)
            self._number = loop.number_scope() if ours else super().__hash__()
            super().__init__(*args, **kwargs)

        def __hash__(self) -> int:
            return self._number

    return CancelScope, _anyio_worker(backend)


def _anyio_worker(backend: ModuleType) -> type:
    """Make a class that does what anyio's worker threads do, on threads of the engine."""
    original = backend.WorkerThread

    class WorkerThread:
        MAX_IDLE_TIME = original.MAX_IDLE_TIME
        stop = original.stop
        _report_result = original._report_result

        def __new__(cls, *args: Any) -> Any:  # noqa: ANN401 - anyio's own, elsewhere
            ours = _is_ours(_running())
            return super().__new__(cls) if ours else original(*args)

        def __init__(
            self, root_task: object, workers: object, idle_workers: object
        ) -> None:
            self.loop = _running()
            self.root_task = root_task
            self.workers = workers
            self.idle_workers = idle_workers
            self.idle_since = self.loop.time()
            self.stopping = False
            self.queue = self  # of which anyio uses one method: `put_nowait`

        def start(self) -> None:
            """Nothing: a thread is there when there is something to do."""

        def put_nowait(self, item: tuple[Any, ...] | None) -> None:
            if item is None:
                return
            context, function, args, future, scope = item

            def work() -> object:
                if future.cancelled():
                    return None
                with backend.claim_worker_thread(backend.AsyncIOBackend, self.loop):
                    backend.threadlocals.current_cancel_scope = scope
                    try:
                        return context.run(function, *args)
                    finally:
                        del backend.threadlocals.current_cancel_scope

            jobs = self.loop.jobs
            assert jobs is not None
            report = partial(self._report_result, future)
            jobs.start(Job(work, function_name(function), report), original.__name__)

    return WorkerThread


def _is_ours(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether a loop is a run's; a library's thread may run another one meanwhile."""
    return hasattr(loop, "number_scope")


def _running() -> SimLoop:
    return cast("SimLoop", asyncio.get_running_loop())
