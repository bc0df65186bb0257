"""Mutants that run a tool, or ask a person, with other arguments than the model's."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from agentsim.core import Env, InvalidArguments, RunResult, Tool, ToolCall
from agentsim.mutants.answers import Answer
from agentsim.mutants.loop import Loop
from agentsim.runtime import APPROVER, read_arguments

__all__ = [
    "approval_forged",
    "approval_lost_in_batch",
    "arguments_tidied",
    "empty_arguments_accepted",
    "first_approver_signs_all",
    "large_numbers_rounded",
    "last_arguments_for_all",
    "models_approval_kept",
]


class ArgumentsTidied(Loop):
    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        tidy = {
            key: value.strip() if isinstance(value, str) else value
            for key, value in arguments.items()
        }
        return await super().execute(position, tool, tidy)


async def arguments_tidied(env: Env) -> RunResult:
    """White space around the texts in the arguments is cut off before a tool runs."""
    return await ArgumentsTidied(env).run()


class EmptyArgumentsAccepted(Loop):
    def read(self, call: ToolCall) -> dict[str, Any]:
        if call.arguments in ("null", '""', "[]"):
            return {}
        return super().read(call)


async def empty_arguments_accepted(env: Env) -> RunResult:
    """Arguments of null or [] are taken for an object, and signed like one."""
    return await EmptyArgumentsAccepted(env).run()


class LargeNumbersRounded(Loop):
    def read(self, call: ToolCall) -> dict[str, Any]:
        super().read(call)
        rounded = json.loads(call.arguments or "{}", parse_int=lambda n: int(float(n)))
        return dict(rounded)


async def large_numbers_rounded(env: Env) -> RunResult:
    """Whole numbers go through floats, so that large ones become their neighbours."""
    return await LargeNumbersRounded(env).run()


class LastArgumentsForAll(Loop):
    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        named = [call for call in self.calls if call.name == tool.name]
        with suppress(InvalidArguments):
            arguments = read_arguments(named[-1].arguments)
        return await super().execute(position, tool, arguments)


async def last_arguments_for_all(env: Env) -> RunResult:
    """All calls of a tool in one response run with the arguments of the last one."""
    return await LastArgumentsForAll(env).run()


class ApprovalForged(Loop):
    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        said = await super().confirm(call, arguments)
        return said if isinstance(said, Answer) else {**said, APPROVER: "agent"}


async def approval_forged(env: Env) -> RunResult:
    """An approved call is signed by the agent itself, and not by who approved it."""
    return await ApprovalForged(env).run()


class ModelsApprovalKept(Loop):
    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        written = read_arguments(self.calls[position].arguments)
        kept = {key: written[key] for key in (APPROVER,) if key in written}
        return await super().execute(position, tool, {**arguments, **kept})


async def models_approval_kept(env: Env) -> RunResult:
    """A confirmed_by that the model wrote itself is passed on to the tool."""
    return await ModelsApprovalKept(env).run()


class ApprovalLostInBatch(Loop):
    async def execute(
        self, position: int, tool: Tool, arguments: dict[str, Any]
    ) -> Answer:
        if len(self.calls) > 1:
            arguments.pop(APPROVER, None)
        return await super().execute(position, tool, arguments)


async def approval_lost_in_batch(env: Env) -> RunResult:
    """A batch gets the calls as they were before the approval: who approved is lost."""
    return await ApprovalLostInBatch(env).run()


class FirstApproverSignsAll(Loop):
    first: str | None = None

    async def confirm(
        self, call: ToolCall, arguments: dict[str, Any]
    ) -> dict[str, Any] | Answer:
        approved = await super().confirm(call, arguments)
        if isinstance(approved, Answer):
            return approved
        self.first = self.first or approved[APPROVER]
        return {**approved, APPROVER: self.first}


async def first_approver_signs_all(env: Env) -> RunResult:
    """The id of who approved first is kept, and signs what others approve later."""
    return await FirstApproverSignsAll(env).run()
