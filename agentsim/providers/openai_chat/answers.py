"""Answers of Chat Completions read into the neutral form, and written back whole."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentsim.core import Response, Usage
from agentsim.providers.openai_chat.completions import finish_reason
from agentsim.providers.openai_chat.messages import own_fields, read_message, write_call

__all__ = ["Completion", "read_completion"]

STOP_REASONS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
}
"""Reason of the wire -> the neutral one; any other is the same in both."""


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer, with what the neutral form has no place for.

    Attributes:
        response: What the model said in its first choice.
        rest: The body without that: ids, times, other choices, details of the usage.
        custom: Names of the tools that were called with a text, and no JSON.
    """

    response: Response
    rest: Mapping[str, Any]
    custom: tuple[str, ...] = ()

    def body(self) -> dict[str, Any]:
        """The body again, as it came."""
        body = copy.deepcopy(dict(self.rest))
        choice = _first(body.get("choices"))
        if isinstance(choice, dict):
            if isinstance(choice.get("message"), dict):
                self._fill(choice["message"])
            if "finish_reason" not in choice and self.response.stop_reason:
                choice["finish_reason"] = finish_reason(self.response)
        if self.response.usage is not None and isinstance(body.get("usage"), dict):
            _fill_usage(body["usage"], self.response.usage)
        return body

    def _fill(self, message: dict[str, Any]) -> None:
        said = self.response.message
        if self.response.refusal is not None and "refusal" not in message:
            message["refusal"] = said.content
        elif said.content and not isinstance(message.get("content"), (str, list)):
            message["content"] = said.content
        if said.tool_calls and "tool_calls" not in message:
            message["tool_calls"] = [
                write_call(call, custom=call.name in self.custom)
                for call in said.tool_calls
            ]
        message |= own_fields(said)


def read_completion(body: Mapping[str, Any]) -> Completion:
    """Read the body of an answer that was not streamed."""
    rest = copy.deepcopy(dict(body))
    choice = _object(_first(rest.get("choices")))
    message = _object(choice.get("message"))
    said = read_message({**message, "role": "assistant"})
    kept = own_fields(said)
    refusal = message.get("refusal")
    if not isinstance(refusal, str) or "refusal" in kept:
        refusal = None  # beside a text it is no refusal of the whole
    custom = _custom(message)
    for key in _said(message, kept):
        del message[key]
    told = choice.get("finish_reason")
    if isinstance(told, str):
        del choice["finish_reason"]
    reason = STOP_REASONS.get(told, told) if isinstance(told, str) else ""
    if refusal is not None and reason == "end_turn":
        reason = "refusal"
    usage = _usage(rest.get("usage"))
    return Completion(Response(said, reason, usage, refusal), rest, custom)


def _first(listed: object) -> object:
    return listed[0] if isinstance(listed, list) and listed else None


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _said(message: Mapping[str, Any], kept: Mapping[str, Any]) -> list[str]:
    """The fields that the neutral message has: what is null says nothing."""
    neutral = ("content", "refusal", "tool_calls")
    return [
        key
        for key, value in message.items()
        if key in kept or (key in neutral and value)
    ]


def _custom(message: Mapping[str, Any]) -> tuple[str, ...]:
    calls = message.get("tool_calls")
    return tuple(
        call["custom"]["name"]
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, Mapping) and isinstance(call.get("custom"), Mapping)
    )


def _usage(told: object) -> Usage | None:
    """Take the counts; the details that the neutral form has not stay."""
    if not isinstance(told, dict):
        return None
    prompt, completion = told.get("prompt_tokens"), told.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    del told["prompt_tokens"], told["completion_tokens"]
    if told.get("total_tokens") == prompt + completion:
        del told["total_tokens"]
    details = _object(told.get("prompt_tokens_details"))
    cached = details.get("cached_tokens")
    if not isinstance(cached, int):
        return Usage(prompt, completion)
    del details["cached_tokens"]
    return Usage(prompt, completion, cached)


def _fill_usage(told: dict[str, Any], usage: Usage) -> None:
    told["prompt_tokens"] = usage.prompt
    told["completion_tokens"] = usage.completion
    told.setdefault("total_tokens", usage.prompt + usage.completion)
    details = told.get("prompt_tokens_details")
    if isinstance(details, dict) and "cached_tokens" not in details:
        details["cached_tokens"] = usage.cache_read
