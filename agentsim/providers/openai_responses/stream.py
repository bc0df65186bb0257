"""Answers of Responses as a stream of events.

Items are sent one after the other: an item is added empty, grows, and is done, before
the next one is added. Every event has its number in the stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentsim.core import ProviderError
from agentsim.providers.openai.errors import error_body
from agentsim.providers.openai_responses.carried import ENDED
from agentsim.providers.openai_responses.items import REASONING
from agentsim.providers.openai_responses.responses import begun_body, response_body
from agentsim.providers.wires.dialect import Answered, Frame
from agentsim.providers.wires.pieces import cut_text

__all__ = ["error_event", "failed_event", "flat_error_event", "response_frames"]

_WRITTEN = {
    "function_call": ("arguments", "response.function_call_arguments"),
    "custom_tool_call": ("input", "response.custom_tool_call_input"),
}
"""Type of a call -> the field that grows, and how the events of that are named."""

_SAID = {"output_text": "text", "refusal": "refusal"}


def response_frames(answered: Answered) -> list[Frame]:
    """The events of an answer.

    A stop reason of no letters is none: then no event tells that the answer is whole.
    """
    body = response_body(answered)
    frames = [_response("created", begun_body(body))]
    if answered.body.get("background"):
        frames.append(_response("queued", {**begun_body(body), "status": "queued"}))
    frames.append(_response("in_progress", begun_body(body)))
    calls = 0
    for index, item in enumerate(body["output"]):
        called = item["type"] in _WRITTEN
        frames += [
            replace(frame, call=calls if called else None)
            for frame in _item(item, index)
        ]
        calls += called
    reason = answered.response.stop_reason
    if reason:
        kind = "completed" if reason in ENDED else "incomplete"
        frames.append(replace(_response(kind, body), ends=True))
    return [_numbered(frame, number) for number, frame in enumerate(frames)]


def error_event(error: ProviderError, *, at: int) -> Frame:
    """The event that tells of an error in a stream, as the service really sends it.

    Args:
        at: Its number in the stream.
    """
    return _numbered(_frame("error", error_body(error)), at)


def flat_error_event(error: ProviderError, *, at: int) -> Frame:
    """The same, as the published description has it: the SDK hands it on unraised."""
    told = error_body(error)["error"]
    fields = {key: told[key] for key in ("code", "message", "param")}
    return _numbered(_frame("error", fields), at)


def failed_event(answered: Answered, error: ProviderError, *, at: int) -> Frame:
    """The last event of a response that failed, in place of its end: the SDK hands it on.

    Args:
        at: Its number in the stream.
    """
    told = {"code": error.code or "server_error", "message": str(error)}
    body = {**begun_body(response_body(answered)), "status": "failed", "error": told}
    return _numbered(_response("failed", body), at)


def _numbered(frame: Frame, number: int) -> Frame:
    assert not isinstance(frame.data, str)
    return replace(frame, data={**frame.data, "sequence_number": number})


def _frame(kind: str, fields: Mapping[str, Any], text: str = "") -> Frame:
    return Frame({"type": kind, **fields}, kind, text)


def _response(kind: str, body: Mapping[str, Any]) -> Frame:
    return _frame(f"response.{kind}", {"response": body})


def _item(item: Mapping[str, Any], index: int) -> Iterator[Frame]:
    at: dict[str, Any] = {"output_index": index}
    yield _frame("response.output_item.added", {**at, "item": _empty(item)})
    at["item_id"] = item.get("id")
    if item["type"] == "message":
        for number, part in enumerate(item["content"]):
            yield from _part(part, {**at, "content_index": number})
    elif item["type"] == REASONING:
        for number, part in enumerate(item["summary"]):
            yield from _summary(part, {**at, "summary_index": number})
    elif item["type"] in _WRITTEN:
        yield from _call(item, at)
    done = {"output_index": index, "item": item}
    yield _frame("response.output_item.done", done)


def _empty(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item as it is added: nothing of it is said yet."""
    begun = dict(item)
    if "status" in begun:
        begun["status"] = "in_progress"
    if item["type"] == "message":
        begun["content"] = []
    elif item["type"] == REASONING:
        begun["summary"] = []
    elif item["type"] in _WRITTEN:
        begun[_WRITTEN[item["type"]][0]] = ""
    return begun


def _part(part: Mapping[str, Any], at: Mapping[str, Any]) -> Iterator[Frame]:
    key = _SAID.get(part.get("type", ""), "")
    begun = {**part, key: ""} if key else part
    yield _frame("response.content_part.added", {**at, "part": begun})
    if key:
        kind = f"response.{part['type']}"
        more: dict[str, Any] = {"logprobs": []} if key == "text" else {}
        for piece in cut_text(part[key]):
            yield _frame(f"{kind}.delta", {**at, "delta": piece, **more}, piece)
        yield _frame(f"{kind}.done", {**at, key: part[key], **more})
    yield _frame("response.content_part.done", {**at, "part": part})


def _summary(part: Any, at: Mapping[str, Any]) -> Iterator[Frame]:  # noqa: ANN401
    """A part of a summary; one that is no text has no events of its own."""
    text = part.get("text") if isinstance(part, Mapping) else None
    if not isinstance(text, str):
        return
    kind = "response.reasoning_summary"
    yield _frame(f"{kind}_part.added", {**at, "part": {**part, "text": ""}})
    for piece in cut_text(text):
        yield _frame(f"{kind}_text.delta", {**at, "delta": piece})
    yield _frame(f"{kind}_text.done", {**at, "text": text})
    yield _frame(f"{kind}_part.done", {**at, "part": part})


def _call(item: Mapping[str, Any], at: Mapping[str, Any]) -> Iterator[Frame]:
    key, kind = _WRITTEN[item["type"]]
    for piece in cut_text(item[key]):
        yield _frame(f"{kind}.delta", {**at, "delta": piece})
    done = {**at, key: item[key]}
    if key == "arguments":
        done["name"] = item["name"]
    yield _frame(f"{kind}.done", done)
