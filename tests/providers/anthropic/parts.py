"""What requests of Anthropic Messages are made of, for tests."""

from __future__ import annotations

from typing import Any

USER: dict[str, Any] = {"role": "user", "content": "hi"}

LOOK: dict[str, Any] = {
    "name": "look",
    "description": "Looks.",
    "input_schema": {"type": "object", "properties": {}},
}

OLD, NEW = "2023-06-01", "2026-10-21"

MARK: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}

THINKS = {"type": "enabled", "budget_tokens": 1024}


def text(words: str = "hi", **fields: Any) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words, **fields}


def call(call_id: str = "toolu_1", name: str = "look", **fields: Any) -> dict[str, Any]:
    """A call of the model."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}, **fields}


def thought(words: str = "So.", signature: str = "c2ln") -> dict[str, Any]:
    """A thinking block."""
    return {"type": "thinking", "thinking": words, "signature": signature}


def said(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A message of the model."""
    return {"role": "assistant", "content": list(blocks)}


def result(
    call_id: str = "toolu_1", content: object = "seen", **fields: Any
) -> dict[str, Any]:
    """A result."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return {**block, **fields}


def told(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": list(blocks)}


def request(*messages: object, **fields: Any) -> dict[str, Any]:
    """A request; without messages, with one of the user."""
    return {
        "model": "claude",
        "max_tokens": 2048,
        "messages": list(messages) or [USER],
        **fields,
    }


def without(key: str) -> dict[str, Any]:
    """A request without one of its fields."""
    return {name: value for name, value in request().items() if name != key}


def offering(name: str = "look", **changes: Any) -> dict[str, Any]:
    """A request that offers one tool, changed."""
    return request(tools=[{**LOOK, "name": name, **changes}])


CALLED = (USER, said(call()))

DOCUMENT = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": "a"},
}

SEARCHED = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_9",
    "content": [],
}

ANSWERED = {"content": [thought(), text("Hello.")], "stop_reason": "end_turn"}
