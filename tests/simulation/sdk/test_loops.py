"""The loops of tutorials on the real OpenAI SDK, in virtual time."""

from __future__ import annotations

import pytest

from agentsim.core import RequestFailed, RequestSent
from agentsim.engine import Series
from agentsim.simulation import Agent, Run, load_scenario, run
from tests.simulation.sdk.careful import careful
from tests.simulation.sdk.loops import awaiting, blocking
from tests.simulation.sdk.stories import FIVE, STRUCK
from tests.support.sampled import alarms, sampled
from tests.support.source import ROOT


def seconds_of_requests(made: Run) -> list[float]:
    """When each request was sent."""
    sent = [event for event in made.trace.events if isinstance(event, RequestSent)]
    return [event.at_ns / 1e9 for event in sent]


@pytest.mark.parametrize("agent", [awaiting, blocking])
def test_a_loop_on_the_real_sdk_runs_unchanged(agent: Agent) -> None:
    """Five turns, one request each, at the times of the scripted model."""
    made = run(FIVE, agent).expect_holds()
    assert made.value == "Noted."
    assert seconds_of_requests(made) == pytest.approx([0, 1.2, 2.3, 3.35, 4.55])


@pytest.mark.parametrize("agent", [awaiting, blocking])
def test_the_sdk_waits_as_the_service_asks_and_tries_again(agent: Agent) -> None:
    """A 429 with Retry-After 30 and a 500 cost half a minute of virtual time."""
    made = run(STRUCK, agent).expect_holds()
    failed = [event for event in made.trace.events if isinstance(event, RequestFailed)]
    assert [(event.number, event.status) for event in failed] == [(1, 429), (2, 500)]
    first, second, third, *_ = seconds_of_requests(made)
    assert (first, second) == (0, 31)
    assert 32.375 <= third <= 33
    assert 38 <= made.outcome.at_ns / 1e9 <= 39


@pytest.mark.slow
@pytest.mark.parametrize("name", ["large_numbers", "declined", "one_of_three_fails"])
def test_a_right_loop_on_the_sdk_raises_no_alarm(name: str) -> None:
    """Whatever the model, the tools and the person do, nothing right is taken for wrong."""
    scenario = load_scenario(str(ROOT / "scenarios" / f"{name}.yaml"))
    with Series():
        assert alarms(sampled(scenario, careful, runs=30, seed=1)) == []


@pytest.mark.parametrize("agent", [awaiting, blocking])
def test_the_same_story_has_the_same_trace_again(agent: Agent) -> None:
    """Jitter, clocks and ids are those of the run: no state is kept between two."""
    assert run(STRUCK, agent).trace.digest() == run(STRUCK, agent).trace.digest()


def test_the_async_and_the_synchronous_loop_have_one_trace() -> None:
    """Event by event and nanosecond by nanosecond, back-off included."""
    first, second = (
        [repr(event) for event in run(STRUCK, agent).trace.events]
        for agent in (awaiting, blocking)
    )
    assert first == second
