"""The same loop on the blocking SDK of OpenAI, as most first scripts have it.

`run_agent` knows nothing of agentsim, and `agent` binds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openai import OpenAI, OpenAIError, omit
from openai.types.chat import ChatCompletionToolParam

from agentsim.core import Env, Finished
from tests.agents.openai_chat.binding import definitions
from tests.agents.openai_chat.words import ToolCall, ending, with_own_ids
from tests.agents.sdk import (
    BadCall,
    End,
    approving_sync,
    as_text,
    keep_steps,
    read_arguments,
    told,
)

Tools = Mapping[str, Callable[..., object]]

Approve = Callable[[str, str, dict[str, Any]], str | None]
"""Asks a person about a call: None where it may run, else why it may not."""


def agent(env: Env) -> Finished:
    """Bind the loop to an environment."""
    keep_steps(env)
    end = run_agent(
        env.openai_sync(),
        env.sync.functions,
        env.task,
        env.model,
        definitions=definitions(env),
        approve=approving_sync(env),
        steps=env.limits.max_iterations or 1_000,
        prompt=env.prompt,
    )
    return told(end)


def run_agent(
    client: OpenAI,
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
            completion = client.chat.completions.create(
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
            content = answer(tools, call, approve)
            messages.append(
                {"role": "tool", "tool_call_id": call.id, "content": content}
            )
    return End("max_iterations", f"no end after {steps} steps")


def answer(tools: Tools, call: ToolCall, approve: Approve) -> str:
    """The result of one call, whatever becomes of it."""
    name = call.function.name
    tool = tools.get(name)
    if tool is None:
        return f"Error: there is no tool {name}"
    try:
        arguments = read_arguments(call.function.arguments)
        declined = approve(call.id, name, arguments)
        if declined is not None:
            return f"Error: declined: {declined}"
        return as_text(tool(**arguments))
    except BadCall as error:
        return f"Error: {error}"
    except Exception as error:  # noqa: BLE001 - the model is told
        return f"Error: {name} failed: {error}"
