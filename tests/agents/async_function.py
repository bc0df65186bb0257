"""An async function: the loop that most tutorials teach, with what they leave out.

It keeps the limit of iterations and the deadline. Calls run one after the other.
"""

from __future__ import annotations

import asyncio

from agentsim.core import Env, ProviderError, RunResult, ToolCall, ToolFailed
from tests.agents.kit import BadCall, Chat, kept, read, run_tool


async def agent(env: Env) -> RunResult:
    """Ask the model until it has no more calls, within the limits."""
    env.declare(limits=kept(env.limits, "max_iterations", "deadline_s"))
    chat = Chat(env)
    open_calls: list[ToolCall] = []
    try:
        async with asyncio.timeout(env.limits.deadline_s):
            return await _loop(env, chat, open_calls)
    except TimeoutError:
        for call in open_calls:
            chat.refuse(call, "the deadline came; whether it took effect is unknown")
        return chat.ended("deadline", error=f"no end in {env.limits.deadline_s} s")


async def _loop(env: Env, chat: Chat, open_calls: list[ToolCall]) -> RunResult:
    tools = {tool.name: tool for tool in env.tools}
    while chat.rounds != env.limits.max_iterations:
        try:
            response = await env.client.complete(chat.request)
        except ProviderError as error:
            return chat.ended("failed", error=str(error))
        open_calls += chat.take(response)
        if not open_calls:
            return chat.final(response)
        while open_calls:
            call = open_calls[0]
            chat.tools.append(call.name)
            try:
                arguments = read(call, list(tools))
                chat.answer(
                    call, await run_tool(env, tools[call.name], call, arguments)
                )
            except (BadCall, ToolFailed) as error:
                chat.refuse(call, str(error))
            del open_calls[0]
    return chat.out_of_rounds()
