"""One conversation by each wire, written once for all kinds of SDK clients.

A talk yields the fields of its next request, is sent the answer of the SDK, and returns
what was said at last. `held` and `aheld` hold one with a client, sync and async.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import anthropic
import openai

__all__ = ["TALKS", "Talk", "aheld", "held"]

Steps = Generator[dict[str, Any], Any, str]

EMPTY = {"type": "object", "properties": {}}

NAMES = ("check_disk", "clean_logs")

TASK = "Free some space."


def chat() -> Steps:
    """By Chat Completions."""
    tools = [
        {"type": "function", "function": {"name": name, "parameters": EMPTY}}
        for name in NAMES
    ]
    messages: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        completion = yield {"model": "m", "messages": messages, "tools": tools}
        message = completion.choices[0].message
        if not message.tool_calls:
            return str(message.content)
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.function.name,
                    "arguments": call.function.arguments,
                },
            }
            for call in message.tool_calls
        ]
        said = {"role": "assistant", "content": message.content, "tool_calls": calls}
        messages.append(said)
        for call in message.tool_calls:
            result = {"role": "tool", "tool_call_id": call.id, "content": "fine"}
            messages.append(result)


def responses() -> Steps:
    """By Responses."""
    tools = [
        {"type": "function", "name": name, "parameters": EMPTY, "strict": False}
        for name in NAMES
    ]
    items: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        answer = yield {"model": "m", "input": items, "tools": tools}
        calls = [item for item in answer.output if item.type == "function_call"]
        if not calls:
            return str(answer.output_text)
        shown = {"exclude_none": True, "exclude": {"parsed_arguments"}}
        items += [item.model_dump(**shown) for item in answer.output]
        items += [
            {"type": "function_call_output", "call_id": call.call_id, "output": "fine"}
            for call in calls
        ]


def messages() -> Steps:
    """By Anthropic Messages."""
    tools = [{"name": name, "input_schema": EMPTY} for name in NAMES]
    said: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        answer = yield {
            "model": "m",
            "max_tokens": 1000,
            "messages": said,
            "tools": tools,
        }
        if answer.stop_reason != "tool_use":
            return "".join(block.text for block in answer.content)
        said.append({"role": "assistant", "content": answer.content})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "fine"}
            for block in answer.content
            if block.type == "tool_use"
        ]
        said.append({"role": "user", "content": results})


@dataclass(frozen=True)
class Talk:
    """A conversation, and how the clients of its SDK are asked.

    Attributes:
        sdk: The name of its package.
        of: The part of a client that answers.
        final: The method of a stream that gives the whole answer.
    """

    steps: Callable[[], Steps]
    sdk: str
    of: Callable[[Any], Any]
    final: str

    def client(self, url: str, key: str, **options: Any) -> Any:  # noqa: ANN401
        """A synchronous client of its SDK; the URL is without a path."""
        if self.sdk == "anthropic":
            return anthropic.Anthropic(base_url=url, api_key=key, **options)
        return openai.OpenAI(base_url=f"{url}/v1", api_key=key, **options)

    def aclient(self, url: str, key: str, **options: Any) -> Any:  # noqa: ANN401
        """An async client of its SDK."""
        if self.sdk == "anthropic":
            return anthropic.AsyncAnthropic(base_url=url, api_key=key, **options)
        return openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key, **options)


TALKS = {
    "chat": Talk(
        chat,
        "openai",
        lambda client: client.chat.completions,
        "get_final_completion",
    ),
    "responses": Talk(
        responses, "openai", lambda client: client.responses, "get_final_response"
    ),
    "messages": Talk(
        messages, "anthropic", lambda client: client.messages, "get_final_message"
    ),
}


def held(talk: Talk, client: Any, *, streamed: bool) -> str:  # noqa: ANN401
    """Hold a conversation with a synchronous client."""
    steps, answer = talk.steps(), None
    try:
        while True:
            fields = steps.send(answer)
            if streamed:
                with talk.of(client).stream(**fields) as stream:
                    answer = getattr(stream, talk.final)()
            else:
                answer = talk.of(client).create(**fields)
    except StopIteration as end:
        return str(end.value)


async def aheld(talk: Talk, client: Any, *, streamed: bool) -> str:  # noqa: ANN401
    """Hold a conversation with an async client."""
    steps, answer = talk.steps(), None
    while True:
        try:
            fields = steps.send(answer)
        except StopIteration as end:
            return str(end.value)
        if streamed:
            async with talk.of(client).stream(**fields) as stream:
                answer = await getattr(stream, talk.final)()
        else:
            answer = await talk.of(client).create(**fields)
