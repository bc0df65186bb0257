"""One HTTP exchange as the fake services see it, whichever library carries it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar, get_args

from agentsim.providers.wires.answers import HttpAnswer

__all__ = [
    "REASONS",
    "AnswerHttp",
    "Block",
    "Channel",
    "HttpRequest",
    "NoAnswer",
    "Reason",
    "Tap",
    "TapEnding",
]

T = TypeVar("T")

Reason = Literal[
    "ConnectError",
    "ConnectTimeout",
    "DecodingError",
    "LocalProtocolError",
    "PoolTimeout",
    "ProxyError",
    "ReadError",
    "ReadTimeout",
    "RemoteProtocolError",
    "UnsupportedProtocol",
    "WriteError",
    "WriteTimeout",
]
"""The error of the HTTP library; both have all of these names."""

REASONS: tuple[Reason, ...] = get_args(Reason)

TapEnding = Literal["whole", "closed by the client", "broken off", "no answer"]
"""How an answer of a real service ended."""


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
        url: The whole of it; empty where nobody needs it.
    """

    method: str
    host: str
    path: str
    body: bytes = b""
    read_timeout_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: str = ""
    url: str = ""


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


class Tap(Protocol):
    """Hears what a real service answers to one request, as it comes."""

    @property
    def takes_rest(self) -> bool:
        """Whether it wants the rest of an answer that the client leaves unread."""

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        """Hear status and headers."""

    def data(self, data: bytes) -> None:
        """Hear the next bytes, as they came over the wire; the client has them after."""

    def end(self, how: TapEnding, error: str = "") -> None:
        """Hear how it ended, before the client does; only the first time counts.

        Args:
            error: What broke it off: the name of the error, then its words.
        """


class Channel(Protocol):
    """What a tapped client asks first, and tells of what goes out all the same."""

    async def answer(self, request: HttpRequest) -> HttpAnswer | None:
        """Answer a request, or let it go out: None."""

    def begin(self, request: HttpRequest) -> Tap:
        """Begin to hear of a request that goes out now."""
