"""Runs made before it is their turn, here and in workers, and handed over in turn.

Whoever makes a run makes the same of it. So all that counts is that the runs are counted
in the order of their series: the report then does not hang on who was faster.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Protocol

from agentsim.core import UsageError
from agentsim.simulation.exploring.glance import Glance
from agentsim.simulation.exploring.plans import Plan, Plans
from agentsim.simulation.run import Run

__all__ = ["AHEAD_MAX", "Ahead", "Alone", "Crew", "CrewDied", "Made"]

AHEAD_MAX = 64
"""Runs that are made here while one that comes before them is waited for."""

Made = Run | Glance | None
"""A run as it was made here, or elsewhere; None: it is to be made here, in its turn."""


class CrewDied(UsageError):
    """Somebody who made runs elsewhere died: this process may die of the same run."""


class Crew(Protocol):
    """Those who make runs elsewhere. Runs are numbered, and given in order."""

    @property
    def out(self) -> Collection[int]:
        """Numbers of the runs that were given and have not come back."""
        ...

    @property
    def begun(self) -> Collection[int]:
        """Those of them that somebody is at, and not only has before him."""
        ...

    @property
    def strangers(self) -> int:
        """How many of them don't make the same of the first run: they make no others."""
        ...

    def expect(self, first: Run) -> None:
        """Say what the first run is, which is made here."""
        ...

    def room(self, left: int | None) -> int:
        """How many runs they could do with now.

        Args:
            left: How many there still are, as far as is known.
        """
        ...

    def give(self, runs: Sequence[tuple[int, Plan]]) -> None:
        """Have runs made; at most as many as there is room for."""
        ...

    def receive(self, *, wait: bool) -> Sequence[tuple[int, Glance | CrewDied | None]]:
        """What came back; None for a run that is to be made here.

        That somebody died of a run stands in its place: those before it count.

        Args:
            wait: Whether to wait until something comes.

        Raises:
            UsageError: when somebody could not begin, or died of no run.
        """
        ...

    def end(self) -> None:
        """Send all of them home, whatever they do; again does nothing."""
        ...


class Alone:
    """Nobody else: every run is made here."""

    out: tuple[int, ...] = ()
    begun: tuple[int, ...] = ()
    strangers = 0

    def expect(self, first: Run) -> None:
        """Nobody asks."""

    def room(self, left: int | None) -> int:  # noqa: ARG002
        """There is nobody."""
        return 0

    def give(self, runs: Sequence[tuple[int, Plan]]) -> None:
        """Never asked for."""
        raise NotImplementedError

    def receive(self, *, wait: bool) -> tuple[()]:  # noqa: ARG002
        """Nothing."""
        return ()

    def end(self) -> None:
        """Nothing to do."""


class Ahead:
    """Has the runs of a series made, and hands them over in its order.

    Args:
        plans: The series.
        crew: Who makes runs elsewhere; the first one is made here.
        make: Makes one here.
        most: How many there may be, or None.
        is_late: Whether no run may begin any more. Those that were begun are waited for.
    """

    def __init__(
        self,
        plans: Plans,
        crew: Crew,
        make: Callable[[Plan], Run],
        *,
        most: int | None,
        is_late: Callable[[], bool],
    ) -> None:
        self._plans = plans
        self._crew = crew
        self._make = make
        self._most = most
        self._is_late = is_late
        self._planned: dict[int, Plan] = {}
        self._ready: dict[int, Made | CrewDied] = {}
        self._is_over = False
        self._next = self._turn = 0
        self._last: Collection[int] | None = None

    def __iter__(self) -> Iterator[tuple[Plan, Made]]:
        """The runs with their plans; each is to be counted before the next is asked for.

        Raises:
            UsageError: in its turn, what makes a run impossible.
        """
        while True:
            while self._turn not in self._ready:
                if not (self._go_on() or self._wait()):
                    return
            plan = self._planned.pop(self._turn)
            made = self._ready.pop(self._turn)
            if isinstance(made, CrewDied):
                raise made
            self._turn += 1
            yield plan, made

    def _go_on(self) -> bool:
        """Give runs to whoever wants some, and make one here; False if there is none."""
        if self._last is not None or self._is_late():
            return False
        crew = self._crew
        if self._next:  # the first run is made here
            self._share(crew.room(self._left))
        plan = self._take() if self._next - self._turn < AHEAD_MAX else None
        if plan is None:
            return False
        number = self._next - 1
        try:
            self._ready[number] = self._make(plan)
        except Exception:
            if number == self._turn:
                raise
            self._ready[number] = None  # those before it have their say first
        self._keep(crew.receive(wait=False))
        return True

    def _share(self, room: int) -> None:
        """Have some runs made elsewhere."""
        given: list[tuple[int, Plan]] = []
        while len(given) < room and (plan := self._take()) is not None:
            given.append((self._next - 1, plan))
        if given:
            self._crew.give(given)

    def _wait(self) -> bool:
        """Wait for the run whose turn it is; False if nobody makes it."""
        crew = self._crew
        if self._last is None and self._is_late():
            self._last = crew.begun
        if self._turn not in (crew.out if self._last is None else self._last):
            return False
        came = crew.receive(wait=True)
        if self._last is not None:  # those not begun in time do not count
            came = [entry for entry in came if entry[0] in self._last]
        self._keep(came)
        return True

    def _keep(self, came: Sequence[tuple[int, Made | CrewDied]]) -> None:
        self._ready.update(came)
        # Of the runs after such an end none counts, and any may end this process, too.
        self._is_over |= any(isinstance(what, CrewDied) for _, what in came)

    def _take(self) -> Plan | None:
        if self._is_over or self._next == self._most:
            return None
        plan = self._plans.next()
        if plan is not None:
            self._planned[self._next] = plan
            self._next += 1
        return plan

    @property
    def _left(self) -> int | None:
        """How many runs are still to be given, as far as is known."""
        left = None if self._most is None else self._most - self._next
        known = self._plans.left
        if known is None:
            return left
        there = known[0] - (self._next - self._turn)
        return there if left is None else min(left, there)
