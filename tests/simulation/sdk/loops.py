"""The loop that tutorials teach, on the real SDK, async and sync."""

from __future__ import annotations

import json
from typing import Any

from openai import APIError, AsyncOpenAI, OpenAI

from agentsim.core import Env, Finished, ToolDef, ToolFailed

TURNS_MAX = 10


def as_function(definition: ToolDef) -> dict[str, Any]:
    """A tool as Chat Completions has it."""
    return {
        "type": "function",
        "function": {
            "name": definition.name,
            "description": definition.description,
            "parameters": dict(definition.parameters),
        },
    }


async def loop(env: Env, client: AsyncOpenAI) -> str | None:
    """Ask and call until the model has no call left."""
    tools = {tool.name: tool for tool in env.tools}
    functions: Any = [as_function(tool.definition) for tool in env.tools]
    messages: list[Any] = [{"role": "user", "content": env.task}]
    for _ in range(TURNS_MAX):
        completion = await client.chat.completions.create(
            model=env.model, messages=messages, tools=functions
        )
        message = completion.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for asked in message.tool_calls:
            assert asked.type == "function"
            try:
                arguments = json.loads(asked.function.arguments)
                output = str(await tools[asked.function.name].run(arguments))
            except (ToolFailed, ValueError, KeyError) as error:
                output = f"Error: {type(error).__name__}"
            messages.append(
                {"role": "tool", "tool_call_id": asked.id, "content": output}
            )
    return "I give up."


def sync_loop(env: Env, client: OpenAI) -> str | None:
    """Its synchronous twin, line by line."""
    tools = {tool.name: tool for tool in env.sync.tools}
    functions: Any = [as_function(tool.definition) for tool in env.tools]
    messages: list[Any] = [{"role": "user", "content": env.task}]
    for _ in range(TURNS_MAX):
        completion = client.chat.completions.create(
            model=env.model, messages=messages, tools=functions
        )
        message = completion.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for asked in message.tool_calls:
            assert asked.type == "function"
            try:
                arguments = json.loads(asked.function.arguments)
                output = str(tools[asked.function.name].run(arguments))
            except (ToolFailed, ValueError, KeyError) as error:
                output = f"Error: {type(error).__name__}"
            messages.append(
                {"role": "tool", "tool_call_id": asked.id, "content": output}
            )
    return "I give up."


async def awaiting(env: Env) -> str | None:
    """The loop on a client of its environment."""
    return await loop(env, env.openai())


def blocking(env: Env) -> str | None:
    """The same, synchronous."""
    return sync_loop(env, env.openai_sync())


async def telling(env: Env) -> Finished:
    """The loop that tells a failure of the service as its status."""
    try:
        return Finished("done", await loop(env, env.openai()))
    except APIError as error:
        return Finished("failed", error=type(error).__name__)


def telling_blocking(env: Env) -> Finished:
    """The same, synchronous."""
    try:
        return Finished("done", sync_loop(env, env.openai_sync()))
    except APIError as error:
        return Finished("failed", error=type(error).__name__)
