"""What agents see of clocks and chance is the same in every process and Python."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

import pytest

from tests.support.pythons import OTHERS, another

pytestmark = pytest.mark.slow  # it makes runs in other processes

ROOT = Path(__file__).parents[2]


def printed(python: str | Path, **env: str) -> str:
    """What the agents of `tests.seals.drawing` see and do in a process."""
    done = subprocess.run(
        [python, "-m", "tests.seals.drawing"],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_another_process_elsewhere_sees_the_same() -> None:
    """Neither hash seed nor time zone nor language nor Python change what is seen."""
    here = printed(sys.executable, PYTHONHASHSEED="0", TZ="UTC")
    assert "2026-01-01" in here
    there = (
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"},
        {"PYTHONHASHSEED": "3", "TZ": "America/Lima"},
    )
    with ExitStack() as ends:
        for surroundings, version in zip(cycle(there), OTHERS, strict=False):
            python = ends.enter_context(another(version))
            assert printed(python, **surroundings) == here
