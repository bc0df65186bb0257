"""The event loop of a simulation: asyncio's order, virtual time, nothing outside.

Ready callbacks run first in, first out, exactly as in a stock loop; the clock moves
only when the engine moves it. There is no selector, no self-pipe and no thread. The
time is exact to the nanosecond for about three weeks; later, deadlines given as seconds
since the start are as exact as a float is.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections import deque
from collections.abc import (
    AsyncGenerator,
    Callable,
    Coroutine,
    Generator,
    Iterator,
    Sequence,
)
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import Context
from functools import partial
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, TypeVarTuple, cast

from agentsim.core import UsageError
from agentsim.engine.asyncio_shim import (
    EAGER_FACTORY,
    SimFuture,
    SimTask,
    base_attributes,
    nobody_asked,
    ready_handle,
    timer_handle,
)
from agentsim.engine.refusals import BLOCKING, REFUSED_METHODS, Refused, refusal
from agentsim.engine.seals.asked import asked_of_loop
from agentsim.engine.seals.callers import suspended
from agentsim.engine.seals.epoch import NEVER_NS, NEVER_S, SECOND_NS
from agentsim.engine.threads.held import HERE
from agentsim.engine.threads.outcomes import Job, function_name, settle
from agentsim.engine.threads.outside import Outside

if TYPE_CHECKING:
    from agentsim.engine.threads.jobs import Jobs

__all__ = ["SimLoop"]

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")
_Factory = Callable[..., asyncio.Future[Any]]

_CANCELLED_TIMERS_MAX = 64
_REFUSALS_MAX = 3


class SimLoop(Outside, asyncio.BaseEventLoop):
    """One life's loop. The engine drives it; agents see an ordinary asyncio loop.

    Attributes:
        life: The number of its life in the run, from 1.
        now_ns: Virtual nanoseconds since the run began.
        ready: Handles to run, in order.
        timers: Heap of due time, order of creation, handle.
        halted: Whether the loop must stop before the next handle.
        failure: Why it was halted for good, or None.
        stuck: Whether it was halted in a callback that did not come to its end.
        moved: Called after each jump of the clock, or None.
        dead: Whether its life is over: it then reports nothing any more.
        unhandled: What went wrong in callbacks and in tasks that nobody asked.
        looks: How often the time was asked for since anything happened.
        refusals: How often something was refused.
        jobs: The threads of this life; None where there is nobody to open gates.
    """

    _debug: bool

    # How each begins is said once for all of them: a loop is made for every life.
    halted = stuck = dead = False
    failure: BaseException | None = None
    moved: Callable[[], None] | None = None
    jobs: Jobs | None = None
    looks = refusals = 0
    _factory: _Factory | None = None
    _tasks_max = 64
    _last_task = _last_future = _last_scope = _last_timer = _last_generator = 0
    _cancelled_timers = 0

    def __init__(self, now_ns: int = 0, life: int = 1) -> None:
        self.life = life
        self.now_ns = now_ns
        self.ready: deque[asyncio.Handle] = deque()
        self.timers: list[tuple[int, int, asyncio.TimerHandle]] = []
        self.unhandled: list[str] = []
        self._seconds = now_ns / SECOND_NS
        self._thread = threading.get_ident()
        self.idents = {self._thread}
        self._asked_for: set[int] = set()
        Outside.__init__(self)
        self._tasks: list[asyncio.Future[Any]] = []
        self._generators: dict[int, weakref.ref[AsyncGenerator[Any, Any]]] = {}
        self._closers: list[asyncio.Future[Any]] = []

    # ------------------------------------------------------------------------ time

    def time(self) -> float:
        """Virtual seconds since the run began."""
        return self._seconds

    def advance(self, now_ns: int) -> None:
        """Move the clock forward."""
        self.now_ns = now_ns
        self._seconds = now_ns / SECOND_NS
        if self.moved is not None:
            self.moved()

    def stand_still(self, seconds: float, what: str) -> None:
        """Move the clock for what blocks this loop's thread: nothing else happens then.

        Args:
            seconds: A number, 0 or more.
            what: What it waits for, where that would never come to its end.
        """
        now_ns = self.now_ns + (round(seconds * SECOND_NS) or seconds > 0)
        if now_ns >= NEVER_NS:
            self.refuse(f"{what}, up to the end of the calendar", BLOCKING)
        self.advance(now_ns)

    def next_timer_ns(self) -> int | None:
        """When the next timer is due, or None when there is none."""
        timers = self.timers
        if self._cancelled_timers:
            while timers and timers[0][2].cancelled():
                heappop(timers)
                self._cancelled_timers -= 1
        return timers[0][0] if timers else None

    def release_due(self) -> None:
        """Make the timers ready that are due now, in order of creation."""
        timers = self.timers
        while timers and timers[0][0] <= self.now_ns:
            handle = heappop(timers)[2]
            if handle.cancelled():
                self._cancelled_timers -= 1
                continue
            # A deadline may lie a fraction of a nanosecond off: who compares it with
            # the clock when it fires must find it past.
            self._seconds = max(self._seconds, handle.when())
            self.ready.append(handle)

    def call_at(
        self,
        when: float,
        callback: Callable[[*_Ts], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call at a time on this loop's clock; never, if that is too far away.

        Raises:
            ValueError: The time is no number.
        """
        if -NEVER_S < when < NEVER_S:
            handle = timer_handle(when, callback, args, loop=self, context=context)
            self._push(round(when * SECOND_NS), handle)
            return handle
        if when != when:  # noqa: PLR0124 - a whole number may be too long for `isnan`
            raise ValueError(
                "expected a time in seconds, got nan: when that comes would hang on what "
                "else waits"
            )
        handle = timer_handle(when, callback, args, loop=self, context=context)
        if when < 0:
            self._push(-NEVER_NS, handle)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[*_Ts], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call after so many virtual seconds; never, if they are too many.

        Raises:
            ValueError: The delay is no number.
        """
        if not -NEVER_S < delay < NEVER_S:
            when = self._seconds + delay
            return self.call_at(when, callback, *args, context=context)
        # Who waits for what is left of a time finds it past: however little, it is time.
        due_ns = self.now_ns + (round(delay * SECOND_NS) or delay > 0)
        when = due_ns / SECOND_NS
        handle = timer_handle(when, callback, args, loop=self, context=context)
        self._push(due_ns, handle)
        return handle

    def _push(self, due_ns: int, handle: asyncio.TimerHandle) -> None:
        if due_ns >= NEVER_NS:
            return
        self._last_timer += 1
        heappush(self.timers, (due_ns, self._last_timer, handle))

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:  # noqa: ARG002
        """Drop cancelled timers when they are many (a deadline per request leaves one)."""
        self._cancelled_timers += 1
        if self._cancelled_timers > max(_CANCELLED_TIMERS_MAX, len(self.timers) // 2):
            # In place: the loop is being driven over this very list.
            self.timers[:] = [
                entry for entry in self.timers if not entry[2].cancelled()
            ]
            heapify(self.timers)
            self._cancelled_timers = 0

    # ------------------------------------------------------------------- callbacks

    def call_soon(
        self,
        callback: Callable[[*_Ts], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Call as soon as all that is ready before has run."""
        make = asyncio.Handle if self._debug else ready_handle
        handle = make(callback, args, self, context)
        self.ready.append(handle)
        return handle

    def call_soon_threadsafe(
        self,
        callback: Callable[[*_Ts], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Call soon; only the simulation's own threads may ask."""
        if not self.is_on_its_thread and HERE.baton is None:
            self.refuse("call_soon_threadsafe from another thread", "threads")
        if HERE.baton is None:
            return self.call_soon(callback, *args, context=context)
        return self.call_soon(self._ask_for, callback, args, context=context)

    def _ask_for(self, callback: Callable[..., object], args: tuple[Any, ...]) -> None:
        """Call what a thread wants called; the tasks that this makes are the thread's."""
        last = self._last_task
        callback(*args)
        self._asked_for.update(range(last + 1, self._last_task + 1))

    def asked_for(self, task: asyncio.Future[Any]) -> bool:
        """Whether a thread waits for a task, as `run_coroutine_threadsafe` lets it."""
        return getattr(task, "_number", 0) in self._asked_for

    @property
    def is_on_its_thread(self) -> bool:
        """Whether the thread at hand is the one that drives this loop."""
        return threading.get_ident() == self._thread

    def is_running(self) -> bool:
        """Whether this loop runs right now."""
        try:
            return asyncio.get_running_loop() is self
        except RuntimeError:
            return False

    # ------------------------------------------------------------ tasks and futures

    def create_future(self) -> asyncio.Future[Any]:
        """Make a future that hashes by order, not by address."""
        return SimFuture(loop=self)

    def create_task(
        self,
        coro: Generator[Any, None, _T] | Coroutine[Any, Any, _T],
        *,
        name: object = None,
        context: Context | None = None,
        **options: Any,
    ) -> asyncio.Task[_T]:
        """Make a task that hashes, and is named, by order of creation."""
        factory = self._factory
        task: Any
        if factory is None or factory is EAGER_FACTORY:
            if factory is not None:
                options["eager_start"] = True
            task = SimTask(coro, loop=self, name=name, context=context, **options)
        else:
            if context is not None:
                options["context"] = context
            task = factory(self, coro, **options)
            if name is not None:
                task.set_name(name)
        self._tasks.append(task)
        if len(self._tasks) > self._tasks_max:
            self._forget_done()
        return cast("asyncio.Task[_T]", task)

    def set_task_factory(self, factory: _Factory | None) -> None:
        """Take another factory; what it makes must order itself."""
        if factory is not None and not callable(factory):
            raise TypeError("task factory must be a callable or None")
        self._factory = factory

    def get_task_factory(self) -> _Factory | None:
        """Return the factory in use, or None."""
        return self._factory

    def alive_tasks(self) -> list[asyncio.Future[Any]]:
        """The tasks that are not done, in order of creation."""
        return [task for task in self._tasks if not task.done()]

    def closers(self) -> list[asyncio.Future[Any]]:
        """The tasks that close dropped generators: no task of the agent's making."""
        return self._closers

    def alive_jobs(self) -> Sequence[asyncio.Task[None]]:
        """The tasks that drive threads, in order of creation; they are no agent's."""
        return [] if self.jobs is None else self.jobs.alive()

    def number_task(self) -> int:
        """Draw the next task's number."""
        self._last_task += 1
        return self._last_task

    def number_future(self) -> int:
        """Draw the number of a future that is hashed for the first time."""
        self._last_future += 1
        return self._last_future

    def number_scope(self) -> int:
        """Draw the number of a cancel scope that is hashed for the first time."""
        self._last_scope += 1
        return self._last_scope

    def _forget_done(self) -> None:
        """Keep the list of tasks short, at a constant cost per task."""
        self.report_unasked()
        self._tasks = self.alive_tasks()
        self._tasks_max = max(64, 2 * len(self._tasks))

    # ------------------------------------------------------------- what went wrong

    def report_unasked(self) -> None:
        """Note the tasks whose exceptions nobody took, in order of creation."""
        for task in self._tasks:
            if task.done() and nobody_asked(task):
                error = None if task.cancelled() else task.exception()
                name = task.get_name() if isinstance(task, asyncio.Task) else "a task"
                self.unhandled.append(
                    f"{name} failed with {type(error).__name__}, and nothing awaited it"
                )

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Hand an unhandled error to the agent's handler, or note it; dead loops don't."""
        if not self.dead:
            super().call_exception_handler(context)

    def callback_failed(self, handle: asyncio.Handle, error: BaseException) -> None:
        """Report what a callback raised, as a stock loop's handles do."""
        message = "Exception in callback"
        self.call_exception_handler(
            {"message": message, "exception": error, "handle": handle}
        )

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Note the error; printing it would come at a random time."""
        error = context.get("exception")
        kind = "an error" if error is None else type(error).__name__
        self.unhandled.append(f"{kind} in a callback of the event loop")

    def refuse(self, what: str, kind: str) -> NoReturn:
        """Fail the run: something was asked for that a simulation does not have."""
        text = refusal(what, kind, map(suspended, self.alive_tasks()))
        self.halt(UsageError(text))
        self.refusals += 1
        raise Refused(text)

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*_Ts], _T], *args: *_Ts
    ) -> asyncio.Future[_T]:
        """Run a function on a thread that goes on only while this loop waits for it."""
        assert self.jobs is not None
        executor = executor or self.jobs.default
        if executor is not None:
            return asyncio.wrap_future(executor.submit(func, *args), loop=self)
        future = self.create_future()
        call = partial(func, *args) if args else func
        job = Job(call, function_name(func), partial(settle, future))
        self.jobs.start(job)
        return future

    def set_default_executor(self, executor: Executor) -> None:
        """Take a pool whose bounds and initializer count from now on."""
        if not isinstance(executor, ThreadPoolExecutor):
            raise TypeError("executor must be ThreadPoolExecutor instance")
        assert self.jobs is not None
        self.jobs.default = executor

    def halt(self, failure: BaseException) -> None:
        """End the run with a failure, whatever the agent makes of it; the first wins."""
        self.halted = True
        if self.failure is None:
            self.failure = failure

    # ------------------------------------------------------------ async generators

    def generator_started(self, generator: AsyncGenerator[Any, Any]) -> None:
        """Keep track of a generator, in order of first iteration."""
        self._last_generator = number = self._last_generator + 1
        gone = self._generators.pop

        def forget(_: object) -> None:
            gone(number, None)

        self._generators[number] = weakref.ref(generator, forget)

    def generator_dropped(self, generator: AsyncGenerator[Any, Any]) -> None:
        """Close a generator that nobody holds any more, as a stock loop does."""
        if not self._closed:
            self.call_soon(self._close, generator.aclose())

    def _close(self, closing: Coroutine[Any, Any, None]) -> None:
        self._closers.append(self.create_task(closing))

    def open_generators(self) -> Iterator[AsyncGenerator[Any, Any]]:
        """Yield the generators that have not ended, in order of first iteration."""
        if not self._generators:
            return
        for reference in list(self._generators.values()):
            generator = reference()
            # One that ended has no frame, though an error may hold it for long; one that
            # is compiled elsewhere does not say.
            if getattr(generator, "ag_frame", generator) is not None:
                yield cast("AsyncGenerator[Any, Any]", generator)

    async def shutdown_asyncgens(self) -> None:
        """Close all generators, in order of first iteration."""
        for generator in self.open_generators():
            await generator.aclose()

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Nothing to shut down: a simulation has no executor."""

    # ---------------------------------------------------------------------- the end

    def let_go(self) -> bool:
        """End the life of a loop in which nothing is alive; False if something is."""
        self.dead = True
        if self.jobs is not None:
            self.jobs.end()
        if self.alive_jobs() or self.alive_tasks():
            return False
        if next(self.open_generators(), None) is not None:
            return False
        for kept in (self.ready, self.timers, self._tasks, self._closers):
            kept.clear()
        self.jobs = None  # it holds the life, and that the loop: no more such rings
        self._closed = True
        return True

    def __del__(self, *_: object) -> None:
        """Say nothing: the engine ends its loops."""


def _refuser(name: str, kind: str) -> Callable[..., asyncio.Future[Any]]:
    def refuse(self: SimLoop, *args: object, **named: object) -> asyncio.Future[Any]:
        if self.refusals < _REFUSALS_MAX:
            self.refuse(asked_of_loop(name, args, named), kind)
        return self.create_future()  # who awaits on and on hands the thread back

    refuse.__name__ = name
    refuse.__doc__ = f"Refuse: {kind} are not a part of simulations."
    return refuse


for _name, _kind in REFUSED_METHODS.items():
    setattr(SimLoop, _name, _refuser(_name, _kind))

# Its base class is not asked to construct it: what that would set is set here.
for _name, _value in base_attributes().items():
    setattr(SimLoop, _name, _value)
