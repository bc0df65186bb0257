"""HTTP archives, as browsers and proxies write them: the entries of model services.

Kept is what speaks JSON or streams events. Left out, and counted, are redirects (what
they led to is an entry of its own), requests that only ask for leave, WebSockets, what
came out of a cache, and all that is of another kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentsim.cassettes.importing.bodies import (
    JSON,
    STREAM,
    answer_of,
    encodable,
    is_status,
    text_of,
    unbased,
)
from agentsim.cassettes.importing.values import Recording, StillPacked, Unreadable
from agentsim.cassettes.records import (
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
)
from agentsim.cassettes.wires import wire_of_url
from agentsim.core import InvalidArguments, parse_json
from agentsim.providers.transcripts.sessions import (
    LeftOut,
    lines_of,
    milliseconds_of,
)

__all__ = ["read_har"]

_BEFORE_HEAD = ("blocked", "dns", "connect", "send", "wait")
"""The timings of an entry until its head is there; -1 where one does not apply."""


def read_har(text: str, name: str) -> Recording:
    """Read an HTTP archive.

    Raises:
        Unreadable: with the place.
    """
    try:
        value = parse_json(text.removeprefix("\ufeff"), unique_keys=False)
    except InvalidArguments as fault:
        raise Unreadable(f"no JSON that can be read: {fault}", name) from None
    log = value.get("log") if isinstance(value, dict) else None
    listed = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(listed, list):
        raise Unreadable("expected `log` with `entries`, as a HAR has them", name)
    left_out = LeftOut()
    lines = lines_of(text, ("log", "entries"), len(listed))
    found: list[tuple[RecordedExchange, int]] = []
    for index, entry in enumerate(listed):
        try:
            exchange = _entry(entry, left_out)
        except Unreadable as error:
            place = f"{name}:{lines[index]}: log.entries[{index}]"
            raise Unreadable(str(error), place) from None
        if exchange is not None:
            found.append((exchange, lines[index]))
    ordered = sorted(found, key=lambda one: one[0].at_ms)
    start = ordered[0][0].at_ms if ordered else 0
    entries = tuple(
        replace(one, number=number, at_ms=one.at_ms - start)
        for number, (one, _) in enumerate(ordered, 1)
    )
    lines_found = tuple(line for _, line in ordered)
    return Recording(entries, left_out.notes(), lines_found, start)


def _entry(entry: object, left_out: LeftOut) -> RecordedExchange | None:
    """The exchange of an entry; None where it is left out."""
    entry = _object(entry, "an entry")
    request = _object(entry.get("request"), "its request")
    response = _object(entry.get("response"), "its response")
    url, method = _text(request, "url"), _text(request, "method").upper()
    wire = wire_of_url(method, url)
    headers = _headers(response)
    reason = _reason(entry, url, method, _kind(response, headers), known=bool(wire))
    if reason:
        left_out.add(reason)
        return None
    try:
        asked = RecordedRequest(method, url, _headers(request), _asked(request))
        answer = _answer(entry, response, headers)
    except StillPacked:
        if wire:
            raise
        left_out.add("entry of no model with a body that can't be unpacked")
        return None
    if wire and method == "POST" and not asked.body:
        left_out.add("entry without the text of its request")
        return None
    if answer is None:
        left_out.add("entry without the text of its answer")
        return None
    at_ms = milliseconds_of(entry.get("startedDateTime"))
    return RecordedExchange(1, asked, answer, wire, at_ms)


def _reason(
    entry: Mapping[str, Any], url: str, method: str, kind: str, *, known: bool
) -> str:
    """Why an entry is left out; empty when it is not."""
    response = entry["response"]
    status = response.get("status")
    if (
        entry.get("_resourceType") == "websocket"
        or "_webSocketMessages" in entry
        or url.startswith(("ws:", "wss:"))
        or status == 101
    ):
        return "entry of a WebSocket"
    if method == "OPTIONS":
        return "request for leave (OPTIONS)"
    if status == 304:
        return "answer out of a cache (304)"
    if is_status(status) and 300 <= status < 400:
        return "redirect that led to another entry"
    if not known and kind not in (JSON, STREAM):
        return f"entry of another kind ({kind[:60]!a})" if kind else "entry of no kind"
    return ""


def _kind(response: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    content = response.get("content")
    told = content.get("mimeType") if isinstance(content, dict) else None
    kind = told if isinstance(told, str) and told else headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()


def _asked(request: Mapping[str, Any]) -> str:
    data = request.get("postData")
    if not isinstance(data, dict):
        return ""
    return _body(data, _headers(request)) or ""


def _answer(
    entry: Mapping[str, Any], response: Mapping[str, Any], headers: Mapping[str, str]
) -> RecordedAnswer | None:
    at_ms = _head_ms(entry)
    status = response.get("status")
    if status in (0, None):
        words = response.get("_error") or entry.get("_error")
        error = words if isinstance(words, str) else "no answer"
        return RecordedAnswer(None, at_ms=at_ms, ended="no answer", error=error)
    if not is_status(status):
        raise Unreadable(f"expected a status from 100 to 599, got {str(status)[:20]!a}")
    content = response.get("content")
    content = content if isinstance(content, dict) else {}
    kind = content.get("mimeType")
    if "content-type" not in headers and isinstance(kind, str):
        headers = {**headers, "content-type": kind}
    body = _body(content, headers)
    if body is None and STREAM in headers.get("content-type", ""):
        return _told_events(entry, status, headers, at_ms)
    size = content.get("size")
    if body is None and isinstance(size, (int, float)) and size > 0:
        return None
    return answer_of(status, headers, body or "", at_ms)


def _body(side: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
    """The text of a body; None where the archive has none."""
    text = side.get("text")
    if not isinstance(text, str):
        return None
    if side.get("encoding") != "base64":
        return encodable(text)
    return text_of(unbased(text), headers.get("content-encoding", ""))


def _told_events(
    entry: Mapping[str, Any], status: int, headers: Mapping[str, str], at_ms: float
) -> RecordedAnswer | None:
    """A stream of which a browser kept the events instead of the text."""
    told = entry.get("_eventSourceMessages")
    if not isinstance(told, list):
        return None
    start = milliseconds_of(entry.get("startedDateTime"))
    chunks = []
    for message in told:
        one = _object(message, "an event of its stream")
        name = one.get("eventName")
        head = f"event: {name}\n" if isinstance(name, str) and name else ""
        lines = _text(one, "data").split("\n")
        seconds = one.get("time")
        at = seconds * 1_000 - start if isinstance(seconds, float) else at_ms
        text = head + "".join(f"data: {line}\n" for line in lines) + "\n"
        chunks.append(RecordedChunk(at if 0 <= at < 1e12 else at_ms, encodable(text)))
    return RecordedAnswer(status, headers, chunks=tuple(chunks), at_ms=at_ms)


def _head_ms(entry: Mapping[str, Any]) -> float:
    timings = entry.get("timings")
    timings = timings if isinstance(timings, dict) else {}
    parts = [timings.get(name) for name in _BEFORE_HEAD]
    return sum(
        float(part)
        for part in parts
        if isinstance(part, (int, float))
        and not isinstance(part, bool)
        and 0 < part < 1e12
    )


def _headers(side: Mapping[str, Any]) -> dict[str, str]:
    """The headers of one side; those that stand twice are joined, as in HTTP."""
    listed = side.get("headers") or []
    if not isinstance(listed, list):
        raise Unreadable("expected `headers` as a list of names and values")
    found: dict[str, str] = {}
    for header in listed:
        pair = _object(header, "a header")
        name, value = _text(pair, "name").lower(), _text(pair, "value")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def _object(value: object, what: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise Unreadable(f"expected {what} as an object")


def _text(owner: Mapping[str, Any], key: str) -> str:
    value = owner.get(key)
    if isinstance(value, str):
        return value
    raise Unreadable(f"expected `{key}` as a text")
