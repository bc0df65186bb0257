"""Other processes for runs: copies of this one where that is safe, else new ones.

A copy (`fork`) is there at once and has everything that this process has: agents made
inside functions, what tests put in the place of something, the hash seed. But only the
thread that makes it goes on in it, and what other threads hold stays held for ever. So a
copy is made on Linux only, and where no other thread is alive. A new process imports what
it is to run.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import IO

from agentsim.engine import watching_threads
from agentsim.simulation.exploring.sharing.places import (
    PLACE_BYTES,
    read_place,
    shared_place,
)

__all__ = ["Process", "forked", "started", "why_no_copy"]

_START = (
    "import sys; sys.path[:] = sys.argv[1:-3]; "
    "from agentsim.simulation.exploring.sharing.child import main; main()"
)

PATIENCE_S = 2.0
"""Real seconds that a process has to end which has closed its pipes."""

LOOK_S = 0.01
"""How often is looked whether it has."""

_THREADS = Path("/proc/self/task")


class Process:
    """A process of ours, with a pipe to it and one from it.

    Attributes:
        pid: Its number.
        orders: Where to write what it reads.
        answers: Where to read what it writes.
    """

    def __init__(
        self,
        pid: int,
        wait: Callable[[float | None], int | None],
        *,
        orders: int,
        answers: int,
        errors: IO[bytes],
        place: memoryview,
    ) -> None:
        self._place = place
        self.orders = orders
        self.answers = answers
        self.pid = pid
        self._wait = wait
        self._errors = errors
        self._code: int | None = None

    @property
    def run(self) -> int:
        """The number of the run that it is at, or was at its end; 0 for none."""
        return read_place(self._place)

    def end(self) -> int:
        """End it, whatever it does, and give its exit code; negative: by a signal."""
        if self._code is None:  # else its number may be another's by now
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._code = self._wait(None)
        assert self._code is not None
        return self._code

    def ended(self) -> tuple[int, str]:
        """The exit code of one that ends by itself, and the last that it wrote.

        One that closed its pipes and goes on is ended.
        """
        self._code = self._wait(PATIENCE_S)
        code = self.end()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return code, lines[-1] if lines else ""

    def close(self) -> None:
        """Close the pipes."""
        for pipe in (self.orders, self.answers):
            os.close(pipe)
        self._errors.close()


def why_no_copy() -> str:
    """Why this process can't be copied safely, in words; empty where it can."""
    if sys.platform != "linux":
        return "only Linux copies processes safely"
    try:
        threads = os.listdir(_THREADS)  # noqa: PTH208 - names only
    except OSError:
        return "the system does not tell which threads it has"
    if len(threads) <= 1 + watching_threads():
        return ""
    named = [
        one.name for one in threading.enumerate() if one.ident != threading.get_ident()
    ]
    names = ", ".join(named)
    return f"it has other threads{f': {names}' if names else ', of a library'}"


def forked(
    work: Callable[[int, int, memoryview], None], others: Sequence[Process]
) -> Process:
    """Copy this process, and let the copy work and end.

    Args:
        work: Is called with the pipes, one to read orders from, one for answers, and
            the place for the number of the run that it is at.
        others: Those started before, whose pipes are none of its business.

    Raises:
        OSError: when it can't be started.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        pipes = _Pipes(ours, theirs)
        # Ctrl-C is for this process, which ends its copies. Nothing may break in upon the
        # copy before it knows that it is one.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        theirs.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: see above
            pid = os.fork()
        if not pid:
            code = 1
            try:
                for other in others:
                    other.close()
                _be_alone(pipes.errors.fileno())
                os.close(pipes.orders)
                os.close(pipes.answers)
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
                work(pipes.read_orders, pipes.write_answers, pipes.place)
                code = 0
            except BaseException:  # noqa: BLE001 - told by who started it
                traceback.print_exc()
            finally:
                os._exit(code)
        ours.pop_all()
    return pipes.process(pid, partial(_exit_code, pid))


def started(job: bytes) -> Process:
    """Start a new process that works on a job.

    Args:
        job: As `packed` gives it.

    Raises:
        OSError: when it can't be started.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        pipes = _Pipes(ours, theirs)
        told = theirs.enter_context(tempfile.TemporaryFile())
        told.write(job)
        told.seek(0)
        ends = pipes.read_orders, pipes.write_answers, pipes.place_file
        optimised = ["-O"] * sys.flags.optimize
        made = subprocess.Popen(  # noqa: S603 - this very interpreter
            [sys.executable, *optimised, "-c", _START, *sys.path, *map(str, ends)],
            stdin=told,
            stdout=subprocess.DEVNULL,
            stderr=pipes.errors,
            pass_fds=ends,
            start_new_session=True,  # Ctrl-C is for this process, which ends the other
        )
        ours.pop_all()
    return pipes.process(made.pid, partial(_exit_of, made))


class _Pipes:
    """A pipe to a process and one from it, a file for what it writes, and a place.

    Args:
        ours: Closes our ends, if the process can't be started.
        theirs: Closes the other ends.
    """

    def __init__(self, ours: ExitStack, theirs: ExitStack) -> None:
        self.errors: IO[bytes] = ours.enter_context(
            tempfile.TemporaryFile()  # noqa: SIM115 - the process closes it
        )
        place = theirs.enter_context(
            tempfile.TemporaryFile()  # noqa: SIM115 - the memory outlives it
        )
        place.truncate(PLACE_BYTES)
        self.place_file = place.fileno()
        self.place = shared_place(self.place_file)
        self.read_orders, self.orders = os.pipe()
        theirs.callback(os.close, self.read_orders)
        ours.callback(os.close, self.orders)
        self.answers, self.write_answers = os.pipe()
        theirs.callback(os.close, self.write_answers)
        ours.callback(os.close, self.answers)

    def process(self, pid: int, wait: Callable[[float | None], int | None]) -> Process:
        """The process at the other ends."""
        return Process(
            pid,
            wait,
            orders=self.orders,
            answers=self.answers,
            errors=self.errors,
            place=self.place,
        )


def _exit_code(pid: int, timeout_s: float | None) -> int | None:
    """Wait for a copy to end; None if it is still there after a time."""
    waits = count() if timeout_s is None else range(int(timeout_s / LOOK_S))
    for _ in waits:
        try:
            found, status = os.waitpid(pid, 0 if timeout_s is None else os.WNOHANG)
        except ChildProcessError:
            return 0  # somebody else has waited for it: as `subprocess` says
        if found:
            return os.waitstatus_to_exitcode(status)
        select.select((), (), (), LOOK_S)
    return None


def _exit_of(made: subprocess.Popen[bytes], timeout_s: float | None) -> int | None:
    """The same for a new process."""
    try:
        return made.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return None


def _be_alone(errors: int) -> None:
    """Part from the terminal, and from what the process that was copied prints to."""
    os.setsid()
    # The watch over agents that block breaks in upon them by this signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream, place in ((0, nowhere), (1, nowhere), (2, errors)):
        os.dup2(place, stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for good
    sys.stdout = open(1, "w", closefd=False, errors="replace")  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, errors="replace")  # noqa: SIM115
    gc.freeze()  # what was there before is never garbage here
