"""What agents see of clocks and chance is the same in every process and Python."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.pythons import OTHERS, environment

pytestmark = pytest.mark.slow  # each makes runs in another process

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


@cache
def printed_here() -> str:
    """What this interpreter prints in a process of its own."""
    return printed(sys.executable, PYTHONHASHSEED="0", TZ="UTC")


def test_another_process_elsewhere_sees_the_same() -> None:
    """Neither hash seed nor time zone nor language change what is seen or traced."""
    assert "2026-01-01" in printed_here()
    there = {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"}
    assert printed(sys.executable, **there) == printed_here()


@pytest.mark.parametrize("version", OTHERS)
def test_another_python_sees_the_same(version: str) -> None:
    """Clocks, ids and random numbers are the same on all supported Pythons."""
    other = environment(version)
    assert printed(other, PYTHONHASHSEED="3", TZ="America/Lima") == printed_here()
