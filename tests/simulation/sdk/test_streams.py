"""Streams of the real SDK through the transport in process, as its users take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import openai
import pytest

from agentsim.core import Env, ResponseReceived
from agentsim.providers import Entry, call, forever, say, together
from agentsim.simulation import Agent, Menu, Run, Scenario, explore, run
from agentsim.world import tool
from tests.simulation.sdk.stories import STRUCK
from tests.simulation.sdk.streaming import Gathered, streaming, streaming_blocking

HELLO: Any = [{"role": "user", "content": "Hi"}]

PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}

TOOLS: Any = [
    {
        "type": "function",
        "function": {"name": "get_weather", "parameters": PARAMETERS},
    }
]

ASKED: dict[str, Any] = {
    "model": "gpt-5",
    "messages": HELLO,
    "tools": TOOLS,
    "stream_options": {"include_usage": True},
}

WEATHER = together(
    call("get_weather", city="Oslo"), call("get_weather", city="Málaga")
).but(text="Let me look: 🌦")

REPLIES = [say("It is 21 degrees in Málaga."), WEATHER, call("get_weather", city="Rom")]


def asking(*script: Entry, **fields: Any) -> Scenario:
    """Somebody asks, and the model answers."""
    weather = tool(
        "get_weather", returns="21", schema=PARAMETERS, read_only=True, parallel=True
    )
    base: dict[str, Any] = {
        "task": "Say hello.",
        "script": script or [say("Hi.")],
        "world": [weather],
    }
    return Scenario(**{**base, "exact": False, "name": "asking", **fields})


def said(completion: Any) -> dict[str, Any]:  # noqa: ANN401 - of the SDK
    """A final answer, as far as all ways of asking have it."""
    (choice,) = completion.choices
    calls = choice.message.tool_calls or []
    return {
        "text": choice.message.content or "",
        "calls": [(c.id, c.function.name, c.function.arguments) for c in calls],
        "reason": choice.finish_reason,
        "usage": completion.usage.total_tokens,
    }


def told(gathered: Gathered) -> dict[str, Any]:
    """The same of what was gathered by hand."""
    calls = [tuple(gathered.calls[index]) for index in sorted(gathered.calls)]
    found = {"text": gathered.text, "calls": calls}
    return {**found, "reason": gathered.reason, "usage": gathered.usage}


async def plain(env: Env) -> object:
    """Ask for a whole answer."""
    asked = {key: value for key, value in ASKED.items() if key != "stream_options"}
    return said(await env.openai().chat.completions.create(**asked))


def plain_sync(env: Env) -> object:
    """The same, blocking."""
    asked = {key: value for key, value in ASKED.items() if key != "stream_options"}
    return said(env.openai_sync().chat.completions.create(**asked))


async def raw(env: Env) -> object:
    """Take the chunks one by one."""
    gathered = Gathered()
    async for chunk in await env.openai().chat.completions.create(**ASKED, stream=True):
        gathered.add(chunk)
    return told(gathered)


def raw_sync(env: Env) -> object:
    """The same, blocking."""
    gathered = Gathered()
    for chunk in env.openai_sync().chat.completions.create(**ASKED, stream=True):
        gathered.add(chunk)
    return told(gathered)


async def helped(env: Env) -> object:
    """Let the SDK put it together."""
    async with env.openai().chat.completions.stream(**ASKED) as stream:
        async for _event in stream:
            pass
        return said(await stream.get_final_completion())


def helped_sync(env: Env) -> object:
    """The same, blocking."""
    with env.openai_sync().chat.completions.stream(**ASKED) as stream:
        for _event in stream:
            pass
        return said(stream.get_final_completion())


EVERY: list[Agent] = [plain_sync, raw, raw_sync, helped, helped_sync]


def kinds(made: Run) -> list[str]:
    """What was recorded of requests."""
    found = ("request", "delta", "response", "request_failed")
    return [event.kind for event in made.trace.events if event.kind in found]


@pytest.mark.parametrize("agent", EVERY)
@pytest.mark.parametrize("reply", REPLIES)
def test_every_way_of_asking_gives_the_same(agent: Agent, reply: Entry) -> None:
    """Plain and streamed, by hand and by the helper of the SDK, async and sync."""
    expected = run(asking(reply), plain)
    made = run(asking(reply), agent)
    assert made.outcome.error is None
    assert made.value == expected.value
    answers = [
        event
        for run_ in (made, expected)
        for event in run_.trace.events
        if isinstance(event, ResponseReceived)
    ]
    assert answers[0].message == answers[1].message
    assert answers[0].usage == answers[1].usage


@pytest.mark.parametrize("agent", [raw, raw_sync])
def test_each_piece_is_recorded_before_the_answer(agent: Agent) -> None:
    """As it is taken."""
    made = run(asking(say("A text of two pieces.")), agent)
    assert kinds(made) == ["request", "delta", "delta", "response"]


async def leaving(env: Env) -> None:
    """Take two chunks, and leave."""
    stream = await env.openai().chat.completions.create(**ASKED, stream=True)
    async with stream:
        for _ in range(2):
            await anext(stream)


def leaving_sync(env: Env) -> None:
    """The same, blocking."""
    with env.openai_sync().chat.completions.create(**ASKED, stream=True) as stream:
        for _ in range(2):
            next(stream)


@pytest.mark.parametrize("agent", [leaving, leaving_sync])
def test_who_leaves_early_has_received_no_answer(agent: Agent) -> None:
    """What was taken is in the trace, and nothing of the rest."""
    made = run(asking(say("A text of two pieces.")), agent)
    assert made.outcome.error is None
    assert kinds(made) == ["request", "delta"]


async def twice(env: Env) -> str:
    """Leave a stream half-read on a client, and ask again on it."""
    client = env.openai()
    stream = await client.chat.completions.create(**ASKED, stream=True)
    await anext(stream)
    completion = await client.chat.completions.create(model="gpt-5", messages=HELLO)
    return str(completion.choices[0].message.content)


def test_a_stream_that_is_left_half_read_holds_nothing_up() -> None:
    """There is no connection that it would keep."""
    made = run(asking(forever(say("Hi."))), twice)
    assert (made.value, made.outcome.error) == ("Hi.", None)


@pytest.mark.parametrize("agent", [raw, raw_sync, helped, helped_sync])
def test_a_bad_history_is_refused_before_it_is_streamed(agent: Agent) -> None:
    """By the SDK's own class, with the status and the words of the service."""
    bad = [*HELLO, {"role": "tool", "tool_call_id": "call_1", "content": "21"}]
    before, ASKED["messages"] = ASKED["messages"], bad
    try:
        made = run(asking(), agent)
    finally:
        ASKED["messages"] = before
    assert "BadRequestError: Error code: 400" in (made.outcome.error or "")
    assert "must be a response to a preceeding message" in (made.outcome.error or "")


@pytest.mark.parametrize("agent", [streaming, streaming_blocking])
def test_a_streaming_loop_outlives_cancellation_and_crash(agent: Agent) -> None:
    """Wherever they strike: nothing of the answer was taken then, or all of it."""
    menu = Menu(cancel=True, crash=True)
    story = asking(call("get_weather", city="Oslo"), say("21."), exact=True)
    found = explore(story, agent, menu=menu, deviations=1)
    assert found.complete
    assert [failure.text for failure in found.failures] == []


def test_the_async_and_the_synchronous_loop_have_one_trace() -> None:
    """Event by event and nanosecond by nanosecond, back-off included."""
    first, second = (
        [repr(event) for event in run(STRUCK, agent).expect_holds().trace.events]
        for agent in (streaming, streaming_blocking)
    )
    assert first == second


@pytest.mark.parametrize("library", ["httpx2", "httpx"])
def test_an_http_client_of_either_library_streams(library: str) -> None:
    """SDKs take one of each."""

    async def awaiting(env: Env) -> str:
        client = openai.AsyncOpenAI(api_key="k", http_client=env.http_client(library))
        gathered = Gathered()
        stream = await client.chat.completions.create(**ASKED, stream=True)
        async for chunk in stream:
            gathered.add(chunk)
        return gathered.text

    def blocking(env: Env) -> str:
        client = openai.OpenAI(api_key="k", http_client=env.http_client_sync(library))
        gathered = Gathered()
        for chunk in client.chat.completions.create(**ASKED, stream=True):
            gathered.add(chunk)
        return gathered.text

    agents: list[Callable[[Env], Any]] = [awaiting, blocking]
    for agent in agents:
        assert run(asking(), agent).value == "Hi."


@pytest.mark.parametrize("agent", [raw, raw_sync, helped, helped_sync])
def test_a_streamed_run_is_the_same_each_time(agent: Agent) -> None:
    """Byte for byte."""
    first, second = (run(asking(WEATHER), agent).trace for _ in range(2))
    assert first.digest() == second.digest()
