"""The same choices give the same bytes: other process, hash seed and Python version."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.pythons import OTHERS, another

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


@pytest.mark.slow
def test_traces_are_the_same_everywhere() -> None:
    """Another hash seed and another Python make the same traces, tokens and words."""
    here = printed(sys.executable, "0")
    with ExitStack() as ends:
        for number, version in enumerate(OTHERS, 1):
            python = ends.enter_context(another(version))
            assert printed(python, str(number)) == here
