"""Answers of the model as Anthropic Messages sends them, and read back whole."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from agentsim.core import Message, Response
from agentsim.providers.anthropic.conversation.reading import is_blocks, read_assistant
from agentsim.providers.anthropic.conversation.writing import write_assistant
from agentsim.providers.anthropic.ids import message_id
from agentsim.providers.anthropic.usage import fill_usage, read_usage, usage_body

__all__ = ["ReadMessage", "message_body", "read_answer", "stop_reason"]

STOP_REASONS = {"stop": "end_turn", "content_filter": "refusal"}
"""Neutral reason -> that of the wire; any other is the same in both."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def message_body(
    response: Response,
    *,
    model: str,
    number: int,
    body: Mapping[str, Any] = _NOTHING,
) -> dict[str, Any]:
    """The body of an answer.

    Args:
        number: That of the request; the id is made of it.
        body: That of the request, whose first stop sequence is the one that stops.
    """
    reason = stop_reason(response)
    told: dict[str, Any] = {
        "id": message_id(number),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content_body(response.message),
        "stop_reason": reason or None,
        "stop_sequence": _stop_sequence(reason, body),
        "stop_details": _stop_details(reason, response.refusal),
    }
    if response.usage is not None:
        told["usage"] = usage_body(response.usage, response.message)
    return told


def content_body(message: Message) -> list[Any]:
    """The blocks of an answer; calls say that the model makes them directly."""
    blocks = write_assistant(message)
    for block in blocks:
        if block.get("type") == "tool_use":
            block.setdefault("caller", {"type": "direct"})
    return blocks


def stop_reason(response: Response) -> str:
    """Why an answer ended, in the wire's words."""
    if response.refusal is not None:
        return "refusal"
    return STOP_REASONS.get(response.stop_reason, response.stop_reason)


def _stop_sequence(reason: str, body: Mapping[str, Any]) -> str | None:
    sequences = body.get("stop_sequences")
    if reason != "stop_sequence" or not isinstance(sequences, list) or not sequences:
        return None
    return str(sequences[0])


def _stop_details(reason: str, refusal: str | None) -> dict[str, Any] | None:
    if reason != "refusal":
        return None
    return {"type": "refusal", "category": None, "explanation": refusal}


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """An answer, with what the neutral form has no place for.

    Attributes:
        response: What the model said.
        rest: The body as it came.
    """

    response: Response
    rest: Mapping[str, Any]

    def body(self) -> dict[str, Any]:
        """The body again, as it came but for what the response says otherwise."""
        body = copy.deepcopy(dict(self.rest))
        came, said = read_answer(body).response, self.response
        told = content_body(said.message)
        if told != content_body(came.message):
            body["content"] = told
        if (came.stop_reason, came.refusal) != (said.stop_reason, said.refusal):
            reason = stop_reason(said)
            body["stop_reason"] = reason
            body["stop_details"] = _stop_details(reason, said.refusal)
        if said.usage is None:
            if came.usage is not None:
                del body["usage"]
        elif isinstance(body.get("usage"), dict):
            fill_usage(body["usage"], said.usage)
        elif came.usage != said.usage:
            body["usage"] = usage_body(said.usage, said.message)
        return body


def read_answer(body: Mapping[str, Any]) -> ReadMessage:
    """Read the body of an answer that was not streamed."""
    content = body.get("content")
    message = read_assistant(content) if is_blocks(content) else Message("assistant")
    told = body.get("stop_reason")
    reason = told if isinstance(told, str) else ""
    details, refusal = body.get("stop_details"), None
    if reason == "refusal" and isinstance(details, Mapping):
        explained = details.get("explanation")
        refusal = explained if isinstance(explained, str) else None
    usage = read_usage(body.get("usage"))
    return ReadMessage(Response(message, reason, usage, refusal), body)
