"""Invariants of what may run at the same time (spec R4.1, R4.2)."""

from __future__ import annotations

from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.subjects import Operation

__all__ = ["reads_bounded", "writes_alone"]


@invariant(
    "writes-alone",
    "A writing or confirming tool overlaps no other tool.",
    rationale="A read beside a write sees half of it, and two writes in flight have no "
    "order: the same run gives another result on another day.",
    spec=("R4.1", "R4.2"),
    exemptions=(
        "What was in flight when the process died: it is gone with its life.",
        "Tools outside of the list, which allowlist reports.",
    ),
)
def writes_alone(facts: Facts) -> Ruling:
    """Look for what was in flight when a tool started, one of the two not parallel."""
    if all(rights.parallel for rights in facts.rights.values()):
        return not_applicable("every tool of the run may overlap others")
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        for operation in life.operations:
            evidence += operation.alone
            if operation.beside:
                violations += [
                    _overlap(operation, other)
                    for other in operation.beside
                    if operation.alone or other.alone
                ]
    return rule(evidence, violations, "no tool that must run alone ran")


def _overlap(operation: Operation, other: Operation) -> Violation:
    lonely = operation if operation.alone else other
    return Violation(
        f"{operation.start.name} started while {other.start.name} was running",
        f"{lonely.start.name} runs alone",
        f"{other.start.name} and {operation.start.name} in flight at once",
        _places(other, operation),
    )


def _places(*operations: Operation) -> tuple[int, ...]:
    starts = [operation.start_at for operation in operations]
    ends = [
        operation.end_at for operation in operations if operation.end_at is not None
    ]
    return (*starts, *sorted(ends))


@invariant(
    "reads-bounded",
    "Whenever two or more tools are in flight, all are read-only and parallel, and at "
    "most K.",
    rationale="Only what is declared parallel is safe to overlap, and a burst without "
    "a bound brings down the service that is read.",
    spec=("R1.8", "R4.1"),
    exemptions=("Without a declared K the number of reads is not judged.",),
)
def reads_bounded(facts: Facts) -> Ruling:
    """Judge every moment at which a tool starts beside others."""
    limits = facts.header.limits
    bound = limits.max_parallel if limits is not None else None
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        for operation in life.operations:
            if not operation.beside:
                continue
            evidence += 1
            flight = [*operation.beside, operation]
            odd = [entry for entry in flight if entry.alone]
            if odd:
                violations.append(_not_parallel(operation, flight, odd[0]))
            elif bound is not None and len(flight) > bound:
                violations.append(_too_many(operation, flight, bound))
    if not evidence and not any(rights.parallel for rights in facts.rights.values()):
        return not_applicable("no tool of the run is parallel")
    return rule(evidence, violations, "no two tools were in flight at once")


def _not_parallel(
    operation: Operation, flight: list[Operation], odd: Operation
) -> Violation:
    return Violation(
        f"{odd.start.name} is in flight with others and is not parallel",
        "only read-only parallel tools overlap",
        f"in flight: {_names(flight)}",
        tuple(dict.fromkeys((odd.start_at, operation.start_at))),
    )


def _too_many(operation: Operation, flight: list[Operation], bound: int) -> Violation:
    return Violation(
        f"{len(flight)} tools are in flight at once",
        f"at most {bound}",
        f"in flight: {_names(flight)}",
        (*(entry.start_at for entry in operation.beside[:bound]), operation.start_at),
    )


def _names(flight: list[Operation]) -> str:
    return ", ".join(entry.start.name for entry in flight)
