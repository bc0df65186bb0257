"""Kind b, parallel execution: all calls of a reply start at once, edits too (BR-026).

Two edits of one file in one reply overlap: both report success, and the later one may
write over the earlier. Reads overlap the write that stands between them.
"""

from __future__ import annotations

import asyncio

from agentsim.core import Env, Message, Question, Tool, ToolCall, ToolFailed, tool_result
from tests.agents.kit import BadCall, Chat, read


class Agent:
    """A class with state, one object for each run."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}

    async def __call__(self, env: Env) -> str:
        """Answer every reply by one `gather` over its calls."""
        self.env = env
        self.tools = {tool.name: tool for tool in env.tools}
        chat = Chat(env)
        for _ in range(10):
            response = await env.client.complete(chat.request)
            calls = chat.take(response)
            if not calls:
                return response.message.content
            chat.messages += await asyncio.gather(*map(self.run_one, calls))
        return "I could not finish."

    async def run_one(self, call: ToolCall) -> Message:
        """Run one call, approved where it must be."""
        try:
            arguments = read(call, list(self.tools))
            tool = self.tools[call.name]
            if tool.rights.confirms:
                assert self.env.confirm is not None
                answer = await self.env.confirm(Question(call.id, call.name, arguments))
                if not answer.approved:
                    raise BadCall(f"declined: {answer.reason or 'by user'}")
            return tool_result(call.id, str(await tool.run(arguments)))
        except (BadCall, ToolFailed) as error:
            return tool_result(call.id, f"Error: {error}", is_error=True)
