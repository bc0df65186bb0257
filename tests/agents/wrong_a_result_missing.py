"""Kind a, history and pairing: a call whose executor fails has no result (BR-001).

The guard is around the whole turn instead of around each call. A tool that raises ends
the turn, the error is swallowed, and the model is asked again with calls unanswered.
"""

from __future__ import annotations

from contextlib import suppress

from agentsim.core import Env, ProviderError, RunResult, ToolCall, ToolFailed
from tests.agents.kit import BadCall, Chat, kept, read, run_tool


async def agent(env: Env) -> RunResult:
    """An async function."""
    env.declare(limits=kept(env.limits, "max_iterations"))
    chat = Chat(env)
    while chat.rounds != env.limits.max_iterations:
        try:
            response = await env.client.complete(chat.request)
        except ProviderError as error:
            return chat.ended("failed", error=str(error))
        calls = chat.take(response)
        if not calls:
            return chat.final(response)
        with suppress(ToolFailed, BadCall):
            await run_all(env, chat, calls)
    return chat.out_of_rounds()


async def run_all(env: Env, chat: Chat, calls: tuple[ToolCall, ...]) -> None:
    """Run the calls of one response."""
    tools = {tool.name: tool for tool in env.tools}
    for call in calls:
        chat.tools.append(call.name)
        arguments = read(call, list(tools))
        chat.answer(call, await run_tool(env, tools[call.name], call, arguments))
