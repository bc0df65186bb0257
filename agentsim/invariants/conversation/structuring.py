"""The invariant that structure ends a run, and never a text (spec R3.1, R3.8, R3.12)."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import FINAL_REASONS, Message
from agentsim.invariants.conversation.telling import due_status
from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import arguments_of
from agentsim.invariants.registry import Ruling, Violation, invariant, quoted, rule
from agentsim.invariants.subjects import Asked, Life, Turn

__all__ = ["stops_by_structure"]

CUT_REASONS = {
    "max_tokens": "was cut at max_tokens",
    "refusal": "is a refusal",
    "content_filter": "was cut by a content filter",
    "": "does not say why it ended",
}
"""Reasons with which a response ends the run, and what the response then is."""

RUNNABLE = ("tool_use", *FINAL_REASONS)
"""Reasons of a response whose calls are whole, and due."""


@invariant(
    "stops-by-structure",
    "The run ends at the response that ends it, whatever its text says.",
    rationale="A loop that reads texts stops in the middle of the work because of a "
    "word, or asks on after the answer; one that does not read the reason runs calls "
    "that were cut off; one that ends with a tool never tells the model what it did.",
    spec=("R3.1", "R3.4", "R3.8", "R3.10", "R3.11", "R3.12"),
    exemptions=(
        (
            "A response that is asked for again by the same request: an empty one, a "
            "degenerate one, one that was cut; but a refusal is not asked for again."
        ),
        (
            "An answer after which a user said more, in the running turn; where only the "
            "wire was seen, each message of the user is taken for one."
        ),
        (
            "A text in which a runtime announces that it found a call (R8.5), and an "
            "announced condensation."
        ),
        (
            "Requests of another conversation, which do not carry the response; the end of "
            "one that is not the main one, and what is asked behind its answer."
        ),
        (
            "A run that a boundary, a predicate or a cancellation ends with calls, or that "
            "fails for another reason than a call that certainly failed, such as calls "
            "without ids of their own, or a limit of the agent's own: one that went on "
            "after a call that failed alike does not fail for this one."
        ),
    ),
)
def stops_by_structure(facts: Facts) -> Ruling:
    """Judge what each response was followed by."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        for talk in life.conversations:
            ended = talk is life.main and life.outcome is not None
            sent = iter(talk.requests)
            later = next(sent, None)
            for turn in talk.turns:
                while later is not None and later[0] < turn.response_at:
                    later = next(sent, None)
                if later is None and not ended:
                    continue
                evidence += 1
                reason = turn.response.stop_reason
                if later is None:
                    usual = reason in FINAL_REASONS and not turn.asked
                else:
                    usual = reason == "tool_use" and bool(turn.asked) and not turn.last
                if not usual:
                    at = None if later is None else later[0]
                    violations += _judge(facts, life, turn, at)
    return rule(evidence, violations, "no response was followed by anything")


Breach = tuple[str, str, str, int | None]
"""What a response does wrong, what was expected, what was found, and where it shows."""


def _judge(
    facts: Facts, life: Life, turn: Turn, next_at: int | None
) -> Iterator[Violation]:
    for words, expected, found, at in _breaches(facts, life, turn, next_at):
        shown = life.outcome_at if at is None else at
        places = (turn.response_at,) if shown is None else (turn.response_at, shown)
        number = turn.response.number
        yield Violation(f"response {number} {words}", expected, found, places)


def _breaches(
    facts: Facts, life: Life, turn: Turn, next_at: int | None
) -> Iterator[Breach]:
    reason = turn.response.stop_reason
    if due_status(reason) is not None:
        yield from _after_cut(facts, life, turn, next_at)
    elif reason == "pause_turn" and not turn.asked:
        yield from _after_pause(facts, life, turn, next_at)
    elif turn.asked:
        if next_at is None and _dropped(life, turn):
            words = "asks for tools, and the run ends with it as if it were an answer"
            names = ", ".join(asked.call.name for asked in turn.asked)
            yield words, f"runs of {names}", "none of them, and the end", None
        elif turn.last and not _is_aside(life, turn):
            yield from _after_calls(facts, life, turn, next_at)
    elif next_at is None or not _went_on(facts, life, turn, next_at):
        return
    elif reason == "tool_use":
        words = "says tool_use and has no calls, and stays in the history"
        expected = "the same request again, or the end"
        yield words, expected, "a request that carries it", next_at
    elif reason in FINAL_REASONS and turn.response.message.content.strip():
        expected = f"the end, after {quoted(turn.response.message.content)}"
        yield "is final, and the run goes on", expected, "another request", next_at


def _after_cut(
    facts: Facts, life: Life, turn: Turn, next_at: int | None
) -> Iterator[Breach]:
    reason = turn.response.stop_reason
    what = CUT_REASONS.get(reason, f"was ended by {reason!a}, which ends the run")
    ran = [asked.operations[0] for asked in turn.asked if asked.operations]
    if ran:
        words, found = f"{what}, and a call of it runs", f"a run of {ran[0].start.name}"
        yield words, "no run of its calls", found, ran[0].start_at
    if next_at is None:
        return
    again = reason == "refusal" and turn.aligned and turn.shown_at == next_at
    if again or _went_on(facts, life, turn, next_at):
        yield f"{what}, and the run goes on", "the end", "another request", next_at


def _after_calls(
    facts: Facts, life: Life, turn: Turn, next_at: int | None
) -> Iterator[Breach]:
    """A run that ends with calls, though nothing but a final answer may end it so."""
    expected = "a request with their results"
    if life.status == "done":
        words = "asks for tools, and the run is done before the model answers again"
        yield words, expected, "status done", None
    if life.status != "failed" or turn.response.stop_reason not in RUNNABLE:
        return
    if next_at is not None or any(at > turn.response_at for at, _ in facts.failures):
        return  # the model was asked on: that request failed, or was given up
    ids = [asked.call.id for asked in turn.asked]
    if not all(ids) or len(dict.fromkeys(ids)) < len(ids):
        return  # a wire without ids of its own has no way to answer such calls
    told_before = {
        _certain_failure(facts, asked)
        for earlier in life.main.turns
        if earlier is not turn and earlier.consumed
        for asked in earlier.asked
    }
    for asked in turn.asked:
        why = _certain_failure(facts, asked)
        if why is not None and why not in told_before:
            words = f"asks for {asked.call.name}, {why}, and the run fails with it"
            yield words, expected, "status failed", None
            return


def _certain_failure(facts: Facts, asked: Asked) -> str | None:
    """Why a call certainly failed, which is the model's to know, and no end (R3.4)."""
    last = asked.last
    if last is not None:
        failed = last.end is not None and last.end.ending == "error"
        return "whose run raised an error" if failed else None
    if asked.call.name not in facts.rights:
        return "which is no tool"
    invalid = arguments_of(asked.call.arguments) is None
    return "with invalid arguments" if invalid else None


def _after_pause(
    facts: Facts, life: Life, turn: Turn, next_at: int | None
) -> Iterator[Breach]:
    if next_at is None:
        if life.status == "done":
            words = "pauses, and the run takes it as the end"
            yield words, "a request that carries it", "status done", None
        return
    said = _said_behind(life, turn, next_at)
    unseen = facts.header.wire_only or _is_aside(life, turn)
    if said and not (unseen and said[0].role == "user"):
        found = f"a message of the {said[0].role}: {quoted(said[0].content)}"
        words, expected = "pauses, and is not continued as it is", "nothing behind it"
        yield words, expected, found, next_at


def _is_aside(life: Life, turn: Turn) -> bool:
    """Whether a response is one of another conversation than the main one."""
    return life.conversation_at(turn.request_at) is not life.main


def _said_behind(life: Life, turn: Turn, next_at: int) -> list[Message]:
    """What the next request has behind a response, beside the results of its calls."""
    return [message for at, message in life.beside if at == turn.shown_at == next_at]


def _dropped(life: Life, turn: Turn) -> bool:
    """Whether a run ended by a response whose calls nobody looked at."""
    outcome = life.outcome
    if outcome is None or turn.operations or turn.questions:
        return False
    if outcome.status is not None or outcome.ending != "returned":
        return outcome.status == "done"
    said = turn.response.message.content
    return bool(said) and outcome.output == said


def _went_on(facts: Facts, life: Life, turn: Turn, next_at: int) -> bool:
    """Whether the next request carries the response, and nobody but the agent asked."""
    if not turn.aligned or turn.echo is None or turn.shown_at != next_at:
        return False
    if life.condensed(turn.request_at, next_at):
        return False
    if facts.header.wire_only or _is_aside(life, turn):
        said = _said_behind(life, turn, next_at)
        if any(message.role == "user" for message in said):
            return False
    announced = (*facts.recovered, *facts.injected)
    return not any(turn.response_at < at < next_at for at, _event in announced)
