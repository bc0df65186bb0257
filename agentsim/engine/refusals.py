"""What a simulation does not offer: threads of one's own, and real input and output.

An attempt raises `Refused`, which no `except Exception` swallows, and fails the run
even where it is swallowed. The sentence names the caller by file name, function and
line only, so that it is the same in every checkout.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import FrameType

from agentsim.engine.seals.callers import caller, on_thread

__all__ = ["Refused"]

_THREADS = "threads"
_SIGNALS = "signal handlers"
_CONTROL = "control"
_FILES = "pipes and file descriptors"
NETWORK = "the network"
PROCESSES = "processes"
LOOP = "a second event loop"
STANDSTILL = "a standstill"
BLOCKING = "a blocked loop"

_ADVICE = {
    _THREADS: "call the function directly, or make it async",
    _FILES: "let a scripted model or a world answer instead",
    NETWORK: "ask the model through env.openai(), env.http_client() or env.client, and "
    "let a tool of the world, or a stand-in given to tool(), answer for other services",
    PROCESSES: "let a tool of the world answer in the program's place",
    _SIGNALS: "leave them to the program around the agent",
    _CONTROL: "return from the agent to end the run",
    BLOCKING: "await it (asyncio.wrap_future makes a future of a thread's one awaitable), "
    "or let the function that waits run by asyncio.to_thread",
    STANDSTILL: "wait in between, with asyncio.sleep or a wait on a thread of its own",
    LOOP: "give the async function itself as the agent (of a framework its async run, "
    "not run_sync), or ask through env.sync",
}

_ADVICE_TO_LIBRARIES = (
    "switch off what the library sends on its own (tracing, telemetry) where agents are "
    "tested"
)

_LACKS = {
    _CONTROL: "an agent has no control of the event loop inside a simulation",
    LOOP: "a simulation has one event loop",
    NETWORK: "a simulation does not reach the network",
    PROCESSES: "a simulation starts no processes",
    STANDSTILL: "nothing else can happen meanwhile",
    BLOCKING: "on the event loop's thread, where no other thread of a simulation goes on "
    "meanwhile",
}

REFUSED_METHODS: dict[str, str] = {
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
            "connect_read_pipe",
            "connect_write_pipe",
        ),
        _FILES,
    ),
    **dict.fromkeys(
        (
            "connect_accepted_socket",
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
        ),
        NETWORK,
    ),
    **dict.fromkeys(("subprocess_exec", "subprocess_shell"), PROCESSES),
}
"""Method of the event loop -> what it would need."""


class Refused(BaseException):  # not an Exception: agents retry and swallow those
    """An agent asked for what a simulation does not have."""


def refusal(
    what: str,
    kind: str,
    waiting: Iterable[list[FrameType]] = (),
    thread: str | None = None,
) -> str:
    """Say in a sentence what was asked for, by whom, and what to do instead.

    Args:
        what: What was asked for, such as `a connection to localhost:80`.
        kind: A value of `REFUSED_METHODS`, or `LOOP`.
        waiting: What the tasks wait in, frames outermost first: who is behind a task
            that a library made.
        thread: The thread, where it is none of the run's own.
    """
    who, advice = caller(waiting), _ADVICE[kind]
    if thread is not None:
        who, advice = on_thread(who, thread), _ADVICE_TO_LIBRARIES
    lack = _LACKS.get(kind, f"{kind} are not available inside a simulation yet")
    return f"{who} asked for {what}, but {lack}: {advice}"
