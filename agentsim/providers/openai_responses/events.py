"""The events of a stream of Responses, put together to the answer that they are."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from agentsim.providers.openai_responses.answers import ResponsesAnswer, read_response
from agentsim.providers.wires.dialect import Frame

__all__ = ["read_events"]

_ENDS = (
    *("response.completed", "response.incomplete", "response.failed"),
    "response.cancelled",
)

_GROWS = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.mcp_call_arguments.delta": "arguments",
    "response.reasoning_summary_text.delta": "text",
    "response.reasoning_text.delta": "text",
    "response.code_interpreter_call_code.delta": "code",
}
"""Type of an event -> the field that it adds to."""


def read_events(frames: Iterable[Frame]) -> ResponsesAnswer:
    """Read what came of a stream: where its end came, the body is that of its end.

    A stream that broke off gives the items as far as they had come. An error that it
    told of stands in the body.
    """
    body: dict[str, Any] = {}
    items: dict[int, Any] = {}
    for frame in frames:
        event = frame.data
        if isinstance(event, str):
            continue
        kind, told = event.get("type"), event.get("response")
        if isinstance(told, Mapping):
            body = copy.deepcopy(dict(told))
            if kind in _ENDS:
                return read_response(body)
        elif kind == "error":
            body["error"] = copy.deepcopy(event.get("error", _flat(event)))
        else:
            _take(items, event)
    if items:
        body["output"] = [items[index] for index in sorted(items)]
    return read_response(body)


def _flat(event: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key != "sequence_number"}


def _take(items: dict[int, Any], event: Mapping[str, Any]) -> None:
    """Take an event of one item."""
    index, kind = event.get("output_index"), str(event.get("type"))
    if not isinstance(index, int):
        return
    if kind in ("response.output_item.added", "response.output_item.done"):
        items[index] = copy.deepcopy(event.get("item"))
        return
    item = items.get(index)
    if not isinstance(item, dict):
        return
    for key, name in (("content_index", "content"), ("summary_index", "summary")):
        number = event.get(key)
        if isinstance(number, int):
            _take_part(item, name, number, event)
            return
    _grow(item, event)


def _take_part(
    item: dict[str, Any], name: str, number: int, event: Mapping[str, Any]
) -> None:
    parts = item.get(name)
    if not isinstance(parts, list):
        parts = item[name] = []
    part = event.get("part")
    if isinstance(part, Mapping):
        parts[number:] = [copy.deepcopy(dict(part))]
    elif number < len(parts) and isinstance(parts[number], dict):
        _grow(parts[number], event)


def _grow(owner: dict[str, Any], event: Mapping[str, Any]) -> None:
    field, delta = _GROWS.get(str(event.get("type"))), event.get("delta")
    if field is not None and isinstance(delta, str):
        before = owner.get(field)
        owner[field] = (before if isinstance(before, str) else "") + delta
