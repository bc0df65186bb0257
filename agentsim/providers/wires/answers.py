"""An answer in the form of HTTP, whichever library or server carries it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

__all__ = ["HttpAnswer"]


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer of a service.

    Attributes:
        headers: Names in lower case.
        body: The bytes of the body; empty for a stream.
        pieces: The bytes of a stream, as they come. What breaks it off is raised between
            two of them, as `NoAnswer`.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    pieces: AsyncIterator[bytes] | None = None
