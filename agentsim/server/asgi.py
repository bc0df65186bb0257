"""ASGI, as far as the server speaks it: its types, bodies that come, answers that go."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from agentsim.core import ProviderError
from agentsim.providers.wires import HttpAnswer

__all__ = [
    "BODY_BYTES_MAX",
    "App",
    "ClientLeft",
    "Receive",
    "Scope",
    "Send",
    "headers_of",
    "not_retried",
    "read_body",
    "send_answer",
    "too_large",
]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_BYTES_MAX = 32 << 20
"""What Anthropic takes; of OpenAI's limit nothing is known, and it is the same here."""

REFUSED_BYTES_MAX = 8 * BODY_BYTES_MAX
"""How much of a body is read and thrown away before its connection is left."""


def headers_of(scope: Scope) -> dict[str, str]:
    """The headers of a request, names in lower case; the last of equal ones stays."""
    return {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in scope["headers"]
    }


async def send_answer(answer: HttpAnswer, send: Send) -> None:
    """Send an answer whole.

    Raises:
        NoAnswer: from the pieces of a stream, where it is to break off.
    """
    headers = _written(answer.headers)
    if answer.pieces is None:
        size = str(len(answer.body)).encode()
        await _begin(send, answer.status, [*headers, (b"content-length", size)])
        await send({"type": "http.response.body", "body": answer.body})
        return
    await _begin(send, answer.status, headers)
    async for piece in answer.pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        # Else who reads slowly, or not at all, would keep all others waiting.
        await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": b""})


async def _begin(send: Send, status: int, headers: list[tuple[bytes, bytes]]) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})


def _written(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [
        (name.encode("latin-1"), value.encode("latin-1", "replace"))
        for name, value in headers.items()
    ]


def not_retried(answer: HttpAnswer) -> HttpAnswer:
    """The same answer, which SDKs do not ask for again."""
    headers = {**answer.headers, "x-should-retry": "false"}
    return HttpAnswer(answer.status, headers, answer.body)


class ClientLeft(Exception):
    """The client closed its connection."""


async def read_body(receive: Receive, bytes_max: int = BODY_BYTES_MAX) -> bytes | None:
    """Read a body; None for one that is too large, of which the rest is thrown away.

    Who refuses a body before it was sent breaks the pipe of its client, which then sees
    that and not the answer.

    Raises:
        ClientLeft: when the client went away meanwhile.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientLeft
        part: bytes = message.get("body", b"")
        size += len(part)
        if size <= bytes_max:
            parts.append(part)
        else:
            parts.clear()
        refused = size > max(bytes_max, REFUSED_BYTES_MAX)
        if not message.get("more_body", False) or refused:
            return b"".join(parts) if size <= bytes_max else None


def too_large() -> ProviderError:
    """The refusal of a body that is too large."""
    return ProviderError(
        f"Request exceeds the maximum size ({BODY_BYTES_MAX >> 20} MB)",
        status=413,
        kind="request_too_large",
    )
