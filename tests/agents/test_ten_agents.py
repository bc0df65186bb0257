"""Ten agents in the ways people write them: the right ones hold, the wrong are caught.

Each wrong one has a bug that people have met; its module names the case.
"""

from __future__ import annotations

import threading

import pytest

from agentsim.engine import Seeded
from agentsim.simulation import EXPLORING, Menu, explore, run
from tests.agents.forms import RIGHT, WRONG
from tests.support.sampled import alarms, sampled
from tests.support.scenarios import scenario

STORIES = ("disk_full", "declined", "parallel_reads", "iteration_limit")
"""Long and short ones, with writes, a person, a batch, and a limit that strikes."""

MORE_STORIES = (
    "database_unreachable",
    "high_cpu",
    "pay_invoice",
    "polling_service",
)

CRASHING = Menu("any_order", EXPLORING.faults, cancel=True, crash=True)


@pytest.mark.parametrize("form", RIGHT)
@pytest.mark.parametrize("name", STORIES)
def test_a_right_agent_tells_the_story(form: str, name: str) -> None:
    """Without deviations each form does what the scenario expects."""
    run(scenario(name), RIGHT[form]).expect_holds()


@pytest.mark.slow
@pytest.mark.parametrize("form", RIGHT)
@pytest.mark.parametrize("name", ["disk_full", "declined"])
def test_a_right_agent_holds_whatever_happens_once(form: str, name: str) -> None:
    """No order, fault, early deadline or cancellation makes it break a rule."""
    found = explore(scenario(name), RIGHT[form], deviations=1)
    found.expect_holds()
    assert found.complete


@pytest.mark.slow
@pytest.mark.parametrize("form", RIGHT)
@pytest.mark.parametrize("name", [*STORIES, *MORE_STORIES])
def test_a_right_agent_holds_whatever_happens(form: str, name: str) -> None:
    """Nor do several of these at once, and the death of the process."""
    made = sampled(scenario(name), RIGHT[form], runs=30, seed=3, menu=CRASHING)
    assert alarms(made) == []


SLOWLY = ("d, sync function",)
"""Made small over runs that never end by themselves."""

EACH_WRONG = [
    pytest.param(form, marks=[pytest.mark.slow] if form in SLOWLY else [])
    for form in WRONG
]


@pytest.mark.parametrize("form", EACH_WRONG)
def test_a_wrong_agent_is_caught_by_its_invariant(form: str) -> None:
    """Exploring one named scenario finds the bug, and names the rule that it breaks."""
    agent, name, invariant, runs = WRONG[form]
    found = explore(scenario(name), agent, deviations=1, runs=runs)
    assert invariant in found.violations


@pytest.mark.parametrize("form", RIGHT)
def test_the_same_choices_give_the_same_run(form: str) -> None:
    """Each form is repeatable, event by event, also where it is struck and cancelled."""
    for seed in range(3):
        runs = [
            run(
                scenario("parallel_reads"),
                RIGHT[form],
                menu=EXPLORING,
                choices=Seeded(seed),
            )
            for _ in range(2)
        ]
        assert runs[0].trace.digest() == runs[1].trace.digest()


def test_no_thread_outlives_its_agent() -> None:
    """A hundred crashed, cancelled and struck runs of a sync agent leave no thread."""
    before = threading.enumerate()
    explore(scenario("disk_full"), RIGHT["sync function"], runs=60, menu=CRASHING)
    assert [thread for thread in threading.enumerate() if thread not in before] == []
