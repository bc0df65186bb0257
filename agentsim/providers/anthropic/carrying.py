"""What of a neutral response this wire carries.

With thinking of mode enabled the service thinks first in every turn, and wants that back:
a scripted answer that has no thinking gets some, so that a loop which drops it is refused
as it would be. Within a turn (after results) there is none, as with the service.

The service reads the arguments of a call before it sends them, so that they are a JSON
object. Others go out as an empty one (R1.2), but for two cases in which a stream has their
text: an answer that was cut off, and tools whose input is streamed as it is written.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentsim.core import WIRE_BLOCK, Message, Response, ToolCall
from agentsim.providers.anthropic.answers import stop_reason
from agentsim.providers.anthropic.conversation.blocks import (
    CARRIED,
    read_input,
    write_input,
)

__all__ = ["carried"]

THOUGHT = "Let me think about what is asked for."

THINKING = ("thinking", "redacted_thinking")


CUT = ("max_tokens", "model_context_window_exceeded")

EAGER_BETA = "fine-grained-tool-streaming"
"""Begin of the beta by which a request has the input of all tools streamed unread."""


def carried(
    response: Response, body: Mapping[str, Any], *, begins: bool, betas: str = ""
) -> Response:
    """What of a response reaches the client.

    Args:
        body: That of the request.
        begins: Whether the model's turn begins with it; else it goes on after results.
        betas: The header `anthropic-beta` of the request.
    """
    message = response.message
    omitted = _thinking(body).get("display") == "omitted"
    kept = tuple(
        _unspoken(block) if omitted else block
        for block in message.blocks
        if block.get("type") in (*CARRIED, WIRE_BLOCK)
    )
    reason = stop_reason(response)
    if reason == "pause_turn" and message.tool_calls:
        reason = "tool_use"  # the service pauses for its own tools only
    if begins and _needs_thought(body, message, reason):
        thought = _thought(message)
        kept = (_unspoken(thought) if omitted else thought, *kept)
    raw = _unread(body, betas, reason)
    calls = tuple(
        _carried_call(call, raw=raw is True or call.name in (raw or ()))
        for call in message.tool_calls
    )
    if (kept, calls) != (message.blocks, message.tool_calls):
        message = Message("assistant", message.content, calls, blocks=kept)
    if message is response.message and reason == response.stop_reason:
        return response
    return replace(response, message=message, stop_reason=reason)


def _unread(body: Mapping[str, Any], betas: str, reason: str) -> bool | list[str]:
    """Of which calls a stream has the text unread: of all, or of the tools named."""
    if body.get("stream") is not True:
        return False
    if reason in CUT or EAGER_BETA in betas:
        return True
    tools = body.get("tools")
    return [
        tool["name"]
        for tool in (tools if isinstance(tools, list) else ())
        if tool.get("eager_input_streaming") is True
    ]


def _carried_call(call: ToolCall, *, raw: bool) -> ToolCall:
    """A call as the client reads it: its input as an object, or its text in a stream."""
    given = read_input(call.arguments)
    if given is None and raw:
        return call
    written = write_input({} if given is None else given)
    return call if written == call.arguments else replace(call, arguments=written)


def _needs_thought(body: Mapping[str, Any], message: Message, reason: str) -> bool:
    enabled = _thinking(body).get("type") == "enabled"
    if (
        not enabled
        or reason == "refusal"
        or not (message.content or message.tool_calls)
    ):
        return False
    own = [
        block
        for block in message.blocks
        if block.get("type") in (*THINKING, WIRE_BLOCK)
    ]
    return not own


def _thinking(body: Mapping[str, Any]) -> Mapping[str, Any]:
    told = body.get("thinking")
    return told if isinstance(told, Mapping) else {}


def _unspoken(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """A block of which the client is told the signature only."""
    return {**block, "thinking": ""} if block.get("type") == "thinking" else block


def _thought(message: Message) -> dict[str, str]:
    """Some thinking, with a signature that hangs on what is said after it."""
    said = repr((message.content, [(c.id, c.name) for c in message.tool_calls]))
    digest = hashlib.sha512(said.encode("utf-8", "backslashreplace")).digest()
    signature = base64.b64encode(digest).decode("ascii")
    return {"type": "thinking", "thinking": THOUGHT, "signature": signature}
