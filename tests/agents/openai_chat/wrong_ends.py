"""Faults in how a run ends, and in what becomes of a service that fails."""

from __future__ import annotations

import asyncio

from openai import AsyncOpenAI, OpenAIError
from openai.types.chat import ChatCompletion
from openai.types.chat.chat_completion import Choice

from agentsim.core import Env
from tests.agents.openai_chat.steps import Steps
from tests.agents.sdk import End


class NoStepLimit(Steps):
    """`while True`: a model that never ends is never stopped."""

    def steps(self, env: Env) -> int:
        """Far more than anybody allowed; for ever would only take longer to see."""
        return 20


class OneStepMore(Steps):
    """Counts from zero, and stops behind the limit."""

    def steps(self, env: Env) -> int:
        """One more than the limit allows."""
        return super().steps(env) + 1


class ReasonIgnored(Steps):
    """Only looks whether there are calls: a reply that was cut is taken as whole."""

    def end(self, choice: Choice) -> End | None:
        """The text, whatever ended it."""
        if choice.message.tool_calls:
            return None
        return End("done", choice.message.content or choice.message.refusal or "")


class ReasonAlone(Steps):
    """Goes by `finish_reason` alone, and drops calls that come with another one."""

    def end(self, choice: Choice) -> End | None:
        """The text of any reply that does not end with `tool_calls`."""
        if choice.finish_reason == "tool_calls":
            return None
        return End("done", choice.message.content or "")


class NoneIsAnswer(Steps):
    """Returns the content of the last message, which may be None."""

    def end(self, choice: Choice) -> End | None:
        """The content as it is."""
        if choice.message.tool_calls:
            return None
        return End("done", choice.message.content)  # type: ignore[arg-type]


class DoneByWord(Steps):
    """Reads in the text of a reply that the work is done."""

    def end(self, choice: Choice) -> End | None:
        """The text that says so, else as it should be."""
        said = choice.message.content or ""
        return End("done", said) if "done" in said.lower() else super().end(choice)


class NoRetries(Steps):
    """A client of one's own without the SDK's retries, and no guard."""

    def connect(self, env: Env) -> AsyncOpenAI:
        """Turn the retries off."""
        return env.openai(max_retries=0)

    def gives_up(self, error: OpenAIError) -> End:
        """Let the caller see to it."""
        raise error


class RetriesRetries(Steps):
    """A retry of one's own around the SDK's: the attempts multiply."""

    async def ask(self) -> ChatCompletion:
        """Three times, each with the SDK's three attempts."""
        for attempt in range(2):
            try:
                return await super().ask()
            except OpenAIError:
                await asyncio.sleep(2**attempt)
        return await super().ask()


class SaysDone(Steps):
    """A service that fails is not told: the run returns as if it were done."""

    def gives_up(self, error: OpenAIError) -> End:
        """Say done."""
        return End("done", "Done.")
