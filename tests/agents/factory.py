"""A factory: a function without parameters that builds the agent out of small parts.

The parts are closures over one configuration: how often to ask again, and how long a
tool may take. A model that fails for a while is asked again, with the same request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from agentsim.core import (
    Env,
    ProviderError,
    Question,
    Request,
    Response,
    RunResult,
    Tool,
    ToolCall,
    ToolFailed,
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

Agent = Callable[[Env], Awaitable[RunResult]]


def make_agent() -> Agent:
    """Build the agent with the settings of this project."""
    return partial(work, attempts=3, patience_s=PATIENCE_S)


async def work(env: Env, *, attempts: int, patience_s: float) -> RunResult:
    """Ask the model until it has no more calls."""
    env.declare(limits=kept(env.limits, "max_iterations"))
    chat = Chat(env)
    runners = {tool.name: runner(env, tool, patience_s) for tool in env.tools}
    while chat.rounds != env.limits.max_iterations:
        try:
            response = await ask(env, chat.request, attempts)
        except ProviderError as error:
            return chat.ended("failed", error=str(error))
        calls = chat.take(response)
        if not calls:
            return chat.final(response)
        for call in calls:
            chat.tools.append(call.name)
            try:
                arguments = read(call, list(runners))
                chat.answer(call, await runners[call.name](call, arguments))
            except (BadCall, ToolFailed) as error:
                chat.refuse(call, str(error))
    return chat.out_of_rounds()


async def ask(env: Env, request: Request, attempts: int) -> Response:
    """Ask the model, again where that may help."""
    for attempt in range(1, attempts):
        try:
            return await env.client.complete(request)
        except ProviderError as error:
            if not error.transient:
                raise
            await asyncio.sleep(error.retry_after_s or 2**attempt)
    return await env.client.complete(request)


def runner(
    env: Env, tool: Tool, patience_s: float
) -> Callable[[ToolCall, dict[str, object]], Awaitable[object]]:
    """What runs a tool: with a person's approval, if it needs one."""

    async def plain(_call: ToolCall, arguments: dict[str, object]) -> object:
        try:
            async with asyncio.timeout(patience_s):
                return await tool.run(arguments)
        except TimeoutError:
            raise BadCall(NO_ANSWER) from None

    async def approved(call: ToolCall, arguments: dict[str, object]) -> object:
        if env.confirm is None:
            raise BadCall("nobody is there to approve")
        try:
            async with asyncio.timeout(patience_s):
                answer = await env.confirm(Question(call.id, call.name, arguments))
        except TimeoutError:
            raise BadCall("declined: nobody answered") from None
        return await plain(call, with_approval(arguments, answer))

    return approved if tool.rights.confirms else plain
