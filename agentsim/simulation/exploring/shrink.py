"""Shrinking: the fewest deviations, to the dullest options, that show the same failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from agentsim.core import AgentsimError
from agentsim.engine import Choices, Replay
from agentsim.simulation.exploring.findings import kinds_violated
from agentsim.simulation.run import Run, run
from agentsim.simulation.scenario import Scenario

__all__ = ["Tries", "shrink"]

RUNS_MAX = 400
"""Runs that are tried to make one failure smaller."""

EVENTS_MAX = 100_000
"""Events of all these runs: a bound on their time that is the same on every machine."""


class Tries:
    """Makes runs until one shows the same failure, within bounds.

    Attributes:
        left: Runs that may still be tried.
    """

    def __init__(
        self, agent: Callable[..., Any], invariant: str, kind: str | None = None
    ) -> None:
        """Look for a violation of an invariant, of one kind or of any."""
        self.left = RUNS_MAX
        self._agent = agent
        self._invariant = invariant
        self._kind = kind
        self._events = 0

    def run(self, scenario: Scenario, like: Run, choices: Choices) -> Run | None:
        """Make a run; None if it does not show the failure, or is not possible.

        Args:
            like: Has the menu, and about as many events as a run will have.
        """
        if self.left <= 0 or self._events >= EVENTS_MAX:
            return None
        self.left -= 1
        try:
            made = run(scenario, self._agent, menu=like.menu, choices=choices)
        except AgentsimError:
            # Without its predecessors a deviation may have no place in the run.
            self._events += len(like.trace.events)
            return None
        self._events += len(made.trace.events)
        return made if self._shows(made) else None

    def _shows(self, made: Run) -> bool:
        return any(
            self._kind is None or self._kind in kinds_violated(entry, made.outcome)
            for entry in made.verdict.violated
            if entry.id == self._invariant
        )


def shrink(bad: Run, tries: Tries) -> Run:
    """Leave out deviations, in halves and one by one; then take duller ones.

    Args:
        bad: A run that shows the failure.
        tries: Knows the failure, and how much may still be tried.

    Returns:
        A run with at most as many deviations, each no further from the dull option
        and no later among the choices of its label.
    """
    progress = True
    while progress:
        progress = False
        deviations = dict(bad.choices.deviations)
        for candidate in (*_fewer(deviations), *_duller(bad)):
            smaller = tries.run(bad.scenario, bad, Replay(candidate))
            if smaller is not None:
                bad, progress = smaller, True
                break
    return bad


def _fewer(deviations: dict[int, int]) -> Iterator[dict[int, int]]:
    positions = list(deviations)
    size = len(positions)
    step = size
    while step >= 1:
        for start in range(0, size, step):
            dropped = positions[start : start + step]
            yield {at: n for at, n in deviations.items() if at not in dropped}
        step //= 2


def _duller(bad: Run) -> Iterator[dict[int, int]]:
    """Each deviation at the first choices of its label, and to lower options."""
    labels, arities = bad.choices.labels, bad.choices.arities
    deviations = bad.choices.deviations
    for position, value in deviations.items():
        others = {at: n for at, n in deviations.items() if at != position}
        for earlier in range(position):
            alike = labels[earlier] == labels[position] and arities[earlier] > value
            if alike and earlier not in others:
                yield dict(sorted({**others, earlier: value}.items()))
        for lower in range(1, value):
            yield {**deviations, position: lower}
