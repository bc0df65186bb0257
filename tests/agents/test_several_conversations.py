"""Agents that hold several conversations: the right ones hold, whatever comes first."""

from __future__ import annotations

import pytest

from agentsim.simulation import Menu, Run, run
from tests.agents.several import (
    RIGHT,
    STORY,
    WRONG,
    Several,
    on_chat,
    on_the_client,
)
from tests.support.sampled import alarms, sampled

ORDERS = Menu("any_order", cancel=True, crash=True)

FAULTS = Menu("any_order", ["raises", "answer_lost", "slow"], cancel=True, crash=True)


def violated(made: Run) -> list[str]:
    """The invariants that a run violates."""
    return [entry.id for entry in made.verdict.violated]


@pytest.mark.parametrize("agent", RIGHT)
def test_right_agents_with_several_conversations_hold(agent: Several) -> None:
    """Each conversation is judged by itself, on the client and by an SDK."""
    for wire in (on_the_client, on_chat):
        assert violated(run(STORY, wire(agent))) == []


@pytest.mark.parametrize("agent", RIGHT)
def test_right_agents_with_several_conversations_hold_in_any_order(
    agent: Several,
) -> None:
    """Nor does another order, a cancellation or a crash make an alarm."""
    assert alarms(sampled(STORY, on_the_client(agent), runs=12, menu=ORDERS)) == []


@pytest.mark.slow
@pytest.mark.parametrize("agent", RIGHT)
def test_right_agents_with_several_conversations_hold_whatever_happens(
    agent: Several,
) -> None:
    """Nor do faults of tools, even where helpers differ by nothing but their results."""
    assert alarms(sampled(STORY, on_the_client(agent), runs=60, menu=FAULTS)) == []


@pytest.mark.parametrize(("agent", "expected"), WRONG)
def test_wrong_agents_with_several_conversations_are_caught(
    agent: Several, expected: str
) -> None:
    """A history that is replaced, cut or put under another prompt is no conversation."""
    for wire in (on_the_client, on_chat):
        assert expected in violated(run(STORY, wire(agent)))
