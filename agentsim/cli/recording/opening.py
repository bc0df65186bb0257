"""What is looked at before a program is started: files, modes, services, the command."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentsim.cassettes.redaction import RedactionRules
from agentsim.cassettes.tape import MODES, Mode, Tape
from agentsim.core import UsageError, did_you_mean

__all__ = ["OpenTape", "Wanted", "check_command"]

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""Variables with keys: none of these is ever recorded, whatever it looks like."""

KEY_LENGTH_MIN = 12
"""Shorter ones are no keys, and would be found in words."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a cassette is to be used.

    Attributes:
        mode: One of the modes; empty: to record one that is not there yet.
    """

    path: Path
    mode: str = ""
    redacted: Sequence[str] = ()
    volatile: Sequence[str] = ()
    max_age_days: float | None = None

    def __post_init__(self) -> None:
        """Raise `UsageError` where a word of a command seems to stand for the file."""
        if self.path.suffix not in (".yaml", ".yml"):
            raise UsageError(
                f"record: expected OUT.yaml -- CMD, got {str(self.path)!r} for the file: "
                "let its name end in .yaml"
            )

    def open(self) -> OpenTape:
        """Open it.

        Raises:
            UsageError: for a wrong mode, and for a file that can't be used so.
        """
        mode = self._mode()
        is_new = not self.path.exists()
        keys = [os.environ.get(name, "") for name in KEYS]
        rules = RedactionRules(
            self.redacted, [key for key in keys if len(key) >= KEY_LENGTH_MIN]
        )
        tape = Tape(
            self.path,
            mode,
            rules=rules,
            volatile=self.volatile,
            max_age_days=self.max_age_days,
        )
        return OpenTape(tape, is_new=is_new)

    def _mode(self) -> Mode:
        if self.mode == "" and self.path.exists():
            raise UsageError(
                f"{self.path}: this file is there already: say by --mode whether to "
                "record it anew (record), to add what is missing (record-missing), to "
                "refresh or to replay it, or name another"
            )
        wanted = self.mode or "record"
        found = next((mode for mode in MODES if mode == wanted), None)
        if found is None:
            raise UsageError(
                f"--mode: expected one of {', '.join(MODES)}, got {wanted!r}"
                f"{did_you_mean(wanted, MODES)}"
            )
        return found


@dataclass(slots=True)
class OpenTape:
    """A tape, and what becomes of its file in the end.

    Attributes:
        is_new: Whether there was no file before.
        beside: Where the recording stands when it did not replace the old one.
    """

    tape: Tape
    is_new: bool
    beside: Path | None = field(default=None, init=False)

    def close(self, *, keep: bool) -> None:
        """Let go of the file; an empty recording leaves none where there was none.

        Args:
            keep: Whether what was recorded in place of an old cassette replaces it.
        """
        tape = self.tape
        empty = tape.use.live == 0
        tape.close(keep=keep)
        if tape.mode == "replay":
            return
        if self.is_new and empty:
            tape.path.unlink(missing_ok=True)
        elif tape.written != tape.path and not keep:
            if empty and tape.use.hits == 0:
                tape.written.unlink(missing_ok=True)
            else:
                near = tape.path.with_name(tape.written.name)
                self.beside = near if near.exists() else tape.written


def check_command(program: Sequence[str]) -> None:
    """Look for a command before anything else is done for it.

    Raises:
        UsageError: when there is none of its name.
    """
    if program and shutil.which(program[0]) is None:
        raise UsageError(
            f"can't start {program[0]!r}: there is no such command: name one that is on "
            "the PATH, or give its path"
        )
