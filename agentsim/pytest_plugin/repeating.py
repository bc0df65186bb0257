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

from agentsim.core import NondeterminismError, UsageError
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

__all__ = ["Finding", "Plan", "judged", "repeated", "replayed"]


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


def repeated(
    recorded: Sequence[Recorded], plan: Plan
) -> tuple[list[Finding], int, tuple[str, ...]]:
    """Repeat runs as planned; the findings, how many runs were made, and their notes."""
    findings: list[Finding] = []
    unmet: set[str] | None = None
    runs = 0
    notes: tuple[str, ...] = ()
    for one in recorded:
        for exploration in _explorations(one, plan):
            runs += exploration.runs
            notes += exploration.notes
            findings += (
                Finding(failure.run, elsewhere=exploration.elsewhere(failure))
                for failure in exploration.distinct_failures
            )
            never = set(exploration.never_struck)
            unmet = never if unmet is None else unmet & never
    if not findings and plan.deviations:
        named = [rule.text for rule in plan.menu.rules[: plan.named]]
        missed = tuple(text for text in named if text in (unmet or ()))
        findings += [Finding(None, missed)] if missed else []
    return findings, runs, notes


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
