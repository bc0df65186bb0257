"""Invariants of the tools that run: which, with whose leave, and what the model learns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from agentsim.core import Message, ResponseReceived
from agentsim.invariants.facts import Facts
from agentsim.invariants.flags import WITHOUT_FLAG
from agentsim.invariants.matching import arguments_of
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    quoted,
    rule,
)
from agentsim.invariants.settling import was_cut
from agentsim.invariants.subjects import Asked, Life, Operation, Question, Turn
from agentsim.invariants.toolset import is_key, same_arguments
from agentsim.invariants.wording import is_gone, telling_words

__all__ = ["allowlist", "confirmed_before_effect", "errors_visible"]


@invariant(
    "errors-visible",
    "Every failed call gives the model a result flagged as an error.",
    rationale="A model that is not told of a failure goes on as if it had succeeded, "
    "and says so to the user.",
    spec=("R3.4", "R3.5", "R4.4"),
    exemptions=(
        "A run of a tool that failed and was repeated: the last one counts.",
        "Results that no history shows, since the run was cut off before.",
        (
            "Invalid arguments of a tool that takes none, and that the agent offers beside "
            "those of the world: a handoff, for instance."
        ),
        (
            "Calls of one response that are alike: their results tell which of them ran, "
            "and which one a person declined."
        ),
        (
            "The words; but of a person's reason to decline one must be there, if it has "
            "any of four letters or more, and was not cut off."
        ),
        (
            "On a wire that has no flag for it (Chat Completions) the words tell: those "
            "of the failure, or usual ones such as error, failed, invalid, not."
        ),
    ),
)
def errors_visible(facts: Facts) -> Ruling:
    """Judge each call that failed, or could not run, by the result that is shown."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        if life.smooth:
            continue
        for turn in life.turns:
            for asked in turn.asked:
                result = asked.result
                if result is None:
                    continue
                why = _failure(facts, turn, asked)
                if why is None:
                    continue
                evidence += 1
                if not result.is_error or not result.content:
                    violations.append(_untold(turn, asked, result, why))
                elif not (asked.blocked or _cut_off(life, turn)):
                    violations += _reason_lost(turn, asked, result.content)
    return rule(evidence, violations, "no call failed")


def _untold(turn: Turn, asked: Asked, result: Message, why: str) -> Violation:
    flagless = turn.request.wire in WITHOUT_FLAG
    found = quoted(result.content) if flagless else "one without the flag"
    return Violation(
        f"the model is not told that {asked.call.name} failed ({why})",
        "a result that says so"
        if flagless
        else "a result flagged as an error, with words",
        found if result.content else "an empty one",
        _places(turn.response_at, asked.last, turn.shown_at),
    )


def _failure(facts: Facts, turn: Turn, asked: Asked) -> str | None:
    """Why a call failed, or None."""
    last = asked.last
    if last is not None and last.end is not None:
        if last.end.ending == "error":
            return "the tool raised an error"
        if last.end.ending == "unknown":
            return "its outcome is unknown"
    if last is None and asked.call.name not in facts.rights:
        own = [t for t in turn.request.tools if t.name == asked.call.name]
        if not own:
            return "there is no such tool"
        if not own[0].parameters.get("properties"):
            return None  # what takes no arguments is not hurt by invalid ones
    if arguments_of(asked.call.arguments) is None:
        return "its arguments are invalid"
    if last is None and asked.declined is not None:
        return "a person declined it"
    return None


def _cut_off(life: Life, turn: Turn) -> bool:
    """Whether an answer may have come too late to be passed on."""
    return life.status in ("deadline", "cancelled") and turn.last


def _reason_lost(turn: Turn, asked: Asked, told: str) -> Iterator[Violation]:
    """A refusal whose reason the model does not get (R4.4)."""
    question = asked.declined if asked.last is None else None
    answer = question.answer if question is not None else None
    if question is None or answer is None or answer.approved:
        return
    if answer.reason and telling_words(answer.reason) and is_gone(answer.reason, told):
        places = (turn.response_at, question.answer_at, turn.shown_at)
        yield Violation(
            f"the model is not told why a person declined {asked.call.name}",
            f"a result with the reason {quoted(answer.reason)}",
            quoted(told),
            tuple(at for at in places if at is not None),
        )


def _places(start: int, last: Operation | None, stop: int | None) -> tuple[int, ...]:
    middle = None if last is None else last.end_at
    return tuple(at for at in (start, middle, stop) if at is not None)


@invariant(
    "allowlist",
    "No tool outside the list runs, and none that the model did not ask for.",
    rationale="The list is the boundary of what an agent may do; a tool that runs "
    "unasked is an action that nobody decided on.",
    spec=("R1.3", "R2", "R3.5"),
    exemptions=(
        "A call that a runtime announces as recovered from text (R8.5).",
        "A tool that is run again after it failed.",
        "What a tool runs as a part of its own work, unless it asks a model for it.",
        (
            "A read before the first request of a life, or of a conversation that begins "
            "next: what a program looks up for its prompt or task is its own affair."
        ),
        "Changed arguments: whether they are kept is another invariant's question.",
    ),
    needs_inside=True,
)
def allowlist(facts: Facts) -> Ruling:
    """Look for a tool's start that no call of the latest response explains."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        evidence += len(life.operations)
        if life.smooth:
            continue
        for operation in life.operations:
            name = operation.start.name
            if operation.rights is None:
                violations.append(
                    Violation(
                        f"{name} runs and is not on the list",
                        f"one of {', '.join(facts.rights) or 'no tools'}",
                        name,
                        (operation.start_at,),
                    )
                )
            elif not (
                operation.wanted
                or _is_work_of_a_tool(life, operation)
                or _recovered(facts, operation)
                or _reads_ahead(life, operation)
            ):
                violations.append(_unasked(facts, operation))
    return rule(evidence, violations, "no tool ran")


def _is_work_of_a_tool(life: Life, operation: Operation) -> bool:
    """Whether another tool runs it, and asked no model before."""
    outer = operation.outer
    return outer is not None and not any(
        outer.start_at < at < operation.start_at for at, _request in life.requests
    )


def _reads_ahead(life: Life, operation: Operation) -> bool:
    """Whether a run reads something before a conversation begins that may hold it.

    Nobody knows whether one was about to begin where the life was cut off before.
    """
    if operation.writes:
        return False
    later = [at for at, _request in life.requests if at > operation.start_at]
    if not later:
        return was_cut(life)
    return any(talk.requests[0][0] == later[0] for talk in life.conversations)


def _recovered(facts: Facts, operation: Operation) -> bool:
    start = -1 if operation.response_at is None else operation.response_at
    return any(
        start < at < operation.start_at and event.name == operation.start.name
        for at, event in facts.recovered
    )


def _unasked(facts: Facts, operation: Operation) -> Violation:
    name, at = operation.start.name, operation.response_at
    response = facts.events[at] if at is not None else None
    whole = response.message if isinstance(response, ResponseReceived) else None
    calls = [call.name for call in whole.tool_calls] if whole is not None else []
    since = range(0 if at is None else at, operation.start_at)
    failed = [entry for entry in facts.failures if entry[0] in since]
    if failed and name not in calls:
        failed_at, failure = failed[-1]
        return Violation(
            f"{name} runs, and no response that came whole asked for it",
            "a call of a whole response",
            f"request {failure.number}, which failed",
            (failed_at, operation.start_at),
        )
    if at is None or not isinstance(response, ResponseReceived):
        return Violation(
            f"{name} runs before the model said anything",
            "a call of the model",
            "no response yet",
            (operation.start_at,),
        )
    times = calls.count(name)
    return Violation(
        f"{name} runs {'more often than' if times else 'and'} the model "
        f"{'asked for it' if times else 'did not ask for it'}",
        f"the calls of response {response.number}: {', '.join(calls) or 'none'}",
        f"a run of {name}" + (f" after {times} that answered" if times else ""),
        (at, operation.start_at),
    )


@invariant(
    "confirmed-before-effect",
    "A tool that needs confirmation has no effect without an approval, and none after "
    "a refusal.",
    rationale="The approval of a person with an id is the last barrier before what "
    "can't be undone; one approval is for one execution.",
    spec=("R1.10", "R4.4", "R4.5"),
    exemptions=(
        "The field confirmed_by, which the runtime adds after the approval.",
        "An approval that was given in an earlier life and not used up.",
        "A run that is repeated after it failed and took no effect.",
        (
            "A run that is repeated with the same idempotency key where its outcome was "
            "lost or not waited for: both take effect once, if at all."
        ),
        "A dry run, which the boundary does not write as a tool's start.",
        "A person asked again who did not decline: who approved without an id may sign in.",
    ),
    needs_inside=True,
)
def confirmed_before_effect(facts: Facts) -> Ruling:
    """Give each start of a confirming tool an approval of its own."""
    confirming = facts.tools.confirming
    if not confirming:
        return not_applicable("no tool of the run needs confirmation")
    starts = _confirming_starts(facts)
    refused = 0
    unused: list[Question] = []
    for question in facts.questions:
        if question.approved:
            unused.append(question)
        elif question.answer is not None:
            refused += 1
    violations = []
    for operation in starts:
        given = _approval(unused, operation)
        if given is None:
            if not _is_made_sure(starts, operation):
                violations.append(_unconfirmed(facts, operation))
        elif not _came_to_nothing(operation):
            unused.remove(given)
    violations += [
        Violation(
            f"{event.name} took effect and never started at the boundary",
            "an approval, then a start, then the effect",
            "an effect of an unknown operation",
            (at,),
        )
        for at, event in facts.stray_effects
        if event.name in confirming
    ]
    if len(facts.questions) > 1:
        for life in facts.lives:
            for turn in life.turns:
                violations += _urged(turn)
    nothing = "no tool that needs confirmation was about to run"
    return rule(len(starts) + refused, violations, nothing)


def _urged(turn: Turn) -> Iterator[Violation]:
    """A person who is asked about a call once more after declining it."""
    for at, question in enumerate(turn.questions):
        answer = question.answer
        if answer is None or answer.approved:
            continue
        name, arguments = question.ask.name, question.ask.arguments
        calls = sum(asked.call.name == name for asked in turn.asked)
        again = [q for q in turn.questions[at + 1 :] if _is_about(q, name, arguments)]
        if calls == 1 and again:
            yield Violation(
                f"a person who declined {name} is asked about the same call again",
                "the refusal as the result of the call",
                "another question",
                (question.answer_at or question.ask_at, again[0].ask_at),
            )
            return


def _confirming_starts(facts: Facts) -> list[Operation]:
    confirming = facts.tools.confirming
    found = [
        operation
        for life in facts.lives
        for operation in life.operations
        if operation.start.name in confirming
    ]
    found.sort(key=attrgetter("start_at"))
    return found


def _came_to_nothing(operation: Operation) -> bool:
    """Whether a run certainly did nothing, so that its approval is still good."""
    end = operation.end
    return end is not None and end.ending == "error" and not operation.effects


def _is_made_sure(starts: list[Operation], operation: Operation) -> bool:
    """Whether a run asks once more, by the same key, for what an approved run was to do.

    Both are one write, so that they have one effect at most.
    """
    name, arguments = operation.start.name, operation.start.arguments
    if not any(arguments[field] for field in arguments if is_key(field)):
        return False
    before = [
        run
        for run in starts[: starts.index(operation)]
        if run.start.name == name and run.start.arguments == arguments
    ]
    took = sum(bool(run.effects) for run in (*before, operation))
    return bool(before) and took <= 1 and _ended_open(before[-1])


def _ended_open(operation: Operation) -> bool:
    """Whether the agent does not know what became of a run."""
    end = operation.end
    return end is not None and end.ending in ("unknown", "cancelled")


def _approval(unused: list[Question], operation: Operation) -> Question | None:
    for question in unused:
        before = (
            question.answer_at is not None and question.answer_at < operation.start_at
        )
        if before and _is_about(
            question, operation.start.name, operation.start.arguments
        ):
            return question
    return None


def _is_about(question: Question, name: str, arguments: Mapping[str, Any]) -> bool:
    return question.ask.name == name and same_arguments(
        question.ask.arguments, arguments
    )


def _unconfirmed(facts: Facts, operation: Operation) -> Violation:
    start = operation.start
    about = list(_answered(facts, operation))
    if not facts.questions:
        found = (
            "nobody was asked of anything; an own tool that nobody must approve says "
            "confirm=False"
        )
    elif not about:
        found = "no answer of a person to this call"
    elif about[-1].approved:
        found = "an approval that an earlier run used up"
    elif about[-1].answer is not None and about[-1].answer.approved:
        found = "an approval without the id of a person"
    else:
        found = "a refusal"
    places = [about[-1].answer_at] if about else []
    places += [operation.start_at, *operation.effects_at[:1]]
    effect = " and took effect" if operation.effects else ""
    return Violation(
        f"{start.name} ran{effect} without an approval",
        "an approval by a person with an id, for this name and these arguments",
        found,
        tuple(at for at in places if at is not None),
    )


def _answered(facts: Facts, operation: Operation) -> Iterator[Question]:
    """Answers given before an operation about a call like it."""
    start = operation.start
    for question in facts.questions:
        if question.answer_at is None or question.answer_at > operation.start_at:
            continue
        if _is_about(question, start.name, start.arguments):
            yield question
