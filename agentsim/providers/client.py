"""The neutral client of a simulated run: strict, scripted and recorded.

What becomes of a request (refusal, answer, fault, latency) is settled when it is sent;
it is recorded, and seen by the agent, when the engine opens the gate. A task that is
cancelled or killed while it waits there has received nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

from agentsim.core import (
    Boundary,
    Carried,
    History,
    Message,
    MessageView,
    ProviderError,
    Request,
    RequestSent,
    Response,
    UsageError,
)
from agentsim.providers.attempts import Attempt, Receipt, Sent, received, timed_out
from agentsim.providers.deltas import DeltaStream, Step, deltas_of
from agentsim.providers.model import LATENCY_S, Answer, Model
from agentsim.providers.strict import StrictRules
from agentsim.providers.wires.asked import Asked, Reader, RefusedRequest
from agentsim.providers.wires.habits import Habits

__all__ = ["AlterAnswer", "OutOfScript", "ScriptedClient"]

AlterAnswer = Callable[[Request, Answer], Answer]
"""Lets faults change an answer when its request is sent; may raise `ProviderError`."""

OutOfScript = Callable[[UsageError], Answer]
"""Told that the script has no answer, or fails: gives one in its place, or raises."""


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
        self._boundary.record(received(sent, answer))
        return answer.response

    async def attempt(
        self, asked: Asked, *, timeout_s: float | None = None, streamed: bool = False
    ) -> Attempt:
        """Answer a request that came by a wire, and was judged by that wire's rules.

        What is recorded and returned is what the wire carries of the response. When the
        one gate of a streamed answer opens nothing of it has been taken: it is recorded
        by the receipt, piece by piece.

        Args:
            timeout_s: Virtual seconds after which the sender gives it up: an error
                without a status, and it is not known what became of the request.
            streamed: Whether the answer is carried as a stream.

        Raises:
            UnscriptedRequest: when the script ran out and nobody was there to ask.
        """
        sent = self._send(asked.request, asked, "bytes" if streamed else "whole")
        try:
            async with asyncio.timeout(timeout_s):
                await self._boundary.gate("model", latency_s=sent.latency_s)
            answer = self._arrived(sent)
        except TimeoutError:
            error = self._receipt(sent).failed(timed_out(timeout_s))
            return Attempt(sent.number, error=error)
        except ProviderError as error:
            return Attempt(sent.number, error=error)
        receipt = self._receipt(sent, answer)
        if streamed:
            return Attempt(sent.number, answer.response, answer.error, receipt)
        receipt.whole()
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

    async def _opened(self, request: Request) -> Iterator[Step]:
        sent = self._send(request, carried="pieces")
        await self._boundary.gate("model", latency_s=sent.latency_s)
        answer = self._arrived(sent)
        return deltas_of(answer.response, self._receipt(sent, answer))

    def _send(
        self, request: Request, asked: Asked | None = None, carried: Carried = "whole"
    ) -> Sent:
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
            return Sent(number, self._latency_s, None, error, refusal.rule or None)
        if asked is not None and self._warn is not None:
            for words in (*asked.warnings, *self._habits.look(messages)):
                self._warn(words)
        return self._settled(number, request, carried)

    def _refusal(self, request: Request, asked: Asked | None) -> RefusedRequest | None:
        if asked is not None:
            return asked.refusal
        return self._rules.check(request) if self._rules is not None else None

    def _settled(self, number: int, request: Request, carried: Carried) -> Sent:
        """Take the model's answer, and let faults change it."""
        latency_s = self._latency_s
        try:
            answer = self._answer(request)
            latency_s = answer.latency_s
            if carried != "whole":
                answer = replace(answer, carried=carried)
            if self._tamper is not None:
                answer = self._tamper(request, answer)
        except ProviderError as error:
            reader = self._reader
            told = error if reader is None else reader.failed(error, request)
            return Sent(number, latency_s, None, told)
        if self._reader is not None:
            answer = _carried(self._reader, request, answer)
        return Sent(number, answer.latency_s, answer)

    def _answer(self, request: Request) -> Answer:
        try:
            return self._model.answer(
                request, choose=self._boundary.choose, latency_s=self._latency_s
            )
        except UsageError as error:
            if self._out_of_script is None:
                raise
            return self._out_of_script(error)

    def _arrived(self, sent: Sent) -> Answer:
        """The answer of a request whose gate has opened, or its error, recorded."""
        answer = sent.answer
        if answer is None:
            assert sent.error is not None
            raise self._receipt(sent).failed(sent.error)
        if answer.fault is None:
            if answer.error is not None:
                raise self._receipt(sent).failed(answer.error)
        elif answer.fault.breaks and answer.carried == "whole":
            # What does not come in pieces comes whole, or not at all.
            raise self._receipt(sent, answer).failed()
        return answer

    def _receipt(self, sent: Sent, answer: Answer | None = None) -> Receipt:
        return Receipt(self._boundary, sent, answer)


def _carried(reader: Reader, request: Request, answer: Answer) -> Answer:
    """What of an answer its wire carries."""
    error = answer.error
    if error is not None:
        error = reader.failed(error, request)
    return replace(answer, response=reader.carried(answer.response), error=error)
