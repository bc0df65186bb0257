"""Values on a pipe between two processes of ours: each behind the number of its bytes."""

from __future__ import annotations

import os
import pickle
import struct
from typing import Any

__all__ = ["Frames", "send"]

READ_BYTES = 1 << 16

_SIZE = struct.Struct("!I")


def send(pipe: int, *values: object) -> None:
    """Write values to a pipe, all at once.

    Raises:
        BrokenPipeError: when nobody reads any more.
    """
    told = bytearray()
    for value in values:
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        told += _SIZE.pack(len(data)) + data
    left = memoryview(told)
    while left:
        left = left[os.write(pipe, left) :]


class Frames:
    """The values that come out of a pipe.

    Attributes:
        is_over: Whether the other side has closed it.
    """

    def __init__(self, pipe: int) -> None:
        self.is_over = False
        self._pipe = pipe
        self._bytes = b""

    def read(self) -> list[Any]:
        """Wait until something comes, and give what is whole by then."""
        data = os.read(self._pipe, READ_BYTES)
        self.is_over = not data
        self._bytes += data
        found = []
        start, end = 0, len(self._bytes)
        while end - start >= _SIZE.size:
            (size,) = _SIZE.unpack_from(self._bytes, start)
            stop = start + _SIZE.size + size
            if stop > end:
                break
            found.append(pickle.loads(self._bytes[start + _SIZE.size : stop]))  # noqa: S301 - ours
            start = stop
        self._bytes = self._bytes[start:]
        return found
