"""All seals in one: entered while a life runs, and while the dead are buried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentsim.engine.seals.clock import WallClock
from agentsim.engine.seals.inside import enter, leave

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

__all__ = ["Sealed"]


class Sealed:
    """While entered, what an agent asks the machine for is what its run has for it."""

    __slots__ = ("_clock", "_loop")

    def __init__(self, loop: SimLoop) -> None:
        self._loop = loop
        self._clock = WallClock(loop)

    def __enter__(self) -> None:
        """Seal."""
        self._clock.__enter__()
        enter(self._loop)

    def __exit__(self, *_: object) -> None:
        """Break the seals, in the opposite order."""
        leave()
        self._clock.__exit__()
