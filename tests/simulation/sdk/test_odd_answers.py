"""Answers with odd texts and arguments: the same by all wires, plain and streamed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentsim.core import Env
from agentsim.providers import Call, Reply, say
from agentsim.simulation import Scenario, run
from agentsim.world import tool
from tests.simulation.sdk.on_anthropic import client_of

ASKED: Any = [{"role": "user", "content": "Hi"}]

FIELDS: Any = {"model": "claude", "max_tokens": 99}

TEXTS = ["cut: \ud83d", "\ude00 \ud83d and \U0001f600", "\0 \u2028\r\n\ndata: x"]


async def chat(env: Env) -> str:
    """Chat Completions, plain."""
    said = await env.openai().chat.completions.create(model="m", messages=ASKED)
    return str(said.choices[0].message.content)


async def chat_streamed(env: Env) -> str:
    """Chat Completions, streamed."""
    asking = env.openai().chat.completions.stream(model="m", messages=ASKED)
    async with asking as stream:
        said = await stream.get_final_completion()
    return str(said.choices[0].message.content)


async def responses(env: Env) -> str:
    """Responses, plain."""
    return (await env.openai().responses.create(model="m", input="Hi")).output_text


async def responses_streamed(env: Env) -> str:
    """Responses, streamed."""
    async with env.openai().responses.stream(model="m", input="Hi") as stream:
        return (await stream.get_final_response()).output_text


async def messages(env: Env) -> str:
    """Anthropic Messages, plain."""
    said: Any = await client_of(env).messages.create(**FIELDS, messages=ASKED)
    return str(said.content[0].text)


async def messages_streamed(env: Env) -> str:
    """Anthropic Messages, streamed."""
    async with client_of(env).messages.stream(**FIELDS, messages=ASKED) as stream:
        return await stream.get_final_text()


WAYS = (chat, chat_streamed, responses, responses_streamed, messages, messages_streamed)


@pytest.mark.parametrize("ask", WAYS)
def test_any_text_comes_as_it_was_said(ask: Callable[[Env], Awaitable[str]]) -> None:
    """Half of a character too, with which texts end that were cut: JSON can escape it."""
    heard = []

    async def agent(env: Env) -> str:
        heard.append(await ask(env))
        return heard[-1]

    for text in TEXTS:
        assert run(Scenario("Ask.", [say(text)]), agent).verdict.status == "holds"
    assert heard == TEXTS


def test_a_call_with_a_key_twice_is_found_again_by_a_wire_of_objects() -> None:
    """The model goes on with its next reply, though the history has one of the keys."""
    arguments = '{"n": 1, "n": 2}'

    async def agent(env: Env) -> str:
        client, said = client_of(env), list(ASKED)
        for _ in range(2):
            reply: Any = await client.messages.create(**FIELDS, messages=said)
            said.append({"role": "assistant", "content": reply.content})
            for block in reply.content:
                if block.type == "text":
                    return str(block.text)
                assert block.input == {"n": 2}
                result = {"type": "tool_result", "tool_use_id": block.id}
                said.append({"role": "user", "content": [{**result, "content": "no"}]})
        return "asked for the same again"

    look = tool("look", returns="seen", read_only=True)
    script = [Reply(calls=(Call("look", arguments),)), say("Done.")]
    made = run(Scenario("Look.", script, world=[look]), agent)
    assert made.outcome.output == "Done."
