"""Chat Completions as one of the dialects that a service speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import ProviderError
from agentsim.providers.openai.dialect import OpenAIDialect
from agentsim.providers.openai.errors import error_body
from agentsim.providers.openai_chat.answers import Completion, read_completion
from agentsim.providers.openai_chat.chunks import read_chunks
from agentsim.providers.openai_chat.completions import completion_body
from agentsim.providers.openai_chat.rulebook.profile import (
    LENIENT,
    STRICT,
    ChatProfile,
)
from agentsim.providers.openai_chat.stream import completion_frames
from agentsim.providers.openai_chat.wire import WIRE, ChatReader
from agentsim.providers.wires.dialect import Answered, Frame

__all__ = ["CHAT", "ChatDialect"]


class ChatDialect(OpenAIDialect):
    """Chat Completions; implements `wires.Dialect`."""

    @property
    def wire(self) -> str:
        """Its name."""
        return WIRE

    @property
    def strict(self) -> ChatProfile:
        """The profile that judges unless another is asked for."""
        return STRICT

    @property
    def lenient(self) -> ChatProfile:
        """The profile with only the rules that the service has for sure."""
        return LENIENT

    def reader(self, profile: ChatProfile | None = None) -> ChatReader:
        """A new reader, for one client."""
        return ChatReader(STRICT if profile is None else profile)

    def body(self, answered: Answered) -> dict[str, Any]:
        """The body of an answer that is not streamed."""
        return completion_body(
            answered.response,
            request=answered.request,
            number=answered.number,
            created=answered.created,
            body=answered.body,
        )

    def frames(self, answered: Answered) -> Sequence[Frame]:
        """The events of an answer that is streamed."""
        return completion_frames(answered)

    def error_frames(self, error: ProviderError, *, number: int) -> Sequence[Frame]:
        """The event that tells of an error after a stream has begun; nothing follows."""
        del number  # neither the event nor its stream tells which request it was
        return [Frame(error_body(error))]

    def read_answer(self, body: Mapping[str, Any]) -> Completion:
        """Read the body of an answer that was not streamed."""
        return read_completion(body)

    def read_frames(self, frames: Sequence[Frame]) -> Completion:
        """Read the events of a stream: what came is as in the plain answer."""
        return read_chunks(frames)


CHAT = ChatDialect()
"""Chat Completions."""
