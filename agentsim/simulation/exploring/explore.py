"""Exploring: many runs of one scenario, over all deviations up to a number or at random.

The runs are the same whoever asks: run 0 makes every dull choice, an exhaustive
exploration goes on by number of deviations, a random one by its seed. Only a time limit
makes their number a matter of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsim.core import UsageError
from agentsim.engine import Series
from agentsim.faults import Fault, FaultRule
from agentsim.runtime import reference
from agentsim.simulation.agents import agent_name
from agentsim.simulation.exploring.ahead import Alone, Crew
from agentsim.simulation.exploring.explorer import Explorer
from agentsim.simulation.exploring.findings import Exploration, ExplorationStopped
from agentsim.simulation.exploring.known import Known, KnownFailures
from agentsim.simulation.exploring.plans import Enumerated, Plans, Random
from agentsim.simulation.menu import EXPLORING, Menu
from agentsim.simulation.run import Run
from agentsim.simulation.scenario import Scenario
from agentsim.simulation.verdict import check_named

__all__ = ["RUNS", "explore"]

RUNS = 1_000
"""How many random runs an exploration makes, unless their number or time is given."""

WORKERS_MAX = 64


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
    stories: bool = True,
    workers: int = 1,
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
        stories: Whether the shortest story of each is looked for as well, by as many
            runs again.
        workers: How many processes make the runs, this one among them; up to 64. They
            find the same, sooner.
        on_run: Is told each run; they must all be made in this process for it.
        on_progress: Is told what was found so far, after each run: for a progress bar.

    Raises:
        UsageError: for a negative number, or no run at all; when a worker ends, or can't
            have the agent; for what ends a run. Its `found`, like that of every error of
            ours, is the exploration until then, and its last note tells the failures.
        ExplorationStopped: by Ctrl-C, a `KeyboardInterrupt` with what was found so far.
    """
    _check_number("deviations", deviations, 0)
    _check_number("runs", runs, 1)
    _check_number("workers", workers, 1)
    if workers > WORKERS_MAX:
        raise UsageError(f"workers: expected {WORKERS_MAX} at most, got {workers}")
    if workers > 1 and on_run is not None:
        raise UsageError(
            "on_run: whole runs stay where they are made: leave it out, or leave "
            "workers at 1"
        )
    if time_s is not None and not time_s > 0:
        raise UsageError(f"time_s: expected more than 0 seconds, got {time_s!r}")
    if faults is not None:
        menu = replace(menu, faults=faults)
        named = (*(rule.text for rule in menu.rules), *named)
    check_named(named)
    plans: Plans
    if deviations is not None:
        plans = Enumerated(deviations)
    else:
        plans = Random(seed)
        if runs is None and time_s is None:
            runs = RUNS
    found = Exploration(scenario, agent_name(agent), menu)
    explorer = Explorer(found, agent, runs, time_s)
    explorer.on_run, explorer.on_progress = on_run, on_progress
    store = None
    if known is not None:
        store = KnownFailures(known, scenario, agent_name(agent), menu)
        found.known = Known()
    crew: Crew = Alone()
    try:
        if workers > 1:
            crew = _hired(scenario, agent, menu, workers - 1)
        with Series():
            try:
                explorer.warm_up()
                if store is not None:
                    explorer.replay_known(store)
                explorer.explore(plans, crew)
                crew.end()
                explorer.close(named)
                if smallest:
                    explorer.shrink(stories=stories)
            except Exception as error:
                crew.end()
                explorer.close(named)
                explorer.end_by(error, smallest=smallest, stories=stories)
                raise
    except KeyboardInterrupt as error:
        found.stopped_by, found.complete = "keyboard", False
        explorer.close(named)
        raise ExplorationStopped(found) from error
    finally:
        crew.end()
        if store is not None:
            explorer.keep_known(store)
    return found


def _check_number(name: str, value: object, least: int) -> None:
    if value is not None and not (isinstance(value, int) and value >= least):
        raise UsageError(
            f"{name}: expected a whole number of {least} or more, got {value!r}"
        )


def _hired(
    scenario: Scenario, agent: Callable[..., Any], menu: Menu, count: int
) -> Crew:
    from agentsim.simulation.exploring.sharing.packing import Job
    from agentsim.simulation.exploring.sharing.team import hire

    return hire(Job(scenario, agent, menu), count)
