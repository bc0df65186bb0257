"""Between the clients of a deck and its tape: what is recorded answers, the rest is heard."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from agentsim.cassettes.deck.hearing import Hearing, recorded_request
from agentsim.cassettes.deck.playing import Playing, played
from agentsim.cassettes.tape import Tape
from agentsim.cassettes.wires import wire_of_url
from agentsim.core import CassetteMiss, UsageError, shown_path
from agentsim.providers.transports import HttpRequest
from agentsim.providers.wires import HttpAnswer

__all__ = ["TapeChannel", "Traffic", "at_once", "pause_async", "pause_blocking"]

T = TypeVar("T")


class Traffic:
    """What the clients of a deck have going on over its tape.

    Attributes:
        misses: What could not be answered, whatever became of it.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.misses: list[CassetteMiss] = []
        self._open: dict[Hearing, None] = {}
        self._is_over = False

    def check(self) -> None:
        """Refuse to go on when it is over.

        Raises:
            UsageError: with the name of the cassette.
        """
        if self._is_over:
            raise UsageError(
                f"{shown_path(self.tape.path)}: a client of this cassette was used after its "
                "block: use it inside, or make another one"
            )

    def hear(self, request: HttpRequest) -> Hearing:
        """Begin to hear of a request that goes out."""
        wire = wire_of_url(request.method, request.url)
        taking = self.tape.begin(recorded_request(request), wire)
        hearing = Hearing(taking, lambda one: self._open.pop(one, None))
        self._open[hearing] = None
        return hearing

    def miss(self, words: str) -> CassetteMiss:
        """The error for who asked for what is not there."""
        missed = CassetteMiss(f"{shown_path(self.tape.path)}: {words}")
        self.misses.append(missed)
        return missed

    def close(self) -> None:
        """End what nobody has read to its end."""
        self._is_over = True
        for hearing in list(self._open):
            hearing.end("closed by the client")


class TapeChannel:
    """Answers the requests of one kind of client out of a tape, and hears of the others.

    Args:
        playing: How this kind gets them.
    """

    def __init__(self, traffic: Traffic, playing: Playing) -> None:
        self._traffic = traffic
        self._playing = playing

    async def answer(self, request: HttpRequest) -> HttpAnswer | None:
        """Answer a request, or let it go out: None.

        Raises:
            NoAnswer: when none came when it was recorded.
            CassetteMiss: when it was never recorded, and nothing may go out.
        """
        traffic = self._traffic
        traffic.check()
        wire = wire_of_url(request.method, request.url)
        try:
            found = traffic.tape.answer(recorded_request(request), wire)
        except CassetteMiss as miss:
            traffic.misses.append(miss)
            raise
        if found is None:
            return None
        return await played(found, request, self._playing, traffic.miss)

    async def replay(self, request: HttpRequest) -> HttpAnswer:
        """Answer a request where nothing goes out; raises what `answer` does."""
        answer = await self.answer(request)
        assert answer is not None
        return answer

    def begin(self, request: HttpRequest) -> Hearing:
        """Begin to hear of a request that goes out now."""
        return self._traffic.hear(request)


def at_once(ask: Callable[[], Awaitable[T]], /) -> T:
    """Run to its end what never waits but by blocking."""
    steps = ask().__await__()
    try:
        next(steps)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("a blocking client was to wait as one of async functions does")


async def pause_async(seconds: float) -> None:
    """Wait as async functions do."""
    import anyio

    await anyio.sleep(seconds)


async def pause_blocking(seconds: float) -> None:
    """Block."""
    time.sleep(seconds)  # noqa: ASYNC251 - of a client that blocks
