"""Exploring: many runs of one scenario, over all deviations up to a number or at random.

The runs are the same whoever asks: run 0 makes every dull choice, an exhaustive
exploration goes on by number of deviations, a random one by its seed. Only a time limit
makes their number a matter of the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

from agentsim.core import AgentsimError, NondeterminismError, UsageError
from agentsim.engine import Choices, Exhaustive, Replay, Series
from agentsim.faults import Fault, FaultRule
from agentsim.invariants import INVARIANTS
from agentsim.runtime import reference
from agentsim.simulation.agents import agent_name
from agentsim.simulation.exploring.capture import with_output
from agentsim.simulation.exploring.findings import (
    Exploration,
    ExplorationStopped,
    Failure,
)
from agentsim.simulation.exploring.independence import dependence, dependent
from agentsim.simulation.exploring.known import Known, KnownFailure, KnownFailures
from agentsim.simulation.exploring.sampling import Sampled
from agentsim.simulation.exploring.shrink import Tries, shrink
from agentsim.simulation.exploring.story import shortest_story
from agentsim.simulation.exploring.warming import warm_up
from agentsim.simulation.loading import Loading
from agentsim.simulation.menu import EXPLORING, Menu
from agentsim.simulation.run import Run, replay, run
from agentsim.simulation.scenario import Scenario
from agentsim.simulation.source.regression import regression_test
from agentsim.simulation.verdict import RUNS_INDEPENDENT, check_named

__all__ = ["RUNS", "explore"]

RUNS = 1_000
"""How many random runs an exploration makes, unless their number or time is given."""

SEED_STRIDE = 1_000_003
"""Keeps the runs of neighbouring seeds apart."""

UNSHRINKABLE = (RUNS_INDEPENDENT,)


def explore(
    scenario: Scenario,
    agent: Callable[..., Any] = reference,
    *,
    faults: Sequence[FaultRule | Fault | str] | None = None,
    deviations: int | None = None,
    runs: int | None = None,
    time_s: float | None = None,
    seed: int = 0,
    menu: Menu = EXPLORING,
    named: Collection[str] = (),
    known: str | Path | None = None,
    smallest: bool = True,
    on_run: Callable[[Run], None] | None = None,
    on_progress: Callable[[Exploration], None] | None = None,
) -> Exploration:
    """Run a scenario many times on an agent, and keep what was violated.

    The first run is made twice, and each violating run once more: an agent whose runs
    are not independent violates `runs-independent`, and is explored no further where
    it does not even meet the same choices again. Before all that an agent of one's own
    is run once unseen, and a run in which it loads modules is made again, since SDKs do
    much in their first call that they do only once in a process.

    Args:
        faults: Take the place of the menu's faults, and each must have struck. A rule
            (`answer_lost("create_payment")`), its text, a fault or its name.
        deviations: Explore exhaustively all runs with up to that many deviations;
            None for random runs.
        runs: At most so many runs (random: 1,000, unless a time is given).
        time_s: Begin no run after so many real seconds. Making the failures smaller
            comes on top.
        seed: Seed of the random runs.
        named: What else must have been met: faults, invariants, `cancel`, `crash`.
        known: Folder that keeps known failures, such as `.agentsim`: those of this
            scenario, agent and menu are replayed first, and kept up to date.
        smallest: Whether failures are made as small as they get, which takes some
            hundred runs each; else they stay as they were found.
        on_run: Is told each run.
        on_progress: Is told what was found so far, after each run: for a progress bar.

    Raises:
        UsageError: for a negative number, or no run at all.
        ExplorationStopped: by Ctrl-C, a `KeyboardInterrupt` with what was found so far.
    """
    for name, value, least in (("deviations", deviations, 0), ("runs", runs, 1)):
        given: object = value
        if given is not None and not (isinstance(given, int) and given >= least):
            raise UsageError(
                f"{name}: expected a whole number of {least} or more, got {value!r}"
            )
    if time_s is not None and not time_s > 0:
        raise UsageError(f"time_s: expected more than 0 seconds, got {time_s!r}")
    if faults is not None:
        menu = replace(menu, faults=faults)
        named = (*(rule.text for rule in menu.rules), *named)
    check_named(named)
    explorer = _Explorer(Exploration(scenario, "", menu), agent, runs, time_s)
    explorer.on_run, explorer.on_progress = on_run, on_progress
    found = explorer.found
    store = None
    if known is not None:
        store = KnownFailures(known, scenario, agent_name(agent), menu)
        found.known = Known()
    try:
        with Series():
            explorer.warm_up()
            if store is not None:
                explorer.replay_known(store)
            if deviations is None:
                explorer.draw(seed)
            else:
                explorer.enumerate(Exhaustive(deviations))
            explorer.close(named)
            if smallest:
                explorer.shrink()
    except KeyboardInterrupt as error:
        found.stopped_by, found.complete = "keyboard", False
        explorer.close(named)
        raise ExplorationStopped(found) from error
    finally:
        if store is not None:
            explorer.keep_known(store)
    return found


class _Explorer:
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
        self._rules: dict[str, None] | None = None
        self._first: Run | None = None
        self._closed = False

    def warm_up(self) -> None:
        """Make one run that does not count."""
        made = warm_up(self.found.scenario, self._agent, self.found.menu)
        if made is not None:
            self.found.note(made)
        self._started = time.perf_counter()

    def replay_known(self, store: KnownFailures) -> None:
        """Make the known failures again: no runs of the exploration, but its findings."""
        found = self.found
        assert found.known is not None
        for entry in store.load():
            try:
                made = replay(found.scenario, entry.token, self._agent, menu=found.menu)
            except AgentsimError:
                found.known.dropped.append(entry)
                continue
            found.note(made)
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

    def draw(self, seed: int) -> None:
        """Make random runs."""
        found = self.found
        if self._runs is None and self._time_s == inf:
            self._runs = RUNS

        def sources() -> Iterator[Callable[[], Choices]]:
            yield lambda: Replay({})
            assert self._first is not None
            made = len(self._first.choices.arities)
            for number in count(seed * SEED_STRIDE + 1):
                yield partial(Sampled, number, found.menu, choices=made)

        for sampled in sources():
            if self._is_over():
                return
            self._make(sampled(), sampled)
            self._tell()

    def enumerate(self, tree: Exhaustive) -> None:
        """Make the runs of a tree."""
        found = self.found
        try:
            while not self._is_over() and (source := tree.next()) is not None:
                tree.done(self._make(source, partial(tree.again, source)))
                found.deviations_left = tree.left
                self._tell()
        except NondeterminismError as error:
            assert self._first is not None  # the first run has no parent to differ from
            found.keep(dependent(self._first, str(error)), only=RUNS_INDEPENDENT)
            found.stopped_by = "dependence"
        finally:
            found.complete, found.deviations_left = tree.complete, tree.left
            if found.complete:
                found.stopped_by = None

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

    def shrink(self) -> None:
        """Make every failure as small as it gets."""
        found = self.found
        for failure in list(found.failures):
            if failure.invariant in UNSHRINKABLE:
                continue
            if self._check_independence(failure.run):
                self._shrink(failure)

    def _shrink(self, failure: Failure) -> None:
        agent = self._agent
        tries = Tries(agent, failure.invariant, failure.kind)
        least = shrink(failure.run, tries)
        failure.run = with_output(least, agent)
        among = [entry.id for entry in least.verdict.violated]
        tries = Tries(agent, failure.invariant, failure.kind, among=among)
        failure.story = shortest_story(least, tries)
        failure.test = regression_test(
            failure.story, agent, invariant=failure.invariant
        )
        failure.shrunk = True

    @property
    def _elapsed_s(self) -> float:
        return time.perf_counter() - self._started

    def _is_over(self) -> bool:
        """Whether the runs or the time are used up; one run is always made."""
        found = self.found
        if self._runs is not None and found.runs >= self._runs:
            found.stopped_by = "runs"
        elif found.runs and self._elapsed_s >= self._time_s:
            found.stopped_by = "time"
        return found.stopped_by is not None

    def _make(self, source: Choices, again: Callable[[], Choices]) -> Choices:
        """Make one run that counts, and give the choices that it made."""
        found, agent = self.found, self._agent
        loading = Loading(agent)
        made = run(found.scenario, agent, menu=found.menu, choices=source)
        found.note(made)
        if loading:
            made = run(found.scenario, agent, menu=found.menu, choices=again())
        if self._first is None:
            self._first = made
            self._check_independence(made)
        self._count(made)
        if self.on_run is not None:
            self.on_run(made)
        return made.choices

    def _tell(self) -> None:
        if self.on_progress is not None:
            self.found.elapsed_s = self._elapsed_s
            self.on_progress(self.found)

    def _check_independence(self, made: Run) -> bool:
        words = dependence(made, self._agent)
        if words is not None:
            self.found.keep(dependent(made, words), only=RUNS_INDEPENDENT)
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
        self._met.update(dict.fromkeys(made.met))
        if self._rules is None or self._rules:
            unmet = dict.fromkeys(made.unmet_rules)
            before = unmet if self._rules is None else self._rules
            self._rules = {name: None for name in before if name in unmet}
        if made.verdict.violated:
            found.violated_runs += 1
            found.keep(made)
