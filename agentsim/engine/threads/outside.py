"""What threads outside of a simulation hand in to a loop, and how it waits for them.

A thread of a library may release a lock that a thread of the run waits for. Where all
else stands still, the loop waits for that in real time, for a while.
"""

from __future__ import annotations

import asyncio
import threading
from _thread import allocate_lock
from collections import deque
from contextlib import suppress

from agentsim.engine.threads.held import OUTSIDE_S, is_ours

__all__ = ["Outside"]


class Outside:
    """The part of a loop that such threads reach.

    Attributes:
        handed_in: Futures that they have made true.
        held_up: How many threads of the loop wait for a lock, an event or the like.
        idents: Of the threads of this life: its own, and those that it waits for.
    """

    held_up = 0
    idents: set[int]

    def __init__(self) -> None:
        self.handed_in: deque[asyncio.Future[bool]] = deque()
        self._bell = allocate_lock()
        self._bell.acquire()

    def owns(self, ident: int) -> bool:
        """Whether a thread is this loop's own, or one that it waits for."""
        return ident in self.idents

    def hand_in(self, future: asyncio.Future[bool]) -> None:
        """Take a future that a thread outside of the simulation has made true."""
        self.handed_in.append(future)
        with suppress(RuntimeError):  # the bell rings already
            self._bell.release()

    def take_in(self) -> bool:
        """Set what was handed in since the last time; False if nothing was."""
        if not self.handed_in:
            return False
        while self.handed_in:
            future = self.handed_in.popleft()
            if not future.done():
                future.set_result(True)
        return True

    def wait_outside(self) -> bool:
        """Where all else stands still, wait in real time for a thread of a library.

        Returns:
            Whether one of them let a thread of this loop go on.
        """
        if not self.held_up or not self.has_others:
            return False
        self._bell.acquire(timeout=OUTSIDE_S)
        return self.take_in()

    @property
    def has_others(self) -> bool:
        """Whether there are threads that go on while this loop's own does not."""
        main = threading.main_thread()
        return any(
            not (thread is main or is_ours(thread) or self.owns(thread.ident or 0))
            for thread in threading.enumerate()
        )
