"""Exchanges as JSON lines or as one list: a request and its response each, as bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator

from agentsim.cassettes.importing.bodies import (
    JSON,
    STREAM,
    URLS,
    answer_of,
    encodable,
    is_status,
)
from agentsim.cassettes.importing.values import Recording, Unreadable
from agentsim.cassettes.records import RecordedExchange, RecordedRequest
from agentsim.core import InvalidArguments, parse_json
from agentsim.providers.transcripts.sessions import wire_of_bodies

__all__ = ["read_exchanges"]


def read_exchanges(text: str, name: str) -> Recording:
    """Read exchanges, one a line, or a list of them.

    Raises:
        Unreadable: with file and line, or the index.
    """
    entries: list[RecordedExchange] = []
    for place, row in _rows(text.removeprefix("\ufeff"), name):
        try:
            entries.append(_exchange(row, len(entries) + 1))
        except Unreadable as error:
            words = f"{error}: expected an object with request and response"
            raise Unreadable(words, place) from None
    return Recording(tuple(entries))


def _rows(text: str, name: str) -> Iterator[tuple[str, object]]:
    if text.lstrip().startswith("["):
        listed = _parsed(text, name)
        for index, row in enumerate(listed if isinstance(listed, list) else ()):
            yield f"{name}: [{index}]", row
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{name}:{number}", _parsed(line, f"{name}:{number}")


def _parsed(text: str, place: str) -> object:
    try:
        value: object = parse_json(text, unique_keys=False)
    except InvalidArguments as error:
        words = f"{error}: expected an object with request and response"
        raise Unreadable(words, place) from None
    return value


def _exchange(row: object, number: int) -> RecordedExchange:
    if not isinstance(row, dict) or not {"request", "response"} <= row.keys():
        raise Unreadable("no exchange")
    status, answer = row.get("status", 200), row["response"]
    wire = row.get("wire") or wire_of_bodies(row["request"], answer)
    if not (is_status(status) and isinstance(wire, str)):
        raise Unreadable("status or wire is of a wrong type")
    streamed = isinstance(answer, str)
    body = answer if streamed else json.dumps(answer, ensure_ascii=False)
    asked = json.dumps(row["request"], ensure_ascii=False)
    return RecordedExchange(
        number,
        RecordedRequest(
            url=URLS.get(wire, ""),
            headers={"content-type": JSON},
            body=encodable(asked),
        ),
        answer_of(
            status, {"content-type": STREAM if streamed else JSON}, encodable(body)
        ),
        wire,
    )
