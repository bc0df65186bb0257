"""Invariants of the history that is sent to the model (spec R3.2, R3.6, R3.9)."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import (
    Breach,
    HistoryRules,
    Message,
    MessageView,
    RequestFailed,
    RequestSent,
)
from agentsim.invariants.conversing import unprompted
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    quoted,
    quoted_apart,
    rule,
)
from agentsim.invariants.subjects import Conversation, Life, Turn

__all__ = [
    "every_call_answered",
    "history_append_only",
    "provider_accepts",
    "results_in_order",
]

ANSWER_RULES = ("unanswered", "orphan", "answered-twice", "missing-id")


@invariant(
    "results-in-order",
    "Results stand in the order of their calls.",
    rationale="Some services refuse results in another order, and a model that reads "
    "them as a list takes one call's result for another's.",
    spec=("R3.2", "R4.3"),
    exemptions=(
        "Services accept any order: this judges the runtime, not the request.",
        "Replaced ids of calls: the ids in the request count (R3.13).",
    ),
)
def results_in_order(facts: Facts) -> Ruling:
    """Judge every history that was sent, and the one that was left."""
    evidence, violations = 0, []
    for life in facts.lives:
        for turn in life.turns:
            if len(turn.asked) > 1 and turn.shown_at is not None:
                evidence += 1
        for at, breach in _breaches(life):
            if breach.rule == "order":
                violations.append(
                    Violation(
                        breach.words,
                        RESULTS_IN_ORDER,
                        _there(facts, at, breach.position),
                        _asking(life, breach, at),
                    )
                )
    return rule(evidence, violations, "no response asked for two or more calls")


RESULTS_IN_ORDER = "results in the order of the calls"


@invariant(
    "every-call-answered",
    "Each call has exactly one result, directly after its response, and no result "
    "lacks its call.",
    rationale="Services refuse a history with an open call, so that the whole "
    "conversation is lost; a result without a call confuses the model.",
    spec=("R3.2", "R3.9", "R3.13"),
    exemptions=(
        "Calls that are open while the run waits for a person.",
        "A run that crashed or hangs: its last calls had no time to be answered.",
        "Replaced ids of calls: the ids in the request count (R3.13).",
        (
            "A response that was discarded and asked for again: one that was cut off or "
            "does not say that it is whole, or a degenerate one (256 characters or more)."
        ),
        "The history after an announced condensation.",
    ),
)
def every_call_answered(facts: Facts) -> Ruling:
    """Judge every history that was sent, and the one that was left."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        if life.tidy and life.smooth:
            evidence += len(life.operations)
            continue
        found = _breaches(life)
        # Results without their calls tell of a lost response as well.
        told = [at for at, breach in found if breach.rule == "orphan"]
        for turn in life.turns:
            if turn.asked and turn.shown_at is not None:
                evidence += len(turn.asked)
                open_ended = not life.tidy or turn.echo is None
                if open_ended and turn.shown_at not in told:
                    violations.extend(_lost(life, turn))
        violations += [
            Violation(
                breach.words,
                "one result for each call, directly after its response",
                _there(facts, at, breach.position),
                _asking(life, breach, at),
            )
            for at, breach in found
            if breach.rule in ANSWER_RULES and not _may_wait(life, breach, at)
        ]
    return rule(evidence, violations, "no response with calls was followed up")


def _may_wait(life: Life, breach: Breach, at: int) -> bool:
    """Whether a call is open at the very end of a run that waits for a person."""
    if life.status != "waiting_human" or life.outcome is None or at != life.outcome_at:
        return False
    history = life.outcome.history
    return history is not None and breach.position == len(history)


def _lost(life: Life, turn: Turn) -> Iterator[Violation]:
    """Calls that the response asked for and the next history does not know of."""
    if turn.echo is not None:
        kept = [call.name for call in turn.echo.tool_calls]
        if kept == [asked.call.name for asked in turn.asked]:
            return
        found = f"calls of {', '.join(kept)}" if kept else "no calls"
    elif turn.aligned and not turn.consumed:
        if turn.incomplete or turn.shown_at == life.outcome_at:
            return
        found = "the same request again"
    else:
        if not turn.aligned and life.condensed(turn.request_at, turn.shown_at):
            return
        if all(asked.result is not None for asked in turn.asked):
            return
        found = "a history without them"
    names = ", ".join(asked.call.name for asked in turn.asked)
    yield Violation(
        f"calls of response {turn.response.number} are lost",
        f"calls of {names}, each with its result",
        found,
        _places(turn.response_at, turn.shown_at),
    )


def _breaches(life: Life) -> list[tuple[int, Breach]]:
    """What the rules of a history find, each once, with the event that shows it."""
    if life.tidy:
        return []
    found: list[tuple[int, Breach]] = []
    for talk in life.conversations or [life.main]:
        found += _breaches_of(life, talk)
    return found


def _breaches_of(life: Life, talk: Conversation) -> list[tuple[int, Breach]]:
    found: list[tuple[int, Breach]] = []
    seen: set[tuple[str, str | None, int | None, int]] = set()
    rules = HistoryRules()
    last: MessageView | None = None
    for at, view in life.views(talk):
        start = len(last) if last is not None and view.extends(last) else 0
        if start == 0:
            rules = HistoryRules()
        fresh = [breach for m in view[start:] for breach in rules.feed(m)]
        for breach in (*fresh, *rules.close()):
            # An open call is found at the end of a request, and again behind it.
            place = breach.position if breach.asked_at is None else breach.asked_at
            name = (breach.rule, breach.call_id, breach.call_number, place)
            if name not in seen:
                seen.add(name)
                found.append((at, breach))
        last = view
    return found


def _asking(life: Life, breach: Breach, at: int) -> tuple[int, ...]:
    """The response that asked for the call of a breach, and where the breach shows."""
    for turn in life.turns:
        echoed = turn.echo.tool_calls if turn.echo is not None else ()
        calls = (*echoed, *(asked.call for asked in turn.asked))
        if breach.call_id and any(call.id == breach.call_id for call in calls):
            return _places(turn.response_at, at)
    return (at,)


def _places(*events: int | None) -> tuple[int, ...]:
    return tuple(at for at in events if at is not None)


@invariant(
    "history-append-only",
    "The history only grows at its end.",
    rationale="A history that is rewritten loses what the model was told, and with it "
    "the cached prefix that makes long runs affordable.",
    spec=("R3.6",),
    exemptions=(
        "An announced condensation, and the request that makes it (R8.3).",
        "The system prompt at the start, of which prefix-stable judges.",
        "Another conversation of the same life, with a history of its own.",
    ),
)
def history_append_only(facts: Facts) -> Ruling:
    """Compare each history of a life with the one before it."""
    evidence, violations = 0, []
    for life in facts.lives:
        pairs = len(life.requests) - max(len(life.conversations), 1)
        if life.outcome is not None and life.outcome.history is not None:
            pairs += 1
        evidence += max(pairs, 0)
        violations += [
            _changed(facts, *places)
            for places in life.rewritten
            if not life.condensed(*places)
        ]
    return rule(evidence, violations, "there was no second history to compare with")


def _changed(facts: Facts, earlier: int, later: int) -> Violation:
    words = "the history was changed before its end"
    before, after = (unprompted(_view(facts, at)) for at in (earlier, later))
    prompts = len(_view(facts, later)) - len(after)
    for number, (one, two) in enumerate(zip(before, after, strict=False), prompts):
        if one != two:
            was, now = _told(one), _told(two)
            if one.content != two.content:
                texts = quoted_apart(one.content, two.content)
                was, now = (
                    f"{_kind(message)}: {text}"
                    for message, text in zip((one, two), texts, strict=True)
                )
            elif was == now:
                now += ", with other details"
            expected = f"message {number} as it was, {was}"
            return Violation(
                words, expected, f"message {number}, {now}", (earlier, later)
            )
    expected = f"all {prompts + len(before)} messages, with new ones behind them"
    found = (
        "1 message" if prompts + len(after) == 1 else f"{prompts + len(after)} messages"
    )
    return Violation(words, expected, found, (earlier, later))


def _there(facts: Facts, at: int, position: int) -> str:
    """What stands at a place of a history that an event shows."""
    view = _view(facts, at)
    if position >= len(view):
        return f"the history ends with message {position - 1}"
    return f"message {position}, {_told(view[position])}"


def _told(message: Message) -> str:
    """A message in a few words."""
    if message.tool_calls:
        return f"{_kind(message)} of {', '.join(c.name for c in message.tool_calls)}"
    return f"{_kind(message)}: {quoted(message.content)}"


def _kind(message: Message) -> str:
    if message.role == "tool":
        error = " (an error)" if message.is_error else ""
        return f"a result of {message.tool_call_id}{error}"
    return f"{message.role} with calls" if message.tool_calls else message.role


def _view(facts: Facts, at: int) -> MessageView:
    event = facts.events[at]
    view = event.messages if isinstance(event, RequestSent) else None
    view = getattr(event, "history", None) if view is None else view
    assert isinstance(view, MessageView)
    return view


@invariant(
    "provider-accepts",
    "No request is rejected for its shape.",
    rationale="A history that the service refuses once it refuses for ever: the run "
    "can't be continued.",
    spec=("R3.2", "R3.9", "T3.2"),
    exemptions=("Errors that a fault made, such as an overload or a lost connection.",),
)
def provider_accepts(facts: Facts) -> Ruling:
    """Look for refusals that name a rule of the history."""
    evidence = len(facts.failures)
    for life in facts.lives:
        evidence += len(life.turns)
    violations = [
        Violation(
            f"request {failure.number} {_refused(failure)}",
            "a request that the service accepts",
            f"status {failure.status}, rule {failure.rule}",
            (at,),
        )
        for at, failure in facts.failures
        if failure.rule is not None
    ]
    if not facts.events:
        return not_applicable("the trace is empty")
    return rule(evidence, violations, "no request was answered")


def _refused(failure: RequestFailed) -> str:
    if failure.status is None:
        return f"breaks the rule {failure.rule}, and nobody waited for its refusal"
    return f"was refused: {failure.words}"
