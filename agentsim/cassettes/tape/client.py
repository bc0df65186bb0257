"""The neutral client over a tape: recorded sessions for whatever takes a `core.Client`.

A live answer is given on as it is; the tape has it, redacted, before its last piece.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import NoReturn

from agentsim.cassettes.neutral import (
    NEUTRAL,
    Unreadable,
    delta_text,
    error_text,
    events_of,
    read_answer,
    read_delta,
    read_error,
    request_text,
    response_text,
)
from agentsim.cassettes.records import RecordedExchange, RecordedRequest
from agentsim.cassettes.tape.taking import Taking
from agentsim.cassettes.tape.tape import Tape
from agentsim.core import (
    CassetteError,
    Client,
    Delta,
    ProviderError,
    Request,
    Response,
    SyncClient,
    UsageError,
    shown_path,
)

__all__ = ["SyncTapedClient", "TapedClient"]

_JSON = {"content-type": "application/json"}

_EVENTS = {"content-type": "text/event-stream"}


class TapedClient:
    """A model that answers from a tape, and takes down what another one answers.

    Implements `core.Client`.

    Args:
        inner: Asked for what the tape has no answer to; not needed in mode `replay`.
    """

    def __init__(self, tape: Tape, inner: Client | None = None) -> None:
        self._tape = tape
        self._inner = inner

    async def complete(self, request: Request) -> Response:
        """Answer a request whole.

        Raises:
            ProviderError: as it was recorded, or as the inner client raises it.
            CassetteMiss: in the mode `replay`, when it was never recorded.
        """
        asked = _asked(self._tape, request, streamed=False)
        found = self._tape.answer(asked, NEUTRAL)
        if found is not None:
            return _whole(self._tape, found)
        inner = self._inner or _nobody(self._tape)
        taking = self._tape.begin(asked, NEUTRAL)
        try:
            response = await inner.complete(request)
        except BaseException as error:
            _failed(taking, error)
            raise
        _answered(taking, response)
        return response

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Answer in pieces; the last one carries what `complete` would have given.

        Raises:
            ProviderError: where it was recorded, or where the inner client raises it.
            CassetteMiss: in the mode `replay`, when it was never recorded.
        """
        return _TapedStream(self._tape, self._inner, request)


class _TapedStream(AsyncIterator[Delta]):
    """The pieces of one answer; no generator, which the garbage collector would end."""

    def __init__(self, tape: Tape, inner: Client | None, request: Request) -> None:
        self._tape = tape
        self._inner = inner
        self._request = replace(request, messages=tuple(request.messages))
        self._asked = _asked(tape, request, streamed=True)
        self._recorded: Iterator[Delta] | None = None
        self._live: AsyncIterator[Delta] | None = None
        self._taking: Taking | None = None

    async def __anext__(self) -> Delta:
        if self._recorded is None and self._live is None:
            self._begin()
        if self._live is None or self._taking is None:
            for delta in self._recorded or ():
                return delta
            raise StopAsyncIteration
        try:
            delta = await anext(self._live)
        except StopAsyncIteration:
            _ended(self._taking)
            raise
        except BaseException as error:
            _failed(self._taking, error)
            raise
        _took(self._taking, delta)
        return delta

    def _begin(self) -> None:
        found = self._tape.answer(self._asked, NEUTRAL)
        if found is not None:
            self._recorded = _pieces(self._tape, found)
            return
        inner = self._inner or _nobody(self._tape)
        self._taking = self._tape.begin(self._asked, NEUTRAL)
        self._live = inner.stream(self._request)

    async def aclose(self) -> None:
        """Leave the rest; a stream that was not begun asks nothing."""
        self._recorded = iter(())
        live, self._live = self._live, None
        if live is not None and self._taking is not None:
            self._taking.end("closed by the client")
            close = getattr(live, "aclose", None)
            if close is not None:
                await close()


class SyncTapedClient:
    """The same for a synchronous agent; it implements `core.SyncClient`.

    Args:
        inner: Asked for what the tape has no answer to; not needed in mode `replay`.
    """

    def __init__(self, tape: Tape, inner: SyncClient | None = None) -> None:
        self._tape = tape
        self._inner = inner

    def complete(self, request: Request) -> Response:
        """Answer a request whole; it raises as `TapedClient.complete`."""
        asked = _asked(self._tape, request, streamed=False)
        found = self._tape.answer(asked, NEUTRAL)
        if found is not None:
            return _whole(self._tape, found)
        inner = self._inner or _nobody(self._tape)
        taking = self._tape.begin(asked, NEUTRAL)
        try:
            response = inner.complete(request)
        except BaseException as error:
            _failed(taking, error)
            raise
        _answered(taking, response)
        return response

    def stream(self, request: Request) -> Iterator[Delta]:
        """Answer in pieces; it raises as `TapedClient.stream`."""
        asked = _asked(self._tape, request, streamed=True)
        return self._pieces(asked, replace(request, messages=tuple(request.messages)))

    def _pieces(self, asked: RecordedRequest, request: Request) -> Iterator[Delta]:
        found = self._tape.answer(asked, NEUTRAL)
        if found is not None:
            yield from _pieces(self._tape, found)
            return
        inner = self._inner or _nobody(self._tape)
        taking = self._tape.begin(asked, NEUTRAL)
        try:
            for delta in inner.stream(request):
                _took(taking, delta)
                yield delta
        except GeneratorExit:
            taking.end("closed by the client")
            raise
        except BaseException as error:
            _failed(taking, error)
            raise
        _ended(taking)


def _asked(tape: Tape, request: Request, *, streamed: bool) -> RecordedRequest:
    try:
        return RecordedRequest(body=request_text(request, streamed=streamed))
    except (TypeError, ValueError) as fault:
        raise CassetteError(
            f"{shown_path(tape.path)}: this request can't be looked up: {fault}"
        ) from None


def _nobody(tape: Tape) -> NoReturn:
    raise UsageError(
        f"{shown_path(tape.path)}: there is no client to ask in the mode {tape.mode}: give the one "
        "whose answers are to be recorded"
    )


def _answered(taking: Taking, response: Response) -> None:
    taking.head(200, _JSON)
    taking.body(response_text(response).encode())
    taking.end()


def _took(taking: Taking, delta: Delta) -> None:
    """Keep a piece; with the last one the whole answer is kept, before it is given on."""
    if not taking.begun:
        taking.head(200, _EVENTS)
    taking.chunk(delta_text(delta).encode())
    if delta.response is not None:
        taking.end()


def _ended(taking: Taking) -> None:
    """Keep a stream that ended without its last piece, or that had none at all."""
    if not taking.begun:
        taking.head(200, _EVENTS)
        taking.streams()
    taking.end()


def _failed(taking: Taking, error: BaseException) -> None:
    """Keep how it failed; only what services fail with can be raised again."""
    begun = taking.begun
    if not isinstance(error, ProviderError):
        why = f"{type(error).__name__} while the answer was waited for"
        taking.end("broken off" if begun else "no answer", why)
        return
    told = error_text(error).encode()
    if begun:
        taking.chunk(b"data: " + told + b"\n\n")
        taking.end("broken off", str(error))
        return
    if error.status is not None and 100 <= error.status <= 599:
        taking.head(error.status, _JSON)
    taking.body(told)
    taking.end("whole" if taking.begun else "no answer", str(error))


def _whole(tape: Tape, found: RecordedExchange) -> Response:
    if not found.answer.text:
        raise _unanswered(found)
    try:
        answer = read_answer(found.answer)
    except Unreadable as fault:
        raise _unreadable(tape, found, fault) from None
    if isinstance(answer, ProviderError):
        raise answer
    return answer


def _pieces(tape: Tape, found: RecordedExchange) -> Iterator[Delta]:
    """The pieces that were recorded, up to where the stream ended or failed."""
    answer = found.answer
    if answer.chunks is None:
        yield Delta(response=_whole(tape, found))
        return
    try:
        for event in events_of(answer.text):
            failed = read_error(event)
            if failed is not None:
                raise failed
            yield read_delta(event)
    except Unreadable as fault:
        raise _unreadable(tape, found, fault) from None
    if answer.ended != "whole":
        raise _unanswered(found)


def _unanswered(found: RecordedExchange) -> ProviderError:
    """What is raised where the recording has no more: it is not known what came of it."""
    why = f" ({found.answer.error})" if found.answer.error else ""
    return ProviderError(
        f"exchange {found.number} was recorded up to here: {found.answer.ended}{why}",
        status=None,
        kind="not_recorded",
        definite=False,
    )


def _unreadable(
    tape: Tape, found: RecordedExchange, fault: Unreadable
) -> CassetteError:
    return CassetteError(
        f"{shown_path(tape.path)}: exchange {found.number}: answer: {fault}: "
        "mend it, or record again"
    )
