"""Mutants that pass on other words than were said: of the model, or of a tool."""

from __future__ import annotations

import json
from dataclasses import replace

from agentsim.core import Env, Message, Request, Response, RunResult, ToolCall, user
from agentsim.mutants.answers import Answer
from agentsim.mutants.loop import Loop

__all__ = [
    "arguments_rewritten",
    "blocks_dropped",
    "call_ids_renamed",
    "empty_answer_appended",
    "nudge_after_results",
    "output_replaced_by_notice",
    "results_swapped",
    "task_not_sent",
    "text_beside_calls_dropped",
]


class TextBesideCallsDropped(Loop):
    def append(self, message: Message) -> None:
        if message.tool_calls:
            message = replace(message, content="")
        super().append(message)


async def text_beside_calls_dropped(env: Env) -> RunResult:
    """The text that the model writes beside its calls is not kept."""
    return await TextBesideCallsDropped(env).run()


class BlocksDropped(Loop):
    def append(self, message: Message) -> None:
        super().append(replace(message, blocks=()))


async def blocks_dropped(env: Env) -> RunResult:
    """Blocks of reasoning are not sent back."""
    return await BlocksDropped(env).run()


class ArgumentsRewritten(Loop):
    def append(self, message: Message) -> None:
        calls = tuple(self.rewritten(call) for call in message.tool_calls)
        super().append(replace(message, tool_calls=calls))

    def rewritten(self, call: ToolCall) -> ToolCall:
        try:
            return replace(
                call, arguments=json.dumps(json.loads(call.arguments), indent=1)
            )
        except ValueError:
            return call


async def arguments_rewritten(env: Env) -> RunResult:
    """Arguments are parsed, and go back as text in another form."""
    return await ArgumentsRewritten(env).run()


class CallIdsRenamed(Loop):
    def take(self, request: Request, response: Response) -> None:
        calls = tuple(
            replace(call, id=f"{call.name}_{self.iterations}_{number}")
            for number, call in enumerate(response.message.tool_calls)
        )
        message = replace(response.message, tool_calls=calls)
        super().take(request, replace(response, message=message))


async def call_ids_renamed(env: Env) -> RunResult:
    """Every call gets an id of the agent's own, also where the model's was good."""
    return await CallIdsRenamed(env).run()


class ResultsSwapped(Loop):
    def append_results(self) -> None:
        if self.answers:
            self.answers = dict(enumerate(self.answers.values()))
        super().append_results()


async def results_swapped(env: Env) -> RunResult:
    """Outputs are given to the calls in the order in which the tools finish."""
    return await ResultsSwapped(env).run()


class OutputReplacedByNotice(Loop):
    def result(self, call: ToolCall, answer: Answer) -> Message:
        if not answer.failed:
            answer = replace(answer, output="(ok)")
        return super().result(call, answer)


async def output_replaced_by_notice(env: Env) -> RunResult:
    """The model is told that a tool ran, and not what it returned."""
    return await OutputReplacedByNotice(env).run()


class NudgeAfterResults(Loop):
    def append_results(self) -> None:
        waiting = bool(self.calls)
        super().append_results()
        if waiting:
            self.append(user("Continue."))


async def nudge_after_results(env: Env) -> RunResult:
    """After each batch of results the model is told to go on, in the user's name."""
    return await NudgeAfterResults(env).run()


class EmptyAnswerAppended(Loop):
    def take(self, request: Request, response: Response) -> None:
        super().take(request, response)
        if self.history.view()[-1].role != "assistant":
            self.append(response.message)


async def empty_answer_appended(env: Env) -> RunResult:
    """An empty response is appended, and every later request is refused for it."""
    return await EmptyAnswerAppended(env).run()


class TaskNotSent(Loop):
    def append(self, message: Message) -> None:
        if message.role != "user" or message.content != self.env.task:
            super().append(message)


async def task_not_sent(env: Env) -> RunResult:
    """A new run begins with the system prompt alone, without the user's message."""
    return await TaskNotSent(env).run()
