"""Environments of the frameworks whose agents are tried, and their Pythons.

    python = framework("langgraph")          # skips, with the reason, if there is none
    subprocess.run([python, script], check=True, cwd=ROOT, env=surroundings())

What one holds stands in `tests/frameworks/environments/NAME.txt`, with every version.
agentsim is not installed there: it is found by PYTHONPATH.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.environments import ROOT, Environment

FRAMEWORKS = ("pydantic-ai", "openai-agents", "langgraph")
OPENAI_2 = "openai-2"


def framework(name: str) -> Path:
    """Return the Python of a framework's environment, or skip the test."""
    # Only tests need pytest; `make venvs` runs this file as well.
    import pytest

    python = _environment(name).awaited()
    if python is None:
        pytest.skip(f"no environment for {name}: run `make venvs`")
    return python


def surroundings(**more: str) -> dict[str, str]:
    """The variables of a child process that finds agentsim, and its agents."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    return {**own, "PYTHONPATH": str(ROOT), **more}


def environments() -> Iterator[Environment]:
    """The environment of each framework."""
    return map(_environment, (*FRAMEWORKS, OPENAI_2))


def _environment(name: str) -> Environment:
    listed = f"tests/frameworks/environments/{name}.txt"
    # The list is complete, so nothing has to be looked up.
    install = ("--no-deps", "-r", listed)
    return Environment(name, Path(sys.executable), install, (listed,))
