"""Agents that can't be closed do not keep Python from exiting."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentsim.engine import burial
from tests.support.pythons import SUPPORTED, environment

ROOT = Path(__file__).parents[2]

CODE = """
import resource

resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000, 2_000_000_000))

from agentsim.core import UnscriptedRequest
from agentsim.simulation import run
from tests.simulation.fakes import ask, silent


def stubborn(caught):
    seen = []

    async def agent(env):
        while True:
            try:
                await ask(env)
            except caught as error:
                seen.append(error)

    return agent


for caught in (Exception, BaseException) * 3:
    try:
        run(silent(), stubborn(caught))
    except UnscriptedRequest:
        print("ran")
"""


@pytest.mark.slow
@pytest.mark.parametrize("version", SUPPORTED)
def test_python_exits_though_dead_agents_catch_everything(version: str) -> None:
    """What is left of them is never run again, not even as the interpreter goes down."""
    done = subprocess.run(
        [environment(version), "-c", CODE],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n" * 6, "")


def test_the_graveyard_holds_itself() -> None:
    """Clearing the names of its module does not free it."""
    assert burial._GRAVEYARD["itself"] is burial._GRAVEYARD
