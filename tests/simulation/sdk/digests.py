"""Prints digests of what loops on the real SDK do, for comparing processes.

`python -m tests.simulation.sdk.digests SEEDS` prints a line per loop: how long its story of
a 429 and a 500 takes, its digest, one over random runs with all that may happen, and how many
crashed, were cancelled, and left a thread.
"""

from __future__ import annotations

import hashlib
import sys
import threading
from collections import Counter
from collections.abc import Iterator

from agentsim.engine import Seeded
from agentsim.simulation import run
from tests.simulation.sdk.loops import telling, telling_blocking
from tests.simulation.sdk.stories import FIVE, STRUCK
from tests.simulation.sdk.streaming import streaming, streaming_blocking
from tests.support.digests import MENU


def digests(seeds: int) -> Iterator[str]:
    """A line per loop: seconds and digest of its story, digest of its random runs."""
    for agent in (telling, telling_blocking, streaming, streaming_blocking):
        story = run(STRUCK, agent)
        total = hashlib.blake2b(digest_size=8)
        met: Counter[str] = Counter()
        for seed in range(seeds):
            made = run(FIVE, agent, menu=MENU, choices=Seeded(seed))
            total.update(f"{made.trace.digest()} {made.words}\n".encode())
            met.update(name for name in made.struck if name in ("crash", "cancel"))
            met["threads"] += threading.active_count() - 1
        took = f"{story.outcome.at_ns / 1e9:.3f} s"
        told = ", ".join(
            f"{name} {met[name]}" for name in ("crash", "cancel", "threads")
        )
        yield f"{agent.__name__} {took} {story.trace.digest()} {total.hexdigest()} {told}"


if __name__ == "__main__":
    for line in digests(int(sys.argv[1])):
        sys.stdout.write(f"{line}\n")
