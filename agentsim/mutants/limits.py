# ruff: noqa: ARG002 - a mutant ignores what a correct loop looks at
"""Mutants that keep their limits wrongly, or end in a way that nobody can use."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import NoReturn

from agentsim.core import Env, Request, Response, RunResult, Usage, user
from agentsim.mutants.answers import End
from agentsim.mutants.loop import BOUNDARIES, Loop

__all__ = [
    "answer_over_budget_lost",
    "budget_checked_late",
    "cache_taken_off_twice",
    "cached_tokens_in_full",
    "deadline_as_cancellation",
    "final_answer_not_counted",
    "heartbeat_left_running",
    "last_response_counts",
    "limit_looks_like_success",
    "limit_off_by_one",
    "limit_one_short",
    "limit_prolonged",
    "missing_usage_is_zero",
    "no_deadline",
    "no_limit_at_all",
    "one_more_request_after_limit",
    "raises_at_limit",
    "tokens_counted_twice",
    "tokens_never_counted",
    "waits_at_limit",
]


class OneMoreRequestAfterLimit(Loop):
    async def finish(self, end: End) -> RunResult:
        if end.status in BOUNDARIES:
            self.close(end.words or "")
            self.append(user("Please summarise what you did so far."))
            response = await self.ask(self.request())
            end = End(end.status, end.words, output=response.message.content)
        return await super().finish(end)


async def one_more_request_after_limit(env: Env) -> RunResult:
    """At a limit the model is asked once more, for a summary."""
    return await OneMoreRequestAfterLimit(env).run()


class LimitOffByOne(Loop):
    def exhausted(self, limit: int) -> bool:
        return self.iterations > limit


async def limit_off_by_one(env: Env) -> RunResult:
    """A limit of n iterations allows n + 1."""
    return await LimitOffByOne(env).run()


class LimitOneShort(Loop):
    def exhausted(self, limit: int) -> bool:
        return self.iterations >= limit - 1


async def limit_one_short(env: Env) -> RunResult:
    """A limit of n iterations allows n - 1."""
    return await LimitOneShort(env).run()


class NoLimitAtAll(Loop):
    def exhausted(self, limit: int) -> bool:
        return False


async def no_limit_at_all(env: Env) -> RunResult:
    """The limit of iterations is never looked at."""
    return await NoLimitAtAll(env).run()


class CachedTokensInFull(Loop):
    def billable(self) -> float:
        return self.usage.billable(cache_read_weight=1)


async def cached_tokens_in_full(env: Env) -> RunResult:
    """Tokens read from the cache count in full, so the budget ends the run early."""
    return await CachedTokensInFull(env).run()


class BudgetCheckedLate(Loop):
    def check_budget(self, response: Response) -> None:
        pass


async def budget_checked_late(env: Env) -> RunResult:
    """Tools of the response that crossed the budget run before the run ends."""
    return await BudgetCheckedLate(env).run()


class NoDeadline(Loop):
    async def within_deadline(self) -> NoReturn:
        await self.converse()


async def no_deadline(env: Env) -> RunResult:
    """The deadline is never looked at: a tool that hangs hangs the run."""
    return await NoDeadline(env).run()


class DeadlineAsCancellation(Loop):
    def end_late(self) -> NoReturn:
        raise asyncio.CancelledError


async def deadline_as_cancellation(env: Env) -> RunResult:
    """The deadline comes out of the agent as if somebody had cancelled the run."""
    return await DeadlineAsCancellation(env).run()


class RaisesAtLimit(Loop):
    async def finish(self, end: End) -> RunResult:
        result = await super().finish(end)
        if end.status in BOUNDARIES:
            raise RuntimeError(end.words)
        return result


async def raises_at_limit(env: Env) -> RunResult:
    """A limit comes out of the agent as an exception; there is no result."""
    return await RaisesAtLimit(env).run()


class LimitLooksLikeSuccess(Loop):
    async def finish(self, end: End) -> RunResult:
        if end.status in BOUNDARIES:
            end = End("done", output=end.words)
        return await super().finish(end)


async def limit_looks_like_success(env: Env) -> RunResult:
    """A run that a limit ended is reported as done."""
    return await LimitLooksLikeSuccess(env).run()


class WaitsAtLimit(Loop):
    async def finish(self, end: End) -> RunResult:
        result = await super().finish(end)
        if end.status in BOUNDARIES:
            await asyncio.Event().wait()
        return result


async def waits_at_limit(env: Env) -> RunResult:
    """At a limit the run waits for a person whom nobody tells."""
    return await WaitsAtLimit(env).run()


class HeartbeatLeftRunning(Loop):
    beats = 0

    async def run(self) -> RunResult:
        self.heartbeat = asyncio.create_task(self.beat())
        return await super().run()

    async def beat(self) -> None:
        while True:
            await asyncio.sleep(60)
            self.beats += 1


async def heartbeat_left_running(env: Env) -> RunResult:
    """A task that shows signs of life goes on when the run has returned."""
    return await HeartbeatLeftRunning(env).run()


class LimitProlonged(Loop):
    def exhausted(self, limit: int) -> bool:
        return self.iterations >= 2 * limit


async def limit_prolonged(env: Env) -> RunResult:
    """A run that is at its limit gets as many iterations once more."""
    return await LimitProlonged(env).run()


class TokensCountedTwice(Loop):
    def billable(self) -> float:
        return 2 * super().billable()


async def tokens_counted_twice(env: Env) -> RunResult:
    """Every token counts twice, as when two layers of a program both count it."""
    return await TokensCountedTwice(env).run()


class TokensNeverCounted(Loop):
    def billable(self) -> float:
        return 0


async def tokens_never_counted(env: Env) -> RunResult:
    """A budget is configured, and no token is ever counted."""
    return await TokensNeverCounted(env).run()


class LastResponseCounts(Loop):
    def take(self, request: Request, response: Response) -> None:
        self.usage = Usage()
        super().take(request, response)


async def last_response_counts(env: Env) -> RunResult:
    """Only the tokens of the latest response are compared with the budget."""
    return await LastResponseCounts(env).run()


class CacheTakenOffTwice(Loop):
    def billable(self) -> float:
        return super().billable() - self.usage.cache_read


async def cache_taken_off_twice(env: Env) -> RunResult:
    """Tokens read from the cache are taken off twice: what was spent goes below zero."""
    return await CacheTakenOffTwice(env).run()


class AnswerOverBudgetLost(Loop):
    def check_budget(self, response: Response) -> None:
        empty = replace(response.message, content="")
        super().check_budget(replace(response, message=empty))


async def answer_over_budget_lost(env: Env) -> RunResult:
    """A final answer that crosses the budget is thrown away, though it was paid for."""
    return await AnswerOverBudgetLost(env).run()


class MissingUsageIsZero(Loop):
    def take(self, request: Request, response: Response) -> None:
        super().take(request, replace(response, usage=response.usage or Usage()))


async def missing_usage_is_zero(env: Env) -> RunResult:
    """A response without usage counts as if it had cost nothing."""
    return await MissingUsageIsZero(env).run()


class FinalAnswerNotCounted(Loop):
    def check_budget(self, response: Response) -> None:
        if response.message.tool_calls:
            super().check_budget(response)


async def final_answer_not_counted(env: Env) -> RunResult:
    """A final answer that crosses the budget is a success; its tokens are lost."""
    return await FinalAnswerNotCounted(env).run()
