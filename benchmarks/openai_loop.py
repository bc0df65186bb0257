"""A hand-written loop on the SDK of OpenAI: simulated, and on canned answers outside.

Both run the same function on the same class of clients. The simulation makes a client for
each run; outside there is one for all, as a service has it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from agentsim.core import Env, Tool
from agentsim.providers import Reply
from agentsim.simulation import Scenario
from agentsim.world import World, WorldTool

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["CannedOpenAI", "agent", "body_of", "definitions_of"]

Tools = Mapping[str, Callable[..., Awaitable[object]]]


async def run_agent(
    client: AsyncOpenAI, tools: Tools, task: str, definitions: list[Any]
) -> str:
    """Ask until the model calls no more tools."""
    messages: list[Any] = [{"role": "user", "content": task}]
    while True:
        completion = await client.chat.completions.create(
            model="gpt-5", messages=messages, tools=definitions
        )
        message = completion.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return str(message.content)
        for call in message.tool_calls:
            assert call.type == "function"
            arguments = json.loads(call.function.arguments)
            content = str(await tools[call.function.name](**arguments))
            messages.append(
                {"role": "tool", "tool_call_id": call.id, "content": content}
            )


def definitions_of(tools: Iterable[Tool | WorldTool]) -> list[dict[str, Any]]:
    """Definitions of tools as the SDK takes them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.definition.description,
                "parameters": dict(tool.definition.parameters),
            },
        }
        for tool in tools
    ]


async def agent(env: Env) -> str:
    """The loop in a simulation."""
    definitions = definitions_of(env.tools)
    return await run_agent(env.openai(), env.functions, env.task, definitions)


class CannedOpenAI:
    """Runs the loop on a stock event loop, against prepared bodies of HTTP."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        replies = [entry for entry in scenario.replies if isinstance(entry, Reply)]
        self._left: Iterator[bytes] = iter(())
        self._bodies = [body_of(reply, index) for index, reply in enumerate(replies)]
        self._loop = asyncio.new_event_loop()
        self._client = self._connect()

    def __call__(self) -> str:
        """One run on the same loop."""
        self._left = iter(self._bodies)
        return self._loop.run_until_complete(self._run())

    async def _run(self) -> str:
        world = World(tuple(self._scenario.world))
        tools = {tool.name: _plain(world, tool.name) for tool in world.tools}
        definitions = definitions_of(world.tools)
        return await run_agent(self._client, tools, self._scenario.task, definitions)

    def _connect(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI

        headers = {"content-type": "application/json"}

        async def handle(_request: httpx2.Request) -> httpx2.Response:
            await asyncio.sleep(0)
            return httpx2.Response(200, headers=headers, content=next(self._left))

        http = httpx2.AsyncClient(transport=httpx2.MockTransport(handle))
        return AsyncOpenAI(api_key="none", http_client=http)

    def close(self) -> None:
        """Close client and loop."""
        self._loop.run_until_complete(self._client.close())
        self._loop.close()


def _plain(world: World, name: str) -> Callable[..., Awaitable[object]]:
    async def run(**arguments: Any) -> object:
        await asyncio.sleep(0)
        return world.apply(name, arguments)

    return run


def body_of(reply: Reply, index: int) -> bytes:
    """A prepared body of HTTP."""
    calls = [
        {
            "id": f"call_{index}_{number}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for number, call in enumerate(reply.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    message |= {"refusal": None, "annotations": []}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None}
    choice["finish_reason"] = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    body = {"id": f"chatcmpl-{index}", "object": "chat.completion", "created": 0}
    body |= {"model": "gpt-5", "choices": [choice], "usage": usage}
    return json.dumps(body).encode()
