"""Running tests/frameworks/child.py in the environment of a framework."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.support.environments import ROOT
from tests.support.frameworks import framework, surroundings

WARN = ("-W", "always::ResourceWarning")
"""What is not closed is told too; that nothing was awaited is told anyway."""


def child(
    name: str, *words: object, hash_seed: int = 0, folder: Path = ROOT
) -> dict[str, Any]:
    """What a child process tells; it ends well and leaves nothing on stderr.

    Args:
        name: The framework.
        words: The command line of tests/frameworks/child.py.
        folder: Where it finds modules of its own.
    """
    path = f"{ROOT}{os.pathsep}{folder}"
    done = subprocess.run(
        [framework(name), *WARN, "-m", "tests.frameworks.child", *map(str, words)],
        cwd=ROOT,
        env=surroundings(PYTHONHASHSEED=str(hash_seed), PYTHONPATH=path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def agents_of(name: str) -> str:
    """The module with the agents of a framework."""
    return f"tests.frameworks.agents.with_{name.replace('-', '_')}"
