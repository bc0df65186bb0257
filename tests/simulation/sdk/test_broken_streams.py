"""Streams that break off, under loops on the real SDKs: who takes a piece for the answer."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from anthropic import AnthropicError

from agentsim.core import Env, Finished
from agentsim.faults import (
    Fault,
    FaultRule,
    stream_cut,
    stream_ends_early,
    stream_error,
)
from agentsim.providers import call, say
from agentsim.simulation import Agent, Run, Scenario, run
from agentsim.world import Disk
from tests.simulation.sdk.on_anthropic import streamed, streamed_blocking, tool_of
from tests.simulation.sdk.streaming import streaming, streaming_blocking

ANSWER = "There is room enough on the disk, and nothing has to be removed."

CARELESS = [streamed, streamed_blocking]
"""They read the final message of Anthropic's helper, and only ask whether it is tool_use."""


def struck(agent: Agent, entry: Any, *faults: Fault | FaultRule) -> Run:  # noqa: ANN401 - a reply
    """A run in which something befalls the streams."""
    story = Scenario(
        "Is there room?", [entry], world=[Disk()], faults=[*faults], exact=False
    )
    return run(story, agent)


def ruling(made: Run) -> str:
    """What the invariant says of a run."""
    [found] = [e for e in made.verdict.judgements if e.id == "cut-is-not-success"]
    return found.status


def asked(env: Env) -> Any:  # noqa: ANN401 - of the SDK
    """The stream of the first request."""
    return env.anthropic().messages.stream(
        model=env.model,
        max_tokens=999,
        messages=[{"role": "user", "content": env.task}],
        tools=[tool_of(tool.definition) for tool in env.tools],
    )


async def checking(env: Env) -> Finished:
    """A loop that takes a message for whole only where its reason stands."""
    try:
        async with asked(env) as stream:
            message = await stream.get_final_message()
    except (AnthropicError, httpx2.HTTPError):
        return Finished("failed", error="the model failed")
    if message.stop_reason is None:
        return Finished("failed", error="the answer broke off")
    return Finished(
        "done", "".join(b.text for b in message.content if b.type == "text")
    )


async def running(env: Env) -> str:
    """A loop that runs the calls of whatever message the helper gives."""
    tools = {tool.name: tool for tool in env.tools}
    async with asked(env) as stream:
        message = await stream.get_final_message()
    outputs = [
        str(await tools[block.name].run(block.input))
        for block in message.content
        if block.type == "tool_use"
    ]
    return " ".join(outputs)


@pytest.mark.parametrize(
    "fault", [stream_ends_early(at="middle"), stream_ends_early(at="end")]
)
@pytest.mark.parametrize("agent", CARELESS)
def test_a_partial_message_of_the_helper_is_no_final_answer(
    agent: Agent, fault: FaultRule
) -> None:
    """Anthropic's helper gives one with stop_reason None, and raises nothing."""
    made = struck(agent, say(ANSWER), fault)
    assert ruling(made) == "violated"
    assert isinstance(made.value, str)
    assert made.value
    assert ANSWER.startswith(made.value)


@pytest.mark.parametrize("fault", [stream_cut(), stream_error(), stream_ends_early()])
@pytest.mark.parametrize("agent", [checking, streaming, streaming_blocking])
def test_a_loop_that_reads_the_reason_is_clean(agent: Agent, fault: FaultRule) -> None:
    """It fails, or raises what the SDK raises, on either vendor's SDK."""
    made = struck(agent, say(ANSWER), fault)
    assert made.verdict.violated == ()
    assert ruling(made) == "holds"


def test_a_call_of_a_partial_message_must_not_run() -> None:
    """All of it came, but what says that it is whole."""
    made = struck(running, call("check_disk"), stream_ends_early(at="end"))
    assert ruling(made) == "violated"
    assert ruling(struck(running, call("check_disk"))) == "unknown"


def test_a_loop_that_is_careless_is_clean_where_the_sdk_raises() -> None:
    """A lost connection comes out of the helper as an error."""
    for agent in CARELESS:
        made = struck(agent, say(ANSWER), stream_cut())
        assert ruling(made) == "holds"
