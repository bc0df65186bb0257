"""The clocks that only ever go on, and `sleep`: virtual time on the threads of a run.

In a run `time.monotonic()` and `time.perf_counter()` are `loop.time()`. The clocks of
processor time stand at zero: code takes no virtual time, only waiting does. A blocking
sleep parks a thread that holds a baton, so that all others go on meanwhile; on the
thread of the event loop it moves the clock and nothing else happens, as in life.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from operator import index
from typing import Any, SupportsIndex

from agentsim.engine.seals.aliases import Home
from agentsim.engine.seals.epoch import SECOND_NS
from agentsim.engine.seals.inside import inside, looking
from agentsim.engine.threads.baton import Baton

__all__ = ["TIMERS"]

_SLEEP_S_MAX = 2**63 / SECOND_NS
"""From here on the real one is out of range."""


class _Timers:
    """The stand-ins, as bound methods."""

    def __reduce__(self) -> str:
        """Copy and pickle as the one that there is."""
        return "_TIMERS"

    def monotonic(self) -> float:
        """Virtual seconds since the run began."""
        loop = looking()
        return _real("monotonic")() if loop is None else loop.time()

    def monotonic_ns(self) -> int:
        """Virtual nanoseconds since the run began."""
        loop = looking()
        return _real("monotonic_ns")() if loop is None else loop.now_ns

    def perf_counter(self) -> float:
        """Virtual seconds since the run began."""
        loop = looking()
        return _real("perf_counter")() if loop is None else loop.time()

    def perf_counter_ns(self) -> int:
        """Virtual nanoseconds since the run began."""
        loop = looking()
        return _real("perf_counter_ns")() if loop is None else loop.now_ns

    def process_time(self) -> float:
        """Zero: code takes no virtual time."""
        return _real("process_time")() if looking() is None else 0.0

    def process_time_ns(self) -> int:
        """Zero: code takes no virtual time."""
        return _real("process_time_ns")() if looking() is None else 0

    def thread_time(self) -> float:
        """Zero: code takes no virtual time."""
        return _real("thread_time")() if looking() is None else 0.0

    def thread_time_ns(self) -> int:
        """Zero: code takes no virtual time."""
        return _real("thread_time_ns")() if looking() is None else 0

    def clock_gettime(self, clk_id: int, /) -> float:
        """Virtual seconds, if it is a clock that only ever goes on."""
        if clk_id in _MONOTONIC_IDS and (loop := looking()) is not None:
            return loop.time()
        return float(_real("clock_gettime")(clk_id))

    def clock_gettime_ns(self, clk_id: int, /) -> int:
        """Virtual nanoseconds, if it is a clock that only ever goes on."""
        if clk_id in _MONOTONIC_IDS and (loop := looking()) is not None:
            return loop.now_ns
        return int(_real("clock_gettime_ns")(clk_id))

    def ctime(self, seconds: float | None = None, /) -> str:
        """The wall clock as text; the real one asks the system itself."""
        return str(_real("ctime")(time.time() if seconds is None else seconds))

    def asctime(self, moment: time.struct_time | None = None, /) -> str:
        """The wall clock as text; the real one asks the system itself."""
        return str(_real("asctime")(time.localtime() if moment is None else moment))

    def sleep(self, seconds: float | SupportsIndex, /) -> None:
        """Pass virtual seconds.

        Raises:
            ValueError: They are negative or no number.
            OverflowError: They are more than the clock can count.
        """
        if inside() is None:
            _real("sleep")(seconds)
            return
        delay_s = seconds if isinstance(seconds, float) else float(index(seconds))
        if not delay_s >= 0:  # NaN too, for which a run would wait for ever
            raise ValueError("sleep length must be non-negative")
        if delay_s > _SLEEP_S_MAX:
            raise OverflowError("sleep length is out of range")
        baton = Baton.held()
        if baton is not None:
            baton.wait_for(partial(asyncio.sleep, delay_s))
        elif (loop := looking("a sleep on the event loop's thread")) is not None:
            loop.stand_still(delay_s, f"a sleep of {delay_s:g} seconds")


_TIMERS = _Timers()

_MONOTONIC_IDS = tuple(
    getattr(time, name)
    for name in (
        "CLOCK_MONOTONIC",
        "CLOCK_MONOTONIC_RAW",
        "CLOCK_BOOTTIME",
        "CLOCK_UPTIME",
        "CLOCK_UPTIME_RAW",
    )
    if hasattr(time, name)
)

_HOME = {
    name: Home(time, name, getattr(_TIMERS, name))
    for name in vars(_Timers)
    if not name.startswith("_") and hasattr(time, name)
}

TIMERS = tuple(_HOME.values())
"""All of them."""


def _real(name: str) -> Callable[..., Any]:
    """What a thread gets of which no run knows."""
    return _HOME[name].real()
