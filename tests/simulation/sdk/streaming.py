"""The loop that tutorials teach, on the real SDK with streamed answers, async and sync."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
from openai import APIError

from agentsim.core import Env, Finished, ToolFailed
from tests.simulation.sdk.loops import TURNS_MAX, as_function

__all__ = ["BrokenOff", "Gathered", "streaming", "streaming_blocking"]

LOST = (APIError, httpx.HTTPError)
"""What a stream that breaks off raises; openai below 3 passes on the second as it is."""


class BrokenOff(Exception):
    """The stream ended, and did not say that the answer was whole."""


class Gathered:
    """Puts the chunks of a stream together."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: dict[int, list[str]] = {}
        self.reason: str | None = None
        self.usage: int | None = None

    def add(self, chunk: Any) -> None:  # noqa: ANN401 - of the SDK
        """Take one chunk."""
        if chunk.usage is not None:
            self.usage = chunk.usage.total_tokens
        for choice in chunk.choices:
            self.text += choice.delta.content or ""
            self.reason = choice.finish_reason or self.reason
            for piece in choice.delta.tool_calls or []:
                told = self.calls.setdefault(piece.index, ["", "", ""])
                told[0] += piece.id or ""
                told[1] += piece.function.name or ""
                told[2] += piece.function.arguments or ""

    def message(self) -> dict[str, Any]:
        """The message of the assistant, for the history.

        Raises:
            BrokenOff: when it is not whole.
        """
        if self.reason is None:
            raise BrokenOff
        calls = [
            {
                "id": told[0],
                "type": "function",
                "function": {"name": told[1], "arguments": told[2]},
            }
            for _index, told in sorted(self.calls.items())
        ]
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        return {**message, "tool_calls": calls} if calls else message


def asked(message: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Id, name and arguments of each call."""
    for call in message.get("tool_calls", ()):
        function = call["function"]
        yield call["id"], function["name"], function["arguments"]


def failed(error: Exception) -> str:
    """What the model is told of a call that failed."""
    return f"Error: {type(error).__name__}"


def result(call_id: str, output: str) -> dict[str, Any]:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": output}


async def streaming(env: Env) -> Finished:
    """Ask and call until the model has no call left."""
    client, tools = env.openai(), {tool.name: tool for tool in env.tools}
    functions: Any = [as_function(tool.definition) for tool in env.tools]
    messages: list[Any] = [{"role": "user", "content": env.task}]
    for _ in range(TURNS_MAX):
        gathered = Gathered()
        try:
            stream = await client.chat.completions.create(
                model=env.model, messages=messages, tools=functions, stream=True
            )
            async for chunk in stream:
                gathered.add(chunk)
            message = gathered.message()
        except (*LOST, BrokenOff):
            return Finished("failed", error="the model failed")
        messages.append(message)
        if not gathered.calls:
            return Finished("done", gathered.text)
        for call_id, name, arguments in asked(message):
            try:
                output = str(await tools[name].run(json.loads(arguments)))
            except (ToolFailed, ValueError, KeyError) as error:
                output = failed(error)
            messages.append(result(call_id, output))
    return Finished("failed", error="I give up.")


def streaming_blocking(env: Env) -> Finished:
    """Its synchronous twin, line by line."""
    client, tools = env.openai_sync(), {tool.name: tool for tool in env.sync.tools}
    functions: Any = [as_function(tool.definition) for tool in env.tools]
    messages: list[Any] = [{"role": "user", "content": env.task}]
    for _ in range(TURNS_MAX):
        gathered = Gathered()
        try:
            stream = client.chat.completions.create(
                model=env.model, messages=messages, tools=functions, stream=True
            )
            for chunk in stream:
                gathered.add(chunk)
            message = gathered.message()
        except (*LOST, BrokenOff):
            return Finished("failed", error="the model failed")
        messages.append(message)
        if not gathered.calls:
            return Finished("done", gathered.text)
        for call_id, name, arguments in asked(message):
            try:
                output = str(tools[name].run(json.loads(arguments)))
            except (ToolFailed, ValueError, KeyError) as error:
                output = failed(error)
            messages.append(result(call_id, output))
    return Finished("failed", error="I give up.")
