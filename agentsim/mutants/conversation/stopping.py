"""Mutants that stop at the wrong response, or go on after the right one."""

from __future__ import annotations

from dataclasses import replace

from agentsim.core import FINAL_REASONS, Env, Response, RunResult, ToolDef, user
from agentsim.mutants.answers import End
from agentsim.mutants.loop import Loop

__all__ = [
    "asks_on_without_calls",
    "cut_answer_as_done",
    "cut_call_runs",
    "cut_response_raises",
    "done_after_tool",
    "empty_answer_as_done",
    "final_answer_unfinished",
    "goes_on_after_cut",
    "only_end_turn_ends",
    "pause_as_end",
    "pause_with_user_message",
    "refusal_as_failure",
    "refusal_asked_again",
    "stop_with_calls_drops_them",
    "task_complete_tool",
    "unknown_reason_goes_on",
]


class StopWithCallsDropsThem(Loop):
    def settle(self, response: Response) -> None:
        if response.stop_reason != "end_turn":
            super().settle(response)
            return
        raise End("done", output=response.message.content)


async def stop_with_calls_drops_them(env: Env) -> RunResult:
    """A response that says stop ends the run, and the calls in it are dropped."""
    return await StopWithCallsDropsThem(env).run()


class AsksOnWithoutCalls(Loop):
    def settle(self, response: Response) -> None:
        if response.stop_reason != "tool_use":
            super().settle(response)


async def asks_on_without_calls(env: Env) -> RunResult:
    """A response that says tool_use and has no calls is kept, and the model asked on."""
    return await AsksOnWithoutCalls(env).run()


class FinalAnswerUnfinished(Loop):
    asked_twice = False

    def settle(self, response: Response) -> None:
        if self.calls or self.paused or self.asked_twice:
            super().settle(response)
            return
        self.asked_twice = True
        self.append(user("Are you sure that you are finished?"))


async def final_answer_unfinished(env: Env) -> RunResult:
    """The final answer is taken as unfinished, and the model is asked once more."""
    return await FinalAnswerUnfinished(env).run()


class OnlyEndTurnEnds(Loop):
    def settle(self, response: Response) -> None:
        if response.stop_reason != "stop_sequence":
            super().settle(response)
            return
        self.append(user(""))


async def only_end_turn_ends(env: Env) -> RunResult:
    """An answer that a stop sequence ended is followed by an empty message of the user."""
    return await OnlyEndTurnEnds(env).run()


class TaskCompleteTool(Loop):
    def definitions(self) -> tuple[ToolDef, ...]:
        return (
            *super().definitions(),
            ToolDef("task_complete", "Call this when done."),
        )

    def settle(self, response: Response) -> None:
        if self.calls or self.paused or "task_complete" in response.message.content:
            super().settle(response)
            return
        self.append(user("Call task_complete if the task is complete."))


async def task_complete_tool(env: Env) -> RunResult:
    """An answer is none until the model calls a tool to say that it is complete."""
    return await TaskCompleteTool(env).run()


class PauseAsEnd(Loop):
    def settle(self, response: Response) -> None:
        if self.paused and not self.calls:
            raise End("done", output=response.message.content)
        super().settle(response)


async def pause_as_end(env: Env) -> RunResult:
    """The reason is never read: a paused response without calls ends the run as done."""
    return await PauseAsEnd(env).run()


class PauseWithUserMessage(Loop):
    def settle(self, response: Response) -> None:
        super().settle(response)
        if self.paused and not self.calls:
            self.append(user("Please continue."))


async def pause_with_user_message(env: Env) -> RunResult:
    """A paused response is continued with a message in the user's name."""
    return await PauseWithUserMessage(env).run()


class CutCallRuns(Loop):
    def settle(self, response: Response) -> None:
        if not self.calls or response.stop_reason != "max_tokens":
            super().settle(response)


async def cut_call_runs(env: Env) -> RunResult:
    """A call of a response that was cut at max_tokens is run."""
    return await CutCallRuns(env).run()


class CutAnswerAsDone(Loop):
    def settle(self, response: Response) -> None:
        reason = response.stop_reason
        reason = "end_turn" if reason == "max_tokens" else reason
        super().settle(replace(response, stop_reason=reason))


async def cut_answer_as_done(env: Env) -> RunResult:
    """A response that was cut at max_tokens is taken as a whole one."""
    return await CutAnswerAsDone(env).run()


class EmptyAnswerAsDone(Loop):
    def settle(self, response: Response) -> None:
        text = response.message.content
        if self.calls or response.stop_reason not in (*FINAL_REASONS, "tool_use"):
            super().settle(response)
            return
        raise End("done", output=text)


async def empty_answer_as_done(env: Env) -> RunResult:
    """Whatever has no calls is the final answer: nothing at all, or one that has to come."""
    return await EmptyAnswerAsDone(env).run()


class GoesOnAfterCut(Loop):
    def settle(self, response: Response) -> None:
        if self.calls or response.stop_reason != "max_tokens":
            super().settle(response)
            return
        self.append(user("Continue where you stopped."))


async def goes_on_after_cut(env: Env) -> RunResult:
    """After a response that was cut at max_tokens the model is asked to continue."""
    return await GoesOnAfterCut(env).run()


class RefusalAskedAgain(Loop):
    times = 0

    def settle(self, response: Response) -> None:
        self.times += response.stop_reason == "refusal"
        if response.stop_reason != "refusal" or self.times > 1:
            super().settle(response)


async def refusal_asked_again(env: Env) -> RunResult:
    """A refusal is not taken as an answer: the model is asked again."""
    return await RefusalAskedAgain(env).run()


class CutResponseRaises(Loop):
    def mishap(self, error: Exception) -> End:
        raise error

    def settle(self, response: Response) -> None:
        if response.stop_reason in ("max_tokens", "refusal"):
            raise ValueError(f"unexpected stop reason {response.stop_reason}")
        super().settle(response)


async def cut_response_raises(env: Env) -> RunResult:
    """A refusal, or a response that was cut, is thrown as an exception."""
    return await CutResponseRaises(env).run()


class DoneAfterTool(Loop):
    def check_after_results(self) -> None:
        raise End("done", output="All tools ran.")


async def done_after_tool(env: Env) -> RunResult:
    """The run is done as soon as tools have run: the model never reads their results."""
    return await DoneAfterTool(env).run()


class RefusalAsFailure(Loop):
    def settle(self, response: Response) -> None:
        if response.stop_reason == "refusal":
            raise End("failed", "the model did not answer")
        super().settle(response)


async def refusal_as_failure(env: Env) -> RunResult:
    """A refusal is told as any failure, which a caller may try again."""
    return await RefusalAsFailure(env).run()


class UnknownReasonGoesOn(Loop):
    def settle(self, response: Response) -> None:
        if response.stop_reason in ("max_tokens", "refusal", "pause_turn"):
            super().settle(response)
        elif not self.calls:
            raise End("done", output=response.message.content)


async def unknown_reason_goes_on(env: Env) -> RunResult:
    """A stop reason that the loop does not know is taken for a usual one."""
    return await UnknownReasonGoesOn(env).run()
