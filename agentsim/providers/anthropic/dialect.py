"""Anthropic Messages as one of the dialects that a service speaks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import MessageView, ProviderError, tokens_of
from agentsim.providers.anthropic.answers import (
    ReadMessage,
    message_body,
    read_answer,
)
from agentsim.providers.anthropic.errors import error_answer, error_body, headers_of
from agentsim.providers.anthropic.events import read_events
from agentsim.providers.anthropic.rulebook.profile import (
    MESSAGES_LENIENT,
    MESSAGES_STRICT,
    MessagesProfile,
)
from agentsim.providers.anthropic.rulebook.thoughts import Thoughts
from agentsim.providers.anthropic.stream import PING, message_frames
from agentsim.providers.anthropic.wire import WIRE, MessagesReader, read_body
from agentsim.providers.wires.answers import HttpAnswer
from agentsim.providers.wires.asked import Reader
from agentsim.providers.wires.dialect import Answered, Frame
from agentsim.providers.wires.rules import WireRefusal
from agentsim.providers.wires.sse import frame_bytes

__all__ = ["MESSAGES", "MessagesDialect"]

COUNT_TOKENS = "/count_tokens"


class MessagesDialect:
    """Anthropic Messages; implements `wires.Dialect`, `HasMore`, `HasNoise` and `HasStore`."""

    @property
    def wire(self) -> str:
        """Its name."""
        return WIRE

    @property
    def content_type(self) -> str:
        """The `content-type` of a stream."""
        return "text/event-stream; charset=utf-8"

    @property
    def noise(self) -> Sequence[bytes]:
        """An event that clients pass over."""
        return (frame_bytes(PING),)

    @property
    def strict(self) -> MessagesProfile:
        """The profile that judges unless another is asked for."""
        return MESSAGES_STRICT

    @property
    def lenient(self) -> MessagesProfile:
        """The profile with only the rules that the service has for sure."""
        return MESSAGES_LENIENT

    def store(self) -> Thoughts:
        """A new store of what the model thought, with nothing in it."""
        return Thoughts()

    def reader(
        self, profile: MessagesProfile | None = None, store: Thoughts | None = None
    ) -> MessagesReader:
        """A new reader, for one client."""
        return MessagesReader(MESSAGES_STRICT if profile is None else profile, store)

    def read_body(self, raw: bytes) -> dict[str, Any] | WireRefusal:
        """Read the body of a request."""
        return read_body(raw)

    def body(self, answered: Answered) -> dict[str, Any]:
        """The body of an answer that is not streamed."""
        return message_body(
            answered.response,
            model=answered.request.model,
            number=answered.number,
            body=answered.body,
        )

    def frames(self, answered: Answered) -> Sequence[Frame]:
        """The events of an answer that is streamed."""
        return message_frames(answered)

    def headers(self, number: int) -> dict[str, str]:
        """The headers of an answer beside its content type."""
        return headers_of(number)

    def error_answer(self, error: ProviderError, *, number: int) -> HttpAnswer:
        """The answer that tells of an error."""
        return error_answer(error, number=number)

    def error_frames(self, error: ProviderError, *, number: int) -> Sequence[Frame]:
        """The event that tells of an error after a stream has begun; nothing follows."""
        return [Frame(error_body(error, number), "error")]

    def read_answer(self, body: Mapping[str, Any]) -> ReadMessage:
        """Read the body of an answer that was not streamed."""
        return read_answer(body)

    def read_frames(self, frames: Sequence[Frame]) -> ReadMessage:
        """Read the events of a stream: what came is as in the plain answer."""
        return read_events(frames)

    def more(
        self, reader: Reader, method: str, path: str, body: bytes
    ) -> HttpAnswer | None:
        """Count the tokens of a request, which is judged as one for an answer."""
        if (method, path) != ("POST", COUNT_TOKENS):
            return None
        assert isinstance(reader, MessagesReader)
        asked = reader.count(read_body(body))
        if asked.refusal is not None:
            return error_answer(asked.refusal.error())
        assert isinstance(asked.request.messages, MessageView)
        told = {"input_tokens": tokens_of(asked.request.messages.characters)}
        headers = {"content-type": "application/json", **headers_of(0)}
        return HttpAnswer(200, headers, json.dumps(told).encode())


MESSAGES = MessagesDialect()
"""Anthropic Messages."""
