"""What of the standard library is another on a thread that holds a baton."""

from __future__ import annotations

import asyncio
import threading
from asyncio import events
from collections.abc import Coroutine
from inspect import iscoroutine
from typing import Any, TypeVar

from agentsim.engine.refusals import LOOP
from agentsim.engine.threads.baton import Baton
from agentsim.engine.threads.held import HERE
from agentsim.engine.threads.locks import SimLock

T = TypeVar("T")

_REAL_LOOP = asyncio.new_event_loop
_REAL_RUN = asyncio.run
_REAL_LOCK = vars(threading)["_allocate_lock"]
_REAL_START = threading.Thread.start


class Replaced:
    """While entered, what makes an event loop looks whose thread it is on.

    Threads that hold no baton get what the standard library does.
    """

    __slots__ = ("_before", "_run")

    def __enter__(self) -> None:
        """Put both in place, keeping what was there before."""
        self._before = asyncio.new_event_loop, events.new_event_loop
        self._run = asyncio.run
        # What `Condition.wait` waits on, and thereby events, queues and futures.
        vars(threading)["_allocate_lock"] = SimLock
        threading.Thread.start = _start  # type: ignore[method-assign]
        asyncio.run = _run
        asyncio.new_event_loop = events.new_event_loop = _new_event_loop

    def __exit__(self, *_: object) -> None:
        """Put back what was there before."""
        asyncio.new_event_loop, events.new_event_loop = self._before
        asyncio.run = self._run
        vars(threading)["_allocate_lock"] = _REAL_LOCK
        threading.Thread.start = _REAL_START  # type: ignore[method-assign]


def _new_event_loop() -> asyncio.AbstractEventLoop:
    baton = Baton.held()
    if baton is not None:
        baton.refuse("an event loop of its own (as asyncio.run does)", LOOP)
    return _REAL_LOOP()


def _run(main: Coroutine[Any, Any, T], **options: Any) -> T:
    baton = Baton.held()
    if baton is not None:
        if iscoroutine(main):
            main.close()  # else Python would warn that it was never awaited
        baton.refuse("an event loop of its own (as asyncio.run does)", LOOP)
    return _REAL_RUN(main, **options)


def _start(self: threading.Thread) -> None:
    """Start a thread; that it runs is waited for in real time."""
    baton, HERE.baton = HERE.baton, None
    try:
        _REAL_START(self)
    finally:
        HERE.baton = baton
