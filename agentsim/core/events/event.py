"""What every event has: when, in which life, and who witnessed it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

__all__ = [
    "Event",
    "Who",
]

Who = Literal["boundary", "runtime", "world", "fault", "engine"]


@dataclass(slots=True)
class Event:
    """One thing that happened.

    Attributes:
        at_ns: Virtual nanoseconds since the run began.
        life: Number of the incarnation, 1-based.
        who: The witness.
    """

    kind: ClassVar[str]
    at_ns: int = field(default=0, kw_only=True)
    life: int = field(default=1, kw_only=True)
    who: Who = field(default="boundary", kw_only=True)
