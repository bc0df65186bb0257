"""Services in process, for decks: transports of httpx2 and httpx that answer by a table."""

# ruff: noqa: ANN401 - requests and responses are those of either library
from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx2
import openai

import agentsim
from agentsim.cassettes import (
    CassetteWriter,
    RecordedAnswer,
    RecordedExchange,
    RecordedRequest,
    load_cassette,
)
from agentsim.cassettes.deck import Deck

__all__ = [
    "CHAT",
    "EVENTS",
    "MODULES",
    "URL",
    "answering",
    "both",
    "chat_answer",
    "chat_stream",
    "recorded",
    "sdk",
    "written",
]

MODULES: dict[str, Any] = {"httpx2": httpx2, "httpx": httpx}

EVENTS = {"content-type": "text/event-stream"}

URL = "https://api.openai.com/v1/chat/completions"

CHAT: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Go."}]}


def chat_answer(text: str = "Done.") -> dict[str, Any]:
    """The body of an answer."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
    }


def chat_stream(*texts: str) -> list[bytes]:
    """The pieces of a streamed answer, without the last one."""
    head = (
        '{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":'
    )
    return [
        f'data: {head}[{{"index":0,"delta":{{"content":"{text}"}}}}]}}\n\n'.encode()
        for text in texts
    ]


class Pieces:
    """A body in pieces; an error among them breaks it off."""

    def __init__(self, pieces: tuple[Any, ...]) -> None:
        self.pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


def answering(name: str, *answers: Any) -> Any:
    """A transport of a library that gives these answers in turn.

    One is an error, a response, or status, headers and pieces of the body.
    """
    module = MODULES[name]
    left = list(answers)

    class Body(Pieces, module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc, name-defined]
        pass

    def answer() -> Any:
        one = left.pop(0)
        if isinstance(one, BaseException):
            raise one
        if isinstance(one, tuple):
            status, headers, *pieces = one
            return module.Response(status, headers=headers, stream=Body(tuple(pieces)))
        return one

    class Transport(module.BaseTransport, module.AsyncBaseTransport):  # type: ignore[misc, name-defined]
        asked: list[Any] = []  # noqa: RUF012 - of the one that is made

        def handle_request(self, request: Any) -> Any:
            self.asked.append(request)
            return answer()

        async def handle_async_request(self, request: Any) -> Any:
            self.asked.append(request)
            return answer()

    return Transport()


def sdk(deck: Deck, *answers: Any, **options: Any) -> openai.OpenAI:
    """A client of the SDK, whose service in process gives these answers."""
    http = deck.http_client_sync("httpx2", transport=answering("httpx2", *answers))
    return deck.openai_sync(http_client=http, api_key="k", **options)


def recorded(path: Path) -> list[RecordedAnswer]:
    """The answers of a cassette."""
    return [one.answer for one in load_cassette(path).exchanges]


def written(path: Path, *answers: RecordedAnswer, **more: object) -> Path:
    """A cassette with these answers to the same request."""
    with CassetteWriter(path) as writer:
        for number, answer in enumerate(answers, 1):
            request = RecordedRequest("POST", URL, {}, json.dumps({**CHAT, **more}))
            writer.add(RecordedExchange(number, request, answer, "openai-chat"))
    return path


def both(path: Path, session: Callable[[Deck], Any]) -> tuple[Any, Any]:
    """What a session gives when it is recorded, and when it is replayed."""
    with Deck(path, "record") as deck:
        first = session(deck)
    with agentsim.use_cassette(path, all_used=True) as deck:
        return first, session(deck)
