# ruff: noqa: ARG002 - a mutant ignores what a correct loop looks at
"""Mutants whose loop detection looks at the wrong thing, or does too little."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

from agentsim.core import (
    Env,
    InvalidArguments,
    LoopRules,
    LoopWindow,
    Message,
    RunResult,
    Tool,
    ToolCall,
    key_signature,
    signature,
)
from agentsim.mutants.answers import Answer, End
from agentsim.mutants.loop import Loop
from agentsim.runtime import APPROVER

__all__ = [
    "approver_in_signature",
    "blocked_write_asked",
    "blocked_write_runs",
    "declined_calls_not_counted",
    "detection_by_name",
    "detection_without_output",
    "detector_shared",
    "first_call_only",
    "looks_at_last_call_only",
    "loop_looks_like_success",
    "loop_never_ended",
    "loop_on_text_only",
    "no_loop_detection",
    "progress_not_seen",
    "raw_text_compared",
    "refusals_counted_apart",
    "short_window",
    "signature_joined",
    "texts_not_compared",
    "unrun_calls_not_counted",
    "volatile_not_masked",
    "whole_step_signature",
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


class UnrunCallsNotCounted(Loop):
    def detect(self, position: int) -> None:
        if position in self.begun:
            super().detect(position)


async def unrun_calls_not_counted(env: Env) -> RunResult:
    """Calls that never ran, since they are unknown or invalid, are not counted."""
    return await UnrunCallsNotCounted(env).run()


class DeclinedCallsNotCounted(Loop):
    def detect(self, position: int) -> None:
        if not self.answers[position].output.startswith("Error: declined"):
            super().detect(position)


async def declined_calls_not_counted(env: Env) -> RunResult:
    """A call that a person declined may come again and again, and be asked again."""
    return await DeclinedCallsNotCounted(env).run()


class FirstCallOnly(Loop):
    def detect(self, position: int) -> None:
        if position == 0:
            super().detect(position)


async def first_call_only(env: Env) -> RunResult:
    """Only the first call of each response is looked at."""
    return await FirstCallOnly(env).run()


class WholeStepSignature(Loop):
    def sign(self, call: ToolCall, answer: Answer) -> str:
        step = "".join(entry.output for entry in self.answers.values())
        return super().sign(call, Answer(step))


async def whole_step_signature(env: Env) -> RunResult:
    """Steps are compared as a whole: a read that varies hides a write that repeats."""
    return await WholeStepSignature(env).run()


class ApproverInSignature(Loop):
    approver = ""

    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        self.approver = str(arguments.get(APPROVER, ""))
        return await super().execute(position, tool, arguments)

    def sign(self, call: ToolCall, answer: Answer) -> str:
        return super().sign(call, Answer(answer.output + self.approver))


async def approver_in_signature(env: Env) -> RunResult:
    """Who approved a call is part of its signature: two persons in turn hide a loop."""
    return await ApproverInSignature(env).run()


class RawTextCompared(Loop):
    def sign(self, call: ToolCall, answer: Answer) -> str:
        return key_signature((call.name, call.arguments), answer.output)


async def raw_text_compared(env: Env) -> RunResult:
    """Arguments are compared as text: another order of keys makes another call."""
    return await RawTextCompared(env).run()


class SignatureJoined(Loop):
    def sign(self, call: ToolCall, answer: Answer) -> str:
        values = [call.arguments]
        with suppress(InvalidArguments):
            values = [str(value) for value in self.read(call).values()]
        return " | ".join([call.name, *values, answer.output])


async def signature_joined(env: Env) -> RunResult:
    """A signature is joined by bars, which occur in the data: other calls look alike."""
    return await SignatureJoined(env).run()


class DetectionByName(Loop):
    def sign(self, call: ToolCall, answer: Answer) -> str:
        return call.name


async def detection_by_name(env: Env) -> RunResult:
    """Calls of one tool are taken for a loop, whatever they ask for and get."""
    return await DetectionByName(env).run()


class VolatileNotMasked(Loop):
    def sign(self, call: ToolCall, answer: Answer) -> str:
        return signature(call.name, call.arguments, answer.output)


async def volatile_not_masked(env: Env) -> RunResult:
    """A process id in the output makes each result another one, and hides a loop."""
    return await VolatileNotMasked(env).run()


class RefusalsCountedApart(Loop):
    def refusal(self, call: ToolCall, tool: Tool) -> Answer | None:
        block = super().refusal(call, tool)
        return None if block is None else Answer(block.output, failed=True)


async def refusals_counted_apart(env: Env) -> RunResult:
    """A refused write counts under the words of its refusal, and never ends the run."""
    return await RefusalsCountedApart(env).run()


class LoopLooksLikeSuccess(Loop):
    async def finish(self, end: End) -> RunResult:
        if end.status == "loop":
            end = End("done", output=end.words)
        return await super().finish(end)


async def loop_looks_like_success(env: Env) -> RunResult:
    """A run that was ended as a loop is reported as done."""
    return await LoopLooksLikeSuccess(env).run()


class LoopOnTextOnly(Loop):
    def detect(self, position: int) -> None:
        pass

    def hear(self, message: Message) -> None:
        super().hear(replace(message, tool_calls=()))


async def loop_on_text_only(env: Env) -> RunResult:
    """Only the model's words are compared: the same call with new words is no loop."""
    return await LoopOnTextOnly(env).run()


class TextsNotCompared(Loop):
    def hear(self, message: Message) -> None:
        pass


async def texts_not_compared(env: Env) -> RunResult:
    """The model may pause with the same words as often as the limit allows."""
    return await TextsNotCompared(env).run()


class DetectorShared(Loop):
    shared: ClassVar[dict[str, LoopWindow]] = {}

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        self.window = self.shared.setdefault(env.task, self.window)


async def detector_shared(env: Env) -> RunResult:
    """The detector belongs to the program: a run is blocked for what another one did."""
    return await DetectorShared(env).run()


class BlockedWriteAsked(Loop):
    def refusal(self, call: ToolCall, tool: Tool) -> Answer | None:
        return None if tool.rights.confirms else super().refusal(call, tool)

    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        approved = await super().confirm(call, arguments)
        return super().refusal(call, self.tools[call.name]) or approved


async def blocked_write_asked(env: Env) -> RunResult:
    """A person is asked about a write that is refused for its loop whatever they say."""
    return await BlockedWriteAsked(env).run()
