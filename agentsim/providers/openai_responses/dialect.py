"""Responses as one of the dialects that a service speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import ProviderError
from agentsim.providers.openai.dialect import OpenAIDialect
from agentsim.providers.openai_responses.answers import ResponsesAnswer, read_response
from agentsim.providers.openai_responses.events import read_events
from agentsim.providers.openai_responses.more import more
from agentsim.providers.openai_responses.responses import response_body
from agentsim.providers.openai_responses.rulebook.profile import (
    LENIENT_RESPONSES,
    STRICT_RESPONSES,
    ResponsesProfile,
)
from agentsim.providers.openai_responses.stored import Stored
from agentsim.providers.openai_responses.stream import error_event, response_frames
from agentsim.providers.openai_responses.wire import WIRE, ResponsesReader
from agentsim.providers.wires.answers import HttpAnswer
from agentsim.providers.wires.asked import Reader
from agentsim.providers.wires.dialect import Answered, Frame
from agentsim.providers.wires.sse import frame_bytes

__all__ = ["RESPONSES", "ResponsesDialect"]

KEEPALIVE = frame_bytes(Frame({"type": "keepalive"}, "keepalive"))
"""An event that the service sends where it is silent for long."""


class ResponsesDialect(OpenAIDialect):
    """Responses; implements `wires.Dialect`, `HasStore` and `HasMore`."""

    @property
    def wire(self) -> str:
        """Its name."""
        return WIRE

    @property
    def noise(self) -> Sequence[bytes]:
        """What says nothing between two events, beside comments."""
        return (KEEPALIVE,)

    @property
    def strict(self) -> ResponsesProfile:
        """The profile that judges unless another is asked for."""
        return STRICT_RESPONSES

    @property
    def lenient(self) -> ResponsesProfile:
        """The profile with only the rules that the service has for sure."""
        return LENIENT_RESPONSES

    def store(self) -> Stored:
        """What the service keeps, with nothing in it."""
        return Stored()

    def reader(
        self, profile: ResponsesProfile | None = None, store: Stored | None = None
    ) -> ResponsesReader:
        """A new reader, for one client."""
        return ResponsesReader(STRICT_RESPONSES if profile is None else profile, store)

    def body(self, answered: Answered) -> dict[str, Any]:
        """The body of an answer that is not streamed."""
        return response_body(answered)

    def frames(self, answered: Answered) -> Sequence[Frame]:
        """The events of an answer that is streamed."""
        return response_frames(answered)

    def error_frames(self, error: ProviderError, *, number: int) -> Sequence[Frame]:
        """The event that tells of an error after a stream has begun; nothing follows."""
        del number  # the stream has told before which request it answers
        return [error_event(error, at=0)]

    def read_answer(self, body: Mapping[str, Any]) -> ResponsesAnswer:
        """Read the body of an answer that was not streamed."""
        return read_response(body)

    def read_frames(self, frames: Sequence[Frame]) -> ResponsesAnswer:
        """Read the events of a stream: what came is as in the plain answer."""
        return read_events(frames)

    def more(
        self, reader: Reader, method: str, path: str, body: bytes
    ) -> HttpAnswer | None:
        """Count an input, or answer of responses that are stored."""
        if not isinstance(reader, ResponsesReader):
            return None
        return more(reader, method, path, body)


RESPONSES = ResponsesDialect()
"""Responses."""
