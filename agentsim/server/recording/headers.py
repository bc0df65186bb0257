"""Which headers a proxy passes on, and how bodies are encoded by what they say."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "Headers",
    "is_streamed",
    "of_answer",
    "of_request",
    "told",
]

Headers = Sequence[tuple[bytes, bytes]]
"""Names in lower case, in the order in which they came; one may stand there twice."""

_HOP_BY_HOP = (
    b"connection",
    b"keep-alive",
    b"proxy-authenticate",
    b"proxy-authorization",
    b"proxy-connection",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
)
"""What is between two ends of one connection, and no matter of the next one."""

_ANEW = (b"host", b"content-length", b"accept-encoding", b"expect")
"""What the request to the service has of its own."""

_STREAMS = ("text/event-stream", "ndjson", "jsonl", "json-seq")


def of_request(headers: Headers) -> list[tuple[bytes, bytes]]:
    """The headers of a request to pass on; no compressed answer is asked for."""
    kept = [one for one in _end_to_end(headers) if one[0] not in _ANEW]
    return [*kept, (b"accept-encoding", b"identity")]


def of_answer(headers: Headers, *, decoded: bool) -> list[tuple[bytes, bytes]]:
    """The headers of an answer to pass on.

    Args:
        decoded: Whether its body is passed on without the encoding that it had.
    """
    gone = (b"content-encoding", b"content-length") if decoded else ()
    return [one for one in _end_to_end(headers) if one[0] not in gone]


def told(headers: Headers) -> dict[str, str]:
    """Headers as texts; those that stand there twice are joined by a comma."""
    found: dict[str, str] = {}
    for name, value in headers:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _end_to_end(headers: Headers) -> list[tuple[bytes, bytes]]:
    named = b",".join(value for name, value in headers if name == b"connection")
    gone = [*_HOP_BY_HOP, *(name.strip().lower() for name in named.split(b","))]
    return [one for one in headers if one[0] not in gone]


def is_streamed(kind: str) -> bool:
    """Whether a body of this content type is a stream of pieces."""
    return any(one in kind.lower() for one in _STREAMS)
