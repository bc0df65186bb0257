"""Connections of HTTP that were there before a replay: nothing is sent over them.

A client keeps connections for its next requests, and to send over one is no event that
Python tells of. So who sends requests over connections is asked first, below what mocks
of HTTP libraries replace.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any

from agentsim.engine import ask_guards

__all__ = ["POOLED"]

Where = Callable[[Any, tuple[Any, ...]], tuple[str, int | None]]


def _of_request(_connection: object, args: tuple[Any, ...]) -> tuple[str, int | None]:
    url = args[0].url
    return url.host.decode("ascii", "replace"), url.port or _PORTS.get(url.scheme)


def _of_connection(connection: Any, _args: object) -> tuple[str, int | None]:  # noqa: ANN401
    return str(connection.host), connection.port


def _of_aiohttp(request: Any, _args: object) -> tuple[str, int | None]:  # noqa: ANN401
    return str(request.url.host or ""), request.url.port


_PORTS = {b"http": 80, b"https": 443}

_SENDING: tuple[tuple[str, str, str, Where], ...] = (
    *(
        (module, kind, method, _of_request)
        for module in ("httpcore", "httpcore2")
        for kind, method in (
            ("AsyncHTTP11Connection", "handle_async_request"),
            ("AsyncHTTP2Connection", "handle_async_request"),
            ("HTTP11Connection", "handle_request"),
            ("HTTP2Connection", "handle_request"),
        )
    ),
    ("aiohttp.client_reqrep", "ClientRequest", "send", _of_aiohttp),
    # What urllib, urllib3 and requests send by.
    ("http.client", "HTTPConnection", "send", _of_connection),
)
"""Module, class and method that send, and what tells where to."""


class _Pooled:
    """The methods that send: while a replay is on, guards are asked before they do."""

    def __init__(self) -> None:
        self._replays = 0
        self._before: list[tuple[Any, str, Any]] = []
        self._lock = Lock()

    def begin(self) -> None:
        """Ask from now on, as long as one replay is on."""
        with self._lock:
            self._replays += 1
            if self._replays > 1:
                return
            for module, kind, method, where in _SENDING:
                sender = getattr(sys.modules.get(module), kind, None)
                real = getattr(sender, method, None)
                if real is not None:
                    self._before.append((sender, method, real))
                    setattr(sender, method, _asking(real, where))

    def end(self) -> None:
        """A replay is over."""
        with self._lock:
            self._replays -= 1
            while self._before and not self._replays:
                setattr(*self._before.pop())


def _asking(real: Callable[..., Any], where: Where) -> Callable[..., Any]:
    @wraps(real)
    def send(connection: object, *args: Any, **named: Any) -> Any:  # noqa: ANN401
        __tracebackhide__ = True
        ask_guards(*where(connection, args))
        return real(connection, *args, **named)

    return send


POOLED = _Pooled()
