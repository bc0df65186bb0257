"""The reviewer on streams of Chat Completions: by the SDK's helper, and by hand."""

from __future__ import annotations

from typing import Any

from openai import (
    ContentFilterFinishReasonError,
    LengthFinishReasonError,
    OpenAIError,
)
from openai.types.chat import ChatCompletionMessage
from openai.types.chat.chat_completion import Choice

from tests.agents.reviewers.on_chat import (
    FUNCTIONS,
    BlockingChatReviewer,
    ChatReviewer,
)


class BrokenOff(OpenAIError):
    """A stream that ended before its reply did: the SDK says nothing of it."""


class StreamedChatReviewer(ChatReviewer):
    """Shows the text as it comes, with `chat.completions.stream`."""

    shown = ""

    async def ask(self) -> Choice:
        """One request, read to its end."""
        try:
            async with self.client.chat.completions.stream(
                model=self.model, messages=self.messages, tools=FUNCTIONS
            ) as stream:
                async for event in stream:
                    if event.type == "content.delta":
                        self.shown += event.delta
                completion = await stream.get_final_completion()
        except (LengthFinishReasonError, ContentFilterFinishReasonError) as error:
            return cut_short(error)
        except AssertionError as error:  # the helper's own, where nothing came at all
            raise BrokenOff("the stream ended before it began") from error
        return whole(completion.choices[0])


class BlockingStreamedChatReviewer(BlockingChatReviewer):
    """The same, blocking."""

    def ask(self, messages: list[Any]) -> Choice:
        """One request, read to its end."""
        try:
            with self.client.chat.completions.stream(
                model=self.model, messages=messages, tools=FUNCTIONS
            ) as stream:
                completion = stream.until_done().get_final_completion()
        except (LengthFinishReasonError, ContentFilterFinishReasonError) as error:
            return cut_short(error)
        except AssertionError as error:  # the helper's own, where nothing came at all
            raise BrokenOff("the stream ended before it began") from error
        return whole(completion.choices[0])


class ByHandChatReviewer(ChatReviewer):
    """Puts the pieces together itself, as most tutorials do."""

    async def ask(self) -> Choice:
        """One request, put together piece by piece."""
        stream = await self.client.chat.completions.create(
            model=self.model, messages=self.messages, tools=FUNCTIONS, stream=True
        )
        text, refusal, reason = "", "", None
        calls: dict[int, Any] = {}
        async for chunk in stream:
            for choice in chunk.choices:
                text += choice.delta.content or ""
                refusal += choice.delta.refusal or ""
                for piece in choice.delta.tool_calls or ():
                    self.piece(calls, piece)
                reason = choice.finish_reason or reason
        return self.put_together(text, calls, refusal, reason)

    def piece(self, calls: dict[int, Any], piece: Any) -> None:  # noqa: ANN401
        """Add a piece to the call that its index names."""
        function = calls.setdefault(
            piece.index, {"id": "", "type": "function", "function": _empty()}
        )
        function["id"] += piece.id or ""
        function["function"]["name"] += piece.function.name or ""
        function["function"]["arguments"] += piece.function.arguments or ""

    def put_together(
        self, text: str, calls: dict[int, Any], refusal: str, reason: str | None
    ) -> Choice:
        """The choice that a plain request would have had.

        Raises:
            BrokenOff: when the stream ended without a reason.
        """
        if reason is None:
            raise BrokenOff("the stream ended before the reply did")
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if refusal:
            message["refusal"] = refusal
        if calls:
            message["tool_calls"] = [*calls.values()]
        return choice_of(message, reason)


def whole(choice: Any) -> Choice:  # noqa: ANN401 - the helper's own class
    """What the helper put together, with nothing of its own in it.

    Its message can't be sent back as it is: each call has the helper's `index` and
    `parsed_arguments`, which the service does not know.

    Raises:
        BrokenOff: when the stream ended too early: the helper gives what there was.
    """
    if choice.finish_reason is None:
        raise BrokenOff("the stream ended before the reply did")
    message = choice.message
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {
                "name": call.function.name,
                "arguments": call.function.arguments,
            },
        }
        for call in message.tool_calls or ()
    ]
    told: dict[str, Any] = {"role": "assistant", "content": message.content}
    if message.refusal:
        told["refusal"] = message.refusal
    if calls:
        told["tool_calls"] = calls
    return choice_of(told, choice.finish_reason)


def choice_of(message: dict[str, Any], reason: str) -> Choice:
    """A choice as a plain request has it, whatever its reason is."""
    made = ChatCompletionMessage.model_validate(message)
    return Choice.model_construct(index=0, finish_reason=reason, message=made)


def cut_short(
    error: LengthFinishReasonError | ContentFilterFinishReasonError,
) -> Choice:
    """The choice of a reply that was cut: the helper raises in its place."""
    if isinstance(error, LengthFinishReasonError):
        return error.completion.choices[0]
    return choice_of({"role": "assistant"}, "content_filter")


def _empty() -> dict[str, str]:
    return {"name": "", "arguments": ""}
