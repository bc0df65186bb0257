"""Traces of the OpenAI Agents SDK, as its processors and exporters get them.

A generation span has the messages of a request and of its answer; a response span has
only an id, unless whoever exported it added `input` and `response`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentsim.core import canonical_arguments
from agentsim.providers.transcripts.reading import Path, printable
from agentsim.providers.transcripts.recognise import CHAT, RESPONSES
from agentsim.providers.transcripts.sessions.answers import answer_of
from agentsim.providers.transcripts.sessions.times import milliseconds_of
from agentsim.providers.transcripts.sessions.values import (
    LeftOut,
    Place,
    Session,
    SessionCall,
    SessionPart,
)
from agentsim.providers.transcripts.source import Document

__all__ = ["is_agents_trace", "read_agents_trace"]

_OBJECTS = ("trace", "trace.span")

_SETTINGS = (
    *("temperature", "top_p", "frequency_penalty", "presence_penalty", "max_tokens"),
    *("tool_choice", "parallel_tool_calls"),
)
"""Settings of a model that are fields of a request under the same name."""


def is_agents_trace(value: object) -> bool:
    """Whether a value is a trace or a span, or holds such."""
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        value = value["data"]
    if isinstance(value, list):
        return bool(value) and all(map(_is_item, value))
    return _is_item(value)


def _is_item(value: object) -> bool:
    return isinstance(value, dict) and value.get("object") in _OBJECTS


@dataclass(frozen=True, slots=True)
class _Span:
    """A span: where it stands, and the data of its type."""

    document: Document
    path: Path
    item: Mapping[str, Any]
    data: Mapping[str, Any]

    @property
    def times(self) -> tuple[float, float]:
        begin = milliseconds_of(self.item.get("started_at"))
        return begin, max(begin, milliseconds_of(self.item.get("ended_at")))

    def place(self, key: str) -> Place:
        return Place(self.document, (*self.path, "span_data", key))


def read_agents_trace(read: Sequence[Document]) -> Session:
    """Read a trace."""
    left_out = LeftOut()
    parts: list[SessionPart] = []
    calls: list[SessionCall] = []
    for span in _spans(read, left_out):
        kind = span.data.get("type")
        if kind == "function":
            calls.append(_call(span))
        elif kind in ("generation", "response"):
            part = _generation(span) if kind == "generation" else _response(span)
            if isinstance(part, str):
                left_out.add(part)
            else:
                parts.append(part)
        else:
            left_out.add(f"span of type {printable(str(kind))[:40]}")
    return Session(tuple(parts), tuple(_with_ids(calls, parts)), left_out.notes())


def _spans(read: Sequence[Document], left_out: LeftOut) -> Iterator[_Span]:
    for document in read:
        for path, item in _items(document.value):
            data = item.get("span_data") if isinstance(item, dict) else None
            if isinstance(item, dict) and item.get("object") == "trace":
                left_out.add("header of a trace")
            elif isinstance(item, dict) and isinstance(data, dict):
                yield _Span(document, path, item, data)
            else:
                left_out.add("item that is no span")


def _items(value: object) -> Iterator[tuple[Path, object]]:
    path: Path = ()
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        value, path = value["data"], ("data",)
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield (*path, number), item
    else:
        yield path, value


def _generation(span: _Span) -> SessionPart | str:
    """The request of a span, or why there is none."""
    asked, said = span.data.get("input"), span.data.get("output")
    if span.item.get("error"):
        return "generation span of a request that failed"
    if not isinstance(asked, list) or not isinstance(said, list) or not said:
        return "generation span without its messages"
    message = _message(said[0])
    if message is None:
        return "generation span with an output that is no message"
    model = span.data.get("model")
    settings = span.data.get("model_config")
    settings = settings if isinstance(settings, dict) else {}
    body = {
        **({"model": model} if isinstance(model, str) else {}),
        **{key: settings[key] for key in _SETTINGS if settings.get(key) is not None},
        "messages": asked,
    }
    usage = span.data.get("usage")
    answer = answer_of(CHAT, [message], model=model, usage=usage, made=_label(span))
    places: dict[Path, Place] = {
        (): span.place("input"),
        ("messages",): span.place("input"),
        ("response",): span.place("output")._replace(inside=False),
    }
    return SessionPart(
        CHAT, body, places, answer, sent=True, label=_label(span), times=span.times
    )


def _message(said: object) -> dict[str, Any] | None:
    """The message of an answer; of one that was streamed, a response holds its items."""
    if not isinstance(said, dict):
        return None
    if "output" not in said:
        return {**said, "role": "assistant"}
    items = said["output"] if isinstance(said["output"], list) else []
    texts, refusals, calls = [], [], []
    for item in items:
        if not isinstance(item, dict):
            return None
        if item.get("type") == "function_call":
            function = {key: item.get(key, "") for key in ("name", "arguments")}
            call = {"type": "function", "function": function}
            calls.append({"id": item.get("call_id", ""), **call})
        content = item.get("content") if item.get("type") == "message" else None
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict):
                texts.append(str(part.get("text") or ""))
                refusals.append(str(part.get("refusal") or ""))
    message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) or None}
    if any(refusals):
        message["refusal"] = "".join(refusals)
    return {**message, "tool_calls": calls} if calls else message


def _response(span: _Span) -> SessionPart | str:
    asked, said = span.data.get("input"), span.data.get("response")
    if not isinstance(said, dict) or not isinstance(said.get("output"), list):
        return "response span that has only the id of its response"
    if not isinstance(asked, (str, list)):
        return "response span without the input of its request"
    told = ("model", "instructions", "tools", "previous_response_id")
    body = {key: said[key] for key in told if said.get(key) is not None}
    places: dict[Path, Place] = {
        (): span.place("response"),
        ("input",): span.place("input"),
        ("response",): span.place("response"),
    }
    return SessionPart(
        RESPONSES,
        {**body, "input": asked},
        places,
        {"object": "response", "status": "completed", **said},
        sent=True,
        label=_label(span),
        times=span.times,
    )


def _label(span: _Span) -> str:
    return printable(str(span.item.get("span_id") or span.item.get("id") or ""))


def _call(span: _Span) -> SessionCall:
    data, (begin, end) = span.data, span.times
    error = span.item.get("error")
    words = error.get("message") if isinstance(error, dict) else error
    result = data.get("output")
    return SessionCall(
        str(data.get("name") or ""),
        arguments=str(data.get("input") or ""),
        result="" if result is None else str(result),
        error=None if not error else str(words),
        at_ms=begin,
        took_ms=end - begin,
    )


def _with_ids(
    calls: Sequence[SessionCall], parts: Sequence[SessionPart]
) -> Iterator[SessionCall]:
    """Give each run the id of the first call that asked for it: spans do not have it."""
    waiting: dict[tuple[str, str], list[str]] = {}
    for name, arguments, own in _asked(parts):
        waiting.setdefault(_key(name, arguments), []).append(own)
    for run in calls:
        ids = waiting.get(_key(run.name, run.arguments))
        yield replace(run, call_id=ids.pop(0)) if ids else run


def _asked(parts: Sequence[SessionPart]) -> Iterator[tuple[object, object, str]]:
    """Name, arguments and id of each call that a model asked for."""
    for part in parts:
        answer = part.answer or {}
        calls = answer.get("output") if part.wire == RESPONSES else None
        if part.wire == CHAT:
            calls = answer["choices"][0]["message"].get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if not isinstance(call, dict):
                continue
            told = call if part.wire == RESPONSES else call.get("function")
            own = call.get("call_id" if part.wire == RESPONSES else "id")
            if isinstance(told, dict) and isinstance(own, str):
                yield told.get("name"), told.get("arguments"), own


def _key(name: object, arguments: object) -> tuple[str, str]:
    return str(name), canonical_arguments(str(arguments or ""))
