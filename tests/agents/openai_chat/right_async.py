"""The loop that tutorials teach, on the async SDK of OpenAI, with what they leave out.

`run_agent` knows nothing of agentsim: client, tools and task come in as arguments. What
tutorials leave out is said where it stands. `agent` binds it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from openai import AsyncOpenAI, OpenAIError, omit
from openai.types.chat import ChatCompletionToolParam

from agentsim.core import Env, Finished
from tests.agents.openai_chat.binding import definitions
from tests.agents.openai_chat.words import ToolCall, ending, with_own_ids
from tests.agents.sdk import (
    BadCall,
    End,
    approving,
    as_text,
    keep_steps,
    read_arguments,
    told,
)

Tools = Mapping[str, Callable[..., Awaitable[object]]]

Approve = Callable[[str, str, dict[str, Any]], Awaitable[str | None]]
"""Asks a person about a call: None where it may run, else why it may not."""


async def agent(env: Env) -> Finished:
    """Bind the loop to an environment."""
    keep_steps(env)
    end = await run_agent(
        env.openai(),
        env.functions,
        env.task,
        env.model,
        definitions=definitions(env),
        approve=approving(env),
        steps=env.limits.max_iterations or 1_000,
        prompt=env.prompt,
    )
    return told(end)


async def run_agent(
    client: AsyncOpenAI,
    tools: Tools,
    task: str,
    model: str,
    *,
    definitions: Sequence[ChatCompletionToolParam],
    approve: Approve,
    steps: int,
    prompt: str | None = None,
) -> End:
    """Ask the model until it calls no more tools; the answer, or why there is none."""
    messages: list[Any] = [{"role": "user", "content": task}]
    if prompt is not None:
        messages.insert(0, {"role": "system", "content": prompt})
    for _ in range(steps):
        try:
            completion = await client.chat.completions.create(
                model=model, messages=messages, tools=definitions or omit
            )
        except OpenAIError as error:  # after the SDK's own retries
            return End("failed", f"the service failed: {error}")
        choice = completion.choices[0]
        ended = ending(choice)
        if ended is not None:
            return ended
        messages.append(with_own_ids(choice.message, messages))
        for call in choice.message.tool_calls or ():
            content = await answer(tools, call, approve)
            messages.append(
                {"role": "tool", "tool_call_id": call.id, "content": content}
            )
    return End("max_iterations", f"no end after {steps} steps")


async def answer(tools: Tools, call: ToolCall, approve: Approve) -> str:
    """The result of one call, whatever becomes of it."""
    name = call.function.name
    tool = tools.get(name)
    if tool is None:
        return f"Error: there is no tool {name}"
    try:
        arguments = read_arguments(call.function.arguments)
        declined = await approve(call.id, name, arguments)
        if declined is not None:
            return f"Error: declined: {declined}"
        return as_text(await tool(**arguments))
    except BadCall as error:
        return f"Error: {error}"
    except Exception as error:  # noqa: BLE001 - the model is told
        return f"Error: {name} failed: {error}"
