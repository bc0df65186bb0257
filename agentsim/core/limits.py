"""The boundaries of a run: limits (R1.8) and the parameters of loop detection (R5)."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.core.errors import UsageError

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
        UsageError: for zero or less.
    """

    max_iterations: int | None = 10
    deadline_s: float | None = 3600.0
    token_budget: int | None = None
    max_parallel: int | None = 4
    cache_read_weight: float = 0

    def __post_init__(self) -> None:
        for name in ("max_iterations", "deadline_s", "token_budget", "max_parallel"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(
                    f"{name}: expected a number above zero, or None for no limit, "
                    f"got {value!r}"
                )
        if not 0 <= self.cache_read_weight <= 1:
            raise UsageError(
                f"cache_read_weight: expected 0 to 1, got {self.cache_read_weight!r}"
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
        if self.block_at < 2:
            raise UsageError(f"block_at: expected 2 or more, got {self.block_at!r}")
        if self.window < self.end_at:
            raise UsageError(
                f"window: expected {self.end_at} (2 x block_at) or more, "
                f"got {self.window!r}: a shorter one never ends a loop"
            )

    @property
    def end_at(self) -> int:
        """The count of one signature that ends the run (2N)."""
        return 2 * self.block_at
