"""When every run begins; read by those who need no more of the clock than this."""

from __future__ import annotations

import datetime as dt

__all__ = ["EPOCH", "EPOCH_NS"]

EPOCH = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)

EPOCH_NS = int(EPOCH.timestamp()) * 1_000_000_000
"""When every run begins, 2026-01-01T00:00:00Z, in nanoseconds since 1970."""
