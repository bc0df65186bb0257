"""The real sessions: each is a scenario that runs, and no alarm is raised around it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import pytest

from agentsim.cassettes import (
    Cassette,
    CassetteHeader,
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
)
from agentsim.cassettes.conversations import conversations_of
from agentsim.core import Response, ScenarioError
from agentsim.engine import Series
from agentsim.faults import CATALOGUE
from agentsim.runtime import reference
from agentsim.simulation import Menu, RecordedStory, run, stories_of
from agentsim.simulation.recorded.turns import Turn, turns_of
from tests.simulation.recorded.wired import on_wire
from tests.support.sampled import alarms, sampled

CORPUS = Path(__file__).parents[3] / ".." / "shared/real-exchanges/exchanges.jsonl"

RUNS = 4
"""Runs that are explored of each session."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not CORPUS.exists(),
        reason="../shared/real-exchanges/exchanges.jsonl is missing",
    ),
]

Told = list[tuple[RecordedStory, Turn]]


@pytest.fixture(scope="module")
def told() -> Told:
    """The stories of all sessions, each with the turn that it tells."""
    found: Told = []
    for session in _sessions():
        turns = [one for made in conversations_of(session) for one in turns_of(made)]
        if turns:
            found += zip(stories_of(session), turns, strict=True)
        else:
            with pytest.raises(ScenarioError, match="no task of a user"):
                stories_of(session)
    return found


def _sessions() -> Iterator[Cassette]:
    rows = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    for name, group in groupby(rows, lambda row: row["id"].split("#")[0]):
        exchanges = [_exchange(number, row) for number, row in enumerate(group, 1)]
        yield Cassette(name, CassetteHeader(), tuple(exchanges))


def _exchange(number: int, row: dict[str, Any]) -> RecordedExchange:
    body = RecordedRequest(body=json.dumps(row["request"], ensure_ascii=False))
    if isinstance(row["response"], str):
        chunks = (RecordedChunk(0, row["response"]),)
        answer = RecordedAnswer(row["status"], chunks=chunks)
    else:
        text = json.dumps(row["response"], ensure_ascii=False)
        answer = RecordedAnswer(row["status"], body=text)
    return RecordedExchange(number, body, answer, row["wire"])


def test_every_real_session_holds_without_a_deviation(told: Told) -> None:
    """306 stories, 149 with tools: each runs to its end, every other one as a file too."""
    assert (len(told), sum(bool(one.scenario.world) for one, _ in told)) == (306, 149)
    with Series():
        for number, (story, _) in enumerate(told):
            assert number % 2 or story.yaml
            run(story.scenario, reference).expect_holds()


def test_no_alarm_is_raised_around_a_real_session(told: Told) -> None:
    """Faults, orders, cancellations and crashes: the reference runtime holds in all."""
    menu = Menu("any_order", tuple(CATALOGUE.values()), cancel=True, crash=True)
    stories = [story.scenario for story, _ in told if story.scenario.world]
    with Series():
        made = (sampled(one, reference, runs=RUNS, menu=menu) for one in stories)
        assert alarms(chain.from_iterable(made)) == []


def test_agents_on_the_wires_get_what_was_recorded(told: Told) -> None:
    """Texts, calls, reasons, usage and refusals, as a service would answer them."""
    asked = 0
    for story, turn in told:
        heard: list[Response] = []
        agent = on_wire(turn.heard[0].exchange.wire, heard)
        run(story.scenario, agent)
        for reply, got in zip(turn.replies, heard, strict=False):
            if reply.heard is not None and reply.wire == turn.heard[0].exchange.wire:
                asked += 1
                assert _said(got) == _said(reply.heard.response)
    assert asked > 400


def _said(response: Response | None) -> tuple[object, ...]:
    assert response is not None
    message = response.message
    return (
        message.content,
        message.tool_calls,
        response.stop_reason,
        response.usage,
        response.refusal,
    )
