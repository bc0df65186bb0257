"""Whose thread it is: one of the run at hand, or one of which the run knows nothing.

What is sealed is another thing for the two. A run has the thread of its loop and those
that hold one of its batons; all others belong to pytest, to libraries or to the user's
own servers, and keep what is real.
"""

from __future__ import annotations

from typing import Any

from agentsim.engine.loop import SimLoop
from agentsim.engine.refusals import STANDSTILL
from agentsim.engine.threads.baton import Baton

__all__ = [
    "SERIES",
    "depth",
    "enter",
    "in_series",
    "inside",
    "leave",
    "looking",
    "none_runs",
]

LOOKS_MAX = 1_000_000
"""How often an agent may ask for the time, or block, while nothing else can happen."""

_LIVES: list[SimLoop] = []

SERIES: dict[int, Any] = {}
"""Depth -> what is put back at the end of the series of runs that is on there."""


def inside() -> SimLoop | None:
    """The loop of the life that runs, on the threads of it; None on all others."""
    if _LIVES:
        loop = _LIVES[-1]
        if loop.is_on_its_thread or Baton.held() is not None:
            return loop
    return None


def looking(what: str = "the time") -> SimLoop | None:
    """What `inside` gives, for who asks for the time, or passes it without waiting.

    Code takes no virtual time, so that who waits for the clock by looking at it would
    never end: it is refused after a while.
    """
    loop = inside()
    if loop is not None:
        loop.looks += 1
        if loop.looks > LOOKS_MAX:
            (Baton.held() or loop).refuse(f"{what} {LOOKS_MAX:,} times", STANDSTILL)
    return loop


def depth() -> int:
    """How many lives run, each within the one before, on whatever thread."""
    return len(_LIVES)


def none_runs() -> None:
    """Let no life be one that runs: this process is a copy, and they are not in it."""
    _LIVES.clear()


def in_series() -> bool:
    """Whether what is between two lives at this depth belongs to a series of runs."""
    return len(_LIVES) in SERIES


def enter(loop: SimLoop) -> None:
    """Let a life, or a burial, be the one that runs."""
    _LIVES.append(loop)


def leave() -> None:
    """Let the one before be it again."""
    _LIVES.pop()
