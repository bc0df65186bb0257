"""A counted campaign: the invariants never ring on the reference runtime (T10).

The runs and seconds of each scenario stand in the summary at the end of the test run.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from agentsim.faults import CATALOGUE
from agentsim.runtime import reference
from agentsim.simulation import EXPLORING, run
from tests.support.sampled import alarms, sampled
from tests.support.scenarios import NAMES, scenario

RUNS = 100_000
"""Runs of the campaign over all scenarios."""

SEED = 20_000

MENUS = {
    "cancelled": replace(EXPLORING, faults=tuple(CATALOGUE)),
    "crashed": replace(EXPLORING, faults=tuple(CATALOGUE), crash=True),
}
"""Every fault in every order, with cancellation; and with the death of the process."""


LEAST = 350
"""Runs that each scenario gets in each menu: in so many each fault that can strikes."""

BESIDE = 15
"""What a run takes beside its events, in events."""


def shares() -> dict[str, int]:
    """How many runs each scenario gets in each menu: the least, and more of short ones.

    A run of the longest one costs five times a run of the shortest. Together they are no
    fewer than promised.
    """
    lengths = {name: BESIDE + len(run(scenario(name)).trace.events) for name in NAMES}
    weights = {name: length**-3 for name, length in lengths.items()}
    whole = sum(weights.values())
    more = RUNS / len(MENUS) - LEAST * len(NAMES)
    return {
        name: LEAST + math.ceil(more * weight / whole)
        for name, weight in weights.items()
    }


EACH = shares()


@pytest.mark.slow
@pytest.mark.parametrize("menu", MENUS)
@pytest.mark.parametrize("name", NAMES)
def test_the_reference_runtime_is_clean_at_length(
    name: str, menu: str, figure: Callable[[str], None]
) -> None:
    """Over so many random runs, every fault among them, no invariant is violated."""
    count, violated = 0, list[str]()
    began = time.perf_counter()
    story, runs = scenario(name), EACH[name]
    for made in sampled(story, reference, runs=runs, seed=SEED, menu=MENUS[menu]):
        count += 1
        violated += alarms([made])
    seconds = time.perf_counter() - began
    figure(f"{name}, {menu}: {count} runs in {seconds:.1f} s, {len(violated)} violated")
    assert count == runs
    assert violated == []


def test_the_campaign_has_all_its_runs() -> None:
    """Over all scenarios and both menus; and none of them has only a few."""
    assert sum(EACH.values()) * len(MENUS) >= RUNS
    assert min(EACH.values()) > LEAST
