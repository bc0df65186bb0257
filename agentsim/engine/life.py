"""One incarnation of the agent, as the simulated outside sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NoReturn

from agentsim.core import Event, Returned, UsageError
from agentsim.engine.gates import Fenced, Gate
from agentsim.engine.loop import SimLoop
from agentsim.engine.refusals import Refused
from agentsim.engine.seals.callers import NOBODY, caller
from agentsim.engine.seals.epoch import NEVER_NS, NEVER_S, SECOND_NS
from agentsim.engine.threads.held import HERE

__all__ = ["Life"]

_FENCED_MAX = 3


class Life:
    """The boundary of one incarnation: gates, choices and the trace, until it dies.

    After its death nothing is recorded, and each task of it that comes to a gate gets
    `Fenced` three times and then waits for ever.

    Attributes:
        number: 1 for the first life, and one more after each crash.
        dead: Whether it is over.
        ended: Whether its agent returned, and what it does from now on comes late.
    """

    __slots__ = (
        "_draw",
        "_fenced",
        "_gates",
        "_loop",
        "_record",
        "dead",
        "ended",
        "number",
    )

    def __init__(
        self,
        number: int,
        loop: SimLoop,
        *,
        gates: list[Gate],
        record: Callable[[Event], None],
        draw: Callable[[str, Sequence[str], Sequence[str]], int],
    ) -> None:
        self.number = number
        self.dead = False
        self.ended = False
        self._loop = loop
        self._gates = gates
        self._record = record
        self._draw = draw
        self._fenced: dict[asyncio.Task[object] | None, int] = {}

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the run began."""
        return self._loop.now_ns

    def record(self, event: Event) -> None:
        """Stamp an event with time and life and put it into the trace."""
        if not self.dead:
            if self.ended:
                self.ended = False
                self.record(Returned(who="engine"))
            event.at_ns = self._loop.now_ns
            event.life = self.number
            self._record(event)

    async def gate(self, label: str, *, latency_s: float = 0.0) -> None:
        """Park until the engine lets this operation go on.

        Args:
            label: What goes on, in the words of a person: `restart_service`, or
                `restart_service's answer`.
            latency_s: Virtual seconds until it is due; infinite, or more than a run
                lasts, for one that never answers.

        Raises:
            UsageError: The latency is negative or no number.
        """
        if self.dead:
            await self._fence()
        loop = self._loop
        due_ns = loop.now_ns
        if latency_s:
            if not 0 < latency_s < NEVER_S:
                await self._wait_for_ever(latency_s)
            due_ns += round(latency_s * SECOND_NS)
            if due_ns >= NEVER_NS:
                await self._wait_for_ever(NEVER_S)
        gate = Gate(label, due_ns, asyncio.Future(loop=loop))
        gates = self._gates
        gates.append(gate)
        try:
            await gate.opened
        except BaseException:
            # It has not opened: that happens only when nothing is ready, and then
            # its task is the next to run.
            gates.remove(gate)
            if not loop.is_on_its_thread:
                loop.refuse("an answer on a thread of its own", "threads")
            raise

    def choose(
        self, label: str, options: Sequence[str], kinds: Sequence[str] = ()
    ) -> int:
        """Draw one choice, recorded: an index into `options`, where 0 is dull.

        Args:
            options: Each in words; those of a deviation are told to the user.
            kinds: What the last options are; see `Choices.kinds`.

        After its death that is the dull one, of which nobody takes note: who asks again
        and again without waiting for anything must come as far as a gate, which is where
        the dead are stopped.
        """
        return 0 if self.dead else self._draw(label, options, kinds)

    def halt(self, failure: BaseException) -> None:
        """End the run with a failure when the task at hand next waits; the first wins.

        The agent does not see it, so that none can swallow it, or try again for ever:
        the caller parks the task at hand, by a gate with an infinite latency.
        """
        if not self.dead:
            self._loop.halt(failure)

    @staticmethod
    def outlived() -> NoReturn:
        """Fail the run at hand: what it asks through was given to one that is over.

        Raises:
            Refused: in a run, which ends with the `UsageError`.
            UsageError: outside of runs.
        """
        who = caller()
        error = UsageError(
            f"{'the agent' if who == NOBODY else who} used a client, a tool or a function "
            "of a run that is over: take them from the env of each run (of each life, "
            "after a crash), and keep none of them for the next"
        )
        loop = _loop_at_hand()
        if not isinstance(loop, SimLoop):
            raise error
        loop.halt(error)
        raise Refused(str(error))

    async def _fence(self) -> None:
        if asyncio.get_running_loop() is not self._loop:
            self.outlived()
        task = asyncio.current_task()
        self._fenced[task] = count = self._fenced.get(task, 0) + 1
        if count <= _FENCED_MAX:
            raise Fenced
        await self._loop.create_future()

    async def _wait_for_ever(self, latency_s: float) -> None:
        if not latency_s >= NEVER_S:  # NaN too
            error = UsageError(f"latency_s must be 0 or more, got {latency_s}")
            self._loop.halt(error)
            raise Refused(str(error))
        await self._loop.create_future()


def _loop_at_hand() -> asyncio.AbstractEventLoop | None:
    if HERE.baton is not None:
        return HERE.baton.loop
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
