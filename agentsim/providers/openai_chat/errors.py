"""Errors as the service sends them: status, headers and body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from agentsim.core import ProviderError
from agentsim.providers.openai_chat.ids import request_id

__all__ = ["HttpAnswer", "error_answer"]


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer in the form of HTTP.

    Attributes:
        headers: Names in lower case.
        body: The bytes of the body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


def error_answer(error: ProviderError, *, number: int = 0) -> HttpAnswer:
    """The answer that tells of an error.

    Args:
        number: That of the request, which the id of the answer is made of.

    Raises:
        ValueError: for an error without a status: no answer came.
    """
    if error.status is None:
        raise ValueError("an error without a status has no answer: no answer came")
    body = {
        "error": {
            "message": str(error),
            "type": error.kind,
            "param": error.param,
            "code": error.code,
        }
    }
    headers = {"content-type": "application/json", "x-request-id": request_id(number)}
    if error.retry_after_s is not None:
        headers["retry-after"] = f"{error.retry_after_s:g}"
    return HttpAnswer(error.status, headers, json.dumps(body).encode())
