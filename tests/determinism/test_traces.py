"""The same choices give the same bytes: other process, hash seed and Python version."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pythons import OTHERS, environment

ROOT = Path(__file__).parents[2]

SEEDS = 1_000

FEW_SEEDS = 20


def printed(python: str | Path, seeds: int, hash_seed: str) -> str:
    """What a child process prints for these seeds."""
    done = subprocess.run(
        [python, "-m", "tests.support.digests", str(seeds)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_thousand_seeds_give_the_same_traces_under_another_hash_seed() -> None:
    """Two processes with different hash seeds make the same traces, tokens and words."""
    assert printed(sys.executable, SEEDS, "1") == printed(sys.executable, SEEDS, "2")


@pytest.mark.slow
@pytest.mark.parametrize("version", OTHERS)
def test_a_thousand_seeds_give_the_same_traces_on_another_python(version: str) -> None:
    """Another supported interpreter makes the same traces, tokens and words."""
    other = environment(version)
    assert printed(sys.executable, SEEDS, "0") == printed(other, SEEDS, "3")
