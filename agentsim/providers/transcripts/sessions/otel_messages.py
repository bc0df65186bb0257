"""What was said in a span of OpenTelemetry, in the message schema of its conventions.

Read are the attributes of today (`gen_ai.input.messages`), the same on the event with the
details of an operation, the event per message of before (`gen_ai.user.message`,
`gen_ai.choice`; as span events, log records or the attribute `events`), and attributes
with an index (`gen_ai.prompt.0.content`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentsim.core import InvalidArguments, parse_json
from agentsim.providers.transcripts.reading import Path
from agentsim.providers.transcripts.sessions.otel_spans import OtelEvent, OtelSpan
from agentsim.providers.transcripts.sessions.values import Place

__all__ = ["OtelMessage", "Spoken", "spoken_in"]

_DETAILS = "gen_ai.client.inference.operation.details"

_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "choice",
}

_ASKING = ("system", "user")

_INDEXED = re.compile(r"gen_ai\.(prompt|completion)\.([0-9]{1,4})\.(.+)")
_INDEXED_CALL = re.compile(r"tool_calls\.([0-9]{1,4})\.(id|name|arguments)")


@dataclass(frozen=True, slots=True)
class OtelMessage:
    """A message: its parts are objects with a `type`, as in the conventions."""

    role: str
    parts: list[dict[str, Any]]
    place: Place
    finish_reason: str = ""


@dataclass(slots=True)
class Spoken:
    """What was said in a span.

    Attributes:
        asked: What the model was sent; its system instructions first.
        said: What it answered, one message per choice.
        tools: The definitions that it was given, as they stand there.
    """

    asked: list[OtelMessage] = field(default_factory=list)
    said: list[OtelMessage] = field(default_factory=list)
    tools: list[Any] = field(default_factory=list)


def spoken_in(span: OtelSpan) -> Spoken:
    """Read what was said in a span; nothing where that was not recorded."""
    forms = [_of_attributes(span.attributes, span.place)]
    for event in span.events:
        if event.name == _DETAILS:
            told = event.body if isinstance(event.body, dict) else {}
            forms.append(_of_attributes({**told, **event.attributes}, event.place))
    forms += [_of_events([*span.events, *_listed_events(span)]), _of_indexed(span)]
    return next((form for form in forms if form.asked or form.said), forms[0])


def _of_attributes(attributes: Mapping[str, Any], place: Place) -> Spoken:
    spoken = Spoken(tools=_list(attributes.get("gen_ai.tool.definitions")))
    instructions = _list(attributes.get("gen_ai.system_instructions"))
    at = _named(place, "gen_ai.system_instructions")
    if instructions:
        spoken.asked.append(OtelMessage("system", _parts(instructions), at))
    for key, into in (
        ("gen_ai.input.messages", spoken.asked),
        ("gen_ai.output.messages", spoken.said),
    ):
        for number, message in enumerate(_list(attributes.get(key))):
            if isinstance(message, dict):
                parts = message.get("parts", message.get("content"))
                into.append(
                    OtelMessage(
                        str(message.get("role") or "assistant"),
                        _parts(parts),
                        _named(place, key, number),
                        str(message.get("finish_reason") or ""),
                    )
                )
    return spoken


def _named(place: Place, *path: str | int) -> Place:
    """A place by the name of its attribute: where it stands in the list tells nobody."""
    return Place(place.document, (*place.path, *path), inside=False)


def _list(value: object) -> list[Any]:
    """A list, given as such or as JSON text; a plain text is the only value of one."""
    if isinstance(value, str):
        parsed = _json(value)
        value = parsed if isinstance(parsed, list) else [value]
    return value if isinstance(value, list) else []


def _json(text: str) -> Any:  # noqa: ANN401 - a JSON value
    """What a text says as JSON, where it is an object or an array; the text otherwise."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return parse_json(text, unique_keys=False)
    except InvalidArguments:
        return text


def _parts(value: object) -> list[dict[str, Any]]:
    """The content of a message as parts."""
    if value is None or value == "":
        return []
    if isinstance(value, str):
        parsed = _json(value)
        if not (isinstance(parsed, list) and parsed and all(map(_has_type, parsed))):
            return [{"type": "text", "content": value}]
        value = parsed
    if not isinstance(value, list):
        return [{"type": "text", "content": value}]
    return [
        part if _has_type(part) else {"type": "text", "content": part} for part in value
    ]


def _has_type(part: object) -> bool:
    return isinstance(part, dict) and isinstance(part.get("type"), str)


def _listed_events(span: OtelSpan) -> Iterator[OtelEvent]:
    """The events that stand together in one attribute."""
    for number, told in enumerate(_list(span.attributes.get("events"))):
        if isinstance(told, dict):
            name = str(told.get("event.name") or "")
            yield OtelEvent(name, told, _named(span.place, "events", number))


def _of_events(events: list[OtelEvent]) -> Spoken:
    spoken = Spoken()
    for event in events:
        role = _EVENTS.get(event.name)
        if role is None:
            continue
        told = {
            **event.attributes,
            **(event.body if isinstance(event.body, dict) else {}),
        }
        place = Place(event.place.document, event.place.path, inside=False)
        if role in _ASKING and told.get("content") is None:
            return Spoken()  # emitters send bare events where content is not recorded
        if role != "choice":
            spoken.asked.append(_event_message(role, told, place))
            continue
        inner = told.get("message")
        inner = _json(inner) if isinstance(inner, str) else inner
        reason = str(told.get("finish_reason") or "")
        said = (
            {**told, **inner} if isinstance(inner, dict) else {**told, "content": inner}
        )
        if inner is None:
            said = told
        spoken.said.append(_event_message("assistant", said, place, reason))
    return spoken


def _event_message(
    role: str, told: Mapping[str, Any], place: Place, reason: str = ""
) -> OtelMessage:
    content = told.get("content")
    if role == "tool":
        answer = {
            "type": "tool_call_response",
            "id": told.get("id"),
            "response": content,
        }
        return OtelMessage(role, [answer], place)
    parts = _parts(content)
    for call in _list(told.get("tool_calls")):
        if isinstance(call, dict):
            function = call.get("function")
            function = function if isinstance(function, dict) else call
            named = {key: function.get(key) for key in ("name", "arguments")}
            parts.append({"type": "tool_call", "id": call.get("id"), **named})
    return OtelMessage(role, parts, place, reason)


def _of_indexed(span: OtelSpan) -> Spoken:
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for key, value in span.attributes.items():
        found = _INDEXED.fullmatch(key)
        if found is not None:
            rows.setdefault((found[1], int(found[2])), {})[found[3]] = value
    spoken = Spoken()
    for (kind, number), row in sorted(rows.items(), key=lambda item: item[0]):
        if row.get("role") in _ASKING and row.get("content") is None:
            return Spoken()
        path: Path = (f"gen_ai.{kind}", number)
        message = _indexed_message(kind, row, _named(span.place, *path))
        (spoken.said if kind == "completion" else spoken.asked).append(message)
    return spoken


def _indexed_message(kind: str, row: Mapping[str, Any], place: Place) -> OtelMessage:
    role = "assistant" if kind == "completion" else str(row.get("role") or "user")
    calls: dict[int, dict[str, Any]] = {}
    for key, value in row.items():
        found = _INDEXED_CALL.fullmatch(key)
        if found is not None:
            calls.setdefault(int(found[1]), {})[found[2]] = value
    if role == "tool":
        told = {"id": row.get("tool_call_id"), "content": row.get("content")}
        return _event_message(role, told, place)
    listed = [calls[number] for number in sorted(calls)]
    told = {"content": row.get("content"), "tool_calls": listed}
    return _event_message(role, told, place, str(row.get("finish_reason") or ""))
