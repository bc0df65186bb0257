"""Three tests as users write them; the last one fails."""

from __future__ import annotations

import asyncio
import json

import pytest

from agentsim import Env, call, reference, say
from agentsim.core import Message, Request, ToolCall, system, tool_result, user
from agentsim.pytest_plugin import Sim


async def hasty(env: Env) -> str:
    """Run all tools of a response at once, and note each result as it comes in."""
    tools = {tool.name: tool for tool in env.tools}
    definitions = tuple(tool.definition for tool in env.tools)
    messages: list[Message] = [system("You run a server."), user(env.task)]

    async def answer(asked: ToolCall) -> None:
        output = await tools[asked.name].run(json.loads(asked.arguments))
        # The bug: results belong in the order of their calls.
        messages.append(tool_result(asked.id, str(output)))

    while True:
        request = Request(env.model, tuple(messages), definitions, 0.0, None)
        response = await env.client.complete(request)
        messages.append(response.message)
        if not response.message.tool_calls:
            return response.message.content
        print("agent: runs", len(response.message.tool_calls), "tools")  # noqa: T201
        await asyncio.gather(*map(answer, response.message.tool_calls))


def test_the_disk_is_freed(sim: Sim) -> None:
    """The agent cleans a full disk."""
    sim.world.disk.fill("95%")
    sim.script(call("check_disk"), call("clean_logs"), say("Freed 20 GB."))
    run = sim.run(reference, "The server is out of space. Sort it out.")
    assert sim.world.disk.used_percent < 50
    assert run.outcome.output == "Freed 20 GB."


@pytest.mark.anyio
async def test_the_server_is_looked_at(looking: Sim) -> None:
    """In an async test a run is awaited."""
    run = await looking.arun(reference, "What is wrong with the server?")
    assert run.outcome.output == "The disk is full."


def test_a_hasty_agent_looks_at_the_server(looking: Sim) -> None:
    """It works in the order of the calls; in another order it shows its bug."""
    run = looking.run(hasty, "What is wrong with the server?")
    assert run.value == "The disk is full."
