"""Agents of several parts: no router, example, copy or writer makes an alarm."""

from __future__ import annotations

import pytest

from agentsim.simulation import Scenario, run
from tests.agents.parts import PARTS, RIGHT, WRONG
from tests.agents.several import Several, on_anthropic, on_chat, on_the_client
from tests.agents.test_several_conversations import FAULTS, violated
from tests.support.sampled import alarms, sampled


@pytest.mark.parametrize(("story", "agent"), RIGHT)
def test_right_parts_hold(story: Scenario, agent: Several) -> None:
    """Each part is judged by its own history, on the client and by an SDK."""
    for wire in (on_the_client, on_chat, on_anthropic):
        assert violated(run(story, wire(agent))) == []


@pytest.mark.parametrize(("story", "agent"), RIGHT)
def test_right_parts_hold_whatever_happens(story: Scenario, agent: Several) -> None:
    """Nor does another order, a fault of a tool, a cancellation or a crash make an alarm."""
    assert alarms(sampled(story, on_the_client(agent), runs=6, menu=FAULTS)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("story", "agent"), RIGHT)
def test_right_parts_hold_by_an_sdk_whatever_happens(
    story: Scenario, agent: Several
) -> None:
    """So it is where an SDK words the tools, and repeats what fails."""
    assert alarms(sampled(story, on_chat(agent), runs=5, menu=FAULTS)) == []


@pytest.mark.parametrize(("agent", "expected"), WRONG)
def test_wrong_parts_are_caught(agent: Several, expected: str) -> None:
    """What looks like another part and is none is judged as what it is."""
    for wire in (on_the_client, on_chat, on_anthropic):
        assert expected in violated(run(PARTS, wire(agent)))
