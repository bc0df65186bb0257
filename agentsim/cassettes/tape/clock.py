"""The real time of a recording: the one place of cassettes that reads a clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["SystemClock", "TapeClock"]


class TapeClock(Protocol):
    """What a tape has to know of time."""

    def now(self) -> datetime:
        """The time of day, in UTC."""

    def elapsed_ms(self) -> float:
        """Milliseconds from a moment that stays the same, in steps of a microsecond."""


class SystemClock:
    """The clocks of the machine."""

    def now(self) -> datetime:
        """The time of day, in UTC."""
        return datetime.now(UTC)

    def elapsed_ms(self) -> float:
        """Milliseconds from a moment that stays the same, in steps of a microsecond."""
        return time.monotonic_ns() // 1_000 / 1_000
