"""Locks that a thread of a simulation finds taken without stopping all the others.

On such a thread a lock that is taken means: hand over until it is free, in virtual
time. On every other thread it is the lock of the standard library.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, cast

from agentsim.engine.threads.held import HERE

if TYPE_CHECKING:
    from asyncio import Future

    from agentsim.engine.loop import SimLoop
    from agentsim.engine.threads.baton import Baton

__all__ = ["SimLock"]


class SimLock:
    """Stands in for `threading.Lock`: it goes to those who wait in their order."""

    __slots__ = ("__weakref__", "_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._waiting: deque[Future[bool]] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - as there
        """Take the lock; False if it is taken, and stays so for `timeout` seconds."""
        baton = HERE.baton
        if baton is None or not blocking or (timeout < 0 and timeout != -1):
            return self._lock.acquire(blocking, timeout)
        return self._lock.acquire(blocking=False) or self._wait(baton, timeout)

    def release(self) -> None:
        """Give the lock to who has waited longest, or leave it free."""
        waiting = self._waiting
        while waiting:
            future = waiting.popleft()
            if not future.done():
                baton = HERE.baton
                loop = cast("SimLoop", future.get_loop())
                if (baton is not None and baton.loop is loop) or loop.is_on_its_thread:
                    future.set_result(True)
                else:
                    loop.hand_in(future)
                return
        self._lock.release()

    def locked(self) -> bool:
        """Whether it is taken."""
        return self._lock.locked()

    __enter__ = acquire

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        self.release()

    def _at_fork_reinit(self) -> None:
        self._lock = allocate_lock()
        self._waiting.clear()

    def _wait(self, baton: Baton, timeout: float) -> bool:
        loop = baton.loop
        future = loop.create_future()
        if timeout >= 0:
            loop.call_later(timeout, _give_up, future)
        self._waiting.append(future)
        try:
            return baton.wait_for(partial(_itself, future))
        except BaseException:
            if future.done() and not future.cancelled() and future.result():
                self.release()  # it came in the moment of the end
            raise


def _give_up(future: Future[bool]) -> None:
    if not future.done():
        future.set_result(False)


def _itself(future: Future[bool]) -> Future[bool]:
    return future
