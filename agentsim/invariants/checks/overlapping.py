"""Invariants of what may run at the same time, and in which order (spec R4.1, R4.2)."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import arguments_of, same_arguments
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.subjects import Asked, Operation, Question, Turn

__all__ = ["calls_in_order", "reads_bounded", "writes_alone"]


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


@invariant(
    "calls-in-order",
    "Around a tool that runs alone, calls have their turns in the order in which the "
    "model asked: none runs, or is put to a person, before those ahead of it are done.",
    rationale="A model that asks to stop a service, change its file and start it again "
    "relies on the order; a person who approves the last step has to see the first done.",
    spec=("R4.2", "R4.4"),
    exemptions=(
        "Reads that are parallel, among themselves.",
        "Calls that are alike in one response: they can't be told apart.",
        "A call that is run again after it failed: its first run counts.",
    ),
)
def calls_in_order(facts: Facts) -> Ruling:
    """Compare the order of the runs of each response with that of its calls."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        for turn in life.turns:
            if len(turn.asked) < 2:
                continue
            steps = list(_steps(facts, turn))
            for place, step in enumerate(steps):
                found = list(_overtaken(turn, steps[:place], step))
                evidence += len(found)
                violations += [entry for entry in found if entry is not None]
    return rule(evidence, violations, "no response asked for two calls in an order")


class _Step:
    """A call that can be told from its siblings, with what shows of its turn."""

    def __init__(self, asked: Asked, question: Question | None, *, alone: bool) -> None:
        self.name = asked.call.name
        self.first = asked.operations[0] if asked.operations else None
        self.question = question
        self.alone = alone

    @property
    def begins_at(self) -> int | None:
        """When it was put to a person, or started."""
        if self.question is not None:
            return self.question.ask_at
        return None if self.first is None else self.first.start_at


def _steps(facts: Facts, turn: Turn) -> Iterator[_Step]:
    for asked in turn.asked:
        rights = facts.rights.get(asked.call.name)
        wanted = arguments_of(asked.call.arguments)
        if rights is None or wanted is None or asked.guessed:
            continue
        alike = [other for other in turn.asked if _is_alike(asked, other)]
        if len(alike) > 1:
            continue
        question = next((q for q in turn.questions if _is_about(q, asked)), None)
        yield _Step(asked, question, alone=rights.alone)


def _is_alike(asked: Asked, other: Asked) -> bool:
    one, two = arguments_of(asked.call.arguments), arguments_of(other.call.arguments)
    same = asked.call.name == other.call.name and one is not None and two is not None
    return same and same_arguments(one or {}, two or {})


def _is_about(question: Question, asked: Asked) -> bool:
    wanted = arguments_of(asked.call.arguments)
    named = question.ask.name == asked.call.name and wanted is not None
    return named and same_arguments(question.ask.arguments, wanted or {})


def _overtaken(
    turn: Turn, before: list[_Step], step: _Step
) -> Iterator[Violation | None]:
    """For each call ahead of one that has begun: what is wrong, or None."""
    begins_at = step.begins_at
    if begins_at is None:
        return
    for ahead in before:
        if not (ahead.alone or step.alone) or ahead.begins_at is None:
            continue
        run = ahead.first
        over_at = ahead.begins_at if run is None else run.start_at
        asked = step.question is not None and run is not None
        if asked and run is not None and run.end_at is not None:
            over_at = run.end_at  # overlapping runs are what writes-alone looks for
        if over_at < begins_at:
            yield None
            continue
        did = "is put to a person" if step.question is not None else "starts"
        yield Violation(
            f"{step.name} {did} before {ahead.name}, which the model asked for first",
            f"{ahead.name} done, then {step.name}",
            f"{step.name} first",
            (turn.response_at, begins_at, over_at),
        )
