"""Loops on Responses with the real SDK: histories sent whole, and chains, in all forms."""

from __future__ import annotations

import json
from typing import Any

from openai import APIError
from openai.types.responses import Response

from agentsim.core import Env, ToolDef, ToolFailed
from tests.simulation.sdk.loops import TURNS_MAX

__all__ = [
    "blocking",
    "chained",
    "interleaved",
    "listed",
    "streamed",
    "streamed_blocking",
    "tool_of",
]


def tool_of(definition: ToolDef) -> dict[str, Any]:
    """A tool as Responses has it."""
    return {
        "type": "function",
        "name": definition.name,
        "description": definition.description,
        "parameters": dict(definition.parameters),
        "strict": False,
    }


def _calls(response: Response) -> list[Any]:
    return [item for item in response.output if item.type == "function_call"]


async def _result(env: Env, call: Any) -> dict[str, Any]:  # noqa: ANN401
    tools = {tool.name: tool for tool in env.tools}
    try:
        output = str(await tools[call.name].run(json.loads(call.arguments)))
    except (ToolFailed, ValueError, KeyError) as error:
        output = f"Error: {type(error).__name__}"
    return {"type": "function_call_output", "call_id": call.call_id, "output": output}


def _result_of_sync(env: Env, call: Any) -> dict[str, Any]:  # noqa: ANN401
    tools = {tool.name: tool for tool in env.sync.tools}
    try:
        output = str(tools[call.name].run(json.loads(call.arguments)))
    except (ToolFailed, ValueError, KeyError) as error:
        output = f"Error: {type(error).__name__}"
    return {"type": "function_call_output", "call_id": call.call_id, "output": output}


def _asked(env: Env, **fields: Any) -> dict[str, Any]:
    tools = [tool_of(tool.definition) for tool in env.tools]
    return {"model": env.model, "tools": tools, "instructions": "Be brief.", **fields}


async def listed(env: Env) -> str:
    """Sends the whole list each time, and nothing is stored."""
    items: list[Any] = [{"role": "user", "content": env.task}]
    asked = _asked(env, store=False, include=["reasoning.encrypted_content"])
    for _ in range(TURNS_MAX):
        response: Response = await env.openai().responses.create(**asked, input=items)
        items += response.output
        calls = _calls(response)
        if not calls:
            return response.output_text
        items += [await _result(env, call) for call in calls]
    return "I give up."


async def interleaved(env: Env) -> str:
    """Sends each call with its output right behind it, without the ids of items."""
    items: list[Any] = [{"role": "user", "content": env.task}]
    for _ in range(TURNS_MAX):
        response: Response = await env.openai().responses.create(
            **_asked(env), input=items
        )
        for item in response.output:
            items.append(item.model_dump(exclude_none=True))
            if item.type == "function_call":
                items[-1].pop("id")
                items.append(await _result(env, item))
        if not _calls(response):
            return response.output_text
    return "I give up."


def blocking(env: Env) -> str:
    """The same, synchronous."""
    items: list[Any] = [{"role": "user", "content": env.task}]
    asked = _asked(env, store=False, include=["reasoning.encrypted_content"])
    for _ in range(TURNS_MAX):
        response: Response = env.openai_sync().responses.create(**asked, input=items)
        items += response.output
        calls = _calls(response)
        if not calls:
            return response.output_text
        items += [_result_of_sync(env, call) for call in calls]
    return "I give up."


async def chained(env: Env) -> str:
    """Sends what is new, and names the response before; each time by a new client."""
    new: Any = env.task
    before: str | None = None
    for _ in range(TURNS_MAX):
        response: Response = await env.openai().responses.create(
            **_asked(env), input=new, previous_response_id=before
        )
        calls = _calls(response)
        if not calls:
            return response.output_text
        before = response.id
        new = [await _result(env, call) for call in calls]
    return "I give up."


async def streamed(env: Env) -> str:
    """Sends the whole list, and reads answers by the helper for streams."""
    items: list[Any] = [{"role": "user", "content": env.task}]
    asked = _asked(env, store=False, include=["reasoning.encrypted_content"])
    for _ in range(TURNS_MAX):
        response = await _streamed(env, {**asked, "input": items})
        items += [item.to_dict() for item in response.output]
        calls = _calls(response)
        if not calls:
            return response.output_text
        items += [await _result(env, call) for call in calls]
    return "I give up."


async def _streamed(env: Env, asked: dict[str, Any]) -> Response:
    """The response of a stream, asked for anew when it breaks off."""
    while True:
        try:
            events = await env.openai().responses.create(**asked, stream=True)
            async for event in events:
                if event.type == "response.completed":
                    made: Response = event.response
                    return made
        except APIError as error:
            if getattr(error, "status_code", None) is not None:
                raise


def streamed_blocking(env: Env) -> str:
    """The same, synchronous."""
    items: list[Any] = [{"role": "user", "content": env.task}]
    asked = _asked(env, store=False, include=["reasoning.encrypted_content"])
    for _ in range(TURNS_MAX):
        response = _streamed_blocking(env, {**asked, "input": items})
        items += [item.to_dict() for item in response.output]
        calls = _calls(response)
        if not calls:
            return response.output_text
        items += [_result_of_sync(env, call) for call in calls]
    return "I give up."


def _streamed_blocking(env: Env, asked: dict[str, Any]) -> Response:
    while True:
        try:
            for event in env.openai_sync().responses.create(**asked, stream=True):
                if event.type == "response.completed":
                    made: Response = event.response
                    return made
        except APIError as error:
            if getattr(error, "status_code", None) is not None:
                raise
