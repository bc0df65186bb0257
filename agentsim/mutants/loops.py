# ruff: noqa: ARG002 - a mutant ignores what a correct loop looks at
"""Mutants whose loop detection looks at the wrong thing, or does too little."""

from __future__ import annotations

from contextlib import suppress

from agentsim.core import Env, LoopRules, LoopWindow, RunResult, Tool, ToolCall
from agentsim.mutants.answers import Answer, End
from agentsim.mutants.loop import Loop

__all__ = [
    "blocked_write_runs",
    "detection_without_output",
    "looks_at_last_call_only",
    "loop_never_ended",
    "no_loop_detection",
    "progress_not_seen",
    "short_window",
]


class NoLoopDetection(Loop):
    def detect(self, position: int) -> None:
        pass


async def no_loop_detection(env: Env) -> RunResult:
    """The same call with the same result may come again and again."""
    return await NoLoopDetection(env).run()


class LoopNeverEnded(Loop):
    def detect(self, position: int) -> None:
        with suppress(End):
            super().detect(position)


async def loop_never_ended(env: Env) -> RunResult:
    """A repeated call is blocked, and the run is never ended for it."""
    return await LoopNeverEnded(env).run()


class DetectionWithoutOutput(Loop):
    def sign(self, call: ToolCall, answer: Answer) -> str:
        return super().sign(call, Answer(""))


async def detection_without_output(env: Env) -> RunResult:
    """Calls are taken for a loop although their results differ, as when polling."""
    return await DetectionWithoutOutput(env).run()


class LooksAtLastCallOnly(Loop):
    def count(self, call: ToolCall, answer: Answer) -> int:
        if self.window.count(self.sign(call, answer)) == 0:
            self.window = LoopWindow(self.env.loop)
        return super().count(call, answer)


async def looks_at_last_call_only(env: Env) -> RunResult:
    """A call is compared with the one before it only: two in turn are never seen."""
    return await LooksAtLastCallOnly(env).run()


class ShortWindow(Loop):
    def __init__(self, env: Env) -> None:
        super().__init__(env)
        block_at = env.loop.block_at
        self.window = LoopWindow(LoopRules(block_at, 2 * block_at))


async def short_window(env: Env) -> RunResult:
    """The window holds 2N calls: two calls in turn are blocked and never ended."""
    return await ShortWindow(env).run()


class ProgressNotSeen(Loop):
    def count(self, call: ToolCall, answer: Answer) -> int:
        return super().count(call, Answer(answer.output, failed=True))


async def progress_not_seen(env: Env) -> RunResult:
    """Testing after each edit is taken for a loop when the tests fail alike."""
    return await ProgressNotSeen(env).run()


class BlockedWriteRuns(Loop):
    def refusal(self, call: ToolCall, tool: Tool) -> Answer | None:
        return None


async def blocked_write_runs(env: Env) -> RunResult:
    """A write that is blocked as a loop still takes effect each time."""
    return await BlockedWriteRuns(env).run()
