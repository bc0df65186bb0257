"""When every run begins and time ends; read by who needs no more of the clock."""

from __future__ import annotations

import datetime as dt

__all__ = ["EPOCH", "EPOCH_NS", "NEVER_NS", "NEVER_S", "SECOND_NS"]

SECOND_NS = 1_000_000_000

EPOCH = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)

EPOCH_NS = int(EPOCH.timestamp()) * SECOND_NS
"""When every run begins, 2026-01-01T00:00:00Z, in nanoseconds since 1970."""

NEVER_S = 250_000_000_000.0
"""Virtual seconds after which nothing happens any more: it is the year 9948 then.

Soon after it the calendar of `datetime` ends, and nobody waits so long: what is due then
never comes, as in a stock loop it never would.
"""

NEVER_NS = int(NEVER_S) * SECOND_NS
