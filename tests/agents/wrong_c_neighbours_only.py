"""Kind c, loops: the detector compares a call with its neighbour only (BR-037).

A, B, A, B sets the counter back each time, and the run goes on to the turn limit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from agentsim.core import Env, RunResult, ToolFailed
from tests.agents.kit import BadCall, Chat, kept, read

Agent = Callable[[Env], Awaitable[RunResult]]


class Detector:
    """Counts how often the same call came in a row."""

    def __init__(self, block_at: int) -> None:
        self.block_at = block_at
        self.last: tuple[str, str, str] | None = None
        self.count = 0

    def repeats(self, action: tuple[str, str, str]) -> int:
        """How often this action came in a row, this time included."""
        self.count = self.count + 1 if action == self.last else 1
        self.last = action
        return self.count


def make_agent() -> Agent:
    """A factory: it builds an agent that promises a loop detection."""

    async def agent(env: Env) -> RunResult:
        env.declare(limits=kept(env.limits, "max_iterations"), loop=env.loop)
        detector = Detector(env.loop.block_at)
        tools = {tool.name: tool for tool in env.tools}
        chat = Chat(env)
        while chat.rounds != env.limits.max_iterations:
            response = await env.client.complete(chat.request)
            calls = chat.take(response)
            if not calls:
                return chat.final(response)
            worst = 0
            for call in calls:
                chat.tools.append(call.name)
                try:
                    output = str(await tools[call.name].run(read(call, list(tools))))
                    failed = False
                except (BadCall, ToolFailed) as error:
                    output, failed = f"{error}", True
                repeats = detector.repeats((call.name, call.arguments, output))
                worst = max(worst, repeats)
                if repeats >= detector.block_at:
                    chat.refuse(call, f"loop detected: {call.name}; change approach")
                elif failed:
                    chat.refuse(call, output)
                else:
                    chat.answer(call, output)
            if worst >= 2 * detector.block_at:
                return chat.ended("loop", error="the same call again and again")
        return chat.out_of_rounds()

    return agent
