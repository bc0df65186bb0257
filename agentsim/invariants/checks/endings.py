"""Invariants of how a run ends (spec R1.9)."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import (
    STATUSES,
    EffectApplied,
    Outcome,
    RequestSent,
    ToolStarted,
    did_you_mean,
)
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    rule,
)
from agentsim.invariants.subjects import Life, Operation

__all__ = ["ends", "no_work_after_end", "result_always", "resumable"]

HANGING_FAULTS = ("hangs",)
"""Faults of older traces after which nothing answers: only a deadline ends such a run."""


@invariant(
    "result-always",
    "An outcome is returned in every ending, with its true reason.",
    rationale="A caller reacts differently to each reason; an exception or a missing "
    "reason leaves a person with nothing to act on.",
    spec=("R1.9", "R6.4"),
    exemptions=(
        "A run that ended in a crash: nobody was left to return anything.",
        "A run that never ended: that is what the invariant ends is for.",
        (
            "An agent that returns neither a RunResult nor a Finished, unless it raises, or "
            "returns an empty text where the model's last response was empty."
        ),
        "A cancellation from outside, which comes out as one (after it was saved).",
    ),
)
def result_always(facts: Facts) -> Ruling:
    """Judge the outcome of the last life."""
    if not facts.lives:
        return rule(0, [], "the trace is empty")
    life = facts.lives[-1]
    outcome, at = life.outcome, life.outcome_at
    if outcome is None or at is None:
        if life.crashed:
            return rule(0, [], "the run ended in a crash")
        missing = Violation(
            "the run left no outcome", "an outcome", "none", (len(facts.events) - 1,)
        )
        return rule(1, [missing], "")
    if outcome.ending in ("crashed", "deadlock", "livelock"):
        return rule(0, [], f"the run did not return ({outcome.ending})")
    if outcome.status is None and outcome.ending in ("returned", "leak"):
        if not _is_nothing(life, outcome):
            return not_applicable("the agent did not tell how it ended")
        nothing = Violation(
            "the model's last response was empty, and so is the text that the run returned",
            "an answer, or words that say why there is none",
            ascii(outcome.output),
            (life.main.turns[-1].response_at, at),
        )
        return rule(1, [nothing], "")
    return rule(1, list(_untrue(facts, outcome, at)), "")


def _is_nothing(life: Life, outcome: Outcome) -> bool:
    """Whether an empty response was passed on as the text that the run is about."""
    if outcome.output is None or outcome.output.strip() or not life.main.turns:
        return False
    last = life.main.turns[-1]
    return not (last.asked or last.response.message.content.strip())


def _untrue(facts: Facts, outcome: Outcome, at: int) -> Iterator[Violation]:
    status = outcome.status
    if outcome.ending == "raised":
        yield Violation(
            "the run raised an exception",
            "a result with its status",
            ascii(outcome.error or "an exception without words"),
            (at,),
        )
    elif outcome.ending == "cancelled" or status == "cancelled":
        if all(life.cancelled_at is None for life in facts.lives):
            yield Violation(
                "the run says that it was cancelled, and nobody cancelled it",
                "a cancellation from outside before it",
                "none",
                (at,),
            )
    elif status not in STATUSES:
        yield Violation(
            f"the status {status!a} is none",
            f"one of {', '.join(STATUSES)}",
            f"{status!a}{did_you_mean(status or '', STATUSES)}",
            (at,),
        )
    elif status != "done" and not outcome.error:
        yield Violation(
            f"the run ended {status} and does not say why",
            "words in the field error that a person can act on",
            "none",
            (at,),
        )


@invariant(
    "ends",
    "When faults stop, the run ends.",
    rationale="A run that waits for what will never come holds its caller for ever; "
    "one that returns with work alive acts when nobody looks any more.",
    spec=("R6.3", "T2.1"),
    exemptions=(
        (
            "A tool or model that never answers, where no deadline is declared: then "
            "nothing promises an end, and the invariant is unknown."
        ),
    ),
    needs_inside=True,
)
def ends(facts: Facts) -> Ruling:
    """Judge the ending of the last life."""
    life = facts.lives[-1] if facts.lives else None
    if life is None or life.outcome is None or life.outcome_at is None:
        return rule(0, [], "the trace ends before the run does")
    ending = life.outcome.ending
    if ending == "crashed":
        return rule(0, [], "the run ended in a crash")
    found = {
        "deadlock": "it waits for what will never come",
        "livelock": "it goes on without getting anywhere",
        "leak": "it returned with tasks or threads alive",
    }.get(ending)
    if found is None:
        return rule(1, [], "")
    if ending != "leak" and _hangs(facts):
        return rule(0, [], "something never answers, and no deadline is declared")
    words = life.outcome.error
    expected = "a run that returns, with nothing of it left"
    if ending == "livelock":
        expected = "a run that returns, within the limits declared or of the scenario"
    violation = Violation(
        "the run does not end" if ending != "leak" else "the run returned and goes on",
        expected,
        words or found,
        (life.outcome_at,),
    )
    return rule(1, [violation], "")


def _hangs(facts: Facts) -> bool:
    limits = facts.header.limits
    if limits is not None and limits.deadline_s is not None:
        return False
    return any(
        fault.answer == "never" or fault.fault in HANGING_FAULTS
        for fault in facts.faults
    )


@invariant(
    "resumable",
    "Whatever ended the run, its history takes a new message of the user.",
    rationale="A history that a service refuses can't be continued: what was said and "
    "done is lost to the next turn, and for good where it was saved.",
    spec=("R3.9",),
    exemptions=(
        "A run that waits for a person: its calls stay open until they are answered.",
        "An agent that leaves no history, such as one that raises or returns a text.",
    ),
)
def resumable(facts: Facts) -> Ruling:
    """Take what the strict service said of the history that was left."""
    life = facts.lives[-1] if facts.lives else None
    if life is None or life.outcome is None or life.outcome_at is None:
        return rule(0, [], "the run left no outcome")
    if life.status == "waiting_human":
        return not_applicable("the run waits for a person, with its calls open")
    if life.outcome.history is None:
        return not_applicable("the run left no history")
    if facts.probe is None:
        return rule(0, [], "nobody asked whether the history left is accepted")
    _at, probe = facts.probe
    if probe.rule is None:
        return rule(1, [], "")
    violation = Violation(
        f"the history left can't be continued: {probe.words}",
        "a history that takes a new message of the user",
        f"a refusal of {probe.param}, by the rule {probe.rule}",
        (life.outcome_at,),
    )
    return rule(1, [violation], "")


@invariant(
    "no-work-after-end",
    "No request, tool or effect goes on after the run returned.",
    rationale="The caller believes that all is over: what happens then is seen by "
    "nobody, is in no result, and races with whatever comes next.",
    spec=("R6.1", "R6.3"),
    exemptions=(
        "A tool that was left behind, and is told to the model as unfinished (R6.3).",
        "Tasks that are alive and do nothing: that is what the invariant ends is for.",
    ),
    needs_inside=True,
)
def no_work_after_end(facts: Facts) -> Ruling:
    """Look for work behind the end of the last life, and for work still in flight."""
    life = facts.lives[-1] if facts.lives else None
    if life is None or life.outcome is None or life.outcome_at is None:
        return rule(0, [], "the run left no outcome")
    if life.outcome.ending in ("crashed", "deadlock", "livelock"):
        return rule(0, [], f"the run did not return ({life.outcome.ending})")
    expected = "nothing after the end"
    violations = [
        Violation(
            f"{_work(event)} after the run returned", expected, _work(event), (at,)
        )
        for at, event in facts.late
    ]
    violations += [
        Violation(
            f"{operation.start.name} still runs when the run has returned",
            expected,
            "a run of it in flight",
            (operation.start_at, life.outcome_at),
        )
        for operation in life.in_flight.values()
        if not _told_unfinished(life, operation)
    ]
    return rule(1, violations, "")


def _told_unfinished(life: Life, operation: Operation) -> bool:
    """Whether the model is told, by an error, that a run did not come to its end."""
    return any(
        asked.result is not None and asked.result.is_error
        for turn in life.turns
        for asked in turn.asked
        if operation in asked.operations
    )


def _work(event: object) -> str:
    if isinstance(event, RequestSent):
        return f"request {event.number} is sent"
    assert isinstance(event, (ToolStarted, EffectApplied))
    verb = "starts" if isinstance(event, ToolStarted) else "takes effect"
    return f"{event.name} {verb}"
