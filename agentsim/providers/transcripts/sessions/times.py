"""Times of recordings as milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["milliseconds_of"]


def milliseconds_of(told: object) -> float:
    """Read a time as ISO 8601; what is none counts as the beginning of all times."""
    if not isinstance(told, str):
        return 0
    try:
        time = datetime.fromisoformat(told)
        seconds = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0
    return max(0.0, seconds * 1e3)
