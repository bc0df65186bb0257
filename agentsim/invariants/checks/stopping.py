"""The invariant that a boundary is the end: nothing goes on behind it (spec R6.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentsim.core import Limits, RequestSent
from agentsim.invariants.checks.counting import LoopEnd, walk_of
from agentsim.invariants.checks.limiting import asks_for_more
from agentsim.invariants.checks.spending import spent
from agentsim.invariants.checks.timing import shown
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.settling import requests_to_the_end
from agentsim.invariants.subjects import Life, Operation, Turn

__all__ = ["limit_terminal"]

BOUNDARIES = ("max_iterations", "token_budget", "deadline", "loop")
"""Statuses that say that a boundary ended the run."""

Found = tuple[int, list[Violation]]
"""How many boundaries were reached, and what went on behind them."""


@invariant(
    "limit-terminal",
    "After a boundary of the run nothing goes on: no request, no tool start.",
    rationale="A limit that is followed by one more request, or one more write, is a "
    "suggestion; the caller has already been told that the run is over.",
    spec=("R3.7", "R5.2", "R6.1", "R6.2"),
    exemptions=(
        "Agents that declare neither limits nor a loop detection.",
        "The calls of the response that reached the iteration limit: they still run.",
        "The time from a deadline to the end of the run: deadline-kept judges that.",
        (
            "Parallel reads of the response whose call ended the loop: they may be under "
            "way before the count is known."
        ),
        "A response that was discarded: its request may be repeated (R7.1).",
        (
            "Other conversations than the main one, at its iteration limit, unless the "
            "output is of one that began behind it, or one has the same tools."
        ),
    ),
)
def limit_terminal(facts: Facts) -> Ruling:
    """Look for what comes after each boundary that a life reached."""
    limits, loop = facts.header.limits, facts.header.loop
    reached = 0
    violations: list[Violation] = []
    for life in facts.lives:
        checks = (_iterations, _budget) if limits is not None else ()
        for check in checks:
            assert limits is not None
            count, found = check(facts, life, limits)
            reached += count
            violations += found
        if life.status in BOUNDARIES and life.outcome_at is not None:
            reached += 1
            words = f"the run ended {life.status}"
            violations += _after(life, life.outcome_at, words)
            violations += [
                _late(words, f"request {request.number}", (life.outcome_at, at))
                for at, request in _asked_instead(life)
            ]
    if loop is not None:
        ends = walk_of(facts).ends
        reached += len(ends)
        for end in ends:
            violations += _loop(end)
    if limits is None and loop is None and not reached:
        return not_applicable("the agent declares no boundary")
    return rule(reached, violations, "no boundary was reached")


def _asked_instead(life: Life) -> Sequence[tuple[int, RequestSent]]:
    """The request that an exhausted limit, which an agent may keep to itself, became."""
    if life.status not in ("max_iterations", "loop"):
        return ()
    main = len(life.main.requests)
    return requests_to_the_end(life)[main : main + 1]


def _iterations(_facts: Facts, life: Life, limits: Limits) -> Found:
    bound = limits.max_iterations
    if bound is None or len(life.main.turns) < bound:
        return 0, []
    consumed = life.consumed
    if len(consumed) < bound:
        return 0, []
    turn = consumed[bound - 1]
    words = f"response {turn.response.number} reached the limit of {bound} iterations"
    exhausted = asks_for_more(turn)
    found = _after(
        life,
        turn.response_at,
        words,
        spared=lambda entry: _is_spared(life, turn, entry),
        sent=requests_to_the_end(life) if exhausted else life.main.requests,
    )
    return int(bool(found) or exhausted), found


def _is_spared(life: Life, turn: Turn, operation: Operation) -> bool:
    """Whether a run is of a response at the limit, or of another conversation."""
    if operation.response_at == turn.response_at or len(life.conversations) < 2:
        return operation.response_at == turn.response_at
    return all(operation.response_at != other.response_at for other in life.main.turns)


def _budget(facts: Facts, life: Life, limits: Limits) -> Found:
    budget = limits.token_budget
    if budget is None:
        return 0, []
    for turn, used in zip(life.turns, spent(facts, life, limits), strict=True):
        if used < budget or not turn.consumed:
            continue
        if used == budget and not asks_for_more(turn):
            continue
        words = f"response {turn.response.number} used {used:g} tokens of {budget}"
        # At the budget exactly, the tools of the response still run (R6.2).
        spared = None if used > budget else _any
        return 1, _after(life, turn.response_at, words, spared=spared)
    return 0, []


def _any(_operation: Operation) -> bool:
    return True


def _loop(end: LoopEnd) -> list[Violation]:
    def spared(operation: Operation) -> bool:
        parallel = operation.rights is not None and operation.rights.parallel
        return parallel and operation.response_at == end.turn.response_at

    sent = requests_to_the_end(end.life)
    return _after(end.life, end.at, end.words, spared=spared, sent=sent)


def _after(
    life: Life,
    at: int,
    words: str,
    *,
    spared: Callable[[Operation], bool] | None = None,
    sent: Sequence[tuple[int, RequestSent]] | None = None,
) -> list[Violation]:
    """The first request and the first start of a tool behind a boundary."""
    found: list[Violation] = []
    for later, request in life.requests if sent is None else sent:
        if later > at:
            found.append(_late(words, f"request {request.number}", (at, later)))
            break
    for operation in life.operations:
        if operation.start_at > at and not (spared and spared(operation)):
            told = f"a start of {operation.start.name}"
            found.append(_late(words, told, (at, *shown(operation))))
            break
    return found


def _late(words: str, found: str, places: tuple[int, ...]) -> Violation:
    return Violation(f"{words}, and the run goes on", "nothing after it", found, places)
