"""Running tests/frameworks/child.py in the environments of frameworks.

To start one costs three seconds, most of them imports of the framework, so each answers
all tasks of the tests of a worker.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.support.environments import ROOT
from tests.support.frameworks import framework, surroundings

WARN = ("-W", "always::ResourceWarning")
"""What is not closed is told too; that nothing was awaited is told anyway."""


class Children:
    """The child processes of a worker: one by framework and hash seed."""

    def __init__(self) -> None:
        self._started: dict[tuple[str, int], Child] = {}

    def ask(self, name: str, *words: object, hash_seed: int = 0) -> dict[str, Any]:
        """What a child process answers; it leaves nothing on stderr.

        Args:
            name: The framework.
            words: A task of tests/frameworks/child.py.
        """
        python, key = framework(name), (name, hash_seed)
        if key not in self._started:
            self._started[key] = Child(python, hash_seed)
        return self._started[key].ask(words)

    def end(self) -> None:
        """End them; each ends well, and says nothing as it does."""
        ended = [child.end() for child in self._started.values()]
        assert ended == [(0, "")] * len(ended)


class Child:
    """One child process, and its stderr."""

    def __init__(self, python: Path, hash_seed: int) -> None:
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        self._process = subprocess.Popen(
            [python, *WARN, "-m", "tests.frameworks.child"],
            cwd=ROOT,
            env=surroundings(PYTHONHASHSEED=str(hash_seed)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def ask(self, task: tuple[object, ...]) -> dict[str, Any]:
        """Let it do a task."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(task)}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert (self._said(), answer[-1:]) == ("", "\n")
        found: dict[str, Any] = json.loads(answer)
        return found

    def end(self) -> tuple[int, str]:
        """Let it end: its code, and what stands on its stderr."""
        self._process.communicate()
        with self._errors:
            return self._process.returncode, self._said()

    def _said(self) -> str:
        # Both processes share the place in the file: this one leaves it at its end.
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), size, 0).decode()


def agents_of(name: str) -> str:
    """The module with the agents of a framework."""
    return f"tests.frameworks.agents.with_{name.replace('-', '_')}"
