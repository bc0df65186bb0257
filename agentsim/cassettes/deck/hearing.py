"""What a real service answers, as it is recorded: decoded, and whole where it is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from agentsim.cassettes.records import RecordedRequest, body_text
from agentsim.cassettes.tape import Taking
from agentsim.providers.transports import Decoder, HttpRequest, NotDecoded, TapEnding

__all__ = ["Hearing", "recorded_request"]

_STREAMS = re.compile(
    r"text/event-stream|application/(?:x-)?(?:ndjson|jsonl|jsonlines|stream\+json)"
    r"|application/vnd\.amazon\.eventstream",
    re.IGNORECASE,
)
"""Types of bodies that come in pieces which mean something by themselves."""

_EMPTY = (204, 304)
"""Statuses of answers without a body."""


class Hearing:
    """Hears one answer for a tape; a tap of `providers.transports`.

    Args:
        taking: The exchange that is recorded.
        over: Told when it has ended.
    """

    def __init__(self, taking: Taking, over: Callable[[Hearing], None]) -> None:
        self._taking = taking
        self._over = over
        self._decoder = Decoder()
        self._streams = False
        self._status = 0
        self._left: int | None = None

    @property
    def takes_rest(self) -> bool:
        """Whether it wants the rest: of errors, which SDKs leave unread to try again."""
        return self._status >= 400 and not self._streams and not self._taking.ended

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        """Take down status and headers, and how the body is to be read."""
        self._status = status
        self._decoder = Decoder(headers.get("content-encoding", ""))
        length = headers.get("content-length", "")
        self._left = int(length) if length.isascii() and length.isdigit() else None
        kept = dict(headers)
        if self._decoder.decodes:
            kept.pop("content-encoding")
        self._taking.head(status, kept)
        if _STREAMS.match(headers.get("content-type", "")):
            self._streams = True
            self._taking.streams()
        if self._left == 0 or status in _EMPTY:
            self.end("whole")  # nobody has to read what has no body

    def data(self, data: bytes) -> None:
        """Take down a piece; the last one, where its length was told, ends the answer."""
        if self._taking.ended:
            return
        try:
            self._take(self._decoder.decode(data))
        except NotDecoded as error:
            self.end("broken off", f"DecodingError: {error}")
            return
        if self._left is not None:
            self._left -= len(data)
            if self._left <= 0:
                self.end("whole")

    def end(self, how: TapEnding, error: str = "") -> None:
        """Write the exchange; only the first end counts."""
        if self._taking.ended:
            return
        if how == "whole":
            try:
                self._take(self._decoder.flush())
            except NotDecoded as fault:
                how, error = "broken off", f"DecodingError: {fault}"
        try:
            self._taking.end(how, error)
        finally:
            self._over(self)

    def _take(self, data: bytes) -> None:
        if not data:
            return
        if not self._streams:
            self._taking.body(data)
            return
        try:
            self._taking.chunk(data)
        finally:
            if self._taking.ended:  # that was the last event
                self._over(self)


def recorded_request(request: HttpRequest) -> RecordedRequest:
    """A request as a tape has it, secrets included."""
    text = body_text(request.body)
    return RecordedRequest(request.method, request.url, dict(request.headers), text)
