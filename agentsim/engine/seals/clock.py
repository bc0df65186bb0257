"""The wall clock of a run: `time.time`, `datetime.now` and all that asks like them.

Every run begins at the same moment, and its clock is the loop's. time-machine swaps the
clock inside the interpreter, so that classes, modules and what users define meanwhile
stay as they are. Where a user's own freezegun is active, which excludes it, a freeze
within theirs takes its place.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from agentsim.core import InternalError
from agentsim.engine.seals.epoch import EPOCH, EPOCH_NS
from agentsim.engine.seals.inside import looking

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

__all__ = ["WallClock", "zone_back", "zone_to_utc"]

_UTC = ("UTC", "UTC")


class WallClock:
    """While entered, the wall clock shows the run's epoch and the time of its loop.

    Threads of which the run knows nothing go on seeing the time that they saw, but for
    the time zone, and but for a freeze of freezegun.
    """

    __slots__ = ("_loop", "_stop", "_zone")

    def __init__(self, loop: SimLoop) -> None:
        self._loop = loop

    def __enter__(self) -> None:
        """Set the clock."""
        loop = self._loop
        self._stop = _freeze(loop) if _is_frozen() else _travel(loop)
        self._zone = zone_to_utc()

    def __exit__(self, *_: object) -> None:
        """Let it be what it was."""
        zone_back(self._zone)
        self._stop()


# ------------------------------------------------------------------------ time-machine


def _travel(loop: SimLoop) -> Callable[[], None]:
    """Let time-machine ask the loop for the time; the result ends that."""
    machine, journey = _machine()
    stack = machine.traveller_stack
    beneath = stack[-1].time_ns if stack else machine.escape_hatch.time.time_ns

    def time_ns() -> int:
        return beneath() if looking() is None else EPOCH_NS + loop.now_ns

    # Set on the instance: no shift at each jump of the loop's clock, and none to miss.
    journey.start().time_ns = time_ns
    stop: Callable[[], None] = journey.stop
    return stop


@cache
def _machine() -> tuple[Any, Any]:
    """Import time-machine at the first run, and try out that it asks as it should.

    Returns:
        Its module, and the journey that every run takes.
    """
    with _without_pytest():
        import time_machine

    journey = time_machine.travel(EPOCH.timestamp(), tick=False)
    traveller: Any = journey.start()
    traveller.time_ns = lambda: EPOCH_NS + 1
    try:
        seen = time.time_ns()
    finally:
        journey.stop()
    if seen != EPOCH_NS + 1:
        raise InternalError(
            "time-machine does not ask its traveller for the time: this version of it "
            "is not known to agentsim"
        )
    return time_machine, journey


@contextmanager
def _without_pytest() -> Iterator[None]:
    """Let nothing import pytest that is not there yet.

    time-machine takes it where it is installed, for a fixture of its own. A run outside of
    pytest would wait for it as long as for all else that it loads.
    """
    if "pytest" in sys.modules:
        yield
        return
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    modules["pytest"] = None  # the import system's own mark of what can't be imported
    try:
        yield
    finally:
        del modules["pytest"]


# --------------------------------------------------------------------------- freezegun


def _is_frozen() -> bool:
    """Whether a user's freezegun is active: time-machine refuses to start then."""
    return dt.datetime.__name__ == "FakeDatetime" and "freezegun" in sys.modules


def _freeze(loop: SimLoop) -> Callable[[], None]:
    """Freeze within the user's own freeze; the result ends that."""
    from freezegun import api, freeze_time

    freeze = freeze_time(EPOCH, tick=False)
    frozen = freeze.start()
    # It would look for ignored modules, `threading` among them, on the caller's stack.
    api.ignore_lists[-1] = ()

    def move() -> None:
        frozen.move_to(EPOCH + dt.timedelta(microseconds=loop.now_ns // 1_000))

    move()
    loop.moved = move

    def stop() -> None:
        loop.moved = None
        freeze.stop()

    return stop


# --------------------------------------------------------------------------- time zone


def zone_to_utc() -> tuple[str | None] | None:
    """Let local time be UTC, so that a run is the same everywhere.

    Returns:
        What to put back, or None where it is UTC as it stands.
    """
    if time.tzname == _UTC or not hasattr(time, "tzset"):
        return None
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    return (before,)


def zone_back(before: tuple[str | None] | None) -> None:
    """Put back what `zone_to_utc` found."""
    if before is None:
        return
    if before[0] is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before[0]
    time.tzset()
