"""Small recordings of each kind, as the tools write them."""

from __future__ import annotations

import json
from base64 import b64encode
from gzip import compress
from typing import Any

ASKED = {"model": "gpt-5", "messages": [{"role": "user", "content": "Grüße 😀"}]}

SAID = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Hallo."},
        }
    ],
}

DELTA = {"choices": [{"index": 0, "delta": {"content": "Hallo."}}]}

STREAM = f"data: {json.dumps(DELTA)}\n\ndata: [DONE]\n\n"

CHAT = "https://api.openai.com/v1/chat/completions"

VCR = f"""\
interactions:
- request:
    body: '{json.dumps(ASKED)}'
    headers:
      authorization:
      - Bearer sk-abcdef123456789
    method: POST
    uri: {CHAT}
  response:
    body:
      string: '{json.dumps(SAID)}'
    headers:
      Content-Type:
      - application/json
    status:
      code: 200
      message: OK
version: 1
"""

EXCHANGE = (
    json.dumps({"request": ASKED, "response": SAID, "wire": "openai-chat"})
    + "\n\n"
    + json.dumps({"request": ASKED, "response": STREAM, "wire": "openai-chat"})
    + "\n"
)


def har_entry(
    second: float = 0,
    *,
    url: str = CHAT,
    status: int = 200,
    content: object = None,
    kind: str = "application/json",
    **more: Any,
) -> dict[str, Any]:
    """An entry of an archive, begun so many seconds after the first."""
    if content is None:
        content = {"size": 9, "mimeType": kind, "text": json.dumps(SAID)}
    return {
        "startedDateTime": f"2026-03-01T10:00:{second:06.3f}Z",
        "time": 900,
        "timings": {"blocked": 1, "dns": -1, "connect": -1, "send": 2, "wait": 700},
        "request": {
            "method": "POST",
            "url": url,
            "headers": [
                {"name": "Authorization", "value": "Bearer sk-abcdef123456789"}
            ],
            "postData": {"mimeType": "application/json", "text": json.dumps(ASKED)},
        },
        "response": {
            "status": status,
            "headers": [
                {"name": "Content-Type", "value": kind},
                {"name": "X-Request-Id", "value": "a"},
                {"name": "X-Request-Id", "value": "b"},
            ],
            "content": content,
        },
        **more,
    }


def har(*entries: object) -> str:
    """An archive of these entries."""
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=1)


HAR = har(
    har_entry(4.5, content={"text": STREAM, "size": 1}, kind="text/event-stream"),
    har_entry(0.25),
    har_entry(1, url="wss://example.com/v1/realtime", status=101),
    har_entry(
        2,
        content={
            "encoding": "base64",
            "text": b64encode(compress(json.dumps(SAID).encode(), mtime=0)).decode(),
        },
    ),
)

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}

MESSAGES = json.dumps(
    [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "went"},
        {"role": "assistant", "content": "Gone."},
    ]
)
