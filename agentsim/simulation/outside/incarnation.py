"""What the outside may ask of the life of an agent that it acts on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agentsim.core import Boundary

__all__ = ["Incarnation"]


class Incarnation(Boundary, Protocol):
    """One life of an agent, as the outside acts on it: the engine's, or a server's."""

    def choose(
        self, label: str, options: Sequence[str], kinds: Sequence[str] = ()
    ) -> int:
        """Draw one choice: an index into `options`, where 0 is the dull one.

        Args:
            kinds: What the last options are; see `Choices.kinds`.
        """

    def halt(self, failure: BaseException) -> None:
        """End the run with a failure that the agent does not see; the first one wins."""
