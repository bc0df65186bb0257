"""The number of the run that a worker is at, in memory that two processes share.

A worker tells several runs at a time. If it dies, this is what is left of it.
"""

from __future__ import annotations

import mmap

__all__ = ["PLACE_BYTES", "read_place", "shared_place", "write_place"]

PLACE_BYTES = 8


def shared_place(file: int) -> memoryview:
    """The memory of a file of so many bytes, shared by all who have it."""
    return memoryview(mmap.mmap(file, PLACE_BYTES))


def write_place(place: memoryview, number: int) -> None:
    """Say which run it is."""
    place[:] = number.to_bytes(PLACE_BYTES, "little")


def read_place(place: memoryview) -> int:
    """Which run it was; 0 for none."""
    return int.from_bytes(place, "little")
