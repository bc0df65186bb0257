"""The real SDK on transports in memory, sync and async."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

import httpx2
from anthropic import Anthropic, AsyncAnthropic

from agentsim.providers.wires.answers import HttpAnswer

Serve = Callable[[httpx2.Request], tuple[HttpAnswer, list[bytes]]]
"""Answers a request: status and headers, and the pieces of the body."""

KEY = "sk-simulated"


class _Pieces(httpx2.SyncByteStream):
    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces


class _AsyncPieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


def client(serve: Serve) -> Anthropic:
    """A client whose requests a function answers."""

    def handle(request: httpx2.Request) -> httpx2.Response:
        answer, pieces = serve(request)
        headers = dict(answer.headers)
        return httpx2.Response(answer.status, headers=headers, stream=_Pieces(pieces))

    transport = httpx2.MockTransport(handle)
    http = httpx2.Client(transport=transport, trust_env=False)
    return Anthropic(api_key=KEY, http_client=http, max_retries=0)


def async_client(serve: Serve) -> AsyncAnthropic:
    """Its asynchronous twin."""

    async def handle(request: httpx2.Request) -> httpx2.Response:
        answer, pieces = serve(request)
        headers = dict(answer.headers)
        stream = _AsyncPieces(pieces)
        return httpx2.Response(answer.status, headers=headers, stream=stream)

    transport = httpx2.MockTransport(handle)
    http = httpx2.AsyncClient(transport=transport, trust_env=False)
    return AsyncAnthropic(api_key=KEY, http_client=http, max_retries=0)


def canned(raw: bytes, content_type: str = "text/event-stream") -> Serve:
    """A service that says the same to every request."""
    answer = HttpAnswer(200, {"content-type": content_type})
    return lambda _request: (answer, [raw])
