"""Recorded answers as a client gets them again: pieces as they were cut, errors by kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass

from agentsim.cassettes.records import (
    LEAVING_S,
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
)
from agentsim.cassettes.wires import StreamEnd
from agentsim.core import CassetteMiss
from agentsim.providers.transports import REASONS, HttpRequest, NoAnswer, Reason
from agentsim.providers.wires import HttpAnswer, Pieces

__all__ = ["Pause", "Playing", "played"]

Pause = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""

Step = bytes | Callable[[], Awaitable[None]]

_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that are about bytes as they were sent, which a cassette does not hold."""

_COUNTS_RETRIES = "x-stainless-retry-count"
"""A header of SDKs that try again by themselves."""


@dataclass(frozen=True, slots=True)
class Playing:
    """How a kind of client gets its answers again.

    Attributes:
        pause: Waits as long as was waited when it was recorded; None: nobody waits, and
            SDKs are told to try again at once.
        leave: Waits for a client to leave what it left when it was recorded, as one that
            was cancelled then; None: it can't, since it blocks.
    """

    pause: Pause | None
    leave: Pause | None


async def played(
    exchange: RecordedExchange,
    request: HttpRequest,
    playing: Playing,
    miss: Callable[[str], CassetteMiss],
) -> HttpAnswer:
    """A recorded answer, for a client that asks now.

    Args:
        miss: Makes the error for who reads on where the recorded client had left.

    Raises:
        NoAnswer: when none came.
    """
    answer, pause = exchange.answer, playing.pause
    if pause is not None:
        await pause(answer.at_ms / 1000)
    if answer.status is None:
        if playing.leave is not None and answer.ended == "closed by the client":
            await playing.leave(_patience_s(request))
        raise _lost(answer, "ConnectError")
    headers = _headers(answer, request, hurries=pause is None)
    if answer.chunks is None and answer.ended == "whole":
        body = answer.body.encode("utf-8", "surrogateescape")
        return HttpAnswer(answer.status, headers, body)
    return HttpAnswer(
        answer.status,
        headers,
        pieces=Pieces(_steps(exchange, request, playing, miss)),
    )


def _headers(
    answer: RecordedAnswer, request: HttpRequest, *, hurries: bool
) -> Mapping[str, str]:
    headers = {
        name: value
        for name, value in answer.headers.items()
        if name not in _OF_THE_WIRE
    }
    failed = answer.status is not None and answer.status >= 400
    if hurries and failed and _COUNTS_RETRIES in request.headers:
        headers["retry-after-ms"] = "1"
    return headers


def _steps(
    exchange: RecordedExchange,
    request: HttpRequest,
    playing: Playing,
    miss: Callable[[str], CassetteMiss],
) -> Iterator[Step]:
    answer, pause = exchange.answer, playing.pause
    end = StreamEnd(exchange.wire)
    is_said, at_ms = False, answer.at_ms
    chunks = answer.chunks
    if chunks is None:
        chunks = (RecordedChunk(answer.at_ms, answer.body),)
    for chunk in chunks:
        if pause is not None and chunk.at_ms > at_ms:
            yield _waiting(pause, (chunk.at_ms - at_ms) / 1000)
            at_ms = chunk.at_ms
        data = chunk.text.encode("utf-8", "surrogateescape")
        is_said = end.seen(data) or is_said
        yield data
    if answer.ended in ("broken off", "no answer"):
        raise _lost(answer, "RemoteProtocolError")
    if answer.ended == "closed by the client" and not is_said:
        if playing.leave is not None:
            yield _waiting(playing.leave, _patience_s(request))
        raise miss(
            f"exchange {exchange.number} was left by the client here when it was "
            "recorded, and is read on now: record it again"
        )


def _patience_s(request: HttpRequest) -> float:
    """Seconds that a client is waited for to leave: no longer than it waits itself."""
    return min(request.read_timeout_s or LEAVING_S, LEAVING_S)


def _waiting(pause: Pause, seconds: float) -> Callable[[], Awaitable[None]]:
    return lambda: pause(seconds)


def _lost(answer: RecordedAnswer, otherwise: Reason) -> NoAnswer:
    """The error that the HTTP library is to raise again."""
    name, _, words = answer.error.partition(":")
    for reason in REASONS:
        if reason == name:
            return NoAnswer(words.strip() or reason, reason)
    if answer.ended == "closed by the client":
        words = "the recorded client did not wait for an answer"
        return NoAnswer(words, "ReadTimeout")
    return NoAnswer(answer.error or "the recorded connection was lost", otherwise)
