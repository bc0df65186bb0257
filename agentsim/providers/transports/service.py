"""A model's service over HTTP: every dialect there is, and the list of models."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentsim.core import ProviderError, UsageError
from agentsim.providers.attempts import Attempt
from agentsim.providers.dialects import DIALECTS, dialect_named
from agentsim.providers.transports.exchange import HttpRequest, NoAnswer
from agentsim.providers.transports.models import models_body, no_such_model
from agentsim.providers.transports.routes import (
    Route,
    answered_paths,
    foreign_words,
    meant_path,
    route,
)
from agentsim.providers.transports.streams import Streamed, stream_answer
from agentsim.providers.wires.answers import HttpAnswer
from agentsim.providers.wires.asked import Asked, Reader
from agentsim.providers.wires.bodies import json_bytes
from agentsim.providers.wires.dialect import Answered, Dialect, HasMore, HasStore

__all__ = ["Attempts", "ModelService", "Served", "error_answer_to"]


class Attempts(Protocol):
    """Answers one request that came by a wire, as `ScriptedClient.attempt`."""

    async def __call__(
        self, asked: Asked, *, timeout_s: float | None = None, streamed: bool = False
    ) -> Attempt:
        """Answer it, or give it up after so many virtual seconds.

        Args:
            streamed: Whether the answer is streamed: then it has a receipt.
        """


@dataclass(frozen=True, slots=True)
class Served:
    """What a service stands on.

    Attributes:
        model: Name of the model that it lists.
        attempt: Answers one request.
        unix_s: The virtual time of day, in seconds since 1970.
        end: Told of what is asked for and not simulated: ends the run, and never
            returns. Where it does return, the answer is that to an unknown path.
        profiles: Wire -> how strict its service is, where it is not as usual.
        kept: Wire -> what its service keeps of its answers, for all clients.
        warn: Told, in words, of a base URL that is not as the service has it.
    """

    model: str
    attempt: Attempts
    unix_s: Callable[[], int]
    end: Callable[[UsageError], Awaitable[None]]
    profiles: Mapping[str, Any] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)
    warn: Callable[[str], None] = field(default=lambda _words: None)


class ModelService:
    """Answers the requests of one HTTP client, in the dialect of each.

    It looks at no key: any is good.

    Args:
        rooted: Whether paths begin with `/v1`, as on the vendors' hosts; else a base
            URL may have any path on a host that is none of theirs.
    """

    __slots__ = ("_readers", "_rooted", "_served")

    def __init__(self, served: Served, *, rooted: bool = False) -> None:
        self._served = served
        self._rooted = rooted
        self._readers: dict[str, Reader] = {}

    async def answer(self, request: HttpRequest) -> HttpAnswer:
        """Answer a request as the service would.

        Raises:
            NoAnswer: when none comes: time-outs, and connections that are lost.
        """
        asked = route(request, rooted=self._rooted)
        if asked.to == "answer":
            return await self._answer(dialect_named(asked.name), request)
        if asked.to in ("models", "model"):
            body = models_body(asked, self._served.model)
            if body is not None:
                return _json(body, _speaks(asked).headers(0))
            return _speaks(asked).error_answer(no_such_model(asked), number=0)
        if asked.to == "beside":
            dialect = dialect_named(asked.name)
            more = self._beside(dialect, asked, request)
            if more is not None:
                return more
        return await self._nothing(asked, request)

    async def _answer(self, dialect: Dialect, request: HttpRequest) -> HttpAnswer:
        reader = self._reader(dialect)
        body = dialect.read_body(request.body)
        asked = reader.read(body, request.headers)
        told = body if isinstance(body, dict) else {}
        # A bad request is refused whole, as by the service, whatever it asks for.
        streamed = asked.refusal is None and told.get("stream") is True
        attempt = await self._served.attempt(
            asked, timeout_s=request.read_timeout_s, streamed=streamed
        )
        if attempt.response is None:
            assert attempt.error is not None
            return _failed(dialect, attempt.error, attempt.number)
        answered = Answered(
            attempt.response,
            asked.request,
            attempt.number,
            self._served.unix_s(),
            told,
        )
        if attempt.receipt is None:
            whole = dialect.body(answered)
            asked.reader.answered(whole)
            return _json(whole, dialect.headers(attempt.number))
        return stream_answer(
            Streamed(
                dialect,
                answered,
                attempt.receipt,
                attempt.error,
                request.read_timeout_s,
                lambda: asked.reader.answered(dialect.body(answered)),
            )
        )

    def _beside(
        self, dialect: Dialect, asked: Route, request: HttpRequest
    ) -> HttpAnswer | None:
        if not isinstance(dialect, HasMore):
            return None
        reader = self._reader(dialect)
        return dialect.more(reader, request.method, asked.rest, request.body)

    def _reader(self, dialect: Dialect) -> Reader:
        wire = dialect.wire
        reader = self._readers.get(wire)
        if reader is None:
            profile = self._served.profiles.get(wire)
            if isinstance(dialect, HasStore):
                kept = self._served.kept
                if wire not in kept:
                    kept[wire] = dialect.store()
                reader = dialect.reader(profile, kept[wire])
            else:
                reader = dialect.reader(profile)
            self._readers[wire] = reader
        return reader

    async def _nothing(self, asked: Route, request: HttpRequest) -> HttpAnswer:
        """What is not simulated ends the run; what nobody has is not found."""
        words = "" if asked.to == "unknown" else foreign_words(request.path)
        if words:
            await self._served.end(UsageError(_foreign(words, request)))
        elif meant := meant_path(request.path):
            self._served.warn(_misplaced(meant, request))
        return _speaks(asked).error_answer(_not_found(asked, request), number=0)


def error_answer_to(request: HttpRequest, error: ProviderError) -> HttpAnswer:
    """The answer that tells of an error in the dialect of a request, to whatever path.

    The host counts as a vendor's: paths begin with `/v1`.
    """
    asked = route(request, rooted=True)
    if asked.to in ("answer", "beside"):
        return dialect_named(asked.name).error_answer(error, number=0)
    return _speaks(asked).error_answer(error, number=0)


def _speaks(asked: Route) -> Dialect:
    """The dialect that a vendor's errors are told in."""
    name = "messages" if asked.vendor == "anthropic" else "chat"
    return dialect_named(name if name in DIALECTS else "chat")


def _json(data: Mapping[str, Any], headers: Mapping[str, str]) -> HttpAnswer:
    told = {"content-type": "application/json", **headers}
    return HttpAnswer(200, told, json_bytes(data))


def _failed(dialect: Dialect, error: ProviderError, number: int) -> HttpAnswer:
    """The answer that an error is.

    Raises:
        NoAnswer: for an error without a status: none came.
    """
    if error.status is not None:
        return dialect.error_answer(error, number=number)
    if error.kind == "timeout":
        raise NoAnswer(str(error), "ReadTimeout")
    raise NoAnswer(str(error), "ConnectError" if error.definite else "ReadError")


def _not_found(asked: Route, request: HttpRequest) -> ProviderError:
    if asked.vendor == "anthropic":
        return ProviderError("Not Found", status=404, kind="not_found_error")
    words = f"Unknown request URL: {request.method} {request.path}."
    return ProviderError(
        words, status=404, kind="invalid_request_error", code="unknown_url"
    )


def _misplaced(meant: str, request: HttpRequest) -> str:
    return (
        f"{request.method} {request.path} was not found, as by the service, which has "
        f"{meant}: OpenAI's base URL ends with /v1, Anthropic's does not"
    )


def _foreign(words: str, request: HttpRequest) -> str:
    return (
        f"the agent asked for {words} ({request.method} {request.path}): a simulated "
        f"service has {', '.join(answered_paths())} and the list of its models, and "
        "nothing else; let a stand-in given to tool() answer in its place"
    )
