"""Kind b, parallel execution: all calls of a reply start at once, edits too (BR-026).

Two edits of one file in one reply overlap: both report success, and the later one may
write over the earlier. Reads overlap the write that stands between them.
"""

from __future__ import annotations

import asyncio

from agentsim.core import (
    Env,
    Message,
    ProviderError,
    RunResult,
    Tool,
    ToolCall,
    ToolFailed,
    tool_result,
)
from tests.agents.kit import BadCall, Chat, kept, read, run_tool


class Agent:
    """A class with state, one object for each run."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}

    async def __call__(self, env: Env) -> RunResult:
        """Answer every reply by one `gather` over its calls."""
        env.declare(limits=kept(env.limits, "max_iterations"))
        self.env = env
        self.tools = {tool.name: tool for tool in env.tools}
        chat = Chat(env)
        while chat.rounds != env.limits.max_iterations:
            try:
                response = await env.client.complete(chat.request)
            except ProviderError as error:
                return chat.ended("failed", error=str(error))
            calls = chat.take(response)
            if not calls:
                return chat.final(response)
            chat.tools += [call.name for call in calls]
            chat.messages += await asyncio.gather(*map(self.run_one, calls))
        return chat.out_of_rounds()

    async def run_one(self, call: ToolCall) -> Message:
        """Run one call; whatever becomes of it is its result."""
        try:
            arguments = read(call, list(self.tools))
            output = await run_tool(self.env, self.tools[call.name], call, arguments)
            return tool_result(call.id, str(output))
        except (BadCall, ToolFailed) as error:
            return tool_result(call.id, f"Error: {error}", is_error=True)
