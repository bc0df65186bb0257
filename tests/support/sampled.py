"""Random runs of an agent, each made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from agentsim.engine import Choices, Replay
from agentsim.simulation import EXPLORING, Menu, Run, Sampled, Scenario, run
from agentsim.simulation.exploring.plans import SEED_STRIDE

__all__ = ["alarms", "sampled"]


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
    independent. Where that is shown elsewhere, these are enough.
    """
    choices: Choices = Replay({})
    yield run(scenario, agent, menu=menu, choices=choices)
    made = len(choices.arities)
    for number in range(1, runs):
        source = Sampled(seed * SEED_STRIDE + number, menu, choices=made)
        yield run(scenario, agent, menu=menu, choices=source)


def alarms(made: Iterable[Run]) -> list[str]:
    """The failure texts of the runs that violate anything."""
    return [one.failure_text(one.repeat) for one in made if one.verdict.violated]
