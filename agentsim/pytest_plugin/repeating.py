"""Making the runs of a test again: over all orders, at random, or by a token.

What is repeated is each `sim.run(...)`, with its scenario, agent and task as they were,
and never the function of the test: its assertions judge its own runs, the invariants
judge all.
"""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from agentsim.core import AgentsimError, NondeterminismError, UsageError
from agentsim.pytest_plugin.sim import Recorded
from agentsim.simulation import (
    SCRIPTED,
    Exploration,
    Menu,
    Run,
    explore,
    replay,
    with_output,
)

__all__ = ["Finding", "Plan", "Repeats", "judged", "replayed"]


class Finding(NamedTuple):
    """A run whose verdict does not hold, or what was named and never met.

    Attributes:
        elsewhere: Invariants that another finding tells.
    """

    run: Run | None
    unmet: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How the runs of a test are repeated.

    Attributes:
        menu: What may happen in the repeated runs.
        named: So many of the menu's faults, the first ones, must strike somewhere.
        deviations: Over all runs with at most so many; None: not so.
        runs: So many random ones for each run of the test; 0: none.
        known: The folder that keeps failures, which are made again first.
    """

    menu: Menu
    named: int = 0
    deviations: int | None = None
    runs: int = 0
    seed: int = 0
    known: Path | None = None

    @property
    def repeats(self) -> bool:
        """Whether there is anything to repeat."""
        return self.deviations is not None or self.runs > 0

    @property
    def flags(self) -> tuple[str, ...]:
        """The options that give this plan; those of the menu stand beside them."""
        flags = []
        if self.deviations is not None:
            flags.append(f"--agentsim-deviations={self.deviations}")
        if self.runs:
            flags += [f"--agentsim-runs={self.runs}", f"--agentsim-seed={self.seed}"]
        return tuple(flags)


def judged(recorded: Sequence[Recorded]) -> Iterator[Finding]:
    """The runs among these whose verdict does not hold."""
    for one in recorded:
        if one.run.verdict.status != "holds":
            yield Finding(one.run, one.run.verdict.unmet)


class Repeats:
    """The repeated runs of a test: what came of them, until an error ends them too.

    Attributes:
        findings: What they found.
        runs: How many were made.
        notes: What was met beside them.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.runs = 0
        self.notes: tuple[str, ...] = ()
        self._unmet: set[str] | None = None

    def make(self, recorded: Sequence[Recorded], plan: Plan) -> None:
        """Repeat runs as planned.

        Raises:
            AgentsimError: what ends a run, without the note of what was found before:
                that is among the findings.
        """
        for one in recorded:
            try:
                for exploration in _explorations(one, plan):
                    self._add(exploration)
            except AgentsimError as error:
                if error.found is not None:
                    self._add(error.found)
                    error.found.take_note_off(error)
                raise
        if not self.findings and plan.deviations:
            named = [rule.text for rule in plan.menu.rules[: plan.named]]
            missed = tuple(text for text in named if text in (self._unmet or ()))
            self.findings += [Finding(None, missed)] if missed else []

    def _add(self, found: Exploration) -> None:
        self.runs += found.runs
        self.notes += found.notes
        self.findings += (
            Finding(failure.run, elsewhere=found.elsewhere(failure))
            for failure in found.distinct_failures
        )
        never = set(found.never_struck)
        self._unmet = never if self._unmet is None else self._unmet & never


def replayed(
    recorded: Sequence[Recorded], token: str, plan: Plan
) -> Iterator[Finding] | None:
    """Make the run of a token again; None if it belongs to none of these runs.

    Raises:
        UsageError: what ended the run, if that is what the token is for.
    """
    for one in recorded:
        for menu in (SCRIPTED, plan.menu):
            try:
                with _quiet():
                    again = replay(one.scenario, token, one.agent, menu=menu)
            except (UsageError, NondeterminismError) as error:
                if isinstance(error, UsageError) and error.token == token:
                    raise  # what the run ended with
                continue  # made with another scenario or menu
            with _quiet():
                told = with_output(again, one.agent)
            return judged([Recorded(one.scenario, one.agent, told)])
    return None


def _explorations(one: Recorded, plan: Plan) -> Iterator[Exploration]:
    scenario, agent, menu = one.scenario, one.agent, plan.menu
    with _quiet():
        if plan.deviations is not None:
            yield explore(
                scenario,
                agent,
                deviations=plan.deviations,
                menu=menu,
                known=plan.known,
                stories=False,  # the test is one
            )
        if plan.runs:
            # The first run of an exploration makes every dull choice.
            runs = plan.runs + 1
            yield explore(
                scenario,
                agent,
                runs=runs,
                seed=plan.seed,
                menu=menu,
                known=plan.known,
                stories=False,  # the test is one
            )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Drop what agents print and log: of a thousand runs nobody can read it."""
    root = logging.getLogger()
    handlers, root.handlers = root.handlers, [logging.NullHandler()]
    nowhere = io.StringIO()
    try:
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            yield
    finally:
        root.handlers = handlers
