"""Threads that an agent started itself, and left running at its end."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from agentsim.engine.seals.strays import plain_name
from agentsim.engine.threads.held import is_ours

GRACE_S = 0.2
"""Real seconds for all threads together that are about to end."""


def leftover(descended: Iterable[threading.Thread]) -> list[str]:
    """Names of the threads that go on, in the order in which they were started.

    Daemon threads are not asked about, but for those of pools: libraries keep such for
    their own ends, and nothing waits for them when a program ends. Nor are those that a
    loop waits for: they are told as jobs, by the names of their functions. Numbers are
    left out, since they count all threads of a process.

    Args:
        descended: Those that the run started, and that these did; what the program
            around it starts meanwhile is none of them.
    """
    left = [
        thread
        for thread in descended
        if thread.is_alive() and _counts(thread) and not is_ours(thread)
    ]
    for thread in left:
        thread.join(GRACE_S / len(left))
    return [plain_name(thread) for thread in left if thread.is_alive()]


def _counts(thread: threading.Thread) -> bool:
    return not thread.daemon or thread.name.startswith("ThreadPoolExecutor")
