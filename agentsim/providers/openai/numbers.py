"""Numbers of a request, as far as they are such: what is none is refused elsewhere."""

from __future__ import annotations

import sys

__all__ = ["temperature_of", "whole"]

FLOAT_MAX = sys.float_info.max

TEMPERATURE = 1.0
"""What the service takes where a request has none."""


def temperature_of(value: object) -> float:
    """A temperature as a request has it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return TEMPERATURE
    # Python's own integers may be greater than any number that is reckoned with.
    return value if abs(value) <= FLOAT_MAX else TEMPERATURE


def whole(value: object) -> int | None:
    """A whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
