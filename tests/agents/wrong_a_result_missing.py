"""Kind a, history and pairing: a call whose executor fails has no result (BR-001).

The guard is around the whole turn instead of around each call. A tool that raises ends
the turn, the error is swallowed, and the model is asked again with calls unanswered.
"""

from __future__ import annotations

from contextlib import suppress

from agentsim.core import Env, ToolCall, ToolFailed
from tests.agents.kit import BadCall, Chat, read


async def agent(env: Env) -> str:
    """An async function that returns a text."""
    chat = Chat(env)
    for _ in range(10):
        response = await env.client.complete(chat.request)
        calls = chat.take(response)
        if not calls:
            return response.message.content
        with suppress(ToolFailed, BadCall):
            await _run_all(env, chat, calls)
    return "I could not finish."


async def _run_all(env: Env, chat: Chat, calls: tuple[ToolCall, ...]) -> None:
    tools = {tool.name: tool for tool in env.tools if tool.rights.read_only}
    for call in calls:
        chat.answer(call, await tools[call.name].run(read(call, list(tools))))
