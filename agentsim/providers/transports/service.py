"""A model's service over HTTP: Chat Completions and the list of models."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentsim.core import ProviderError, UsageError
from agentsim.providers.client import Attempt
from agentsim.providers.openai.errors import error_answer
from agentsim.providers.openai.ids import request_id
from agentsim.providers.openai_chat.completions import completion_body
from agentsim.providers.openai_chat.wire import ChatReader, read_body
from agentsim.providers.transports.exchange import HttpRequest, NoAnswer
from agentsim.providers.transports.routes import Route, route
from agentsim.providers.wires.answers import HttpAnswer
from agentsim.providers.wires.asked import Asked

__all__ = ["ChatService", "Served"]

STREAM_WORDS = (
    "the agent asked for a streamed answer (stream=True): a simulated service answers "
    "whole until a later version; leave stream away"
)

PROCESSING_MS = "1000"
"""How long the service says that it took: it never looks at a clock."""


@dataclass(frozen=True, slots=True)
class Served:
    """What a service stands on.

    Attributes:
        model: Name of the model that it lists.
        attempt: Answers one request, which is given up after so many virtual seconds.
        unix_s: The virtual time of day, in seconds since 1970.
        end: Ends the run, and never returns: what is asked for is not simulated.
    """

    model: str
    attempt: Callable[[Asked, float | None], Awaitable[Attempt]]
    unix_s: Callable[[], int]
    end: Callable[[UsageError], Awaitable[None]]


class ChatService:
    """Answers the requests of one HTTP client."""

    __slots__ = ("_conversation", "_served")

    def __init__(self, served: Served) -> None:
        self._served = served
        self._conversation = ChatReader()

    async def answer(self, request: HttpRequest) -> HttpAnswer:
        """Answer a request as the service would.

        Raises:
            NoAnswer: when none comes: time-outs, and connections that are lost.
        """
        asked = route(request.method, request.host, request.path)
        if asked.to == "chat":
            return await self._chat(request)
        if asked.to == "foreign":
            await self._served.end(UsageError(_foreign(asked, request)))
        return self._models(asked, request)

    async def _chat(self, request: HttpRequest) -> HttpAnswer:
        body = read_body(request.body)
        asked = self._conversation.read(body)
        if asked.refusal is None and isinstance(body, dict) and body.get("stream"):
            # A bad request is refused whole, as by the service, whatever it asks for.
            await self._served.end(UsageError(STREAM_WORDS))
        attempt = await self._served.attempt(asked, request.read_timeout_s)
        number, response = attempt.number, attempt.response
        if response is None:
            assert attempt.error is not None
            return _failed(attempt.error, number)
        told = completion_body(
            response,
            request=asked.request,
            number=number,
            created=self._served.unix_s(),
            body=body if isinstance(body, dict) else {},
        )
        return _json(told, number)

    def _models(self, asked: Route, request: HttpRequest) -> HttpAnswer:
        model = self._served.model
        entry = {"id": model, "object": "model", "created": 0, "owned_by": "agentsim"}
        if asked.to == "models":
            return _json({"object": "list", "data": [entry]})
        if asked.to == "model" and asked.name == model:
            return _json(entry)
        return error_answer(_not_found(asked, request))


def _json(data: Mapping[str, Any], number: int = 0) -> HttpAnswer:
    headers = {
        "content-type": "application/json",
        "openai-processing-ms": PROCESSING_MS,
        "x-request-id": request_id(number),
    }
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return HttpAnswer(200, headers, body.encode("utf-8", "surrogatepass"))


def _failed(error: ProviderError, number: int) -> HttpAnswer:
    """The answer that an error is.

    Raises:
        NoAnswer: for an error without a status: none came.
    """
    if error.status is not None:
        return error_answer(error, number=number)
    if error.kind == "timeout":
        raise NoAnswer(str(error), "ReadTimeout")
    raise NoAnswer(str(error), "ConnectError" if error.definite else "ReadError")


def _not_found(asked: Route, request: HttpRequest) -> ProviderError:
    words = f"Unknown request URL: {request.method} {request.path}."
    code = "unknown_url"
    if asked.to == "model":
        words, code = f"The model '{asked.name}' does not exist", "model_not_found"
    return ProviderError(words, status=404, kind="invalid_request_error", code=code)


def _foreign(asked: Route, request: HttpRequest) -> str:
    return (
        f"the agent asked for {asked.name} ({request.method} {request.path}): a "
        "simulated service speaks Chat Completions (POST /v1/chat/completions) and "
        "lists its models; more dialects come with a later version"
    )
