"""Transports around the real ones of either HTTP library: all passes, and is heard of.

A channel is asked first; what it does not answer goes out. Bytes are handed on as they
come, still encoded; a tap hears of each before the client has it.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Self

from agentsim.providers.transports.exchange import (
    REASONS,
    Block,
    Channel,
    HttpRequest,
    Tap,
)
from agentsim.providers.transports.in_process import async_replies, sync_replies
from agentsim.providers.wires.answers import HttpAnswer

__all__ = ["async_tapped", "sync_tapped"]

REST_BYTES_MAX = 1 << 20
"""Of an answer that a client left unread, so many bytes are read at most."""

LEFT = (CancelledError, GeneratorExit, KeyboardInterrupt)
"""What ends a request since nobody waits for it any more."""


class _GoesOut(Exception):
    """The channel has no answer."""

    def __init__(self, asked: HttpRequest) -> None:
        super().__init__()
        self.asked = asked


def async_tapped(module: Any) -> Any:  # noqa: ANN401 - one of two modules
    """A class of transports of a library: `(real transport, channel)`."""
    base: Any = module.AsyncBaseTransport
    stream = _async_stream(module)
    replies = async_replies(module)

    class AsyncTapped(base):  # type: ignore[misc]  # of either library
        """Asks the channel first, and the real service after."""

        def __init__(self, real: Any, channel: Channel) -> None:  # noqa: ANN401
            self._real = real
            self._channel = channel
            self._replies = replies(self._answer)

        async def _answer(self, asked: HttpRequest) -> HttpAnswer:
            answer = await self._channel.answer(asked)
            if answer is None:
                raise _GoesOut(asked)
            return answer

        async def handle_async_request(self, request: Any) -> Any:  # noqa: ANN401
            try:
                return await self._replies.handle_async_request(request)
            except _GoesOut as without:
                tap = self._channel.begin(without.asked)
            try:
                response = await self._real.handle_async_request(request)
            except BaseException as error:
                _end_before_head(tap, error)
                raise
            tap.head(response.status_code, _headers(response))
            if response.is_closed:
                _hear_whole(tap, response.stream)
            else:
                response.stream = stream(response.stream, tap)
            return response

        async def aclose(self) -> None:
            await self._real.aclose()

    return AsyncTapped


def sync_tapped(module: Any) -> Any:  # noqa: ANN401 - one of two modules
    """The same, for threads that wait: `(real transport, channel, block)`."""
    base: Any = module.BaseTransport
    stream = _sync_stream(module)
    replies = sync_replies(module)

    class SyncTapped(base):  # type: ignore[misc]  # of either library
        """Asks the channel first, and the real service after."""

        def __init__(self, real: Any, channel: Channel, block: Block) -> None:  # noqa: ANN401
            self._real = real
            self._channel = channel
            self._replies = replies(self._answer, block)

        async def _answer(self, asked: HttpRequest) -> HttpAnswer:
            answer = await self._channel.answer(asked)
            if answer is None:
                raise _GoesOut(asked)
            return answer

        def handle_request(self, request: Any) -> Any:  # noqa: ANN401
            try:
                return self._replies.handle_request(request)
            except _GoesOut as without:
                tap = self._channel.begin(without.asked)
            try:
                response = self._real.handle_request(request)
            except BaseException as error:
                _end_before_head(tap, error)
                raise
            tap.head(response.status_code, _headers(response))
            if response.is_closed:
                _hear_whole(tap, response.stream)
            else:
                response.stream = stream(response.stream, tap)
            return response

        def close(self) -> None:
            self._real.close()

    return SyncTapped


def _async_stream(module: Any) -> Any:  # noqa: ANN401
    base: Any = module.AsyncByteStream

    class AsyncStream(base):  # type: ignore[misc]  # of either library
        """The bytes of an answer as they come."""

        def __init__(self, real: Any, tap: Tap) -> None:  # noqa: ANN401
            self._real = real
            self._tap = tap
            self._parts: AsyncIterator[bytes] = aiter(real)

        def __aiter__(self) -> Self:
            return self

        async def __anext__(self) -> bytes:
            try:
                part = await anext(self._parts)
            except StopAsyncIteration:
                self._tap.end("whole")
                raise
            except BaseException as error:
                _end_within(self._tap, error)
                raise
            self._tap.data(part)
            return part

        async def aclose(self) -> None:
            try:
                if self._tap.takes_rest:
                    await self._take_rest()
                self._tap.end("closed by the client")
            finally:
                await self._real.aclose()

        async def _take_rest(self) -> None:
            left = REST_BYTES_MAX
            try:
                async for part in self:
                    left -= len(part)
                    if left <= 0:
                        return
            except module.TransportError:
                return  # it was heard of, and nobody waits for it

    return AsyncStream


def _sync_stream(module: Any) -> Any:  # noqa: ANN401
    base: Any = module.SyncByteStream

    class SyncStream(base):  # type: ignore[misc]  # of either library
        """The bytes of an answer as they come."""

        def __init__(self, real: Any, tap: Tap) -> None:  # noqa: ANN401
            self._real = real
            self._tap = tap
            self._parts: Iterator[bytes] = iter(real)

        def __iter__(self) -> Iterator[bytes]:
            # An iterator with a method `close` would be closed with what it is read by.
            return iter(self._part, None)

        def _part(self) -> bytes | None:
            try:
                part = next(self._parts)
            except StopIteration:
                self._tap.end("whole")
                return None
            except BaseException as error:
                _end_within(self._tap, error)
                raise
            self._tap.data(part)
            return part

        def close(self) -> None:
            try:
                if self._tap.takes_rest:
                    self._take_rest()
                self._tap.end("closed by the client")
            finally:
                self._real.close()

        def _take_rest(self) -> None:
            left = REST_BYTES_MAX
            try:
                for part in self:
                    left -= len(part)
                    if left <= 0:
                        return
            except module.TransportError:
                return  # it was heard of, and nobody waits for it

    return SyncStream


def _headers(response: Any) -> Mapping[str, str]:  # noqa: ANN401
    return {name.lower(): value for name, value in response.headers.items()}


def _hear_whole(tap: Tap, stream: Any) -> None:  # noqa: ANN401 - of either library
    """Hear an answer that a transport in process made at once."""
    for part in stream:
        tap.data(part)
    tap.end("whole")


def _end_before_head(tap: Tap, error: BaseException) -> None:
    if isinstance(error, LEFT):
        tap.end("closed by the client")
    else:
        tap.end("no answer", _told(error))


def _end_within(tap: Tap, error: BaseException) -> None:
    if isinstance(error, LEFT):
        tap.end("closed by the client")
    else:
        tap.end("broken off", _told(error))


def _told(error: BaseException) -> str:
    """The name of an error, of those that both libraries have, and its words."""
    kinds = (kind.__name__ for kind in type(error).__mro__)
    name = next((kind for kind in kinds if kind in REASONS), type(error).__name__)
    words = str(error)
    return f"{name}: {words}" if words else name
