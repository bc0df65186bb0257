"""Spans of OpenTelemetry by the conventions for generative AI, old and new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import canonical_json
from agentsim.providers.transcripts.reading import Path, printable
from agentsim.providers.transcripts.recognise import ANTHROPIC, CHAT, RESPONSES
from agentsim.providers.transcripts.results import TranscriptWire
from agentsim.providers.transcripts.sessions.answers import answer_of
from agentsim.providers.transcripts.sessions.otel_messages import Spoken, spoken_in
from agentsim.providers.transcripts.sessions.otel_spans import OtelSpan, read_spans
from agentsim.providers.transcripts.sessions.otel_wires import (
    Written,
    result_text,
    wire_messages,
)
from agentsim.providers.transcripts.sessions.values import (
    LeftOut,
    Place,
    Session,
    SessionCall,
    SessionPart,
)
from agentsim.providers.transcripts.source import Document

__all__ = ["read_opentelemetry"]

_MODEL_CALLS = ("chat", "generate_content", "text_completion")

_CLOUDS = ("aws.bedrock", "aws_bedrock", "gcp.vertex_ai", "vertex_ai", None)
"""Providers that have models of Anthropic among others, on a wire like its own."""

_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments")
_RESULTS = ("gen_ai.tool.call.result", "tool_response", "anthropic.tool_result.content")
"""The names of today, and those that emitters use or used beside them."""

_THREADS = "message-threads-"
"""How the beta is called by which Anthropic keeps the history of a client."""

_SETTINGS = ("temperature", "top_p", "max_tokens", "frequency_penalty", "seed")
"""Settings that the wires have under the same names."""


def read_opentelemetry(read: Sequence[Document]) -> Session:
    """Read spans: calls of models, and runs of tools."""
    left_out = LeftOut()
    parts: list[SessionPart] = []
    calls: list[SessionCall] = []
    for span in read_spans(read, left_out):
        told = _part_of(span, left_out)
        if isinstance(told, SessionPart):
            parts.append(told)
        elif isinstance(told, SessionCall):
            calls.append(told)
        else:
            left_out.add(told)
    return Session(tuple(parts), tuple(calls), left_out.notes())


def _part_of(span: OtelSpan, left_out: LeftOut) -> SessionPart | SessionCall | str:
    """What a span holds, or why nothing is taken of it."""
    operation = _operation(span.attributes)
    if operation == "execute_tool":
        return _call(span)
    if operation not in _MODEL_CALLS:
        if not any(key.startswith("gen_ai.") for key in span.attributes):
            return "span of something else than a model"
        return f"span of the operation {printable(str(operation))[:40]}"
    spoken = spoken_in(span)
    if not spoken.asked and not spoken.said:
        return "span of a model whose messages were not recorded"
    if not spoken.said:
        return "span of a model without an answer"
    if not spoken.asked:
        return "span of a model without what it was asked"
    return _part(span, spoken, left_out)


def _operation(attributes: Mapping[str, Any]) -> object:
    """What a span did; before there were operations, its other attributes show it."""
    operation = attributes.get("gen_ai.operation.name")
    if operation is None and "gen_ai.tool.name" in attributes:
        return "execute_tool"
    if operation is None and "gen_ai.request.model" in attributes:
        return "chat"
    return operation or "without a name"


def _wire(attributes: Mapping[str, Any]) -> TranscriptWire:
    provider = attributes.get("gen_ai.provider.name") or attributes.get("gen_ai.system")
    model = str(attributes.get("gen_ai.request.model") or "")
    if provider == "anthropic" or (provider in _CLOUDS and "claude" in model):
        return ANTHROPIC
    kind = attributes.get("openai.api.type")
    return RESPONSES if kind == "responses" else CHAT


def _part(span: OtelSpan, spoken: Spoken, left_out: LeftOut) -> SessionPart:
    wire = _wire(span.attributes)
    body, places = _request(wire, span, spoken, left_out)
    told = span.attributes
    said = wire_messages(wire, spoken.said, left_out)
    reasons = (
        *_listed(told.get("gen_ai.response.finish_reasons")),
        told.get("anthropic.message.stop_reason"),
    )
    reason = spoken.said[0].finish_reason or next(map(str, filter(None, reasons)), "")
    usage = {
        key: told.get(f"gen_ai.usage.{key}", told.get(f"gen_ai.usage.{old}"))
        for key, old in (
            ("input_tokens", "prompt_tokens"),
            ("output_tokens", "completion_tokens"),
        )
    }
    answer = answer_of(
        wire,
        [message for message, _ in said] or [{"role": "assistant", "content": ""}],
        model=told.get("gen_ai.response.model") or told.get("gen_ai.request.model"),
        usage=usage,
        reason=reason,
        own=str(told.get("gen_ai.response.id") or ""),
        made=printable(span.own[1]),
    )
    places["response",] = spoken.said[0].place
    end = span.at_ms + span.took_ms
    label, times = printable(span.own[1]), (span.at_ms, end)
    return SessionPart(wire, body, places, answer, sent=True, label=label, times=times)


def _request(
    wire: TranscriptWire, span: OtelSpan, spoken: Spoken, left_out: LeftOut
) -> tuple[dict[str, Any], dict[Path, Place]]:
    told = span.attributes
    key = "input" if wire == RESPONSES else "messages"
    body: dict[str, Any] = {}
    model = told.get("gen_ai.request.model")
    if isinstance(model, str):
        body["model"] = model
    for name in _SETTINGS:
        value = told.get(f"gen_ai.request.{name}")
        if isinstance(value, (int, float)):
            body[name] = value
    asked = spoken.asked
    if wire == ANTHROPIC:
        system = [message for message in asked if message.role == "system"]
        asked = [message for message in asked if message.role != "system"]
        texts = wire_messages(wire, system, left_out)
        blocks = [block for turn, _ in texts for block in turn["content"]]
        if blocks:
            body["system"] = blocks
    tools = _tools(wire, spoken.tools)
    if tools:
        body["tools"] = tools
    written = wire_messages(wire, asked, left_out)
    places: dict[Path, Place] = {(): span.place._replace(inside=False)}
    places |= {(key, number): place for number, (_, place) in enumerate(written)}
    body[key] = [message for message, _ in written]
    if _continues(told, written):
        body["thread"] = {"type": "continue"}
    return body, places


def _continues(attributes: Mapping[str, Any], written: Sequence[Written]) -> bool:
    """Whether the service held the begin of the history: results stand first in it."""
    betas = attributes.get("anthropic.beta")
    if not any(str(beta).startswith(_THREADS) for beta in _listed(betas)):
        return False
    blocks = written[0][0].get("content") if written else None
    return any(
        isinstance(block, dict) and block.get("type") == "tool_result"
        for block in _listed(blocks)
    )


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _tools(wire: TranscriptWire, listed: Sequence[Any]) -> list[Any]:
    """Definitions as the wire has them, where they stand there in another form."""
    found: list[Any] = []
    for tool in listed:
        if not isinstance(tool, dict):
            continue
        function = tool.get("function")
        told = function if isinstance(function, dict) else tool
        named = {key: told[key] for key in ("name", "description") if key in told}
        schema = told.get("parameters", told.get("input_schema"))
        if wire == ANTHROPIC:
            found.append({**named, "input_schema": schema or {"type": "object"}})
        elif wire == RESPONSES:
            found.append({"type": "function", **named, "parameters": schema})
        else:
            given = {} if schema is None else {"parameters": schema}
            found.append({"type": "function", "function": {**named, **given}})
    return found


def _call(span: OtelSpan) -> SessionCall | str:
    told = span.attributes
    arguments = next((told[key] for key in _ARGUMENTS if key in told), None)
    result = next((told[key] for key in _RESULTS if key in told), None)
    if arguments is None and result is None and not span.error:
        return "span of a tool whose arguments and result were not recorded"
    error = span.error or told.get("error.type")
    return SessionCall(
        str(told.get("gen_ai.tool.name") or span.name),
        str(told.get("gen_ai.tool.call.id") or ""),
        _as_text(arguments),
        result_text(result),
        None if error is None or error == "" else str(error),
        span.at_ms,
        span.took_ms,
    )


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical_json(value)
