"""What a simulation does not offer yet: threads, and real input and output.

An attempt raises `Refused`, which no `except Exception` swallows, and fails the run
even where it is swallowed. The sentence names the caller by file name, function and
line only, so that it is the same in every checkout.
"""

from __future__ import annotations

import sys
from pathlib import PurePath
from types import FrameType

__all__ = ["Refused"]

_THREADS = "threads"
_IO = "sockets, pipes and processes"
_SIGNALS = "signal handlers"
_CONTROL = "control"
LOOP = "a second event loop"

_ADVICE = {
    _THREADS: "call the function directly, or make it async",
    _IO: "let a scripted model or a world answer instead",
    _SIGNALS: "leave them to the program around the agent",
    _CONTROL: "return from the agent to end the run",
    LOOP: "give the async function itself as the agent, or ask through env.sync",
}

REFUSED_METHODS: dict[str, str] = {
    "set_default_executor": _THREADS,
    "add_signal_handler": _SIGNALS,
    "remove_signal_handler": _SIGNALS,
    "stop": _CONTROL,
    "run_forever": _CONTROL,
    **dict.fromkeys(
        (
            "add_reader",
            "remove_reader",
            "add_writer",
            "remove_writer",
            "connect_accepted_socket",
            "connect_read_pipe",
            "connect_write_pipe",
            "create_connection",
            "create_datagram_endpoint",
            "create_server",
            "create_unix_connection",
            "create_unix_server",
            "getaddrinfo",
            "getnameinfo",
            "sendfile",
            "sock_accept",
            "sock_connect",
            "sock_recv",
            "sock_recv_into",
            "sock_recvfrom",
            "sock_recvfrom_into",
            "sock_sendall",
            "sock_sendfile",
            "sock_sendto",
            "start_tls",
            "subprocess_exec",
            "subprocess_shell",
        ),
        _IO,
    ),
}
"""Method of the event loop -> what it would need."""

_NOT_CALLERS = ("asyncio", "agentsim.engine", "anyio", "concurrent.futures")


class Refused(BaseException):  # not an Exception: agents retry and swallow those
    """An agent asked for what a simulation does not have."""


def refusal(what: str, kind: str) -> str:
    """Say in a sentence what was asked for, by whom, and what to do instead.

    Args:
        what: The name of the method, such as `run_in_executor`.
        kind: A value of `REFUSED_METHODS`, or `LOOP`.
    """
    if kind == _CONTROL:
        lack = "an agent has no control of the event loop inside a simulation"
    elif kind == LOOP:
        lack = "a simulation has one event loop"
    else:
        lack = f"{kind} are not available inside a simulation yet"
    return f"{_caller()} asked for {what}, but {lack}: {_ADVICE[kind]}"


def _caller() -> str:
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the public way is slower
    while frame is not None and _is_machinery(frame):
        frame = frame.f_back
    if frame is None:
        return "something outside of Python's sight"
    code = frame.f_code
    name = PurePath(code.co_filename).name
    return f"{code.co_name} ({name}:{frame.f_lineno})"


def _is_machinery(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return any(module == m or module.startswith(m + ".") for m in _NOT_CALLERS)
