"""Faults around the tools: how calls are read, run, and told to the model."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from openai.types.chat import ChatCompletionMessage

from tests.agents.openai_chat.steps import Steps
from tests.agents.openai_chat.words import ToolCall
from tests.agents.sdk import as_text


class AllAtOnce(Steps):
    """All calls of a reply run at once, though some of them write."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Gather the answers; their order is that of the calls."""
        calls = message.tool_calls or ()
        answers = await asyncio.gather(*map(self.answer, calls))
        for call, content in zip(calls, answers, strict=True):
            self.tell(call, content)


class AsTheyCome(Steps):
    """Results are appended as they come in."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Let each answer append itself."""

        async def one(call: ToolCall) -> None:
            self.tell(call, await self.answer(call))

        await asyncio.gather(*map(one, message.tool_calls or ()))


class UnguardedJson(Steps):
    """`json.loads` over what a model wrote, without a guard."""

    async def answer(self, call: ToolCall) -> str:
        """Read the arguments outside of any guard."""
        arguments = json.loads(call.function.arguments)
        name = call.function.name
        if name not in self.tools:
            return f"Error: there is no tool {name}"
        declined = await self.approve(call.id, name, arguments)
        if declined is not None:
            return f"Error: declined: {declined}"
        try:
            return as_text(await self.run(name, arguments))
        except Exception as error:  # noqa: BLE001 - the model is told
            return f"Error: {error}"


class BadJsonIsEmpty(Steps):
    """Arguments that can't be read are taken as none."""

    def read(self, text: str | None) -> dict[str, Any]:
        """An empty object where JSON fails."""
        try:
            value = json.loads(text or "")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


class UnknownToolRaises(Steps):
    """A tool that is not there is a `KeyError`."""

    async def answer(self, call: ToolCall) -> str:
        """Look the tool up in the dict, outside of any guard."""
        self.tools[call.function.name]
        return await super().answer(call)


class ErrorEndsRun(Steps):
    """A tool that fails ends the run."""

    async def answer(self, call: ToolCall) -> str:
        """Run the tool without a guard."""
        arguments = self.read(call.function.arguments)
        return as_text(await self.run(call.function.name, arguments))


class ErrorSwallowed(Steps):
    """The model is told that all went well, whatever the tool said."""

    async def answer(self, call: ToolCall) -> str:
        """Say done in place of an error."""
        content = await super().answer(call)
        return "done" if content.startswith("Error") else content


class RetriesWrites(Steps):
    """A tool that does not answer in time is run again, also where it writes."""

    async def run(self, name: str, arguments: dict[str, Any]) -> object:
        """Try three times, with ten seconds for each."""
        for _ in range(2):
            try:
                async with asyncio.timeout(10):
                    return await super().run(name, arguments)
            except TimeoutError:
                continue
        return await super().run(name, arguments)


class SleepsBlocking(Steps):
    """Between calls it waits with `time.sleep`, which stops the whole event loop."""

    async def run(self, name: str, arguments: dict[str, Any]) -> object:
        """Spare the service."""
        time.sleep(0.5)  # noqa: ASYNC251 - this is the fault
        return await super().run(name, arguments)


class NobodyAsked(Steps):
    """A tool that a person must approve runs without."""

    async def answer(self, call: ToolCall) -> str:
        """Ask nobody."""

        async def approve(*_call: object) -> None:
            return None

        self.approve = approve
        return await super().answer(call)
