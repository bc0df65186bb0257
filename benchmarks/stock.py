"""The same runtime and replies on a stock event loop, unrecorded and unjudged.

The agent has to be paid for in both, so what a simulated run costs is told as a
multiple of this.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from agentsim.core import (
    Client,
    Decision,
    Delta,
    Message,
    Question,
    Request,
    Response,
    RunResult,
    Tool,
    ToolCall,
    Usage,
    assistant,
)
from agentsim.providers import Reply
from agentsim.runtime import AgentConfig, run_agent
from agentsim.simulation import Scenario
from agentsim.world import World, WorldTool

__all__ = ["StockRun"]


class StockRun:
    """Runs a scenario of plain replies with nothing between agent and world."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        replies = [entry for entry in scenario.replies if isinstance(entry, Reply)]
        self._responses = [
            Response(_message(reply, index), reply.reason, Usage(100, 20))
            for index, reply in enumerate(replies)
        ]
        self._loop = asyncio.new_event_loop()

    def __call__(self) -> RunResult:
        """One run on the same loop."""
        return self.run(self.canned())

    def canned(self) -> Client:
        """A new client with the replies of the scenario."""
        return _Canned(iter(self._responses))

    def run(self, client: Client) -> RunResult:
        """One run on the same loop, with a client."""
        world = World(tuple(self._scenario.world))
        config = AgentConfig(
            resolve=lambda: client,
            model="canned",
            tools=tuple(_plain_tool(world, tool) for tool in world.tools),
            confirm=_approve,
            limits=self._scenario.limits,
            loop=self._scenario.loop,
        )
        return self._loop.run_until_complete(run_agent(config, self._scenario.task))

    def close(self) -> None:
        """Close the loop."""
        self._loop.close()


class _Canned:
    """Answers with prepared responses, in order."""

    def __init__(self, responses: Iterator[Response]) -> None:
        self._responses = responses

    async def complete(self, _request: Request) -> Response:
        await asyncio.sleep(0)
        return next(self._responses)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield Delta(response=await self.complete(request))


def _message(reply: Reply, index: int) -> Message:
    calls = [
        ToolCall(f"call_{index}_{number}", call.name, call.arguments)
        for number, call in enumerate(reply.calls)
    ]
    return assistant(reply.text, *calls)


def _plain_tool(world: World, tool: WorldTool) -> Tool:
    async def run(arguments: dict[str, Any]) -> object:
        await asyncio.sleep(0)
        return world.apply(tool.name, arguments)

    return Tool(tool.definition, run, tool.rights)


async def _approve(_question: Question) -> Decision:
    return Decision(approved=True, confirmed_by="operator-1")
