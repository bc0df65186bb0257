"""Invariants of what may run at the same time, and in which order (spec R4.1, R4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import arguments_of, call_key_of
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.subjects import Asked, Operation, Question, Turn
from agentsim.invariants.toolset import same_arguments

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
        "A tool that runs others, such as an agent of its own, and what it runs.",
    ),
    needs_inside=True,
)
def writes_alone(facts: Facts) -> Ruling:
    """Look for what was in flight when a tool started, one of the two not parallel."""
    if facts.tools.none_alone:
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
    exemptions=(
        "Without a declared K the number of reads is not judged.",
        "A tool that runs others does not count beside what it runs.",
    ),
    needs_inside=True,
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
    if not evidence and facts.tools.none_parallel:
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
    needs_inside=True,
)
def calls_in_order(facts: Facts) -> Ruling:
    """Compare the order of the runs of each response with that of its calls."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        for turn in life.turns:
            if len(turn.asked) > 1 and _has_order(facts, turn):
                found = list(_overtaken(turn, _steps(facts, turn)))
                evidence += len(found)
                violations += [entry for entry in found if entry is not None]
    return rule(evidence, violations, "no response asked for two calls in an order")


def _has_order(facts: Facts, turn: Turn) -> bool:
    """Whether a response asks for a tool that runs alone."""
    for asked in turn.asked:
        rights = facts.rights.get(asked.call.name)
        if rights is not None and rights.alone:
            return True
    return False


class _Step(NamedTuple):
    """A call that can be told from its siblings, with what shows of its turn.

    Attributes:
        begins_at: When it was put to a person, or started.
        over_at: When another call may be put to a person: it has ended by then.
    """

    name: str
    alone: bool
    asks: bool
    begins_at: int
    starts_at: int
    over_at: int


def _steps(facts: Facts, turn: Turn) -> Iterator[_Step]:
    keys = [call_key_of(asked.call) for asked in turn.asked]
    times = Counter(keys)
    for asked, key in zip(turn.asked, keys, strict=True):
        rights = facts.rights.get(asked.call.name)
        if rights is None or asked.guessed or times[key] > 1:
            continue
        first = asked.operations[0] if asked.operations else None
        question = _about(turn, asked) if rights.confirms else None
        if first is None and question is None:
            continue
        asks_at = None if question is None else question.ask_at
        starts_at = asks_at if first is None else first.start_at
        begins_at = starts_at if asks_at is None else asks_at
        assert begins_at is not None
        assert starts_at is not None
        over_at = starts_at if first is None or first.end_at is None else first.end_at
        yield _Step(
            asked.call.name,
            rights.alone,
            question is not None,
            begins_at,
            starts_at,
            over_at,
        )


def _about(turn: Turn, asked: Asked) -> Question | None:
    wanted = arguments_of(asked.call.arguments)
    for question in turn.questions:
        named = question.ask.name == asked.call.name and wanted is not None
        if named and same_arguments(question.ask.arguments, wanted or {}):
            return question
    return None


def _overtaken(turn: Turn, steps: Iterator[_Step]) -> Iterator[Violation | None]:
    """For each call with others ahead of it: what is wrong, or None.

    Overlapping runs are what writes-alone looks for: a call overtakes another one where
    it starts first, or is put to a person before the other one has ended.
    """
    before: list[_Step] = []
    latest: dict[bool, _Step] = {}  # of all, and of those that run alone
    for step in steps:
        ahead = latest.get(not step.alone)
        if ahead is not None:
            late = max(before, key=_over_at) if step.asks else ahead
            over_at = late.over_at if step.asks else late.starts_at
            yield (
                _first(turn, late, step, over_at) if over_at > step.begins_at else None
            )
        before.append(step)
        for alone in (False, True)[: 1 + step.alone]:
            known = latest.get(alone)
            if known is None or known.starts_at < step.starts_at:
                latest[alone] = step


def _over_at(step: _Step) -> int:
    return step.over_at


def _first(turn: Turn, ahead: _Step, step: _Step, over_at: int) -> Violation:
    did = "is put to a person" if step.asks else "starts"
    return Violation(
        f"{step.name} {did} before {ahead.name}, which the model asked for first",
        f"{ahead.name} done, then {step.name}",
        f"{step.name} first",
        (turn.response_at, step.begins_at, over_at),
    )
