"""Runs of an agent, at random or with each single deviation, each made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from agentsim.engine import Choices, Replay, Series
from agentsim.simulation import EXPLORING, Menu, Run, Sampled, Scenario, run
from agentsim.simulation.exploring.glance import Glance
from agentsim.simulation.exploring.plans import SEED_STRIDE, Enumerated, make

__all__ = ["alarms", "enumerated", "sampled"]


def sampled(
    scenario: Scenario,
    agent: Callable[..., Any],
    *,
    runs: int,
    seed: int = 0,
    menu: Menu = EXPLORING,
) -> Iterator[Run]:
    """Make the run without deviations, then random ones: those that `explore` counts.

    An exploration of a few runs makes about as many again, to see whether they are
    independent. Where that is shown elsewhere, these are enough. What is asked of a run
    is asked within their series: the time zone is UTC there.
    """
    choices: Choices = Replay({})
    with Series():
        yield run(scenario, agent, menu=menu, choices=choices)
        made = len(choices.arities)
        for number in range(1, runs):
            source = Sampled(seed * SEED_STRIDE + number, menu, choices=made)
            yield run(scenario, agent, menu=menu, choices=source)


def enumerated(
    scenario: Scenario,
    agent: Callable[..., Any],
    *,
    deviations: int,
    menu: Menu = EXPLORING,
) -> Iterator[Run]:
    """Make every run with up to so many deviations: those that `explore` counts."""
    plans = Enumerated(deviations)
    with Series():
        while (plan := plans.next()) is not None:
            made = make(plan, scenario, agent, menu)
            plans.done(plan, Glance.of(made))
            yield made
    assert plans.complete


def alarms(made: Iterable[Run]) -> list[str]:
    """The failure texts of the runs that violate anything."""
    return [one.failure_text(one.repeat) for one in made if one.verdict.violated]
