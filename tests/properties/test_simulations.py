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
    """The same simulation gives the same trace, and so does its token."""
    first = simulation.run(reference)
    assert simulation.run(reference).trace.digest() == first.trace.digest()
    again = replay(simulation.scenario, first.token, reference, menu=simulation.menu)
    assert again.trace.digest() == first.trace.digest()


@FEWER
@given(simulations(crash=True))
def test_a_trace_reads_back_from_its_file(simulation: Simulation) -> None:
    """What is written as JSON lines is the same trace when it is read."""
    trace = simulation.run(reference).trace
    again = from_jsonl(to_jsonl(trace))
    assert again.digest() == trace.digest()
    assert to_jsonl(again) == to_jsonl(trace)


@FEWER
@given(simulations())
def test_effective_deviations_are_all_that_counts(simulation: Simulation) -> None:
    """What was planned beyond the run changes nothing."""
    first = simulation.run(reference)
    plan = Replay(first.choices.deviations, first.choices.log)
    again = run(simulation.scenario, reference, menu=simulation.menu, choices=plan)
    assert again.trace.digest() == first.trace.digest()
