"""What a worker does: it makes the runs that it is given, and tells each at a glance."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from agentsim.core import AgentsimError, UsageError
from agentsim.engine import Series
from agentsim.simulation.exploring.glance import Glance
from agentsim.simulation.exploring.independence import dependence
from agentsim.simulation.exploring.plans import Dull, Plan, make
from agentsim.simulation.exploring.sharing.frames import Frames, send
from agentsim.simulation.exploring.sharing.packing import Job, unpacked
from agentsim.simulation.exploring.sharing.places import shared_place, write_place
from agentsim.simulation.exploring.warming import warm_up
from agentsim.simulation.run import Run

__all__ = ["Told", "digest_of_first", "glance_at", "main", "work"]


EVERY_S = 0.005
"""Real seconds after which a worker tells what it has made: it is dear to tell each run."""


def work(job: Job, orders: int, answers: int, place: memoryview) -> None:
    """Make runs until there are no more orders.

    It begins as every exploration does, with the run without deviations, and tells its
    digest: where that differs, the runs of this process are not those of the other.

    Args:
        orders: The pipe that numbers and plans of runs come from.
        answers: The pipe for what was made.
        place: Where the number of the run stands that it is at, or 0: who started the
            worker reads it there once the worker has died.
    """
    with Series():
        warm_up(job.scenario, job.agent, job.menu)
        send(answers, ("up", digest_of_first(_first(job))))
        told = Told()
        frames = Frames(orders)
        while not frames.is_over:
            made: list[tuple[int, object]] = []
            sent_s = time.perf_counter()
            for number, plan in frames.read():
                write_place(place, number)
                made.append((number, glance_at(job, plan, told)))
                if time.perf_counter() - sent_s >= EVERY_S:
                    send(answers, *made)
                    made.clear()
                    sent_s = time.perf_counter()
            if made:
                send(answers, *made)
            write_place(place, 0)


def main() -> None:
    """Work in a new process: the job is on stdin, the pipes are arguments."""
    orders, answers, place = map(int, sys.argv[-3:])
    try:
        job = unpacked(sys.stdin.buffer.read())
    except UsageError as error:
        send(answers, ("refused", str(error)))
    else:
        work(job, orders, answers, shared_place(place))


def digest_of_first(made: Run | None) -> str:
    """What tells whether the first run is the same in two processes."""
    try:
        return "" if made is None else made.trace.digest()
    except UsageError:
        return ""  # it can't be written


def _first(job: Job) -> Run | None:
    try:
        return make(Dull(), job.scenario, job.agent, job.menu)
    except AgentsimError:
        return None  # it is not possible: whoever explores will see the same


def glance_at(job: Job, plan: Plan, told: Told) -> tuple[Any, ...] | None:
    """What is told of a run; None for one that can't be made, which is seen elsewhere too.

    Of each kind of trouble one run is made twice, as where all runs are made in one process.
    """
    try:
        made = make(plan, job.scenario, job.agent, job.menu)
        seen = Glance.of(made)
        if told.is_new(seen.struck):
            seen = seen._replace(parts=dependence(made, job.agent))
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 - it is raised where it counts
        return None
    return told.news(seen)


class Told:
    """Leaves out what this worker has told before: most runs meet the same."""

    def __init__(self) -> None:
        self._told: dict[str, None] = {}

    def is_new(self, struck: Sequence[str]) -> bool:
        """Whether anything struck that struck in no run before."""
        return any(name not in self._told for name in struck)

    def news(self, seen: Glance) -> tuple[Any, ...]:
        """What is left of a run to be told."""
        met = tuple([name for name in seen.met if name not in self._told])
        notes = tuple([note for note in seen.notes if note not in self._told])
        self._told.update(dict.fromkeys((*met, *notes)))
        return tuple(seen._replace(met=met, notes=notes))
