"""The events of a stream, put together to the answer that they are."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentsim.core import Response
from agentsim.providers.anthropic.answers import ReadMessage, read_answer
from agentsim.providers.anthropic.conversation.blocks import read_input
from agentsim.providers.wires.dialect import Frame

__all__ = ["read_events"]


@dataclass(slots=True)
class _Taken:
    """What came of a stream.

    Attributes:
        inputs: Index of a block -> the text of its input, as far as it came.
    """

    message: dict[str, Any] = field(default_factory=dict)
    content: list[Any] = field(default_factory=list)
    inputs: dict[int, str] = field(default_factory=dict)


def read_events(frames: Iterable[Frame]) -> ReadMessage:
    """Read what came of a stream, as clients do: the body is that of a plain answer.

    Pings are left out, and unknown events. An error that the stream told of stays in
    the body. Arguments are the text that came, where that is no JSON object.
    """
    taken = _Taken()
    for frame in frames:
        if isinstance(frame.data, Mapping):
            _take(taken, frame.data)
    for index, text in taken.inputs.items():
        taken.content[index]["input"] = read_input(text) or {}
    if taken.message or taken.content:
        taken.message["content"] = taken.content
    read = read_answer(taken.message)
    return ReadMessage(_as_written(read.response, taken), read.rest)


def _take(taken: _Taken, event: Mapping[str, Any]) -> None:
    kind = event.get("type")
    if kind == "message_start" and isinstance(event.get("message"), Mapping):
        taken.message = copy.deepcopy(dict(event["message"]))
    elif kind == "content_block_start":
        taken.content.append(copy.deepcopy(event.get("content_block")))
    elif kind == "content_block_delta":
        _take_delta(taken, event.get("index"), event.get("delta"))
    elif kind == "message_delta":
        _take_end(taken.message, event)
    elif kind == "error":
        taken.message["error"] = copy.deepcopy(event.get("error"))


def _take_delta(taken: _Taken, index: object, delta: object) -> None:
    if not isinstance(index, int) or not isinstance(delta, Mapping):
        return
    if not 0 <= index < len(taken.content):
        return
    block = taken.content[index]
    if not isinstance(block, dict):
        return
    kind = delta.get("type")
    if kind == "input_json_delta":
        piece = delta.get("partial_json")
        if isinstance(piece, str):
            taken.inputs[index] = taken.inputs.get(index, "") + piece
    elif kind == "citations_delta":
        cited = block.get("citations")
        block["citations"] = [*(cited or ()), copy.deepcopy(delta.get("citation"))]
    elif kind in ("text_delta", "thinking_delta"):
        key = "text" if kind == "text_delta" else "thinking"
        block[key] = f"{block.get(key) or ''}{delta.get(key) or ''}"
    elif kind == "signature_delta":
        block["signature"] = delta.get("signature")


def _take_end(message: dict[str, Any], event: Mapping[str, Any]) -> None:
    """What the end tells: the reason, and counts in place of those of the start."""
    delta, usage = event.get("delta"), event.get("usage")
    if isinstance(delta, Mapping):
        message |= copy.deepcopy(dict(delta))
    if isinstance(usage, Mapping):
        known = message.get("usage")
        told = {key: value for key, value in usage.items() if value is not None}
        message["usage"] = {**(known if isinstance(known, dict) else {}), **told}


def _as_written(response: Response, taken: _Taken) -> Response:
    """The response with arguments that are no JSON object as they came."""
    places = [
        index
        for index, block in enumerate(taken.content)
        if isinstance(block, Mapping) and block.get("type") == "tool_use"
    ]
    message = response.message
    if len(places) != len(message.tool_calls):
        return response
    texts = [taken.inputs.get(index, "") for index in places]
    calls = tuple(
        call if read_input(text) is not None else replace(call, arguments=text)
        for call, text in zip(message.tool_calls, texts, strict=True)
    )
    return replace(response, message=replace(message, tool_calls=calls))
