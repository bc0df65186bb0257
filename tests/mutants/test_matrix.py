"""The checker is checked (T10): every mutant is caught, and what is sound is left alone."""

from __future__ import annotations

import pytest
from _pytest.mark import ParameterSet

from agentsim.invariants import INVARIANTS
from agentsim.mutants import MUTANTS, Mutant, unbroken, unbroken_streaming
from agentsim.simulation import Agent
from tests.mutants.matrix import RUNS, kept, violated
from tests.support.sampled import alarms, sampled
from tests.support.scenarios import NAMES, scenario

AGENTS = {"unbroken": unbroken, "streaming": unbroken_streaming}
"""The reference runtime has a campaign of its own, in `tests/scenarios`."""

RARE = ("unknown_tool_guessed", "unknown_tool_kills_loop")
"""Mutants that show only where one fault strikes: they take a few dozen runs."""


def _entry(mutant: Mutant) -> ParameterSet:
    marks = []
    if mutant.name in RARE:
        marks.append(pytest.mark.slow)
    return pytest.param(mutant, id=mutant.name, marks=marks)


EACH_MUTANT = pytest.mark.parametrize("mutant", [_entry(m) for m in MUTANTS.values()])
EACH_SCENARIO = pytest.mark.parametrize("name", NAMES)
EACH_SOUND = pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)


@EACH_MUTANT
def test_a_mutant_is_caught(mutant: Mutant) -> None:
    """Random runs of the scenario that a mutant names violate the invariant it names."""
    story = scenario(mutant.scenario.removesuffix(".yaml"))
    caught: set[str] = set()
    for made in sampled(story, mutant.agent, runs=RUNS):
        caught.update(entry.id for entry in made.verdict.violated)
        if mutant.invariant in caught:
            return
    pytest.fail(f"{mutant.invariant} does not catch it; caught by {sorted(caught)}")


@EACH_SOUND
@EACH_SCENARIO
def test_the_sound_loops_are_left_alone(agent: Agent, name: str) -> None:
    """Without their fault the mutants violate nothing."""
    assert alarms(sampled(scenario(name), agent, runs=20)) == []


def test_every_invariant_catches_a_mutant() -> None:
    """No invariant is without a mutant, and no mutant names what is no invariant."""
    assert sorted({mutant.invariant for mutant in MUTANTS.values()}) == sorted(
        INVARIANTS.own
    )


HOW = "python -m tests.mutants.matrix"
"""Makes the rows that are missing."""


def test_the_matrix_has_a_row_for_each_mutant() -> None:
    """In each the invariant stands that must catch it, and no name that is none."""
    matrix = kept()
    assert list(matrix) == list(MUTANTS), HOW
    for name, mutant in MUTANTS.items():
        assert mutant.invariant in matrix[name]
        assert set(matrix[name]) <= set(INVARIANTS.own), f"{HOW} {name}"


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_the_matrix_is_true(mutant: Mutant) -> None:
    """200 random runs of a mutant violate the invariants of its row, and no others."""
    assert violated(mutant) == kept()[mutant.name], f"{HOW} {mutant.name}"
