"""Tokens of a run and its budget (spec R1.5, R6.2)."""

from __future__ import annotations

from agentsim.core import Limits, Request, Response, Usage, estimate_usage

__all__ = ["Meter"]


class Meter:
    """Counts the tokens of every response once, and compares them to the budget."""

    __slots__ = ("_cache_read", "_completion", "_estimated", "_limits", "_prompt")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._prompt = self._completion = self._cache_read = 0
        self._estimated = False

    def add(self, request: Request, response: Response) -> None:
        """Account a response; one without usage by an estimate, never as zero."""
        usage = response.usage
        if usage is None:
            usage = estimate_usage(request, response.message)
        self._prompt += usage.prompt
        self._completion += usage.completion
        self._cache_read += usage.cache_read
        self._estimated = self._estimated or usage.estimated

    @property
    def usage(self) -> Usage:
        """All tokens so far."""
        return Usage(self._prompt, self._completion, self._cache_read, self._estimated)

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
