"""The workers of an exploration: who has which runs before him, and what came of them."""

from __future__ import annotations

import os
import select
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial

from agentsim.core import UsageError
from agentsim.simulation.exploring.ahead import CrewDied
from agentsim.simulation.exploring.glance import Glance
from agentsim.simulation.exploring.plans import Plan
from agentsim.simulation.exploring.sharing.child import digest_of_first, work
from agentsim.simulation.exploring.sharing.frames import Frames, send
from agentsim.simulation.exploring.sharing.packing import Job, packed
from agentsim.simulation.exploring.sharing.processes import (
    Process,
    forked,
    started,
    why_no_copy,
)
from agentsim.simulation.run import Run

__all__ = ["Team", "Worker", "hire"]

LOOK_S = 0.002
"""Real seconds between two looks at what came back: looking is dear where runs are not."""

DEPTH_MAX = 32
"""Runs that a worker has before him at most."""


class Worker:
    """One of them.

    Attributes:
        queue: The numbers of the runs that it was given and has not told yet.
        digest: Of its own first run; None before it is ready for others.
    """

    def __init__(self, process: Process) -> None:
        self.process = process
        self.frames = Frames(process.answers)
        self.queue: deque[int] = deque()
        self.digest: str | None = None
        self._depth = 2

    def room(self, left: int | None) -> int:
        """How many runs it could do with; the last ones are left to all alike."""
        depth = self._depth if left is None else min(self._depth, max(1, left // 4))
        there = len(self.queue)
        return depth - there if there <= depth // 2 else 0

    def made(self, number: int) -> None:
        """Note that it has made a run; where it has none left, it should have had more."""
        at = self.queue.popleft()
        assert at == number, "runs come back in their order"
        if not self.queue:
            self._depth = min(2 * self._depth, DEPTH_MAX)


class Team:
    """Those who make runs in other processes, until `end`."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self._rooms: dict[Worker, int] = {}
        self._next_look_s = 0.0
        self._workers = [Worker(process) for process in processes]
        self._digest: str | None = None
        self._poll = select.poll()
        self._dead: dict[Worker, None] = {}
        self._by_pipe = {one.process.answers: one for one in self._workers}
        for pipe in self._by_pipe:
            self._poll.register(pipe, select.POLLIN)

    def end(self) -> None:
        """End all of them, whatever they do; again does nothing."""
        processes = [one.process for one in self._workers]
        self._workers.clear()
        for process in processes:
            process.close()  # where Ctrl-C breaks in, they end by themselves for it
        for process in processes:
            process.end()

    @property
    def pids(self) -> tuple[int, ...]:
        """The numbers of their processes."""
        return tuple(one.process.pid for one in self._workers)

    def expect(self, first: Run) -> None:
        """Say what the first run is: nobody gets runs before that is known."""
        self._digest = digest_of_first(first)

    @property
    def out(self) -> tuple[int, ...]:
        """Numbers of the runs that were given and have not come back."""
        return tuple(number for one in self._workers for number in one.queue)

    @property
    def begun(self) -> tuple[int, ...]:
        """Those of them that somebody is at, or has made and not told yet."""
        return tuple(
            number
            for one in self._workers
            for at, number in enumerate(one.queue)
            if not at or number <= one.process.run
        )

    @property
    def strangers(self) -> int:
        """Workers whose first run was another than here: they are given none."""
        if self._digest is None:
            return 0
        return sum(one.digest not in (None, self._digest) for one in self._workers)

    def room(self, left: int | None) -> int:
        """How many runs they could do with now."""
        known = [one for one in self._workers if self._is_known(one)]
        self._rooms = {one: one.room(left) for one in known}
        return sum(self._rooms.values())

    def give(self, runs: Sequence[tuple[int, Plan]]) -> None:
        """Share runs out, each to whoever has most room; `receive` tells who died."""
        rooms, self._rooms = self._rooms, {}
        shares: dict[Worker, list[tuple[int, Plan]]] = {one: [] for one in rooms}
        for run in runs:
            worker = max(rooms, key=rooms.__getitem__)
            rooms[worker] -= 1
            worker.queue.append(run[0])
            shares[worker].append(run)
        for worker, share in shares.items():
            try:
                send(worker.process.orders, *share)
            except BrokenPipeError:
                self._dead[worker] = None

    def receive(self, *, wait: bool) -> list[tuple[int, Glance | CrewDied | None]]:
        """What came back; in the place of the run that one died of, its death.

        Raises:
            UsageError: when somebody could not begin, or died of no run.
        """
        now_s = time.perf_counter()
        if not wait and now_s < self._next_look_s:
            return []
        self._next_look_s = now_s + LOOK_S
        found: list[tuple[int, Glance | CrewDied | None]] = []
        for pipe, _ in self._poll.poll(None if wait and not self._dead else 0):
            worker = self._by_pipe[pipe]
            for what, told in worker.frames.read():
                if what == "refused":
                    raise UsageError(told)
                if what == "up":
                    worker.digest = told
                    continue
                worker.made(what)
                found.append((what, None if told is None else Glance(*told)))
            if worker.frames.is_over:
                self._dead[worker] = None
        while self._dead:
            worker, _ = self._dead.popitem()
            found += self._left_by(worker)
        return found

    def _is_known(self, worker: Worker) -> bool:
        return worker.digest == self._digest is not None

    def _left_by(self, worker: Worker) -> Iterator[tuple[int, CrewDied | None]]:
        """The runs that a dead worker had before it; one of them is its end.

        Raises:
            CrewDied: when it had none.
        """
        died, left = self._death(worker), tuple(worker.queue)
        if not left:
            raise died
        self._poll.unregister(worker.process.answers)
        worker.queue.clear()
        worker.digest = None
        at = worker.process.run
        at = at if at in left else left[0]
        return ((number, died if number == at else None) for number in left)

    def _death(self, worker: Worker) -> CrewDied:
        code, last = worker.process.ended()
        how = f"with exit code {code}"
        if code < 0:
            how = f"by signal {_signal_name(-code)}"
            if code == -signal.SIGKILL:
                how += ", as the system does to what takes too much memory"
        where, hint = "before its first run", ""
        number = worker.process.run
        if number:
            where = f"in run {number}"
            hint = (
                f"; workers=1 and runs={number + 1} make that run last, in one process"
            )
        elif worker.digest is not None:
            where = "between two runs"
        told = f"; the last that it wrote: {last}" if last else ""
        return CrewDied(f"workers: one of them ended {where}, {how}{told}{hint}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def hire(job: Job, count: int) -> Team:
    """Start workers: copies of this process where that is safe, else new ones.

    Raises:
        UsageError: when what is run can't be known by new ones, or none can be started.
    """
    if os.name != "posix":
        raise UsageError("workers: more than 1 need Linux or macOS: leave it at 1")
    why = why_no_copy()
    told = packed(job, why) if why else b""
    processes: list[Process] = []
    try:
        for _ in range(count):
            processes.append(
                started(told) if why else forked(partial(work, job), processes)
            )
    except BaseException as error:
        for process in processes:
            process.close()
            process.end()
        if not isinstance(error, OSError):
            raise
        reason = error.strerror or type(error).__name__
        raise UsageError(f"workers: can't start another process: {reason}") from error
    return Team(processes)
