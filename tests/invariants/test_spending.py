"""The token budget: counted once, by the rule, and the end where it is spent."""

from __future__ import annotations

import pytest

from agentsim.core import Limits, Usage
from agentsim.trace import Trace
from tests.invariants.support import Run, call, read, verdict

LOOK = read("look")


def spending(*tokens: int, status: str, final: bool, tools: bool = True) -> Trace:
    """A run with a budget of 100 whose responses cost some tokens each."""
    run = Run([LOOK], limits=Limits(token_budget=100))
    for number, cost in enumerate(tokens):
        if final and number == len(tokens) - 1:
            run.says("fine", usage=Usage(cost, 0))
            continue
        run.asks(call("look"), usage=Usage(cost, 0))
        if tools or number < len(tokens) - 1:
            run.runs("look", str(number))
        run.answers(str(number), error=not tools)
    return run.ends(status)


@pytest.mark.parametrize(
    ("tokens", "status", "final", "tools", "expected"),
    [
        ((50, 51), "token_budget", False, False, ("holds", "holds")),
        ((50, 50), "token_budget", False, True, ("holds", "holds")),
        ((50, 51), "token_budget", True, True, ("holds", "holds")),
        ((50, 50), "done", True, True, ("holds", "unknown")),
        ((50, 49), "token_budget", False, True, ("violated", "holds")),
        ((50, 50), "token_budget", True, True, ("violated", "holds")),
        ((50, 51), "done", True, True, ("violated", "holds")),
        ((50, 51), "token_budget", False, True, ("holds", "violated")),
        ((50, 50, 1), "token_budget", True, True, ("holds", "violated")),
        ((50, 51, 1), "done", True, True, ("violated", "violated")),
        ((50, 51), "failed", False, False, ("holds", "holds")),
    ],
)
def test_a_budget_is_kept(
    tokens: tuple[int, ...],
    status: str,
    final: bool,
    tools: bool,
    expected: tuple[str, str],
) -> None:
    """Over the budget no tool starts, at the budget no request is sent (R6.2)."""
    trace = spending(*tokens, status=status, final=final, tools=tools)
    assert verdict(trace, "budget-counted-once").status == expected[0]
    assert verdict(trace, "limit-terminal").status == expected[1]


def test_failed_requests_may_have_cost_something() -> None:
    """After a failure nobody outside knows the sum: an end for the budget is believed."""
    run = Run([LOOK], limits=Limits(token_budget=100))
    run.fails()
    run.says(usage=Usage(10, 0))
    assert verdict(run.ends("token_budget"), "budget-counted-once").status == "holds"


def test_missing_usage_is_estimated() -> None:
    """A response without usage counts by the estimate, never as nothing."""
    run = Run([LOOK], limits=Limits(token_budget=10))
    run.says("x" * 400, usage=None)
    assert verdict(run.ends("token_budget"), "budget-counted-once").status == "holds"
    run = Run([LOOK], limits=Limits(token_budget=10))
    run.says("x" * 400, usage=None)
    assert verdict(run.ends("done"), "budget-counted-once").status == "violated"


def test_cached_tokens_count_by_their_weight() -> None:
    """The weight that was declared decides whether cached tokens reach the budget."""
    for weight, status in ((0, "violated"), (1, "holds")):
        limits = Limits(token_budget=100, cache_read_weight=weight)
        run = Run([LOOK], limits=limits)
        run.says(usage=Usage(prompt=150, completion=1, cache_read=100))
        assert verdict(run.ends("token_budget"), "budget-counted-once").status == status
