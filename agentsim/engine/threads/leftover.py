"""Threads that an agent started itself, and left running at its end."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

from agentsim.engine.threads.held import is_ours

GRACE_S = 0.2
"""Real seconds for all threads together that are about to end."""

_COUNTER = re.compile(r"[-_]\d+")


class LeftoverThreads:
    """Compares the threads at the end of an agent with those at the beginning.

    Daemon threads are not asked about, but for those of pools: libraries keep such for
    their own ends, and nothing waits for them when a program ends. Nor are those that a
    loop waits for: they are told as jobs, by the names of their functions.
    """

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before: Sequence[threading.Thread] = threading.enumerate()

    def names(self) -> list[str]:
        """Names of those that go on, in the order in which they were started.

        Numbers are left out, since they count all threads of a process.
        """
        if threading.active_count() <= len(self._before):
            return []
        left = [
            thread
            for thread in threading.enumerate()
            if thread not in self._before and _counts(thread) and not is_ours(thread)
        ]
        for thread in left:
            thread.join(GRACE_S / len(left))
        return [_COUNTER.sub("", thread.name) for thread in left if thread.is_alive()]


def _counts(thread: threading.Thread) -> bool:
    return not thread.daemon or thread.name.startswith("ThreadPoolExecutor")
