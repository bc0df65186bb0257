"""One drawn simulation: run it on an agent, and what it finds is printed as a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, NoReturn, Protocol

from agentsim.core import InternalError, InvariantViolation
from agentsim.providers import call, say
from agentsim.runtime import reference
from agentsim.simulation import Menu, Run, Scenario, expression_of, regression_test, run
from agentsim.testing.choices import Drawn
from agentsim.world import Disk

__all__ = ["DrawnRun", "Simulation", "raise_violation", "warm_up"]


class _Printer(Protocol):
    """What Hypothesis prints examples by."""

    def text(self, text: str) -> None: ...
    def break_(self) -> None: ...


@dataclass(frozen=True, repr=False)
class Simulation:
    """A scenario, what may happen beside it, and the deviations to make.

    Attributes:
        deviations: Position -> value, as `Drawn` takes them.
    """

    scenario: Scenario
    menu: Menu = field(default_factory=Menu)
    deviations: Mapping[int, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return expression_of(self)

    def _repr_pretty_(self, printer: _Printer, cycle: bool) -> None:  # noqa: FBT001, ARG002
        """Print it in the report of Hypothesis, which else prints field by field."""
        for number, line in enumerate(repr(self).splitlines()):
            if number:
                printer.break_()
            printer.text(line)

    def run(self, agent: Callable[..., Any] = reference) -> DrawnRun:
        """Run it on an agent, and judge what happened.

        How it ended and which faults struck is counted in Hypothesis's statistics
        (`pytest --hypothesis-show-statistics`).

        Raises:
            UsageError: for what a simulation does not offer (threads, sockets).
        """
        made = run(self.scenario, agent, menu=self.menu, choices=Drawn(self.deviations))
        _count(made)
        values = {entry.name: getattr(made, entry.name) for entry in fields(Run)}
        return DrawnRun(**values, runnable=agent)


@dataclass(frozen=True, repr=False)
class DrawnRun(Run):
    """A run of a drawn simulation.

    Attributes:
        runnable: The agent itself.
    """

    runnable: Callable[..., Any] = field(kw_only=True)

    def expect_holds(self) -> DrawnRun:
        """Return the run if its verdict holds.

        Raises:
            InvariantViolation: with the failure text, and the run as a test in its
                notes.
        """
        if self.verdict.status != "holds":
            raise_violation(self, regression_test(self, self.runnable))
        return self


def raise_violation(made: Run, test: str) -> NoReturn:
    """Raise what a run that does not hold is told by, with a test in its notes."""
    try:
        Run.expect_holds(made)
    except InvariantViolation as error:
        error.add_note(f"As a test of its own:\n\n{test}")
        raise
    raise InternalError(
        f"a run is {made.verdict.status}, and expect_holds() let it pass"
    )


@cache
def warm_up() -> None:
    """Run something once in this process.

    The first run imports much and takes longer than Hypothesis allows an example; this
    is done where the strategy is made, which no deadline measures.
    """
    script = [call("check_disk"), say("Half full.")]
    made = run(Scenario("How full is it?", script, world=[Disk()]), reference)
    regression_test(made, reference)


def _count(made: Run) -> None:
    from hypothesis import currently_in_test_context, event

    if currently_in_test_context():
        outcome = made.outcome
        event(f"ended: {outcome.status or outcome.ending}")
        for name in made.struck:
            event(f"struck: {name}")
