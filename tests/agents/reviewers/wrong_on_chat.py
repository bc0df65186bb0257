"""Reviewers on Chat Completions with one usual fault each."""

from __future__ import annotations

from typing import Any

from openai.types.chat import ChatCompletionMessage
from openai.types.chat.chat_completion import Choice

from tests.agents.openai_chat.words import ToolCall
from tests.agents.reviewers.on_chat import FUNCTIONS, ChatReviewer
from tests.agents.reviewers.on_chat_streams import (
    ByHandChatReviewer,
    StreamedChatReviewer,
)
from tests.agents.reviewers.reviewer import Result


class TextOnly(ChatReviewer):
    """Keeps the text of the reply: its calls are lost, and their results are orphans."""

    def keep(self, message: ChatCompletionMessage) -> None:
        """Append a message of one's own making."""
        self.messages.append({"role": "assistant", "content": message.content or ""})


class IdLost(ChatReviewer):
    """The result does not say which call it answers."""

    def tell(self, call: ToolCall, result: Result) -> None:
        """Append the result by its tool's name, as for the old functions."""
        name = call.function.name
        self.messages.append({"role": "tool", "name": name, "content": result.text})


class OrphanResult(ChatReviewer):
    """The result bears an id that no call has."""

    def tell(self, call: ToolCall, result: Result) -> None:
        """Append the result under a number of one's own."""
        own = f"result_{len(self.messages)}"
        self.messages.append(
            {"role": "tool", "tool_call_id": own, "content": result.text}
        )


class ResultFirst(ChatReviewer):
    """The result stands before the message with its call."""

    def keep(self, message: ChatCompletionMessage) -> None:
        """Leave that to `work`."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Answer the calls, then keep the reply."""
        await super().work(message)
        super().keep(message)


class ResultMissing(ChatReviewer):
    """Of two calls in one reply only the first is answered."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Answer `tool_calls[0]`."""
        for call in (message.tool_calls or ())[:1]:
            self.tell(call, await self.answer(call))


class FailureMissing(ChatReviewer):
    """A call that failed gets no result."""

    def tell(self, call: ToolCall, result: Result) -> None:
        """Append what went well."""
        if not result.is_error:
            super().tell(call, result)


class ResultTwice(ChatReviewer):
    """Each result is told twice: when it comes, and when the reply is done."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Answer the calls, then go over them again."""
        results = [(call, await self.answer(call)) for call in message.tool_calls or ()]
        for call, result in (*results, *results):
            self.tell(call, result)


class ResultLate(ChatReviewer):
    """A message of the user comes between the calls and their results."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Say that the tools are at work, as for a person who watches."""
        if message.tool_calls:
            self.messages.append({"role": "user", "content": "(tools are running)"})
        await super().work(message)


class NobodyAsked(ChatReviewer):
    """Merges without a person's approval."""

    async def answer(self, call: ToolCall) -> Result:
        """Ask nobody."""
        self.approve = _nobody
        return await super().answer(call)


class DeclinedRuns(ChatReviewer):
    """Asks the person, and runs the tool whatever the answer is."""

    async def answer(self, call: ToolCall) -> Result:
        """Take the answer for a yes."""
        ask = self.approve

        async def approve(
            call_id: str, name: str, arguments: dict[str, object]
        ) -> None:
            await ask(call_id, name, arguments)

        self.approve = approve
        try:
            return await super().answer(call)
        finally:
            self.approve = ask


class FailureHidden(ChatReviewer):
    """A failed call is told as if it had gone well."""

    def tell(self, call: ToolCall, result: Result) -> None:
        """Say ok."""
        super().tell(call, result._replace(text="ok") if result.is_error else result)


class ResultsSwapped(ChatReviewer):
    """Results stand in the reverse order of their calls: accepted, a bad habit."""

    async def work(self, message: ChatCompletionMessage) -> None:
        """Tell the last result first."""
        results = [(call, await self.answer(call)) for call in message.tool_calls or ()]
        for call, result in reversed(results):
            self.tell(call, result)


class HelperMessageKept(StreamedChatReviewer):
    """Appends the message that the streaming helper put together, as it is."""

    async def ask(self) -> Choice:
        """Take the helper's choice."""
        async with self.client.chat.completions.stream(
            model=self.model, messages=self.messages, tools=FUNCTIONS
        ) as stream:
            completion = await stream.get_final_completion()
        choice: Any = completion.choices[0]
        return choice  # type: ignore[no-any-return]


class LastPieceWins(ByHandChatReviewer):
    """Takes each piece of a stream for the whole call."""

    def piece(self, calls: dict[int, Any], piece: Any) -> None:  # noqa: ANN401
        """Replace what there was, but for id and name."""
        before = dict(calls.get(piece.index, {}))
        calls.pop(piece.index, None)
        super().piece(calls, piece)
        if before:
            calls[piece.index]["id"] = before["id"]
            calls[piece.index]["function"]["name"] = before["function"]["name"]


class IndexIgnored(ByHandChatReviewer):
    """Adds the pieces of all calls to one: examples have one tool."""

    def piece(self, calls: dict[int, Any], piece: Any) -> None:  # noqa: ANN401
        """Add everything to the first call."""
        super().piece(calls, piece.model_copy(update={"index": 0}))


async def _nobody(*_asked: object) -> None:
    return None
