"""The right loop once more, in steps: each usual fault replaces one of them.

Written as people write it who have more than one agent: a class with a method for each
thing that happens. As it stands here it holds.
"""

from __future__ import annotations

from typing import Any

from openai import AsyncOpenAI, OpenAIError, omit
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice

from agentsim.core import Env, Finished
from tests.agents.openai_chat.binding import definitions
from tests.agents.openai_chat.words import ToolCall, ending, with_own_ids
from tests.agents.sdk import (
    BadCall,
    End,
    approving,
    as_text,
    keep_steps,
    read_arguments,
    told,
)


class Steps:
    """One object for each run; given to agentsim as a class."""

    async def __call__(self, env: Env) -> Finished:
        """Bind the loop to an environment."""
        keep_steps(env)
        self.client = self.connect(env)
        self.tools = env.functions
        self.definitions = definitions(env)
        self.approve = approving(env)
        self.model = env.model
        self.messages: list[Any] = [{"role": "user", "content": env.task}]
        if env.prompt is not None:
            self.messages.insert(0, {"role": "system", "content": env.prompt})
        return told(await self.loop(self.steps(env)))

    async def loop(self, steps: int) -> End:
        """Ask the model until it calls no more tools."""
        for _ in range(steps):
            try:
                completion = await self.ask()
            except OpenAIError as error:
                return self.gives_up(error)
            choice = completion.choices[0]
            end = self.end(choice)
            if end is not None:
                return end
            self.keep(choice.message)
            await self.work(choice.message)
        return End("max_iterations", f"no end after {steps} steps")

    def connect(self, env: Env) -> AsyncOpenAI:
        """The client of the SDK."""
        return env.openai()

    def steps(self, env: Env) -> int:
        """How often the model is asked at most."""
        return env.limits.max_iterations or 1_000

    async def ask(self) -> ChatCompletion:
        """One request, with the SDK's own retries."""
        return await self.client.chat.completions.create(
            model=self.model, messages=self.messages, tools=self.definitions or omit
        )

    def gives_up(self, error: OpenAIError) -> End:
        """What is returned when the service fails for good."""
        return End("failed", f"the service failed: {error}")

    def end(self, choice: Choice) -> End | None:
        """What is returned with a reply that ends the run, or None for any other."""
        return ending(choice)

    def keep(self, message: ChatCompletionMessage) -> None:
        """Append the reply as it is."""
        self.messages.append(with_own_ids(message, self.messages))

    async def work(self, message: ChatCompletionMessage) -> None:
        """Answer the calls of a reply, one after the other."""
        for call in message.tool_calls or ():
            self.tell(call, await self.answer(call))

    def tell(self, call: ToolCall, content: str) -> None:
        """Append the result of a call."""
        self.messages.append(
            {"role": "tool", "tool_call_id": call.id, "content": content}
        )

    async def answer(self, call: ToolCall) -> str:
        """The result of one call, whatever becomes of it."""
        name = call.function.name
        if name not in self.tools:
            return f"Error: there is no tool {name}"
        try:
            arguments = self.read(call.function.arguments)
            declined = await self.approve(call.id, name, arguments)
            if declined is not None:
                return f"Error: declined: {declined}"
            return as_text(await self.run(name, arguments))
        except BadCall as error:
            return f"Error: {error}"
        except Exception as error:  # noqa: BLE001 - the model is told
            return f"Error: {name} failed: {error}"

    def read(self, text: str | None) -> dict[str, Any]:
        """The arguments of a call."""
        return read_arguments(text)

    async def run(self, name: str, arguments: dict[str, Any]) -> object:
        """Run a tool."""
        return await self.tools[name](**arguments)
