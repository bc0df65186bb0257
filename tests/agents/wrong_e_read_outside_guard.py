"""Kind e, odd values: arguments that are no JSON end the whole run (BR-074).

They are read before the guarded part of the loop begins. What the model wrote wrong
raises out of the agent, and the other calls of the reply are skipped.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from agentsim.core import Env, ProviderError, RunResult, ToolFailed, parse_arguments
from tests.agents.kit import BadCall, Chat, kept, run_tool


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
            arguments = parse_arguments(call.arguments)
            try:
                if call.name not in tools:
                    raise BadCall(f"unknown tool {call.name}")
                output = await run_tool(env, tools[call.name], call, arguments)
            except (BadCall, ToolFailed) as error:
                chat.refuse(call, str(error))
            else:
                chat.answer(call, output)
    yield chat.out_of_rounds()
