"""Answers of Anthropic Messages as a stream of events.

Blocks come one after the other, each between its start and its stop. A call starts with
an empty input, and its text comes in pieces, the first of which is empty; thinking ends
with its signature; what else there is comes whole with its start. The counts at the end
are of the whole answer, not to be added to those of the start.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentsim.providers.anthropic.answers import message_body
from agentsim.providers.anthropic.conversation.blocks import write_input
from agentsim.providers.wires.dialect import Answered, Frame
from agentsim.providers.wires.pieces import cut_text

__all__ = ["message_frames"]

PING = Frame({"type": "ping"}, "ping")

EMPTY = ("", "{}")

COUNTED_FIRST = 1
"""Tokens that the start of a stream tells of: what comes is not known yet."""

UNCOUNTED = {"input_tokens": None, "output_tokens": None}
"""Counts of an answer that has none: without them the SDK can't read a stream at all."""


def message_frames(answered: Answered) -> list[Frame]:
    """The events of an answer."""
    whole = message_body(
        answered.response,
        model=answered.request.model,
        number=answered.number,
        body=answered.body,
    )
    frames = [_event("message_start", message=_begun(whole))]
    number = 0
    for index, block in enumerate(whole["content"]):
        call = None
        if block["type"] == "tool_use":
            call, number = number, number + 1
            arguments = answered.response.message.tool_calls[call].arguments
            written = "" if arguments in EMPTY else arguments
        else:
            written = write_input(block.get("input"))
        frames += _block(index, block, written, call)
    frames.insert(min(2, len(frames)), PING)
    # The reason tells that the answer is whole: that what comes last is lost goes
    # unnoticed by the SDK.
    frames.append(replace(_end(whole), ends=True))
    frames.append(_event("message_stop"))
    return frames


def _event(kind: str, **fields: Any) -> Frame:
    return Frame({"type": kind, **fields}, kind)


def _begun(whole: Mapping[str, Any]) -> dict[str, Any]:
    begun = {**copy.deepcopy(dict(whole)), "content": []}
    begun |= {"stop_reason": None, "stop_sequence": None, "stop_details": None}
    if "usage" in begun:
        begun["usage"]["output_tokens"] = COUNTED_FIRST
        del begun["usage"]["output_tokens_details"]
    return {"usage": UNCOUNTED, **begun}


def _end(whole: Mapping[str, Any]) -> Frame:
    keys = ("stop_reason", "stop_sequence", "stop_details")
    delta = {key: whole[key] for key in keys}
    usage = whole.get("usage")
    if usage is None:
        return _event("message_delta", delta=delta, usage=UNCOUNTED)
    counted = (
        *("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
        *("output_tokens", "output_tokens_details"),
    )
    told = {key: usage[key] for key in counted}
    return _event("message_delta", delta=delta, usage=told)


def _block(
    index: int, block: dict[str, Any], written: str, call: int | None
) -> Iterator[Frame]:
    """The events of one block.

    Args:
        written: The text of its input, where it is a call.
        call: The index of the call, where the client has to answer it.
    """
    kind = block["type"]
    begun, deltas = _DELTAS.get(kind, _whole)(block, written)
    start = _event("content_block_start", index=index, content_block=begun)
    yield replace(start, call=call)
    for delta in deltas:
        told = {"type": "content_block_delta", "index": index, "delta": delta}
        yield Frame(told, "content_block_delta", delta.get("text", ""), call)
    yield replace(_event("content_block_stop", index=index), call=call)


_Told = tuple[dict[str, Any], list[dict[str, Any]]]
"""A block as it starts, and its deltas."""


def _whole(block: dict[str, Any], _written: str) -> _Told:
    return block, []


def _text(block: dict[str, Any], _written: str) -> _Told:
    begun = {**block, "text": ""}
    deltas = [_delta("text", piece) for piece in cut_text(block["text"])]
    if block.get("citations"):
        begun["citations"] = []
        deltas += [
            {"type": "citations_delta", "citation": citation}
            for citation in block["citations"]
        ]
    return begun, deltas


def _thinking(block: dict[str, Any], _written: str) -> _Told:
    deltas = [_delta("thinking", piece) for piece in cut_text(block["thinking"])]
    deltas.append(_delta("signature", block["signature"]))
    return {**block, "thinking": "", "signature": ""}, deltas


def _call(block: dict[str, Any], written: str) -> _Told:
    pieces = ["", *cut_text(written)]
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return {**block, "input": {}}, deltas


def _delta(kind: str, piece: str) -> dict[str, Any]:
    return {"type": f"{kind}_delta", kind: piece}


_DELTAS: dict[str, Callable[[dict[str, Any], str], _Told]] = {
    "text": _text,
    "thinking": _thinking,
    "tool_use": _call,
    "server_tool_use": _call,
    "mcp_tool_use": _call,
}
"""Type of a block -> how it comes in pieces; any other comes whole."""
