"""Small loops that do something of their own before the first request, or on the way out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from agentsim.core import (
    Env,
    Request,
    Tool,
    ToolFailed,
    parse_arguments,
    system,
    tool_result,
    user,
)
from agentsim.providers import call, say
from agentsim.simulation import Agent, Menu, Scenario, explore
from agentsim.world import tool


@tool(read_only=True)
def read_file(path: str) -> str:
    """Read a file."""
    return f"{path} is fine"


@tool(confirm=False)
def note(text: str) -> str:
    """Write something down."""
    return f"noted: {text}"


STORY = Scenario(
    task="Look at the log.",
    world=[read_file, note],
    script=[call("read_file", path="log"), say("It is fine.")],
)

MENU = Menu("any_order", ["raises"], cancel=True, crash=True)

Ahead = Callable[[dict[str, Tool]], Awaitable[str]]


async def nothing(_tools: dict[str, Tool]) -> str:
    """Nothing is done before the first request."""
    return ""


Wait = Callable[[Awaitable[object]], Awaitable[object]]


async def at_once(running: Awaitable[object]) -> object:
    """A tool is cut off with the run."""
    return await running


def agent_of(*, ahead: Ahead = nothing, wait: Wait = at_once) -> Agent:
    """A loop on the client.

    Args:
        ahead: Gives words for the prompt.
        wait: Waits for a tool.
    """

    async def agent(env: Env) -> str:
        tools = {tool.name: tool for tool in env.tools}
        offered = tuple(tool.definition for tool in env.tools)
        try:
            words = await ahead(tools)
        except ToolFailed:
            words = "Nobody knows how things are."
        history = [system(f"Be careful. {words}"), user(env.task)]
        while True:
            request = Request(env.model, tuple(history), offered)
            said = (await env.client.complete(request)).message
            history.append(said)
            if not said.tool_calls:
                return said.content
            for one in said.tool_calls:
                given = parse_arguments(one.arguments)
                try:
                    output = await wait(tools[one.name](**given))
                    history.append(tool_result(one.id, str(output)))
                except ToolFailed as error:
                    words = f"Error: {error}"
                    history.append(tool_result(one.id, words, is_error=True))

    return agent


async def reading(tools: dict[str, Tool]) -> str:
    """The prompt holds what a file says."""
    return str(await tools["read_file"](path="AGENTS.md"))


async def writing(tools: dict[str, Tool]) -> str:
    """The prompt holds what was written down just now."""
    return str(await tools["note"](text="I began"))


async def to_the_end(running: Awaitable[object]) -> object:
    """A tool that has begun is let end, also where the run is cancelled."""
    task = asyncio.ensure_future(running)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with suppress(ToolFailed):
            await task
        raise


async def and_once_more(running: Awaitable[object]) -> object:
    """Where the run is cancelled, it goes on all the same."""
    task = asyncio.ensure_future(running)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task


@pytest.mark.parametrize(
    ("agent", "violated"),
    [
        (agent_of(ahead=reading), []),
        (agent_of(ahead=writing), ["allowlist"]),
        (agent_of(wait=to_the_end), []),
        (agent_of(wait=and_once_more), ["cancellation-kept"]),
    ],
    ids=["reads first", "writes first", "waits for a tool", "goes on"],
)
def test_what_a_loop_does_before_and_after_is_judged(
    agent: Agent, violated: list[str]
) -> None:
    """Reads before the first request, and a crash on the way out, make no alarm."""
    found = explore(
        STORY, agent, menu=MENU, deviations=2, runs=30, smallest=False, stories=False
    )
    assert sorted(found.violations) == violated
