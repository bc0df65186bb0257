"""The same choices give the same bytes: other process, hash seed and Python version."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.pythons import OTHERS, environment

ROOT = Path(__file__).parents[2]

SEEDS = 10
"""Per scenario: some 450 runs a process. By hand: `python -m tests.support.digests 1000`."""


def printed(python: str | Path, hash_seed: str) -> str:
    """What a child process prints for these seeds: a digest per scenario."""
    done = subprocess.run(
        [python, "-m", "tests.support.digests", str(SEEDS)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def printed_here() -> str:
    """What this interpreter prints in a process of its own."""
    return printed(sys.executable, "0")


@pytest.mark.slow
def test_traces_are_the_same_under_another_hash_seed() -> None:
    """Two processes with different hash seeds make the same traces, tokens and words."""
    assert printed_here() == printed(sys.executable, "1")


@pytest.mark.slow
@pytest.mark.parametrize("version", OTHERS)
def test_traces_are_the_same_on_another_python(version: str) -> None:
    """Another supported interpreter makes the same traces, tokens and words."""
    other = environment(version)
    assert printed_here() == printed(other, "3")
