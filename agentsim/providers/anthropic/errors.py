"""Errors as the service sends them: status, headers and body."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from agentsim.core import ProviderError
from agentsim.providers.anthropic.ids import request_id
from agentsim.providers.wires.answers import HttpAnswer, gateway_page

__all__ = ["error_answer", "error_body", "headers_of", "wire_error"]

GATEWAY = {502: "Bad Gateway"}
"""Statuses that come from before the service, with a page for people as their body."""

EDGE = ("request_too_large",)
"""Errors from before the service, whose body has neither its type nor the request's id."""

REQUESTS_PER_MINUTE = 50

FINAL = (400, 401, 402, 403, 404, 413, 422)
"""Statuses of which the service says that trying again is of no use."""

PASSING = (429, 500, 503, 504, 529)
"""Statuses of which it says that trying again may help."""


@dataclass(frozen=True, slots=True)
class _Known:
    """How the service says what any service may have to say.

    Attributes:
        neutral: The words of ours that its own stand for; other words are kept.
        words: With the place `model`.
    """

    status: int
    kind: str
    neutral: str
    words: str


_KNOWN: dict[str, _Known] = {
    "rate_limit_error": _Known(
        429,
        "rate_limit_error",
        "rate limit reached; try again later",
        "This request would exceed your organization's rate limit of "
        f"{REQUESTS_PER_MINUTE} requests per minute (org: simulated, model: {{model}}). "
        "For details, refer to: https://docs.claude.com/en/api/rate-limits.",
    ),
    "insufficient_quota": _Known(
        402,
        "billing_error",
        "quota exceeded",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans "
        "& Billing to upgrade or purchase credits.",
    ),
    "api_error": _Known(
        500, "api_error", "internal server error", "Internal server error"
    ),
    "overloaded_error": _Known(529, "overloaded_error", "overloaded", "Overloaded"),
    "authentication_error": _Known(
        401, "authentication_error", "invalid key", "invalid x-api-key"
    ),
    "context_length_exceeded": _Known(
        400,
        "invalid_request_error",
        "the messages are too long",
        "prompt is too long",
    ),
}
"""Kind of a neutral error -> the form of the service."""


def wire_error(error: ProviderError, *, model: str) -> ProviderError:
    """The error as this service has it: its status and type, and its words.

    Words that are not ours are kept, and so is an error of any other kind, and one
    that no answer tells of.
    """
    known = _KNOWN.get(error.kind)
    if known is None or error.status is None:
        return error
    words = str(error)
    if words == known.neutral:
        words = known.words.format(model=model)
    # A status that others have for the same says it here by the one of this service.
    status = known.status if error.status in (429, 503) else error.status
    return ProviderError(
        words,
        status=status,
        kind=known.kind,
        param=error.param,
        code=error.code,
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
        **headers_of(number),
        **_limits(error),
    }
    return HttpAnswer(status, headers, json.dumps(error_body(error, number)).encode())


def headers_of(number: int) -> dict[str, str]:
    """What every answer of the service tells of its request."""
    return {
        "anthropic-organization-id": "simulated",
        "request-id": request_id(number),
    }


def error_body(error: ProviderError, number: int) -> dict[str, Any]:
    """The JSON that tells of an error, in a body or within a stream.

    There is no param, and a code stands among the details.
    """
    told: dict[str, Any] = {"type": error.kind, "message": str(error)}
    if error.code is not None:
        told["details"] = {"error_code": error.code}
    if error.kind in EDGE:
        return {"error": told}
    return {"type": "error", "error": told, "request_id": request_id(number)}


def _limits(error: ProviderError) -> dict[str, str]:
    """What the headers tell of a limit, a wait, and another try."""
    wait_s = error.retry_after_s
    told = {} if wait_s is None else {"retry-after": _number(wait_s)}
    if error.status in (*FINAL, *PASSING):
        told["x-should-retry"] = "true" if error.status in PASSING else "false"
    if error.kind == "rate_limit_error":
        told |= {
            "anthropic-ratelimit-requests-limit": str(REQUESTS_PER_MINUTE),
            "anthropic-ratelimit-requests-remaining": "0",
        }
    return told


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value}"
