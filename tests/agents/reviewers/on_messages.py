"""A reviewer on Anthropic Messages: replies are lists of blocks, and have a stop reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anthropic import Anthropic, AnthropicError, AsyncAnthropic
from anthropic.types import Message, ToolParam

from agentsim.core import Env
from tests.agents.reviewers.forge import PROMPT, TOOLS
from tests.agents.reviewers.reviewer import BlockingReviewer, Result, Reviewer, failed
from tests.agents.sdk import BadCall, End, read_arguments

DEFINITIONS: list[ToolParam] = [
    {"name": name, "description": text, "input_schema": schema}
    for name, text, schema in TOOLS
]

TOKENS_MAX = 4096

CUT = ("max_tokens", "model_context_window_exceeded")

WHOLE = ("end_turn", "tool_use", "stop_sequence")


def ending(reply: Message) -> End | None:
    """How a review ends with this reply, or None where it goes on.

    The stop reason comes first: the last call of a reply that was cut may be half of
    one, and a pause is no end.
    """
    reason, text = reply.stop_reason, text_of(reply)
    if reason == "refusal":
        return End("refused", text or "the model refused")
    if reason in CUT:
        return End("truncated", text)
    if reason == "pause_turn" or (reason in WHOLE and calls_of(reply)):
        return None
    if reason not in WHOLE:
        return End("failed", f"the reply was ended by {reason}")
    if not text.strip():
        return End("failed", "the model gave no answer")
    return End("done", text)


def text_of(reply: Message) -> str:
    """What the reply says."""
    return "".join(block.text for block in reply.content if block.type == "text")


def calls_of(reply: Message) -> list[Any]:
    """The calls of the reply."""
    return [block for block in reply.content if block.type == "tool_use"]


def content_of(reply: Message, messages: Sequence[Any]) -> list[Any]:
    """The content to send back: all blocks as they are, where the service can take them.

    Anthropic's own service always gives ids that differ, and objects as input; others
    that speak its protocol may not.
    """
    seen = {
        block.id
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
        if block.type == "tool_use"
    }
    content: list[Any] = []
    for number, block in enumerate(reply.content):
        if block.type == "tool_use":
            if not block.id or block.id in seen:
                block.id = f"own_{len(messages)}_{number}"
            seen.add(block.id)
            sound = is_sound(block.input)
            content.append(block if sound else block.model_copy(update={"input": {}}))
        else:
            content.append(block)
    return content


def is_sound(arguments: object) -> bool:
    """Whether arguments are an object that JSON can carry."""
    try:
        read_arguments(as_object(arguments))
    except BadCall:
        return False
    return True


def as_object(arguments: object) -> object:
    """The input of a call: only an object is one, and no text of JSON."""
    return arguments if isinstance(arguments, dict) else [arguments]


class MessagesReviewer(Reviewer):
    """The loop of the documentation; its siblings replace one of its steps."""

    def connect(self, env: Env) -> None:
        """Take the async client."""
        self.client: AsyncAnthropic = env.anthropic()

    async def review(self, task: str) -> End:
        """Ask, keep the reply, answer its calls, and again."""
        self.messages: list[Any] = [{"role": "user", "content": task}]
        for _ in range(self.steps):
            try:
                reply = await self.ask()
            except AnthropicError as error:  # after the SDK's own retries
                return failed(error)
            end = self.end(reply)
            if end is not None:
                return end
            self.keep(reply)
            await self.work(reply)
        return End("max_iterations", f"no end after {self.steps} steps")

    async def ask(self) -> Message:
        """One request."""
        return await self.client.messages.create(
            model=self.model,
            max_tokens=TOKENS_MAX,
            system=PROMPT,
            messages=self.messages,
            tools=DEFINITIONS,
        )

    def end(self, reply: Message) -> End | None:
        """How the review ends with this reply, or None where it goes on."""
        return ending(reply)

    def keep(self, reply: Message) -> None:
        """Append the whole content: text, thinking, calls."""
        content = content_of(reply, self.messages)
        self.messages.append({"role": "assistant", "content": content})

    async def work(self, reply: Message) -> None:
        """Answer all calls of a reply in one message of the user; a pause has none."""
        results = [
            self.result(call, await self.answer(call)) for call in calls_of(reply)
        ]
        if results:
            self.tell(results)

    async def answer(self, call: Any) -> Result:  # noqa: ANN401 - a block of the SDK
        """Run one call."""
        return await self.use(call.id, call.name, as_object(call.input))

    def result(self, call: Any, result: Result) -> dict[str, Any]:  # noqa: ANN401
        """The block that answers a call."""
        return {
            "type": "tool_result",
            "tool_use_id": call.id,
            "content": result.text,
            "is_error": result.is_error,
        }

    def tell(self, results: list[dict[str, Any]]) -> None:
        """Append the results of one reply."""
        self.messages.append({"role": "user", "content": results})


class BlockingMessagesReviewer(BlockingReviewer):
    """The same in one function, on the blocking client."""

    def connect(self, env: Env) -> None:
        """Take the blocking client."""
        self.client: Anthropic = env.anthropic_sync()

    def review(self, task: str) -> End:
        """Ask, keep the reply, answer its calls, and again."""
        messages: list[Any] = [{"role": "user", "content": task}]
        for _ in range(self.steps):
            try:
                reply = self.ask(messages)
            except AnthropicError as error:
                return failed(error)
            end = ending(reply)
            if end is not None:
                return end
            content = content_of(reply, messages)
            messages.append({"role": "assistant", "content": content})
            results = []
            for call in calls_of(reply):
                result = self.use(call.id, call.name, as_object(call.input))
                results.append(
                    {
                        "type": "tool_result",
                        "tool_use_id": call.id,
                        "content": result.text,
                        "is_error": result.is_error,
                    }
                )
            if results:
                messages.append({"role": "user", "content": results})
        return End("max_iterations", f"no end after {self.steps} steps")

    def ask(self, messages: list[Any]) -> Message:
        """One request."""
        return self.client.messages.create(
            model=self.model,
            max_tokens=TOKENS_MAX,
            system=PROMPT,
            messages=messages,
            tools=DEFINITIONS,
        )
