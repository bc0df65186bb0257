"""Whose thread it is: one of the run at hand, or one of which the run knows nothing.

What is sealed is another thing for the two. A run has the thread of its loop and those
that hold one of its batons; all others belong to pytest, to libraries or to the user's
own servers, and keep what is real.
"""

from __future__ import annotations

from agentsim.engine.loop import SimLoop
from agentsim.engine.threads.baton import Baton

__all__ = ["enter", "inside", "leave"]

_LIVES: list[SimLoop] = []


def inside() -> SimLoop | None:
    """The loop of the life that runs, on the threads of it; None on all others."""
    if _LIVES:
        loop = _LIVES[-1]
        if loop.is_on_its_thread or Baton.held() is not None:
            return loop
    return None


def enter(loop: SimLoop) -> None:
    """Let a life, or a burial, be the one that runs; runs within runs may nest."""
    _LIVES.append(loop)


def leave() -> None:
    """Let the one before be it again."""
    _LIVES.pop()
