"""Tests without network: what leaves the machine is refused, what stays on it is not."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import NoNetwork
from agentsim.engine.seals.hook import HOOK
from agentsim.engine.seals.no_network import _with_port

ADVICE = "the network is off here"


class Off(BaseException):
    """What the guard raises here."""


def guard(*hosts: str) -> NoNetwork:
    """A guard that lets these hosts through."""
    return NoNetwork(hosts, error=Off, advice=ADVICE)


def _udp(host: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect((host, 9))  # it sends nothing


LEAVING: dict[str, Callable[[], Any]] = {
    "a connection to 192.0.2.1:9": lambda: _udp("192.0.2.1"),
    "a connection to example.com:80": lambda: socket.create_connection(
        ("example.com", 80)
    ),
    "the address of example.com": lambda: socket.gethostbyname("example.com"),
    "the name of 192.0.2.1:80": lambda: socket.getnameinfo(("192.0.2.1", 80), 0),
}


@pytest.mark.parametrize("what", LEAVING)
def test_what_leaves_the_machine_is_refused(what: str) -> None:
    """Connections and look-ups are refused with who asked for what, and kept."""
    off = guard()
    with off, pytest.raises(Off) as caught:
        LEAVING[what]()
    words = str(caught.value)
    assert words.endswith(f" asked for {what}, but {ADVICE}")
    assert "(test_no_network.py:" in words
    assert off.attempts == [words]


def test_guards_may_end_in_another_order_than_they_began() -> None:
    """Each judges from its beginning to its end, whichever came or went meanwhile."""
    first, second = guard(), guard("192.0.2.0/24")
    with contextlib.ExitStack() as ends:
        with first:
            ends.enter_context(second)
        with pytest.raises(Off):
            _udp("198.51.100.1")  # the second is still on
        with first, pytest.raises(Off):
            _udp("192.0.2.1")  # which the second alone would let through
    assert (len(first.attempts), len(second.attempts)) == (1, 1)
    with contextlib.suppress(OSError):
        _udp("198.51.100.1")


def test_what_stays_on_the_machine_goes_free() -> None:
    """Loopback, names of this machine, local sockets, servers and programs are let be."""
    with guard() as off, socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("localhost", port)).close()
        socket.getaddrinfo("127.0.0.1", port)
        with contextlib.suppress(OSError):
            socket.gethostbyname(socket.gethostname())
        with socket.socket(socket.AF_UNIX) as one, contextlib.suppress(OSError):
            one.connect("/nowhere.sock")
        subprocess.run([sys.executable, "-c", ""], check=True)
    assert off.attempts == []


@pytest.mark.parametrize("allowed", ["192.0.2.1", "192.0.2.0/24"])
def test_addresses_are_let_through(allowed: str) -> None:
    """An address, or a network around it, is let through, and no other."""
    with guard(allowed) as off:
        with contextlib.suppress(OSError):  # where the machine has no way there
            _udp("192.0.2.1")
        with pytest.raises(Off):
            _udp("198.51.100.1")
    assert len(off.attempts) == 1


def test_a_name_is_let_through_with_its_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A connection shows an address only: it is free if an allowed name has it."""

    def found(host: str, port: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, 1, 6, "", ("192.0.2.7", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    with guard("api.example.com") as off:
        with contextlib.suppress(OSError):
            _udp("192.0.2.7")
        with pytest.raises(Off):
            _udp("192.0.2.8")
    assert len(off.attempts) == 1


def test_names_are_let_through_by_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    """A `*` stands for any part of a name."""
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: [])
    with guard("*.example.com") as off:
        off.judge("socket.getaddrinfo", ("api.example.com", 443))
        with pytest.raises(Off):
            off.judge("socket.getaddrinfo", ("example.org", 443))


def test_other_threads_get_an_error_that_libraries_know() -> None:
    """A thread that was started since is refused with an OSError, and kept in words."""
    seen: list[type[Exception]] = []

    def work() -> None:
        try:
            _udp("192.0.2.1")
        except OSError as error:
            seen.append(type(error))

    with guard() as off:
        thread = threading.Thread(target=work, name="worker-3")
        thread.start()
        thread.join()
    assert seen == [PermissionError]
    assert ", on the thread worker, asked for" in off.attempts[0]


def test_nothing_is_refused_outside_of_it() -> None:
    """Before and after, the process is as ever."""
    off = guard()
    with off:
        pass
    with contextlib.suppress(OSError):
        _udp("192.0.2.1")
    assert off.attempts == []


def _strict(*hosts: str) -> NoNetwork:
    return NoNetwork(hosts, error=Off, advice=ADVICE, strict=True)


def test_what_stays_on_the_machine_can_be_refused_too(tmp_path: Path) -> None:
    """A listener on loopback and one with a path see nobody; a loop's own pair is let be."""
    place = str(tmp_path / "here.sock")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as local,
        _strict() as off,
    ):
        local.bind(place)
        local.listen()
        for listener in (server, local):
            listener.setblocking(False)
            with (
                socket.socket(listener.family) as one,
                pytest.raises(Off, match=r"asked for a connection to "),
            ):
                one.connect(listener.getsockname())
            with pytest.raises(BlockingIOError):
                listener.accept()
        asyncio.run(asyncio.sleep(0))
    assert len(off.attempts) == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.0/8"])
def test_one_port_is_let_through(host: str) -> None:
    """And another one of the same host is not."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address, port = server.getsockname()
        with _strict(f"{host}:{port}") as off:
            socket.create_connection((address, port)).close()
            with pytest.raises(Off):
                _udp(address)
    assert len(off.attempts) == 1


def test_a_local_socket_is_let_through_by_its_path(tmp_path: Path) -> None:
    """As a pattern, too."""
    place = str(tmp_path / "here.sock")
    with socket.socket(socket.AF_UNIX) as local, _strict(f"{tmp_path}/*") as off:
        local.bind(place)
        local.listen()
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(place.encode())
    assert off.attempts == []


@pytest.mark.parametrize(
    ("host", "parts"),
    [
        ("a.example", ("a.example", None)),
        ("a.example:80", ("a.example", 80)),
        ("::1", ("::1", None)),
        ("[::1]", ("::1", None)),
        ("[::1]:80", ("::1", 80)),
        ("10.0.0.0/8:80", ("10.0.0.0/8", 80)),
        ("/run/a.sock", ("/run/a.sock", None)),
    ],
)
def test_a_port_is_what_stands_behind_a_host(
    host: str, parts: tuple[str, int | None]
) -> None:
    """Whatever form the address has."""
    assert _with_port(host) == parts


def test_threads_that_were_there_before_are_refused_where_it_is_strict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever waits for a thread is told; other threads get what libraries know."""
    monkeypatch.setattr(type(HOOK), "was_before", lambda _: True)
    seen: list[type[BaseException]] = []

    def work() -> None:
        try:
            _udp("192.0.2.1")
        except OSError as error:
            seen.append(type(error))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # its thread is there before the guard
        with _strict() as off:
            with pytest.raises(Off):
                pool.submit(work).result()
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    assert seen == [PermissionError]
    assert len(off.attempts) == 2


def test_a_pair_over_loopback_is_let_be() -> None:
    """By one, loops wake themselves where the system has no pairs of sockets."""
    names: dict[str, Any] = {"__name__": "socket", "connect": socket.create_connection}
    exec("def _fallback_socketpair(to): return connect(to)", names)
    with socket.create_server(("127.0.0.1", 0)) as server, _strict() as off:
        names["_fallback_socketpair"](server.getsockname()).close()
    assert off.attempts == []


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", ""])
def test_a_name_of_this_machine_is_no_way_around(name: str) -> None:
    """The system finds its address; it is free where its address is, or the name."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.socket() as one, _strict(), pytest.raises(Off):
            one.connect((name, port))
        for free in ("localhost", f"localhost:{port}", "127.0.0.0/8"):
            with socket.socket() as one, _strict(free, "::1", "0.0.0.0"):
                one.connect((name, port))
