"""Hypothesis drives the real runtime, and shrinks what it finds to what it takes."""

from __future__ import annotations

import pytest
from hypothesis import given, seed, settings

from agentsim.core import InvariantViolation
from agentsim.testing import Simulation, simulations
from tests.testing.agents import PAYING, pays_again

TRIES = 5


@pytest.mark.slow
@pytest.mark.parametrize("number", range(TRIES))
def test_a_bug_of_depth_three_is_found_and_shrunk_to_three_deviations(
    number: int,
) -> None:
    """Each of five tries, without a database, leaves two orders and one fault."""
    found: list[Simulation] = []

    @seed(number)
    @settings(max_examples=2_000, database=None, report_multiple_bugs=False)
    @given(simulations(PAYING, faults=["answer_lost"]))
    def holds(simulation: Simulation) -> None:
        made = simulation.run(pays_again)
        if made.verdict.violated:
            found.append(simulation)
        made.expect_holds()

    with pytest.raises(InvariantViolation, match="every-call-answered is violated"):
        holds()
    last = found[-1]  # the smallest is run again at the end
    assert len(last.run(pays_again).choices.deviations) <= 3
    assert len(last.deviations) <= 3
