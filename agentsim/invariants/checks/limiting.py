"""The invariant that a limit of n means n, for agents that declare limits (R6)."""

from __future__ import annotations

from agentsim.core import Limits, Request, Usage, estimate_usage
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.subjects import Life, Turn

__all__ = ["asks_for_more", "deadline_ns", "limit_exact", "seconds", "spent"]

NS_PER_S = 1_000_000_000
TOLERANCE_NS = 1_000
"""How early an end may count as at the deadline: clocks are floats in between."""

OVERRIDING = (None, "deadline", "cancelled", "failed")
"""Statuses that may stand in place of a boundary that was reached at the same time."""


@invariant(
    "limit-exact",
    "A limit of n means n.",
    rationale="A limit that is off by one, or that ends as a success, can't be trusted "
    "with money or time.",
    spec=("R1.8", "R3.7", "R6.1", "R6.2", "R6.3"),
    exemptions=(
        "Agents that do not declare limits.",
        "Responses that were discarded and asked for again are no iterations (R7.1).",
        (
            "A budget after failed requests: what those cost can't be seen, so an end for "
            "the budget is then taken as right."
        ),
        "Lives are judged one by one: what an earlier life used is not counted.",
    ),
)
def limit_exact(facts: Facts) -> Ruling:
    """Compare what each life used with its limits and its status."""
    limits = facts.header.limits
    if limits is None:
        return not_applicable("the agent does not declare limits")
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        for check in (_iterations, _budget, _deadline):
            reached, found = check(facts, life, limits)
            evidence += reached
            violations += found
    return rule(evidence, violations, "no limit was reached")


Found = tuple[int, list[Violation]]


def _iterations(_facts: Facts, life: Life, limits: Limits) -> Found:
    bound = limits.max_iterations
    if bound is None:
        return 0, []
    consumed = life.consumed
    count, status = len(consumed), life.status
    if count > bound:
        places = tuple(turn.response_at for turn in consumed[bound - 1 : bound + 1])
        found = f"{count} responses"
        return 1, [
            _inexact("the run takes more iterations", f"at most {bound}", found, places)
        ]
    if status == "max_iterations" and count < bound:
        return 1, [
            _inexact(
                "the run ends at its iteration limit before it is reached",
                f"{bound} responses",
                f"{count} responses",
                _closing(life),
            )
        ]
    if count < bound or not asks_for_more(consumed[-1]):
        return 0, []
    if status == "done":
        places = (consumed[-1].response_at, *_closing(life))
        words = "the run is at its iteration limit, not finished, and says it is done"
        return 1, [_inexact(words, "status max_iterations", "status done", places)]
    return 1, []


def asks_for_more(turn: Turn) -> bool:
    """Whether a response asks for more, so that a limit behind it is felt."""
    return bool(turn.asked) or turn.response.stop_reason == "pause_turn"


def _closing(life: Life) -> tuple[int, ...]:
    return () if life.outcome_at is None else (life.outcome_at,)


def _inexact(
    words: str, expected: str, found: str, places: tuple[int, ...]
) -> Violation:
    return Violation(words, expected, found, places)


def _budget(facts: Facts, life: Life, limits: Limits) -> Found:
    budget, status = limits.token_budget, life.status
    if budget is None or not life.turns:
        return 0, []
    used = spent(facts, life, limits)[-1]
    last = life.turns[-1]
    places = (last.response_at, *_closing(life))
    told = f"{used:g} tokens of {budget}, status {status}"
    if used > budget:
        if status in (*OVERRIDING, "token_budget") or not last.consumed:
            return 1, []
        words = "the run spent more than its budget and does not say so"
        return 1, [_inexact(words, "status token_budget", told, places)]
    if status != "token_budget":
        return 0, []
    unseen = any(life.requests[0][0] <= at for at, _event in facts.failures)
    if unseen or (used == budget and asks_for_more(last)):
        return 1, []
    words = "the run ends for its budget and has not spent it"
    return 1, [_inexact(words, f"more than {budget} tokens", told, places)]


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


def deadline_ns(life: Life, limits: Limits) -> float | None:
    """When the deadline of a life is, counted from its declaration or beginning."""
    if limits.deadline_s is None:
        return None
    duration = limits.deadline_s * NS_PER_S
    whole = round(duration) if duration < 2**62 else duration
    return life.start_ns + whole


def seconds(at_ns: float) -> str:
    """A time in words, exact to the nanosecond."""
    whole = f"{at_ns / NS_PER_S:.9f}".rstrip("0")
    return f"{whole.removesuffix('.')} s"


def _deadline(_facts: Facts, life: Life, limits: Limits) -> Found:
    due, outcome, at = deadline_ns(life, limits), life.outcome, life.outcome_at
    if due is None or outcome is None or at is None:
        return 0, []
    when, late = seconds(outcome.at_ns), seconds(due)
    if outcome.status == "deadline":
        if outcome.at_ns >= due - TOLERANCE_NS:
            return 1, []
        words = "the run ends for its deadline before it"
        return 1, [_inexact(words, f"an end at {late} or later", when, (at,))]
    if outcome.status != "done" or not life.turns:
        return 0, []
    last = life.turns[-1]
    if last.response.at_ns < due:
        return 0, []
    words = "an answer at or after the deadline is taken as in time"
    places = (last.response_at, at)
    return 1, [
        _inexact(words, f"an answer before {late}, or status deadline", when, places)
    ]
