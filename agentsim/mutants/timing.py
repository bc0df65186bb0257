"""Mutants that keep no deadline and no cancellation, or tell wrongly what they cut."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

from agentsim.core import Env, Request, Response, RunResult, Tool
from agentsim.mutants.answers import Answer, interrupted
from agentsim.mutants.loop import Loop

__all__ = [
    "cancellation_swallowed",
    "cut_write_denied",
    "deadline_between_steps",
    "deadline_early",
    "deadline_per_iteration",
    "late_answer_taken",
    "next_call_after_deadline",
    "queue_worked_off",
    "waiting_calls_told_unknown",
]


class NextCallAfterDeadline(Loop):
    async def within_deadline(self) -> NoReturn:
        now_s = asyncio.get_running_loop().time()
        self.deadline = now_s + (self.env.limits.deadline_s or float("inf"))
        await self.converse()

    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        try:
            async with asyncio.timeout_at(self.deadline):
                return await super().execute(position, tool, arguments)
        except TimeoutError:
            return interrupted(tool.name, "the deadline was reached")

    def late(self) -> bool:
        return not self.calls and super().late()


async def next_call_after_deadline(env: Env) -> RunResult:
    """The deadline cuts off the tool in flight, and the next call of the batch starts."""
    return await NextCallAfterDeadline(env).run()


class DeadlinePerIteration(Loop):
    async def within_deadline(self) -> NoReturn:
        await self.converse()

    async def iterate(self) -> None:
        try:
            async with asyncio.timeout(self.env.limits.deadline_s):
                await super().iterate()
        except TimeoutError:
            self.end_late()


async def deadline_per_iteration(env: Env) -> RunResult:
    """The deadline starts anew with each iteration, so the run has none."""
    return await DeadlinePerIteration(env).run()


class LateAnswerTaken(Loop):
    async def ask(self, request: Request) -> Response:
        answer = asyncio.ensure_future(super().ask(request))
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            return await answer

    def late(self) -> bool:
        return super().late() and bool(self.calls)


async def late_answer_taken(env: Env) -> RunResult:
    """An answer that is on its way at the deadline is waited for, and taken."""
    return await LateAnswerTaken(env).run()


class DeadlineEarly(Loop):
    def __init__(self, env: Env) -> None:
        super().__init__(env)
        self.watch = asyncio.get_running_loop().time()

    def late(self) -> bool:
        elapsed_s = asyncio.get_running_loop().time() - self.watch
        return elapsed_s >= 0.5 * (self.env.limits.deadline_s or float("inf"))


async def deadline_early(env: Env) -> RunResult:
    """The run ends for its deadline when half of the time is left."""
    return await DeadlineEarly(env).run()


class CutWriteDenied(Loop):
    def close(self, why: str) -> None:
        self.begun = []
        super().close(why)


async def cut_write_denied(env: Env) -> RunResult:
    """A write that was cut off in flight is told as not executed."""
    return await CutWriteDenied(env).run()


class WaitingCallsToldUnknown(Loop):
    def close(self, why: str) -> None:
        self.begun = list(range(len(self.calls)))
        super().close(why)


async def waiting_calls_told_unknown(env: Env) -> RunResult:
    """Calls that never started are told as if their outcome were unknown."""
    return await WaitingCallsToldUnknown(env).run()


class QueueWorkedOff(Loop):
    async def answer_calls(self) -> None:
        work = asyncio.ensure_future(super().answer_calls())
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            await work
            raise


async def queue_worked_off(env: Env) -> RunResult:
    """A run that is cancelled first works off the calls that wait their turn."""
    return await QueueWorkedOff(env).run()


class CancellationSwallowed(Loop):
    async def answer_calls(self) -> None:
        try:
            await super().answer_calls()
        except asyncio.CancelledError:
            for position, call in enumerate(self.calls):
                words = interrupted(call.name, "it was cancelled")
                self.answers.setdefault(position, words)


async def cancellation_swallowed(env: Env) -> RunResult:
    """A cancellation is taken for an error of the tool, and the run goes on."""
    return await CancellationSwallowed(env).run()


class DeadlineBetweenSteps(Loop):
    async def within_deadline(self) -> NoReturn:
        limit_s = self.env.limits.deadline_s
        if limit_s is not None:
            self.deadline = asyncio.get_running_loop().time() + limit_s
        await self.converse()


async def deadline_between_steps(env: Env) -> RunResult:
    """The deadline is looked at between steps: what is in flight is awaited to its end."""
    return await DeadlineBetweenSteps(env).run()
