"""Shrinking: the fewest deviations, to the dullest options, that show the same failure.

A deviation is told by its position among all choices, and leaving another one out may
move it. So what is kept is tried where it was, and then where the same number of
choices of its label went before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from agentsim.core import AgentsimError, HeldForEver
from agentsim.engine import Choices, Replay
from agentsim.simulation.exploring.findings import kinds_violated
from agentsim.simulation.menu import Menu
from agentsim.simulation.run import Run, run
from agentsim.simulation.scenario import Scenario

__all__ = ["Found", "Step", "Tries", "shrink", "steps_of"]

RUNS_MAX = 400
"""Runs that are tried to make one failure smaller."""

EVENTS_MAX = 25_000
"""Events of all these runs: a bound on their time that is the same on every machine."""


class Tries:
    """Makes runs until one shows the same failure, within bounds.

    Attributes:
        invariant: Whose violation is looked for.
        left: Runs that may still be tried.
    """

    def __init__(
        self,
        agent: Callable[..., Any],
        invariant: str,
        kind: str | None = None,
        *,
        among: Collection[str] | None = None,
    ) -> None:
        """Look for a violation of an invariant, of one kind or of any.

        Args:
            among: All invariants that may be violated: what violates another one shows
                another failure beside. None for any.
        """
        self.invariant = invariant
        self.left = RUNS_MAX
        self._agent = agent
        self._kind = kind
        self._among = among
        self._events = 0

    def run(
        self, scenario: Scenario, menu: Menu, like: Run, choices: Choices
    ) -> Run | None:
        """Make a run; None if it does not show the failure, or is not possible.

        Args:
            like: Has about as many events as a run that is not possible.
        """
        if self.left <= 0 or self._events >= EVENTS_MAX:
            return None
        self.left -= 1
        try:
            made = run(scenario, self._agent, menu=menu, choices=choices)
        except HeldForEver:
            self.left = 0  # the next one like it would take as long
            return None
        except AgentsimError:
            # Without its predecessors a deviation may have no place in the run.
            self._events += len(like.trace.events)
            return None
        self._events += len(made.trace.events)
        return made if self._shows(made) else None

    def _shows(self, made: Run) -> bool:
        violated = made.verdict.violated
        if self._among is not None and any(e.id not in self._among for e in violated):
            return False
        return any(
            self._kind is None or self._kind in kinds_violated(entry, made)
            for entry in violated
            if entry.id == self.invariant
        )


class Step(NamedTuple):
    """A deviation: the choice after `skip` others of its label, and what it takes.

    A fault is found again by its name, whatever else the menu offers.
    """

    label: str
    skip: int
    value: int
    words: str


class Found(Choices):
    """Deviates where a step fits, in the order of the steps; all else is dull."""

    __slots__ = ("_passed", "_steps")

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__()
        self._steps = list(steps)
        self._passed = 0

    def draw(self, position: int, label: str, arity: int) -> int:  # noqa: ARG002
        """Take the value of the next step, where it is this choice."""
        if not self._steps or label != self._steps[0].label:
            return 0
        if self._passed < self._steps[0].skip:
            self._passed += 1
            return 0
        self._passed = 0
        _, _, value, words = self._steps.pop(0)
        if label.startswith("fault "):
            names = [words.startswith(f"{kind} strikes ") for kind in self.kinds]
            if any(names):
                value = arity - len(names) + names.index(True)
        return value if value < arity else 0


def steps_of(made: Run, kept: Collection[int]) -> Iterator[Step]:
    """The deviations at the positions that are kept, each counted from the one before."""
    choices = made.choices
    words = dict(zip(sorted(choices.deviations), made.words, strict=True))
    for before, position in pairwise((-1, *sorted(kept))):
        label = choices.labels[position]
        skip = choices.labels[before + 1 : position].count(label)
        yield Step(label, skip, choices.deviations[position], words[position])


def shrink(bad: Run, tries: Tries) -> Run:
    """Leave out deviations, in halves and one by one; then take duller ones.

    Args:
        bad: A run that shows the failure.
        tries: Knows the failure, and how much may still be tried.

    Returns:
        A run with at most as many deviations; of those that are left each is as near
        to the dull option, and to the begin of the run, as it could be brought.
    """
    progress = True
    while progress:
        fewer = _fewest(bad, tries)
        progress = len(fewer.choices.deviations) < len(bad.choices.deviations)
        bad = fewer
        for candidate in _duller(bad):
            smaller = tries.run(bad.scenario, bad.menu, bad, Replay(candidate))
            if smaller is not None:
                bad, progress = smaller, True
                break
    return bad


def _fewest(bad: Run, tries: Tries) -> Run:
    step = len(bad.choices.deviations)
    while step >= 1:
        start, found = 0, False
        while start < len(bad.choices.deviations):
            positions = sorted(bad.choices.deviations)
            kept = (*positions[:start], *positions[start + step :])
            smaller = _with_only(bad, kept, tries)
            if smaller is None:
                start += step
            else:
                bad, found = smaller, True
        step = step if found and step == 1 else step // 2
    return bad


def _with_only(bad: Run, kept: Sequence[int], tries: Tries) -> Run | None:
    choices = bad.choices
    same = Replay({position: choices.deviations[position] for position in kept})
    for source in (same, Found(tuple(steps_of(bad, kept)))):
        made = tries.run(bad.scenario, bad.menu, bad, source)
        if made is not None:
            return made
        if not kept:  # then both are the run without deviations
            return None
    return None


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
