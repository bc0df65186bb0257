"""Loops on the real OpenAI SDK have the same traces in another process, and on an older SDK."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.environments import ROOT
from tests.support.frameworks import OPENAI_2, framework, surroundings

SEEDS = 10
"""Random runs of each loop, with crashes and cancellations among them."""


DIGESTS = "tests.simulation.sdk.digests"


def printed(python: str | Path, hash_seed: str) -> str:
    """What a child process prints, in which each warning is an error."""
    done = subprocess.run(
        [python, "-W", "error", "-m", DIGESTS, str(SEEDS)],
        cwd=ROOT,
        env=surroundings(PYTHONHASHSEED=hash_seed),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_loops_on_the_real_sdk_are_repeatable() -> None:
    """Other processes and hash seeds change no byte, and nothing is said at the end.

    Nor does the older SDK: openai 2 speaks through httpx, openai 3 through httpx2. The
    story of a 429 that asks for 30 seconds and a 500 takes 30-odd virtual seconds.
    """
    here = printed(sys.executable, "0")
    assert printed(sys.executable, "1") == here
    for line in here.splitlines():
        assert 38 <= float(line.split()[1]) <= 39
        assert line.endswith("threads 0")
    assert printed(framework(OPENAI_2), "7") == here
