"""Transports that hand the requests of either HTTP library to a service in process."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn, Self

from agentsim.core import UsageError
from agentsim.providers.transports.exchange import (
    AnswerHttp,
    Block,
    HttpRequest,
    NoAnswer,
)
from agentsim.providers.wires.answers import HttpAnswer, Pieces

__all__ = ["InProcess", "asked_of", "async_replies", "refusals", "sync_replies"]

_OF_SDK = "x-stainless-lang"
"""A header that the SDKs of both vendors send, and nobody else."""


class InProcess:
    """A transport that reaches a fake service, and nothing else."""


def async_replies(module: Any) -> Any:  # noqa: ANN401 - one of two modules
    """A class of transports of a library that a service answers."""
    base: Any = module.AsyncBaseTransport
    stream_base: Any = module.AsyncByteStream
    refuse = refusals(module)

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
            asked = asked_of(request, await request.aread())
            try:
                answer = await self._answer(asked)
            except NoAnswer as error:
                raise _raised(module, error, request) from None
            except UsageError as error:
                return refuse(error, request)
            if answer.pieces is None:
                return _response(module, answer)
            return _response(module, answer, AsyncStream(answer.pieces, request))

    return AsyncTransport


def sync_replies(module: Any) -> Any:  # noqa: ANN401
    """The same, for threads that wait."""
    base: Any = module.BaseTransport
    stream_base: Any = module.SyncByteStream
    refuse = refusals(module)

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
            asked = asked_of(request, request.read())
            try:
                answer = self._block(partial(self._answer, asked))
            except NoAnswer as error:
                raise _raised(module, error, request) from None
            except UsageError as error:
                return refuse(error, request)
            if answer.pieces is None:
                return _response(module, answer)
            stream = SyncStream(answer.pieces, self._block, request)
            return _response(module, answer, stream)

    return SyncTransport


def refusals(module: Any) -> Any:  # noqa: ANN401
    """A function that lets who asked see a mistake: it raises it, or returns a response.

    Most SDKs take any exception of a transport for a lost connection, and try again.
    What a response raises when it is looked at goes through all of them.
    """
    base: Any = module.Response

    class Refused(base):  # type: ignore[misc]  # of either library
        """A response that can't be had."""

        def __init__(self, error: UsageError) -> None:
            # An SDK that looked at the status only would at least not try again.
            super().__init__(400, headers={"x-should-retry": "false"}, text=str(error))
            self._error = error

        @property
        def is_success(self) -> NoReturn:
            raise self._error

        def raise_for_status(self) -> NoReturn:
            raise self._error

    def refuse(error: UsageError, request: Any) -> Any:  # noqa: ANN401
        if _OF_SDK in request.headers:
            return Refused(error)
        raise error

    return refuse


def asked_of(request: Any, body: bytes) -> HttpRequest:  # noqa: ANN401
    """A request of either library."""
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
        str(url),
    )


def _response(module: Any, answer: HttpAnswer, stream: object = None) -> Any:  # noqa: ANN401
    headers = [(name.encode(), _value(text)) for name, text in answer.headers.items()]
    if stream is None:
        # No `content`: a response with that can't be read as bytes of the wire any more.
        stream = module.ByteStream(answer.body)
        if "content-length" not in answer.headers and answer.status not in (204, 304):
            headers.append((b"content-length", b"%d" % len(answer.body)))
    return module.Response(
        answer.status,
        headers=headers,
        stream=stream,
        extensions={"http_version": b"HTTP/1.1"},
    )


def _value(text: str) -> bytes:
    """A value of a header on the wire, which libraries read as the same text again."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()


def _raised(module: Any, error: NoAnswer, request: Any) -> Exception:  # noqa: ANN401
    made: Exception = getattr(module, error.reason)(str(error), request=request)
    return made
