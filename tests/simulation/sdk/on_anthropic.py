"""Loops on Anthropic Messages with the real SDK: by hand, streamed, and its tool runner."""

from __future__ import annotations

from typing import Any

from anthropic import Anthropic, AsyncAnthropic, beta_async_tool, beta_tool
from anthropic.types import Message

from agentsim.core import Env, ToolDef, ToolFailed
from tests.simulation.sdk.loops import TURNS_MAX

__all__ = [
    "client_of",
    "listed",
    "listed_blocking",
    "running",
    "running_blocking",
    "streamed",
    "streamed_blocking",
    "sync_client_of",
    "tool_of",
]

KEY = "sk-simulated"


def client_of(env: Env, **options: Any) -> AsyncAnthropic:
    """The SDK's client, which the simulated service answers."""
    return AsyncAnthropic(api_key=KEY, http_client=env.http_client("httpx2"), **options)


def sync_client_of(env: Env, **options: Any) -> Anthropic:
    """Its synchronous twin."""
    return Anthropic(api_key=KEY, http_client=env.http_client_sync("httpx2"), **options)


def tool_of(definition: ToolDef) -> Any:  # noqa: ANN401 - a dict with a type of the SDK
    """A tool as Messages has it."""
    return {
        "name": definition.name,
        "description": definition.description,
        "input_schema": dict(definition.parameters),
    }


def _asked(env: Env, **fields: Any) -> dict[str, Any]:
    tools = [tool_of(tool.definition) for tool in env.tools]
    told = {"model": env.model, "max_tokens": 2048, "system": "Be brief."}
    return {**told, "tools": tools, **fields}


def _texts(message: Message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def _result(call_id: str, output: str, *, failed: bool) -> dict[str, Any]:
    told = {"type": "tool_result", "tool_use_id": call_id, "content": output}
    return {**told, "is_error": True} if failed else told


async def _results(env: Env, message: Message) -> list[dict[str, Any]]:
    tools = {tool.name: tool for tool in env.tools}
    results = []
    for block in message.content:
        if block.type == "tool_use":
            try:
                output, failed = str(await tools[block.name].run(block.input)), False
            except (ToolFailed, KeyError) as error:
                output, failed = f"Error: {type(error).__name__}", True
            results.append(_result(block.id, output, failed=failed))
    return results


def _results_of_sync(env: Env, message: Message) -> list[dict[str, Any]]:
    tools = {tool.name: tool for tool in env.sync.tools}
    results = []
    for block in message.content:
        if block.type == "tool_use":
            try:
                output, failed = str(tools[block.name].run(block.input)), False
            except (ToolFailed, KeyError) as error:
                output, failed = f"Error: {type(error).__name__}", True
            results.append(_result(block.id, output, failed=failed))
    return results


async def listed(env: Env) -> str:
    """Ask and call until the model stops; the whole content goes back."""
    client = client_of(env)
    messages: list[Any] = [{"role": "user", "content": env.task}]
    for _ in range(TURNS_MAX):
        message = await client.messages.create(**_asked(env, messages=messages))
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason == "tool_use":
            messages.append({"role": "user", "content": await _results(env, message)})
        elif message.stop_reason != "pause_turn":
            return _texts(message)
    return "I give up."


def listed_blocking(env: Env) -> str:
    """Its synchronous twin, line by line."""
    client = sync_client_of(env)
    messages: list[Any] = [{"role": "user", "content": env.task}]
    for _ in range(TURNS_MAX):
        message = client.messages.create(**_asked(env, messages=messages))
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason == "tool_use":
            messages.append({"role": "user", "content": _results_of_sync(env, message)})
        elif message.stop_reason != "pause_turn":
            return _texts(message)
    return "I give up."


async def streamed(env: Env) -> str:
    """The same by the streaming helper; what goes back is dumped whole."""
    client = client_of(env)
    messages: list[Any] = [{"role": "user", "content": env.task}]
    for _ in range(TURNS_MAX):
        async with client.messages.stream(**_asked(env, messages=messages)) as stream:
            text = "".join([piece async for piece in stream.text_stream])
            message = await stream.get_final_message()
        assert text == _texts(message)
        said = [block.to_dict() for block in message.content]
        messages.append({"role": "assistant", "content": said})
        if message.stop_reason == "tool_use":
            messages.append({"role": "user", "content": await _results(env, message)})
        elif message.stop_reason != "pause_turn":
            return text
    return "I give up."


def streamed_blocking(env: Env) -> str:
    """Its synchronous twin, line by line."""
    client = sync_client_of(env)
    messages: list[Any] = [{"role": "user", "content": env.task}]
    for _ in range(TURNS_MAX):
        with client.messages.stream(**_asked(env, messages=messages)) as stream:
            text = "".join(stream.text_stream)
            message = stream.get_final_message()
        assert text == _texts(message)
        said = [block.to_dict() for block in message.content]
        messages.append({"role": "assistant", "content": said})
        if message.stop_reason == "tool_use":
            messages.append({"role": "user", "content": _results_of_sync(env, message)})
        elif message.stop_reason != "pause_turn":
            return text
    return "I give up."


async def running(env: Env) -> str:
    """The SDK's own loop, which asks for a thread and is told to send all."""

    def wrapped(tool: Any) -> Any:  # noqa: ANN401 - tools of either library
        async def run(**arguments: Any) -> str:
            return str(await tool.run(arguments))

        told = tool_of(tool.definition)
        return beta_async_tool(
            run,
            name=told["name"],
            description=told["description"],
            input_schema=told["input_schema"],
        )

    fields = _asked(env, tools=[wrapped(tool) for tool in env.tools])
    task: Any = {"role": "user", "content": env.task}
    runner = client_of(env).beta.messages.tool_runner(messages=[task], **fields)
    final = await runner.until_done()
    return "".join(block.text for block in final.content if block.type == "text")


def running_blocking(env: Env) -> str:
    """Its synchronous twin, line by line."""

    def wrapped(tool: Any) -> Any:  # noqa: ANN401 - tools of either library
        def run(**arguments: Any) -> str:
            return str(tool.run(arguments))

        told = tool_of(tool.definition)
        return beta_tool(
            run,
            name=told["name"],
            description=told["description"],
            input_schema=told["input_schema"],
        )

    fields = _asked(env, tools=[wrapped(tool) for tool in env.sync.tools])
    task: Any = {"role": "user", "content": env.task}
    runner = sync_client_of(env).beta.messages.tool_runner(messages=[task], **fields)
    final = runner.until_done()
    return "".join(block.text for block in final.content if block.type == "text")
