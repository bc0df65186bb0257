"""Real threads that run one function after the other, each only when it is told to."""

from __future__ import annotations

import threading
from _thread import allocate_lock
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from agentsim.core import UsageError
from agentsim.engine.threads.held import mark

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

THREADS_MAX = 100
"""Threads of dead agents that may be parked in this process."""

_STARTED: list[tuple[threading.Thread, SimLoop]] = []


class Worker:
    """A thread that waits for functions to run, until it is told to end.

    Args:
        name: Names the thread.
        loop: That of the life which it is a part of.
        wanted_by: Names the function that it is for, in the error.

    Raises:
        UsageError: when too many threads of dead agents are left.
    """

    __slots__ = ("_entry", "_function", "_wake", "thread")

    def __init__(self, name: str, loop: SimLoop, *, wanted_by: str) -> None:
        _refuse_to_pile_up(wanted_by)
        self._function: Callable[[], None] | None = None
        self._wake = allocate_lock()
        self._wake.acquire()
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()
        # It was started as a daemon, so that one which is parked holds up no exit. The
        # agent is to see it as those of asyncio, of which its own threads take after.
        vars(self.thread)["_daemonic"] = False
        mark(self.thread)
        loop.idents.add(self.thread.ident or 0)
        self._entry = (self.thread, loop)
        _STARTED.append(self._entry)

    def run(self, function: Callable[[], None]) -> None:
        """Begin a function, which hands over before it returns, and raises nothing."""
        self._function = function
        self._wake.release()

    def end(self) -> None:
        """Let the thread end, which has nothing to do, and wait until it has."""
        self.leave()
        self.thread.join()
        _STARTED.remove(self._entry)

    def leave(self) -> None:
        """Let the thread end by itself, once its function has returned."""
        self._function = None
        with suppress(RuntimeError):  # it is open where Ctrl-C broke in upon `run`
            self._wake.release()

    def _run(self) -> None:
        while True:
            self._wake.acquire()
            function, self._function = self._function, None
            if function is None:
                return
            function()
            del function  # else it would live until the next one comes


class Adopted:
    """A thread that runs one function only, where a baton wants a worker."""

    __slots__ = ("thread",)

    def __init__(self, thread: threading.Thread) -> None:
        self.thread = thread

    def run(self, function: Callable[[], None]) -> None:
        """Nothing: it runs the function from its start on, and waits for the baton."""

    def leave(self) -> None:
        """Nothing: it ends with its function."""


def _refuse_to_pile_up(wanted_by: str) -> None:
    if not _STARTED:
        return
    _STARTED[:] = [entry for entry in _STARTED if entry[0].is_alive()]
    dead = sum(loop.dead for _, loop in _STARTED)
    if dead >= THREADS_MAX:
        raise UsageError(
            f"{dead} threads of dead agents wait for ever, the last ones "
            f"of {wanted_by}: it goes on after its death, since it catches "
            "BaseException (as `except:` does); let it catch Exception"
        )
