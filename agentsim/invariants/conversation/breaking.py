"""The invariant that a response which broke off is not taken for one (spec R1.7, R7.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agentsim.core import (
    FINAL_REASONS,
    DeltaReceived,
    Message,
    RequestFailed,
    ToolCall,
)
from agentsim.invariants.facts import Facts
from agentsim.invariants.flags import tells_of_trouble
from agentsim.invariants.registry import Ruling, Violation, invariant, quoted, rule
from agentsim.invariants.subjects import Conversation, Life

__all__ = ["cut_is_not_success"]


@invariant(
    "cut-is-not-success",
    "A response that broke off is never taken for a whole one: what came of its text is "
    "no final answer, and none of its calls runs.",
    rationale="A stream may end without a word where the connection was lost: what came "
    "looks like an answer, and half of one is passed on as the result. A call that is "
    "taken from it is not yet all that the model wanted, and may be another one.",
    spec=("R1.7", "R3.8", "R7.1"),
    exemptions=(
        "Asking again, ending as failed or truncated, and raising the error.",
        (
            "A piece that stays in the history while the model is asked again, and its "
            "calls there, where their results say that they did not run."
        ),
        (
            "A piece in the output of a run that is not done, or with words of the agent "
            "around it, where the agent does not say that the run is done."
        ),
        "A run whose final answer came whole, before another request broke off.",
        "A stream that the agent itself left before its end.",
        "A tool that started while the stream still came: nothing had broken off yet.",
        (
            "What follows an announced condensation, or a call that is announced as "
            "recovered from text (R8.5)."
        ),
    ),
)
def cut_is_not_success(facts: Facts) -> Ruling:
    """Judge what each request that failed in mid-stream was followed by."""
    evidence = 0
    violations: list[Violation] = []
    nothing = "no response broke off in its stream"
    if not facts.failures:
        return rule(0, violations, nothing)
    pieces = _pieces(facts)
    for life in facts.lives:
        for at, event in facts.failures:
            if event.life != life.number:
                continue
            broken = _broken(life, at, event, pieces)
            ended = broken.main and life.outcome is not None
            seen = broken.next_at is not None or ended
            evidence += bool(seen and event.number in pieces)
            violations += _judge(facts, life, broken)
    return rule(evidence, violations, nothing)


@dataclass(frozen=True, slots=True)
class _Broken:
    """A request that failed.

    Attributes:
        text: What was received of the answer, or None where nothing was.
        next_at: Index of the request after it, or None.
        main: Whether it is one of the main conversation.
    """

    at: int
    event: RequestFailed
    text: str | None
    next_at: int | None
    main: bool

    @property
    def words(self) -> str:
        return f"response {self.event.number} did not come whole"


def _pieces(facts: Facts) -> Mapping[int, str]:
    """Number of each request that failed -> the text that had come, if any had."""
    failed = [event.number for _at, event in facts.failures]
    found: dict[int, list[str]] = {}
    for event in facts.events:
        if isinstance(event, DeltaReceived) and event.who != "runtime":
            found.setdefault(event.number, []).append(event.text)
    return {number: "".join(found[number]) for number in failed if number in found}


def _broken(
    life: Life, at: int, event: RequestFailed, pieces: Mapping[int, str]
) -> _Broken:
    talk = _conversation(life, event)
    later = (sent for sent, _request in talk.requests if sent > at)
    main = talk is life.main
    return _Broken(at, event, pieces.get(event.number), next(later, None), main=main)


def _conversation(life: Life, event: RequestFailed) -> Conversation:
    """The conversation whose request failed."""
    for talk in life.conversations:
        if any(request.number == event.number for _at, request in talk.requests):
            return talk
    return life.main


def _judge(facts: Facts, life: Life, broken: _Broken) -> Iterator[Violation]:
    if broken.text is None and broken.event.definite:
        return  # an error in place of an answer: nothing of one had come
    ran = list(_runs(facts, life, broken))
    yield from ran
    if not ran:
        yield from _answered(facts, life, broken)
    if broken.next_at is None and broken.main and broken.text is not None:
        yield from _final(life, broken, broken.text)


# ------------------------------------------------------------------------------ calls


def _runs(facts: Facts, life: Life, broken: _Broken) -> Iterator[Violation]:
    """Tools that start behind the failure, and that no response asked for."""
    for operation in life.operations:
        start = operation.start_at
        if start < broken.at or operation.wanted:
            continue
        if broken.next_at is not None and start > broken.next_at:
            return
        if not _announced(facts, life, broken.at, start):
            name = operation.start.name
            yield Violation(
                f"{broken.words}, and a call of it runs",
                "no run of a tool that no whole response asked for",
                f"a run of {name}",
                (broken.at, start),
            )


def _answered(facts: Facts, life: Life, broken: _Broken) -> Iterator[Violation]:
    """Calls that go back with results that do not say that they failed."""
    ended_at = life.outcome_at if broken.main else None
    shown = ended_at if broken.next_at is None else broken.next_at
    if shown is None or _announced(facts, life, broken.at, shown):
        return
    new = [message for at, message in life.beside if at == shown]
    told = {message.tool_call_id: message for message in new if message.role == "tool"}
    for call in _calls(life, new):
        result = told.get(call.id)
        if result is not None and not _tells(result):
            yield Violation(
                f"{broken.words}, and the history has a call of it with a result",
                "the same request again, or a result that says that it did not run",
                f"{call.name} with {quoted(result.content)}",
                (broken.at, shown),
            )


def _calls(life: Life, new: list[Message]) -> Iterator[ToolCall]:
    """The calls of messages that are none of a whole response."""
    whole = [
        (call.name, call.arguments)
        for turn in life.turns
        for call in turn.response.message.tool_calls
    ]
    for message in new:
        for call in message.tool_calls:
            if (call.name, call.arguments) not in whole:
                yield call


def _tells(result: Message) -> bool:
    return result.is_error or tells_of_trouble(result.content)


def _announced(facts: Facts, life: Life, start: int, stop: int) -> bool:
    recovered = any(start < at < stop for at, _event in facts.recovered)
    return recovered or life.condensed(start, stop)


# ----------------------------------------------------------------------------- answer


def _final(life: Life, broken: _Broken, text: str) -> Iterator[Violation]:
    """What a run gives as its result whose last response broke off."""
    outcome, at = life.outcome, life.outcome_at
    if outcome is None or at is None or outcome.ending != "returned":
        return
    output = outcome.output or ""
    if outcome.status == "done":
        if _has_answer(life) and not _is_piece(life, output, text):
            return
        found = f"status done, with {quoted(output)}" if output else "status done"
    elif outcome.status is None and _is_piece(life, output, text):
        found = f"the result {quoted(output)}"
    else:
        return
    yield Violation(
        f"{broken.words}, and what came of it is taken for the final answer",
        "the same request again, or a run that failed",
        found,
        (broken.at, at),
    )


def _has_answer(life: Life) -> bool:
    """Whether the last response that came whole is a final answer."""
    if not life.main.turns:
        return False
    last = life.main.turns[-1].response
    said = last.message
    return (
        last.stop_reason in FINAL_REASONS
        and not said.tool_calls
        and bool(said.content.strip())
    )


def _is_piece(life: Life, output: str, text: str) -> bool:
    """Whether an output is what had come, alone or behind what came whole before."""
    given, came = _bare(output), _bare(text)
    if not given or not came:
        return False
    before = [_bare(turn.response.message.content) for turn in life.main.turns]
    whole = before[-1] if before else ""
    if given in (came, "".join((*before, came))):
        return given != whole
    return False


def _bare(text: str) -> str:
    """A text without its white space."""
    return "".join(text.split())
