"""Streams of Anthropic Messages that end early, as loops that are right see them."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from agentsim.core import Env, Finished, RequestFailed, ResponseReceived
from agentsim.providers import say
from agentsim.simulation import Agent, Run, Scenario, run
from tests.simulation.sdk.on_anthropic import client_of, sync_client_of

TEXT = "It is 21 degrees in Málaga, and the sun shines."

ASKED: Any = {
    "model": "claude",
    "max_tokens": 99,
    "messages": [{"role": "user", "content": "Hi"}],
}


def told(reason: str | None, text: str) -> Finished:
    """How a loop ends: what has no reason to end was not whole."""
    if reason is None:
        return Finished("failed", error="the answer broke off")
    return Finished("done", text)


async def helped(env: Env) -> Finished:
    """Trusts the helper, whose message has no reason where the stream broke off."""
    try:
        async with client_of(env).messages.stream(**ASKED) as stream:
            message: Any = await stream.get_final_message()
    except httpx2.HTTPError:
        return Finished("failed", error="the answer broke off")
    return told(message.stop_reason, "".join(part.text for part in message.content))


def by_hand(env: Env) -> Finished:
    """Stops to read as soon as it knows why the answer ended."""
    text = ""
    try:
        for event in sync_client_of(env).messages.create(**ASKED, stream=True):
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                text += event.delta.text
            if event.type == "message_delta":
                return told(event.delta.stop_reason, text)
    except httpx2.HTTPError:
        pass
    return told(None, text)


def struck(agent: Agent, *faults: str) -> Run:
    """One request, and what came of it."""
    return run(Scenario("Ask.", [say(TEXT)], faults=list(faults)), agent)


AGENTS = pytest.mark.parametrize("agent", [helped, by_hand])


@AGENTS
def test_an_answer_is_whole_when_its_reason_to_end_has_come(agent: Agent) -> None:
    """Who reads no further than `message_delta` has the answer, and is not blamed."""
    made = struck(agent)
    assert made.verdict.status == "holds"
    assert made.outcome.status == "done"
    [response] = made.trace.of(ResponseReceived)
    assert response.message.content == TEXT


@AGENTS
@pytest.mark.parametrize(
    "fault", ["stream_ends_early=end", "stream_cut=end", "stream_ends_early"]
)
def test_what_breaks_an_answer_off_can_be_seen_by_its_reason(
    agent: Agent, fault: str
) -> None:
    """No early end leaves a loop with a reason to end that was no answer."""
    made = struck(agent, fault)
    assert made.verdict.status == "holds"
    assert made.outcome.status == "failed"
    assert len(made.trace.of(RequestFailed)) == 1
