"""Which runs an exploration makes: a series of plans, the same whoever makes the runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from agentsim.engine import Choices, Exhaustive, Replay
from agentsim.simulation.exploring.glance import Glance
from agentsim.simulation.exploring.sampling import Sampled
from agentsim.simulation.loading import Loading
from agentsim.simulation.menu import Menu
from agentsim.simulation.run import Run, run
from agentsim.simulation.scenario import Scenario

__all__ = [
    "SEED_STRIDE",
    "Drawn",
    "Dull",
    "Enumerated",
    "Listed",
    "Plan",
    "Plans",
    "Random",
    "make",
]

SEED_STRIDE = 1_000_003
"""Keeps the runs of neighbouring seeds apart."""


class Plan(Protocol):
    """What is chosen in one run: a few bytes, which any process makes the same of."""

    def source(self, menu: Menu) -> Choices:
        """The choices of the run, anew."""
        ...


@dataclass(frozen=True, slots=True)
class Dull:
    """The run without deviations."""

    def source(self, menu: Menu) -> Choices:  # noqa: ARG002
        """Dull choices."""
        return Replay({})


@dataclass(frozen=True, slots=True)
class Drawn:
    """A random run, see `Sampled`."""

    seed: int
    choices: int

    def source(self, menu: Menu) -> Choices:
        """Choices by the seed."""
        return Sampled(self.seed, menu, choices=self.choices)


@dataclass(frozen=True, slots=True)
class Listed:
    """A run of an enumeration; its own choices stay as they are, for others to be made."""

    choices: Choices

    def source(self, menu: Menu) -> Choices:  # noqa: ARG002
        """Choices with the same deviations."""
        return Exhaustive.again(self.choices)


class Plans(Protocol):
    """A series of plans. Several runs may be out at once; they are done in its order."""

    @property
    def left(self) -> tuple[int, bool] | None:
        """How many runs are left, and whether that is exact; None where nobody counts."""
        ...

    @property
    def complete(self) -> bool:
        """Whether every run there is was made."""
        ...

    def next(self) -> Plan | None:
        """The next plan; None where there is none, or none before those out are done."""
        ...

    def done(self, plan: Plan, seen: Glance) -> None:
        """Take back a plan whose run was made.

        Raises:
            NondeterminismError: by an enumeration, when the run is not as planned.
        """
        ...


class Random:
    """Random runs without end, after the one without deviations."""

    complete = False
    left = None

    def __init__(self, seed: int) -> None:
        self._number = seed * SEED_STRIDE
        self._is_first = True
        self._choices: int | None = None

    def next(self) -> Plan | None:
        """The dull run, and random ones once it is known how much there is to choose."""
        if self._is_first:
            self._is_first = False
            return Dull()
        if self._choices is None:
            return None
        self._number += 1
        return Drawn(self._number, self._choices)

    def done(self, plan: Plan, seen: Glance) -> None:  # noqa: ARG002
        """See how many choices the dull run made."""
        if self._choices is None:
            self._choices = len(seen.arities)


class Enumerated:
    """Every run with up to so many deviations."""

    def __init__(self, deviations: int) -> None:
        self._tree = Exhaustive(deviations)

    @property
    def left(self) -> tuple[int, bool]:
        """How many runs are left, and whether that is exact."""
        return self._tree.left

    @property
    def complete(self) -> bool:
        """Whether every run within the bound was made."""
        return self._tree.complete

    def next(self) -> Plan | None:
        """The next run of the tree, where it is known already."""
        choices = self._tree.next()
        return None if choices is None else Listed(choices)

    def done(self, plan: Plan, seen: Glance) -> None:
        """Let the tree grow by what the run offered."""
        assert isinstance(plan, Listed)
        choices = Exhaustive.again(plan.choices)
        choices.deviations = dict(seen.deviations)
        choices.arities = list(seen.arities)
        self._tree.done(choices)


def make(plan: Plan, scenario: Scenario, agent: Callable[..., Any], menu: Menu) -> Run:
    """Make a run as planned, and again where the agent loads modules in it."""
    loading = Loading(agent)
    made = run(scenario, agent, menu=menu, choices=plan.source(menu))
    if not loading:
        return made
    notes = made.notes
    made = run(scenario, agent, menu=menu, choices=plan.source(menu))
    return replace(made, notes=tuple(dict.fromkeys((*notes, *made.notes))))
