"""Messages of a model as the answer of its service, in the form of each wire.

What a session does not tell is as it has to be there: ids are made; token counts are
left out, and are 0 for Anthropic, whose clients need them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.providers.transcripts.recognise import ANTHROPIC, RESPONSES
from agentsim.providers.transcripts.results import TranscriptWire

__all__ = ["answer_of"]

_COUNTS = ("input_tokens", "output_tokens")

_PREFIXES = {
    "openai-chat": "chatcmpl-",
    "openai-responses": "resp_",
    "anthropic-messages": "msg_",
    "unclear": "chatcmpl-",
}

_CHAT_REASONS = {
    "tool_call": "tool_calls",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
"""How others call it -> as Chat calls it."""

_ANTHROPIC_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_call": "tool_use",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}


def answer_of(
    wire: TranscriptWire,
    said: Sequence[Mapping[str, Any]],
    *,
    model: object = None,
    usage: object = None,
    reason: str = "",
    own: str = "",
    made: str = "imported",
) -> dict[str, Any]:
    """The body of an answer.

    Args:
        said: What the model said: one message of Chat or Anthropic per choice, or items
            of Responses.
        model: Its name, where it is known.
        usage: Token counts, as the wire or as OpenTelemetry names them.
        reason: Why it stopped, in the words of any of the wires; empty: as what it said
            shows.
        own: The id of the answer, where it is known.
        made: What is made an id of otherwise.
    """
    name = model if isinstance(model, str) else ""
    counts = usage if isinstance(usage, dict) else {}
    if wire == RESPONSES:
        return _responses(said, name, counts, reason, own or f"{_PREFIXES[wire]}{made}")
    if wire == ANTHROPIC:
        return _anthropic(
            said[0], name, counts, reason, own or f"{_PREFIXES[wire]}{made}"
        )
    return _chat(said, name, counts, reason, own or f"{_PREFIXES[wire]}{made}")


def _chat(
    said: Sequence[Mapping[str, Any]],
    model: str,
    usage: Mapping[str, Any],
    reason: str,
    own: str,
) -> dict[str, Any]:
    choices = [
        {
            "index": index,
            "message": {"refusal": None, **message},
            "logprobs": None,
            "finish_reason": _CHAT_REASONS.get(reason, reason)
            or ("tool_calls" if message.get("tool_calls") else "stop"),
        }
        for index, message in enumerate(said)
    ]
    return {
        "id": own,
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": choices,
        **_usage(usage, "prompt_tokens", "completion_tokens"),
    }


def _usage(usage: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The field with the token counts; none where none is known."""
    counts = {name: _count(usage, name) for name in names}
    total = sum(counts.values())
    return {"usage": {**counts, "total_tokens": total}} if total else {}


def _anthropic(
    message: Mapping[str, Any],
    model: str,
    usage: Mapping[str, Any],
    reason: str,
    own: str,
) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    asks = isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_use" for block in content
    )
    told = message.get("stop_reason") or _ANTHROPIC_REASONS.get(reason, reason)
    counts = message.get("usage")
    known = counts if isinstance(counts, dict) else usage
    return {
        **message,
        "id": message.get("id") or own,
        "type": "message",
        "role": "assistant",
        "model": message.get("model") or model,
        "content": content,
        "stop_reason": told or ("tool_use" if asks else "end_turn"),
        "stop_sequence": message.get("stop_sequence"),
        "usage": {**known, **{key: _count(known, key) for key in _COUNTS}},
    }


def _responses(
    items: Sequence[Mapping[str, Any]],
    model: str,
    usage: Mapping[str, Any],
    reason: str,
    own: str,
) -> dict[str, Any]:
    cut = reason in ("length", "max_tokens")
    return {
        "id": own,
        "object": "response",
        "created_at": 0,
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "model": model,
        "output": [_item(item, f"{own}_{index}") for index, item in enumerate(items)],
        **_usage(usage, *_COUNTS),
    }


def _item(item: Mapping[str, Any], own: str) -> dict[str, Any]:
    """An item of the input as one of the output: a message has parts there, and an id."""
    if item.get("type", "message") != "message":
        return {"id": f"item_{own}", "status": "completed", **item}
    content = item.get("content")
    if isinstance(content, str):
        content = [{"type": "output_text", "text": content, "annotations": []}]
    made = {"id": f"msg_{own}", "status": "completed"}
    return {**made, **item, "type": "message", "role": "assistant", "content": content}


def _count(usage: Mapping[str, Any], key: str) -> int:
    other = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
    value = usage.get(key, usage.get(other.get(key, key)))
    return value if type(value) is int and 0 <= value < 1 << 53 else 0
