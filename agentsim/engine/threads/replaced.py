"""What of the standard library is another on a thread that holds a baton."""

from __future__ import annotations

import asyncio
import time
from asyncio import events
from functools import partial
from operator import index
from typing import SupportsIndex

from agentsim.engine.refusals import LOOP
from agentsim.engine.threads.baton import Baton

_REAL_SLEEP = time.sleep
_REAL_LOOP = asyncio.new_event_loop


class Replaced:
    """While entered, `time.sleep` and `asyncio.new_event_loop` look whose thread it is.

    Threads that hold no baton get what the standard library does.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        """Put both in place, keeping what was there before."""
        self._before = time.sleep, asyncio.new_event_loop, events.new_event_loop
        time.sleep = _sleep
        asyncio.new_event_loop = events.new_event_loop = _new_event_loop

    def __exit__(self, *_: object) -> None:
        """Put back what was there before."""
        time.sleep, asyncio.new_event_loop, events.new_event_loop = self._before


def _sleep(seconds: float | SupportsIndex, /) -> None:
    baton = Baton.held()
    if baton is None:
        _REAL_SLEEP(seconds)
        return
    delay_s = seconds if isinstance(seconds, float) else float(index(seconds))
    if delay_s < 0:
        raise ValueError("sleep length must be non-negative")
    baton.wait_for(partial(asyncio.sleep, delay_s))


def _new_event_loop() -> asyncio.AbstractEventLoop:
    baton = Baton.held()
    if baton is not None:
        baton.refuse("an event loop of its own (as asyncio.run does)", LOOP)
    return _REAL_LOOP()
