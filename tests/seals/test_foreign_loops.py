"""Loops in C open connections without an audit event: their methods are listened to."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from agentsim.engine import NoNetwork


class Off(BaseException):
    pass


class BaseLoop:
    """A loop of a library in C, which takes down what it would do."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def create_connection(self, *args: Any, **named: Any) -> None:
        self.done.append("create_connection")

    def create_datagram_endpoint(self, *args: Any, **named: Any) -> None:
        self.done.append("create_datagram_endpoint")

    def create_unix_connection(self, *args: Any, **named: Any) -> None:
        self.done.append("create_unix_connection")

    def getaddrinfo(self, *args: Any, **named: Any) -> None:
        self.done.append("getaddrinfo")

    def sock_connect(self, *args: Any, **named: Any) -> None:
        self.done.append("sock_connect")


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The library, whose loop is a class of Python around that in C."""

    class Loop(BaseLoop):
        def sock_sendto(self, *args: Any, **named: Any) -> None:
            self.done.append("sock_sendto")

    module = ModuleType("uvloop")
    vars(module)["Loop"] = Loop
    monkeypatch.setitem(sys.modules, "uvloop", module)
    before = dict(vars(Loop))
    yield module
    assert dict(vars(Loop)) == before


def _off(*hosts: str) -> NoNetwork:
    return NoNetwork(hosts, error=Off, advice="off", strict=True)


ASKED: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("create_connection", (object, "127.0.0.1", 80), {}, "127.0.0.1:80"),
    (
        "create_connection",
        (object,),
        {"host": "localhost", "port": "80"},
        "localhost:80",
    ),
    ("create_datagram_endpoint", (object,), {"remote_addr": ("::1", 9)}, "[::1]:9"),
    ("create_unix_connection", (object, "/run/a.sock"), {}, '"a.sock"'),
    ("getaddrinfo", ("a.example", 80), {"type": 1}, "a.example:80"),
    ("sock_sendto", (None, b"x", ("192.0.2.1", 9)), {}, "192.0.2.1:9"),
]


@pytest.mark.parametrize(("name", "args", "named", "what"), ASKED)
def test_what_such_a_loop_is_asked_for_is_judged(
    library: Any,  # noqa: ANN401
    name: str,
    args: tuple[Any, ...],
    named: dict[str, Any],
    what: str,
) -> None:
    """Before it does it; nobody listens before and afterwards."""
    loop = library.Loop()
    getattr(loop, name)(*args, **named)
    with _off() as off, pytest.raises(Off):
        getattr(loop, name)(*args, **named)
    assert what in off.attempts[0]
    getattr(loop, name)(*args, **named)
    assert loop.done == [name, name]


def test_what_is_let_through_and_what_leads_nowhere_is_done(library: Any) -> None:  # noqa: ANN401
    """A socket that is connected, an end of datagrams, a host that may be reached."""
    loop = library.Loop()
    with _off("localhost:80") as off:
        loop.create_connection(object, host="localhost", port=80)
        loop.create_connection(object, sock=object())
        loop.create_datagram_endpoint(object, ("127.0.0.1", 0))
        loop.create_unix_connection(object, sock=object())
        loop.getaddrinfo("localhost", None)
    assert (len(loop.done), off.attempts) == (5, [])


def test_a_socket_that_is_refused_is_closed(library: Any) -> None:  # noqa: ANN401
    """As one of Python's own loops."""
    one = socket.socket()
    with _off(), pytest.raises(Off):
        library.Loop().sock_connect(one, ("127.0.0.1", 80))
    assert one.fileno() == -1


def test_a_library_that_comes_later_is_listened_to(
    library: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its first loop makes a pair of sockets."""
    monkeypatch.delitem(sys.modules, "uvloop")
    with _off() as off:
        monkeypatch.setitem(sys.modules, "uvloop", library)
        for end in socket.socketpair():
            end.close()
        with pytest.raises(Off):
            library.Loop().create_connection(object, "127.0.0.1", 80)
    assert len(off.attempts) == 1
