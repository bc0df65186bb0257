"""The engine: runs lives of an agent, and decides what the outside does next.

Ready callbacks run in asyncio's order. When nothing is ready, one gate opens or the
next timer fires; that is where the clock moves and where choices are drawn. A crash
stops the loop at once: nothing of the life runs again before `bury`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Literal

from agentsim.core import Event, UsageError
from agentsim.engine.asyncio_shim import Installed, run_ready
from agentsim.engine.burial import bury, freeze_once, lay_out
from agentsim.engine.choices import Choices
from agentsim.engine.endings import Ending
from agentsim.engine.gates import Gate
from agentsim.engine.incarnation import Incarnation
from agentsim.engine.life import Life
from agentsim.engine.loop import SimLoop
from agentsim.engine.scheduler import Scheduler, Told
from agentsim.engine.seals.sealed import Sealed
from agentsim.engine.seals.strays import Strays
from agentsim.engine.self_test import self_test
from agentsim.engine.threads.jobs import Jobs
from agentsim.engine.threads.replaced import Replaced
from agentsim.engine.threads.turns import in_turn
from agentsim.engine.threads.watchdog import Watched, keep_watch

__all__ = ["Engine", "Policy"]

Policy = Literal["timed", "any_order"]
"""`timed`: the earliest by due time goes on. `any_order`: a choice among all."""


def _ignore(event: Event) -> None:
    """Record nothing."""


class Engine:
    """Runs one simulation: life after life, over one clock and one choice sequence.

    Args:
        choices: Where every choice comes from.
        policy: What may go on next, when nothing is ready.
        record: Takes every event of a living incarnation, stamped.
        cancel: Whether the run may be cancelled, once, where a gate would open.
        crash: Whether the process may die there, `crashes_max` times.
        inject: What else may happen there, once each: words and callback.
        steps_max: Callbacks that may run while neither the clock moves nor a gate
            opens; more are a livelock.
        timers_max: Times that the clock may move in a row while no gate opens; the
            same.
        gates_max: Tells how many gates may open in one life; the same. It is asked again
            every hundred gates.

    Attributes:
        life_number: Number of the last life, 0 before the first.
    """

    def __init__(
        self,
        choices: Choices,
        *,
        policy: Policy = "timed",
        record: Callable[[Event], None] = _ignore,
        cancel: bool = False,
        crash: bool = False,
        inject: Sequence[tuple[str, Callable[[], None]]] = (),
        crashes_max: int = 1,
        steps_max: int = 1_000_000,
        timers_max: int = 1_000_000,
        gates_max: Callable[[], int] = lambda: 1_000_000,
    ) -> None:
        if policy not in ("timed", "any_order"):
            raise UsageError(f"policy must be 'timed' or 'any_order', got {policy!r}")
        with in_turn():
            self_test()
            freeze_once()
            keep_watch()
        self.life_number = 0
        self._record = record
        self._scheduler = Scheduler(
            choices,
            any_order=policy == "any_order",
            cancels=int(cancel),
            crashes=crashes_max if crash else 0,
            injections=inject,
        )
        self._steps_max = steps_max
        self._timers_max = timers_max
        self._gates_max = gates_max
        self._loop: SimLoop | None = None
        self._corpses: list[SimLoop] = []
        self._strays = Strays()

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the run began."""
        return 0 if self._loop is None else self._loop.now_ns

    @property
    def told(self) -> list[Told]:
        """The deviations, each with its position in the log, its label and its words."""
        return self._scheduler.told

    @property
    def words(self) -> list[str]:
        """The deviations in words, in order."""
        return [told.words for told in self._scheduler.told]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was met beside the run and not refused, in words; to be asked at its end."""
        return tuple(self._strays.notes())

    def live(self, main: Callable[[Life], Coroutine[Any, Any, object]]) -> Ending:
        """Run one incarnation, on a new loop and the same clock, until it ends.

        Raises:
            UsageError: The agent asked for what a simulation does not have, even if it
                swallowed the refusal.
            TokenError: A choice of the token does not fit.
            NondeterminismError: A choice is another than was expected.
        """
        with in_turn():
            return self._live(main)

    def _live(self, main: Callable[[Life], Coroutine[Any, Any, object]]) -> Ending:
        self.life_number += 1
        self._loop = loop = SimLoop(self.now_ns, self.life_number)
        gates: list[Gate] = []
        draw = partial(self._scheduler.draw, loop)
        life = Life(self.life_number, loop, gates=gates, record=self._record, draw=draw)
        loop.jobs = Jobs(loop, life.gate)
        collecting = gc.isenabled()
        # Else finalizers of the agent's garbage would run at a random step.
        gc.disable()
        try:
            with Installed(loop), Replaced(), Sealed(loop, self._strays), Watched():
                task = loop.create_task(main(life), name="main")
                ending = self._drive(
                    Incarnation(
                        loop,
                        gates,
                        life,
                        main=task,
                        gates_max=self._gates_max,
                        timers_max=self._timers_max,
                        strays=self._strays,
                    )
                )
        finally:
            life.dead = True
            if not loop.let_go():
                lay_out(loop)
                self._corpses.append(loop)
            if collecting:
                gc.enable()
        return ending

    def bury(self) -> None:
        """Close what is dead, behind the fence; to be called once judging is over."""
        corpses, self._corpses = self._corpses, []
        if corpses:
            with in_turn():
                for loop in corpses:
                    bury(loop)

    def _drive(self, now: Incarnation) -> Ending:
        """Run what is ready, and let one thing happen when nothing is, to the end."""
        loop, main = now.loop, now.main
        step = partial(self._scheduler.step, now)
        exit_error: SystemExit | None = None
        sufficed = True
        try:
            sufficed = run_ready(loop, self._steps_max, main, step)
        except SystemExit as error:
            exit_error = error
        except KeyboardInterrupt:
            if not loop.stuck:
                raise
        if loop.failure is not None:
            raise loop.failure
        if exit_error is not None or main.done():
            return now.concluded(exit_error)
        if not sufficed:
            return now.endless(
                f"{self._steps_max} callbacks ran while the clock stood still and no "
                f"gate opened"
            )
        return now.stuck()
