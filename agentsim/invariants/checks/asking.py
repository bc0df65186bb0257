"""The invariant that what runs is what was asked for (spec R1.2, R4.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.core import ConfirmationAsked, ToolStarted, canonical_json
from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import arguments_of, is_as_asked
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    quoted,
    quoted_apart,
    rule,
)
from agentsim.invariants.subjects import Asked, Life, Operation, Question, Turn
from agentsim.invariants.toolset import (
    APPROVER,
    is_key,
    without_added,
    without_approver,
)

__all__ = ["arguments_as_asked"]


@invariant(
    "arguments-as-asked",
    "A tool runs, and a person is asked, with the arguments that the model wrote; only "
    "confirmed_by is added, by a person's approval, and one idempotency key for each call.",
    rationale="Arguments that change on the way make another action of it than the one "
    "that was decided on, and approved; a confirmed_by that no person gave is forged.",
    spec=("R1.2", "R1.11", "R4.4", "R10.4"),
    exemptions=(
        "The order of keys, and 1 in place of 1.0: in JSON they are the same.",
        (
            "A field that the model left out and that gets the default of the tool's "
            "schema, or null where the schema takes it and names no default."
        ),
        (
            "An approved run without confirmed_by, of an agent that never adds it: what "
            "a person said is checked by confirmed-before-effect."
        ),
        (
            "A text of the agent's own as an idempotency key that the model left out or gave "
            "as null, where the tool's schema has the field: idempotency_key, or another "
            "name that says so. The key of a call that was made is none for another "
            "one, which it keeps from being made."
        ),
        "Runs that no call explains at all: allowlist reports those.",
        "A call that a runtime announces as recovered from text (R8.5).",
    ),
    needs_inside=True,
)
def arguments_as_asked(facts: Facts) -> Ruling:
    """Look for a call of the same response that asks for what ran, or was approved."""
    evidence = 0
    violations: list[Violation] = []
    signed = unsigned = keyed = False
    confirming = facts.tools.confirming
    for life in facts.lives:
        for turn in life.turns:
            evidence += len(turn.operations) + len(turn.questions)
            if not life.smooth:
                for operation in turn.operations:
                    if not (operation.wanted and _is_asked(operation.start, turn)):
                        violations += _changed(facts, operation, turn)
                        keyed = keyed or any(map(is_key, operation.start.arguments))
            for question in turn.questions:
                if not _is_asked(question.ask, turn):
                    violations += _put_otherwise(facts, question, turn)
        for operation in life.operations:
            confirms = operation.start.name in confirming
            if APPROVER in operation.start.arguments:
                signed = signed or confirms
                violations += _forged(facts, operation)
            else:
                unsigned = unsigned or confirms
        if keyed:
            violations += _withheld(life)
    if signed and unsigned:
        violations += _unsigned_runs(facts)
    return rule(evidence, violations, "no tool ran and nobody was asked")


def _is_default(facts: Facts, name: str, field: str, value: object) -> bool:
    """Whether a field that was left out may have this value, by its tool's schema."""
    entry = _declared(facts, name, field)
    if entry is None:
        return False
    if "default" in entry:
        return _alike(entry["default"], value)
    return value is None and "null" in _kinds(entry)


def _is_own_key(facts: Facts, name: str, field: str, value: object) -> bool:
    """Whether a field that was left out may have this value as an idempotency key."""
    text = isinstance(value, str) and bool(value)
    return text and is_key(field) and _declared(facts, name, field) is not None


def _declared(facts: Facts, name: str, field: str) -> Mapping[str, Any] | None:
    """What the schema of a tool says of a field."""
    schemas = {tool.name: tool.parameters for tool in facts.tools.definitions}
    properties = schemas.get(name, {}).get("properties")
    entry = properties.get(field) if isinstance(properties, Mapping) else None
    return entry if isinstance(entry, Mapping) else None


def _kinds(entry: Mapping[str, Any]) -> list[object]:
    """The types that a schema names itself."""
    named = entry.get("type")
    return [*named] if isinstance(named, list) else [named]


def _is_asked(told: ToolStarted | ConfirmationAsked, turn: Turn) -> bool:
    """Whether a call asks for just this, as a look tells in the usual case."""
    return any(is_as_asked(asked.call, told) for asked in turn.asked)


def _fits(facts: Facts, told: ToolStarted | ConfirmationAsked, asked: Asked) -> bool:
    """Whether a call asks for exactly these arguments."""
    wanted = arguments_of(asked.call.arguments)
    if wanted is None:
        return False
    given = told.arguments
    if APPROVER not in given and APPROVER not in wanted and _alike(wanted, given):
        return True
    for key, value in wanted.items():
        if key == APPROVER or (key in given and _alike(value, given[key])):
            continue
        if value is not None or not _is_own_key(facts, told.name, key, given.get(key)):
            return False
    return all(
        key in wanted
        or key == APPROVER
        or _is_default(facts, told.name, key, value)
        or _is_own_key(facts, told.name, key, value)
        for key, value in given.items()
    )


def _alike(one: object, other: object) -> bool:
    """Whether two values are the same JSON: exact numbers, and no True for 1."""
    if isinstance(one, str):
        return one == other
    if isinstance(one, _OBJECT) and isinstance(other, _OBJECT):
        return len(one) == len(other) and all(
            key in other and _alike(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_alike, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


_OBJECT = (dict, Mapping)
"""An object of JSON: mostly a dict, which is found without the dear look for any other."""


def _changed(facts: Facts, operation: Operation, turn: Turn) -> Iterator[Violation]:
    start = operation.start
    named = [asked for asked in turn.asked if asked.call.name == start.name]
    if any(_fits(facts, start, asked) for asked in named):
        if not operation.wanted:
            yield from _in_place_of(operation, turn, named)
        return
    if operation.wanted and named:
        asked = next((a for a in named if operation in a.operations), named[0])
        yield _other(
            f"{start.name} runs with other arguments than the model asked for",
            asked,
            start.arguments,
            (turn.response_at, operation.start_at, *operation.effects_at[:1]),
        )


def _in_place_of(
    operation: Operation, turn: Turn, named: list[Asked]
) -> Iterator[Violation]:
    """A call that is answered, and did not run, while another one ran twice for it."""
    for asked in named:
        result = asked.result
        if asked.operations or result is None or result.is_error:
            continue
        yield _other(
            f"{operation.start.name} runs once more with the arguments of another call",
            asked,
            operation.start.arguments,
            (turn.response_at, operation.start_at, *operation.effects_at[:1]),
        )
        return


def _withheld(life: Life) -> Iterator[Violation]:
    """Calls that came to nothing by a key that the agent had given to another one."""
    made: dict[tuple[str, str], tuple[Asked, Operation]] = {}
    for turn in life.turns:
        for asked in turn.asked:
            for run in asked.operations if not asked.guessed else ():
                key = _own_key(asked, run)
                first = key and made.get((asked.call.name, key))
                if not key or run.end is None or run.end.ending != "ok":
                    continue
                if run.effects:
                    made.setdefault((asked.call.name, key), (asked, run))
                elif first and first[0] is not asked:
                    yield Violation(
                        f"{asked.call.name} does nothing, by a key that the agent gave "
                        "to another call",
                        "a key of its own for each call of the model",
                        f"the key {quoted(key)} twice",
                        (first[1].start_at, turn.response_at, run.start_at),
                    )


def _own_key(asked: Asked, run: Operation) -> str:
    """The idempotency key that a run has beside what the model wrote, or none."""
    wanted = arguments_of(asked.call.arguments) or {}
    for field, value in run.start.arguments.items():
        if is_key(field) and wanted.get(field) is None and isinstance(value, str):
            return value
    return ""


def _put_otherwise(facts: Facts, question: Question, turn: Turn) -> Iterator[Violation]:
    ask = question.ask
    named = [asked for asked in turn.asked if asked.call.name == ask.name]
    if named and not any(_fits(facts, ask, asked) for asked in named):
        yield _other(
            f"a person is asked about {ask.name} with other arguments than the model's",
            named[0],
            ask.arguments,
            (turn.response_at, question.ask_at),
        )


def _other(
    words: str, asked: Asked, given: Mapping[str, Any], places: tuple[int, ...]
) -> Violation:
    wanted = arguments_of(asked.call.arguments)
    shown = asked.call.arguments if wanted is None else _written(wanted)
    expected, found = quoted_apart(shown, _written(without_approver(given)))
    if wanted is None:
        expected = f"an error: the model's arguments {expected} are invalid"
    return Violation(words, expected, found, places)


def _written(arguments: Mapping[str, Any]) -> str:
    try:
        return canonical_json(dict(arguments))
    except (TypeError, ValueError):
        return f"arguments that JSON can't carry: {', '.join(map(ascii, arguments))}"


def _unsigned_runs(facts: Facts) -> Iterator[Violation]:
    """Approved runs without confirmed_by, of an agent that adds it to others."""
    confirming = [
        operation
        for life in facts.lives
        for operation in life.operations
        if operation.start.name in facts.tools.confirming
    ]
    signed = [entry for entry in confirming if APPROVER in entry.start.arguments]
    for operation in confirming:
        ours = APPROVER in operation.start.arguments
        by = [] if ours else _approvals(facts, operation)
        if by:
            yield Violation(
                f"{operation.start.name} runs without the confirmed_by of its approval",
                f"confirmed_by {by[-1]!a}, as in other runs of this agent",
                "no confirmed_by",
                (signed[0].start_at, operation.start_at),
            )


def _approvals(
    facts: Facts, operation: Operation, *, since: int | None = None
) -> list[str | None]:
    """Who approved the call of a run before it started, and after an event."""
    start = operation.start
    return [
        question.answer.confirmed_by
        for question in facts.questions
        if question.ask.name == start.name
        and question.answer is not None
        and question.approved
        and (since or 0) <= (question.answer_at or 0) < operation.start_at
        and _is_about(question, start.arguments)
    ]


def _is_about(question: Question, given: Mapping[str, Any]) -> bool:
    """Whether these arguments are those that a person was asked about."""
    shown = question.ask.arguments
    return _alike(without_added(shown, given), without_added(given, shown))


def _forged(facts: Facts, operation: Operation) -> Iterator[Violation]:
    """A `confirmed_by` that no approval of this call before it gave."""
    by = operation.start.arguments[APPROVER]
    names = _approvals(facts, operation, since=operation.response_at)
    names = names or _approvals(facts, operation)
    if by not in names:
        told = ", ".join(ascii(name) for name in dict.fromkeys(names))
        yield Violation(
            f"{operation.start.name} runs with a confirmed_by that no approval gave",
            f"confirmed_by of an approval: {told}" if told else "no confirmed_by",
            f"confirmed_by {by!a}",
            (operation.start_at, *operation.effects_at[:1]),
        )
