"""Durations as people write them on a command line: `30s`, `5m`, `1h30m`."""

from __future__ import annotations

import re

from agentsim.core import UsageError

__all__ = ["parse_duration"]

_UNITS_S = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}

_PART = r"(?P<{0}>\d+(?:\.\d+)?){0}"

_FORM = re.compile("".join(f"(?:{_PART.format(unit)})?" for unit in _UNITS_S))


def parse_duration(text: str, what: str) -> float:
    """Read a duration, in seconds; a number alone is in seconds.

    Args:
        what: The option that it was given to, for the error.

    Raises:
        UsageError: when it is no duration, or none at all.
    """
    written = text.strip().replace(" ", "")
    found = _FORM.fullmatch(written if not written[-1:].isdigit() else f"{written}s")
    parts = found.groupdict().items() if found is not None else ()
    seconds = sum(float(number) * _UNITS_S[unit] for unit, number in parts if number)
    if not 0 < seconds < float("inf"):
        raise UsageError(
            f"{what}: expected a time such as 30s, 5m or 1h30m, got {text!r}"
        )
    return seconds
