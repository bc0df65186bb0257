"""What the loops of this folder share: small functions over what the SDK gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from openai.types.chat import ChatCompletionMessage
from openai.types.chat.chat_completion import Choice

WHOLE = ("stop", "tool_calls", "function_call")
"""Reasons of replies that the model brought to their end."""


ToolCall: TypeAlias = Any
"""A call as the SDK gives it, with `id` and `function`: no other tools are offered."""


class BadCall(Exception):
    """A call that can't be run; the message goes to the model."""


@dataclass(frozen=True)
class End:
    """How a run ended: the answer, or why there is none."""

    status: Literal["done", "truncated", "refused", "max_iterations", "failed"]
    text: str


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


def read_arguments(text: str | None) -> dict[str, Any]:
    """The arguments of a call: an object; no text is an empty one.

    Raises:
        BadCall: for what is no JSON object, or one that can be read in two ways.
    """
    if not (text or "").strip():
        return {}
    try:
        value = json.loads(
            text or "", object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except ValueError:
        raise BadCall("the arguments are no valid JSON") from None
    if not isinstance(value, dict):
        raise BadCall("the arguments are no JSON object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a field stands twice")
    return record


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def as_text(output: object) -> str:
    """The output of a tool as the text that a message carries.

    Half of a surrogate pair can't be sent, and would fail inside of the SDK.
    """
    if isinstance(output, bytes):
        return output.decode("utf-8", "replace")
    text = output if isinstance(output, str) else json.dumps(output, default=str)
    return text.encode("utf-8", "replace").decode("utf-8")
