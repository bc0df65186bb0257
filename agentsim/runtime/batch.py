"""All calls of one response: reads together, everything else alone (spec R4)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agentsim.core import LoopBlocked, call_key
from agentsim.runtime.calls import answer_call
from agentsim.runtime.session import RunOver, Session, Slot
from agentsim.runtime.texts import loop_block


async def answer_batch(session: Session) -> None:
    """Answer every call of the response at hand, and append the results in order.

    A stretch begins after everything before it has finished and was counted, and
    nothing after it starts until it has finished (R4.2).

    Raises:
        RunOver: when the run ends meanwhile; what has no result yet gets one when the
            run is finished (R3.9).
    """
    for stretch in stretches(session.slots):
        if len(stretch) == 1:
            await answer_call(session, stretch[0])
        else:
            await _overlap(session, stretch)
        _count(session, stretch)
    session.append_results()


def stretches(slots: Sequence[Slot]) -> list[list[Slot]]:
    """Split calls, in their order, into what may overlap and what runs alone."""
    found: list[list[Slot]] = []
    for slot in slots:
        if found and not slot.alone and not found[-1][0].alone:
            found[-1].append(slot)
        else:
            found.append([slot])
    return found


async def _overlap(session: Session, slots: Sequence[Slot]) -> None:
    """Answer reading calls at most K at a time, starting them in order (R4.1).

    K workers take one call after the other: what no worker has taken when the run ends
    was never started.
    """
    waiting = iter(slots)

    async def work() -> None:
        for slot in waiting:
            await answer_call(session, slot)

    most = session.config.limits.max_parallel or len(slots)
    workers = [asyncio.create_task(work()) for _ in range(min(most, len(slots)))]
    try:
        await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        errors = await _wind_up(workers)
    # An error goes before the cancellations that it brought upon the others.
    if errors:
        raise errors[0]
    for worker in workers:
        worker.result()


async def _wind_up(workers: Sequence[asyncio.Task[None]]) -> list[BaseException]:
    """Cancel what still runs, wait for it, and take note of every exception."""
    running = [worker for worker in workers if not worker.done()]
    for worker in running:
        worker.cancel()
    if running:
        await asyncio.wait(running)
    found = [worker.exception() for worker in workers if not worker.cancelled()]
    return [error for error in found if error is not None]


def _count(session: Session, stretch: Sequence[Slot]) -> None:
    """Count answered calls in their order, and replace results that repeat (R5.2)."""
    rules = session.config.loop
    over: RunOver | None = None
    for slot in stretch:
        name = slot.call.name
        count = session.detector.count(
            slot.key or call_key(name, slot.call.arguments),
            slot.raw,
            rights=slot.tool.rights if slot.tool is not None else None,
            failed=slot.failed,
            blocked_by=slot.blocked_by,
        )
        if count >= rules.block_at:
            slot.content, slot.failed = loop_block(name, count), True
            session.emit(LoopBlocked(name, count, slot.call.id))
        if count >= rules.end_at and over is None:
            words = f"agent: loop detected: {name} called {count} times"
            over = RunOver("loop", f"{words} with the same result")
    if over is not None:
        raise over
