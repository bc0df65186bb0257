"""Runs of several threads follow one another: what a run seals is the whole process's.

Clock, chance, locks and the names of asyncio are changed in place while a life runs, so
that two runs at a time would each see the other's. Who starts a run while another thread
is in one waits for it. A run that is started from within a run, on a thread of that run,
waits for nothing: the outer one stands still meanwhile.
"""

from __future__ import annotations

import os
from _thread import RLock
from contextlib import AbstractContextManager, nullcontext

from agentsim.core import UsageError
from agentsim.engine.seals.hook import HOOK
from agentsim.engine.seals.inside import SERIES, depth, inside, none_runs
from agentsim.engine.seals.strays import plain_name, starter_of
from agentsim.engine.threads.held import HERE, current_thread

__all__ = ["in_turn"]

# Of C, so that Ctrl-C breaks in upon neither taking it nor giving it back.
_TURN = RLock()
_WITHIN = nullcontext()

_torn = False


def in_turn() -> AbstractContextManager[object]:
    """What to enter for as long as nothing of another thread's run may happen.

    Raises:
        UsageError: on a thread that an agent left to itself, whose run goes on: the two
            would wait for each other; and in a copy of the process that was made in the
            midst of a run.
    """
    if _torn:
        raise UsageError(
            "this process is a copy (os.fork) made while another thread was in a run, "
            "and holds half of that run: make the copy while no run is on, or let "
            'multiprocessing start its processes by "spawn"'
        )
    if depth():
        if inside() is not None:
            return _WITHIN
        _refuse_strays()
    HERE.simulates = True
    return _TURN


def _refuse_strays() -> None:
    """Refuse a run on a thread of which the run that is on knows nothing but its start."""
    thread = current_thread()
    starter = None if thread is None else starter_of(thread)
    if starter is not None:
        raise UsageError(
            f"a run was started on the thread {plain_name(thread)}, which {starter} "
            "started in a run that goes on: a thread that is left to itself can't wait "
            "for that run's end; start it on a thread that is no daemon, or by "
            "asyncio.to_thread, or after the run"
        )


def _forked() -> None:
    """Let a copy of the process begin without the runs of threads that it has not."""
    global _torn  # noqa: PLW0603 - as long as the process
    for kept in SERIES.values():
        kept.put_back()
    SERIES.clear()
    if _TURN.acquire(blocking=False):
        _TURN.release()
        return
    _torn = True
    none_runs()
    HOOK.nobody_judges()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
