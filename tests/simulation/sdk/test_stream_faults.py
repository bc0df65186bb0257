"""Streams that go wrong, as the user of the real SDK sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx2
import openai
import pytest

from agentsim.core import (
    DeltaReceived,
    Env,
    RequestFailed,
    ResponseReceived,
    StreamPlace,
)
from agentsim.engine import Replay
from agentsim.faults import (
    FaultRule,
    missing_usage,
    stream_cut,
    stream_cut_in_bytes,
    stream_doubled,
    stream_ends_early,
    stream_error,
    stream_in_portions,
    stream_interleaved,
    stream_noise,
    stream_stalls,
    stream_without_reason,
)
from agentsim.providers import Entry, call, say, together
from agentsim.simulation import Agent, Menu, Run, Scenario, explore, run
from agentsim.world import tool
from tests.simulation.sdk.streaming import Gathered, streaming, streaming_blocking

TEXT = "It is 21 degrees in Málaga, and the sun shines."

BOTH = together(call("get_weather", city="Oslo"), call("get_weather", city="Málaga"))

PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}

ASKED: Any = {
    "model": "gpt-5",
    "messages": [{"role": "user", "content": "Hi"}],
    "tools": [
        {
            "type": "function",
            "function": {"name": "get_weather", "parameters": PARAMETERS},
        }
    ],
    "stream_options": {"include_usage": True},
}


ERRORS = (openai.OpenAIError, AssertionError)
"""What the SDK raises of streams that go wrong."""


class Seen:
    """What a user of the SDK got of one stream."""

    def __init__(self) -> None:
        self.gathered = Gathered()
        self.error: Exception | None = None
        self.final: Any = None


async def raw(env: Env) -> Seen:
    """The chunks, by the async client."""
    seen = Seen()
    try:
        stream = await env.openai().chat.completions.create(**ASKED, stream=True)
        async for chunk in stream:
            seen.gathered.add(chunk)
    except ERRORS as error:
        seen.error = error
    return seen


def raw_sync(env: Env) -> Seen:
    """The chunks, by the blocking client."""
    seen = Seen()
    try:
        for chunk in env.openai_sync().chat.completions.create(**ASKED, stream=True):
            seen.gathered.add(chunk)
    except ERRORS as error:
        seen.error = error
    return seen


async def helped(env: Env) -> Seen:
    """What the helper makes of it, by the async client."""
    seen = Seen()
    try:
        async with env.openai().chat.completions.stream(**ASKED) as stream:
            async for event in stream:
                if event.type == "chunk":
                    seen.gathered.add(event.chunk)
            seen.final = await stream.get_final_completion()
    except ERRORS as error:
        seen.error = error
    return seen


def helped_sync(env: Env) -> Seen:
    """What the helper makes of it, by the blocking client."""
    seen = Seen()
    try:
        with env.openai_sync().chat.completions.stream(**ASKED) as stream:
            for event in stream:
                if event.type == "chunk":
                    seen.gathered.add(event.chunk)
            seen.final = stream.get_final_completion()
    except ERRORS as error:
        seen.error = error
    return seen


WAYS = pytest.mark.parametrize("agent", [raw, raw_sync, helped, helped_sync])


def struck(
    agent: Agent, fault: FaultRule, reply: Entry | None = None
) -> tuple[Seen, Run]:
    """One request whose answer a fault strikes, and what came of it."""
    weather = tool("get_weather", returns="21", schema=PARAMETERS, read_only=True)
    scenario = Scenario(
        task="Ask.",
        script=[reply or say(TEXT)],
        world=[weather],
        faults=[fault],
        name="struck",
    )
    made = run(scenario, agent)
    seen: Any = made.value
    assert isinstance(seen, Seen), made.outcome.error
    return seen, made


def recorded(made: Run) -> list[str]:
    """What was recorded of the request, behind its text."""
    kinds = (ResponseReceived, RequestFailed)
    return [event.kind for event in made.trace.events if isinstance(event, kinds)]


def pieces(made: Run) -> str:
    """The text that was taken, as the trace has it."""
    events = made.trace.events
    return "".join(event.text for event in events if isinstance(event, DeltaReceived))


@WAYS
@pytest.mark.parametrize(
    "fault",
    [stream_cut(at=0), stream_cut(at=2), stream_cut(at="end"), stream_cut_in_bytes()],
)
def test_a_lost_connection_is_an_error_that_is_not_tried_again(
    agent: Agent, fault: FaultRule
) -> None:
    """The SDK wraps it, and what had come was seen."""
    seen, made = struck(agent, fault)
    assert isinstance(seen.error, openai.APIConnectionError)
    assert isinstance(seen.error.__cause__, httpx2.RemoteProtocolError)
    assert recorded(made) == ["request_failed"]
    assert TEXT.startswith(seen.gathered.text)
    assert pieces(made) == seen.gathered.text
    assert seen.gathered.reason is None


@WAYS
def test_a_connection_is_lost_within_a_character(agent: Agent) -> None:
    """No half of it is ever seen."""
    seen, made = struck(agent, stream_cut_in_bytes(at="character"))
    assert isinstance(seen.error, openai.APIConnectionError)
    assert pieces(made) == seen.gathered.text == "It is 21 degrees"


@WAYS
def test_a_stalled_stream_is_given_up_in_virtual_time(agent: Agent) -> None:
    """After ten minutes, which the SDK waits for bytes; it is not tried again."""
    seen, made = struck(agent, stream_stalls(at=2))
    assert isinstance(seen.error, openai.APITimeoutError)
    assert recorded(made) == ["request_failed"]
    assert made.outcome.at_ns == 601_000_000_000
    assert pieces(made) == seen.gathered.text == "It is 21 degrees"


@WAYS
@pytest.mark.parametrize("at", [0, 1, 2, "end"])
def test_a_stream_that_ends_early_ends_quietly(
    agent: Agent, at: int | StreamPlace
) -> None:
    """Nothing raises: that there is no reason is all that tells."""
    seen, made = struck(agent, stream_ends_early(at=at))
    assert seen.gathered.reason is None
    assert pieces(made) == seen.gathered.text
    assert recorded(made) == ["request_failed"]
    if at == 0 and agent in (helped, helped_sync):
        assert isinstance(seen.error, AssertionError)
        return
    assert seen.error is None
    if seen.final is not None:
        assert seen.final.choices[0].finish_reason is None
        assert (seen.final.choices[0].message.content or "") == seen.gathered.text


@WAYS
def test_an_error_in_the_stream_is_an_error_without_a_status(agent: Agent) -> None:
    """The answer had begun with 200."""
    seen, made = struck(agent, stream_error(at=2))
    assert type(seen.error) is openai.APIError
    assert "overloaded" in str(seen.error)
    assert (seen.error.type, seen.error.code) == ("server_error", None)
    assert recorded(made) == ["request_failed"]
    assert pieces(made) == seen.gathered.text == "It is 21 degrees"


@WAYS
def test_an_answer_without_a_reason_is_whole_and_does_not_say_so(agent: Agent) -> None:
    """Its text is all there."""
    seen, made = struck(agent, stream_without_reason())
    assert (seen.error, seen.gathered.text) == (None, TEXT)
    assert seen.gathered.reason is None
    assert recorded(made) == ["response"]


@WAYS
def test_usage_may_be_missing(agent: Agent) -> None:
    """Though it was asked for."""
    seen, made = struck(agent, missing_usage())
    assert (seen.error, seen.gathered.text) == (None, TEXT)
    assert seen.gathered.usage is None
    assert recorded(made) == ["response"]


@WAYS
@pytest.mark.parametrize("reply", [say(TEXT), BOTH.but(text="🌦")])
@pytest.mark.parametrize(
    "fault",
    [stream_noise(), *(stream_in_portions(at=size) for size in (1, 2, 7, 64, 0))],
)
def test_noise_and_portions_change_nothing(
    agent: Agent, fault: FaultRule, reply: Entry
) -> None:
    """Comments and cuts within an event or a character are nobody's business."""
    plain, _made = struck(agent, stream_in_portions(at=999_999), reply)
    seen, made = struck(agent, fault, reply)
    assert seen.error is None
    assert vars(seen.gathered) == vars(plain.gathered)
    if seen.final is not None:
        assert seen.final.choices[0].message == plain.final.choices[0].message
    assert recorded(made) == ["response"]
    assert pieces(made) == seen.gathered.text


@WAYS
def test_a_doubled_piece_stands_in_the_answer_twice(agent: Agent) -> None:
    """Nothing tells it from what the model said, and the trace has what came."""
    seen, made = struck(agent, stream_doubled(at=0))
    assert seen.error is None
    assert seen.gathered.text == "It is 21 degrees" + TEXT == pieces(made)
    (received,) = [e for e in made.trace.events if isinstance(e, ResponseReceived)]
    assert received.message.content == seen.gathered.text


@WAYS
def test_interleaved_calls_are_put_together(agent: Agent) -> None:
    """Each piece says which call it is of."""
    plain, _made = struck(agent, stream_noise(), BOTH)
    seen, made = struck(agent, stream_interleaved(), BOTH)
    assert seen.error is None
    assert vars(seen.gathered) == vars(plain.gathered)
    assert len(seen.gathered.calls) == 2
    assert recorded(made) == ["response"]


def test_a_plain_answer_is_not_struck() -> None:
    """What was named and met no stream makes the verdict unknown."""

    async def plain(env: Env) -> str | None:
        asked = {key: ASKED[key] for key in ("model", "messages")}
        completion = await env.openai().chat.completions.create(**asked)
        return str(completion.choices[0].message.content)

    weather = tool("get_weather", returns="21", schema=PARAMETERS, read_only=True)
    scenario = Scenario(task="Ask.", script=[say("Hi.")], world=[weather], name="plain")
    found = explore(scenario, plain, faults=["streams"], deviations=1)
    assert found.complete
    assert found.never_struck != ()
    named = run(replace(scenario, faults=[stream_cut()]), plain)
    assert named.value == "Hi."
    assert named.verdict.status == "unknown"
    assert named.verdict.unmet == ("stream_cut on the model",)


@pytest.mark.parametrize("agent", [streaming, streaming_blocking])
def test_every_fault_of_streams_is_told_from_an_answer(agent: Agent) -> None:
    """A loop that looks at the reason fails where it must, and is never wrong."""
    weather = tool("get_weather", returns="21", schema=PARAMETERS, read_only=True)
    scenario = Scenario(
        task="Ask.",
        script=[call("get_weather", city="Oslo"), say("21.")],
        world=[weather],
        name="told",
    )
    menu = Menu(faults=("streams",))
    found = explore(scenario, agent, menu=menu, deviations=1)
    assert found.complete
    assert [failure.text for failure in found.failures] == []
    assert found.never_struck == ("stream_interleaved",)


def test_the_place_is_a_choice_that_is_told_in_words() -> None:
    """And it replays."""
    scenario = Scenario(task="Ask.", script=[say("Hi.")], name="placed")
    made = run(
        scenario,
        streaming,
        menu=Menu(faults=("stream_cut",)),
        choices=Replay({0: 1, 1: 3}),
    )
    assert made.words[-1] == (
        "stream_cut strikes the stream where all has come but its end"
    )
    again = run(
        scenario, streaming, menu=made.menu, choices=Replay(made.choices.deviations)
    )
    assert again.trace.digest() == made.trace.digest()
