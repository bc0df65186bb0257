"""Answers a program out of a cassette, as far as the recording goes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from agentsim.cassettes import LEAVING_S, RecordedAnswer
from agentsim.server.asgi import Send
from agentsim.server.recording.headers import of_answer

__all__ = ["ReadOn", "play"]

PASSING = (408, 409, 429)
"""Statuses below 500 after which SDKs ask again."""

PATIENCE_S = 120
"""A wait that is longer than this keeps SDKs from asking again, and is left as it is."""


class ReadOn(Exception):
    """The client did not leave the answer that it left when it was recorded."""


async def play(answer: RecordedAnswer, send: Send, *, real: bool) -> bool:
    """Send a recorded answer; False where the connection broke when it was recorded.

    What the client left then stays open until it leaves: it may wait for a time-out.

    Args:
        real: Whether it takes the time that it took; else it comes at once, and so do
            the requests after an error.

    Raises:
        ReadOn: where the client stays.
    """
    if answer.status is not None:
        await _send(answer, answer.status, send, real=real)
    if answer.ended == "closed by the client":
        await asyncio.sleep(LEAVING_S)
        raise ReadOn
    return answer.ended == "whole"


async def _send(answer: RecordedAnswer, status: int, send: Send, *, real: bool) -> None:
    """Send all that there is of an answer."""
    clock = _Clock(real=real)
    await clock.reach(answer.at_ms)
    whole = answer.ended == "whole"
    headers = answer.headers if real else _without_waits(answer, status)
    told = [
        (n.encode("latin-1"), v.encode("latin-1", "replace"))
        for n, v in headers.items()
    ]
    told = of_answer(told, decoded=True)
    if answer.chunks is None and whole:
        told.append((b"content-length", b"%d" % len(_raw(answer.body))))
    await send({"type": "http.response.start", "status": status, "headers": told})
    for at_ms, text in answer.chunks or ((answer.at_ms, answer.body),):
        await clock.reach(at_ms)
        await send(
            {"type": "http.response.body", "body": _raw(text), "more_body": True}
        )
    if whole:
        await send({"type": "http.response.body", "body": b""})


class _Clock:
    """The time since an answer was asked for."""

    def __init__(self, *, real: bool) -> None:
        self._real = real
        self._now_ms = 0.0

    async def reach(self, at_ms: float) -> None:
        """Wait until it is so late; in any case, let others go on."""
        wait_s = max(0.0, at_ms - self._now_ms) / 1_000 if self._real else 0.0
        self._now_ms = max(self._now_ms, at_ms)
        await asyncio.sleep(wait_s)


def _without_waits(answer: RecordedAnswer, status: int) -> Mapping[str, str]:
    """The headers; after errors SDKs wait for no more than a millisecond."""
    headers = answer.headers
    if status not in PASSING and status < 500:
        return headers
    try:
        patient = float(headers.get("retry-after", "0")) <= PATIENCE_S
    except ValueError:
        patient = True
    return {**headers, "retry-after-ms": "1"} if patient else headers


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
