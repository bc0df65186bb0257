"""Prints the digests of the traces of many random runs, for comparing processes.

`python -m tests.support.digests SEEDS` prints one line per scenario: its name and a
digest over the digests of its runs with the seeds below SEEDS.
"""

from __future__ import annotations

import hashlib
import sys

from agentsim.engine import Seeded
from agentsim.simulation import EXPLORING, Menu, run
from tests.support.scenarios import NAMES, scenario

__all__ = ["MENU", "digests"]

MENU = Menu(EXPLORING.policy, EXPLORING.faults, cancel=True, crash=True)
"""Everything that can happen."""


def digests(seeds: int) -> dict[str, str]:
    """Scenario -> digest over the traces of its runs with the seeds below `seeds`."""
    found: dict[str, str] = {}
    for name in NAMES:
        total = hashlib.blake2b(digest_size=8)
        for seed in range(seeds):
            made = run(scenario(name), menu=MENU, choices=Seeded(seed))
            total.update(f"{made.trace.digest()} {made.token} {made.words}\n".encode())
        found[name] = total.hexdigest()
    return found


if __name__ == "__main__":
    for name, digest in digests(int(sys.argv[1])).items():
        sys.stdout.write(f"{name} {digest}\n")
