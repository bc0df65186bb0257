"""What became of a request, and what is recorded of its answer as it comes."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass

from agentsim.core import (
    Boundary,
    DeltaReceived,
    ProviderError,
    RequestFailed,
    Response,
    ResponseReceived,
    StreamFault,
)
from agentsim.providers.model import Answer

__all__ = ["Attempt", "Receipt", "Sent", "broken_off", "received", "timed_out"]


@dataclass(slots=True)
class Sent:
    """A request under way, and what will become of it."""

    number: int
    latency_s: float
    answer: Answer | None = None
    error: ProviderError | None = None
    rule: str | None = None


class Receipt:
    """Records the answer of one request, for whoever carries it, as it is taken.

    Nothing is recorded behind its end, whichever that is.
    """

    __slots__ = ("_answer", "_boundary", "_sent", "over")

    def __init__(self, boundary: Boundary, sent: Sent, answer: Answer | None) -> None:
        self._boundary = boundary
        self._sent = sent
        self._answer = answer
        self.over = False

    @property
    def fault(self) -> StreamFault | None:
        """What goes wrong with the stream, or None."""
        return None if self._answer is None else self._answer.fault

    def text(self, text: str) -> None:
        """A piece of text was taken."""
        if not self.over:
            self._boundary.record(DeltaReceived(self._sent.number, text))

    def whole(self, other: Response | None = None) -> None:
        """The answer was taken whole.

        Args:
            other: What came, where it is not what the model said.
        """
        if self.over:
            return
        self.over = True
        assert self._answer is not None
        self._boundary.record(received(self._sent, self._answer, other))

    def failed(self, error: ProviderError | None = None) -> ProviderError:
        """No answer came, or none that is whole.

        Args:
            error: By default that of an answer that breaks off.

        Returns:
            The error, to be raised.
        """
        if error is None:
            assert self._answer is not None
            error = broken_off(self._answer)
        if not self.over:
            self.over = True
            sent = self._sent
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

    async def stall(self, timeout_s: float | None = None) -> None:
        """Wait for what never comes.

        Args:
            timeout_s: Virtual seconds that the sender waits for the next piece.

        Raises:
            ProviderError: when it gives the answer up.
        """
        try:
            async with asyncio.timeout(timeout_s):
                await self._boundary.gate("model", latency_s=math.inf)
        except TimeoutError:
            raise self.failed(timed_out(timeout_s)) from None


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of one request that came by a wire: a response, or else an error.

    Attributes:
        number: Of the request, 1-based over all lives of a run.
        receipt: Of an answer that is to be streamed: whoever streams it tells what was
            taken. None: it is recorded already.
    """

    number: int
    response: Response | None = None
    error: ProviderError | None = None
    receipt: Receipt | None = None


def received(
    sent: Sent, answer: Answer, other: Response | None = None
) -> ResponseReceived:
    """The event of an answer that was taken whole.

    Args:
        other: What came, where it is not what the model said.
    """
    response, index = answer.response, answer.index
    if other is not None and other != response:
        response, index = other, None
    return ResponseReceived(
        sent.number, response.message, response.stop_reason, response.usage, index
    )


def timed_out(timeout_s: float | None) -> ProviderError:
    """The error of a sender that gives up."""
    return ProviderError(
        f"no answer came within {timeout_s:g} seconds",
        status=None,
        kind="timeout",
        definite=False,
    )


def broken_off(answer: Answer) -> ProviderError:
    """The error of an answer that did not come whole."""
    if answer.error is not None:
        return answer.error
    return ProviderError(
        "the connection was closed before the response was complete",
        status=None,
        kind="connection_error",
        definite=False,
    )
