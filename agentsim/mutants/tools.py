# ruff: noqa: ARG002 - a mutant ignores what a correct loop looks at
"""Mutants that run the wrong tool, at the wrong time or without leave."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from itertools import groupby
from typing import Any

from agentsim.core import (
    Env,
    InvalidArguments,
    RunResult,
    Tool,
    ToolCall,
    call_key,
)
from agentsim.mutants.answers import Answer, refused
from agentsim.mutants.loop import Loop

__all__ = [
    "all_asked_at_once",
    "approval_reused",
    "call_runs_twice",
    "category_ignored",
    "confirmation_ignored",
    "confirmation_too_late",
    "declined_call_runs",
    "equal_calls_merged",
    "everything_at_once",
    "reads_go_first",
    "refusal_asked_once_more",
    "refusal_without_reason",
    "too_many_at_once",
    "unknown_tool_guessed",
    "write_overlaps_reads",
    "write_retried",
]


class WriteOverlapsReads(Loop):
    async def answer_calls(self) -> None:
        async with asyncio.TaskGroup() as reads:
            for position, call in enumerate(self.calls):
                if self.alone(call):
                    await self.answer(position)
                else:
                    reads.create_task(self.answer(position))
        for position in range(len(self.calls)):
            self.detect(position)


async def write_overlaps_reads(env: Env) -> RunResult:
    """Reads are launched, writes run in place, and the reads are awaited at the end."""
    return await WriteOverlapsReads(env).run()


class EverythingAtOnce(Loop):
    def groups(self) -> Iterator[list[int]]:
        yield list(range(len(self.calls)))


async def everything_at_once(env: Env) -> RunResult:
    """All calls of a response run at the same time, whatever their tools are."""
    return await EverythingAtOnce(env).run()


class TooManyAtOnce(Loop):
    def __init__(self, env: Env) -> None:
        super().__init__(env)
        self.slots = asyncio.Semaphore(sys.maxsize)


async def too_many_at_once(env: Env) -> RunResult:
    """All parallel reads of a response run at once, however many K allows."""
    return await TooManyAtOnce(env).run()


class DeclinedCallRuns(Loop):
    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        await super().confirm(call, arguments)
        return arguments


async def declined_call_runs(env: Env) -> RunResult:
    """The person is asked, and the call runs whatever the answer is."""
    return await DeclinedCallRuns(env).run()


class ConfirmationIgnored(Loop):
    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        return arguments


async def confirmation_ignored(env: Env) -> RunResult:
    """Nobody is asked before a confirming tool runs."""
    return await ConfirmationIgnored(env).run()


class ConfirmationTooLate(Loop):
    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        return arguments

    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        answer = await super().execute(position, tool, arguments)
        if tool.rights.confirms:
            said = await super().confirm(self.calls[position], arguments)
            return said if isinstance(said, Answer) else answer
        return answer


async def confirmation_too_late(env: Env) -> RunResult:
    """The person is asked when the tool has run already."""
    return await ConfirmationTooLate(env).run()


class ApprovalReused(Loop):
    def __init__(self, env: Env) -> None:
        super().__init__(env)
        self.approved: dict[str, None] = {}

    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        if call.name in self.approved:
            return arguments
        said = await super().confirm(call, arguments)
        if not isinstance(said, Answer):
            self.approved[call.name] = None
        return said


async def approval_reused(env: Env) -> RunResult:
    """One approval of a tool counts for all its later calls, whatever they do."""
    return await ApprovalReused(env).run()


class UnknownToolGuessed(Loop):
    def find(self, call: ToolCall) -> Tool | None:
        near = get_close_matches(call.name, self.tools, n=1)
        return self.tools[near[0]] if near else None


async def unknown_tool_guessed(env: Env) -> RunResult:
    """For a tool that does not exist, the one with the nearest name runs."""
    return await UnknownToolGuessed(env).run()


class CallRunsTwice(Loop):
    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        await super().execute(position, tool, arguments)
        return await super().execute(position, tool, arguments)


async def call_runs_twice(env: Env) -> RunResult:
    """Each call runs twice, as when two layers of a program both handle it."""
    return await CallRunsTwice(env).run()


class CategoryIgnored(Loop):
    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        if self.tools[call.name].rights.confirm is None:
            return arguments
        return await super().confirm(call, arguments)


async def category_ignored(env: Env) -> RunResult:
    """A tool asks only if it is declared to: that it writes does not make it ask."""
    return await CategoryIgnored(env).run()


class ReadsGoFirst(Loop):
    def groups(self) -> Iterator[list[int]]:
        for _, group in groupby(
            sorted(range(len(self.calls)), key=lambda at: self.alone(self.calls[at])),
            key=lambda at: self.alone(self.calls[at]) and at,
        ):
            yield list(group)


async def reads_go_first(env: Env) -> RunResult:
    """All reads of a response run first, and its writes behind them."""
    return await ReadsGoFirst(env).run()


class AllAskedAtOnce(Loop):
    async def answer_calls(self) -> None:
        self.said: dict[str, dict[str, Any] | Answer] = {}
        for call in self.calls:
            tool = self.find(call)
            if tool is not None and tool.rights.confirms:
                with suppress(InvalidArguments):
                    arguments = self.read(call)
                    self.said[call.id] = await super().confirm(call, arguments)
        await super().answer_calls()

    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        return self.said[call.id]


async def all_asked_at_once(env: Env) -> RunResult:
    """A person is asked about all calls of a response before the first of them runs."""
    return await AllAskedAtOnce(env).run()


class WriteRetried(Loop):
    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        answer = await super().execute(position, tool, arguments)
        if answer.failed:
            return await super().execute(position, tool, arguments)
        return answer


async def write_retried(env: Env) -> RunResult:
    """A tool that failed runs once more, also where its effect may have happened."""
    return await WriteRetried(env).run()


class EqualCallsMerged(Loop):
    async def answer(self, position: int) -> None:
        keys = [call_key(call.name, call.arguments) for call in self.calls]
        first = keys.index(keys[position])
        if first == position or first not in self.answers:
            await super().answer(position)
            return
        self.used.append(self.calls[position].name)
        self.answers[position] = self.answers[first]


async def equal_calls_merged(env: Env) -> RunResult:
    """Of equal calls in one response the first runs, and its result answers them all."""
    return await EqualCallsMerged(env).run()


class RefusalAskedOnceMore(Loop):
    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        approved = await super().confirm(call, arguments)
        if isinstance(approved, Answer) and self.env.confirm is not None:
            approved = await super().confirm(call, arguments)
        return approved


async def refusal_asked_once_more(env: Env) -> RunResult:
    """A person who declines is asked about the same call once more."""
    return await RefusalAskedOnceMore(env).run()


class RefusalWithoutReason(Loop):
    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        approved = await super().confirm(call, arguments)
        return refused("the tool failed") if isinstance(approved, Answer) else approved


async def refusal_without_reason(env: Env) -> RunResult:
    """A person's reason to decline does not reach the model, which sees some failure."""
    return await RefusalWithoutReason(env).run()
