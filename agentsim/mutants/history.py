# ruff: noqa: ARG002 - a mutant ignores what a correct loop looks at
"""Mutants that keep the history wrongly: what is appended, and in which order."""

from __future__ import annotations

from agentsim.core import (
    Env,
    Message,
    Response,
    RunResult,
    ToolCall,
    user,
)
from agentsim.mutants.answers import Answer, End
from agentsim.mutants.loop import Loop

__all__ = [
    "calls_left_unanswered",
    "ends_on_done_text",
    "response_not_appended",
    "result_not_appended",
    "results_as_user_messages",
    "results_before_response",
    "results_by_completion",
    "wrong_call_id",
]


class EndsOnDoneText(Loop):
    def settle(self, response: Response) -> None:
        text = response.message.content
        if "done" in text.lower():
            self.calls = ()
            raise End("done", output=text)
        super().settle(response)


async def ends_on_done_text(env: Env) -> RunResult:
    """A text that says "done" ends the run, and the calls beside it are dropped."""
    return await EndsOnDoneText(env).run()


class ResultNotAppended(Loop):
    def append_results(self) -> None:
        self.calls = ()


async def result_not_appended(env: Env) -> RunResult:
    """Tools run, and their results never reach the history."""
    return await ResultNotAppended(env).run()


class ResponseNotAppended(Loop):
    def append(self, message: Message) -> None:
        if not message.tool_calls:
            super().append(message)


async def response_not_appended(env: Env) -> RunResult:
    """Results stand in the history without the response that asked for them."""
    return await ResponseNotAppended(env).run()


class ResultsBeforeResponse(Loop):
    held: Message | None = None

    def append(self, message: Message) -> None:
        if message.tool_calls:
            self.held = message
        else:
            super().append(message)

    def append_results(self) -> None:
        super().append_results()
        if self.held is not None:
            super().append(self.held)
            self.held = None


async def results_before_response(env: Env) -> RunResult:
    """Results are appended first, and then the response that asked for them."""
    return await ResultsBeforeResponse(env).run()


class ResultsByCompletion(Loop):
    def append_results(self) -> None:
        for position, answer in self.answers.items():
            self.append(self.result(self.calls[position], answer))
        self.calls, self.answers = (), {}


async def results_by_completion(env: Env) -> RunResult:
    """Results are appended in the order in which the tools finish."""
    return await ResultsByCompletion(env).run()


class WrongCallId(Loop):
    def result(self, call: ToolCall, answer: Answer) -> Message:
        return super().result(self.calls[0], answer)


async def wrong_call_id(env: Env) -> RunResult:
    """All results of a response carry the id of its first call."""
    return await WrongCallId(env).run()


class ResultsAsUserMessages(Loop):
    def result(self, call: ToolCall, answer: Answer) -> Message:
        return user(f"Result of {call.name}: {answer.output}")


async def results_as_user_messages(env: Env) -> RunResult:
    """Results are given to the model as messages of the user."""
    return await ResultsAsUserMessages(env).run()


class CallsLeftUnanswered(Loop):
    def close(self, why: str) -> None:
        self.calls = ()


async def calls_left_unanswered(env: Env) -> RunResult:
    """A run that a boundary ends leaves the calls that were open without results."""
    return await CallsLeftUnanswered(env).run()
