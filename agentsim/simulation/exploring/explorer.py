"""Takes down what the runs of an exploration show, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from math import inf
from typing import Any

from agentsim.core import (
    AgentsimError,
    HeldForEver,
    InternalError,
    NondeterminismError,
    TokenError,
    named_error,
)
from agentsim.invariants import INVARIANTS
from agentsim.simulation.exploring.ahead import Ahead, Crew, CrewDied, Made
from agentsim.simulation.exploring.capture import with_output
from agentsim.simulation.exploring.findings import Exploration, Failure
from agentsim.simulation.exploring.glance import Glance
from agentsim.simulation.exploring.independence import dependence, dependent
from agentsim.simulation.exploring.known import KnownFailure, KnownFailures
from agentsim.simulation.exploring.plans import Plan, Plans, make
from agentsim.simulation.exploring.shrink import Tries, shrink
from agentsim.simulation.exploring.story import shortest_story
from agentsim.simulation.exploring.warming import warm_up
from agentsim.simulation.run import Run, replay
from agentsim.simulation.source.regression import regression_test
from agentsim.simulation.verdict import RUNS_INDEPENDENT

__all__ = ["Explorer"]

UNSHRINKABLE = (RUNS_INDEPENDENT,)

_NO_MORE_RUNS = (CrewDied, HeldForEver, InternalError)
"""Errors after which failures stay as found: another run might end this process, take
half a minute, or go wrong by our own bug."""

_STRANGE = (
    "another process gave another trace, so that all runs were made in this one; "
    "agentsim doctor --determinism tells where the two part"
)


class Explorer:
    """Makes the runs, and takes down what they show."""

    def __init__(
        self,
        found: Exploration,
        agent: Callable[..., Any],
        runs: int | None,
        time_s: float | None,
    ) -> None:
        self.found = found
        self.on_run: Callable[[Run], None] | None = None
        self.on_progress: Callable[[Exploration], None] | None = None
        self._agent = agent
        self._runs = runs
        self._time_s = inf if time_s is None else time_s
        self._started = time.perf_counter()
        self._met: dict[str, None] = {}
        self._chosen: set[tuple[int, ...]] = set()
        self._rules: dict[str, None] | None = None
        self._first: Run | None = None
        self._closed = self._shrinks = False

    def warm_up(self) -> None:
        """Make one run that does not count."""
        made = warm_up(self.found.scenario, self._agent, self.found.menu)
        if made is not None:
            self.found.note(made.notes)
        self._started = time.perf_counter()

    def replay_known(self, store: KnownFailures) -> None:
        """Make the known failures again: no runs of the exploration, but its findings.

        Raises:
            UsageError: what a run of them ends with; it stays known.
        """
        found = self.found
        assert found.known is not None
        for entry in store.load():
            try:
                made = replay(found.scenario, entry.token, self._agent, menu=found.menu)
            except (TokenError, NondeterminismError):
                found.known.dropped.append(entry)
                continue
            found.note(made.notes)
            if any(bad.id == entry.invariant for bad in made.verdict.violated):
                found.known.failing.append(entry)
                found.keep(made, known=True)
            else:
                found.known.mended.append(entry)
        self._started = time.perf_counter()

    def keep_known(self, store: KnownFailures) -> None:
        """Let the next exploration begin with the failures of this one."""
        known = self.found.known
        assert known is not None
        entries = [
            KnownFailure(one.invariant, one.kind, one.run.token, one.run.words)
            for one in self.found.failures
            if one.invariant not in UNSHRINKABLE
        ]
        store.update(known.replayed, entries)
        known.notes += store.notes

    def explore(self, plans: Plans, crew: Crew) -> None:
        """Make the runs of a series, and count them in its order."""
        found = self.found
        ahead = Ahead(
            plans, crew, self._make, most=self._runs, is_late=lambda: self._is_late
        )
        try:
            for plan, made in ahead:
                is_first = self._first is None
                plans.done(plan, self._take_down(plan, made))
                if is_first and self._first is not None:
                    crew.expect(self._first)
                found.deviations_left = plans.left
                self._tell()
            found.stopped_by = "runs" if found.runs == self._runs else "time"
        except NondeterminismError as error:
            if self._first is None or plans.left is None:
                raise
            self._keep_dependent(self._first, str(error))
            found.stopped_by = "dependence"
        finally:
            found.complete, found.deviations_left = plans.complete, plans.left
            if found.complete:
                found.stopped_by = None
        if crew.strangers and self._first is not None:
            self._keep_dependent(self._first, _STRANGE)

    def close(self, named: Collection[str]) -> None:
        """Sum up what was never met, once the runs are over."""
        if self._closed:
            return
        self._closed = True
        found, met = self.found, self._met
        found.elapsed_s = self._elapsed_s
        menu = found.menu
        could_strike = [
            *(rule.text for rule in menu.rules),
            *(["cancel"] * menu.cancel),
            *(["crash"] * menu.crash),
        ]
        found.never_struck = tuple(name for name in could_strike if name not in met)
        found.no_evidence = tuple(name for name in INVARIANTS if name not in met)
        unmet = [name for name in dict.fromkeys(named) if name not in met]
        found.unmet = (*(self._rules or ()), *unmet)

    def end_by(self, error: Exception, *, smallest: bool, stories: bool) -> None:
        """Let an error that ends the exploration carry what was found before it."""
        found = self.found
        found.stopped_by, found.error, found.complete = "error", _words(error), False
        if smallest and not (self._shrinks or isinstance(error, _NO_MORE_RUNS)):
            self.shrink(stories=stories)
        if isinstance(error, AgentsimError):
            error.found = found
        if found.failures:
            error.add_note(found.error_note)

    def shrink(self, *, stories: bool) -> None:
        """Make every failure as small as it gets; `stories`: and its scenario, too."""
        self._shrinks = True
        found = self.found
        for failure in list(found.failures):
            if failure.invariant in UNSHRINKABLE:
                continue
            if self._check_independence(failure.run):
                self._shrink(failure)
                if stories:
                    self._shorten(failure)
        # The least run may be struck by another fault than those that were found.
        struck = {name for failure in found.failures for name in failure.run.met}
        never = (name for name in found.never_struck if name not in struck)
        found.never_struck = tuple(never)

    def _shrink(self, failure: Failure) -> None:
        tries = Tries(self._agent, failure.invariant, failure.kind)
        failure.run = with_output(shrink(failure.run, tries), self._agent)
        failure.shrunk = True

    def _shorten(self, failure: Failure) -> None:
        agent, least = self._agent, failure.run
        among = [entry.id for entry in least.verdict.violated]
        tries = Tries(agent, failure.invariant, failure.kind, among=among)
        failure.story = shortest_story(least, tries)
        failure.test = regression_test(
            failure.story, agent, invariant=failure.invariant
        )

    @property
    def _elapsed_s(self) -> float:
        return time.perf_counter() - self._started

    @property
    def _is_late(self) -> bool:
        """Whether the time is over; one run is always made."""
        return self.found.runs > 0 and self._elapsed_s >= self._time_s

    def _make(self, plan: Plan) -> Run:
        return make(plan, self.found.scenario, self._agent, self.found.menu)

    def _take_down(self, plan: Plan, made: Made) -> Glance:
        """Count a run."""
        if made is None:
            made = self._make(plan)
        elif isinstance(made, Glance):
            self.found.note(made.notes)
            if not self._is_news(made):
                self._count(made)
                return made
            made = self._made_again(plan, made)
        self.found.note(made.notes)
        if self._first is None:
            self._first = made
            self.found.agent = made.agent
            self._check_independence(made)
        seen = Glance.of(made)
        self._count(seen, made)
        if self.on_run is not None:
            self.on_run(made)
        return seen

    def _tell(self) -> None:
        if self.on_progress is not None:
            self.found.elapsed_s = self._elapsed_s
            self.on_progress(self.found)

    def _check_independence(self, made: Run) -> bool:
        words = dependence(made, self._agent)
        if words is not None:
            self._keep_dependent(made, words)
        return words is None

    def _is_news(self, seen: Glance) -> bool:
        """Whether a run that was made elsewhere is wanted whole."""
        found = self.found
        return (seen.parts is not None and self._is_met_first(seen)) or any(
            found.is_new(invariant, kind) for invariant, kind in seen.kinds
        )

    def _is_met_first(self, seen: Glance) -> bool:
        """Whether anything struck that struck in no run before."""
        return any(name not in self._met for name in seen.struck)

    def _made_again(self, plan: Plan, seen: Glance) -> Run:
        """Make a run here that was made elsewhere, and see whether it is the same."""
        made = self._make(plan)
        here = Glance.of(made)
        words = seen.parts
        if words is None and not here.is_like(seen):
            words = (
                f"it ended {here.ending} in this process, and {seen.ending} in another"
            )
        if words is not None:
            self._keep_dependent(made, words)
        return made

    def _keep_dependent(self, made: Run, words: str) -> None:
        """Take down that a run does not repeat."""
        self.found.keep(dependent(made, words), only=RUNS_INDEPENDENT)

    def _count(self, seen: Glance, made: Run | None = None) -> None:
        found, met = self.found, self._met
        found.runs += 1
        chosen = seen.deviations
        self._chosen.add((*chosen, *chosen.values()))  # flat: there may be a million
        found.different = len(self._chosen)
        found.endings[seen.ending] = found.endings.get(seen.ending, 0) + 1
        if made is not None and self._is_met_first(seen):
            # Of each kind of trouble one run is made twice: an agent may well be
            # unrepeatable only where something went wrong.
            self._check_independence(made)
        met.update(dict.fromkeys(seen.met))
        if self._rules is None or self._rules:
            unmet = dict.fromkeys(seen.unmet_rules)
            before = unmet if self._rules is None else self._rules
            self._rules = {name: None for name in before if name in unmet}
        if seen.kinds:
            found.violated_runs += 1
            found.keep_kinds(seen.kinds, made)


def _words(error: Exception) -> str:
    """An error in words: ours are sentences."""
    return str(error) if isinstance(error, AgentsimError) else named_error(error)
