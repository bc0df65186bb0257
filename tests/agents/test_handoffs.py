"""Agents whose parts hand over to one another: the right ones hold, whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from agentsim import Scenario
from agentsim.simulation import Menu, Run, run
from tests.agents.handoffs import LISTED, RIGHT, WRONG, Refusing, as_agent
from tests.agents.several import Several, on_anthropic, on_chat, on_the_client
from tests.support.sampled import alarms, sampled

FAULTS = Menu("any_order", ["raises", "answer_lost", "slow"], cancel=True, crash=True)

Wire = Callable[[Several], Callable[..., Any]]


def violated(made: Run) -> list[str]:
    """The invariants that a run violates."""
    return [entry.id for entry in made.verdict.violated]


@pytest.mark.parametrize(("story", "agent", "wires"), RIGHT)
def test_parts_may_hand_over_to_one_another(
    story: Scenario, agent: Several, wires: Sequence[Wire]
) -> None:
    """Each part is judged by its own prompt and tools, until it hands over or back."""
    for wire in wires:
        made = run(story, wire(agent))
        assert (violated(made), made.value) == ([], "Order 17 is refunded.")


@pytest.mark.parametrize(("story", "agent", "wires"), RIGHT)
def test_parts_may_hand_over_whatever_happens(
    story: Scenario, agent: Several, wires: Sequence[Wire]
) -> None:
    """So they are where a run ends before the first handoff, or behind any of them."""
    wire = wires[0]
    assert alarms(sampled(story, wire(agent), runs=12, menu=FAULTS)) == []


@pytest.mark.parametrize(("story", "agent", "expected"), WRONG)
def test_what_changes_otherwise_is_caught_beside_handoffs(
    story: Scenario, agent: Several, expected: str
) -> None:
    """A handoff excuses nothing but another part, and that where it was called for."""
    for wire in (on_the_client, on_chat, on_anthropic):
        assert expected in violated(run(story, wire(agent)))


def test_a_refused_call_hands_nothing_over() -> None:
    """The same part goes on, whether a flag says so or the words do."""
    for wire in (on_the_client, on_chat):
        assert violated(run(LISTED, wire(as_agent(Refusing)))) == ["prefix-stable"]
