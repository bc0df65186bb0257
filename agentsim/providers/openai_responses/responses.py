"""Answers of the model as Responses sends them, plain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.core import Usage
from agentsim.providers.openai.fields import service_tier_of
from agentsim.providers.openai.ids import response_id
from agentsim.providers.openai_responses.carried import INCOMPLETE
from agentsim.providers.openai_responses.output import output_items, status_of
from agentsim.providers.openai_responses.stored import conversation_of
from agentsim.providers.wires.dialect import Answered

__all__ = ["begun_body", "response_body"]

_PLAIN = {"type": "text"}


def response_body(answered: Answered) -> dict[str, Any]:
    """The body of an answer, with every key that the service sends."""
    response = answered.response
    told = _body(answered)
    told["status"] = status = status_of(response)
    if status == "completed":
        told["completed_at"] = answered.created
    elif response.stop_reason:
        reason = INCOMPLETE.get(response.stop_reason, response.stop_reason)
        told["incomplete_details"] = {"reason": reason}
    told["output"] = output_items(answered)
    if response.usage is not None:
        told["usage"] = usage_body(response.usage)
    return told


def begun_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of an answer at its beginning, when nothing is said yet."""
    return {
        **body,
        "status": "in_progress",
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        "output": [],
        "usage": None,
    }


def _body(answered: Answered) -> dict[str, Any]:
    """What an answer tells of its request, and what is the same in all of them."""
    asked = answered.body
    told: dict[str, Any] = {
        "id": response_id(answered.number),
        "object": "response",
        "created_at": answered.created,
        "status": "in_progress",
        "background": _given(asked, "background", default=False),
        "billing": {"payer": "developer"},
        "completed_at": None,
        "error": None,
        "frequency_penalty": 0.0,
        "incomplete_details": None,
        "instructions": asked.get("instructions"),
        "max_output_tokens": asked.get("max_output_tokens"),
        "max_tool_calls": asked.get("max_tool_calls"),
        "model": answered.request.model,
        "moderation": None,
        "output": [],
        "parallel_tool_calls": _given(asked, "parallel_tool_calls", default=True),
        "presence_penalty": 0.0,
        "previous_response_id": asked.get("previous_response_id"),
        "prompt_cache_key": asked.get("prompt_cache_key"),
        "prompt_cache_retention": asked.get("prompt_cache_retention"),
        "reasoning": {"effort": None, "summary": None} | _object(asked, "reasoning"),
        "safety_identifier": asked.get("safety_identifier"),
        "service_tier": service_tier_of(asked),
        "store": _given(asked, "store", default=True),
        "temperature": _given(asked, "temperature", default=1.0),
        "text": {"format": _PLAIN, "verbosity": "medium"} | _object(asked, "text"),
        "tool_choice": _given(asked, "tool_choice", default="auto"),
        "tools": [_tool(tool) for tool in asked.get("tools") or ()],
        "top_logprobs": _given(asked, "top_logprobs", default=0),
        "top_p": _given(asked, "top_p", default=1.0),
        "truncation": _given(asked, "truncation", default="disabled"),
        "usage": None,
        "user": asked.get("user"),
        "metadata": _object(asked, "metadata"),
    }
    conversation = conversation_of(asked)
    if conversation:
        told["conversation"] = {"id": conversation}
    return told


def _given(asked: Mapping[str, Any], key: str, *, default: object) -> Any:  # noqa: ANN401
    value = asked.get(key)
    return default if value is None else value


def _object(asked: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = asked.get(key)
    return {k: v for k, v in value.items() if v is not None} if value else {}


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    if tool.get("type") == "function":
        defaults = {"description": None, "parameters": None, "strict": True}
        return {**defaults, **tool}
    return dict(tool)


def usage_body(usage: Usage) -> dict[str, Any]:
    """Token counts; those of the input include what came from the cache."""
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {
            "cache_write_tokens": 0,
            "cached_tokens": usage.cache_read,
        },
        "output_tokens": usage.completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.prompt + usage.completion,
    }
