"""Shrinking: the fewest deviations that still violate the same invariant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from agentsim.core import NondeterminismError, UsageError
from agentsim.engine import Replay
from agentsim.simulation.run import Run, run

__all__ = ["shrink"]


def shrink(bad: Run, invariant: str, agent: Callable[..., Any]) -> Run:
    """Set deviations to zero, in halves and one by one, while the invariant is violated.

    Args:
        bad: A run that violates the invariant.
        invariant: Its id.

    Returns:
        A run with some of the same deviations, at most as many.
    """
    progress = True
    while progress:
        progress = False
        for kept in _smaller(dict(bad.choices.deviations)):
            smaller = _violating(bad, kept, invariant, agent)
            if smaller is not None:
                bad, progress = smaller, True
                break
    return bad


def _smaller(deviations: dict[int, int]) -> Iterator[dict[int, int]]:
    positions = list(deviations)
    size = len(positions)
    step = size
    while step >= 1:
        for start in range(0, size, step):
            dropped = positions[start : start + step]
            yield {at: n for at, n in deviations.items() if at not in dropped}
        step //= 2


def _violating(
    bad: Run, kept: dict[int, int], invariant: str, agent: Callable[..., Any]
) -> Run | None:
    try:
        made = run(bad.scenario, agent, menu=bad.menu, choices=Replay(kept))
    except (UsageError, NondeterminismError):
        # Without its predecessors a deviation may have no place in the run.
        return None
    return made if any(j.id == invariant for j in made.verdict.violated) else None
