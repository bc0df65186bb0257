"""Answers of the model as Chat Completions sends them, plain."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from agentsim.core import Request, Response, Usage
from agentsim.providers.openai.custom import custom_names
from agentsim.providers.openai.fields import service_tier_of
from agentsim.providers.openai.ids import completion_id, fingerprint
from agentsim.providers.openai_chat.messages import own_fields, write_call

__all__ = ["completion_body", "finish_reason"]

FINISH_REASONS = {
    "end_turn": "stop",
    "stop": "stop",
    "stop_sequence": "stop",
    "refusal": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "content_filter": "content_filter",
}
"""Neutral stop reason -> that of the wire; any other comes through as it is."""


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def completion_body(
    response: Response,
    *,
    request: Request,
    number: int,
    created: int,
    body: Mapping[str, Any] = _NOTHING,
) -> dict[str, Any]:
    """The body of an answer.

    Args:
        number: That of the request; the id is made of it.
        created: Unix time in seconds.
        body: That of the request, which may ask for several choices (a scripted model
            says the same in each) and for a service tier.
    """
    choices = body.get("n") or 1
    choice = {
        "message": message_body(response, custom=custom_names(request.tools)),
        "logprobs": None,
        "finish_reason": finish_reason(response),
    }
    told: dict[str, Any] = {
        "id": completion_id(number),
        "object": "chat.completion",
        "created": created,
        "model": request.model,
        "choices": [{"index": index, **choice} for index in range(choices)],
        "service_tier": service_tier_of(body),
        "system_fingerprint": fingerprint(request.model),
    }
    if response.usage is not None:
        told["usage"] = usage_body(response.usage)
    return told


def finish_reason(response: Response) -> str:
    """Why an answer ended, in the wire's words."""
    return FINISH_REASONS.get(response.stop_reason, response.stop_reason)


def message_body(response: Response, *, custom: tuple[str, ...] = ()) -> dict[str, Any]:
    """The message of an answer.

    Args:
        custom: Names of the tools that take a text, and no JSON.
    """
    message = response.message
    said: str | None = message.content
    refusal: str | None = None
    if response.refusal is not None or response.stop_reason == "refusal":
        refusal, said = message.content or response.refusal or "", None
    elif message.tool_calls and not said:
        said = None
    body: dict[str, Any] = {
        "role": "assistant",
        "content": said,
        "refusal": refusal,
        "annotations": [],
    }
    if message.tool_calls:
        body["tool_calls"] = [
            write_call(call, custom=call.name in custom) for call in message.tool_calls
        ]
    return body | own_fields(message)


def usage_body(usage: Usage) -> dict[str, Any]:
    """Token counts; those of the prompt include what came from the cache."""
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
