"""Answers as streams of bytes: what is taken is recorded, and what goes wrong happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from agentsim.core import ProviderError, Response
from agentsim.providers.attempts import Receipt
from agentsim.providers.transports.exchange import NoAnswer, Reason
from agentsim.providers.wires.answers import HttpAnswer, Pieces
from agentsim.providers.wires.courses import Course, course_of
from agentsim.providers.wires.dialect import Answered, Dialect
from agentsim.providers.wires.noise import noise_of

__all__ = ["Streamed", "stream_answer"]

Step = bytes | Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Streamed:
    """What is streamed, and what it stands on.

    Attributes:
        error: The one that the stream tells of, where its fault is one.
        timeout_s: Virtual seconds that the client waits for the next bytes.
        whole: Told when the answer was taken whole.
    """

    dialect: Dialect
    answered: Answered
    receipt: Receipt
    error: ProviderError | None
    timeout_s: float | None
    whole: Callable[[], None]


def stream_answer(streamed: Streamed) -> HttpAnswer:
    """The answer that streams; what of it is taken is recorded."""
    dialect, answered = streamed.dialect, streamed.answered
    number = answered.number
    error = streamed.error
    course = course_of(
        dialect.frames(answered),
        streamed.receipt.fault,
        error=dialect.error_frames(error, number=number) if error is not None else (),
        noise=noise_of(dialect),
    )
    headers = {"content-type": dialect.content_type, **dialect.headers(number)}
    return HttpAnswer(200, headers, pieces=Pieces(_steps(course, streamed)))


def _steps(course: Course, streamed: Streamed) -> Iterator[Step]:
    """The bytes, recorded as they are taken.

    Raises:
        NoAnswer: where the connection is lost.
    """
    receipt = streamed.receipt
    last = len(course.portions) - 1
    for number, portion in enumerate(course.portions):
        for frame in portion.frames:
            if frame.text:
                receipt.text(frame.text)
            if frame.ends and not receipt.over:
                receipt.whole(_read(course, streamed))
                streamed.whole()
        if course.then == "told" and number == last:
            receipt.failed()
        yield portion.raw
    if course.then == "stalls":
        yield _stalling(receipt, streamed.timeout_s)
    elif course.then == "cut":
        raise _lost(receipt.failed(), "RemoteProtocolError")
    elif not receipt.over:
        receipt.failed()


def _read(course: Course, streamed: Streamed) -> Response | None:
    """What a client reads of events that are not those of the answer."""
    if not course.altered:
        return None
    frames = [frame for portion in course.portions for frame in portion.frames]
    return streamed.dialect.read_frames(frames).response


def _stalling(
    receipt: Receipt, timeout_s: float | None
) -> Callable[[], Awaitable[None]]:
    async def wait() -> None:
        try:
            await receipt.stall(timeout_s)
        except ProviderError as error:
            raise _lost(error, "ReadTimeout") from None

    return wait


def _lost(error: ProviderError, reason: Reason) -> NoAnswer:
    return NoAnswer(str(error), reason)
