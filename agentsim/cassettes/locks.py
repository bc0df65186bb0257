"""A lock on a file that ends with its process, however that ends."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import BinaryIO

from agentsim.core import CassetteError, CassetteInUse, shown_path

__all__ = ["let_go", "lock", "open_locked", "still_there"]


def open_locked(path: Path) -> BinaryIO:
    """Open a file for appending and lock it; its folders are made, and it itself too.

    It is unbuffered: what is written is with the operating system at once.

    Raises:
        CassetteInUse: while another holds the lock.
        CassetteError: when the file can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab+", buffering=0)
    except (OSError, ValueError):
        raise CassetteError(
            f"{shown_path(path)}: this file can't be written: check its folder and permissions"
        ) from None
    if not (lock(file) and still_there(file, path)):
        file.close()
        raise CassetteInUse(
            f"{shown_path(path)}: another recording writes this cassette: let it end, or "
            "record into another file"
        )
    return file


def still_there(file: BinaryIO, path: Path) -> bool:
    """Whether an open file still has its name: a recording may have replaced it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def lock(file: BinaryIO) -> bool:
    """Lock an open file for writing, until it is closed or the process is gone.

    Returns:
        False when another holds the lock, in this process or in another.
    """
    with contextlib.suppress(OSError):
        _take(file)
        return True
    return False


def let_go(file: BinaryIO) -> None:
    """Close a file that is locked, and give the lock back.

    A process that was forked meanwhile has the same file, and its lock: it would keep
    that for as long as it lives.
    """
    if not file.closed:
        _give_back(file)
        file.close()


if sys.platform == "win32":
    import msvcrt

    # Far behind the end, since Windows keeps others from reading what is locked.
    _PLACE = 1 << 40

    def _take(file: BinaryIO) -> None:
        at = file.tell()
        file.seek(_PLACE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(at)

    def _give_back(file: BinaryIO) -> None:
        """Closing does, and nothing is forked here."""

else:
    import fcntl

    def _take(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _give_back(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
