"""The reviewer on streams of Anthropic Messages: by the SDK's helper, and by hand.

What breaks a stream off is not wrapped by this SDK: the HTTP library's own errors come
through, and a stream that just ends raises nothing.
"""

from __future__ import annotations

import json
from typing import Any

from anthropic import AnthropicError
from anthropic.types import Message
from httpx2 import HTTPError

from tests.agents.reviewers.forge import PROMPT
from tests.agents.reviewers.on_messages import (
    DEFINITIONS,
    TOKENS_MAX,
    BlockingMessagesReviewer,
    MessagesReviewer,
)


class BrokenOff(AnthropicError):
    """A stream that ended before its reply did."""


def whole(reply: Message) -> Message:
    """What the stream gave.

    Raises:
        BrokenOff: when it ended too early: the helper gives what there was.
    """
    if reply.stop_reason is None:
        raise BrokenOff("the stream ended before the reply did")
    return reply


class StreamedMessagesReviewer(MessagesReviewer):
    """Shows the text as it comes, with `messages.stream`."""

    shown = ""

    async def ask(self) -> Message:
        """One request, read to its end."""
        try:
            async with self.client.messages.stream(
                model=self.model,
                max_tokens=TOKENS_MAX,
                system=PROMPT,
                messages=self.messages,
                tools=DEFINITIONS,
            ) as stream:
                async for text in stream.text_stream:
                    self.shown += text
                return whole(await stream.get_final_message())
        except HTTPError as error:
            raise BrokenOff(f"the stream broke off: {error}") from error
        except ValueError as error:  # arguments that are no JSON
            raise BrokenOff(f"the stream can't be read: {error}") from error
        except AssertionError as error:  # the helper's own, where nothing came at all
            raise BrokenOff("the stream ended before it began") from error


class BlockingStreamedMessagesReviewer(BlockingMessagesReviewer):
    """The same, blocking."""

    def ask(self, messages: list[Any]) -> Message:
        """One request, read to its end."""
        try:
            with self.client.messages.stream(
                model=self.model,
                max_tokens=TOKENS_MAX,
                system=PROMPT,
                messages=messages,
                tools=DEFINITIONS,
            ) as stream:
                return whole(stream.get_final_message())
        except HTTPError as error:
            raise BrokenOff(f"the stream broke off: {error}") from error
        except ValueError as error:
            raise BrokenOff(f"the stream can't be read: {error}") from error
        except AssertionError as error:  # the helper's own, where nothing came at all
            raise BrokenOff("the stream ended before it began") from error


class ByHandMessagesReviewer(MessagesReviewer):
    """Puts the blocks together itself, event by event."""

    async def ask(self) -> Message:
        """One request, put together from its events."""
        stream = await self.client.messages.create(
            model=self.model,
            max_tokens=TOKENS_MAX,
            system=PROMPT,
            messages=self.messages,
            tools=DEFINITIONS,
            stream=True,
        )
        reply: dict[str, Any] = {}
        blocks: list[dict[str, Any]] = []
        try:
            async for event in stream:
                if event.type == "message_start":
                    reply = dict(event.message)
                elif event.type == "content_block_start":
                    blocks.append({**dict(event.content_block), "pieces": ""})
                elif event.type == "content_block_delta":
                    self.add(blocks[event.index], event.delta)
                elif event.type == "message_delta":
                    reply["stop_reason"] = event.delta.stop_reason
        except HTTPError as error:
            raise BrokenOff(f"the stream broke off: {error}") from error
        if reply.get("stop_reason") is None:
            raise BrokenOff("the stream ended before the reply did")
        content = [self.finished(block) for block in blocks]
        return Message.construct(**{**reply, "content": content})

    def add(self, block: dict[str, Any], delta: Any) -> None:  # noqa: ANN401
        """Add a piece to the block that its index names."""
        if delta.type == "text_delta":
            block["text"] += delta.text
        elif delta.type == "input_json_delta":
            block["pieces"] += delta.partial_json
        elif delta.type == "thinking_delta":
            block["thinking"] += delta.thinking
        elif delta.type == "signature_delta":
            block["signature"] += delta.signature

    def finished(self, block: dict[str, Any]) -> dict[str, Any]:
        """A block with its arguments read; what is no JSON stays a text."""
        pieces = block.pop("pieces")
        if pieces:
            try:
                block["input"] = json.loads(pieces)
            except ValueError:
                block["input"] = pieces
        return block
