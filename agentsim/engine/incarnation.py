"""The parts of one life, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from agentsim.core import EndingKind
from agentsim.engine.asyncio_shim import run_ready
from agentsim.engine.endings import Ending, who_waits
from agentsim.engine.gates import Gate
from agentsim.engine.life import Life
from agentsim.engine.loop import SimLoop
from agentsim.engine.seals.strays import Strays
from agentsim.engine.threads.jobs import BEGINS
from agentsim.engine.threads.leftover import leftover

_DRAIN_MAX = 10_000

_STRETCH = 100
"""Gates that open before it is asked again how many may: less, once there is no end."""


class Incarnation:
    """One life, for those that move it.

    Attributes:
        gates: Those that wait, in order of arrival.
        cancelled: Whether the engine cancelled its main task.
        crashed: Whether it died.
        gates_left: How many gates may open before it is asked again how many may.
        strays: What the run started and does not drive, to tell what is left of it.
        timers_max: How often the clock may move while no gate opens.
        timers_in_row: How often it did since the last of them.
    """

    __slots__ = (
        "cancelled",
        "crashed",
        "gates",
        "gates_left",
        "gates_max",
        "gates_opened",
        "life",
        "loop",
        "main",
        "strays",
        "timers_in_row",
        "timers_max",
    )

    def __init__(
        self,
        loop: SimLoop,
        gates: list[Gate],
        life: Life,
        *,
        main: asyncio.Task[Any],
        gates_max: Callable[[], int],
        timers_max: int,
        strays: Strays,
    ) -> None:
        self.loop = loop
        self.gates = gates
        self.life = life
        self.main = main
        self.cancelled = False
        self.crashed = False
        self.gates_max = gates_max
        self.gates_opened = 0
        self.gates_left = min(_STRETCH, gates_max())
        self.timers_max = timers_max
        self.strays = strays
        self.timers_in_row = 0

    def gates_go_on(self) -> bool:
        """Whether more gates may open, where those that were granted have."""
        self.gates_opened += _STRETCH
        self.gates_left = min(_STRETCH, self.gates_max() - self.gates_opened) - 1
        return self.gates_left >= 0

    def concluded(self, error: SystemExit | None = None) -> Ending:
        """End the life: its main task is done, or it asked to exit.

        What is merely finishing may finish, and generators left open are closed in
        order; a task or a thread that is alive after that is a leak.
        """
        if not self.main.done():
            return Ending("raised", error=error, unhandled=self._unhandled())
        kind, value, raised = self._outcome()
        loop = self.loop
        self.life.ended = True
        _drain(loop)
        self._let_threads_begin()
        _drain(loop)
        for generator in loop.open_generators():
            loop.generator_dropped(generator)
        _drain(loop)
        if loop.failure is not None:
            raise loop.failure
        closers = loop.closers()
        alive = [task for task in loop.alive_tasks() if task not in closers]
        if self.cancelled:
            alive = [task for task in alive if not loop.asked_for(task)]
        leaks = [f"tasks are alive after the end: {who_waits(alive)}"] if alive else []
        # Who was cancelled can't end its threads, and a program that ends leaves them.
        jobs = [] if self.cancelled or loop.jobs is None else loop.jobs.names()
        if jobs:
            leaks.append(f"functions on threads go on after the end: {', '.join(jobs)}")
        if threads := leftover(self.strays.descended):
            leaks.append(f"threads are alive after the end: {', '.join(threads)}")
        if leaks:
            kind = "leak"
        words = "; ".join(leaks)
        return Ending(kind, value, raised, words, self._unhandled())

    def _let_threads_begin(self) -> None:
        """Let functions that were given to threads run, if they need nothing more."""
        if not self.cancelled:
            for gate in [one for one in self.gates if one.label.startswith(BEGINS)]:
                self.gates.remove(gate)
                gate.opened.set_result(None)

    def stuck(self) -> Ending:
        """End a life in which nothing can go on."""
        if self.crashed:
            return Ending("crashed", unhandled=self._unhandled())
        if self.gates_left < 0:
            return self.endless(f"too many gates opened ({self.gates_max()})")
        if self.timers_in_row > self.timers_max:
            return self.endless(
                f"the clock moved {self.timers_max} times while no gate opened"
            )
        return self._ended("deadlock", "nothing can run and nothing is pending")

    def endless(self, words: str) -> Ending:
        """End a life that would go on without end."""
        return self._ended("livelock", words)

    def _ended(self, kind: EndingKind, words: str) -> Ending:
        alive = [*self.loop.alive_tasks(), *self.loop.alive_jobs()]
        words = f"{words}: {who_waits(alive)}"
        return Ending(kind, words=words, unhandled=self._unhandled())

    def _outcome(self) -> tuple[EndingKind, object, BaseException | None]:
        try:
            return "returned", self.main.result(), None
        except asyncio.CancelledError as error:
            return ("cancelled" if self.cancelled else "raised"), None, error
        except KeyboardInterrupt:
            raise  # it is Ctrl-C in this very moment: an agent's own ends the loop
        except BaseException as error:  # noqa: BLE001 - the ending carries it
            return "raised", None, error

    def _unhandled(self) -> tuple[str, ...]:
        self.loop.report_unasked()
        return tuple(self.loop.unhandled)


def _drain(loop: SimLoop) -> None:
    if not loop.ready:
        return
    try:
        run_ready(loop, _DRAIN_MAX)
    except SystemExit:
        loop.unhandled.append("SystemExit in a task that outlived the agent")
