"""The invariant that a limit of n iterations means n (spec R3.7)."""

from __future__ import annotations

from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.subjects import Life, Turn

__all__ = ["asks_for_more", "closing", "limit_exact"]


@invariant(
    "limit-exact",
    "A limit of n iterations means n.",
    rationale="A limit that is off by one, or that ends as a success, can't be trusted "
    "with money or time.",
    spec=("R1.8", "R3.7", "R6.1"),
    exemptions=(
        "Agents that do not declare limits.",
        "Responses that were discarded and asked for again are no iterations (R7.1).",
        "Lives are judged one by one: what an earlier life used is not counted.",
        "Responses of other conversations than the main one.",
        "Budget and deadline: budget-counted-once and deadline-kept judge those.",
    ),
)
def limit_exact(facts: Facts) -> Ruling:
    """Compare the responses that each life consumed with its limit and its status."""
    limits = facts.header.limits
    if limits is None:
        return not_applicable("the agent does not declare limits")
    bound = limits.max_iterations
    if bound is None:
        return not_applicable("the agent declares no limit of iterations")
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        reached, found = _iterations(life, bound)
        evidence += reached
        violations += found
    return rule(evidence, violations, "the limit was not reached")


def _iterations(life: Life, bound: int) -> tuple[bool, list[Violation]]:
    status = life.status
    if len(life.main.turns) < bound and status != "max_iterations":
        return False, []
    consumed = life.consumed
    count = len(consumed)
    if count > bound:
        places = tuple(turn.response_at for turn in consumed[bound - 1 : bound + 1])
        words = "the run takes more iterations"
        return True, [
            Violation(words, f"at most {bound}", f"{count} responses", places)
        ]
    if status == "max_iterations" and count < bound:
        words = "the run ends at its iteration limit before it is reached"
        expected, found = f"{bound} responses", f"{count} responses"
        return True, [Violation(words, expected, found, closing(life))]
    if count < bound or not asks_for_more(consumed[-1]):
        return False, []
    if status == "done":
        places = (consumed[-1].response_at, *closing(life))
        words = "the run is at its iteration limit, not finished, and says it is done"
        return True, [Violation(words, "status max_iterations", "status done", places)]
    return True, []


def asks_for_more(turn: Turn) -> bool:
    """Whether a response asks for more, so that a limit behind it is felt."""
    return bool(turn.asked) or turn.response.stop_reason == "pause_turn"


def closing(life: Life) -> tuple[int, ...]:
    """Index of the outcome of a life, if it has one."""
    return () if life.outcome_at is None else (life.outcome_at,)
