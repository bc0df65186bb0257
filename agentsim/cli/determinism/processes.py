"""Child processes of this Python, each with a hash seed and a heap of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import IO, Any

from agentsim.core import InternalError, UsageError

__all__ = ["Asked", "Child", "Line", "Setting", "children", "pinned_seed"]

_START = "from agentsim.cli.determinism.child import main; main()"

Line = Mapping[str, Any]
"""What a child tells of a run."""

_SEEDS = 1 << 32
"""How many hash seeds there are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a child is to run."""

    target: str
    agent: str
    runs: int


@dataclass(frozen=True, slots=True)
class Setting:
    """What may differ between processes that should do the same.

    Attributes:
        hash_seed: `PYTHONHASHSEED`.
        heap: Says how the heap is laid out; 0: as it comes.
    """

    hash_seed: int
    heap: int

    def other(self, number: int) -> Setting:
        """The setting of another process, by its number."""
        return Setting((self.hash_seed + number) % _SEEDS, self.heap + number)

    def __str__(self) -> str:
        heap = f"scattered by {self.heap}" if self.heap else "as it comes"
        return f"hash seed {self.hash_seed}, heap {heap}"


class Child:
    """A process that tells its runs one by one; `children` starts and ends it.

    Args:
        errors: An empty file for its standard error.
    """

    def __init__(self, asked: Asked, setting: Setting, errors: IO[bytes]) -> None:
        self.setting = setting
        self._asked = asked
        self._told = 0
        self._errors = errors
        self._process = subprocess.Popen(  # noqa: S603 - this very interpreter
            [sys.executable, "-c", _START, _argument(asked, setting)],
            env={**os.environ, "PYTHONHASHSEED": str(setting.hash_seed)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )

    def next(self) -> Line:
        """Wait for the next line: the first tells what is run, the others are runs.

        Raises:
            UsageError: the scenario or the agent can't be run, or the process died.
            InternalError: a bug of ours in it.
        """
        assert self._process.stdout is not None
        text = self._process.stdout.readline()
        if not text.endswith(b"\n"):
            raise self._death()
        line: Line = json.loads(text)
        if "usage" in line:
            raise UsageError(line["usage"])
        if "internal" in line:
            raise InternalError(line["internal"])
        self._told += 1
        return line

    def end(self) -> None:
        """Stop the process, whatever it does."""
        self._process.kill()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process.wait()

    def _death(self) -> UsageError:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        last = f"; the last that it wrote: {lines[-1]}" if lines else ""
        where = f"in run {self._told - 1}" if self._told else "before its first run"
        return UsageError(
            f"--determinism: a process with {self._asked.agent} and "
            f"PYTHONHASHSEED={self.setting.hash_seed} ended {where}, with exit code "
            f"{code}{last}"
        )


@contextlib.contextmanager
def children(asked: Asked, settings: Sequence[Setting]) -> Iterator[Sequence[Child]]:
    """Start one process per setting, side by side; none outlives the block."""
    with contextlib.ExitStack() as ends:
        started = []
        for setting in settings:
            errors = ends.enter_context(tempfile.TemporaryFile())
            child = Child(asked, setting, errors)
            ends.callback(child.end)
            started.append(child)
        yield started


def pinned_seed() -> int | None:
    """The hash seed of the user's own runs, or None where each process draws one."""
    given = os.environ.get("PYTHONHASHSEED", "")
    return int(given) if given.isdecimal() else None


def _argument(asked: Asked, setting: Setting) -> str:
    return json.dumps({**asdict(asked), "heap": setting.heap})
