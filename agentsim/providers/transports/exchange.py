"""One HTTP exchange as the fake services see it, whichever library carries it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from agentsim.providers.wires.answers import HttpAnswer

__all__ = ["AnswerHttp", "Block", "HttpRequest", "NoAnswer", "Reason"]

T = TypeVar("T")

Reason = Literal["ConnectError", "ReadError", "ReadTimeout", "RemoteProtocolError"]
"""The error of the HTTP library; both have all of these names."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What an SDK sent.

    Attributes:
        host: Of the URL, without a port.
        path: Of the URL, without the query.
        read_timeout_s: Virtual seconds that the client waits for the answer; None: for
            ever.
        headers: Names in lower case.
        query: Of the URL, without its question mark.
    """

    method: str
    host: str
    path: str
    body: bytes = b""
    read_timeout_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: str = ""


class NoAnswer(Exception):
    """No answer came: the HTTP library raises its own error for it.

    Attributes:
        reason: Which error that is.
    """

    def __init__(self, words: str, reason: Reason) -> None:
        super().__init__(words)
        self.reason: Reason = reason


AnswerHttp = Callable[[HttpRequest], Awaitable[HttpAnswer]]
"""A service: answers a request, or raises `NoAnswer`."""


class Block(Protocol):
    """Blocks a synchronous client until what is to be awaited is there."""

    def __call__(self, ask: Callable[[], Awaitable[T]], /) -> T:
        """Block until it is, and return it."""
