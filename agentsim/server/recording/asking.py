"""Asks the real services, by whichever of the two HTTP libraries is installed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from agentsim.core import UsageError
from agentsim.server.recording.headers import Headers, of_request

__all__ = ["Asked", "Asking", "LiveAnswer", "Lost"]

CONNECT_S = 10.0
"""Seconds for a connection; for the answer a client waits as long as it wants to."""

HTTP_LIBRARIES = ("httpx2", "httpx")

_CAUSES = (
    ("SSLCertVerificationError", "its certificate is not trusted"),
    ("SSLError", "it speaks no TLS as expected: is it https?"),
    ("gaierror", "its name is not known"),
    ("ConnectionRefusedError", "nothing listens there"),
    ("ConnectTimeout", f"no connection came about in {CONNECT_S:g} s"),
    ("ProxyError", "the HTTP proxy of the environment does not let it through"),
    ("ConnectError", "no connection came about"),
    ("RemoteProtocolError", "it closed the connection, or speaks no HTTP"),
    ("ReadError", "the connection broke"),
    ("WriteError", "the connection broke while the request was sent"),
    ("LocalProtocolError", "the request can't be sent on as it is"),
)
"""Name of an error -> what it means; the first that is among the causes counts."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a program asked for, and whom.

    Attributes:
        origin: Scheme, host and port of the service.
        target: Path and query there, as they came.
        headers: Those of the program.
    """

    method: str
    origin: str
    target: str
    headers: Headers
    body: bytes = b""

    @property
    def url(self) -> str:
        """The whole URL."""
        return self.origin + self.target


class Lost(Exception):
    """The service can't be reached, or broke its answer off; why, in words."""

    def __init__(self, words: str, *, reached: bool) -> None:
        super().__init__(words)
        self.reached = reached


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """An answer of which the body is still under way.

    Attributes:
        pieces: The body as it comes in; `Lost` where it breaks off.
    """

    status: int
    headers: Headers
    pieces: AsyncIterator[bytes]


class Asking:
    """A client of all services, with its connections.

    Raises:
        UsageError: when no HTTP library is installed, or the environment is not as it
            takes it.
    """

    def __init__(self) -> None:
        self._module = _http_module()
        try:
            self._client = self._module.AsyncClient(
                timeout=self._module.Timeout(None, connect=CONNECT_S),
                limits=self._module.Limits(max_connections=None),
            )
        except (ImportError, OSError, ValueError, self._module.InvalidURL) as error:
            raise UsageError(
                "record: the HTTP client can't be made with the variables of the "
                f"environment (HTTP_PROXY, SSL_CERT_FILE): {type(error).__name__}: "
                "mend them, or leave them away"
            ) from None

    @asynccontextmanager
    async def ask(self, asked: Asked) -> AsyncIterator[LiveAnswer]:
        """Ask a service; whoever leaves the block in between cancels the request.

        Raises:
            Lost: when it can't be reached, or no answer begins.
        """
        try:
            origin = self._module.URL(asked.origin)
            url = origin.copy_with(raw_path=asked.target.encode())
        except self._module.InvalidURL:
            raise Lost("its URL is none that can be asked", reached=False) from None
        request = self._module.Request(
            asked.method, url, headers=of_request(asked.headers), content=asked.body
        )
        try:
            response = await self._client.send(request, stream=True)
        except self._module.TransportError as error:
            raise Lost(_words(error), reached=False) from None
        try:
            headers = [(n.lower(), v) for n, v in response.headers.raw]
            pieces = self._pieces(response)
            yield LiveAnswer(response.status_code, headers, pieces)
        finally:
            await response.aclose()

    async def _pieces(self, response: Any) -> AsyncIterator[bytes]:  # noqa: ANN401
        try:
            async for piece in response.aiter_raw():
                yield piece
        except self._module.TransportError as error:
            raise Lost(_words(error), reached=True) from None

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()


def _http_module() -> Any:  # noqa: ANN401 - one of two modules
    for name in HTTP_LIBRARIES:
        try:
            return import_module(name)
        except ImportError:
            continue
    raise UsageError(
        "record: neither httpx2 nor httpx is installed here: "
        "pip install 'pytest-agentsim[sdk]'"
    )


def _words(error: BaseException) -> str:
    names = [name for one in _causes(error) for name in _names(one)]
    return next((words for name, words in _CAUSES if name in names), names[0])


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _names(error: BaseException) -> list[str]:
    return [one.__name__ for one in type(error).__mro__]
