"""The neutral client of a simulated run: strict, scripted and recorded.

What becomes of a request (refusal, answer, fault, latency) is settled when it is sent;
it is recorded, and seen by the agent, when the engine opens the gate. A task that is
cancelled or killed while it waits there has received nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from agentsim.core import (
    Boundary,
    Delta,
    DeltaReceived,
    History,
    Message,
    MessageView,
    ProviderError,
    Request,
    RequestFailed,
    RequestSent,
    Response,
    ResponseReceived,
    UsageError,
)
from agentsim.providers.model import LATENCY_S, Answer, Model
from agentsim.providers.strict import StrictRules
from agentsim.providers.wires.asked import Asked, Reader, RefusedRequest
from agentsim.providers.wires.habits import Habits
from agentsim.providers.wires.pieces import cut_text

__all__ = ["AlterAnswer", "Attempt", "DeltaStream", "OutOfScript", "ScriptedClient"]

AlterAnswer = Callable[[Request, Answer], Answer]
"""Lets faults change an answer when its request is sent; may raise `ProviderError`."""

OutOfScript = Callable[[UsageError], Answer]
"""Told that the script has no answer, or fails: gives one in its place, or raises."""


@dataclass(slots=True)
class _Sent:
    """A request under way, and what will become of it."""

    number: int
    latency_s: float
    answer: Answer | None = None
    error: ProviderError | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of one request that came by a wire: a response, or else an error.

    Attributes:
        number: Of the request, 1-based over all lives of a run.
    """

    number: int
    response: Response | None = None
    error: ProviderError | None = None


class DeltaStream(AsyncIterator[Delta]):
    """The pieces of one answer.

    Not an async generator: one that is left half-read would be closed by the loop, at
    a time that hangs on the garbage collector.
    """

    __slots__ = ("_open", "_pieces")

    def __init__(self, open_: Callable[[], Awaitable[Iterator[Delta]]]) -> None:
        self._open: Callable[[], Awaitable[Iterator[Delta]]] | None = open_
        self._pieces: Iterator[Delta] = iter(())

    async def __anext__(self) -> Delta:
        if self._open is not None:
            opening, self._open = self._open, None
            self._pieces = await opening()
        for delta in self._pieces:
            return delta
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Leave the rest; a stream that was not begun sends no request."""
        self._open = None
        self._pieces = iter(())


class ScriptedClient:
    """Answers the requests of one incarnation of the agent; implements `core.Client`.

    Args:
        boundary: That of the incarnation.
        model: Shared by all incarnations of a run.
        strict: Whether requests that a service would refuse are refused.
        tamper: Lets faults change answers.
        out_of_script: Asked when the script has no answer; without it the error is
            raised into the agent.
        latency_s: Virtual seconds until an answer is due, unless it has its own.
        numbers: Numbers of the requests; pass the same one to every incarnation.
        warn: Told what of a request by a wire is accepted, and a bad habit.
    """

    __slots__ = (
        "_boundary",
        "_habits",
        "_history",
        "_latency_s",
        "_model",
        "_numbers",
        "_out_of_script",
        "_reader",
        "_rules",
        "_tamper",
        "_warn",
    )

    def __init__(
        self,
        boundary: Boundary,
        model: Model,
        *,
        strict: bool = True,
        tamper: AlterAnswer | None = None,
        out_of_script: OutOfScript | None = None,
        latency_s: float = LATENCY_S,
        numbers: Iterator[int] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._boundary = boundary
        self._model = model
        self._rules = StrictRules() if strict else None
        self._tamper = tamper
        self._out_of_script = out_of_script
        self._latency_s = latency_s
        self._numbers = count(1) if numbers is None else numbers
        self._history = History()
        self._reader: Reader | None = None
        self._warn = warn
        self._habits = Habits()

    async def complete(self, request: Request) -> Response:
        """Answer a request whole.

        Raises:
            ProviderError: when the request is refused, or a fault strikes.
            UnscriptedRequest: when the script ran out and nobody was there to ask.
        """
        sent = self._send(request)
        await self._boundary.gate("model", latency_s=sent.latency_s)
        answer = self._arrived(sent)
        if answer.deltas is not None:
            raise self._failed(sent, _broken_off(answer))
        self._received(sent, answer)
        return answer.response

    async def attempt(self, asked: Asked, *, timeout_s: float | None = None) -> Attempt:
        """Answer a request that came by a wire, and was judged by that wire's rules.

        What is recorded and returned is what the wire carries of the response.

        Args:
            timeout_s: Virtual seconds after which the sender gives it up: an error
                without a status, and it is not known what became of the request.

        Raises:
            UnscriptedRequest: when the script ran out and nobody was there to ask.
        """
        sent = self._send(asked.request, asked)
        try:
            async with asyncio.timeout(timeout_s):
                await self._boundary.gate("model", latency_s=sent.latency_s)
            answer = self._arrived(sent)
        except TimeoutError:
            return Attempt(sent.number, error=self._failed(sent, _timed_out(timeout_s)))
        except ProviderError as error:
            return Attempt(sent.number, error=error)
        if answer.deltas is not None:
            return Attempt(sent.number, error=self._failed(sent, _broken_off(answer)))
        self._received(sent, answer)
        return Attempt(sent.number, answer.response)

    def stream(self, request: Request) -> DeltaStream:
        """Answer in pieces of text, then calls, then the whole response.

        The request is sent when the first piece is asked for, and all pieces come when
        its one gate opens; each piece of text is recorded as it is taken. A stream that
        is closed before its last piece has received no response; one that breaks off
        without a word just ends, and its failure is recorded.

        Raises:
            ProviderError: as `complete`, and where a fault breaks the stream off.
            UnscriptedRequest: when the script ran out and nobody was there to ask.
        """
        return DeltaStream(partial(self._opened, request))

    def resumes(self, messages: Sequence[Message]) -> RefusedRequest | None:
        """Why the service would refuse a history with a new message of the user after it.

        Nothing is sent; None where it would accept, or refuses nothing. The rules are
        those of the wire that the last request came by.
        """
        if self._reader is not None:
            return self._reader.resumes(messages)
        if self._rules is None:
            return None
        if not isinstance(messages, MessageView):
            messages = self._history.follow(messages)
        return self._rules.resumes(messages)

    async def _opened(self, request: Request) -> Iterator[Delta]:
        sent = self._send(request)
        await self._boundary.gate("model", latency_s=sent.latency_s)
        return self._deltas(sent, self._arrived(sent, streamed=True))

    def _deltas(self, sent: _Sent, answer: Answer) -> Iterator[Delta]:
        """The pieces of an answer, recorded one by one as they are taken."""
        for number, delta in enumerate(_pieces(answer.response)):
            if number == answer.deltas:
                break
            if delta.text:
                self._boundary.record(DeltaReceived(sent.number, delta.text))
            yield delta
        if answer.deltas is not None:
            error = self._failed(sent, _broken_off(answer))
            if answer.error is not None:
                raise error
            return
        self._received(sent, answer)
        yield Delta(response=answer.response)

    def _send(self, request: Request, asked: Asked | None = None) -> _Sent:
        """Record a request and settle what becomes of it."""
        self._reader = reader = asked.reader if asked is not None else None
        number = next(self._numbers)
        messages, tools = request.messages, tuple(request.tools)
        if not isinstance(messages, MessageView):
            messages = self._history.follow(messages)
            request = Request(
                request.model,
                messages,
                tools,
                request.temperature,
                request.max_tokens,
            )
        self._boundary.record(
            RequestSent(
                number,
                request.model,
                messages,
                tools,
                request.temperature,
                request.max_tokens,
                reader.wire if reader is not None else "",
            )
        )
        refusal = self._refusal(request, asked)
        if refusal is not None:
            error = refusal.error()
            return _Sent(number, self._latency_s, None, error, refusal.rule or None)
        if asked is not None and self._warn is not None:
            for words in (*asked.warnings, *self._habits.look(messages)):
                self._warn(words)
        return self._settled(number, request)

    def _refusal(self, request: Request, asked: Asked | None) -> RefusedRequest | None:
        if asked is not None:
            return asked.refusal
        return self._rules.check(request) if self._rules is not None else None

    def _settled(self, number: int, request: Request) -> _Sent:
        """Take the model's answer, and let faults change it."""
        latency_s = self._latency_s
        try:
            answer = self._answer(request)
            latency_s = answer.latency_s
            if self._tamper is not None:
                answer = self._tamper(request, answer)
        except ProviderError as error:
            reader = self._reader
            told = error if reader is None else reader.failed(error, request)
            return _Sent(number, latency_s, None, told)
        if self._reader is not None:
            answer = _carried(self._reader, request, answer)
        return _Sent(number, answer.latency_s, answer)

    def _answer(self, request: Request) -> Answer:
        try:
            return self._model.answer(
                request, choose=self._boundary.choose, latency_s=self._latency_s
            )
        except UsageError as error:
            if self._out_of_script is None:
                raise
            return self._out_of_script(error)

    def _arrived(self, sent: _Sent, *, streamed: bool = False) -> Answer:
        """The answer of a request whose gate has opened, or its error, recorded."""
        answer = sent.answer
        error = sent.error
        if answer is None:
            assert error is not None
            raise self._failed(sent, error)
        if answer.error is not None and not (streamed and answer.deltas is not None):
            raise self._failed(sent, answer.error)
        return answer

    def _received(self, sent: _Sent, answer: Answer) -> None:
        response = answer.response
        self._boundary.record(
            ResponseReceived(
                sent.number,
                response.message,
                response.stop_reason,
                response.usage,
                answer.index,
            )
        )

    def _failed(self, sent: _Sent, error: ProviderError) -> ProviderError:
        self._boundary.record(
            RequestFailed(
                sent.number,
                error.status,
                error.kind,
                str(error),
                sent.rule,
                error.definite,
            )
        )
        return error


def _carried(reader: Reader, request: Request, answer: Answer) -> Answer:
    """What of an answer its wire carries."""
    error = answer.error
    if error is not None:
        error = reader.failed(error, request)
    return replace(answer, response=reader.carried(answer.response), error=error)


def _timed_out(timeout_s: float | None) -> ProviderError:
    return ProviderError(
        f"no answer came within {timeout_s:g} seconds",
        status=None,
        kind="timeout",
        definite=False,
    )


def _broken_off(answer: Answer) -> ProviderError:
    if answer.error is not None:
        return answer.error
    return ProviderError(
        "the connection was closed before the response was complete",
        status=None,
        kind="connection_error",
        definite=False,
    )


def _pieces(response: Response) -> Iterator[Delta]:
    """Cut a response into at most 32 pieces of text, and its calls."""
    for piece in cut_text(response.message.content):
        yield Delta(text=piece)
    for call in response.message.tool_calls:
        yield Delta(call=call)
