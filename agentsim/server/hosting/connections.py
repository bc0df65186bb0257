"""The connections of a server, which a fault may break as a network does.

What an application may say to uvicorn has no word for it: an application that fails is
answered for with a status. So its protocol is told who its transports are.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Connections"]

Peer = tuple[str, int]


class Connections:
    """Every open connection by the address and port of its client.

    Attributes:
        protocol: That of uvicorn, which enters its connections here.
    """

    def __init__(self) -> None:
        open_: dict[Peer, asyncio.Transport] = {}
        self._open = open_

        class Protocol(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
                super().connection_made(transport)
                if self.client is not None:
                    open_[self.client] = transport

            def connection_lost(self, exc: Exception | None) -> None:
                if self.client is not None:
                    open_.pop(self.client, None)
                super().connection_lost(exc)

        self.protocol: type[asyncio.Protocol] = Protocol

    def cut(self, client: Peer) -> None:
        """Close a connection as it is: what was written still arrives, and no end of it."""
        transport = self._open.get(client)
        if transport is not None:
            transport.close()

    def cut_all(self) -> None:
        """Close every connection, idle or not."""
        for client in [*self._open]:
            self.cut(client)
