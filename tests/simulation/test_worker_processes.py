"""Real workers: they make the runs of one process, and none is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentsim.core import UsageError
from agentsim.simulation.exploring.ahead import Alone
from agentsim.simulation.exploring.explorer import Explorer
from agentsim.simulation.exploring.findings import Exploration
from agentsim.simulation.exploring.plans import Random
from tests.simulation import worker_agents as agents
from tests.simulation.fakes import obedient, reading

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def alone() -> list[object]:
    """What one process finds of an agent that fails where a tool fails."""
    explorer = Explorer(
        Exploration(reading(), "", agents.MENU), obedient, agents.RUNS, None
    )
    explorer.explore(Random(0), Alone())
    explorer.close(())
    return agents.told(explorer.found)


def test_new_processes_find_the_same(capfd: pytest.CaptureFixture[str]) -> None:
    """They import the agent; what it prints there is nobody's, and all of them end."""
    with agents.another_thread():
        assert agents.told(agents.found_with(agents.talkative, 2)) == alone()
        with pytest.raises(UsageError, match=r"ended in run \d+, with exit code 7; "):
            agents.found_with(agents.mortal, 1)
    printed = capfd.readouterr()
    assert "last words" not in printed.err


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux copies processes safely"
)
def test_copies_find_the_same() -> None:
    """They have the agent already, also one that is made inside a function."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation.worker_agents"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != agents.KEY},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in done.stdout.splitlines() if line != "on stdout"]
    assert lines[:2] == [str(alone())] * 2
    assert "ended in run" in lines[2]
    assert "exit code 7; the last that it wrote: the last words" in lines[2]
    assert "ended in run" in lines[3]
    assert len(lines) == 4
