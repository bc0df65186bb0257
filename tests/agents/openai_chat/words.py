"""What the loops of this folder share: small functions over what the SDK gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from openai.types.chat import ChatCompletionMessage
from openai.types.chat.chat_completion import Choice

from tests.agents.sdk import End

WHOLE = ("stop", "tool_calls", "function_call")
"""Reasons of replies that the model brought to their end."""


ToolCall: TypeAlias = Any
"""A call as the SDK gives it, with `id` and `function`: no other tools are offered."""


def ending(choice: Choice) -> End | None:
    """How a run ends by this reply, or None where it goes on with its calls.

    The reason comes first: the last call of a reply that was cut may be half of one.
    """
    message, reason = choice.message, choice.finish_reason
    if message.refusal:
        return End("refused", message.refusal)
    if reason == "length":
        return End("truncated", message.content or "")
    if reason not in WHOLE:
        return End("failed", f"the reply was ended by {reason}")
    if message.tool_calls:
        return None
    if message.content is None or not message.content.strip():
        return End("failed", "the model gave no answer")
    if reason != "stop":
        return End("failed", "the model announced calls and made none")
    return End("done", message.content)


def with_own_ids(
    message: ChatCompletionMessage, messages: Sequence[Any]
) -> ChatCompletionMessage:
    """Give calls without an id, or with one that was there before, one of our own.

    OpenAI's own service always gives ids; others that speak its protocol may not.
    """
    seen = {
        call.id
        for earlier in messages
        for call in getattr(earlier, "tool_calls", None) or ()
    }
    for number, call in enumerate(message.tool_calls or ()):
        if not call.id or call.id in seen:
            call.id = f"own_{len(messages)}_{number}"
        seen.add(call.id)
    return message
