"""The life of a program that asks from outside: it is answered in real time.

The clock of its trace is a count: each answer comes as many seconds after its request as
the script says, whether anybody waited for them or not, and the program takes no time.
So the same program leaves the same trace on any day, and in process.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence

from agentsim.core import Event, RequestFailed, RequestSent, ResponseReceived
from agentsim.server.deviating import Deviations

__all__ = ["Halted", "LiveLife"]

NS_PER_S = 1_000_000_000


class Halted(Exception):
    """The run was halted, and answers nothing any more."""


class LiveLife:
    """One program as the simulated outside sees it; implements `Incarnation`.

    Args:
        record: Takes the events.
        deviations: The source of choices.
        real: Whether answers take their time.

    Attributes:
        number: 1 for the first life, and one more where the program began anew after it
            had left a request unanswered.
        failure: Why the run was halted, or None.
        over: Whether the run has ended: nothing is recorded any more.
        words: The deviations so far, in words.
        asked: How many requests came.
    """

    def __init__(
        self, record: Callable[[Event], None], deviations: Deviations, *, real: bool
    ) -> None:
        self._record = record
        self._deviations = deviations
        self._real = real
        self._now_ns = 0
        self._open: dict[asyncio.Task[object] | None, int] = {}
        self.number = 1
        self.failure: BaseException | None = None
        self.over = False
        self.words: list[str] = []
        self.asked = 0

    @property
    def now_ns(self) -> int:
        """Counted nanoseconds since the run began."""
        return self._now_ns

    def record(self, event: Event) -> None:
        """Stamp an event with time and life and put it into the trace."""
        if self.over:
            return
        event.at_ns = self._now_ns
        event.life = self.number
        if isinstance(event, RequestSent):
            self.asked += 1
            self._open[asyncio.current_task()] = event.number
        elif isinstance(event, ResponseReceived | RequestFailed):
            self._open.pop(asyncio.current_task(), None)
        self._record(event)

    async def gate(self, label: str, *, latency_s: float = 0.0) -> None:  # noqa: ARG002
        """Let an answer go on: at once, in its time, or never.

        Raises:
            Halted: The run was halted.
        """
        if self.failure is not None:
            raise Halted
        if latency_s == math.inf:
            await asyncio.get_running_loop().create_future()
        due_ns = self._now_ns + round(latency_s * NS_PER_S)
        if self._real and latency_s:
            await asyncio.sleep(latency_s)
        self._now_ns = max(self._now_ns, due_ns)

    def choose(
        self, label: str, options: Sequence[str], kinds: Sequence[str] = ()
    ) -> int:
        """Draw one choice: dull, but for the deviations that were asked for."""
        value = self._deviations.choose(label, len(options), kinds)
        if value:
            self.words.append(options[value])
        return value

    def halt(self, failure: BaseException) -> None:
        """Answer nothing from now on; the first failure stays."""
        if self.failure is None:
            self.failure = failure

    def left(self) -> bool:
        """The client of the task at hand went away: record it if it waited for an answer.

        Returns:
            Whether it did.
        """
        number = self._open.get(asyncio.current_task())
        if number is None:
            return False
        words = "the client closed the connection before it had the answer"
        self.record(
            RequestFailed(number, None, "connection_error", words, definite=False)
        )
        return True

    def forget(self) -> None:
        """Say that the task at hand waits for no answer any more."""
        self._open.pop(asyncio.current_task(), None)
