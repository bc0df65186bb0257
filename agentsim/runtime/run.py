"""The loop of the agent (spec R3): its control flow, and nothing else.

`run_agent` starts the course of a run as a task of its own and stands beside it, so that the
deadline and a cancellation from outside end the run whatever a client or a tool does:
one that swallows its cancellation is left behind after a grace and told as unfinished.
"""

from __future__ import annotations

import asyncio

from agentsim.core import FinalAnswer, RunResult, RunStarted
from agentsim.runtime.batch import answer_batch
from agentsim.runtime.config import AgentConfig
from agentsim.runtime.endings import finish
from agentsim.runtime.requests import (
    ask,
    read_ending,
    resolve_client,
    stops,
    take_injected,
    take_response,
)
from agentsim.runtime.session import RunOver, Session

__all__ = ["run_agent"]

GRACE_S = 1.0
"""Seconds that what was cancelled gets for its own clean-up before it is left behind."""


async def run_agent(config: AgentConfig, task: str) -> RunResult:
    """Work on a task until the model is done or a boundary ends the run.

    Returns:
        The result, in success and in every other ending (R1.9). Its history is one that
        a provider accepts with a new user message after it.

    Raises:
        asyncio.CancelledError: when the run is cancelled from outside, after its
            history was repaired. The result then is in the event `RunEnded`, and the
            repaired history in the `memory` of the configuration, if it has one.
    """
    session = Session(config)
    session.emit(RunStarted(task))
    course = asyncio.create_task(_course(session, task))
    cancellation = await _stand_by(session, course)
    over = _over(session, course, cancelled=cancellation is not None)
    result = finish(session, over)
    if over.status == "cancelled":
        raise cancellation or asyncio.CancelledError
    return result


async def _course(session: Session, task: str) -> RunOver:
    try:
        return await _iterate(session, task)
    except RunOver as over:
        return over


async def _iterate(session: Session, task: str) -> RunOver:
    """Go through the iterations, each in the order of R3, and say how they ended."""
    session.open(task)
    client = await resolve_client(session)
    limit = session.config.limits.max_iterations
    paused = False
    while True:
        if session.meter.exhausted:
            return RunOver("token_budget")
        if not paused:
            take_injected(session)
        response = await ask(session, client)
        message = take_response(session, response)
        if session.meter.exceeded:
            return RunOver("token_budget")
        ending = read_ending(session, response)
        if ending is not None:
            if ending.status == "done":
                session.emit(FinalAnswer(message.content))
            return ending
        if session.slots:
            await answer_batch(session)
        elif message.content and session.detector.repeats(message.content):
            return RunOver(
                "loop", "agent: loop detected: the same text again and again"
            )
        if stops(session):
            return RunOver("stopped")
        if limit is not None and session.iterations >= limit:
            return RunOver("max_iterations")
        paused = response.stop_reason == "pause_turn"


async def _stand_by(
    session: Session, course: asyncio.Task[RunOver]
) -> asyncio.CancelledError | None:
    """Wait for the course, and end it at the deadline or when the run is cancelled.

    Returns:
        The cancellation from outside, which must be passed on, or None.
    """
    cancellation: asyncio.CancelledError | None = None
    try:
        await _end_of(course, session.config.limits.deadline_s)
    except asyncio.CancelledError as error:
        cancellation = error
    if not course.done():
        session.closed = "deadline" if cancellation is None else "cancelled"
        course.cancel()
        try:
            await _end_of(course, GRACE_S)
        except asyncio.CancelledError as error:
            cancellation = cancellation or error
    return cancellation


async def _end_of(task: asyncio.Task[RunOver], seconds: float | None) -> None:
    """Wait for the end of a task, but not longer than so many seconds.

    It is `asyncio.wait` for a single task, at a third of the price: each run pays it.
    """
    loop = asyncio.get_running_loop()
    waiter = loop.create_future()

    def ring(_: object = None) -> None:
        if not waiter.done():
            waiter.set_result(None)

    task.add_done_callback(ring)
    alarm = loop.call_later(seconds, ring) if seconds is not None else None
    try:
        await waiter
    finally:
        task.remove_done_callback(ring)
        if alarm is not None:
            alarm.cancel()


def _over(
    session: Session, course: asyncio.Task[RunOver], *, cancelled: bool
) -> RunOver:
    """How the run ended; a cancellation from outside goes before everything else."""
    if course.done() and not course.cancelled():
        over = course.result()  # raises what is a bug of ours
        return RunOver("cancelled") if cancelled else over
    if cancelled or session.closed is None:
        return RunOver("cancelled")
    return RunOver(session.closed)
