"""Running tests/frameworks/child.py in the environment of a framework."""

import json
import subprocess
from typing import Any

from tests.support.environments import ROOT
from tests.support.frameworks import framework, surroundings

WARN = ("-W", "always::ResourceWarning")
"""What is not closed is told too; that nothing was awaited is told anyway."""


def child(name: str, *words: object, hash_seed: int = 0) -> dict[str, Any]:
    """What a child process tells; it ends well and leaves nothing on stderr."""
    done = subprocess.run(
        [framework(name), *WARN, "-m", "tests.frameworks.child", *map(str, words)],
        cwd=ROOT,
        env=surroundings(PYTHONHASHSEED=str(hash_seed)),
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
