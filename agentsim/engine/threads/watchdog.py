"""A watch over the threads of event loops: who blocks or spins there ends its run.

A callback of the loop that does not come to its end keeps everything else from going
on, and no check between callbacks can see it. So a thread of our own looks, a few times
in a minute, which callback each loop is in. Runs pay nothing for that.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from _thread import allocate_lock, get_ident, start_new_thread
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

from agentsim.core import HeldForEver
from agentsim.engine.asyncio_shim import run_ready
from agentsim.engine.seals.callers import inside, module_of
from agentsim.engine.threads.baton import PATIENCE_S, Baton
from agentsim.engine.threads.stacks import (
    frame_of,
    frames_of,
    is_debugged,
    is_importing,
    where_is,
)

__all__ = ["HOPELESS", "PATIENCE_S", "Stuck", "Watched", "keep_watch"]

LOOKS = 8
"""How often a callback is seen before it has had its time."""

LOOKS_DEAD = 2
"""The same at a burial, where nothing is judged any more."""

IMPORTS = 6
"""How much longer one may take that imports modules, as SDKs do in their first call."""

_DRIVER = run_ready.__code__
_HANDING_OVER = Baton._resume.__code__  # noqa: SLF001 - has a brake of its own

_WATCHED: list[int] = []

HOPELESS: dict[CodeType, None] = {}
"""Functions that did not end when their dead agent was buried, and would not next time."""


class Stuck(BaseException):  # not an Exception: agents swallow those
    """Raised into a callback that does not come to its end."""


def keep_watch() -> None:
    """Start the watch, once per process; a copy of one (`os.fork`) starts its own."""
    if not _DOG.is_awake:
        _DOG.wake()


def watching_threads() -> int:
    """How many threads of this process are the watch: none before its first run.

    The watch holds nothing but what it made itself, so that a copy of the process does
    without it.
    """
    return int(_DOG.is_awake)


class Watched:
    """While entered, the thread at hand is watched."""

    __slots__ = ()

    def __enter__(self) -> None:
        """Begin to look at it."""
        _WATCHED.append(get_ident())

    def __exit__(self, *_: object) -> None:
        """Look at it no more."""
        _WATCHED.remove(get_ident())


class _Sighting(NamedTuple):
    """By which marks a callback is known, and how often a loop was seen in it."""

    marks: tuple[int, int]
    times: int


class _Watchdog:
    """The thread that looks, and what it has seen."""

    def __init__(self) -> None:
        self._process = 0
        self._seen: dict[int, _Sighting] = {}

    @property
    def is_awake(self) -> bool:
        """Whether it runs."""
        return self._process == os.getpid()

    def wake(self) -> None:
        """Start the thread, which is no part of `threading`: it is nobody's business."""
        self._process = os.getpid()
        start_new_thread(self._watch, ())

    def _watch(self) -> None:
        never = allocate_lock()
        never.acquire()
        while True:
            never.acquire(timeout=PATIENCE_S / LOOKS)
            for ident in dict.fromkeys(_WATCHED):
                self._look(ident)

    def _look(self, ident: int) -> None:
        """See which callback a loop is in, and end one that is always the same."""
        driver = _driver(ident)
        marks, loop = ((0, 0), None) if driver is None else _marks(driver)
        seen = self._seen.get(ident)
        times = 1 if seen is None or seen.marks != marks else seen.times + 1
        self._seen[ident] = _Sighting(marks, times)
        if loop is None:
            return
        looks = LOOKS_DEAD if loop.dead else LOOKS
        over = times - looks * (IMPORTS if is_importing(ident) else 1)
        if over < 0 or is_debugged(ident):
            return
        if loop.dead:
            HOPELESS.update(dict.fromkeys(_agents_code(ident)))
        if not loop.stuck:
            loop.stuck = True
            loop.halt(
                HeldForEver(
                    f"the agent has held the event loop for {PATIENCE_S:g} real seconds "
                    f"without waiting for anything: it is in {where_is(ident)}; await "
                    "what takes its time, or give it to asyncio.to_thread; a lock that "
                    "was made before the run is not waited for in virtual time"
                )
            )
        _interrupt(ident, blocked=over % 2 == 1)


_TRACES = (FunctionType, MethodType)
"""What follows a frame line by line in Python, such as a debugger, or Hypothesis: after
each line it writes back to the frame what stands in the copy of its names, until 3.12.
"""


def _driver(ident: int) -> FrameType | None:
    """What runs the callbacks of the innermost loop, unless it waits for a thread.

    One that is traced is not looked at: to empty the copy of its names would unset them.
    """
    for frame in frames_of(ident):
        if frame.f_code is _HANDING_OVER:
            return None
        if frame.f_code is _DRIVER:
            return None if isinstance(frame.f_trace, _TRACES) else frame
    return None


def _marks(driver: FrameType) -> tuple[tuple[int, int], Any]:
    """Address of the callback, and what is left of the budget; and their loop.

    Before the first callback these are zeros, and None. The callback itself is not kept:
    what it holds would then end on this thread, later.
    """
    seen = driver.f_locals
    if "handle" not in seen:
        return (0, 0), None
    marks, loop = (id(seen["handle"]), seen["left"]), seen["loop"]
    if isinstance(seen, dict):  # a copy that the frame keeps, until Python 3.12
        seen.clear()
    return marks, loop


def _agents_code(ident: int) -> list[CodeType]:
    """The outermost function of the agent's that a callback is in, or nothing."""
    frames = [
        frame.f_code
        for frame in inside(frame_of(ident))
        if module_of(frame).partition(".")[0] != "agentsim"
    ]
    return frames[-1:]


def _interrupt(ident: int, *, blocked: bool) -> None:
    """Raise into a thread; of one that is blocked outside of Python, only the main one."""
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    if not blocked:
        raise_in(ctypes.c_ulong(ident), ctypes.py_object(Stuck))
    elif ident == threading.main_thread().ident and _ctrl_c_raises():
        raise_in(ctypes.c_ulong(ident), None)
        signal.pthread_kill(ident, signal.SIGINT)


def _ctrl_c_raises() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


_DOG = _Watchdog()
