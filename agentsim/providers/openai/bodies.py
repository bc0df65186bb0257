"""Bodies of requests, read as OpenAI's service reads them."""

from __future__ import annotations

from typing import Any

from agentsim.providers.wires.bodies import read_object
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["read_body"]


def read_body(raw: bytes) -> dict[str, Any] | WireRefusal:
    """Read the body of a request."""
    body = read_object(raw)
    if body is not None:
        return body
    words = (
        "We could not parse the JSON body of your request. (HINT: This likely means you "
        "aren't using your HTTP library correctly. The API expects a JSON payload, but "
        "what was sent was not valid JSON.)"
    )
    return WireRefusal("no-json", words)
