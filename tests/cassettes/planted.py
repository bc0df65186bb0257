"""Secrets planted in every kind of place that a recording has."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from agentsim.cassettes import (
    AssembledAnswer,
    RecordedAnswer,
    RecordedCall,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)

__all__ = ["HOMES", "PLACES", "SECRETS", "answered", "asked", "events"]

# Put together, as no file of the project names a place on a machine.
_NAME = "home"
HOMES = f"/{_NAME}/"

SECRETS: dict[str, str] = {
    "key of OpenAI": "sk-proj-Zx81kQw09LmNv73TyUbA5512",
    "key of Anthropic": "sk-ant-api03-9fK2lQ_8dPzW-11xYvB7rT",
    "token of GitHub": "ghp_q83JdKw91LmZx72TyUbA55120nVc",
    "key of AWS": "AKIAQ3EGRZ7XPLM2WTYK",
    "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.x0y1Zk3_abcDEF",
    "address": "jane.roe+x@mail.example.org",
    "home": f"{HOMES}janeroe",
    "home of a Mac": f"{HOMES.replace('home', 'Users')}jane.roe",
    "own value": "corge grault 17",
    "own pattern": "ACME-998877",
}
"""What may not be in a cassette."""

Entry = RecordedExchange | RecordedTool
Place = Callable[[str], Entry]


def events(*texts: str, wire: str = "chat") -> str:
    """A stream that carries a text in pieces."""
    forms: dict[str, Callable[[str], dict[str, Any]]] = {
        "chat": lambda text: {
            "choices": [{"delta": {"content": text}, "index": 0}],
            "object": "chat.completion.chunk",
        },
        "arguments": lambda text: {
            "choices": [
                {
                    "index": 0,
                    "delta": {
                        "tool_calls": [{"index": 1, "function": {"arguments": text}}]
                    },
                }
            ]
        },
        "anthropic": lambda text: {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "input_json_delta", "partial_json": text},
        },
        "responses": lambda text: {
            "type": "response.output_text.delta",
            "item_id": "msg_1",
            "output_index": 0,
            "content_index": 0,
            "delta": text,
        },
    }
    made = forms[wire]
    return "".join(f"data: {json.dumps(made(text))}\n\n" for text in texts)


def asked(**request: object) -> RecordedExchange:
    """An exchange with something in its request."""
    return RecordedExchange(1, RecordedRequest(**request), RecordedAnswer())  # type: ignore[arg-type]


def answered(**answer: object) -> RecordedExchange:
    """An exchange with something in its answer."""
    return RecordedExchange(1, RecordedRequest(), RecordedAnswer(**answer))  # type: ignore[arg-type]


def _body(text: str) -> str:
    return json.dumps({"messages": [{"role": "user", "content": f"See {text}."}]})


def _split(text: str, wire: str) -> RecordedExchange:
    half = len(text) // 2
    stream = events("See ", text[:half], text[half:], ".", wire=wire)
    return answered(chunks=(RecordedChunk(1, stream),))


PLACES: dict[str, Place] = {
    "header that is not kept": lambda s: asked(
        headers={"Authorization": f"Bearer {s}"}
    ),
    "header that is kept": lambda s: answered(headers={"Retry-After": s}),
    "URL": lambda s: asked(url=f"https://a.example/v1?q={s}"),
    "URL, quoted": lambda s: asked(url=f"https://a.example/v1?q={quote(s, safe='')}"),
    "body of a request": lambda s: asked(body=_body(s)),
    "body of a form": lambda s: asked(body=f"a=1&q={quote(s, safe='')}&b=2"),
    "body of an answer": lambda s: answered(body=_body(s)),
    "JSON in JSON": lambda s: asked(body=json.dumps({"arguments": _body(s)})),
    "JSON in JSON in JSON": lambda s: asked(
        body=json.dumps({"arguments": json.dumps({"input": _body(s)})})
    ),
    "JSON in escapes": lambda s: asked(
        body='{"content": "' + "".join(f"\\u{ord(c):04x}" for c in s) + '"}'
    ),
    "Base64": lambda s: asked(
        body=json.dumps({"data": base64.b64encode(f"a: {s} b".encode()).decode()})
    ),
    "error": lambda s: answered(error=f"no answer for {s}", status=None),
    "body of an error": lambda s: answered(
        status=401, body=json.dumps({"error": {"message": f"Incorrect key: {s}"}})
    ),
    "stream, one event": lambda s: answered(chunks=(RecordedChunk(1, events(s)),)),
    "stream of Chat": lambda s: _split(s, "chat"),
    "stream of arguments": lambda s: _split(s, "arguments"),
    "stream of Responses": lambda s: _split(s, "responses"),
    "stream of Anthropic": lambda s: _split(s, "anthropic"),
    "arguments of a tool": lambda s: RecordedTool(1, "t", arguments=f'{{"a": "{s}"}}'),
    "result of a tool": lambda s: RecordedTool(1, "t", result=f"found {s}\n"),
    "result of a tool as JSON in JSON": lambda s: RecordedTool(
        1, "t", result=json.dumps({"stdout": json.dumps([f"one\n{s}\n"])})
    ),
    "failure of a tool": lambda s: RecordedTool(1, "t", error=f"no {s} here"),
    "message put together": lambda s: RecordedExchange(
        1, RecordedRequest(), RecordedAnswer(), message=AssembledAnswer(f"See {s}.")
    ),
    "call put together": lambda s: RecordedExchange(
        1,
        RecordedRequest(),
        RecordedAnswer(),
        message=AssembledAnswer(tool_calls=(RecordedCall("c", "t", f'{{"a":"{s}"}}'),)),
    ),
}
"""Kind of place -> an entry with a secret in it."""
