"""What a dialect is: all that a service needs to speak one wire (design 2.5).

A dialect is pure functions between the neutral model and JSON, and one class that reads
the requests of a client one after the other. It knows of no transport: frames of a stream
become bytes, and refusals become statuses, where the answer is carried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from agentsim.core import ProviderError, Request, Response
from agentsim.providers.wires.answers import HttpAnswer
from agentsim.providers.wires.asked import Reader
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["Answered", "Dialect", "Frame", "HasMore", "HasStore", "ReadAnswer"]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer to be written.

    Attributes:
        number: That of the request; ids of the answer are made of it.
        created: Unix time in seconds.
        body: That of the request, which an answer echoes in parts.
    """

    response: Response
    request: Request
    number: int
    created: int
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event of a stream.

    Attributes:
        data: The JSON of the event; a text is sent as it is (`[DONE]`).
        event: Its name; empty where the wire has none.
        text: What it carries of the text of the model: empty for all other frames.
        call: Index of the call, 0-based, that it is of: how it begins, a piece, its end.
        ends: Whether the answer is whole with it: what comes later is decoration.
    """

    data: Mapping[str, Any] | str
    event: str = ""
    text: str = ""
    call: int | None = None
    ends: bool = False


class ReadAnswer(Protocol):
    """An answer of a real service, read into the neutral form with nothing lost."""

    @property
    def response(self) -> Response:
        """What the model said."""

    def body(self) -> dict[str, Any]:
        """The body again, as it came."""


class Dialect(Protocol):
    """One wire of a model's service."""

    @property
    def wire(self) -> str:
        """Its name, such as `openai-chat`."""

    @property
    def content_type(self) -> str:
        """The `content-type` of a stream."""

    @property
    def strict(self) -> Any:  # noqa: ANN401 - a dataclass of its own
        """The profile that judges unless another is asked for."""

    @property
    def lenient(self) -> Any:  # noqa: ANN401 - the same
        """The profile with only the rules that the service has for sure."""

    def reader(self, profile: Any = None) -> Reader:  # noqa: ANN401 - the same
        """A new reader, for one client.

        Args:
            profile: How strict the service is; None for `strict`.
        """

    def read_body(self, raw: bytes) -> dict[str, Any] | WireRefusal:
        """Read the body of a request."""

    def body(self, answered: Answered) -> dict[str, Any]:
        """The body of an answer that is not streamed."""

    def frames(self, answered: Answered) -> Sequence[Frame]:
        """The events of an answer that is streamed."""

    def headers(self, number: int) -> dict[str, str]:
        """The headers of an answer beside its content type.

        Args:
            number: That of the request.
        """

    def error_answer(self, error: ProviderError, *, number: int) -> HttpAnswer:
        """The answer that tells of an error.

        Raises:
            ValueError: for an error without a status: no answer came.
        """

    def error_frames(self, error: ProviderError, *, number: int) -> Sequence[Frame]:
        """The events that tell of an error after a stream has begun."""

    def read_answer(self, body: Mapping[str, Any]) -> ReadAnswer:
        """Read the body of an answer that was not streamed."""

    def read_frames(self, frames: Sequence[Frame]) -> ReadAnswer:
        """Read the events of a stream: what came is as in the plain answer.

        A stream that broke off gives what had come, with an empty stop reason.
        """


@runtime_checkable
class HasStore(Protocol):
    """A dialect whose service keeps what it answered, whichever client asks for it."""

    def store(self) -> Any:  # noqa: ANN401 - of its own
        """A new store, with nothing in it."""

    def reader(self, profile: Any = None, store: Any = None) -> Reader:  # noqa: ANN401
        """A new reader, for one client.

        Args:
            profile: How strict the service is; None for `strict`.
            store: What the service keeps; None for a new store.
        """


@runtime_checkable
class HasMore(Protocol):
    """A dialect with endpoints beside the one that answers, such as one that counts."""

    def more(
        self, reader: Reader, method: str, path: str, body: bytes
    ) -> HttpAnswer | None:
        """Answer a request to such an endpoint; None where there is none.

        Nothing of it is recorded: the model is not asked.

        Args:
            reader: That of the client, which knows what was answered before.
            method: In capitals.
            path: Below that of the dialect: `/count_tokens`, `/resp_1`.
        """
