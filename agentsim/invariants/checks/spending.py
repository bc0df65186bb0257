"""The invariant of the token budget: counted once, by the rule (spec R1.5, R6.2)."""

from __future__ import annotations

from agentsim.core import Limits, Request, Usage, estimate_usage
from agentsim.invariants.checks.limiting import asks_for_more, closing
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.subjects import Life

__all__ = ["budget_counted_once", "spent"]

OVERRIDING = (None, "deadline", "cancelled", "failed")
"""Statuses that may stand in place of the budget when both come at the same time."""


@invariant(
    "budget-counted-once",
    "Every token counts once against the budget: the run ends for it where it is spent, "
    "and nowhere else.",
    rationale="Tokens counted twice end good runs early; tokens forgotten, of a cache, "
    "of a response without usage or of the final answer, are paid all the same.",
    spec=("R1.5", "R1.8", "R6.1", "R6.2"),
    exemptions=(
        "Agents that do not declare a token budget.",
        (
            "A budget after failed requests: what those cost can't be seen, so an end for "
            "the budget is then taken as right."
        ),
        "A deadline, a cancellation or a failure at the same time: its status counts.",
        "Lives are judged one by one: what an earlier life spent is not counted.",
    ),
)
def budget_counted_once(facts: Facts) -> Ruling:
    """Compare what each life spent with its budget and its status."""
    limits = facts.header.limits
    if limits is None or limits.token_budget is None:
        return not_applicable("the agent does not declare a token budget")
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        if life.turns:
            budget = limits.token_budget
            used = spent(facts, life, limits)[-1]
            evidence += used >= budget or life.status == "token_budget"
            violations += _budget(facts, life, used, budget)
    return rule(evidence, violations, "the budget was not reached")


def _budget(
    facts: Facts, life: Life, used: float, budget: int
) -> tuple[Violation, ...]:
    status, last = life.status, life.turns[-1]
    places = (last.response_at, *closing(life))
    told = f"{used:g} tokens of {budget}, status {status}"
    if used > budget:
        if status in (*OVERRIDING, "token_budget") or not last.consumed:
            return ()
        words = "the run spent more than its budget and does not say so"
        return (Violation(words, "status token_budget", told, places),)
    if status != "token_budget":
        return ()
    unseen = any(life.requests[0][0] <= at for at, _event in facts.failures)
    if unseen or (used == budget and asks_for_more(last)):
        return ()
    words = "the run ends for its budget and has not spent it"
    return (Violation(words, f"more than {budget} tokens", told, places),)


def spent(facts: Facts, life: Life, limits: Limits) -> list[float]:
    """Billable tokens after each response of a life, discarded ones included."""
    kept = facts.memory.get(f"spent {life.number}")
    if isinstance(kept, list):
        return kept
    usage = Usage()
    found: list[float] = []
    for turn in life.turns:
        used = turn.response.usage
        if used is None:
            sent = turn.request
            request = Request(sent.model, sent.messages, sent.tools)
            used = estimate_usage(request, turn.response.message)
        usage += used
        found.append(usage.billable(limits.cache_read_weight))
    facts.memory[f"spent {life.number}"] = found
    return found
