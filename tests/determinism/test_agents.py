"""Agents of every form have the same traces in another process and Python."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.pythons import OTHERS, another

ROOT = Path(__file__).parents[2]

SEEDS = 15
"""Per form and scenario. By hand: `python -m tests.agents.digests 1000`."""


def printed(python: str | Path, hash_seed: str) -> str:
    """What a child process prints: a digest for each form of agents."""
    done = subprocess.run(
        [python, "-m", "tests.agents.digests", str(SEEDS)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_forms_of_agents_are_repeatable_everywhere() -> None:
    """Threads and generators too: other hash seeds and Pythons change no byte."""
    here = printed(sys.executable, "0")
    with ExitStack() as ends:
        for number, version in enumerate(OTHERS, 1):
            python = ends.enter_context(another(version))
            assert printed(python, str(number)) == here
