"""All seals in one: entered while a life runs, and while the dead are buried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentsim.engine.seals.aliases import Aliases
from agentsim.engine.seals.clock import WallClock
from agentsim.engine.seals.egress import Guarded
from agentsim.engine.seals.entropy import SOURCES, Chance
from agentsim.engine.seals.inside import enter, leave
from agentsim.engine.seals.strays import Strays
from agentsim.engine.seals.timers import TIMERS

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

__all__ = ["Sealed"]

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
