"""Spans and log records of OpenTelemetry, out of OTLP JSON or the JSON of the SDKs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentsim.providers.transcripts.reading import Path
from agentsim.providers.transcripts.sessions.times import milliseconds_of
from agentsim.providers.transcripts.sessions.values import LeftOut, Place
from agentsim.providers.transcripts.source import Document

__all__ = ["OtelEvent", "OtelSpan", "is_opentelemetry", "read_spans"]

_NANOS_PER_MS = 1_000_000

_OTLP = ("resourceSpans", "resourceLogs", "resource_spans", "resource_logs")


@dataclass(frozen=True, slots=True)
class OtelEvent:
    """An event of a span, or a log record that belongs to it.

    Attributes:
        body: Of a log record; None where there is none.
    """

    name: str
    attributes: Mapping[str, Any]
    place: Place
    body: Any = None


@dataclass(slots=True)
class OtelSpan:
    """A span.

    Attributes:
        own: The ids of its trace and of itself, in hexadecimal.
        at_ms: Milliseconds since 1970.
        error: What it failed with, in the words of its status; empty otherwise.
    """

    name: str
    own: tuple[str, str]
    attributes: Mapping[str, Any]
    place: Place
    at_ms: float = 0
    took_ms: float = 0
    error: str = ""
    events: list[OtelEvent] = field(default_factory=list)


def is_opentelemetry(value: object) -> bool:
    """Whether a value holds spans or log records, in OTLP or as an SDK prints them."""
    if isinstance(value, list):
        return bool(value) and all(map(is_opentelemetry, value))
    if not isinstance(value, dict):
        return False
    context = value.get("context")
    printed = isinstance(context, dict) and "span_id" in context
    return printed or _is_record(value) or any(key in value for key in _OTLP)


def _is_record(value: Mapping[str, Any]) -> bool:
    return "severity_number" in value and "span_id" in value


def read_spans(read: Sequence[Document], left_out: LeftOut) -> list[OtelSpan]:
    """The spans of a file in the order of their begin, each with its log records."""
    spans: list[OtelSpan] = []
    records: list[tuple[tuple[str, str], OtelEvent]] = []
    for document in read:
        for place, value in _parts(document):
            for key in ("resourceSpans", "resource_spans"):
                for at, span in _inside(
                    value, key, ("scopeSpans", "scope_spans"), "spans"
                ):
                    spans.append(_otlp_span(span, _below(place, at)))
            for key in ("resourceLogs", "resource_logs"):
                listed = ("scopeLogs", "scope_logs"), "logRecords"
                for at, record in _inside(value, key, *listed):
                    records.append(_otlp_record(record, _below(place, at)))
            if isinstance(value.get("context"), dict):
                spans.append(_printed_span(value, place))
            elif _is_record(value):
                records.append(_printed_record(value, place))
            elif not any(key in value for key in _OTLP):
                left_out.add("value that is no span")
    by_id = {span.own: span for span in spans}
    for own, event in records:
        if own in by_id:
            by_id[own].events.append(event)
        else:
            left_out.add("record of a log whose span is not in this file")
    return sorted(spans, key=lambda span: span.at_ms)


def _parts(document: Document) -> Iterator[tuple[Place, dict[str, Any]]]:
    value = document.value
    if isinstance(value, list):
        for number, part in enumerate(value):
            if isinstance(part, dict):
                yield Place(document, (number,)), part
    elif isinstance(value, dict):
        yield Place(document, ()), value


def _below(place: Place, path: Path) -> Place:
    return Place(place.document, (*place.path, *path))


def _inside(
    value: Mapping[str, Any], outer: str, scopes: Sequence[str], inner: str
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The innermost objects of the three levels of OTLP."""
    for at, resource in _objects(value.get(outer)):
        for key in scopes:
            for number, scope in _objects(resource.get(key)):
                names = (inner, "log_records") if inner == "logRecords" else (inner,)
                for name in names:
                    for index, found in _objects(scope.get(name)):
                        yield (outer, at, key, number, name, index), found


def _objects(value: object) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, part in enumerate(value if isinstance(value, list) else ()):
        if isinstance(part, dict):
            yield number, part


def _otlp_span(span: Mapping[str, Any], place: Place) -> OtelSpan:
    begin = _nanos(span.get("startTimeUnixNano", span.get("start_time_unix_nano")))
    end = _nanos(span.get("endTimeUnixNano", span.get("end_time_unix_nano")))
    status = span.get("status")
    status = status if isinstance(status, dict) else {}
    failed = status.get("code") in (2, "STATUS_CODE_ERROR")
    made = OtelSpan(
        str(span.get("name") or ""),
        _otlp_ids(span),
        _attributes(span.get("attributes")),
        place,
        begin,
        max(0.0, end - begin),
        str(status.get("message") or "it failed") if failed else "",
    )
    for number, event in _objects(span.get("events")):
        name, told = str(event.get("name") or ""), _attributes(event.get("attributes"))
        made.events.append(OtelEvent(name, told, _below(place, ("events", number))))
    return made


def _otlp_record(
    record: Mapping[str, Any], place: Place
) -> tuple[tuple[str, str], OtelEvent]:
    attributes = _attributes(record.get("attributes"))
    name = record.get("eventName") or record.get("event_name")
    name = name or attributes.get("event.name") or ""
    event = OtelEvent(str(name), attributes, place, _any(record.get("body")))
    return _otlp_ids(record), event


def _otlp_ids(value: Mapping[str, Any]) -> tuple[str, str]:
    trace = value.get("traceId", value.get("trace_id"))
    return str(trace or ""), str(value.get("spanId", value.get("span_id")) or "")


def _printed_span(span: Mapping[str, Any], place: Place) -> OtelSpan:
    context, status = span["context"], span.get("status")
    begin, end = (milliseconds_of(span.get(key)) for key in ("start_time", "end_time"))
    status = status if isinstance(status, dict) else {}
    failed = status.get("status_code") in ("ERROR", 2)
    attributes = span.get("attributes")
    made = OtelSpan(
        str(span.get("name") or ""),
        _ids(context),
        attributes if isinstance(attributes, dict) else {},
        place,
        begin,
        max(0.0, end - begin),
        str(status.get("description") or "it failed") if failed else "",
    )
    for number, event in _objects(span.get("events")):
        told = event.get("attributes")
        told = told if isinstance(told, dict) else {}
        at = _below(place, ("events", number))
        made.events.append(OtelEvent(str(event.get("name") or ""), told, at))
    return made


def _printed_record(
    record: Mapping[str, Any], place: Place
) -> tuple[tuple[str, str], OtelEvent]:
    attributes = record.get("attributes")
    attributes = attributes if isinstance(attributes, dict) else {}
    name = record.get("event_name") or attributes.get("event.name") or ""
    return _ids(record), OtelEvent(str(name), attributes, place, record.get("body"))


def _ids(value: Mapping[str, Any]) -> tuple[str, str]:
    trace, span = (str(value.get(key) or "") for key in ("trace_id", "span_id"))
    return trace.removeprefix("0x"), span.removeprefix("0x")


def _nanos(value: object) -> float:
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value[:20])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    return max(0.0, value / _NANOS_PER_MS) if abs(value) < 1 << 64 else 0


def _attributes(listed: object) -> dict[str, Any]:
    return {
        str(pair.get("key")): _any(pair.get("value")) for _, pair in _objects(listed)
    }


def _any(value: object) -> Any:  # noqa: ANN401 - a JSON value
    """The value that OTLP wraps into its type."""
    if not isinstance(value, dict):
        return value
    for kind, inner in value.items():
        name = kind.replace("_", "").lower()
        if name == "kvlistvalue":
            return _attributes(_values(inner))
        if name == "arrayvalue":
            return [_any(part) for part in _values(inner)]
        if name == "intvalue" and isinstance(inner, str):
            sign = inner.removeprefix("-")
            fits = sign.isascii() and sign.isdecimal() and len(sign) < 20
            return int(inner) if fits else inner
        return inner
    return None


def _values(value: object) -> list[Any]:
    listed = value.get("values") if isinstance(value, dict) else None
    return listed if isinstance(listed, list) else []
