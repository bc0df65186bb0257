"""What of a neutral response the Responses wire carries."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from agentsim.core import (
    FINAL_REASONS,
    WIRE_BLOCK,
    Message,
    Response,
    canonical_json,
)
from agentsim.providers.openai_responses.items import REASONING

__all__ = ["ENDED", "INCOMPLETE", "carried_for"]

INCOMPLETE = {"max_tokens": "max_output_tokens", "content_filter": "content_filter"}
"""Neutral stop reason -> why the service calls a response incomplete."""

_ENCRYPTED = "encrypted_content"

ENDED = (*FINAL_REASONS, "tool_use", "pause_turn", "refusal")
"""Neutral stop reasons of a response that is whole; others are told as they are."""


def carried_for(response: Response, body: Mapping[str, Any]) -> Response:
    """What of a response reaches the client of a request.

    There is no reason on this wire why a model stops, but for a response that is not
    complete: that it calls is seen by its calls. Reasoning comes encrypted to who asks
    for it, and blocks of other wires have no place.

    Args:
        body: That of the request.
    """
    message = response.message
    wanted = _wants_encrypted(body)
    blocks = tuple(
        _reasoning(block, wanted=wanted) if block.get("type") == REASONING else block
        for block in message.blocks
        if block.get("type") in (REASONING, WIRE_BLOCK)
    )
    reason = _reason(response)
    if blocks == message.blocks and reason == response.stop_reason:
        return response
    if blocks != message.blocks:
        message = Message(
            message.role, message.content, message.tool_calls, blocks=blocks
        )
    return Response(message, reason, response.usage, response.refusal)


def _reason(response: Response) -> str:
    reason = response.stop_reason
    if reason not in ENDED:
        return reason
    if response.refusal is not None or reason == "refusal":
        return "refusal"
    return "tool_use" if response.message.tool_calls else "end_turn"


def _wants_encrypted(body: Mapping[str, Any]) -> bool:
    include = body.get("include")
    return isinstance(include, list) and f"reasoning.{_ENCRYPTED}" in include


def _reasoning(block: Mapping[str, Any], *, wanted: bool) -> Mapping[str, Any]:
    """A block as it is sent: what is encrypted may stand in the script, or is made."""
    if wanted == (_ENCRYPTED in block):
        return block
    if not wanted:
        return {key: value for key, value in block.items() if key != _ENCRYPTED}
    text = canonical_json(block).encode("utf-8", "surrogatepass")
    return {**block, _ENCRYPTED: f"gAAAAA{hashlib.sha256(text).hexdigest()}"}
