"""Each scenario that ships tells its story under the reference runtime."""

from __future__ import annotations

import pytest

from agentsim.runtime import reference
from agentsim.simulation import EXPLORING, Menu, run
from tests.support.sampled import alarms, enumerated
from tests.support.scenarios import NAMES, scenario


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_holds_under_the_reference_runtime(name: str) -> None:
    """Its run without deviations holds, its own expectation included."""
    made = run(scenario(name))
    assert made.verdict.status == "holds", made.failure_text("")


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_says_what_should_happen(name: str) -> None:
    """An agent that does nothing violates no invariant, so each scenario expects."""
    expected = [
        entry
        for entry in run(scenario(name)).verdict.judgements
        if entry.id == "expected"
    ]
    assert [entry.status for entry in expected] == ["holds"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_single_deviation_leaves_the_reference_runtime_clean(name: str) -> None:
    """No order, fault, cancellation or crash alone makes it break an invariant."""
    menu = Menu(EXPLORING.policy, EXPLORING.faults, cancel=True, crash=True)
    made = enumerated(scenario(name), reference, deviations=1, menu=menu)
    assert alarms(made) == []
