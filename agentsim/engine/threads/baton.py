"""A function on a thread of its own, which runs only while the event loop waits for it.

The two hand one baton to and fro, so that exactly one of them goes on at any time, and
a synchronous agent is as repeatable as an async one. What the function waits for is
awaited by the task that drives it: order, cancellation, crash and the fence around the
dead are those of that task, and need no second set of rules.
"""

from __future__ import annotations

import asyncio
import contextlib
from _thread import LockType, allocate_lock
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from functools import partial
from typing import Any, NoReturn, TypeVar, cast

from agentsim.core import HeldForEver
from agentsim.engine.gates import Fenced
from agentsim.engine.loop import SimLoop
from agentsim.engine.threads.held import HERE
from agentsim.engine.threads.stacks import is_debugged, where_is
from agentsim.engine.threads.workers import Adopted, Worker

__all__ = ["Baton"]

T = TypeVar("T")

PATIENCE_S = 30.0
"""Real seconds that a thread may go on without handing over: an emergency brake."""

FENCED_MAX = 3
"""How often a thread whose driver is gone is told so, before it is parked for ever."""

REFUSALS_MAX = 3
"""How often a thread is refused the same, before it is parked until the run ends."""


class Baton:
    """Runs one function on one thread, a fresh one unless it is given one.

    Args:
        function: Called without arguments; on a fresh thread in a copy of the driver's
            context.
        name: Names the thread, and the function where it is told who waits for what.
        worker: A thread that has nothing to do, and takes up again afterwards; None
            for a fresh one, so that no state leaks.
    """

    __slots__ = (
        "_abandoned",
        "_asked",
        "_back",
        "_error",
        "_fenced",
        "_function",
        "_go",
        "_is_fresh",
        "_name",
        "_refusals",
        "_value",
        "_worker",
        "has_begun",
        "loop",
    )

    def __init__(
        self,
        function: Callable[[], object],
        *,
        name: str,
        worker: Worker | Adopted | None = None,
    ) -> None:
        self._function = function
        self._name = name
        self._worker = worker
        self._is_fresh = worker is None
        self._go = allocate_lock()
        self._back = allocate_lock()
        self._go.acquire()
        self._back.acquire()
        self._asked: Callable[[], Awaitable[Any]] | None = None
        self._value: object = None
        self._error: BaseException | None = None
        self._abandoned = self.has_begun = False
        self._fenced = self._refusals = 0
        self.loop: SimLoop

    @staticmethod
    def held() -> Baton | None:
        """The baton of the thread at hand, or None on every other thread."""
        return HERE.baton

    @property
    def ident(self) -> int | None:
        """That of its thread, or None before there is one."""
        return None if self._worker is None else self._worker.thread.ident

    # ----------------------------------------------------------- on the loop's thread

    async def drive(self) -> object:
        """Run the function to its end, and await what it waits for on the way.

        Returns:
            What the function returned; what it raised is raised.

        Raises:
            HeldForEver: when the thread does not hand over for half a real minute, or
                too many threads of dead agents are left.
        """
        value, error = await self.outcome()
        if error is not None:
            try:
                raise error
            finally:
                del error  # a cycle through this frame would outlive the run
        return value

    async def outcome(self) -> tuple[object, BaseException | None]:
        """Run the function as `drive` does; return also what it raised.

        Raises:
            HeldForEver: as `drive`.
        """
        self.loop = cast("SimLoop", asyncio.get_running_loop())
        self.has_begun = True
        try:
            worker = self._start()
            self._resume(worker)
            while self._asked is not None:
                await self._answer(self._asked)
                self._resume(worker)
        except BaseException:
            self.abandon()
            raise
        if isinstance(worker, Worker) and self._is_fresh:
            worker.end()
        value, self._value = self._value, None
        error, self._error = self._error, None
        return value, error

    async def _answer(self, asked: Callable[[], Awaitable[Any]]) -> None:
        """Await what the thread waits for, and keep what came of it."""
        try:
            if self.loop.halted:
                # The run is over, whatever the agent makes of the error that ended it.
                await self.loop.create_future()
            self._value = await asked()
        except (GeneratorExit, KeyboardInterrupt):
            raise  # Ctrl-C is for who explores, and no agent may swallow it
        except asyncio.CancelledError as error:
            # Nobody cancels the driver of a job but who buries it.
            buried = self.loop.dead and not self._is_fresh
            self._error = Fenced() if buried else error
        except BaseException as error:  # noqa: BLE001 - it is the thread that takes it
            self._error = error

    def _start(self) -> Worker | Adopted:
        if self._worker is None:
            self._function = partial(copy_context().run, self._function)
            self._worker = Worker(self._name, self.loop, wanted_by=self._name)
        self._worker.run(self.run)
        return self._worker

    def _resume(self, worker: Worker | Adopted) -> None:
        """Let the thread go on until it waits for something, or ends."""
        self._go.release()
        while not self._back.acquire(timeout=PATIENCE_S):
            if is_debugged(worker.thread.ident):
                continue
            error = HeldForEver(
                f"{self._name} has held its thread for {PATIENCE_S:g} real seconds "
                f"without waiting for its environment: it is in "
                f"{where_is(worker.thread.ident)}; a simulation goes on only when an agent "
                "waits for the model, a tool or a person, or ends; if it waits for a lock "
                "that was made before the run, let the agent make it"
            )
            self.loop.halt(error)
            raise error

    def abandon(self) -> None:
        """Leave the thread to itself: it is fenced from now on."""
        self._abandoned = True
        _open(self._go)
        if self._worker is not None:
            self._worker.leave()

    # ------------------------------------------------------------------ on the thread

    def wait_for(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Hand over until the loop has awaited what `ask` gives, and return it.

        Raises:
            CancelledError: The run was cancelled meanwhile.
            Fenced: The incarnation is dead.
        """
        self._check_fence()
        self._asked = ask
        _open(self._back)
        self._go.acquire()
        self._check_fence()
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error
        value, self._value = self._value, None
        return cast("T", value)

    def refuse(self, what: str, kind: str) -> NoReturn:
        """Fail the run, as `SimLoop.refuse`; park a thread that goes on asking."""
        self._refusals += 1
        if self._refusals > REFUSALS_MAX:
            self.wait_for(self.loop.create_future)
        self.loop.refuse(what, kind)

    def run(self) -> None:
        """Run the function, on its thread, from the first time on that it may."""
        HERE.baton = self
        self._go.acquire()
        try:
            self._check_fence()
            self._value = self._function()
        except BaseException as error:  # noqa: BLE001 - the driver raises it
            self._error = error
        self._asked = None
        HERE.baton = None
        _open(self._back)

    def _check_fence(self) -> None:
        if not self._abandoned:
            return
        self._fenced += 1
        if self._fenced <= FENCED_MAX:
            raise Fenced
        for_ever = allocate_lock()
        for_ever.acquire()
        for_ever.acquire()


def _open(lock: LockType) -> None:
    """Open a lock, which is open already where Ctrl-C broke in upon a handover."""
    with contextlib.suppress(RuntimeError):
        lock.release()
