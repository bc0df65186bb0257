"""Loops on the real SDK of OpenAI: the right ones hold, each usual fault is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agentsim.core import RequestSent
from agentsim.engine import Seeded
from agentsim.providers import call, say, together
from agentsim.simulation import EXPLORING, Menu, Run, Scenario, explore, replay, run
from agentsim.world import Files
from tests.agents.openai_chat import (
    right_async,
    right_sync,
    steps,
    wrong_ends,
    wrong_tools,
)
from tests.agents.openai_chat.faulty import WRONG, Wrong
from tests.support.sampled import alarms, sampled
from tests.support.scenarios import scenario

RIGHT: dict[str, Callable[..., Any]] = {
    "async": right_async.agent,
    "sync": right_sync.agent,
    "in steps": steps.Steps,
}

STORIES = ("disk_full", "declined", "parallel_reads", "pay_invoice", "iteration_limit")
"""With writes, a person, a batch, a payment, and a limit that strikes."""

RUNS = 30
RUNS_LONG = 12
"""Random runs by story and form; those of the limit ask ten times and more."""


@pytest.mark.parametrize("form", RIGHT)
@pytest.mark.parametrize("name", STORIES)
def test_a_right_loop_tells_the_story(form: str, name: str) -> None:
    """Without deviations each loop does what the scenario expects."""
    run(scenario(name), RIGHT[form]).expect_holds()


@pytest.mark.slow
@pytest.mark.parametrize("form", RIGHT)
@pytest.mark.parametrize("name", STORIES)
def test_a_right_loop_holds_whatever_happens(form: str, name: str) -> None:
    """Thirty random runs of a story, with all faults, break no rule."""
    runs = RUNS_LONG if name == "iteration_limit" else RUNS
    assert alarms(sampled(scenario(name), RIGHT[form], runs=runs, seed=5)) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", RIGHT)
def test_a_right_loop_holds_through_crashes(form: str) -> None:
    """Nor does it where the process dies at any point, and starts over; it repeats."""
    menu = Menu("any_order", EXPLORING.faults, cancel=True, crash=True)
    story = scenario("disk_full")
    *others, last = sampled(story, RIGHT[form], runs=RUNS, seed=6, menu=menu)
    assert alarms([*others, last]) == []
    again = replay(story, last.token, RIGHT[form], menu=menu)
    assert again.trace.digest() == last.trace.digest()


SLOW = ("NoStepLimit",)
"""Loops whose runs are long."""

EACH_WRONG = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
    for name in WRONG
]


@pytest.mark.parametrize("name", EACH_WRONG)
def test_a_usual_fault_is_found(name: str) -> None:
    """A bounded exploration finds each fault, and names the rule that it breaks."""
    wrong = WRONG[name]
    menu = Menu("any_order", faults=wrong.faults)
    found = explore(
        story_of(wrong),
        wrong.agent,
        deviations=1,
        runs=wrong.runs,
        menu=menu,
        smallest=False,
    )
    assert wrong.invariant in found.violations
    assert wrong.said in told(found.violations[wrong.invariant])


def story_of(wrong: Wrong) -> Scenario:
    """The scenario, with what strikes each time."""
    return replace(scenario(wrong.scenario), faults=wrong.always)


def told(made: Run) -> str:
    """What the findings of a run say."""
    return "\n".join(
        violation.words
        for judgement in made.verdict.judgements
        for violation in judgement.violations
    )


@pytest.mark.parametrize("form", RIGHT)
def test_the_same_choices_give_the_same_run(form: str) -> None:
    """Each loop is repeatable, event by event, also where the SDK waits and retries."""
    for seed in range(3):
        runs = [
            run(
                scenario("disk_full"),
                RIGHT[form],
                menu=EXPLORING,
                choices=Seeded(seed),
            )
            for _ in range(2)
        ]
        assert runs[0].trace.digest() == runs[1].trace.digest()


def test_attempts_of_nested_retries_multiply() -> None:
    """A retry around the SDK's asks nine times where the SDK alone asks three."""
    story = Scenario(task="Say hello.", script=[say("Hello.")], faults=["rate_limited"])
    asked = {
        agent.__name__: len(run(story, agent).trace.of(RequestSent))
        for agent in (steps.Steps, wrong_ends.RetriesRetries)
    }
    assert asked == {"Steps": 3, "RetriesRetries": 9}


def test_a_blocking_sleep_stops_the_whole_loop() -> None:
    """Waiting with `time.sleep` beside other calls takes the time of all of them."""

    class Together(wrong_tools.SleepsBlocking, wrong_tools.AllAtOnce):
        """Reads that could overlap, each behind a blocking sleep."""

    reads = [call("read_file", path=f"{number}.txt") for number in range(4)]
    files = Files(contents={f"{number}.txt": "text" for number in range(4)})
    story = Scenario(
        task="Read.", world=[files], script=[together(*reads), say("Read.")]
    )
    ended = {
        agent.__name__: run(story, agent).trace.events[-1].at_ns
        for agent in (wrong_tools.AllAtOnce, Together)
    }
    assert ended["Together"] - ended["AllAtOnce"] == 4 * 500_000_000
