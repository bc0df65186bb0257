"""Exploring: many runs of one scenario, over all deviations up to a number or at random.

The runs are the same whoever asks: run 0 makes every dull choice, an exhaustive
exploration goes on by number of deviations, a random one by its seed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from agentsim.core import InvariantViolation, NondeterminismError, UsageError
from agentsim.engine import Choices, Exhaustive, Replay
from agentsim.invariants import INVARIANTS, VerdictStatus
from agentsim.runtime import reference
from agentsim.simulation.exploring.independence import dependence, dependent
from agentsim.simulation.exploring.sampling import Sampled
from agentsim.simulation.exploring.shrink import shrink
from agentsim.simulation.menu import EXPLORING, Menu
from agentsim.simulation.run import Run, run
from agentsim.simulation.scenario import Scenario
from agentsim.simulation.verdict import RUNS_INDEPENDENT, check_named

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
        violations: The first run that violates each invariant, shrunk. One that can't
            be repeated stands under `runs-independent`.
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
    def status(self) -> VerdictStatus:
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

    The first run is made twice, and each violating run once more: an agent whose runs
    are not independent violates `runs-independent`, and is explored no further where
    it does not even meet the same choices again.

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
    check_named(named)
    explorer = _Explorer(Exploration(scenario, "", menu), agent, on_run)
    started = time.perf_counter()
    if deviations is None:
        explorer.make(_random(scenario, menu, seed, runs or RUNS))
    else:
        explorer.enumerate(Exhaustive(deviations), runs)
    explorer.found.elapsed_s = time.perf_counter() - started
    explorer.close(named)
    return explorer.found


def _random(scenario: Scenario, menu: Menu, seed: int, runs: int) -> Iterator[Choices]:
    injections = len(scenario.inject)
    yield Replay({})
    for number in range(1, runs):
        yield Sampled(seed * SEED_STRIDE + number, menu, injections=injections)


class _Explorer:
    """Makes the runs, and takes down what they show."""

    def __init__(
        self,
        found: Exploration,
        agent: Callable[..., Any],
        on_run: Callable[[Run], None] | None,
    ) -> None:
        self.found = found
        self._agent = agent
        self._on_run = on_run
        self._met: dict[str, None] = {}
        self._rules: dict[str, None] | None = None
        self._first: Run | None = None

    def enumerate(self, tree: Exhaustive, runs: int | None) -> None:
        """Make the runs of a tree, all or at most so many."""

        def sources() -> Iterator[Choices]:
            while runs is None or tree.runs < runs:
                source = tree.next()
                if source is None:
                    return
                yield source
                tree.done(source)

        try:
            self.make(sources())
        except NondeterminismError as error:
            assert self._first is not None  # the first run has no parent to differ from
            self._keep(RUNS_INDEPENDENT, dependent(self._first, str(error)))
        self.found.complete, self.found.deviations_left = tree.complete, tree.left

    def make(self, sources: Iterator[Choices]) -> None:
        """Make a run with each source of choices."""
        found = self.found
        for source in sources:
            made = run(found.scenario, self._agent, menu=found.menu, choices=source)
            if self._first is None:
                self._first = made
                self._check_independence(made)
            self._count(made)
            if self._on_run is not None:
                self._on_run(made)

    def close(self, named: Collection[str]) -> None:
        """Sum up what was never met, and shrink what was violated."""
        found, met = self.found, self._met
        menu = found.menu
        could_strike = [
            *(rule.text for rule in menu.rules),
            *(["cancel"] * menu.cancel),
            *(["crash"] * menu.crash),
        ]
        found.never_struck = tuple(name for name in could_strike if name not in met)
        found.no_evidence = tuple(name for name in INVARIANTS if name not in met)
        unmet = [name for name in named if name not in met]
        found.unmet = (*(self._rules or ()), *unmet)
        for name, bad in list(found.violations.items()):
            if name != RUNS_INDEPENDENT and self._check_independence(bad):
                found.violations[name] = shrink(bad, name, self._agent)

    def _check_independence(self, made: Run) -> bool:
        words = dependence(made, self._agent)
        if words is not None:
            self._keep(RUNS_INDEPENDENT, dependent(made, words))
        return words is None

    def _count(self, made: Run) -> None:
        found = self.found
        found.runs += 1
        found.agent = made.agent
        outcome = made.outcome
        ending = outcome.status if outcome.status is not None else outcome.ending
        found.endings[ending] = found.endings.get(ending, 0) + 1
        if any(name not in self._met for name in made.struck):
            # Of each kind of trouble one run is made twice: an agent may well be
            # unrepeatable only where something went wrong.
            self._check_independence(made)
        for name in made.met:
            self._met[name] = None
        if self._rules is None or self._rules:
            unmet = dict.fromkeys(made.unmet_rules)
            before = unmet if self._rules is None else self._rules
            self._rules = {name: None for name in before if name in unmet}
        violated = made.verdict.violated
        found.violated_runs += bool(violated)
        for judgement in violated:
            self._keep(judgement.id, made)

    def _keep(self, name: str, made: Run) -> None:
        self.found.violations.setdefault(name, made)
