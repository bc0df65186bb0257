"""Bodies of requests, read as services read them."""

from __future__ import annotations

from typing import Any

from agentsim.core import InvalidArguments, parse_json

__all__ = ["read_object"]


def read_object(raw: bytes) -> dict[str, Any] | None:
    """The JSON object of a body, or None for what is none; the last of equal keys stays."""
    try:
        body = parse_json(raw.decode(), unique_keys=False)
    except (InvalidArguments, UnicodeDecodeError):
        return None
    return body if isinstance(body, dict) else None
