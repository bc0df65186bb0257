"""Faults in what goes back to the model: the service refuses the next request.

Each is the right loop but for one method.
"""

from __future__ import annotations

from openai.types.chat import ChatCompletionMessage

from tests.agents.openai_chat.steps import Steps
from tests.agents.openai_chat.words import ToolCall


class TextOnly(Steps):
    """Only the text of the reply is kept: its calls are lost, the results stay."""

    def keep(self, message: ChatCompletionMessage) -> None:
        """Append a message of one's own making."""
        self.messages.append({"role": "assistant", "content": message.content or ""})


class NoCallId(Steps):
    """The result does not say which call it answers."""

    def tell(self, call: ToolCall, content: str) -> None:
        """Append a result as for a model that calls one function at a time."""
        self.messages.append({"role": "tool", "content": content})


class OwnCallId(Steps):
    """The result has an id of one's own making, as if it were a database's."""

    def tell(self, call: ToolCall, content: str) -> None:
        """Append a result under the name of the tool."""
        name = call.function.name
        self.messages.append({"role": "tool", "tool_call_id": name, "content": content})


class ResultFirst(Steps):
    """The results are appended before the reply that asked for them."""

    def keep(self, message: ChatCompletionMessage) -> None:
        """Leave that to `work`."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Answer the calls, then append the reply."""
        await super().work(message)
        super().keep(message)


class FirstCallOnly(Steps):
    """Of several calls in one reply the first alone is answered."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Answer `tool_calls[0]`, as examples do that show one tool."""
        for call in (message.tool_calls or ())[:1]:
            self.tell(call, await self.answer(call))


class NoResultForErrors(Steps):
    """A call whose tool fails gets no result."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Answer the calls that went well."""
        for call in message.tool_calls or ():
            content = await self.answer(call)
            if not content.startswith("Error"):
                self.tell(call, content)


class CutHistory(Steps):
    """Old messages are dropped to save tokens, in the middle of a pair."""

    def keep(self, message: ChatCompletionMessage) -> None:
        """Keep the last three messages, then the reply."""
        self.messages = self.messages[-3:]
        super().keep(message)
