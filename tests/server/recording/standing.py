"""A proxy beside a test, and services behind it that say what a test tells them to."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentsim.cassettes.tape import Mode, Tape
from agentsim.server.recording import RecordingProxy, Troubles, read_upstreams

__all__ = ["END", "Service", "Used", "head", "piece", "standing", "whole"]

END = b"0\r\n\r\n"
"""The end of a stream."""


Piece = bytes | threading.Event | None


class Used:
    """A proxy that stands, and what is left of it.

    Attributes:
        url: Its address.
        openai: The base URL for the SDK of OpenAI.
        anthropic: The base URL for the SDK of Anthropic.
    """

    def __init__(self, proxy: RecordingProxy, tape: Tape) -> None:
        environment = proxy.environment()
        self.url = proxy.url
        self.openai = environment["OPENAI_BASE_URL"]
        self.anthropic = environment["ANTHROPIC_BASE_URL"]
        self.tape = tape
        self.troubles: Troubles = proxy.troubles


@contextmanager
def standing(
    path: Path,
    mode: Mode,
    url: str = "http://127.0.0.1:9",
    *,
    sound: bool = True,
    **options: Any,
) -> Iterator[Used]:
    """Let a proxy stand before a service, on a thread of its own.

    Args:
        sound: Whether no bug of the proxy may show.
    """
    upstreams = read_upstreams((f"openai={url}/v1", f"anthropic={url}"), {})
    with Tape(path, mode) as tape:
        proxy = RecordingProxy(tape, upstreams, **options)
        loop = asyncio.new_event_loop()

        def run() -> None:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(proxy.serve())

        thread = threading.Thread(target=run, name="agentsim-proxy")
        thread.start()
        try:
            yield Used(proxy, tape)
        finally:
            loop.call_soon_threadsafe(proxy.stop)
            thread.join()
        assert (proxy.troubles.failure is None) == sound


class Service:
    """Answers each connection with the bytes of a script, and keeps what it was asked.

    Args:
        answers: Of each connection the pieces in which it answers. In place of a piece,
            None waits until the client goes away, and an event until it is set.

    Attributes:
        asked: The bytes that came on each connection, until its answer began.
        came: Set when a request has come.
        left: Set when a client went away before its answer was over.
    """

    def __init__(self, *answers: Sequence[Piece]) -> None:
        self._answers = answers
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(5)  # else a failing test would wait for ever
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.asked: list[bytes] = []
        self.came = threading.Event()
        self.left = threading.Event()
        self._thread = threading.Thread(target=self._run, name="service")

    def __enter__(self) -> Service:
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._socket.settimeout(0)
        self._thread.join()
        self._socket.close()
        assert kind is not None or len(self.asked) == len(self._answers)

    def _run(self) -> None:
        for pieces in self._answers:
            try:
                connection, _peer = self._socket.accept()
            except (TimeoutError, BlockingIOError):
                return
            with connection:
                self.asked.append(_request(connection))
                self.came.set()
                self._answer(connection, pieces)

    def _answer(self, connection: socket.socket, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            if isinstance(piece, threading.Event):
                assert piece.wait(5)
            elif piece is not None:
                connection.sendall(piece)
            elif connection.recv(1) == b"":
                self.left.set()


def _request(connection: socket.socket) -> bytes:
    """Read one request to its end; or the first bytes of what is no HTTP."""
    got = connection.recv(65536)
    while got[:1].isalpha() and b"\r\n\r\n" not in got:
        got += connection.recv(65536)
    head, _, body = got.partition(b"\r\n\r\n")
    sizes = [
        int(line.partition(b":")[2])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    ]
    while sizes and len(body) < sizes[0]:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def whole(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """The bytes of an answer, with its length."""
    size = b"content-length: %d" % len(body)
    return b"\r\n".join((b"HTTP/1.1 " + status, *headers, size, b"", body))


def head(*headers: bytes) -> bytes:
    """The head of a stream of events, whose pieces follow."""
    lines = (b"content-type: text/event-stream", b"transfer-encoding: chunked")
    return b"\r\n".join((b"HTTP/1.1 200 OK", *lines, *headers, b"", b""))


def piece(data: bytes) -> bytes:
    """A piece of a stream."""
    return b"%x\r\n%b\r\n" % (len(data), data)
