"""The invariant that one write takes effect once (spec R10.4)."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import CallKey, canonical_json
from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import arguments_of
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.subjects import Operation, Turn
from agentsim.invariants.toolset import same_arguments, without_added

__all__ = ["effect_once"]


@invariant(
    "effect-once",
    "One call of the model takes effect at most once, however often its tool is run.",
    rationale="An answer that is lost does not say that nothing happened: who runs a "
    "payment again for it pays twice.",
    spec=("R10.4", "R10.5"),
    exemptions=(
        "Two calls of the model are two, even if they are alike.",
        "One run of a tool that the world applies twice: that is the world's doing.",
        (
            "Runs in different lives: without a store, nothing survives a crash that "
            "could tell what was done before it."
        ),
        "Calls that are alike in one response are counted together.",
        "A run that its idempotency key kept from taking effect again.",
    ),
    needs_inside=True,
)
def effect_once(facts: Facts) -> Ruling:
    """Count the runs with an effect for each call of a response."""
    if facts.rights and not facts.tools.writing:
        return not_applicable("no tool of the run writes")
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        if life.smooth:
            for operation in life.operations:
                evidence += bool(operation.effects)
            continue
        for turn in life.turns:
            took = [
                operation
                for operation in turn.operations
                if operation.effects and operation.start.life == life.number
            ]
            evidence += len(took)
            if len(took) > 1:
                violations += _repeated(turn, took)
    return rule(evidence, violations, "nothing took effect")


def _repeated(turn: Turn, took: list[Operation]) -> Iterator[Violation]:
    groups: dict[CallKey, list[Operation]] = {}
    for operation in took:
        groups.setdefault(_key(turn, operation), []).append(operation)
    for (name, _arguments), alike in groups.items():
        calls = _asked_for(turn, alike[0])
        if len(alike) > calls:
            yield Violation(
                f"{name} took effect {len(alike)} times for "
                f"{'one call' if calls == 1 else f'{calls} calls'} of the model",
                f"at most {calls} of its runs with an effect",
                f"{len(alike)} runs with an effect",
                (turn.response_at, *(entry.effects_at[0] for entry in alike)),
            )


def _key(turn: Turn, operation: Operation) -> CallKey:
    """Name and arguments of a run, as far as the model may have written them.

    A key of the agent's own is another one for each run where it should be the same.
    """
    start = operation.start
    named = [asked for asked in turn.asked if asked.call.name == start.name]
    wanted = [arguments_of(asked.call.arguments) or {} for asked in named]
    written = {k: v for entry in wanted for k, v in entry.items() if v is not None}
    arguments = without_added(start.arguments, written)
    try:
        return start.name, canonical_json(arguments)
    except (TypeError, ValueError):
        return start.name, ""


def _asked_for(turn: Turn, operation: Operation) -> int:
    """How many calls ask for this run; where none has its arguments, those of its tool.

    Whether arguments are changed, or a tool runs unasked, is another question: one
    effect without a call is not taken for a repeated one.
    """
    start = operation.start
    named = [asked for asked in turn.asked if asked.call.name == start.name]
    equal = 0
    for asked in named:
        wanted = arguments_of(asked.call.arguments)
        equal += wanted is not None and same_arguments(wanted, start.arguments)
    return equal or max(len(named), 1)
