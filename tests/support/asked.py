"""A process that is asked several things: each start with an SDK in it takes a second."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.source import ROOT

__all__ = ["answering"]


@contextmanager
def answering(
    command: Sequence[str | Path], env: Mapping[str, str]
) -> Iterator[Callable[[str], str]]:
    """Start a process that answers each line with a line, and says nothing beside it.

    It ends when there is nothing more to read, at the block's end.
    """
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=ROOT,
            env=env,
        ) as process,
    ):

        def ask(line: str) -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            assert answer.endswith("\n"), said()
            return answer

        def said() -> str:
            errors.seek(0)
            return errors.read()

        yield ask
        process.communicate()
        assert (said(), process.returncode) == ("", 0)
