"""Tests without network: what leads off this machine is refused, with no run needed.

Connections and look-ups of names are judged; programs and servers are not. What stays on
the machine goes free (loopback, local sockets), and so do hosts that are let through.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase

from agentsim.engine.seals.asked import EVENTS, Arguments
from agentsim.engine.seals.callers import caller, on_thread
from agentsim.engine.seals.hook import HOOK, current_thread
from agentsim.engine.seals.strays import plain_name

__all__ = ["NoNetwork"]

_TO = ("socket.connect", "socket.sendto", "socket.sendmsg")
_NAMED = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class NoNetwork:
    """While entered, connections and look-ups that leave the machine are refused.

    It holds on all threads but those that were there before the first one was made.

    Args:
        hosts: What is let through beside this machine: names, also with `*`, addresses,
            and networks such as `10.0.0.0/8`.
        error: Makes what is raised on the thread that entered; on others it is a
            `PermissionError`, which libraries know.
        advice: What to do instead, for the sentence.

    Attributes:
        attempts: What was refused, in words, whatever became of it.
    """

    def __init__(
        self,
        hosts: Iterable[str] = (),
        *,
        error: Callable[[str], BaseException],
        advice: str,
    ) -> None:
        self.attempts: list[str] = []
        self._error = error
        self._advice = advice
        listed = [host.strip().lower() for host in hosts]
        networks = {host: _network(host) for host in listed}
        self._names = [host for host, network in networks.items() if network is None]
        self._networks = [one for one in networks.values() if one is not None]
        self._found: dict[str, None] = {}
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
        here = threading.get_ident() == self._thread
        if self._lets_through(event, args) or (not here and HOOK.was_before()):
            return
        who = caller()
        if not here:
            who = on_thread(who, plain_name(current_thread()))
        text = f"{who} asked for {EVENTS[event](args)}, but {self._advice}"
        self.attempts.append(text)
        raise self._error(text) if here else PermissionError(text)

    def _lets_through(self, event: str, args: Arguments) -> bool:
        if event in _TO:
            address = args[1]
            return not isinstance(address, tuple) or self._is_address_free(address[0])
        if event == "socket.getnameinfo":
            return self._is_address_free(args[0][0])
        return event not in _NAMED or self._is_name_free(args[0])

    def _is_address_free(self, host: object) -> bool:
        if not isinstance(host, str):
            return True  # the kernel's own kinds, such as netlink
        address = _address(host)
        if address is None:
            return self._is_name_free(host)
        if address.is_loopback or address.is_unspecified or host in self._found:
            return True
        if any(address in network for network in self._networks):
            return True
        # A name that is let through may have got other addresses since it was asked for.
        for name in self._names:
            self._look_up(name)
        return host in self._found

    def _is_name_free(self, host: object) -> bool:
        name = host.decode("idna") if isinstance(host, bytes) else str(host or "")
        name = name.lower().rstrip(".")
        if name in ("", "localhost", socket.gethostname().lower()):
            return True
        if name.endswith((".localhost", "localhost.localdomain")):
            return True
        if _address(name) is not None:
            return True  # no look-up; a connection to it is judged
        if any(fnmatchcase(name, pattern) for pattern in self._names):
            self._look_up(name)
            return True
        return False

    def _look_up(self, name: str) -> None:
        """Find the addresses of a name that is let through: connections show no names."""
        if "*" in name:
            return
        try:
            found = socket.getaddrinfo(name, None)
        except OSError:
            return  # who asks for it will be told the same
        self._found.update((str(entry[4][0]), None) for entry in found)


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
