"""Another layout of the heap, so that memory addresses differ from process to process."""

from __future__ import annotations

import random

__all__ = ["scatter"]

OBJECTS = 30_000

BYTES_MAX = 480
"""Of one object: with its header it still comes from the small-object allocator."""


def scatter(seed: int) -> list[bytes | None]:
    """Fill the heap with objects of all small sizes, and free every other one at random.

    What is allocated next takes the freed places, the last freed first: so even objects
    that are made one after the other lie in no order. The result has to be kept.

    Args:
        seed: Says which are freed, and in which order; 0 leaves the heap alone.
    """
    if not seed:
        return []
    chance = random.Random(seed)
    held: list[bytes | None] = [
        bytes(chance.randrange(BYTES_MAX)) for _ in range(OBJECTS)
    ]
    freed = list(range(0, OBJECTS, 2))
    chance.shuffle(freed)
    for place in freed:
        held[place] = None
    return held
