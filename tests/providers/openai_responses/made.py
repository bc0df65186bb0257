"""Items, requests and answers for tests of Responses."""

from __future__ import annotations

from typing import Any

USER: dict[str, Any] = {"role": "user", "content": "hi"}

LOOK: dict[str, Any] = {
    "type": "function",
    "name": "look",
    "description": "Looks.",
    "parameters": {"type": "object", "properties": {}},
    "strict": False,
}


def call(call_id: str = "call_1", name: str = "look", **fields: Any) -> dict[str, Any]:
    """A call of the model."""
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": name,
        "arguments": "{}",
        **fields,
    }


def told(call_id: str = "call_1", output: object = "seen") -> dict[str, Any]:
    """A result."""
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def thought(item_id: str = "rs_1", **fields: Any) -> dict[str, Any]:
    """An item of reasoning."""
    return {"type": "reasoning", "id": item_id, "summary": [], **fields}


def said(text: str = "So.", item_id: str = "msg_1", **fields: Any) -> dict[str, Any]:
    """A message of the model, as an answer has it."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": item_id,
        "role": "assistant",
        "status": "completed",
        "content": [part],
        **fields,
    }


def request(*items: object, **fields: Any) -> dict[str, Any]:
    """A request; without items, with a message of the user."""
    return {"model": "gpt", "input": list(items) or [USER], **fields}


def answer(
    *output: object, response_id: str = "resp_1", **fields: Any
) -> dict[str, Any]:
    """An answer that the service gave before, as far as it is kept."""
    return {"id": response_id, "output": list(output), "store": True, **fields}


def offering(name: str = "look", **changes: Any) -> dict[str, Any]:
    """A request that offers one tool, changed."""
    return request(tools=[{**LOOK, "name": name, **changes}])


def part(kind: str, **fields: Any) -> dict[str, Any]:
    """A message of the user with one part."""
    return {"role": "user", "content": [{"type": kind, **fields}]}
