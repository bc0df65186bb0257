"""The streaming loop that mutants are made from: sound, wherever a stream breaks off."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsim.core import RequestFailed
from agentsim.faults import (
    FaultRule,
    stream_cut,
    stream_cut_in_bytes,
    stream_ends_early,
    stream_error,
)
from agentsim.mutants import MUTANTS, unbroken, unbroken_streaming
from agentsim.simulation import Agent, Run, run
from tests.support.scenarios import scenario

STORY = replace(scenario("declined"), exact=False, expect={})
"""A call without a word, one with a text beside it, and a final answer."""

BREAKS = [
    rule
    for attempt in (1, 2, 3)
    for rule in (
        *(stream_ends_early(at=at, attempt=attempt) for at in (0, 1, "middle", "end")),
        *(stream_cut(at=at, attempt=attempt) for at in (0, 1, "middle", "end")),
        *(stream_error(at=at, attempt=attempt) for at in (0, 1, "middle", "end")),
        stream_cut_in_bytes(at="end", attempt=attempt),
    )
]

RULE = "cut-is-not-success"


def struck(agent: Agent, *rules: FaultRule) -> Run:
    """A run in which a stream breaks off."""
    return run(replace(STORY, faults=rules), agent)


def test_a_streamed_run_is_that_of_the_plain_loop() -> None:
    """Status, output, history and tools are the same where nothing breaks off."""
    told = [run(STORY, agent).outcome for agent in (unbroken, unbroken_streaming)]
    plain, streamed = [
        (end.status, end.output, end.iterations, end.tools, [*(end.history or ())])
        for end in told
    ]
    assert streamed == plain


@pytest.mark.parametrize("rule", BREAKS, ids=str)
def test_a_stream_that_breaks_off_ends_the_run_as_failed(rule: FaultRule) -> None:
    """Nothing of it is taken, and no invariant is violated."""
    made = struck(unbroken_streaming, rule)
    assert made.verdict.violated == ()
    assert made.outcome.status == "failed"
    assert any(isinstance(event, RequestFailed) for event in made.trace.events)


@pytest.mark.parametrize(
    "name", ["cut_stream_calls_run", "early_end_as_done", "lost_stream_as_done"]
)
def test_a_mutant_differs_only_where_a_stream_breaks_off(name: str) -> None:
    """It is caught there, and clean without such a fault."""
    agent = MUTANTS[name].agent
    caught = [
        any(entry.id == RULE for entry in struck(agent, rule).verdict.violated)
        for rule in BREAKS
    ]
    assert any(caught)
    assert not all(caught)
    assert run(STORY, agent).verdict.violated == ()
