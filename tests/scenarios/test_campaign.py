"""A counted campaign: the invariants never ring on the reference runtime (T10).

The runs and seconds of each scenario stand in the summary at the end of the test run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from agentsim.faults import CATALOGUE
from agentsim.simulation import EXPLORING, Exploration, explore
from tests.support.scenarios import NAMES, scenario

RUNS = 100_000
"""Runs of the campaign over all scenarios."""

SEED = 20_000

MENUS = {
    "cancelled": replace(EXPLORING, faults=tuple(CATALOGUE)),
    "crashed": replace(EXPLORING, faults=tuple(CATALOGUE), crash=True),
}
"""Every fault in every order, with cancellation; and with the death of the process."""

EACH = -(-RUNS // (len(NAMES) * len(MENUS)))


@pytest.mark.slow
@pytest.mark.parametrize("menu", MENUS)
@pytest.mark.parametrize("name", NAMES)
def test_the_reference_runtime_is_clean_at_length(
    name: str, menu: str, figure: Callable[[str], None]
) -> None:
    """Over so many random runs, every fault among them, no invariant is violated."""
    found = explore(scenario(name), runs=EACH, seed=SEED, menu=MENUS[menu])
    figure(_told(found, menu))
    assert found.runs == EACH
    assert [bad.failure_text("") for bad in found.violations.values()] == []


def _told(found: Exploration, menu: str) -> str:
    return (
        f"{found.scenario.name}, {menu}: {found.runs} runs in {found.elapsed_s:.1f} s, "
        f"{found.violated_runs} violated"
    )
