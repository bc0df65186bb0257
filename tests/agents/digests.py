"""Prints a digest for each right form over many random runs, for comparing processes.

`python -m tests.agents.digests SEEDS`; each runs with all faults, cancel and crash.
"""

from __future__ import annotations

import hashlib
import sys

from agentsim.engine import Seeded
from agentsim.simulation import run
from tests.agents.forms import RIGHT
from tests.support.digests import MENU
from tests.support.scenarios import scenario

STORIES = ("disk_full", "parallel_reads")


def digests(seeds: int) -> dict[str, str]:
    """Form -> digest over the traces of its runs with the seeds below `seeds`."""
    found: dict[str, str] = {}
    for form, agent in RIGHT.items():
        total = hashlib.blake2b(digest_size=8)
        for name in STORIES:
            for seed in range(seeds):
                made = run(scenario(name), agent, menu=MENU, choices=Seeded(seed))
                total.update(f"{made.trace.digest()} {made.words}\n".encode())
        found[form] = total.hexdigest()
    return found


if __name__ == "__main__":
    for form, digest in digests(int(sys.argv[1])).items():
        sys.stdout.write(f"{form} {digest}\n")
