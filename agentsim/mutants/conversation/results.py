"""Mutants whose result is untrue, whose model changes, or that go on behind the end."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from agentsim.core import Env, Message, Request, RunResult, Usage
from agentsim.mutants.answers import End
from agentsim.mutants.loop import Loop

__all__ = [
    "ending_call_not_told",
    "final_answer_not_appended",
    "iterations_from_zero",
    "model_switched",
    "open_calls_kept",
    "temperature_rises",
    "tool_after_end",
    "usage_not_told",
]


class FinalAnswerNotAppended(Loop):
    def append(self, message: Message) -> None:
        if message.role != "assistant" or message.tool_calls or self.paused:
            super().append(message)


async def final_answer_not_appended(env: Env) -> RunResult:
    """The final answer is returned, and missing in the history that is left."""
    return await FinalAnswerNotAppended(env).run()


class IterationsFromZero(Loop):
    async def finish(self, end: End) -> RunResult:
        result = await super().finish(end)
        return replace(result, iterations=result.iterations - 1)


async def iterations_from_zero(env: Env) -> RunResult:
    """Iterations are counted from zero, so that the result tells one too few."""
    return await IterationsFromZero(env).run()


class UsageNotTold(Loop):
    async def finish(self, end: End) -> RunResult:
        return replace(await super().finish(end), usage=Usage())


async def usage_not_told(env: Env) -> RunResult:
    """Tokens are counted for the budget, and the result tells none."""
    return await UsageNotTold(env).run()


class EndingCallNotTold(Loop):
    async def finish(self, end: End) -> RunResult:
        if end.status == "loop":
            self.used.pop()
        return await super().finish(end)


async def ending_call_not_told(env: Env) -> RunResult:
    """The call that ends the run as a loop is missing among the tools of the result."""
    return await EndingCallNotTold(env).run()


class OpenCallsKept(Loop):
    def close(self, why: str) -> None:
        if any(position not in self.answers for position in self.begun):
            self.calls = ()
        super().close(why)


async def open_calls_kept(env: Env) -> RunResult:
    """Calls that are cut in flight get no result, so that the run can't be continued."""
    return await OpenCallsKept(env).run()


class ModelSwitched(Loop):
    def request(self) -> Request:
        request = super().request()
        small = self.iterations > 0
        return replace(request, model=f"{request.model}-small") if small else request


async def model_switched(env: Env) -> RunResult:
    """After the first response a cheaper model takes over."""
    return await ModelSwitched(env).run()


class TemperatureRises(Loop):
    def request(self) -> Request:
        request = super().request()
        return replace(request, temperature=min(1.0, 0.2 + 0.1 * self.iterations))


async def temperature_rises(env: Env) -> RunResult:
    """Each request is made with a higher temperature than the one before."""
    return await TemperatureRises(env).run()


class ToolAfterEnd(Loop):
    left: asyncio.Task[object] | None = None

    async def finish(self, end: End) -> RunResult:
        result = await super().finish(end)
        if end.status == "done" and self.env.tools:
            self.left = asyncio.create_task(self.last_look())
        return result

    async def last_look(self) -> object:
        return await self.env.tools[0].run({})


async def tool_after_end(env: Env) -> RunResult:
    """A tool is started in the background, and the run returns before it."""
    return await ToolAfterEnd(env).run()
