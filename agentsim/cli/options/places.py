"""Files that a command writes: looked at before its work, so that none is for nothing."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

from agentsim.core import UsageError

if TYPE_CHECKING:
    from agentsim.trace import Trace

__all__ = ["check_place", "not_written", "trace_not_written"]


def check_place(path: Path, flag: str, read: str = "") -> None:
    """Find out before the work whether a file can be there.

    Args:
        flag: The option that names it.
        read: What the command reads, which is not to be written over.

    Raises:
        UsageError: when none can be there, or it is what is read.
    """
    if path.is_dir():
        raise UsageError(f"{flag}: can't write {path}: {os.strerror(errno.EISDIR)}")
    if not path.parent.exists():
        raise UsageError(f"{flag}: can't write {path}: {os.strerror(errno.ENOENT)}")
    if read and _is_same(path, Path(read)):
        raise UsageError(
            f"{flag}: {path} is the file that is read, and would be lost: name another"
        )


def not_written(path: Path, flag: str, text: str) -> str | None:
    """Write a text; why that was not possible, or None.

    What there is to say of the work matters more, and must not get lost over it.
    """
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        return f"{flag}: can't write {path}: {why}"
    return None


def trace_not_written(path: Path, trace: Trace) -> str | None:
    """The same of a trace, which may hold what JSON can't carry."""
    from agentsim.trace import to_jsonl

    try:
        text = to_jsonl(trace)
    except UsageError as error:
        return f"--trace: can't write {path}: {error}"
    return not_written(path, "--trace", text)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return False
