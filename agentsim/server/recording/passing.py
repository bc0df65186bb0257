"""Passes a live answer on to the program as it comes, and keeps it on the way."""

from __future__ import annotations

from collections.abc import Callable

from agentsim.cassettes import AnswerEnding
from agentsim.cassettes.tape import Taking
from agentsim.core import CassetteError
from agentsim.providers.transports import Decoder, NotDecoded
from agentsim.server.asgi import Send
from agentsim.server.recording.asking import LiveAnswer, Lost
from agentsim.server.recording.headers import (
    is_streamed,
    of_answer,
    told,
)

__all__ = ["Kept", "pass_on"]

EMPTY = (204, 304)
"""Statuses of answers without a body."""


class Kept:
    """One exchange that is being recorded; that it can't be is told, and no more.

    The program's answer is paid for, so it is handed on all the same.

    Args:
        tell: Takes what went wrong, in a sentence.
    """

    def __init__(self, taking: Taking, tell: Callable[[str], None]) -> None:
        self.taking = taking
        self._tell = tell

    def chunk(self, data: bytes) -> None:
        """A piece of a stream is there."""
        try:
            self.taking.chunk(data)
        except CassetteError as failure:
            self._tell(str(failure))

    def end(self, ended: AnswerEnding = "whole", error: str = "") -> None:
        """Write it; the first end counts."""
        try:
            self.taking.end(ended, error)
        except CassetteError as failure:
            self._tell(str(failure))


async def pass_on(answer: LiveAnswer, kept: Kept, send: Send) -> None:
    """Pass an answer on; what is handed over whole was written before.

    Raises:
        Lost: when it breaks off; what came of it was passed on.
    """
    decoder = Decoder(told(answer.headers).get("content-encoding", ""))
    decoded = decoder.decodes and not decoder.unknown
    headers = of_answer(answer.headers, decoded=decoded)
    kept.taking.head(answer.status, told(headers))
    start = {"type": "http.response.start", "status": answer.status, "headers": headers}
    if answer.status in EMPTY or told(headers).get("content-length") == "0":
        kept.end()  # the head is all of it
    await send(start)
    if decoder.unknown:
        await _unread(answer, kept, send)
    elif is_streamed(told(headers).get("content-type", "")):
        await _stream(_Body(answer, decoder, headers), kept, send)
    else:
        await _whole(_Body(answer, decoder, headers), kept, send)


class _Body:
    """The body of an answer, decoded.

    Attributes:
        whole: Whether so much of it came as its head says.
    """

    def __init__(
        self, answer: LiveAnswer, decoder: Decoder, headers: list[tuple[bytes, bytes]]
    ) -> None:
        self._answer = answer
        self._decoder = decoder
        size = told(headers).get("content-length", "")
        self._left = int(size) if size.isdecimal() else None
        self._over = False
        self.whole = False

    def __aiter__(self) -> _Body:
        return self

    async def __anext__(self) -> bytes:
        """The next piece.

        Raises:
            Lost: where it breaks off, or is not encoded as its head says.
        """
        if self._over:
            raise StopAsyncIteration
        raw = await anext(self._answer.pieces, None)
        self._over = raw is None
        try:
            piece = self._decoder.flush() if raw is None else self._decoder.decode(raw)
        except NotDecoded:
            words = "its answer is not encoded as it says"
            raise Lost(words, reached=True) from None
        if self._left is not None:
            self._left -= len(piece)
            self.whole = self._left <= 0
        return piece


async def _stream(body: _Body, kept: Kept, send: Send) -> None:
    """Pass each piece on at once."""
    kept.taking.streams()
    async for piece in body:
        if not piece:
            continue
        kept.chunk(piece)
        if body.whole:
            kept.end()
        await send(_part(piece))
    kept.end()
    await send(_part(b"", last=True))


async def _whole(body: _Body, kept: Kept, send: Send) -> None:
    """Pass each piece on when the next one is there, and the last one when all is kept."""
    parts = [b""]
    try:
        async for piece in body:
            if piece:
                await send(_part(parts[-1]))
                parts.append(piece)
    except Lost:
        await send(_part(parts[-1]))
        raise
    finally:
        kept.taking.body(b"".join(parts))
    kept.end()
    await send(_part(parts[-1], last=True))


async def _unread(answer: LiveAnswer, kept: Kept, send: Send) -> None:
    """Pass on what can't be decoded: nobody could see the secrets in it."""
    kept.end("broken off", "the answer is encoded in a way that can't be read")
    async for piece in answer.pieces:
        await send(_part(piece))
    await send(_part(b"", last=True))


def _part(piece: bytes, *, last: bool = False) -> dict[str, object]:
    return {"type": "http.response.body", "body": piece, "more_body": not last}
