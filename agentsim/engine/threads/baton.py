"""A function on a thread of its own, which runs only while the event loop waits for it.

The two hand one baton to and fro, so that exactly one of them goes on at any time, and
a synchronous agent is as repeatable as an async one. What the function waits for is
awaited by the task that drives it: order, cancellation, crash and the fence around the
dead are those of that task, and need no second set of rules.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import Any, NoReturn, TypeVar, cast

from agentsim.core import UsageError
from agentsim.engine.gates import Fenced
from agentsim.engine.loop import SimLoop
from agentsim.engine.threads.stacks import is_debugged, where_is

__all__ = ["Baton"]

T = TypeVar("T")

PATIENCE_S = 30.0
"""Real seconds that a thread may go on without handing over: an emergency brake."""

FENCED_MAX = 3
"""How often a thread whose driver is gone is told so, before it is parked for ever."""

REFUSALS_MAX = 3
"""How often a thread is refused the same, before it is parked until the run ends."""

THREADS_MAX = 100
"""Threads of dead agents that may be parked in this process."""

_STARTED: list[threading.Thread] = []
_HELD = threading.local()


class Baton:
    """Runs one function on one thread, a fresh one, so that no state leaks.

    Args:
        function: Called without arguments, in a copy of the driver's context.
        name: Names the thread, and the function where it is told who waits for what.
    """

    __slots__ = (
        "_abandoned",
        "_asked",
        "_back",
        "_error",
        "_fenced",
        "_function",
        "_go",
        "_loop",
        "_name",
        "_refusals",
        "_thread",
        "_value",
    )

    def __init__(self, function: Callable[[], object], *, name: str) -> None:
        self._function = function
        self._name = name
        self._go = threading.Lock()
        self._back = threading.Lock()
        self._go.acquire()
        self._back.acquire()
        self._asked: Callable[[], Awaitable[Any]] | None = None
        self._value: object = None
        self._error: BaseException | None = None
        self._abandoned = False
        self._fenced = self._refusals = 0
        self._loop: SimLoop
        self._thread: threading.Thread

    @staticmethod
    def held() -> Baton | None:
        """The baton of the thread at hand, or None on every other thread."""
        return getattr(_HELD, "baton", None)

    # ----------------------------------------------------------- on the loop's thread

    async def drive(self) -> object:
        """Run the function to its end, and await what it waits for on the way.

        Returns:
            What the function returned; what it raised is raised.

        Raises:
            UsageError: when the thread does not hand over for half a real minute, or
                too many threads of dead agents are left.
        """
        self._loop = cast("SimLoop", asyncio.get_running_loop())
        try:
            self._start()
            self._resume()
            while self._asked is not None:
                await self._answer(self._asked)
                self._resume()
        except BaseException:
            self._abandon()
            raise
        self._thread.join()
        _STARTED.remove(self._thread)
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # a cycle through this frame would outlive the run
        return self._value

    async def _answer(self, asked: Callable[[], Awaitable[Any]]) -> None:
        """Await what the thread waits for, and keep what came of it."""
        try:
            if self._loop.halted:
                # The run is over, whatever the agent makes of the error that ended it.
                await self._loop.create_future()
            self._value = await asked()
        except (GeneratorExit, KeyboardInterrupt):
            raise  # Ctrl-C is for who explores, and no agent may swallow it
        except BaseException as error:  # noqa: BLE001 - it is the thread that takes it
            self._error = error

    def _start(self) -> None:
        _STARTED[:] = [thread for thread in _STARTED if thread.is_alive()]
        if len(_STARTED) >= THREADS_MAX:
            raise UsageError(
                f"{len(_STARTED)} threads of dead agents wait for ever, the last ones "
                f"of {self._name}: it goes on after its death, since it catches "
                "BaseException (as `except:` does); let it catch Exception"
            )
        run = copy_context().run
        self._thread = thread = threading.Thread(
            target=run, args=(self._run,), name=self._name, daemon=True
        )
        thread.start()
        _STARTED.append(thread)

    def _resume(self) -> None:
        """Let the thread go on until it waits for something, or ends."""
        self._go.release()
        while not self._back.acquire(timeout=PATIENCE_S):
            if is_debugged(self._thread):
                continue
            error = UsageError(
                f"{self._name} has held its thread for {PATIENCE_S:g} real seconds "
                f"without waiting for its environment: it is in "
                f"{where_is(self._thread)}; a simulation goes on only when an agent "
                "waits for the model, a tool or a person, or ends"
            )
            self._loop.halt(error)
            raise error

    def _abandon(self) -> None:
        """Leave the thread to itself: it is fenced from now on."""
        self._abandoned = True
        _open(self._go)

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
            self.wait_for(self._loop.create_future)
        self._loop.refuse(what, kind)

    def _run(self) -> None:
        _HELD.baton = self
        self._go.acquire()
        try:
            self._check_fence()
            self._value = self._function()
        except BaseException as error:  # noqa: BLE001 - the driver raises it
            self._error = error
        self._asked = None
        _open(self._back)

    def _check_fence(self) -> None:
        if not self._abandoned:
            return
        self._fenced += 1
        if self._fenced <= FENCED_MAX:
            raise Fenced
        for_ever = threading.Lock()
        for_ever.acquire()
        for_ever.acquire()


def _open(lock: threading.Lock) -> None:
    """Open a lock, which is open already where Ctrl-C broke in upon a handover."""
    with contextlib.suppress(RuntimeError):
        lock.release()
