"""Exchanges as JSON lines: a request and its response each, as bodies of the wire."""

from __future__ import annotations

import json

from agentsim.cassettes.importing.bodies import JSON, STREAM, answer_of, is_status
from agentsim.cassettes.importing.values import Recording, Unreadable
from agentsim.cassettes.records import RecordedExchange, RecordedRequest
from agentsim.core import InvalidArguments, parse_json

__all__ = ["read_exchanges"]

_URLS = {
    "openai-chat": "https://api.openai.com/v1/chat/completions",
    "openai-responses": "https://api.openai.com/v1/responses",
    "anthropic-messages": "https://api.anthropic.com/v1/messages",
}


def read_exchanges(text: str, name: str) -> Recording:
    """Read exchanges, one a line.

    Raises:
        Unreadable: with file and line.
    """
    entries: list[RecordedExchange] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                row = parse_json(line, unique_keys=False)
                entries.append(_exchange(row, len(entries) + 1))
            except (InvalidArguments, Unreadable) as error:
                words = f"{error}: expected an object with request and response"
                raise Unreadable(words, f"{name}:{number}") from None
    return Recording(tuple(entries))


def _exchange(row: object, number: int) -> RecordedExchange:
    if not isinstance(row, dict) or not {"request", "response"} <= row.keys():
        raise Unreadable("no exchange")
    status, answer, wire = row.get("status", 200), row["response"], row.get("wire", "")
    if not (is_status(status) and isinstance(wire, str)):
        raise Unreadable("status or wire is of a wrong type")
    streamed = isinstance(answer, str)
    body = answer if streamed else json.dumps(answer, ensure_ascii=False)
    return RecordedExchange(
        number,
        RecordedRequest(
            url=_URLS.get(wire, ""),
            headers={"content-type": JSON},
            body=json.dumps(row["request"], ensure_ascii=False),
        ),
        answer_of(status, {"content-type": STREAM if streamed else JSON}, body),
        wire,
    )
