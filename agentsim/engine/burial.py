"""Keeping the dead, and closing them behind the fence once judging is over.

From its death on a loop with anything alive in it lies in the graveyard, so that no
garbage collection runs a dead agent's `finally` blocks at a random time. At its burial
its tasks are cancelled in order of creation and drained for a bounded time; what still
does not end stays in the graveyard for ever. So does, untouched, what is known to go on
without waiting for anything when it is cancelled.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import cache
from typing import Any

from agentsim.engine.asyncio_shim import Installed, forget_task, run_ready
from agentsim.engine.loop import SimLoop
from agentsim.engine.seals.callers import suspended
from agentsim.engine.seals.sealed import Sealed
from agentsim.engine.threads.replaced import Replaced
from agentsim.engine.threads.watchdog import HOPELESS, Watched

_ROUNDS = 4
_HANDLES_MAX = 1_000
_STOPS_MAX = 100

_GRAVEYARD: dict[object, object] = {}
# At the end of the interpreter the names of modules are cleared. What holds itself, in
# the part of the heap that is never collected, outlives that: else each dead coroutine
# would be closed there, and one that catches everything would never let Python exit.
_GRAVEYARD["itself"] = _GRAVEYARD


@cache
def freeze_once() -> None:
    """Take what is loaded out of the garbage collector's sight, once per process.

    Without it a collection costs 0.2 s in a process with a few thousand modules; and
    this module, the graveyard with it, outlives even the collection at exit.
    """
    gc.freeze()


def lay_out(loop: SimLoop) -> None:
    """Keep a dead loop, with all that is alive in it."""
    _GRAVEYARD[loop] = list(loop.open_generators())


def bury(loop: SimLoop) -> None:
    """Cancel, drain and close what is alive in a dead loop; raise nothing of it."""
    now_ns = loop.now_ns  # the run is over, whatever a `finally` still sleeps
    if not _is_hopeless(loop):
        with Installed(loop), Replaced(), Sealed(loop), Watched():
            _close(loop)
    loop.advance(now_ns)
    if loop.let_go():
        del _GRAVEYARD[loop]
        return
    lay_out(loop)
    for task in [*loop.alive_tasks(), *loop.alive_jobs()]:
        if isinstance(task, asyncio.Task):
            forget_task(task)


def _is_hopeless(loop: SimLoop) -> bool:
    return bool(HOPELESS) and any(
        frame.f_code in HOPELESS
        for task in loop.alive_tasks()
        for frame in suspended(task)
    )


def _close(loop: SimLoop) -> None:
    for _ in range(_ROUNDS):
        alive = [*loop.alive_tasks(), *loop.alive_jobs()]
        if not alive:
            break
        for task in alive:
            _quietly(task.cancel)
        _drain(loop)
        if loop.stuck:
            return
    for generator in loop.open_generators():
        loop.create_task(generator.aclose())
    _drain(loop)


def _drain(loop: SimLoop) -> None:
    for _ in range(_STOPS_MAX):
        if not loop.ready:
            return
        loop.halted = False
        try:
            if not run_ready(loop, _HANDLES_MAX):
                return
        except SystemExit:
            continue
        except KeyboardInterrupt:
            if not loop.stuck:
                raise
        if loop.stuck:
            return


def _quietly(action: Callable[[], Any]) -> None:
    try:
        action()
    except Exception:  # noqa: BLE001 - the dead agent's own `cancel`; the trace is judged
        return
