"""Exploring: many runs of one scenario, over all deviations up to a number or at random.

The runs are the same whoever asks: run 0 makes every dull choice, an exhaustive
exploration goes on by number of deviations, a random one by its seed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from agentsim.core import InvariantViolation, UsageError, did_you_mean
from agentsim.engine import Choices, Exhaustive, Replay, Seeded
from agentsim.faults import CATALOGUE
from agentsim.invariants import INVARIANTS, Status
from agentsim.runtime import reference
from agentsim.simulation.menu import EXPLORING, Menu
from agentsim.simulation.run import Run, run
from agentsim.simulation.scenario import Scenario
from agentsim.simulation.shrink import shrink

__all__ = ["RUNS", "Exploration", "explore"]

RUNS = 1_000
"""How many random runs an exploration makes unless told otherwise."""

SEED_STRIDE = 1_000_003
"""Keeps the runs of neighbouring seeds apart."""


@dataclass(slots=True)
class Exploration:
    """What an exploration found.

    Attributes:
        runs: Runs made.
        complete: Whether every run within the bound of deviations was made.
        deviations_left: How many runs within the bound are left, and whether that is
            exact; None for a random exploration, which has no bound.
        violations: The first run that violates each invariant, shrunk.
        violated_runs: How many runs violated anything.
        endings: How often runs ended in which way, by status or ending.
        never_struck: Faults, cancellation and crash of the menu that never happened.
        no_evidence: Invariants that met no evidence in any run.
        unmet: What was named and never met: it makes the verdict unknown.
        elapsed_s: Real seconds that the runs took.
    """

    scenario: Scenario
    agent: str
    menu: Menu
    runs: int = 0
    complete: bool = False
    deviations_left: tuple[int, bool] | None = None
    violations: dict[str, Run] = field(default_factory=dict)
    violated_runs: int = 0
    endings: dict[str, int] = field(default_factory=dict)
    never_struck: tuple[str, ...] = ()
    no_evidence: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    elapsed_s: float = 0.0

    @property
    def status(self) -> Status:
        """Violated if any run is; unknown if something named was never met."""
        if self.violations:
            return "violated"
        return "unknown" if self.unmet else "holds"

    @property
    def runs_per_s(self) -> float:
        """Runs per real second."""
        return self.runs / self.elapsed_s if self.elapsed_s else 0.0

    def expect_holds(self) -> Exploration:
        """Return the exploration if its verdict holds.

        Raises:
            InvariantViolation: with the failure text of the first violating run, or
                with what was named and never met.
        """
        for found in self.violations.values():
            found.expect_holds()
        if self.unmet:
            raise InvariantViolation(f"unknown: never met: {', '.join(self.unmet)}")
        return self


def explore(
    scenario: Scenario,
    agent: Callable[..., Any] = reference,
    *,
    deviations: int | None = None,
    runs: int | None = None,
    seed: int = 0,
    menu: Menu = EXPLORING,
    named: Collection[str] = (),
    on_run: Callable[[Run], None] | None = None,
) -> Exploration:
    """Run a scenario many times on an agent, and keep what was violated.

    Args:
        deviations: Explore exhaustively all runs with up to that many deviations;
            None for random runs.
        runs: At most so many runs (random: 1,000 unless told otherwise).
        seed: Seed of the random runs.
        named: Faults, invariants, `cancel` or `crash` that must have been met.
        on_run: Is told each run, for a progress bar.

    Raises:
        UsageError: for a negative number, or no run at all.
    """
    for name, value, least in (("deviations", deviations, 0), ("runs", runs, 1)):
        if value is not None and value < least:
            raise UsageError(f"{name}: expected {least} or more, got {value}")
    _check_named(named)
    found = Exploration(scenario, "", menu)
    tree = Exhaustive(deviations) if deviations is not None else None
    sources = (
        _exhaustive(tree, runs) if tree is not None else _random(seed, runs or RUNS)
    )
    met: dict[str, None] = {}
    started = time.perf_counter()
    for source in sources:
        made = run(scenario, agent, menu=menu, choices=source)
        _count(found, made, met)
        if on_run is not None:
            on_run(made)
    found.elapsed_s = time.perf_counter() - started
    if tree is not None:
        found.complete, found.deviations_left = tree.complete, tree.left
    _close(found, met, named)
    found.violations = {
        name: shrink(bad, name, agent) for name, bad in found.violations.items()
    }
    return found


def _check_named(named: Collection[str]) -> None:
    known = (*CATALOGUE, *INVARIANTS, "cancel", "crash")
    for name in named:
        if name not in known:
            raise UsageError(
                f"named: expected a fault, an invariant, cancel or crash, got {name!r}"
                f"{did_you_mean(name, known)}"
            )


def _exhaustive(tree: Exhaustive, runs: int | None) -> Iterator[Choices]:
    while runs is None or tree.runs < runs:
        source = tree.next()
        if source is None:
            return
        yield source
        tree.done(source)


def _random(seed: int, runs: int) -> Iterator[Choices]:
    yield Replay({})
    for number in range(1, runs):
        yield Seeded(seed * SEED_STRIDE + number)


def _count(found: Exploration, made: Run, met: dict[str, None]) -> None:
    found.runs += 1
    found.agent = made.agent
    outcome = made.outcome
    ending = outcome.status if outcome.status is not None else outcome.ending
    found.endings[ending] = found.endings.get(ending, 0) + 1
    for name in made.met:
        met[name] = None
    violated = made.verdict.violated
    found.violated_runs += bool(violated)
    for judgement in violated:
        best = found.violations.get(judgement.id)
        if best is None:
            found.violations[judgement.id] = made


def _close(found: Exploration, met: dict[str, None], named: Collection[str]) -> None:
    menu = found.menu
    could_strike = [
        *menu.faults,
        *(["cancel"] * menu.cancel),
        *(["crash"] * menu.crash),
    ]
    found.never_struck = tuple(name for name in could_strike if name not in met)
    found.no_evidence = tuple(name for name in INVARIANTS if name not in met)
    found.unmet = tuple(name for name in named if name not in met)
