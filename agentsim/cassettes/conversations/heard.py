"""The exchanges of a cassette in the neutral form, as their dialects read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentsim.cassettes.neutral import (
    NEUTRAL,
    Unreadable,
    read_answer,
    read_request,
)
from agentsim.cassettes.records import Cassette, RecordedAnswer, RecordedExchange
from agentsim.core import InvalidArguments, Message, Request, Response, parse_json
from agentsim.providers import DIALECTS, dialect_named
from agentsim.providers.wires import Dialect, ReadAnswer, Reader, read_frames_of

__all__ = ["Heard", "hear"]

_COUNTED = ("/count_tokens", "/input_tokens")
"""How the paths end of requests that only ask for the length of an input."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An exchange in the neutral form.

    Attributes:
        request: With what the service held of the history, where that was recorded.
        response: None when no whole answer came.
        temperature: None where the request has none.
        rule: Id of the rule of its wire that the request breaks, or None.
        body: That of the answer on its wire, put together where it was streamed.
    """

    exchange: RecordedExchange
    request: Request
    response: Response | None
    temperature: float | None = None
    rule: str | None = None
    body: Mapping[str, Any] | None = None

    @property
    def messages(self) -> Sequence[Message]:
        """The history that was sent, without system prompts."""
        return [one for one in self.request.messages if one.role != "system"]

    @property
    def prompt(self) -> str | None:
        """The system prompt at the start of the history, or None."""
        texts = []
        for message in self.request.messages:
            if message.role != "system":
                break
            texts.append(message.content)
        return "\n\n".join(texts) or None


def hear(cassette: Cassette) -> tuple[Heard, ...]:
    """Read the exchanges of a cassette that ask a model, in the order they were asked.

    Left out are those of no dialect that is known, and what is no such request.
    """
    ear = _Ear()
    heard = (ear.hear(one) for one in cassette.exchanges)
    return tuple(one for one in heard if one is not None)


class _Ear:
    """Reads exchanges one after the other, as their services did."""

    def __init__(self) -> None:
        self._dialects = {d.wire: d for d in map(dialect_named, sorted(DIALECTS))}
        self._readers: dict[str, Reader] = {}

    def hear(self, exchange: RecordedExchange) -> Heard | None:
        if exchange.wire == NEUTRAL:
            return _neutral(exchange)
        dialect = self._dialects.get(exchange.wire)
        path = exchange.request.url.partition("?")[0]
        if dialect is None or path.endswith(_COUNTED):
            return None
        body = _object(exchange.request.body)
        if body is None:
            return None
        asked = self._reader(dialect).read(body)
        answer = _answer(dialect, exchange.answer)
        told = None if answer is None else answer.body()
        if told is not None:
            asked.reader.answered(told)
        request = asked.request
        request = Request(
            request.model,
            tuple(request.messages),
            tuple(request.tools),
            request.temperature,
            request.max_tokens,
        )
        response = None if answer is None else answer.response
        refusal = asked.refusal
        broken = None if refusal is None else refusal.rule or None
        return Heard(exchange, request, response, _temperature(body), broken, told)

    def _reader(self, dialect: Dialect) -> Reader:
        """The one reader of a wire: of a history that grows it reads what is new."""
        if dialect.wire not in self._readers:
            self._readers[dialect.wire] = dialect.reader(dialect.lenient)
        return self._readers[dialect.wire]


def _neutral(exchange: RecordedExchange) -> Heard | None:
    """An exchange with a neutral client; None where it can't be read."""
    try:
        request = read_request(exchange.request.body)
    except Unreadable:
        return None
    try:
        answer = read_answer(exchange.answer)
    except Unreadable:
        answer = None
    response = answer if isinstance(answer, Response) else None
    return Heard(exchange, request, response, request.temperature)


def _temperature(body: Mapping[str, Any]) -> float | None:
    told = body.get("temperature")
    if not isinstance(told, int | float) or isinstance(told, bool):
        return None
    return float(told) if 0 <= told <= 2 else None


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = parse_json(text, unique_keys=False)
    except InvalidArguments:
        return None
    return value if isinstance(value, dict) else None


def _answer(dialect: Dialect, answer: RecordedAnswer) -> ReadAnswer | None:
    """The answer, when it came whole: a stream says of itself that it is."""
    if answer.status != 200:
        return None
    try:
        if answer.chunks is not None:
            raw = answer.text.encode("utf-8", "surrogateescape")
            read = dialect.read_frames(read_frames_of(raw))
            return read if read.response.stop_reason else None
        body = _object(answer.body)
        if body is None or answer.ended != "whole" or not _is_said(body):
            return None
        return dialect.read_answer(body)
    except (LookupError, TypeError, ValueError, AttributeError):
        return None  # foreign recordings hold what no service sends


def _is_said(body: Mapping[str, Any]) -> bool:
    """Whether a body has what a model says on any wire."""
    return any(isinstance(body.get(k), list) for k in ("choices", "content", "output"))
