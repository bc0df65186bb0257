"""The HTTP libraries that SDKs speak through, httpx2 and httpx: the same, twice.

openai takes httpx2 from version 3 on, anthropic from 1 on, and httpx before. Neither is
imported before a client is asked for, and what is made of one is made once per process.
"""

from __future__ import annotations

from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Self

from agentsim.core import UsageError
from agentsim.providers.transports.exchange import (
    AnswerHttp,
    Block,
    HttpRequest,
    NoAnswer,
)
from agentsim.providers.wires.answers import HttpAnswer, Pieces

__all__ = ["HttpLibrary", "answered_in_process", "http_library"]

HTTP_LIBRARIES = ("httpx2", "httpx")
"""Newest first: the first that is installed is taken where nobody names one."""

INSTALL = "pip install 'pytest-agentsim[sdk]'"


class InProcess:
    """A transport that reaches a fake service."""


class HttpLibrary:
    """Makes clients of one library that reach a fake service, and nothing else.

    Attributes:
        name: Of the library.
    """

    def __init__(self, module: Any) -> None:  # noqa: ANN401 - one of two modules
        self.name: str = module.__name__
        self._module = module
        self._async_transport = _async_transport(module)
        self._sync_transport = _sync_transport(module)

    def client(self, answer: AnswerHttp) -> Any:  # noqa: ANN401 - of either library
        """An `AsyncClient` that a service answers."""
        transport = self._async_transport(answer)
        # Without the environment no proxy is asked for, and no certificate is read.
        return self._module.AsyncClient(transport=transport, trust_env=False)

    def sync_client(self, answer: AnswerHttp, block: Block) -> Any:  # noqa: ANN401
        """A `Client` that a service answers, and that blocks meanwhile."""
        transport = self._sync_transport(answer, block)
        return self._module.Client(transport=transport, trust_env=False)


@cache
def http_library(name: str | None = None, sdk: str = "openai") -> HttpLibrary:
    """The library of this name, or the one that an installed SDK speaks through.

    Raises:
        UsageError: for another name, and for a library that is not installed.
    """
    if name is None:
        name = _of(sdk) or _installed()
    if name not in HTTP_LIBRARIES:
        raise UsageError(
            f"http_client: expected the name of a library, one of "
            f"{', '.join(HTTP_LIBRARIES)}, got {name!r}"
        )
    try:
        module = import_module(name)
    except ImportError:
        raise UsageError(f"{name} is not installed here: pip install {name}") from None
    return HttpLibrary(module)


def answered_in_process(client: object) -> bool:
    """Whether an HTTP client is one that a fake service answers."""
    return isinstance(getattr(client, "_transport", None), InProcess)


def _of(sdk: str) -> str | None:
    """The library of an installed SDK: that of the client which it makes."""
    try:
        made: type = import_module(sdk).DefaultAsyncHttpxClient
    except ImportError:
        return None
    roots = (base.__module__.partition(".")[0] for base in made.__mro__)
    return next((root for root in roots if root in HTTP_LIBRARIES), None)


def _installed() -> str:
    for name in HTTP_LIBRARIES:
        if find_spec(name) is not None:
            return name
    raise UsageError(f"neither httpx2 nor httpx is installed here: {INSTALL}")


def _async_transport(module: Any) -> Any:  # noqa: ANN401
    base: Any = module.AsyncBaseTransport
    stream_base: Any = module.AsyncByteStream

    class AsyncStream(stream_base):  # type: ignore[misc]  # of either library
        """The bytes of an answer; no generator, which the loop would close late."""

        def __init__(self, pieces: Pieces, request: Any) -> None:  # noqa: ANN401
            self._pieces = pieces
            self._request = request

        def __aiter__(self) -> Self:
            return self

        async def __anext__(self) -> bytes:
            try:
                return await anext(self._pieces)
            except NoAnswer as error:
                raise _raised(module, error, self._request) from None

        async def aclose(self) -> None:
            self._pieces.close()

    class AsyncTransport(InProcess, base):  # type: ignore[misc]  # of either library
        """Hands requests to a service, and its answers back."""

        def __init__(self, answer: AnswerHttp) -> None:
            self._answer = answer

        async def handle_async_request(self, request: Any) -> Any:  # noqa: ANN401
            asked = _asked(request, await request.aread())
            try:
                answer = await self._answer(asked)
            except NoAnswer as error:
                raise _raised(module, error, request) from None
            if answer.pieces is None:
                return _response(module, answer)
            stream = AsyncStream(answer.pieces, request)
            return _response(module, answer, stream)

    return AsyncTransport


def _sync_transport(module: Any) -> Any:  # noqa: ANN401
    base: Any = module.BaseTransport
    stream_base: Any = module.SyncByteStream

    class SyncStream(stream_base):  # type: ignore[misc]  # of either library
        """The bytes of an answer, for a thread that waits where it must."""

        def __init__(self, pieces: Pieces, block: Block, request: Any) -> None:  # noqa: ANN401
            self._pieces = pieces
            self._block = block
            self._request = request

        def __iter__(self) -> Self:
            return self

        def __next__(self) -> bytes:
            try:
                piece = self._pieces.take(self._block)
            except NoAnswer as error:
                raise _raised(module, error, self._request) from None
            if piece is None:
                raise StopIteration
            return piece

        def close(self) -> None:
            self._pieces.close()

    class SyncTransport(InProcess, base):  # type: ignore[misc]  # of either library
        """The same, for a thread that waits."""

        def __init__(self, answer: AnswerHttp, block: Block) -> None:
            self._answer = answer
            self._block = block

        def handle_request(self, request: Any) -> Any:  # noqa: ANN401
            asked = _asked(request, request.read())
            try:
                answer = self._block(partial(self._answer, asked))
            except NoAnswer as error:
                raise _raised(module, error, request) from None
            if answer.pieces is None:
                return _response(module, answer)
            stream = SyncStream(answer.pieces, self._block, request)
            return _response(module, answer, stream)

    return SyncTransport


def _asked(request: Any, body: bytes) -> HttpRequest:  # noqa: ANN401
    url = request.url
    timeouts = request.extensions.get("timeout", {})
    return HttpRequest(
        request.method,
        url.host,
        url.path,
        body,
        timeouts.get("read"),
        {name.lower(): value for name, value in request.headers.items()},
        url.query.decode("ascii", "replace"),
    )


def _response(module: Any, answer: HttpAnswer, stream: object = None) -> Any:  # noqa: ANN401
    return module.Response(
        answer.status,
        headers=answer.headers,
        content=None if stream is not None else answer.body,
        stream=stream,
        extensions={"http_version": b"HTTP/1.1"},
    )


def _raised(module: Any, error: NoAnswer, request: Any) -> Exception:  # noqa: ANN401
    made: Exception = getattr(module, error.reason)(str(error), request=request)
    return made
