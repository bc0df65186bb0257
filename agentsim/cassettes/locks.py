"""A lock on a file that ends with its process, however that ends."""

from __future__ import annotations

import contextlib
import sys
from typing import BinaryIO

__all__ = ["lock"]


def lock(file: BinaryIO) -> bool:
    """Lock an open file for writing, until it is closed or the process is gone.

    Returns:
        False when another holds the lock, in this process or in another.
    """
    with contextlib.suppress(OSError):
        _take(file)
        return True
    return False


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

else:
    import fcntl

    def _take(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
