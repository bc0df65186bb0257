"""Event loops in C that open connections without an audit event: uvloop.

Its loop is a class of Python around one in C, so its methods can be listened to. They
are while somebody judges, and are as before afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

__all__ = ["ForeignLoops"]

Told = tuple[str, tuple[Any, ...]]
"""An audit event, as Python would raise it."""

Hear = Callable[[str, tuple[Any, ...]], None]

_LIBRARY = "uvloop"


class ForeignLoops:
    """Tells of the connections of such loops as audit events do.

    Args:
        hear: Told of each before it is made; what it raises refuses it.
    """

    __slots__ = ("_before", "_hear", "_loop")

    def __init__(self, hear: Hear) -> None:
        self._hear = hear
        self._loop: Any = None
        self._before: dict[str, Any] = {}

    def listen(self) -> None:
        """Begin to, if the library is there; again does nothing."""
        library = sys.modules.get(_LIBRARY)
        loop = getattr(library, "Loop", None)
        if loop is None or self._loop is not None:
            return
        self._loop = loop
        for name, told in _METHODS.items():
            self._before[name] = vars(loop).get(name)
            setattr(loop, name, self._telling(getattr(loop, name), told))

    def rest(self) -> None:
        """Leave the library as it was."""
        for name, before in self._before.items():
            if before is None:
                delattr(self._loop, name)
            else:
                setattr(self._loop, name, before)
        self._before = {}
        self._loop = None

    def _telling(
        self, real: Callable[..., Any], told: Callable[..., Told | None]
    ) -> Callable[..., Any]:
        hear = self._hear

        @wraps(real)
        def method(loop: object, *args: Any, **named: Any) -> Any:  # noqa: ANN401
            __tracebackhide__ = True
            asked = told(args, named)
            if asked is not None:
                hear(*asked)
            return real(loop, *args, **named)

        return method


def _connection(args: tuple[Any, ...], named: Mapping[str, Any]) -> Told | None:
    host = _given(args, named, 1, "host")
    port = _given(args, named, 2, "port")
    if named.get("sock") is not None:
        return None  # it is connected already
    return "socket.connect", (None, (host or "", _number(port)))


def _local(args: tuple[Any, ...], named: Mapping[str, Any]) -> Told | None:
    path = _given(args, named, 1, "path")
    return None if path is None else ("socket.connect", (None, path))


def _datagrams(args: tuple[Any, ...], named: Mapping[str, Any]) -> Told | None:
    remote = _given(args, named, 2, "remote_addr")
    return None if remote is None else ("socket.connect", (None, tuple(remote)))


def _socket(args: tuple[Any, ...], named: Mapping[str, Any]) -> Told | None:
    sock, address = _given(args, named, 0, "sock"), _given(args, named, 1, "address")
    return "socket.connect", (sock, address)


def _sent(args: tuple[Any, ...], named: Mapping[str, Any]) -> Told | None:
    sock, address = _given(args, named, 0, "sock"), _given(args, named, 2, "address")
    return "socket.sendto", (sock, address)


def _lookup(args: tuple[Any, ...], named: Mapping[str, Any]) -> Told | None:
    host, port = _given(args, named, 0, "host"), _given(args, named, 1, "port")
    return "socket.getaddrinfo", (host, port)


_METHODS: dict[str, Callable[[tuple[Any, ...], Mapping[str, Any]], Told | None]] = {
    "create_connection": _connection,
    "create_datagram_endpoint": _datagrams,
    "create_unix_connection": _local,
    "getaddrinfo": _lookup,
    "sock_connect": _socket,
    "sock_sendto": _sent,
}
"""Method -> the event that it is, from its arguments."""


def _given(args: tuple[Any, ...], named: Mapping[str, Any], at: int, name: str) -> Any:  # noqa: ANN401
    return args[at] if len(args) > at else named.get(name)


def _number(port: object) -> int | None:
    """A port as connections have it; services may be called by name."""
    text = str(port)
    return int(text) if text.isdigit() else None
