"""All that leans on the inside of asyncio and anyio; `self_test` tries it out.

Sets of tasks, futures, coroutines and cancel scopes are ordered by memory address in
both libraries, and both iterate them; here these things are numbered in order of
creation instead. The replacements are in place only while a simulated loop runs.
Futures made without a loop's `create_future` keep their address as hash.
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
from contextlib import contextmanager
from contextvars import Context
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

EAGER_FACTORY: object = getattr(asyncio, "eager_task_factory", None)
"""Python 3.12's factory of tasks that start at once, or None on 3.11."""

_SET_OF_TASKS = "_scheduled_tasks" if sys.version_info >= (3, 12) else "_all_tasks"


class SimFuture(asyncio.Future[Any]):
    """A future that hashes by the order in which futures were first hashed."""

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


def run_ready(loop: SimLoop, budget: int, main: asyncio.Future[Any] | None) -> int:
    """Run what is ready, in asyncio's own order, until nothing is.

    A batch is what was ready when it began; timers that came due join after it, as in
    a stock loop. Stops early when the loop is halted, or after the batch that finished
    `main`.

    Returns:
        What is left of the budget of handles, -1 when it did not suffice.
    """
    ready = loop.ready
    timers = loop.timers
    popleft = ready.popleft
    while True:
        if timers and timers[0][0] <= loop.now_ns:
            loop.release_due()
        count = len(ready)
        if not count:
            return budget
        budget -= count
        if budget < 0:
            return -1
        for _ in range(count):
            handle = popleft()
            if not handle._cancelled:
                handle._run()
                if loop.halted:
                    return budget
        if main is not None and main.done():
            return budget


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


@contextmanager
def installed(loop: SimLoop) -> Generator[None]:
    """Make the loop the running one, with all replacements in place, for a while."""
    before = asyncio._get_running_loop()
    hooks = sys.get_asyncgen_hooks()
    undo = _install(loop)
    asyncio._set_running_loop(loop)
    sys.set_asyncgen_hooks(loop.generator_started, loop.generator_dropped)
    try:
        yield
    finally:
        sys.set_asyncgen_hooks(*hooks)
        asyncio._set_running_loop(before)
        for restore in undo:
            restore()


def _install(loop: SimLoop) -> list[Callable[[], None]]:
    module = vars(asyncio_tasks)
    undo = [_replace(module, "set", _ordered)]
    undo.append(_replace(module, _SET_OF_TASKS, _Tasks(loop, module[_SET_OF_TASKS])))
    anyio = sys.modules.get("anyio._backends._asyncio")
    if anyio is not None:
        names = vars(anyio)
        scope, worker = _anyio_replacements(anyio)
        undo.append(_replace(names, "CancelScope", scope))
        undo.append(_replace(names, "WorkerThread", worker))
    return undo


_NOTHING = object()


def _replace(names: dict[str, Any], name: str, value: object) -> Callable[[], None]:
    """Set a module's name; the returned function sets it back."""
    before = names.get(name, _NOTHING)
    names[name] = value

    def restore() -> None:
        if before is _NOTHING:
            del names[name]
        else:
            names[name] = before

    return restore


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


@cache
def _anyio_replacements(backend: ModuleType) -> tuple[type, type]:
    """Make anyio's cancel scope hash by creation, and its worker threads refuse."""
    original = backend.CancelScope

    class CancelScope(original):  # type: ignore[misc, valid-type]
        __slots__ = ("_number",)
        _number: int

        def __hash__(self) -> int:
            try:
                return self._number
            except AttributeError:
                self._number = _running().number_scope()
                return self._number

    class WorkerThread:
        def __init__(self, *_: object) -> None:
            _running().refuse("a worker thread of anyio", "threads")

    return CancelScope, WorkerThread


def _running() -> SimLoop:
    return cast("SimLoop", asyncio.get_running_loop())
