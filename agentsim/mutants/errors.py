# ruff: noqa: ARG002 - a mutant ignores what a correct loop looks at
"""Mutants that hide errors from the model, or die of them."""

from __future__ import annotations

import asyncio
from typing import Any

from agentsim.core import Env, Message, RunResult, Tool, ToolCall
from agentsim.mutants.answers import Answer, End, refused
from agentsim.mutants.loop import Loop
from agentsim.runtime import result_text

__all__ = [
    "batch_fails_together",
    "error_answered_twice",
    "error_ends_run",
    "error_kills_loop",
    "error_not_flagged",
    "error_swallowed",
    "siblings_cut",
    "unknown_tool_kills_loop",
]


class ErrorKillsLoop(Loop):
    def tool_error(self, error: Exception) -> Answer:
        raise error

    def mishap(self, error: Exception) -> End:
        raise error


async def error_kills_loop(env: Env) -> RunResult:
    """An error of a tool comes out of the agent as an exception."""
    return await ErrorKillsLoop(env).run()


class UnknownToolKillsLoop(Loop):
    def find(self, call: ToolCall) -> Tool | None:
        return self.tools[call.name]

    def mishap(self, error: Exception) -> End:
        raise error


async def unknown_tool_kills_loop(env: Env) -> RunResult:
    """A call of a tool that does not exist comes out of the agent as an exception."""
    return await UnknownToolKillsLoop(env).run()


class ErrorEndsRun(Loop):
    def tool_error(self, error: Exception) -> Answer:
        raise End("failed", str(error))


async def error_ends_run(env: Env) -> RunResult:
    """An error of a tool ends the run as failed, and the model never hears of it."""
    return await ErrorEndsRun(env).run()


class ErrorNotFlagged(Loop):
    def result(self, call: ToolCall, answer: Answer) -> Message:
        return super().result(call, Answer(answer.output))


async def error_not_flagged(env: Env) -> RunResult:
    """The error of a tool is sent as if it were its output, without the error flag."""
    return await ErrorNotFlagged(env).run()


class ErrorSwallowed(Loop):
    def tool_error(self, error: Exception) -> Answer:
        return Answer("")


async def error_swallowed(env: Env) -> RunResult:
    """The error of a tool is swallowed: the model sees an empty result."""
    return await ErrorSwallowed(env).run()


class ErrorAnsweredTwice(Loop):
    def append_results(self) -> None:
        failed = [
            self.result(call, self.answers[position])
            for position, call in enumerate(self.calls)
            if self.answers[position].failed
        ]
        super().append_results()
        for message in failed:
            self.append(message)


async def error_answered_twice(env: Env) -> RunResult:
    """The branch for errors goes on into the usual one: a failed call has two results."""
    return await ErrorAnsweredTwice(env).run()


class BatchFailsTogether(Loop):
    def append_results(self) -> None:
        if any(answer.failed for answer in self.answers.values()):
            for position in self.answers:
                self.answers[position] = refused("one of these calls failed")
        super().append_results()


async def batch_fails_together(env: Env) -> RunResult:
    """Where one call of a response fails, the model is told that all of them did."""
    return await BatchFailsTogether(env).run()


class SiblingsCut(Loop):
    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        self.begun.append(position)
        return Answer(result_text(tool.name, await tool.run(arguments))[0])

    async def answer_calls(self) -> None:
        for group in self.groups():
            try:
                async with asyncio.TaskGroup() as running:
                    for position in group:
                        running.create_task(self.answer(position))
            except ExceptionGroup as failures:
                for position in group:
                    error = self.tool_error(failures.exceptions[0])
                    self.answers.setdefault(position, error)
            self.check_deadline()
            for position in group:
                self.detect(position)


async def siblings_cut(env: Env) -> RunResult:
    """Reads run in a group of tasks, where the first that fails cuts off the others."""
    return await SiblingsCut(env).run()
