"""All seals in one: entered while a life runs, and while the dead are buried."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from agentsim.engine.seals.aliases import Aliases
from agentsim.engine.seals.clock import WallClock, zone_back, zone_to_utc
from agentsim.engine.seals.egress import Guarded
from agentsim.engine.seals.entropy import SOURCES, Chance, keep_generator
from agentsim.engine.seals.inside import SERIES, depth, enter, leave
from agentsim.engine.seals.strays import Strays
from agentsim.engine.seals.timers import TIMERS
from agentsim.engine.threads.turns import in_turn

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

__all__ = ["Sealed", "Series"]

YOUNG_MAX = 20_000
"""Objects that a series of runs makes before the garbage among them is looked for."""

_ALIASES = Aliases((*TIMERS, *SOURCES))


class Sealed:
    """While entered, what an agent asks the machine for is what its run has for it.

    Args:
        loop: The loop of the life.
        strays: Takes down what is met beside the run; by default nothing does.
    """

    __slots__ = ("_aliases", "_chance", "_clock", "_guard", "_loop")

    def __init__(self, loop: SimLoop, strays: Strays | None = None) -> None:
        self._loop = loop
        self._guard = Guarded(loop, strays if strays is not None else Strays())
        self._clock = WallClock(loop)
        self._chance = Chance(loop)

    def __enter__(self) -> None:
        """Seal."""
        self._clock.__enter__()
        self._chance.__enter__()
        self._aliases = _ALIASES.put_in()
        enter(self._loop)
        self._guard.__enter__()

    def __exit__(self, *_: object) -> None:
        """Break the seals, in the opposite order."""
        self._guard.__exit__()
        leave()
        _ALIASES.put_back(self._aliases)
        self._chance.__exit__()
        self._clock.__exit__()


class Series:
    """While entered, runs follow one another: local time is UTC, and chance is theirs.

    To change the time zone, and to read the state of a generator, are the dearest things
    that a seal does. In an exploration nobody but us does anything between two runs, so
    there both are put back at its end only. Garbage waits for several runs: of one alone
    most is alive whenever it is looked for. Where threads explore at the same time, the
    last one puts back what the first one found.
    """

    __slots__ = ("_depth", "_kept")

    def __enter__(self) -> None:
        """Note what is there."""
        with in_turn():
            self._depth = depth()
            kept = SERIES.get(self._depth)
            if kept is None:
                kept = SERIES[self._depth] = _Kept()
            kept.count += 1
            self._kept = kept

    def __exit__(self, *_: object) -> None:
        """Put it back."""
        with in_turn():
            self._kept.count -= 1
            if not self._kept.count and SERIES.pop(self._depth, None) is not None:
                self._kept.put_back()


class _Kept:
    """What was there before the series of runs at one depth."""

    __slots__ = ("_generator", "_thresholds", "_zone", "count")

    def __init__(self) -> None:
        self.count = 0
        self._thresholds = young, middle, old = gc.get_threshold()
        gc.set_threshold(young and max(young, YOUNG_MAX), middle, old)
        self._generator = keep_generator()
        self._zone = zone_to_utc()

    def put_back(self) -> None:
        """Let it be as it was."""
        zone_back(self._zone)
        self._generator()
        gc.set_threshold(*self._thresholds)
