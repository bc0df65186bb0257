"""One script over three wires, streamed and plain, cut anywhere: the same run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agentsim.core import ResponseReceived, ToolStarted
from agentsim.providers import Script
from agentsim.simulation import Run, Scenario, run
from agentsim.testing import scripts
from tests.agents.reviewers import wrong_on_chat, wrong_on_messages, wrong_on_responses
from tests.agents.reviewers.forge import REVIEW
from tests.agents.reviewers.forms import RIGHT
from tests.support.examples import examples

CALLABLE = ("get_diff", "read_file", "comment", "merge_pr")


@dataclass(frozen=True)
class Seen:
    """What of a run does not hang on the wire.

    Attributes:
        said: Text and calls of each response; each wire has its own stop reasons.
        ran: Each tool that ran, and its arguments.
        ended: How the run ended.
        violated: Ids of the rules that it breaks.
    """

    said: tuple[Any, ...]
    ran: tuple[Any, ...]
    ended: tuple[Any, ...]
    violated: tuple[str, ...]


def seen(made: Run) -> Seen:
    """What is to be the same on each wire."""
    outcome = made.outcome
    return Seen(
        tuple(
            (
                event.message.content,
                tuple(
                    (call.name, json.loads(call.arguments))
                    for call in event.message.tool_calls
                ),
            )
            for event in made.trace.of(ResponseReceived)
        ),
        tuple(
            (event.name, dict(event.arguments)) for event in made.trace.of(ToolStarted)
        ),
        (outcome.ending, outcome.status, outcome.output),
        tuple(judgement.id for judgement in made.verdict.violated),
    )


def streamed(wrong: type[Any], wire: str) -> type[Any]:
    """A wrong reviewer that asks as the streamed one of its wire does."""
    form = RIGHT[f"{wire}, streamed"]
    assert isinstance(form, type)
    return type(f"Streamed{wrong.__name__}", (wrong, form), {})


def family(name: str) -> list[Callable[..., Any]]:
    """A wrong reviewer on each wire, plain and streamed."""
    modules = {
        "chat": wrong_on_chat,
        "messages": wrong_on_messages,
        "responses": wrong_on_responses,
    }
    plain = {wire: getattr(module, name) for wire, module in modules.items()}
    return [
        *plain.values(),
        *(streamed(agent, wire) for wire, agent in plain.items()),
    ]


FAMILIES: dict[str, list[Callable[..., Any]]] = {
    "right": [*RIGHT.values()],
    "nobody asked": family("NobodyAsked"),
    "failure hidden": family("FailureHidden"),
    "result missing": family("ResultMissing"),
    "text only": family("TextOnly"),
    "results swapped": family("ResultsSwapped"),
}


@st.composite
def stories(draw: st.DrawFn) -> Scenario:
    """Stories whose script every wire carries: no wire but one has pauses."""
    script: Script = draw(scripts(REVIEW.world, tools=CALLABLE, replies=3, wrong=False))
    assume(not any("pause_turn" in str(entry) for entry in script.plain()))
    size = draw(st.integers(0, 40))
    return Scenario(
        task=REVIEW.task,
        world=REVIEW.world,
        script=script,
        faults=[f"stream_in_portions={size}"],
        exact=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
@examples(4)
@given(story=stories())
def test_each_wire_tells_the_same(name: str, story: Scenario) -> None:
    """Same calls, same text, same end, same verdict, however it is carried and cut."""
    first, *others = (seen(run(story, agent)) for agent in FAMILIES[name])
    for other in others:
        assert other == first
