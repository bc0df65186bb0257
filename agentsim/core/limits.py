"""The boundaries of a run: limits (R1.8) and the parameters of loop detection (R5)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from agentsim.core.errors import UsageError
from agentsim.core.words import COUNT_MAX, NUMBER_MAX, number_fault

__all__ = ["Limits", "LoopRules"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Boundaries that the model can't argue with; None means no limit (R1.8).

    Attributes:
        max_iterations: Responses consumed.
        deadline_s: Seconds for the whole run.
        token_budget: Billable tokens.
        max_parallel: How many parallel tools may be in flight (K); not terminal.
        cache_read_weight: How much a token read from the cache counts (R1.5).

    Raises:
        UsageError: for zero or less, and for what is no number of its kind.
    """

    max_iterations: int | None = 10
    deadline_s: float | None = 3600.0
    token_budget: int | None = None
    max_parallel: int | None = 4
    cache_read_weight: float = 0

    def __post_init__(self) -> None:
        _check_sizes(self, *Limits.__slots__)
        for name in ("max_iterations", "token_budget", "max_parallel"):
            value = getattr(self, name)
            if value is not None and not (_whole(value) and value > 0):
                raise UsageError(
                    f"{name}: expected a whole number above zero, "
                    f"or None for no limit, got {value!r}"
                )
        if self.deadline_s is not None and not (
            _finite(self.deadline_s) and self.deadline_s > 0
        ):
            raise UsageError(
                "deadline_s: expected a number of seconds above zero, "
                f"or None for no limit, got {self.deadline_s!r}"
            )
        weight = self.cache_read_weight
        if not (_finite(weight) and 0 <= weight <= 1):
            raise UsageError(
                f"cache_read_weight: expected a number from 0 to 1, got {weight!r}"
            )


@dataclass(frozen=True, slots=True)
class LoopRules:
    """When repetition is a loop (R5.2, R5.4).

    Attributes:
        block_at: The count of one signature that is answered with a block (N); twice
            as many end the run.
        window: How many answered calls are looked back at.

    Raises:
        UsageError: when `block_at` is under 2, or the window under 2N.
    """

    block_at: int = 3
    window: int = 31

    def __post_init__(self) -> None:
        _check_sizes(self, "block_at", "window")
        if not _whole(self.block_at) or self.block_at < 2:
            raise UsageError(
                f"block_at: expected a whole number of 2 or more, got {self.block_at!r}"
            )
        if _whole(self.window) and self.window > COUNT_MAX:
            raise UsageError(f"window: {number_fault(self.window, whole=True)}")
        if not _whole(self.window) or self.window < self.end_at:
            raise UsageError(
                f"window: expected a whole number of {self.end_at} (2 x block_at) or "
                f"more, got {self.window!r}: a shorter one never ends a loop"
            )

    @property
    def end_at(self) -> int:
        """The count of one signature that ends the run (2N)."""
        return 2 * self.block_at


def _check_sizes(limits: object, *names: str) -> None:
    """Refuse integers that are too long to count with, or to be written out."""
    for name in names:
        value = getattr(limits, name)
        if isinstance(value, int) and abs(value) > NUMBER_MAX:
            raise UsageError(f"{name}: {number_fault(abs(value), most=NUMBER_MAX)}")


def _whole(value: object) -> bool:
    """Whether a value is an integer; True and False are answers, not numbers."""
    return isinstance(value, int) and not isinstance(value, bool)


def _finite(value: object) -> bool:
    """Whether a value is a number that arithmetic can be done with."""
    return _whole(value) or (isinstance(value, float) and math.isfinite(value))
