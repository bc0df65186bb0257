"""A raw loop on the real SDK that does all right: no framework, no neutral message."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import openai
from openai.types.chat.chat_completion import Choice

from agentsim.core import (
    Env,
    Finished,
    InvalidArguments,
    Question,
    Tool,
    ToolFailed,
    parse_arguments,
)
from tests.simulation.sdk.loops import as_function

PATIENCE_S = 120.0
"""Virtual seconds that it waits for one tool, and for a person."""

ROUNDS_MAX = 25


class Declined(Exception):
    """A call that is not run; the message goes to the model."""


async def careful(env: Env) -> Finished:
    """Ask and call until the model has no call left."""
    tools = {tool.name: tool for tool in env.tools}
    functions: Any = [as_function(tool.definition) for tool in env.tools]
    messages: list[Any] = []
    if env.prompt:
        messages.append({"role": "system", "content": env.prompt})
    messages.append({"role": "user", "content": env.task})
    client = env.openai(timeout=700)
    for _round in range(ROUNDS_MAX):
        extra: Any = {"tools": functions} if functions else {}
        try:
            completion = await client.chat.completions.create(
                model=env.model,
                messages=messages,
                temperature=env.temperature,
                **extra,
            )
        except openai.APIError as error:
            return Finished("failed", error=type(error).__name__)
        choice = completion.choices[0]
        message: Any = choice.message
        ended = _ended(choice)
        if ended is not None:
            return ended
        told = message.model_dump(exclude_none=True)
        messages.append(told)
        for asked in told["tool_calls"]:
            output = await _run(env, tools, asked["function"])
            messages.append(
                {"role": "tool", "tool_call_id": asked["id"], "content": output}
            )
    return Finished("max_iterations", error="too many rounds")


def _ended(choice: Choice) -> Finished | None:
    """How a choice ends the loop, or None where it has calls to run."""
    message: Any = choice.message
    if message.refusal is not None:
        return Finished("refused", message.refusal, "the model refused")
    if choice.finish_reason == "length":
        return Finished("truncated", message.content, "the answer was cut")
    if choice.finish_reason not in ("stop", "tool_calls"):
        return Finished("failed", error=f"ended by {choice.finish_reason}")
    calls = message.tool_calls or []
    ids = [call.id for call in calls]
    if not all(ids) or len(set(ids)) < len(ids):
        return Finished("failed", error="calls without ids of their own")
    if calls:
        return None
    if not (message.content or "").strip() or choice.finish_reason != "stop":
        return Finished("failed", error="an empty answer")
    return Finished("done", message.content)


async def _run(env: Env, tools: dict[str, Tool], called: dict[str, str]) -> str:
    """The result of a call, as the model gets it."""
    name = called["name"]
    if name not in tools:
        return f"Error: there is no tool {name}"
    try:
        arguments = parse_arguments(called["arguments"])
    except InvalidArguments as error:
        return f"Error: the arguments can't be read: {error}"
    arguments.pop("confirmed_by", None)
    try:
        async with asyncio.timeout(PATIENCE_S):
            if tools[name].rights.confirms:
                arguments |= await _approved(env, name, arguments)
            output = await tools[name].run(arguments)
    except Declined as error:
        return str(error)
    except TimeoutError:
        return "No answer in time; whether it took effect is unknown"
    except ToolFailed as error:
        return str(error)
    return _written(output)


def _written(output: object) -> str:
    """What a tool returned as a text that HTTP carries."""
    try:
        text = output if isinstance(output, str) else json.dumps(output)
        text.encode()
    except (TypeError, ValueError):
        return ascii(output)
    return text


async def _approved(
    env: Env, name: str, arguments: dict[str, Any]
) -> dict[str, str | None]:
    if env.confirm is None:
        raise Declined("Nobody is there to approve")
    decision = await env.confirm(Question("", name, arguments))
    if not (decision.approved and decision.confirmed_by):
        raise Declined(decision.reason or "Declined by the user")
    return {"confirmed_by": decision.confirmed_by}
