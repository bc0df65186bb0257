"""Kind c, loops: the detector compares a call with its neighbour only (BR-037).

A, B, A, B sets the counter back each time, and the run goes on to the turn limit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from agentsim.core import Env, ProviderError, RunResult, Tool, ToolCall, ToolFailed
from tests.agents.kit import BadCall, Chat, kept, read, run_tool

Agent = Callable[[Env], Awaitable[RunResult]]


class Detector:
    """Counts how often the same call gave the same output in a row."""

    def __init__(self) -> None:
        self.last: tuple[str, str, str] | None = None
        self.count = 0

    def repeats(self, call: ToolCall, output: str) -> int:
        """How often that came in a row, this time included."""
        action = (call.name, call.arguments, output)
        self.count = self.count + 1 if action == self.last else 1
        self.last = action
        return self.count


def make_agent() -> Agent:
    """A factory: it builds an agent that promises a loop detection."""

    async def agent(env: Env) -> RunResult:
        env.declare(limits=kept(env.limits, "max_iterations"), loop=env.loop)
        detector, chat = Detector(), Chat(env)
        while chat.rounds != env.limits.max_iterations:
            try:
                response = await env.client.complete(chat.request)
            except ProviderError as error:
                return chat.ended("failed", error=str(error))
            calls = chat.take(response)
            if not calls:
                return chat.final(response)
            repeats = [await answer(env, chat, call, detector) for call in calls]
            if max(repeats) >= env.loop.end_at:
                return chat.ended("loop", error="the same call again and again")
        return chat.out_of_rounds()

    return agent


async def answer(env: Env, chat: Chat, call: ToolCall, detector: Detector) -> int:
    """Answer one call, by a block where it repeats; how often it did."""
    tools: dict[str, Tool] = {tool.name: tool for tool in env.tools}
    chat.tools.append(call.name)
    try:
        arguments = read(call, list(tools))
        output = str(await run_tool(env, tools[call.name], call, arguments))
        failed = False
    except (BadCall, ToolFailed) as error:
        output, failed = str(error), True
    repeats = detector.repeats(call, output)
    if repeats >= env.loop.block_at:
        chat.refuse(call, f"loop detected: {call.name}; change approach")
    elif failed:
        chat.refuse(call, output)
    else:
        chat.answer(call, output)
    return repeats
