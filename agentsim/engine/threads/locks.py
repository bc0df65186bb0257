"""Locks that a thread of a simulation finds taken without stopping all the others.

On such a thread a lock that is taken means: hand over until it is free, in virtual
time. On the event loop's own thread nothing can happen meanwhile, so that a wait ends
in virtual time or is refused. On every other thread it is the standard library's lock.
"""

from __future__ import annotations

from _thread import TIMEOUT_MAX, allocate_lock, get_ident
from collections import deque
from typing import TYPE_CHECKING, cast

from agentsim.engine.refusals import BLOCKING
from agentsim.engine.seals.inside import inside, looking
from agentsim.engine.threads.held import HERE, OUTSIDE_S

if TYPE_CHECKING:
    from asyncio import Future

    from agentsim.engine.loop import SimLoop
    from agentsim.engine.threads.baton import Baton

__all__ = ["SimLock", "wrong_timeout"]


class SimLock:
    """Stands in for `threading.Lock`: it goes to those who wait in their order."""

    __slots__ = ("__weakref__", "_holder", "_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._holder = 0
        self._waiting: deque[Future[bool]] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - as there
        """Take the lock; False if it is taken, and stays so for `timeout` seconds."""
        if timeout != -1 and not (blocking and 0 <= timeout <= TIMEOUT_MAX):
            raise wrong_timeout(timeout, blocking=blocking)
        got = self._lock.acquire(blocking=False)
        if not got and blocking:
            baton = HERE.baton
            if HERE.is_starting:
                got = self._lock.acquire(timeout=timeout)
            elif baton is not None and baton.loop.owns(self._holder):
                got = self._hand_over(baton, timeout)
            elif baton is None and (loop := inside()) is not None:
                got = self._stand_still(loop, timeout)
            else:
                got = self._lock.acquire(timeout=timeout)
        if got:
            self._holder = get_ident()
        return got

    def release(self) -> None:
        """Give the lock to who has waited longest, or leave it free."""
        waiting = self._waiting
        while waiting:
            future = waiting.popleft()
            if not future.done():
                loop = cast("SimLoop", future.get_loop())
                if loop.owns(get_ident()):
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

    def _hand_over(self, baton: Baton, timeout: float) -> bool:
        """Let all others go on until it is free, or virtual seconds have passed."""
        loop = baton.loop
        future: Future[bool] = loop.create_future()
        if timeout >= 0:
            loop.call_later(timeout, _give_up, future)
        self._waiting.append(future)
        loop.held_up += 1
        try:
            return baton.wait_for(lambda: future)
        except BaseException:
            if future.done() and not future.cancelled() and future.result():
                self.release()  # it came in the moment of the end
            raise
        finally:
            loop.held_up -= 1

    def _stand_still(self, loop: SimLoop, timeout: float) -> bool:
        """Wait on the loop's thread, where only threads of libraries can end it."""
        real_s = min(timeout, OUTSIDE_S) if timeout >= 0 else OUTSIDE_S
        if loop.has_others and self._lock.acquire(timeout=real_s):
            return True
        if timeout < 0:
            loop.refuse("a wait for another thread", BLOCKING)
        looking("a wait on the event loop's thread")
        loop.stand_still(timeout, f"a wait of {timeout:g} seconds")
        return False


def wrong_timeout(timeout: float, *, blocking: bool = True) -> Exception:
    """The error for a time that no lock waits, in words that are the same everywhere."""
    if not blocking:
        return ValueError("can't specify a timeout for a non-blocking call")
    if timeout > TIMEOUT_MAX:
        return OverflowError("timeout value is too large")
    return ValueError("timeout value must be a non-negative number")


def _give_up(future: Future[bool]) -> None:
    if not future.done():
        future.set_result(False)
