"""A reviewer on Chat Completions: the history is a list of messages, sent whole."""

from __future__ import annotations

from typing import Any

from openai import AsyncOpenAI, OpenAI, OpenAIError
from openai.types.chat import ChatCompletionMessage, ChatCompletionToolParam
from openai.types.chat.chat_completion import Choice

from agentsim.core import Env
from tests.agents.openai_chat.words import ToolCall, ending, with_own_ids
from tests.agents.reviewers.forge import PROMPT, TOOLS
from tests.agents.reviewers.reviewer import BlockingReviewer, Result, Reviewer, failed
from tests.agents.sdk import End

FUNCTIONS: list[ChatCompletionToolParam] = [
    {
        "type": "function",
        "function": {"name": name, "description": text, "parameters": schema},
    }
    for name, text, schema in TOOLS
]


class ChatReviewer(Reviewer):
    """The loop that tutorials teach; its siblings replace one of its steps."""

    def connect(self, env: Env) -> None:
        """Take the async client."""
        self.client: AsyncOpenAI = env.openai()

    async def review(self, task: str) -> End:
        """Ask, keep the reply, answer its calls, and again."""
        self.messages: list[Any] = [
            {"role": "system", "content": PROMPT},
            {"role": "user", "content": task},
        ]
        for _ in range(self.steps):
            try:
                choice = await self.ask()
            except OpenAIError as error:  # after the SDK's own retries
                return failed(error)
            end = self.end(choice)
            if end is not None:
                return end
            self.keep(choice.message)
            await self.work(choice.message)
        return End("max_iterations", f"no end after {self.steps} steps")

    async def ask(self) -> Choice:
        """One request."""
        completion = await self.client.chat.completions.create(
            model=self.model, messages=self.messages, tools=FUNCTIONS
        )
        return completion.choices[0]

    def end(self, choice: Choice) -> End | None:
        """How the review ends with this reply, or None where it goes on."""
        return ending(choice)

    def keep(self, message: ChatCompletionMessage) -> None:
        """Append the whole message: its text, and its calls."""
        self.messages.append(with_own_ids(message, self.messages))

    async def work(self, message: ChatCompletionMessage) -> None:
        """Answer each call with a message of its own."""
        for call in message.tool_calls or ():
            self.tell(call, await self.answer(call))

    async def answer(self, call: ToolCall) -> Result:
        """Run one call."""
        return await self.use(call.id, call.function.name, call.function.arguments)

    def tell(self, call: ToolCall, result: Result) -> None:
        """Append the result, under the id of its call."""
        self.messages.append(
            {"role": "tool", "tool_call_id": call.id, "content": result.text}
        )


class BlockingChatReviewer(BlockingReviewer):
    """The same in one function, on the blocking client."""

    def connect(self, env: Env) -> None:
        """Take the blocking client."""
        self.client: OpenAI = env.openai_sync()

    def review(self, task: str) -> End:
        """Ask, keep the reply, answer its calls, and again."""
        messages: list[Any] = [
            {"role": "system", "content": PROMPT},
            {"role": "user", "content": task},
        ]
        for _ in range(self.steps):
            try:
                choice = self.ask(messages)
            except OpenAIError as error:
                return failed(error)
            end = ending(choice)
            if end is not None:
                return end
            message = with_own_ids(choice.message, messages)
            messages.append(message)
            calls: Any = message.tool_calls or ()  # no other tools are offered
            for call in calls:
                name, arguments = call.function.name, call.function.arguments
                result = self.use(call.id, name, arguments)
                messages.append(
                    {"role": "tool", "tool_call_id": call.id, "content": result.text}
                )
        return End("max_iterations", f"no end after {self.steps} steps")

    def ask(self, messages: list[Any]) -> Choice:
        """One request."""
        completion = self.client.chat.completions.create(
            model=self.model, messages=messages, tools=FUNCTIONS
        )
        return completion.choices[0]
