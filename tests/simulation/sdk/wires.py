"""What users of the real SDKs get of one streamed answer, on every wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2
import openai

from agentsim.core import Env

__all__ = ["PARAMETERS", "WAYS", "WIRES", "Seen"]

MODEL = "a-model"

PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}

HELLO: Any = [{"role": "user", "content": "Hi"}]

TOOL: Any = {"name": "get_weather", "description": "Weather."}

CHAT: Any = {
    "model": MODEL,
    "messages": HELLO,
    "tools": [{"type": "function", "function": {**TOOL, "parameters": PARAMETERS}}],
}

RESPONSES: Any = {
    "model": MODEL,
    "input": HELLO,
    "tools": [{"type": "function", **TOOL, "parameters": PARAMETERS, "strict": False}],
}

MESSAGES: Any = {
    "model": MODEL,
    "max_tokens": 999,
    "messages": HELLO,
    "tools": [{**TOOL, "input_schema": PARAMETERS}],
}

ERRORS = (
    openai.OpenAIError,
    anthropic.AnthropicError,
    httpx2.HTTPError,
    RuntimeError,
    AssertionError,
)
"""What the SDKs raise of streams that go wrong."""


class Seen:
    """What a user got: the text, the calls, whether the end was told, the error."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: list[tuple[str, str, str]] = []
        self.whole = False
        self.error: Exception | None = None

    def chat(self, message: Any, reason: str | None) -> None:  # noqa: ANN401 - of the SDK
        self.text = message.content or ""
        self.whole = reason is not None
        self.calls = [
            (call.id, call.function.name, call.function.arguments)
            for call in message.tool_calls or []
        ]

    def response(self, response: Any) -> None:  # noqa: ANN401 - of the SDK
        self.text = response.output_text
        self.whole = response.status == "completed"
        self.calls = [
            (item.call_id, item.name, item.arguments)
            for item in response.output
            if item.type == "function_call"
        ]

    def message(self, message: Any) -> None:  # noqa: ANN401 - of the SDK
        texts = [block.text for block in message.content if block.type == "text"]
        self.text = "".join(texts)
        self.whole = message.stop_reason is not None
        self.calls = [
            (block.id, block.name, _json(block.input))
            for block in message.content
            if block.type == "tool_use"
        ]


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


async def chat(env: Env) -> Seen:
    """The helper for Chat Completions."""
    seen = Seen()
    try:
        async with env.openai().chat.completions.stream(**CHAT) as stream:
            final = await stream.get_final_completion()
        seen.chat(final.choices[0].message, final.choices[0].finish_reason)
    except ERRORS as error:
        seen.error = error
    return seen


def chat_sync(env: Env) -> Seen:
    """The same, blocking."""
    seen = Seen()
    try:
        with env.openai_sync().chat.completions.stream(**CHAT) as stream:
            final = stream.get_final_completion()
        seen.chat(final.choices[0].message, final.choices[0].finish_reason)
    except ERRORS as error:
        seen.error = error
    return seen


async def responses(env: Env) -> Seen:
    """The helper for Responses."""
    seen = Seen()
    try:
        async with env.openai().responses.stream(**RESPONSES) as stream:
            seen.response(await stream.get_final_response())
    except ERRORS as error:
        seen.error = error
    return seen


def responses_sync(env: Env) -> Seen:
    """The same, blocking."""
    seen = Seen()
    try:
        with env.openai_sync().responses.stream(**RESPONSES) as stream:
            seen.response(stream.get_final_response())
    except ERRORS as error:
        seen.error = error
    return seen


async def messages(env: Env) -> Seen:
    """The helper for Messages."""
    seen = Seen()
    try:
        async with env.anthropic().messages.stream(**MESSAGES) as stream:
            seen.message(await stream.get_final_message())
    except ERRORS as error:
        seen.error = error
    return seen


def messages_sync(env: Env) -> Seen:
    """The same, blocking."""
    seen = Seen()
    try:
        with env.anthropic_sync().messages.stream(**MESSAGES) as stream:
            seen.message(stream.get_final_message())
    except ERRORS as error:
        seen.error = error
    return seen


async def plain(env: Env, wire: str) -> Seen:
    """The same answer, not streamed."""
    seen = Seen()
    if wire == "chat":
        told = await env.openai().chat.completions.create(**CHAT)
        seen.chat(told.choices[0].message, told.choices[0].finish_reason)
    elif wire == "responses":
        seen.response(await env.openai().responses.create(**RESPONSES))
    else:
        seen.message(await env.anthropic().messages.create(**MESSAGES))
    return seen


WIRES: dict[str, Any] = {
    "chat": (chat, chat_sync),
    "responses": (responses, responses_sync),
    "messages": (messages, messages_sync),
}


def _ways() -> Iterator[tuple[str, Any]]:
    for wire, agents in WIRES.items():
        for agent in agents:
            yield wire, agent


WAYS = list(_ways())
