"""Invariants of loop detection, for agents that declare one (spec R5)."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.invariants.checks.counting import LoopEnd, Walk, walk_of
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.settling import requests_to_the_end
from agentsim.invariants.subjects import Life

__all__ = ["loop_blocked", "loop_terminal", "no_false_loop"]

NO_PROMISE = "the agent does not declare a loop detection"

INTERRUPTED = ("deadline", "cancelled", "failed")
"""Statuses of runs that something else ended at the same time."""


@invariant(
    "loop-blocked",
    "The third identical signature is answered with a block.",
    rationale="A model that gets the same answer again has no reason to change its "
    "mind; the block tells it so while there is still budget left.",
    spec=("R5.1", "R5.2", "R5.4", "R5.5"),
    exemptions=(
        (
            "Agents that do not declare a loop detection. Those that do answer with the "
            "text of the specification, which begins with Error: loop detected."
        ),
        "The last response of a run that was cut off: its results say so.",
        "Other conversations than the main one.",
        "Results that no history shows.",
        (
            "A block that may stand for either of several results, or repeated runs of "
            "calls that are alike: from there on the calls are not counted."
        ),
    ),
)
def loop_blocked(facts: Facts) -> Ruling:
    """Count every answered call, and look for the blocks that its count asks for."""
    if facts.header.loop is None:
        return not_applicable(NO_PROMISE)
    walk = walk_of(facts)
    return rule(walk.blocks_due, walk.missing, "no call was repeated often enough")


@invariant(
    "loop-terminal",
    "The sixth identical signature ends the run.",
    rationale="A model that goes on through a block will go on until the limit; a loop "
    "is a reason of its own, which the caller should hear.",
    spec=("R5.2", "R5.4", "R5.6", "R6.1"),
    exemptions=(
        "Agents that do not declare a loop detection.",
        "Other conversations than the main one.",
        "A deadline, a cancellation or a failure at the same time: its status counts.",
        (
            "Of texts without calls only those count with which the model pauses: after "
            "any other the run ends by itself."
        ),
    ),
)
def loop_terminal(facts: Facts) -> Ruling:
    """Look for what comes after the call or the text whose count ends the run."""
    if facts.header.loop is None:
        return not_applicable(NO_PROMISE)
    ends = walk_of(facts).ends
    violations: list[Violation] = []
    for end in ends:
        violations.extend(_goes_on(end))
    return rule(len(ends), violations, "nothing was repeated often enough")


def _goes_on(end: LoopEnd) -> Iterator[Violation]:
    life = end.life
    for at, request in requests_to_the_end(life):
        if at > end.turn.response_at:
            yield Violation(
                f"{end.words}, and the run goes on",
                "no request after it",
                f"request {request.number}",
                (end.at, at),
            )
            return
    status = life.status
    if status not in (None, "loop", *INTERRUPTED) and life.outcome_at is not None:
        yield Violation(
            f"{end.words}, and the run ends as {status}",
            "status loop",
            f"status {status}",
            (end.at, life.outcome_at),
        )


@invariant(
    "no-false-loop",
    "Changing results, and progress by writes, are never taken for a loop.",
    rationale="Who polls a service that recovers, or tests after each edit, does what "
    "the task needs; a detector that stops it costs more than a loop.",
    spec=("R5.1", "R5.2", "R5.3", "R5.4"),
    exemptions=(
        "Agents that do not declare a loop detection.",
        (
            "A block that may stand for either of several results, or repeated runs of "
            "calls that are alike: from there on the calls are not counted."
        ),
        "A run that ends as a loop in a life whose calls could not all be counted.",
    ),
)
def no_false_loop(facts: Facts) -> Ruling:
    """Look for blocks and ends that no count explains."""
    if facts.header.loop is None:
        return not_applicable(NO_PROMISE)
    walk = walk_of(facts)
    violations = list(walk.false)
    ended = [life for life in facts.lives if life.status == "loop"]
    for life in ended:
        violations.extend(_ends_for_nothing(life, walk))
    nothing = "nothing was repeated that could be taken for a loop"
    return rule(walk.chances + len(ended), violations, nothing)


def _ends_for_nothing(life: Life, walk: Walk) -> Iterator[Violation]:
    """The end of a life as a loop, where neither calls nor texts repeat."""
    explained = life.number in walk.uncounted or any(
        end.life is life for end in walk.ends
    )
    if not explained and life.outcome_at is not None:
        yield Violation(
            "the run ends as a loop and there is none",
            "the same call with the same result, or the same text, often enough",
            "status loop",
            (life.outcome_at,),
        )
