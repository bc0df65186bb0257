"""What the agents of this folder share: small functions, as a project would have them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentsim.core import (
    FINAL_REASONS,
    CallIdsReplaced,
    Decision,
    Env,
    InvalidArguments,
    Limits,
    Message,
    Question,
    Request,
    Response,
    RunResult,
    Status,
    Tool,
    ToolCall,
    Usage,
    estimate_usage,
    parse_arguments,
    system,
    tool_result,
    user,
)

PROMPT = "You are a careful operator. Answer with a summary when you are done."

RUNNABLE = ("tool_use", *FINAL_REASONS)
"""Stop reasons of replies whose calls are whole."""

PATIENCE_S = 120.0
"""Virtual seconds that these agents wait for one tool, and for a person."""


NO_ANSWER = "no answer in time; whether it took effect is unknown"


class BadCall(Exception):
    """A call that can't be run; the message goes to the model."""


def kept(limits: Limits, *names: str) -> Limits:
    """Of the limits those that an agent keeps; none of these keeps a token budget."""
    return Limits(
        limits.max_iterations if "max_iterations" in names else None,
        limits.deadline_s if "deadline_s" in names else None,
        None,
        limits.max_parallel if "max_parallel" in names else None,
    )


@dataclass
class Chat:
    """The messages of one run, and what is counted beside them."""

    env: Env
    messages: list[Message] = field(default_factory=list)
    rounds: int = 0
    usage: Usage = field(default_factory=Usage)
    tools: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        prompt = PROMPT if self.env.prompt is None else self.env.prompt
        self.messages = [system(prompt), *self.env.history, user(self.env.task)]

    @property
    def request(self) -> Request:
        """The next request: all that was said, and the tools."""
        definitions = tuple(tool.definition for tool in self.env.tools)
        return Request(
            self.env.model, tuple(self.messages), definitions, self.env.temperature
        )

    def take(self, response: Response) -> tuple[ToolCall, ...]:
        """Count and keep a response; give the calls to run, each with its own id.

        An empty response is not kept, since no service takes it back. The calls of one
        that was cut or refused are not run, and are told so.
        """
        self.rounds += 1
        self.usage += response.usage or estimate_usage(self.request, response.message)
        taken = {call.id for message in self.messages for call in message.tool_calls}
        message = self._with_ids(response.message, taken)
        if message.content.strip() or message.tool_calls or message.blocks:
            self.messages.append(message)
        if response.stop_reason in RUNNABLE:
            return message.tool_calls
        for call in message.tool_calls:
            self.refuse(
                call, f"not executed: the reply ended with {response.stop_reason}"
            )
        return ()

    def _with_ids(self, message: Message, taken: set[str]) -> Message:
        calls: list[ToolCall] = []
        replaced: list[tuple[str, str]] = []
        for number, call in enumerate(message.tool_calls, start=1):
            kept_id = call.id
            if not kept_id or kept_id in taken:
                kept_id = f"own_{self.rounds}_{number}"
                replaced.append((call.id or "", kept_id))
            taken.add(kept_id)
            calls.append(replace(call, id=kept_id))
        if not replaced:
            return message
        self.env.on(CallIdsReplaced(tuple(replaced)))
        return replace(message, tool_calls=tuple(calls))

    def answer(self, call: ToolCall, output: object) -> None:
        """Keep the result of a call."""
        self.messages.append(tool_result(call.id, str(output)))

    def refuse(self, call: ToolCall, words: str) -> None:
        """Keep the result of a call that failed."""
        self.messages.append(tool_result(call.id, f"Error: {words}", is_error=True))

    def ended(
        self, status: Status, *, output: str | None = None, error: str | None = None
    ) -> RunResult:
        """How the run ended."""
        return RunResult(
            status,
            output,
            error,
            self.rounds,
            self.usage,
            tuple(self.tools),
            tuple(self.messages),
        )

    def final(self, response: Response) -> RunResult:
        """The end by a response without calls, as its stop reason says."""
        reason, text = response.stop_reason, response.message.content
        if reason in FINAL_REASONS and text.strip():
            return self.ended("done", output=text)
        if reason == "max_tokens":
            return self.ended("truncated", output=text, error="the answer was cut")
        if reason == "refusal":
            return self.ended("refused", output=text, error="the model refused")
        return self.ended("failed", error=f"an answer without text or calls ({reason})")

    def out_of_rounds(self) -> RunResult:
        """The end by the limit of iterations."""
        limit = self.env.limits.max_iterations
        words = f"agent: reached the limit of {limit} iterations without finishing"
        return self.ended("max_iterations", output=words, error=words)


async def run_tool(
    env: Env, tool: Tool, call: ToolCall, arguments: dict[str, Any]
) -> object:
    """Run a tool, with a person's approval where it needs one.

    Raises:
        BadCall: when nobody approves, or no answer comes in time.
        ToolFailed: when the tool says that it failed.
    """
    try:
        async with asyncio.timeout(PATIENCE_S):
            if tool.rights.confirms:
                arguments = with_approval(arguments, await _ask(env, call, arguments))
            return await tool.run(arguments)
    except TimeoutError:
        raise BadCall(NO_ANSWER) from None


async def _ask(env: Env, call: ToolCall, arguments: dict[str, Any]) -> Decision:
    if env.confirm is None:
        raise BadCall("nobody is there to approve")
    return await env.confirm(Question(call.id, call.name, arguments))


def with_approval(arguments: dict[str, Any], decision: Decision) -> dict[str, Any]:
    """The arguments with the name of who approved them.

    Raises:
        BadCall: when nobody did.
    """
    if not (decision.approved and decision.confirmed_by):
        raise BadCall(f"declined: {decision.reason or 'by user'}")
    return {**arguments, "confirmed_by": decision.confirmed_by}


def read(call: ToolCall, names: Sequence[str]) -> dict[str, Any]:
    """The arguments of a call.

    Raises:
        BadCall: for a tool that is not there, and for what is no JSON object.
    """
    if call.name not in names:
        raise BadCall(f"unknown tool {call.name}; there are {', '.join(names)}")
    try:
        arguments = parse_arguments(call.arguments)
    except InvalidArguments as error:
        raise BadCall(f"arguments of {call.name}: {error}") from None
    arguments.pop("confirmed_by", None)  # a person writes that, never the model
    return arguments
