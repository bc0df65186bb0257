"""A class with state: given as the class, so that each run has an object of its own.

Reads of one response that stand side by side run in parallel, at most K at once; what
writes or needs a person runs alone.
"""

from __future__ import annotations

import asyncio
from itertools import groupby

from agentsim.core import (
    Env,
    Message,
    ProviderError,
    Question,
    RunResult,
    Tool,
    ToolCall,
    ToolFailed,
    tool_result,
)
from tests.agents.kit import (
    NO_ANSWER,
    PATIENCE_S,
    BadCall,
    Chat,
    kept,
    read,
    with_approval,
)


class Agent:
    """Keeps its conversation and its tools in attributes."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.failures = 0

    async def __call__(self, env: Env) -> RunResult:
        """Ask the model until it has no more calls."""
        env.declare(limits=kept(env.limits, "max_iterations", "max_parallel"))
        self.env = env
        self.chat = chat = Chat(env)
        self.tools = {tool.name: tool for tool in env.tools}
        self.slots = asyncio.Semaphore(env.limits.max_parallel or 1_000)
        while chat.rounds != env.limits.max_iterations:
            try:
                response = await env.client.complete(chat.request)
            except ProviderError as error:
                return chat.ended("failed", error=str(error))
            calls = chat.take(response)
            if not calls:
                return chat.final(response)
            await self.run_all(calls)
        return chat.out_of_rounds()

    async def run_all(self, calls: tuple[ToolCall, ...]) -> None:
        """Run the calls of one response, and append their results in their order."""
        self.chat.tools += [call.name for call in calls]
        for parallel, batch in groupby(calls, key=self.may_overlap):
            if parallel:
                results = await asyncio.gather(*map(self.run_one, batch))
            else:
                results = [await self.run_one(call) for call in batch]
            self.chat.messages += results

    def may_overlap(self, call: ToolCall) -> bool:
        """Whether a call may run beside others."""
        tool = self.tools.get(call.name)
        return tool is not None and tool.rights.parallel

    async def run_one(self, call: ToolCall) -> Message:
        """Run one call; whatever becomes of it is its result."""
        async with self.slots:
            try:
                arguments = read(call, list(self.tools))
                async with asyncio.timeout(PATIENCE_S):
                    output = await self.approved(call, arguments)
                return tool_result(call.id, str(output))
            except (BadCall, ToolFailed) as error:
                words = str(error)
            except TimeoutError:
                words = NO_ANSWER
            self.failures += 1
            return tool_result(call.id, f"Error: {words}", is_error=True)

    async def approved(self, call: ToolCall, arguments: dict[str, object]) -> object:
        """Run a tool, with a person's approval where it needs one."""
        tool = self.tools[call.name]
        if tool.rights.confirms:
            if self.env.confirm is None:
                raise BadCall("nobody is there to approve")
            answer = await self.env.confirm(Question(call.id, call.name, arguments))
            arguments = with_approval(arguments, answer)
        return await tool.run(arguments)
