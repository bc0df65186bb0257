"""Answers of Responses read into the neutral form, and written back whole."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentsim.core import Message, Response, Usage
from agentsim.providers.openai_responses.carried import INCOMPLETE
from agentsim.providers.openai_responses.messages import read_group, write_items

__all__ = ["ResponsesAnswer", "read_response"]

_NEUTRAL = {told: neutral for neutral, told in INCOMPLETE.items()}


@dataclass(frozen=True, slots=True)
class ResponsesAnswer:
    """An answer, with what the neutral form has no place for.

    Attributes:
        response: What the model said in all output items; its stop reason is empty
            where the answer has not come to its end.
        rest: The body without the items.
    """

    response: Response
    rest: Mapping[str, Any]

    def body(self) -> dict[str, Any]:
        """The body again, as it came."""
        body = copy.deepcopy(dict(self.rest))
        if body.get("output") == []:
            message = self.response.message
            nothing = message == Message("assistant")
            body["output"] = [] if nothing else copy.deepcopy(write_items(message))
        if self.response.usage is not None and isinstance(body.get("usage"), dict):
            _fill_usage(body["usage"], self.response.usage)
        return body


def read_response(body: Mapping[str, Any]) -> ResponsesAnswer:
    """Read the body of an answer that was not streamed."""
    rest = copy.deepcopy(dict(body))
    output = rest.get("output")
    said = Message("assistant")
    if isinstance(output, list):
        if output:
            said = read_group(output, answer=True)
        rest["output"] = []
    refusal = _refusal(output)
    reason = _stop_reason(rest, said, refusal)
    return ResponsesAnswer(
        Response(said, reason, _usage(rest.get("usage")), refusal), rest
    )


def _refusal(output: object) -> str | None:
    """The words of a refusal, where the model says nothing else."""
    parts = [
        part
        for item in (output if isinstance(output, list) else ())
        if isinstance(item, Mapping) and item.get("type") == "message"
        for part in _parts(item)
    ]
    words = [part.get("refusal") for part in parts if isinstance(part, Mapping)]
    told = [word for word in words if isinstance(word, str)]
    return "".join(told) if told and len(told) == len(parts) else None


def _parts(item: Mapping[str, Any]) -> list[Any]:
    content = item.get("content")
    return content if isinstance(content, list) else []


def _stop_reason(body: Mapping[str, Any], said: Message, refusal: str | None) -> str:
    status = body.get("status")
    if status == "completed":
        if refusal is not None:
            return "refusal"
        return "tool_use" if said.tool_calls else "end_turn"
    details = body.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    if status == "incomplete" and isinstance(reason, str):
        return _NEUTRAL.get(reason, reason)
    return ""


def _usage(told: object) -> Usage | None:
    """The counts, where both are there."""
    if not isinstance(told, Mapping):
        return None
    prompt, completion = told.get("input_tokens"), told.get("output_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    details = told.get("input_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return Usage(prompt, completion, cached if isinstance(cached, int) else 0)


def _fill_usage(told: dict[str, Any], usage: Usage) -> None:
    """Write the counts where they stand; a total that was their sum is it again."""
    if told.get("total_tokens") == told["input_tokens"] + told["output_tokens"]:
        told["total_tokens"] = usage.prompt + usage.completion
    told["input_tokens"], told["output_tokens"] = usage.prompt, usage.completion
    details = told.get("input_tokens_details")
    if isinstance(details, dict) and isinstance(details.get("cached_tokens"), int):
        details["cached_tokens"] = usage.cache_read
