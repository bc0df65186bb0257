"""Tokens of a run and its budget (spec R1.5, R6.2)."""

from __future__ import annotations

from agentsim.core import Limits, Request, Response, Usage, estimate_usage

__all__ = ["Meter"]


class Meter:
    """Counts the tokens of every response once, and compares them to the budget."""

    __slots__ = ("_limits", "usage")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.usage = Usage()

    def add(self, request: Request, response: Response) -> None:
        """Account a response; one without usage by an estimate, never as zero."""
        usage = response.usage
        if usage is None:
            usage = estimate_usage(request, response.message)
        self.usage += usage

    @property
    def billable(self) -> float:
        """Tokens that count against the budget."""
        return self.usage.billable(self._limits.cache_read_weight)

    @property
    def exceeded(self) -> bool:
        """Whether more was spent than the budget allows: judged after a response."""
        budget = self._limits.token_budget
        return budget is not None and self.billable > budget

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left to spend: judged before a request."""
        budget = self._limits.token_budget
        return budget is not None and self.billable >= budget
