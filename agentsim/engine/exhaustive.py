"""Every run with at most so many deviations, each exactly once.

Runs come breadth first by their number of deviations. The children of a run deviate
only after its last deviation, and zeros follow; since a run is determined by its
deviations, no run comes twice, whatever the shape of the tree. A parent is kept as its
deviations and the arities that came after the last of them: a few bytes per choice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from agentsim.core import NondeterminismError, UsageError
from agentsim.engine.choices import Choices

__all__ = ["Exhaustive"]


class _Planned(Choices):
    """One run of the enumeration: the deviations of its parent and one more."""

    __slots__ = ("planned",)

    def __init__(self, planned: dict[int, int]) -> None:
        super().__init__()
        self.planned = planned

    def draw(self, position: int, label: str, arity: int) -> int:
        value = self.planned.get(position, 0)
        if value >= arity:
            raise NondeterminismError(
                f"the same choices gave another run: choice {position} had more than "
                f"{value} options before, now it is {label!r} with {arity} options"
            )
        return value

    def finish(self) -> None:
        missed = sorted(p for p in self.planned if p >= len(self.arities))
        if missed:
            raise NondeterminismError(
                f"the same choices gave another run: it reached choice {missed[0]} "
                f"before, now it ended after {len(self.arities)} choices"
            )


class _Parent(NamedTuple):
    """A run whose children are still to come: where they deviate and how far."""

    deviations: tuple[tuple[int, int], ...]
    first: int
    arities: array[int]

    @property
    def children(self) -> int:
        return sum(self.arities) - len(self.arities)

    def plans(self) -> Iterator[dict[int, int]]:
        """Yield the deviations of each child, by position, then by value."""
        for offset, arity in enumerate(self.arities):
            for value in range(1, arity):
                yield {**dict(self.deviations), self.first + offset: value}


class Exhaustive:
    """Enumerates the runs with at most `deviations` deviations.

        search = Exhaustive(2)
        while (choices := search.next()) is not None:
            ...                      # one run with `choices`
            search.done(choices)

    Several runs may be out at once: `next` then gives None while the rest of a level
    waits for the answers of the one before, and `complete` tells that from the end.

    Attributes:
        runs: How many runs are done.
    """

    def __init__(self, deviations: int) -> None:
        if deviations < 0:
            raise UsageError(f"deviations must be 0 or more, got {deviations}")
        self.runs = 0
        self._bound = deviations
        self._level = 0
        self._plans: Iterator[dict[int, int]] = iter([{}])
        self._left_in_level = 1
        self._next_level: list[_Parent] = []
        self._left_in_next_level = 0
        self._out = 0

    @property
    def complete(self) -> bool:
        """Whether every run within the bound is done."""
        return not (self._out or self._left_in_level or self._left_in_next_level)

    @property
    def left(self) -> tuple[int, bool]:
        """How many known runs are not done yet, and whether that is all of them.

        It is all of them once every run of the level before the last is done; until
        then there are at least so many.
        """
        known = self._out + self._left_in_level + self._left_in_next_level
        below = self._bound - self._level
        exact = below <= 0 or self.complete
        if below == 1:
            exact = exact or not (self._out or self._left_in_level)
        return known, exact

    def next(self) -> Choices | None:
        """Give the choices of the next run, or None when there is none now."""
        if not self._left_in_level and not self._out:
            self._descend()
        plan = next(self._plans, None)
        if plan is None:
            return None
        self._left_in_level -= 1
        self._out += 1
        return _Planned(plan)

    @staticmethod
    def again(source: Choices) -> Choices:
        """Give the choices of a run anew that is out and is made a second time."""
        assert isinstance(source, _Planned)
        return _Planned(source.planned)

    def done(self, source: Choices) -> None:
        """Take back the choices of a run that is over, with the log that it made.

        Raises:
            NondeterminismError: The run did not repeat the choices of its parent.
        """
        source.finish()
        self._out -= 1
        self.runs += 1
        if len(source.deviations) >= self._bound:
            return
        first = max(source.deviations, default=-1) + 1
        arities = array("I", source.arities[first:])
        if arities:
            parent = _Parent(tuple(source.deviations.items()), first, arities)
            self._next_level.append(parent)
            self._left_in_next_level += parent.children

    def _descend(self) -> None:
        """Go on with the children of the level that is done."""
        if not self._next_level:
            return
        parents, self._next_level = self._next_level, []
        self._left_in_level, self._left_in_next_level = self._left_in_next_level, 0
        self._level += 1
        self._plans = (plan for parent in parents for plan in parent.plans())
