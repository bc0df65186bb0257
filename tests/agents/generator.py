"""An async generator: it yields each step for a caller to show, the result last."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from agentsim.core import Env, ProviderError, RunResult, ToolFailed
from tests.agents.kit import BadCall, Chat, kept, read, run_tool


@dataclass(frozen=True)
class Step:
    """One thing that the agent did."""

    name: str
    detail: str = ""


async def agent(env: Env) -> AsyncIterator[Step | RunResult]:
    """Yield steps until the model has no more calls, then the result."""
    env.declare(limits=kept(env.limits, "max_iterations"))
    chat = Chat(env)
    tools = {tool.name: tool for tool in env.tools}
    while chat.rounds != env.limits.max_iterations:
        yield Step("asking")
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
            yield Step("calling", call.name)
            try:
                arguments = read(call, list(tools))
                output = await run_tool(env, tools[call.name], call, arguments)
            except (BadCall, ToolFailed) as error:
                chat.refuse(call, str(error))
                yield Step("failed", str(error))
            else:
                chat.answer(call, output)
                yield Step("called", call.name)
    yield chat.out_of_rounds()
