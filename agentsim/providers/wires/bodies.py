"""JSON as services read and write it: bodies of requests and of answers."""

from __future__ import annotations

import json
import re
from typing import Any

from agentsim.core import InvalidArguments, parse_json

__all__ = ["json_bytes", "read_object"]

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a character that takes two: JSON can escape it, and UTF-8 has no bytes for it."""


def read_object(raw: bytes) -> dict[str, Any] | None:
    """The JSON object of a body, or None for what is none; the last of equal keys stays."""
    try:
        body = parse_json(raw.decode(), unique_keys=False)
    except (InvalidArguments, UnicodeDecodeError):
        return None
    return body if isinstance(body, dict) else None


def json_bytes(data: object) -> bytes:
    """The bytes of a body, in UTF-8; half of a character, as a cut text ends, escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _HALF.sub(_escaped, text).encode()


def _escaped(half: re.Match[str]) -> str:
    return f"\\u{ord(half[0]):04x}"
