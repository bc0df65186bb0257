"""What holds of every simulation that can be drawn: our own tools, used on ourselves."""

from __future__ import annotations

import pytest
from hypothesis import given

from agentsim.engine import Replay
from agentsim.runtime import reference
from agentsim.simulation import replay, run
from agentsim.testing import Simulation, fault_plans, simulations, worlds
from agentsim.trace import from_jsonl, to_jsonl
from agentsim.world import Disk, Files, Services
from tests.support.examples import FEWER

pytestmark = pytest.mark.slow


@given(simulations(crash=True))
def test_the_reference_runtime_holds(simulation: Simulation) -> None:
    """It keeps every rule, whatever the model, the world and the faults do."""
    simulation.run(reference).expect_holds()


@FEWER
@given(simulations(world=worlds(), faults=fault_plans([Disk(), Files(), Services()])))
def test_the_reference_runtime_holds_where_faults_are_sure(
    simulation: Simulation,
) -> None:
    """So it does where faults strike by rule, in worlds of all parts."""
    simulation.run(reference).expect_holds()


@FEWER
@given(simulations(crash=True))
def test_a_simulation_repeats_itself(simulation: Simulation) -> None:
    """It gives the same trace, as does its token, and its file when that is read.

    Nor does what was planned beyond the run change anything.
    """
    scenario, menu = simulation.scenario, simulation.menu
    first = simulation.run(reference)
    digest = first.trace.digest()
    assert simulation.run(reference).trace.digest() == digest
    again = replay(scenario, first.token, reference, menu=menu)
    assert again.trace.digest() == digest
    plan = Replay(first.choices.deviations, first.choices.log)
    effective = run(scenario, reference, menu=menu, choices=plan)
    assert effective.trace.digest() == digest
    text = to_jsonl(first.trace)
    read = from_jsonl(text)
    assert (read.digest(), to_jsonl(read)) == (digest, text)
