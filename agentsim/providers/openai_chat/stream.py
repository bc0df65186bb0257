"""Answers of Chat Completions as a stream of chunks.

Calls are sent one after the other, each with its id and name in its first chunk only:
that is how the service does it, and clients put the chunks of a call together by its
index. Usage comes in a chunk of its own, where the request asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

from agentsim.core import ToolCall
from agentsim.providers.openai.custom import custom_names
from agentsim.providers.openai.fields import service_tier_of
from agentsim.providers.openai.ids import completion_id, fingerprint
from agentsim.providers.openai_chat.completions import (
    finish_reason,
    message_body,
    usage_body,
)
from agentsim.providers.openai_chat.messages import write_call
from agentsim.providers.wires.dialect import Answered, Frame
from agentsim.providers.wires.pieces import cut_text

__all__ = ["DONE", "completion_frames"]

DONE = Frame("[DONE]")

Delta = dict[str, Any]


def completion_frames(answered: Answered) -> list[Frame]:
    """The events of an answer.

    The reason tells that an answer is whole: counts are decoration. A reason of no letters
    is none: then the last piece is the end, and nothing tells so.
    """
    body, response = answered.body, answered.response
    choices = [list(_choice(answered, index)) for index in range(body.get("n") or 1)]
    turns = chain.from_iterable(zip_longest(*choices))
    frames = [frame for frame in turns if frame is not None]
    frames[-1] = replace(frames[-1], ends=True)
    if _wants_usage(body) and response.usage is not None:
        told = _chunk(answered, [], usage=usage_body(response.usage))
        frames.append(Frame(told))
    return [*frames, DONE]


def _choice(answered: Answered, index: int) -> Iterator[Frame]:
    """The chunks of one choice; the model says the same in each."""
    for delta, text, call in _deltas(answered):
        chunk = _chunk(answered, [_choice_body(index, delta)])
        yield Frame(chunk, text="" if index else text, call=call)
    reason = finish_reason(answered.response)
    if reason:
        yield Frame(_chunk(answered, [_choice_body(index, {}, reason)]))


def _choice_body(index: int, delta: Delta, reason: str | None = None) -> Delta:
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}


def _chunk(
    answered: Answered, choices: list[Delta], usage: Delta | None = None
) -> dict[str, Any]:
    model = answered.request.model
    chunk: dict[str, Any] = {
        "id": completion_id(answered.number),
        "object": "chat.completion.chunk",
        "created": answered.created,
        "model": model,
        "service_tier": service_tier_of(answered.body),
        "system_fingerprint": fingerprint(model),
        "choices": choices,
    }
    if _wants_usage(answered.body):
        chunk["usage"] = usage
    return chunk


def _wants_usage(body: Mapping[str, Any]) -> bool:
    options = body.get("stream_options")
    return isinstance(options, Mapping) and options.get("include_usage") is True


def _deltas(answered: Answered) -> Iterator[tuple[Delta, str, int | None]]:
    """The deltas of a choice, with the text and the index of the call of each."""
    custom = custom_names(answered.request.tools)
    message = message_body(answered.response, custom=custom)
    calls = answered.response.message.tool_calls
    said, refusal = message.pop("content"), message.pop("refusal")
    if not isinstance(said, str | None):
        said = answered.response.message.content  # parts: a stream has their text
    for known in ("role", "tool_calls"):
        message.pop(known, None)
    first: Delta = {"role": "assistant", "content": None}
    if refusal is not None:
        yield first | {"refusal": ""}, "", None
    elif said is not None or not calls:
        yield first | {"content": "", "refusal": None}, "", None
    elif len(calls) > 1:
        yield first, "", None
    for key, text in (("content", said), ("refusal", refusal)):
        for piece in cut_text(text or ""):
            yield {key: piece}, piece, None
    alone = len(calls) == 1 and said is None and refusal is None
    for number, call in enumerate(calls):
        start, *pieces = _call(call, number, custom=call.name in custom)
        if alone:
            start = {**first, **start, "refusal": None}
        for delta in (start, *pieces):
            yield delta, "", number
    rest = {key: value for key, value in message.items() if value}
    if rest:
        yield rest, "", None


def _call(call: ToolCall, index: int, *, custom: bool) -> Iterator[Delta]:
    """The deltas of one call: how it begins, then what it is called with."""
    kind, key = ("custom", "input") if custom else ("function", "arguments")
    begun = write_call(ToolCall(call.id, call.name, ""), custom=custom)
    yield {"tool_calls": [{"index": index, **begun}]}
    for piece in cut_text(call.arguments):
        yield {"tool_calls": [{"index": index, kind: {key: piece}}]}
