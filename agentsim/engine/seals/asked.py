"""What of the outside was asked for, in words: hosts and programs by name.

It is read from the arguments of audit events (Python's library reference, "Audit events
table") and of the event loop's methods. Of a program only the name is told, and of a
path only its last part: arguments may hold secrets, and paths differ between machines.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

_SHELLS = ("sh", "bash", "dash", "zsh", "cmd.exe")

Arguments = Sequence[Any]


def connection(address: object) -> str:
    """Say that a connection was asked for."""
    return f"a connection to {place(address)}"


def lookup(host: object, port: object = None) -> str:
    """Say that a name was looked up; with a port it is the first step to a connection."""
    if port in (None, 0, "", "0"):
        return f"the address of {_text(host) or 'this machine'}"
    return connection((host, port))


def listener(address: object) -> str:
    """Say that something was to be reached at an address."""
    return f"a socket of its own at {place(address)}"


def program(words: object, executable: object = None) -> str:
    """Say that a program was to be run; of a shell's command, the command.

    Args:
        words: The program and its arguments, or a command for a shell.
        executable: The file, where it is another than the first of the words.
    """
    if isinstance(words, str | bytes):
        return _command(_text(words))
    told = [_text(word) for word in words] if isinstance(words, Sequence) else []
    name = _name(told[0] if told else executable)
    if name in _SHELLS and len(told) > 2 and told[1].lower() in ("-c", "/c"):
        return _command(told[2])
    return f'a run of the program "{name}"'


def place(address: object) -> str:
    """An address as people write it."""
    if isinstance(address, tuple | list) and len(address) >= 2:
        host, port = _text(address[0]), _text(address[1])
        host = host or "any address"
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if isinstance(address, str | bytes | os.PathLike) and address:
        return f'the local socket "{_name(address)}"'
    return "an address of another kind"


def _command(text: str) -> str:
    words = (word for word in text.split() if "=" not in word)
    return f'a run of the command "{_name(next(words, ""))}"'


def _name(path: object) -> str:
    return PurePath(_text(path).strip("\0\"'")).name


def _text(value: object) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "backslashreplace")
    return "" if value is None else str(value)


PROCESS = "multiprocessing"
"""Stands for the start of a process by `multiprocessing`: spawned, it raises no event."""

EVENTS: dict[str, Callable[[Arguments], str]] = {
    PROCESS: lambda _: "a process of its own (multiprocessing)",
    "os.exec": lambda args: program([args[0]]),
    "os.fork": lambda _: "a copy of the process (os.fork)",
    "os.forkpty": lambda _: "a copy of the process (os.forkpty)",
    "os.posix_spawn": lambda args: program(args[1], args[0]),
    "os.spawn": lambda args: program(args[2], args[1]),
    "os.startfile": lambda args: program([args[0]]),
    "os.system": lambda args: program(args[0]),
    "pty.spawn": lambda args: program(args[0]),
    "socket.bind": lambda args: listener(args[1]),
    "socket.connect": lambda args: connection(args[1]),
    "socket.getaddrinfo": lambda args: lookup(args[0], args[1]),
    "socket.gethostbyaddr": lambda args: lookup(args[0]),
    "socket.gethostbyname": lambda args: lookup(args[0]),
    "socket.getnameinfo": lambda args: f"the name of {place(args[0])}",
    "socket.sendmsg": lambda args: f"a datagram to {place(args[1])}",
    "socket.sendto": lambda args: f"a datagram to {place(args[1])}",
    "subprocess.Popen": lambda args: program(args[1], args[0]),
}
"""Audit event -> what it asks for, from its arguments."""

_LOOP: dict[str, Callable[[Arguments, Mapping[str, Any]], str]] = {
    "create_connection": lambda args, named: connection(_address(args, named)),
    "create_datagram_endpoint": lambda args, named: f"datagrams at {_end(args, named)}",
    "create_server": lambda args, named: listener(_address(args, named)),
    "create_unix_connection": lambda args, named: connection(_path(args, named)),
    "create_unix_server": lambda args, named: listener(_path(args, named)),
    "getaddrinfo": lambda args, named: lookup(args[0], _port(args, named)),
    "getnameinfo": lambda args, _: f"the name of {place(args[0])}",
    "sock_connect": lambda args, _: connection(args[1]),
    "sock_sendto": lambda args, _: f"a datagram to {place(args[2])}",
    "subprocess_exec": lambda args, _: program([args[1], *args[2:]]),
    "subprocess_shell": lambda args, _: program(args[1]),
}
"""Method of the event loop -> what it asks for, from its arguments."""


def asked_of_loop(name: str, args: Arguments, named: Mapping[str, Any]) -> str:
    """Say what a method of the event loop was asked for; its name where that is all."""
    told = _LOOP.get(name)
    try:
        return name if told is None else told(args, named)
    except (IndexError, KeyError):
        return name  # a call that lacks an argument, which the real method would say


def _address(args: Arguments, named: Mapping[str, Any]) -> object:
    """Host and port of a method whose first argument makes the protocol."""
    host = args[1] if len(args) > 1 else named["host"]
    port = args[2] if len(args) > 2 else named.get("port")
    return host, port


def _port(args: Arguments, named: Mapping[str, Any]) -> object:
    return args[1] if len(args) > 1 else named.get("port")


def _path(args: Arguments, named: Mapping[str, Any]) -> object:
    return args[1] if len(args) > 1 else named["path"]


def _end(args: Arguments, named: Mapping[str, Any]) -> str:
    """The end of datagrams that is told: the other one, if it is known."""
    local = args[1] if len(args) > 1 else named.get("local_addr")
    remote = args[2] if len(args) > 2 else named.get("remote_addr")
    return place(remote or local or named["remote_addr"])
