"""Runs the command line in this process, as a person would see it."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from typing import Any

from agentsim.cli import main

__all__ = ["Done", "agentsim"]


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        """What `--json` printed."""
        data: dict[str, Any] = json.loads(self.out)
        return data


def agentsim(*arguments: str) -> Done:
    """Run `agentsim ARGUMENTS`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _exit_code(arguments)
    return Done(code, out.getvalue(), err.getvalue())


def _exit_code(arguments: tuple[str, ...]) -> int:
    code: object = None
    try:
        main(arguments)
    except SystemExit as end:
        code = end.code
    assert isinstance(code, int), "the command line must end with an exit code"
    return code
