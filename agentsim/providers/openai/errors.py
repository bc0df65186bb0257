"""Errors as the service sends them: status, headers and body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from agentsim.core import ProviderError
from agentsim.providers.openai.ids import request_id
from agentsim.providers.wires.answers import HttpAnswer, gateway_page

__all__ = ["error_answer", "error_body", "wire_error"]

GATEWAY = {502: "Bad Gateway", 504: "Gateway Time-out"}
"""Statuses that come from before the service, with a page for people as their body."""

REQUESTS_PER_MINUTE = 500


@dataclass(frozen=True, slots=True)
class _Known:
    """How the service says what any service may have to say.

    Attributes:
        neutral: The words of ours that its own stand for; other words are kept.
        words: With the places `model` and `wait`.
    """

    status: int
    kind: str
    code: str | None
    neutral: str
    words: str


_KNOWN: dict[str, _Known] = {
    "rate_limit_error": _Known(
        429,
        "requests",
        "rate_limit_exceeded",
        "rate limit reached; try again later",
        "Rate limit reached for {model} in organization org-simulated on requests per "
        f"min (RPM): Limit {REQUESTS_PER_MINUTE}, Used {REQUESTS_PER_MINUTE}, Requested "
        "1. Please try again in {wait}.",
    ),
    "insufficient_quota": _Known(
        429,
        "insufficient_quota",
        "insufficient_quota",
        "quota exceeded",
        "You exceeded your current quota, please check your plan and billing details.",
    ),
    "api_error": _Known(
        500,
        "server_error",
        None,
        "internal server error",
        "The server had an error while processing your request. Sorry about that!",
    ),
    "overloaded_error": _Known(
        503,
        "server_error",
        None,
        "overloaded",
        "The server is overloaded or not ready yet.",
    ),
    "authentication_error": _Known(
        401,
        "invalid_request_error",
        "invalid_api_key",
        "invalid key",
        "Incorrect API key provided: sk-simu***ated. You can find your API key at "
        "https://platform.openai.com/account/api-keys.",
    ),
    "context_length_exceeded": _Known(
        400,
        "invalid_request_error",
        "context_length_exceeded",
        "the messages are too long",
        "This model's maximum context length is exceeded. Please reduce the length of "
        "the messages.",
    ),
}
"""Kind of a neutral error -> the form of the service."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


def wire_error(
    error: ProviderError, *, model: str, own_words: Mapping[str, str] = _NOTHING
) -> ProviderError:
    """The error as this service has it: its status, type and code, and its words.

    Words that are not ours are kept, and so is an error of any other kind, and one
    that no answer tells of.

    Args:
        own_words: Kind of a neutral error -> what one wire says in other words.
    """
    known = _KNOWN.get(error.kind)
    if known is None or error.status is None:
        return error
    words = str(error)
    if words == known.neutral:
        wait = duration(error.retry_after_s or 1)
        words = own_words.get(error.kind, known.words).format(model=model, wait=wait)
    # A status of another service's own (529) says the same here by one of this one's.
    status = known.status if error.status > 504 else error.status
    return ProviderError(
        words,
        status=status,
        kind=known.kind,
        param=error.param,
        code=error.code or known.code,
        retry_after_s=error.retry_after_s,
        definite=error.definite,
    )


def error_answer(error: ProviderError, *, number: int = 0) -> HttpAnswer:
    """The answer that tells of an error.

    Args:
        number: That of the request, which the id of the answer is made of.

    Raises:
        ValueError: for an error without a status: no answer came.
    """
    status = error.status
    if status is None:
        raise ValueError("an error without a status has no answer: no answer came")
    if status in GATEWAY:
        return gateway_page(status, GATEWAY[status])
    headers = {
        "content-type": "application/json",
        "openai-version": "2020-10-01",
        "x-request-id": request_id(number),
        **_limits(error),
    }
    return HttpAnswer(status, headers, json.dumps(error_body(error)).encode())


def error_body(error: ProviderError) -> dict[str, Any]:
    """The JSON that tells of an error, in a body or within a stream."""
    told = {
        "message": str(error),
        "type": error.kind,
        "param": error.param,
        "code": error.code,
    }
    return {"error": told}


def _limits(error: ProviderError) -> dict[str, str]:
    """What the headers tell of a wait."""
    wait_s = error.retry_after_s
    if wait_s is None:
        return {}
    headers = {"retry-after": _number(wait_s)}
    if error.code == "rate_limit_exceeded":
        headers |= {
            "x-ratelimit-limit-requests": str(REQUESTS_PER_MINUTE),
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": duration(wait_s),
        }
    return headers


def duration(seconds: float) -> str:
    """A time as the service writes it: `20s`, `1m30s`, `250ms`."""
    if seconds < 1:
        return f"{_number(round(seconds * 1000, 3))}ms"
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    parts = [f"{hours}h"] if hours else []
    parts += [f"{minutes}m"] if hours or minutes else []
    return f"{''.join(parts)}{_number(round(rest, 3))}s"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value}"
