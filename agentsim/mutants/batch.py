"""How the loop of the mutants answers the calls of one response (spec R4, R5)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

from agentsim.core import (
    Env,
    History,
    InvalidArguments,
    LoopBlocked,
    LoopWindow,
    Message,
    Question,
    Tool,
    ToolCall,
    call_key,
    signature,
    tool_result,
)
from agentsim.mutants.answers import (
    Answer,
    End,
    interrupted,
    loop_block,
    not_executed,
    refused,
)
from agentsim.runtime import (
    APPROVER,
    check_arguments,
    compile_schema,
    read_arguments,
    result_text,
)

__all__ = ["Batch"]


class Batch:
    """The half of the loop that runs tools; the calls it works on are its state.

    Attributes:
        calls: The calls of the last response whose results are not yet in the history.
        answers: The answers there are, by position of the call, in order of completion.
        begun: Positions of the calls whose tool was started.
    """

    def __init__(self, env: Env) -> None:
        self.env = env
        self.tools = {tool.name: tool for tool in env.tools}
        self.slots = asyncio.Semaphore(env.limits.max_parallel or sys.maxsize)
        self.window = LoopWindow(env.loop)
        self.history = History()
        self.deadline: float | None = None
        self.used: list[str] = []
        self.calls: tuple[ToolCall, ...] = ()
        self.answers: dict[int, Answer] = {}
        self.begun: list[int] = []

    async def answer_calls(self) -> None:
        """Answer all calls, group after group, and count each (R4.1, R4.2)."""
        for group in self.groups():
            await asyncio.gather(*(self.answer(position) for position in group))
            self.check_deadline()
            for position in group:
                self.detect(position)

    def groups(self) -> Iterator[list[int]]:
        """Positions of calls that may overlap: neighbouring parallel reads."""
        group: list[int] = []
        for position, call in enumerate(self.calls):
            if group and (self.alone(call) or self.alone(self.calls[group[-1]])):
                yield group
                group = []
            group.append(position)
        if group:
            yield group

    def alone(self, call: ToolCall) -> bool:
        """Whether a call must not overlap any other."""
        tool = self.tools.get(call.name)
        return tool is None or tool.rights.alone

    async def answer(self, position: int) -> None:
        """Find the answer to one call; one that comes too late is none (R6.3)."""
        call = self.calls[position]
        self.used.append(call.name)
        answer = await self.work(position, call)
        if not self.late():
            self.answers[position] = answer

    async def work(self, position: int, call: ToolCall) -> Answer:
        """Name, arguments, loop refusal, confirmation, execution (R4)."""
        tool = self.find(call)
        if tool is None:
            return refused(f"unknown tool {call.name}")
        try:
            arguments = self.read(call)
            check_arguments(arguments, compile_schema(tool.definition))
        except InvalidArguments as fault:
            return refused(f"invalid arguments of {call.name}: {fault}")
        block = self.refusal(call, tool)
        if block is not None:
            return block
        if tool.rights.confirms:
            approved = await self.confirm(call, arguments)
            if isinstance(approved, Answer):
                return approved
            arguments = approved
        return await self.execute(position, tool, arguments)

    def find(self, call: ToolCall) -> Tool | None:
        """The tool that a call names, if it is on the list (R3.5)."""
        return self.tools.get(call.name)

    def read(self, call: ToolCall) -> dict[str, Any]:
        """The arguments of a call, as the model wrote them (R1.11)."""
        return read_arguments(call.arguments)

    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        """The arguments with who approved them, or the refusal (R4.4)."""
        if self.env.confirm is None:
            return refused(
                "tool requires confirmation but no Confirm callback configured"
            )
        decision = await self.env.confirm(Question(call.id, call.name, arguments))
        if decision.approved and decision.confirmed_by:
            return {**arguments, APPROVER: decision.confirmed_by}
        reason = decision.reason
        return refused(f"declined: {reason}" if reason else "declined by user")

    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        """Run a tool, at most K at once; what it raises is its result (R3.4, R4.1)."""
        async with self.slots:
            if self.late():
                return not_executed("the deadline was reached")
            self.begun.append(position)
            try:
                output = await tool.run(arguments)
            except Exception as error:  # noqa: BLE001 - the tool's error is a result
                return self.tool_error(error)
        text, ending = result_text(tool.name, output)
        return Answer(text, failed=ending != "ok")

    def tool_error(self, error: Exception) -> Answer:
        """The answer to a call whose tool raised (R3.4)."""
        return refused(str(error) or type(error).__name__)

    def late(self) -> bool:
        """Whether the deadline is reached: its very instant is too late (R6.3)."""
        now = asyncio.get_running_loop().time()
        return self.deadline is not None and now >= self.deadline

    def check_deadline(self) -> None:
        """End the run if the deadline is reached."""
        if self.late():
            self.end_late()

    def end_late(self) -> NoReturn:
        """End the run at its deadline."""
        limit_s = self.env.limits.deadline_s
        raise End("deadline", f"agent: reached the deadline of {limit_s} s")

    # ------------------------------------------------------------------------ results

    def append_results(self) -> None:
        """Append the results in the order of their calls (R3.2, R4.3)."""
        for position, call in enumerate(self.calls):
            self.append(self.result(call, self.answers[position]))
        self.calls = ()

    def result(self, call: ToolCall, answer: Answer) -> Message:
        """The message that answers a call."""
        return tool_result(call.id, answer.output, is_error=answer.failed)

    def append(self, message: Message) -> None:
        """Add a message to the history."""
        self.history.append(message)

    def close(self, why: str) -> None:
        """Answer the calls that are still open, whatever ended the run (R3.9)."""
        for position, call in enumerate(self.calls):
            if position not in self.answers:
                begun = position in self.begun
                answer = interrupted(call.name, why) if begun else not_executed(why)
                self.answers[position] = answer
        self.append_results()

    # --------------------------------------------------------------------- repetition

    def refusal(self, call: ToolCall, tool: Tool) -> Answer | None:
        """Refuse a write whose signature is blocked now (R5.5)."""
        if tool.rights.read_only:
            return None
        sign = self.window.blocking(call_key(call.name, call.arguments))
        if sign is None:
            return None
        return replace(loop_block(call.name, self.window.count(sign) + 1), sign=sign)

    def detect(self, position: int) -> None:
        """Count an answered call; block it, or end the run, where it loops (R5.2)."""
        call, answer = self.calls[position], self.answers[position]
        count = self.count(call, answer)
        rules = self.env.loop
        if count >= rules.block_at:
            self.answers[position] = loop_block(call.name, count)
            self.env.on(LoopBlocked(call.name, count, call.id))
        if count >= rules.end_at:
            raise End("loop", f"agent: ended a loop: {call.name} came {count} times")

    def count(self, call: ToolCall, answer: Answer) -> int:
        """How often this call had this result within the window, this one included."""
        tool = self.tools.get(call.name)
        return self.window.add(
            answer.sign or self.sign(call, answer),
            call_key(call.name, call.arguments),
            writes=tool is not None and not tool.rights.read_only,
            failed=answer.failed,
        )

    def sign(self, call: ToolCall, answer: Answer) -> str:
        """The signature of an answered call, volatile parts masked (R5.1)."""
        tool = self.tools.get(call.name)
        output = tool.rights.mask(answer.output) if tool is not None else answer.output
        return signature(call.name, call.arguments, output)
