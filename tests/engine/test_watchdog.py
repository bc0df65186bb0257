"""Who never lets the event loop go on is stopped, and told where it is."""

import asyncio
import signal
import subprocess
import sys
import threading
import time
import weakref
from types import FrameType
from typing import Any

import pytest

from agentsim.engine import Life
from agentsim.engine.asyncio_shim import run_ready
from agentsim.engine.threads.watchdog import _Watchdog
from tests.engine.runs import run
from tests.support.source import ROOT

in_a_process = pytest.mark.slow  # of their own

LIMIT_S = 60.0
"""Real seconds after which a process is taken to hang."""


STUCK = ("spins", "spins_on", "blocks", "sleeps")

PROGRAMS = (*STUCK, "computes", "imports", "buried")


@pytest.fixture(scope="module")
def endings() -> dict[str, str]:
    """What became of each program of `stuck.py`, one after the other."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.stuck", " ".join(PROGRAMS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.stderr == ""
    return dict(zip(PROGRAMS, done.stdout.splitlines(), strict=True))


@in_a_process
@pytest.mark.parametrize("program", STUCK)
def test_who_holds_the_loop_is_stopped_and_told_where(
    program: str, endings: dict[str, str]
) -> None:
    """Computing without end, with everything swallowed, a lock, a real sleep."""
    told = endings[program]
    assert told.startswith(
        "UsageError: the agent has held the event loop for 0.4 real "
    )
    assert f"it is in {program} (stuck.py:" in told


@in_a_process
@pytest.mark.parametrize("program", ["computes", "imports"])
def test_who_goes_on_step_by_step_may_take_its_time(
    program: str, endings: dict[str, str]
) -> None:
    """It is one callback that must end, not the run; and an import may be a long one."""
    assert endings[program] == "returned"


@in_a_process
def test_a_burial_has_an_end_and_is_tried_once(endings: dict[str, str]) -> None:
    """An agent that goes on at once when cancelled is let go of, and the next one alone."""
    assert endings["buried"] == "buried []"


@in_a_process
def test_ctrl_c_is_the_persons() -> None:
    """Who presses it while an agent computes gets it as ever, at once."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.engine.stuck", "spins", "patient"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=LIMIT_S)
    assert told.rstrip().endswith("KeyboardInterrupt")
    assert time.monotonic() - began < LIMIT_S / 2


class Thing:
    """Something that a callback holds."""


def test_it_keeps_nothing_that_it_saw() -> None:
    """What a callback held ends with it, on the run's own thread, though it was seen."""
    dog = _Watchdog()

    def look(_: Thing) -> None:
        sees = threading.Thread(
            target=dog._look, args=(threading.get_ident(),), daemon=True
        )
        sees.start()
        sees.join()

    async def main(life: Life) -> tuple[bool, int]:
        thing = Thing()
        alive = weakref.ref(thing)
        asyncio.get_running_loop().call_soon(look, thing)
        del thing
        for _ in range(3):
            await asyncio.sleep(0)
        return alive() is None, len(dog._seen)

    assert run(main).ending.value == (True, 1)


def test_who_is_traced_keeps_its_names() -> None:
    """A debugger writes the names of a frame back after each line: none gets lost."""
    dog = _Watchdog()
    ident = threading.get_ident()

    def trace(frame: FrameType, *_: object) -> Any:  # noqa: ANN401
        if frame.f_code is not run_ready.__code__:
            return None
        sees = threading.Thread(target=dog._look, args=(ident,), daemon=True)
        sees.start()
        sees.join()
        return trace

    async def main(_: Life) -> str:
        await asyncio.sleep(1)
        return "done"

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        ending = run(main).ending
    finally:
        sys.settrace(before)
    assert (ending.kind, ending.value) == ("returned", "done")
