"""Programs that never go on, in a process of their own: their names are the argument."""

import asyncio
import importlib
import signal
import sys
import threading
import time

from agentsim.core import UsageError
from agentsim.engine import Engine, Life, Replay
from agentsim.engine.threads import baton, watchdog
from tests.engine.runs import run

LOCK = threading.Lock()

PATIENCE_S = {"computes": 1.0}
"""Real seconds a callback may take; what ends by itself has to on a busy machine, too."""


async def spins(_: Life) -> None:
    """Compute for ever."""
    if "patient" in sys.argv:
        sys.stdout.write("begins\n")
        sys.stdout.flush()
    while True:
        pass


async def spins_on(_: Life) -> None:
    """Compute for a long time, whatever is raised; then wait."""
    for _turn in range(3):
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001 - that is what it does
            continue


async def blocks(_: Life) -> None:
    """Wait for a lock that was made, and taken, before the run."""
    LOCK.acquire()


class Machine:
    """The machine's own clock, where a run does not look for it."""

    sleep = staticmethod(time.sleep)
    seconds = staticmethod(time.perf_counter)


async def sleeps(_: Life) -> None:
    """Sleep for real."""
    Machine.sleep(3_600)


async def computes(_: Life) -> None:
    """Take longer than is allowed, but not in one step: a tenth of it for each."""
    for _step in range(12):
        until = Machine.seconds() + watchdog.PATIENCE_S / 10
        while Machine.seconds() < until:
            pass
        await asyncio.sleep(0)


class Slow:
    """A finder of modules that takes its time, and finds none."""

    @staticmethod
    def find_spec(*_: object) -> None:
        """Take longer than a callback may."""
        LOCK.acquire(timeout=0.8)


async def imports(_: Life) -> None:
    """Load a module for the first time."""
    sys.meta_path.insert(0, Slow)
    importlib.import_module("wave")
    sys.meta_path.remove(Slow)


CANCELLED: list[str] = []


async def shields(life: Life) -> None:
    """Wait for a task whatever happens; once that is cancelled, for ever."""
    asked = asyncio.create_task(life.gate("tool"))
    while True:
        try:
            return await asyncio.shield(asked)
        except asyncio.CancelledError:
            CANCELLED[:] = [*CANCELLED[-2:], "again"]


def buried() -> str:
    """Bury two of them, and tell what the second saw of it."""
    for _ in range(2):
        CANCELLED.clear()
        engine = Engine(Replay({0: 1}), crash=True)
        engine.live(shields)
        engine.bury()
    return f"buried {CANCELLED}"


def told(program: str) -> str:
    """What became of a program, on a line."""
    if "patient" not in sys.argv:
        watchdog.PATIENCE_S = baton.PATIENCE_S = PATIENCE_S.get(program, 0.4)
    if program == "buried":
        return buried()
    try:
        return run(globals()[program]).ending.kind
    except UsageError as error:
        return f"UsageError: {error}"


if __name__ == "__main__":
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored in background jobs
    LOCK.acquire()
    for name in sys.argv[1].split():
        sys.stdout.write(f"{told(name)}\n")
