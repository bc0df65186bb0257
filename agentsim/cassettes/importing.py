"""Recordings of other tools as cassettes: vcrpy's YAML, and exchanges as JSON lines.

What is imported is redacted like what is recorded. Streams have no times there: each
event becomes a chunk of its own, at once.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsim.cassettes.assembling import assembled
from agentsim.cassettes.records import (
    CassetteHeader,
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    body_text,
)
from agentsim.cassettes.redaction.redactor import RedactionRules, Redactor
from agentsim.cassettes.wires import wire_of_url
from agentsim.cassettes.writer import CassetteWriter
from agentsim.core import CassetteError, InvalidArguments, parse_json

__all__ = ["import_recording"]

BYTES_MAX = 256 << 20

_URLS = {
    "openai-chat": "https://api.openai.com/v1/chat/completions",
    "openai-responses": "https://api.openai.com/v1/responses",
    "anthropic-messages": "https://api.anthropic.com/v1/messages",
}

_EVENT = re.compile(r".*?(?:\r\n\r\n|\n\n|\r\r|\Z)", re.DOTALL)

_JSON = "application/json"
_STREAM = "text/event-stream"


def import_recording(
    path: Path, into: Path, rules: RedactionRules | None = None
) -> int:
    """Write a recording of another tool as a cassette.

    Args:
        path: YAML of vcrpy or pytest-recording, or JSON lines of exchanges.
        into: The cassette; it must not be there yet.
        rules: What is secret beside the usual.

    Returns:
        How many exchanges it has.

    Raises:
        CassetteError: with file and place, when it can't be read or written.
    """
    text = _read(path)
    found = list(_lines(text, path) if path.suffix == ".jsonl" else _vcr(text, path))
    if not found:
        raise CassetteError(f"{path}: no exchange is in it: name a recording")
    if into.exists():
        raise CassetteError(f"{into}: this file is there already: name a new one")
    redactor = Redactor(rules)
    header = CassetteHeader(recorded_by=f"imported from {path.name}")
    with CassetteWriter(into, header) as writer:
        for exchange in found:
            message = assembled(exchange.wire, exchange.answer)
            writer.add(redactor.exchange(replace(exchange, message=message)))
    return len(found)


def _read(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > BYTES_MAX:
            raise CassetteError(
                f"{path}: expected a file of at most {BYTES_MAX >> 20} MiB: name one"
            )
        return path.read_text("utf-8")
    except (OSError, ValueError):
        raise CassetteError(
            f"{path}: this file can't be read as UTF-8: check its name and content"
        ) from None


def _lines(text: str, path: Path) -> Iterator[RecordedExchange]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield _line(parse_json(line, unique_keys=False), number)
            except (InvalidArguments, _Unknown) as error:
                raise CassetteError(
                    f"{path}:{number}: {error}: expected an object with request and "
                    "response"
                ) from None


class _Unknown(Exception):
    """A recording has not the form of its kind."""


def _line(row: Any, number: int) -> RecordedExchange:  # noqa: ANN401 - a JSON value
    if not isinstance(row, dict) or not {"request", "response"} <= row.keys():
        raise _Unknown("no exchange")
    status, answer, wire = row.get("status", 200), row["response"], row.get("wire", "")
    if not (_is_status(status) and isinstance(wire, str)):
        raise _Unknown("status or wire is of a wrong type")
    streamed = isinstance(answer, str)
    return RecordedExchange(
        number,
        RecordedRequest(
            url=_URLS.get(wire, ""),
            headers={"content-type": _JSON},
            body=json.dumps(row["request"], ensure_ascii=False),
        ),
        _answer(
            status,
            {"content-type": _STREAM if streamed else _JSON},
            answer if streamed else json.dumps(answer, ensure_ascii=False),
        ),
        wire,
    )


def _vcr(text: str, path: Path) -> Iterator[RecordedExchange]:
    for number, one in enumerate(_interactions(text, path), 1):
        try:
            yield _interaction(one, number)
        except (_Unknown, KeyError, TypeError, ValueError, AttributeError, zlib.error):
            raise CassetteError(
                f"{path}: interactions[{number - 1}]: expected request and response as "
                "vcrpy writes them: leave this one out, or record it again"
            ) from None


def _interactions(text: str, path: Path) -> list[Any]:
    import yaml

    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        value = yaml.load(text, loader)  # noqa: S506 - both are safe
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        raise CassetteError(
            f"{path}{line}: this is no YAML that can be read: mend it, or name another"
        ) from None
    listed = value.get("interactions") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        raise CassetteError(
            f"{path}: expected `interactions`, as vcrpy writes them: name a recording "
            "of vcrpy or pytest-recording, or JSON lines"
        )
    return listed


def _interaction(one: Mapping[str, Any], number: int) -> RecordedExchange:
    request, response = one["request"], one["response"]
    url = str(request.get("uri", ""))
    method = str(request.get("method", "POST"))
    status = response["status"]
    code = status["code"] if isinstance(status, dict) else status
    if not _is_status(code):
        raise _Unknown
    return RecordedExchange(
        number,
        RecordedRequest(
            method,
            url,
            _headers(request),
            _body(request, request.get("body")),
        ),
        _answer(code, _headers(response), _body(response, response.get("body"))),
        wire_of_url(method, url),
    )


def _is_status(value: object) -> bool:
    return type(value) is int and 100 <= value <= 599


def _answer(status: int, headers: dict[str, str], body: str) -> RecordedAnswer:
    if _STREAM not in headers.get("content-type", ""):
        return RecordedAnswer(status, headers, body)
    events = [event for event in _EVENT.findall(body) if event]
    chunks = tuple(RecordedChunk(0, event) for event in events)
    return RecordedAnswer(status, headers, chunks=chunks)


def _headers(side: Mapping[str, Any]) -> dict[str, str]:
    return {
        str(name).lower(): ", ".join(map(str, value))
        if isinstance(value, list)
        else str(value)
        for name, value in (side.get("headers") or {}).items()
    }


def _body(side: Mapping[str, Any], body: object) -> str:
    """The text of a body, in any of the forms in which recorders keep it."""
    if "parsed_body" in side:
        return json.dumps(side["parsed_body"], ensure_ascii=False)
    if isinstance(body, dict) and ("string" in body or "base64_string" in body):
        encoded = body.get("base64_string")
        body = body["string"] if encoded is None else b64decode(encoded)
    if isinstance(body, (dict, list)):
        return json.dumps(body, ensure_ascii=False)
    if isinstance(body, bytes):
        return body_text(_inflated(body, _headers(side).get("content-encoding", "")))
    return "" if body is None else str(body)


def _inflated(body: bytes, coding: str) -> bytes:
    if coding in ("gzip", "deflate") and body:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body)
    return body
