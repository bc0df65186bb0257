"""The loop that every mutant is made from: correct as it stands, in small methods.

Left alone it holds every invariant, so that what a mutant violates is the fault of the
methods which it replaces. Of the reference runtime it uses leaves only, never its loop.
Left out: retries and fallback (a failed request ends the run), condensation, recovery
of calls from text, stores and dry runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NoReturn

from agentsim.core import (
    FINAL_REASONS,
    CallIdsReplaced,
    Env,
    FinalAnswer,
    LoopWindow,
    Message,
    ProviderError,
    Request,
    Response,
    RunEnded,
    RunResult,
    RunStarted,
    Status,
    Terminal,
    ToolDef,
    Usage,
    estimate_usage,
    signature,
    system,
    user,
)
from agentsim.mutants.answers import End
from agentsim.mutants.batch import Batch
from agentsim.runtime import DEFAULT_PROMPT, CallIds

__all__ = ["BOUNDARIES", "Loop"]

BOUNDARIES: tuple[Status, ...] = ("max_iterations", "token_budget", "deadline", "loop")
"""The endings that the runtime, not the model, brings about."""


class Loop(Batch):
    """One run of an agent; a mutant replaces some of its methods."""

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        self.usage = Usage()
        self.iterations = 0
        self.ids = CallIds()
        self.texts = LoopWindow(env.loop)
        self.paused = False

    async def run(self) -> RunResult:
        """Work on the task until the run ends, and say how it ended."""
        self.env.declare(limits=self.env.limits, loop=self.env.loop)
        self.env.on(RunStarted(self.env.task))
        try:
            await self.within_deadline()
        except End as end:
            return await self.finish(end)
        except asyncio.CancelledError:
            self.close("the run was cancelled")
            raise
        except Exception as error:  # noqa: BLE001 - told in the result
            return await self.finish(self.mishap(error))

    def mishap(self, error: Exception) -> End:
        """The end of a run in which a callback raised: a result, like any (R2)."""
        return End("failed", f"agent: {type(error).__name__}: {error}")

    async def within_deadline(self) -> NoReturn:
        """Converse until something ends the run, the deadline at the latest (R6.3)."""
        limit_s = self.env.limits.deadline_s
        if limit_s is not None:
            self.deadline = asyncio.get_running_loop().time() + limit_s
        timer = asyncio.timeout_at(self.deadline)
        try:
            async with timer:
                await self.converse()
        except TimeoutError:
            if not timer.expired():  # a callback's own
                raise
        self.end_late()

    async def converse(self) -> NoReturn:
        """Ask and answer, iteration by iteration (R3)."""
        prompt = self.prompt()
        if prompt:
            self.append(system(prompt))
        for message in self.env.history:
            self.append(message)
        self.append(user(self.env.task))
        while True:
            self.check_before_request()
            self.take_injected()
            await self.iterate()
            self.check_after_results()

    async def iterate(self) -> None:
        """Consume one response, and answer its calls."""
        request = self.request()
        response = await self.ask(request)
        self.check_deadline()
        self.take(request, response)
        self.check_budget(response)
        self.settle(response)
        self.hear(response.message)
        await self.answer_calls()
        self.append_results()

    async def finish(self, end: End) -> RunResult:
        """Leave a history that a provider accepts, and tell how the run ended."""
        words = end.words or "the run ended"
        self.close(words)
        if end.status in BOUNDARIES:
            self.env.on(Terminal(end.status, words))
        self.env.on(RunEnded(end.status, end.words))
        return RunResult(
            end.status,
            end.output,
            end.words,
            self.iterations,
            self.usage,
            tuple(self.used),
            self.history.view(),
            end.refusal,
        )

    # ----------------------------------------------------------------------- exchange

    def prompt(self) -> str:
        """The system prompt, the same for the whole run (R3.6)."""
        return self.env.prompt if self.env.prompt is not None else DEFAULT_PROMPT

    def messages(self) -> Sequence[Message]:
        """What is sent: the whole history (R3.6)."""
        return self.history.view()

    def definitions(self) -> tuple[ToolDef, ...]:
        """The tools that the model is told of, the same in all requests (R3.6)."""
        return tuple(tool.definition for tool in self.env.tools)

    def request(self) -> Request:
        """Make the next request."""
        env = self.env
        return Request(env.model, self.messages(), self.definitions(), env.temperature)

    async def ask(self, request: Request) -> Response:
        """Send a request; an error of the service ends the run."""
        try:
            return await self.env.client.complete(request)
        except ProviderError as error:
            raise End(
                "failed", f"agent: the model's service failed: {error}"
            ) from error

    def take(self, request: Request, response: Response) -> None:
        """Append a response whole, account for it, and take over its calls (R3.2)."""
        self.iterations += 1
        message, replaced = self.ids.mend(response.message, self.iterations)
        if replaced:
            self.env.on(CallIdsReplaced(replaced))
        if message.content.strip() or message.tool_calls or message.blocks:
            self.append(message)
        self.usage += response.usage or estimate_usage(request, response.message)
        self.paused = response.stop_reason == "pause_turn"
        self.calls, self.answers, self.begun = message.tool_calls, {}, []

    def settle(self, response: Response) -> None:
        """End the run where the structure of a response says so (R3.1, R3.8, R3.12)."""
        reason, text = response.stop_reason, response.message.content
        if reason == "max_tokens":
            raise End("truncated", "agent: the response was cut", output=text)
        if reason == "refusal":
            words, details = "agent: the model refused", response.refusal
            raise End("refused", words, output=text, refusal=details)
        if self.paused or (self.calls and reason in (*FINAL_REASONS, "tool_use")):
            return
        if reason not in FINAL_REASONS or not text.strip():
            words = f"agent: the response is empty or was ended by {reason}"
            raise End("failed", words, output=text)
        self.env.on(FinalAnswer(text))
        raise End("done", output=text)

    def hear(self, message: Message) -> None:
        """End the run where the model pauses with the same text again (R5.6)."""
        if message.tool_calls or not message.content:
            return
        sign = signature("", "", message.content)
        if self.texts.add(sign, ("", ""), writes=False) >= self.env.loop.end_at:
            raise End("loop", "agent: ended a loop: the same text again and again")

    def take_injected(self) -> None:
        """Append what the user said meanwhile, unless the model's turn is paused."""
        if not self.paused:
            for message in self.env.inject():
                self.append(user(message.text))

    # ------------------------------------------------------------------------- limits

    def check_before_request(self) -> None:
        """End the run where the next request would be one too many (R6.2, R6.3)."""
        budget = self.env.limits.token_budget
        if budget is not None and self.billable() >= budget:
            raise End("token_budget", f"agent: spent the budget of {budget} tokens")
        self.check_deadline()

    def check_budget(self, response: Response) -> None:
        """End the run where a response crossed the budget, before its tools (R6.2)."""
        budget = self.env.limits.token_budget
        if budget is not None and self.billable() > budget:
            text = response.message.content
            words = f"agent: spent more than the budget of {budget} tokens"
            raise End("token_budget", words, output=text)

    def check_after_results(self) -> None:
        """End the run by the stop predicate, or by the limit of iterations (R3.7)."""
        if self.env.stop is not None and self.env.stop(self.history.view()):
            raise End("stopped", "agent: the stop predicate ended the run")
        limit = self.env.limits.max_iterations
        if limit is not None and self.exhausted(limit):
            words = f"agent: reached the limit of {limit} iterations without finishing"
            raise End("max_iterations", words)

    def exhausted(self, limit: int) -> bool:
        """Whether no iteration is left."""
        return self.iterations >= limit

    def billable(self) -> float:
        """Tokens that count against the budget so far (R1.5)."""
        return self.usage.billable(self.env.limits.cache_read_weight)
