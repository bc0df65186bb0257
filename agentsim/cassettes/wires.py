"""What a recording has to know of the wires: which a URL is of, and where a stream ends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from agentsim.cassettes.records import RecordedRequest

__all__ = ["StreamEnd", "wire_of_url", "with_same_boundary"]

_PATHS = {
    "/chat/completions": "openai-chat",
    "/responses": "openai-responses",
    "/messages": "anthropic-messages",
}

_BLANK = re.compile(rb"\r\n\r\n|\n\n|\r\r")
"""Closes an event."""

_LAST: Mapping[str, re.Pattern[bytes]] = MappingProxyType(
    {
        "openai-chat": re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]"),
        "openai-responses": re.compile(
            rb"(?:^|[\r\n])(?:"
            rb"(?:event: ?|data: ?\{ ?\"type\": ?\")"
            rb"(?:response\.(?:completed|failed|incomplete)|error)(?=[\r\n\"]|$)"
            rb"|data: ?\{[^\r\n]*, ?\"type\": ?\""
            rb"response\.(?:completed|failed|incomplete)\")"
        ),
        "anthropic-messages": re.compile(
            rb"(?:^|[\r\n])(?:event: ?|data: ?\{ ?\"type\": ?\")"
            rb"(?:message_stop|error)(?=[\r\n\"]|$)"
        ),
    }
)
"""Nothing follows on these: the event of an error among them, but not in Chat, where some
services send `[DONE]` after it. The name may stand in the data alone."""


def wire_of_url(method: str, url: str) -> str:
    """Name of the dialect that a request asks a model in; empty: it asks none.

    Args:
        url: A URL or a path; what is behind a question mark does not count.
    """
    path = re.split("[?#]", url, maxsplit=1)[0]
    if method != "POST":
        return ""
    return next((wire for end, wire in _PATHS.items() if path.endswith(end)), "")


_BOUNDARY = re.compile(r'(boundary=)("?)([^";]+)\2', re.IGNORECASE)

_SAME_BOUNDARY = "agentsim-boundary"
"""Between the parts of a form: clients draw another one for each request."""


def with_same_boundary(request: RecordedRequest) -> RecordedRequest:
    """A form with the mark between its parts that all forms of cassettes have."""
    kind = request.headers.get("content-type", "")
    found = _BOUNDARY.search(kind) if kind.startswith("multipart/") else None
    if found is None:
        return request
    told = _BOUNDARY.sub(rf"\g<1>{_SAME_BOUNDARY}", kind)
    headers = {**request.headers, "content-type": told}
    body = request.body.replace(found[3], _SAME_BOUNDARY)
    return replace(request, headers=headers, body=body)


class StreamEnd:
    """Sees the last event of a stream: behind it, clients close without a further look.

    Args:
        wire: Name of the dialect; in one that is not known no event is the last.
    """

    __slots__ = ("_last", "_open")

    def __init__(self, wire: str) -> None:
        self._last = _LAST.get(wire)
        self._open = b""

    def seen(self, data: bytes) -> bool:
        """Whether the last event ends in this piece, which is the next of the stream."""
        if self._last is None:
            return False
        *events, self._open = _BLANK.split(self._open + data)
        return any(map(self._last.search, events))
