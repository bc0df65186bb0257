"""Kind e, odd values: arguments that are no JSON are taken as none at all (BR-075).

The tool runs with an empty object instead, on its defaults; the model is never told
that what it wrote could not be read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from agentsim.core import Env, ProviderError, RunResult, ToolCall, ToolFailed
from tests.agents.kit import BadCall, Chat, kept, read, run_tool


async def agent(env: Env) -> AsyncIterator[str | RunResult]:
    """An async generator that yields what it does, the result last."""
    env.declare(limits=kept(env.limits, "max_iterations"))
    tools = {tool.name: tool for tool in env.tools}
    chat = Chat(env)
    while chat.rounds != env.limits.max_iterations:
        try:
            response = await env.client.complete(chat.request)
        except ProviderError as error:
            yield chat.ended("failed", error=str(error))
            return
        calls = chat.take(response)
        if not calls:
            yield chat.final(response)
            return
        for call in calls:
            chat.tools.append(call.name)
            yield f"calling {call.name}"
            try:
                arguments = lenient(call, list(tools))
                output = await run_tool(env, tools[call.name], call, arguments)
            except (BadCall, ToolFailed) as error:
                chat.refuse(call, str(error))
            else:
                chat.answer(call, output)
    yield chat.out_of_rounds()


def lenient(call: ToolCall, names: Sequence[str]) -> dict[str, Any]:
    """Read the arguments of a known tool, whatever it takes."""
    try:
        return read(call, names)
    except BadCall:
        if call.name not in names:
            raise
        return {}
