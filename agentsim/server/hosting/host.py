"""A place to serve an application: a socket, uvicorn on it, and its connections."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
from collections.abc import Iterator

import uvicorn

from agentsim.core import UsageError
from agentsim.server.asgi import App
from agentsim.server.hosting.connections import Connections

__all__ = ["LOOPBACK", "Host"]

LOOPBACK = "127.0.0.1"

BACKLOG = 1024

KEEP_ALIVE_S = 3600
"""Real seconds that a connection may be idle: a program may think for long, and one that
is closed just when its client asks again would look like a fault."""

STOP_S = 1.0
"""Real seconds that requests under way have to notice that their connection is gone."""


class Host:
    """Serves one application, and is bound to its port from the beginning.

    Args:
        address: Of this machine; others than the loopback let anybody in.
        port: 0 for a free one.

    Attributes:
        connections: Those that are open.

    Raises:
        UsageError: when nothing can listen there, such as on a port in use.
    """

    def __init__(self, app: App, address: str = LOOPBACK, port: int = 0) -> None:
        self._socket = _bound(address, port)
        self._address = address
        self.connections = Connections()
        self._server = _Uvicorn(self._config(app))

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self._socket.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """The address of the server, without a path."""
        host = LOOPBACK if self._address in ("0.0.0.0", "") else self._address  # noqa: S104
        return (
            f"http://[{host}]:{self.port}"
            if ":" in host
            else f"http://{host}:{self.port}"
        )

    async def serve(self) -> None:
        """Serve until `stop` is called, then close every connection."""
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            self.close()

    def stop(self) -> None:
        """Stop serving; who still waits for an answer gets none."""
        self._server.stop()
        self.connections.cut_all()

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()

    def _config(self, app: App) -> uvicorn.Config:
        return uvicorn.Config(
            app,
            http=self.connections.protocol,
            ws="none",
            lifespan="off",
            loop="none",
            interface="asgi3",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_S,
        )


class _Uvicorn(uvicorn.Server):
    """A server that leaves signals to who runs it, and stops when it is told to.

    Its own main loop and shutdown look at the clock ten times a second.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Stop, now or as soon as it has started."""
        self._stopped.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        await self._stopped.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002
        for server in self.servers:
            server.close()
        tasks = self.server_state.tasks
        if tasks:  # their connections were cut, which they are about to see
            await asyncio.wait([*tasks], timeout=STOP_S)
        for task in [*tasks]:
            task.cancel()


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only where the protocol is named does asyncio send small answers without a delay.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        made.close()
        raise UsageError(_why_unbound(error, host, port)) from None
    return made


def _why_unbound(error: Exception, host: str, port: int) -> str:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"--port: {port} on {host} is in use: give another port, or 0 for a free one"
    if number == errno.EACCES:
        return f"--port: {port} needs more rights: give one above 1023, or 0 for a free one"
    if isinstance(error, OverflowError):
        return f"--port: expected 0 to 65535, got {port}"
    return f"--host: {host!r} is no address of this machine"
