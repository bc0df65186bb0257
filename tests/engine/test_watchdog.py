"""Who never lets the event loop go on is stopped, and told where it is."""

import signal
import subprocess
import sys
import time

import pytest

from tests.support.source import ROOT

pytestmark = pytest.mark.slow  # each in a process of its own

LIMIT_S = 60.0
"""Real seconds after which a process is taken to hang."""


def ending(program: str) -> str:
    """What became of a program of `stuck.py`."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.stuck", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("program", ["spins", "spins_on", "blocks", "sleeps"])
def test_who_holds_the_loop_is_stopped_and_told_where(program: str) -> None:
    """Computing without end, with everything swallowed, a lock, a real sleep."""
    told = ending(program)
    assert told.startswith(
        "UsageError: the agent has held the event loop for 0.4 real "
    )
    assert f"it is in {program} (stuck.py:" in told


def test_who_goes_on_step_by_step_may_take_its_time() -> None:
    """It is one callback that must end, not the run."""
    assert ending("computes") == "returned\n"


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
