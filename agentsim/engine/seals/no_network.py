"""Tests without network: what leads off this machine is refused, with no run needed.

Connections and look-ups of names are judged; programs and servers are not. What stays on
the machine goes free (loopback, local sockets), unless it is refused too, and so do hosts
that are let through.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import PurePath

from agentsim.engine.seals.asked import EVENTS, Arguments
from agentsim.engine.seals.callers import caller, module_of, on_thread, stack
from agentsim.engine.seals.hook import HOOK
from agentsim.engine.seals.strays import plain_name
from agentsim.engine.threads.held import current_thread

__all__ = ["NoNetwork"]

_TO = ("socket.connect", "socket.sendto", "socket.sendmsg")
_NAMED = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")

_WORKERS = ("concurrent.futures.thread", "anyio._backends._asyncio")
"""Modules whose threads hand what is raised to whoever waits for it."""

_MULTIPROCESSING = re.compile(r"[\\/]pymp-[^\\/]+[\\/]listener-[^\\/]+$")

_WITH_PORT = re.compile(
    r"\[(?P<inner>[^]]+)\](?::(?P<port>\d+))?|(?P<host>[^:]+):(?P<last>\d+)"
)

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class NoNetwork:
    """While entered, connections and look-ups that leave the machine are refused.

    It holds on all threads but those that were there before the first one was made.

    Args:
        hosts: What is let through beside this machine: names, also with `*`, addresses,
            and networks such as `10.0.0.0/8`; each with or without a port, as in
            `localhost:5432`.
        error: Makes what is raised on the thread that entered; on others it is a
            `PermissionError`, which libraries know.
        advice: What to do instead, for the sentence.
        strict: Whether what stays on this machine is refused as well, and whatever
            thread asks. Local sockets are let through by their path.

    Attributes:
        attempts: What was refused, in words, whatever became of it.
    """

    def __init__(
        self,
        hosts: Iterable[str] = (),
        *,
        error: Callable[[str], BaseException],
        advice: str,
        strict: bool = False,
    ) -> None:
        self.attempts: list[str] = []
        self._error = error
        self._advice = advice
        self._strict = strict
        listed = [_with_port(host.strip()) for host in hosts]
        networks = [(_network(host), host.lower(), port) for host, port in listed]
        self._names = [(host, port) for one, host, port in networks if one is None]
        self._networks = [(one, port) for one, _, port in networks if one is not None]
        self._paths = [host for host, _ in listed]
        self._found: dict[tuple[str, int | None], None] = {}
        self._thread = 0
        HOOK.install()

    def __enter__(self) -> NoNetwork:
        """Judge from now on, on behalf of the thread at hand."""
        self._thread = threading.get_ident()
        self.attempts.clear()
        HOOK.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave it to whoever judges beside."""
        HOOK.leave(self)

    def judge(self, event: str, args: Arguments) -> None:
        """Refuse what leads off the machine."""
        __tracebackhide__ = True
        if self._lets_through(event, args):
            return
        here = threading.get_ident() == self._thread
        if not here and not self._strict and HOOK.was_before():
            return
        who = caller()
        if not here:
            who = on_thread(who, plain_name(current_thread()))
        text = f"{who} asked for {EVENTS[event](args)}, but {self._advice}"
        self.attempts.append(text)
        if here or (self._strict and _is_waited_for()):
            if event == "socket.connect" and args[0] is not None:
                args[0].close()  # libraries do so for an OSError only
            raise self._error(text)
        raise PermissionError(text)

    def _lets_through(self, event: str, args: Arguments) -> bool:
        if event in _TO:
            address = args[1]
            if address is None:
                return True  # over a connection, which was judged when it came about
            if not isinstance(address, tuple):
                return not self._strict or self._is_path_free(address)
            if self._is_address_free(address[0], address[1]):
                return True
            return self._strict and _is_pair()
        if event == "socket.getnameinfo":
            return self._is_address_free(args[0][0], None)
        return event not in _NAMED or self._is_name_free(args[0])

    def _is_path_free(self, path: object) -> bool:
        """Whether a local socket is let through."""
        text = path.decode("utf-8", "replace") if isinstance(path, bytes) else str(path)
        if _is_of_multiprocessing(text):
            return True
        return any(fnmatchcase(text, pattern) for pattern in self._paths)

    def _is_address_free(self, host: object, port: int | None) -> bool:
        if not isinstance(host, str):
            return True  # the kernel's own kinds, such as netlink
        address = _address(host)
        if address is None:
            if self._strict:
                return self._is_name_open(host, port)
            return self._is_name_free(host)
        if self._is_found(host, port):
            return True
        if not self._strict and (address.is_loopback or address.is_unspecified):
            return True
        if any(
            address in network and _same(port, allowed)
            for network, allowed in self._networks
        ):
            return True
        # A name that is let through may have got other addresses since it was asked for.
        for name, allowed in self._names:
            self._look_up(name, allowed)
        return self._is_found(host, port)

    def _is_found(self, host: str, port: int | None) -> bool:
        """Whether an address is that of a name that is let through."""
        found = self._found
        return (host, None) in found or (host, port) in found

    def _is_name_free(self, host: object) -> bool:
        name = host.decode("idna") if isinstance(host, bytes) else str(host or "")
        name = name.lower().rstrip(".")
        if name in ("", "localhost", socket.gethostname().lower()):
            return True
        if name.endswith((".localhost", "localhost.localdomain")):
            return True
        if _address(name) is not None:
            return True  # no look-up; a connection to it is judged
        free = False
        for pattern, port in self._names:
            if fnmatchcase(name, pattern):
                self._look_up(name, port)
                free = True
        return free

    def _is_name_open(self, name: str, port: int | None) -> bool:
        """Whether a connection to a name is let through where this machine is not."""
        named = name.lower().rstrip(".")
        if any(
            fnmatchcase(named, pattern) and _same(port, allowed)
            for pattern, allowed in self._names
        ):
            return True
        if not self._is_name_free(name):
            return False
        found = _addresses(name or "localhost")
        return bool(found) and all(self._is_address_free(one, port) for one in found)

    def _look_up(self, name: str, port: int | None) -> None:
        """Find the addresses of a name that is let through: connections show no names."""
        if "*" in name:
            return
        self._found.update(((found, port), None) for found in _addresses(name))


def _addresses(name: str) -> list[str]:
    """The addresses of a name; none where it has none: who asks will be told the same."""
    try:
        found = socket.getaddrinfo(name, None)
    except OSError:
        return []
    return [str(entry[4][0]) for entry in found]


def _with_port(host: str) -> tuple[str, int | None]:
    """Part a host from the port behind it."""
    found = _WITH_PORT.fullmatch(host)
    if found is None:
        return host, None
    port = found["port"] or found["last"]
    return found["inner"] or found["host"], int(port) if port else None


def _same(port: int | None, allowed: int | None) -> bool:
    return allowed is None or port == allowed


def _is_pair() -> bool:
    """Whether a loop makes the two sockets by which it wakes itself, over loopback.

    Python does so where the system has no pairs of sockets.
    """
    return any(
        module_of(frame) == "socket" and "socketpair" in frame.f_code.co_name
        for frame in stack(sys._getframe(3))  # noqa: SLF001
    )


def _is_of_multiprocessing(path: str) -> bool:
    """Whether processes of this program talk to each other by a local socket.

    Its folder is made by the first of them, and the others have it from that one.
    """
    util = sys.modules.get("multiprocessing.util")
    if util is None or not _MULTIPROCESSING.search(path):
        return False
    folder: str = util.get_temp_dir()
    return PurePath(path).parent == PurePath(folder)


def _is_waited_for() -> bool:
    """Whether somebody is told what a function raises on the thread at hand."""
    return any(module_of(frame) in _WORKERS for frame in stack(sys._getframe(2)))  # noqa: SLF001


def _network(host: str) -> _Network | None:
    try:
        return ipaddress.ip_network(host, strict=False)
    except ValueError:
        return None


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
