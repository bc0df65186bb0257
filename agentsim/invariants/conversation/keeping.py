"""Invariants of what was said, and reaches the model again (spec R1.1, R1.2, R9)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.core import WIRE_BLOCK, Message
from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import arguments_of
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    quoted,
    quoted_apart,
    rule,
)
from agentsim.invariants.subjects import Life, Turn
from agentsim.invariants.wording import is_gone

__all__ = ["no_invented_messages", "response_kept_whole"]


@invariant(
    "response-kept-whole",
    "The next request carries all that the model sent, unchanged.",
    rationale="A model that reads other words than its own loses its thread, a dropped "
    "block of reasoning is refused by services, and a changed argument breaks the cache "
    "and hides what was asked for.",
    spec=("R1.1", "R1.2", "R3.2", "R3.10"),
    exemptions=(
        (
            "Ids of calls that came missing, empty or repeated, or whose replacement is "
            "announced (R3.13)."
        ),
        (
            "A call whose arguments are invalid or empty and go back as {}, as a wire of "
            "objects needs it."
        ),
        (
            "A response that was cut off, does not say that it is whole, or is empty or "
            "degenerate (256 characters or more), and is asked for again by the same request."
        ),
        (
            "A response whose calls were recovered from its text, where that is announced "
            "(R8.5)."
        ),
        (
            "The history after an announced condensation, and one that was rewritten, of "
            "which history-append-only judges."
        ),
        "A last response that no request follows: result-true judges of that.",
    ),
)
def response_kept_whole(facts: Facts) -> Ruling:
    """Compare each response with the message that stands for it in the next history."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        for turn in life.turns:
            if turn.shown_at is None:
                continue
            said, echo = turn.response.message, turn.echo
            if echo is said:
                evidence += 1
                continue
            if _recovered(facts, turn):
                continue
            if echo is not None:
                evidence += 1
                changes = _changes(facts, turn, said, echo)
            else:
                changes = _lost(life, turn)
            violations += [
                Violation(words, expected, found, (turn.response_at, turn.shown_at))
                for words, expected, found in changes
            ]
    return rule(evidence, violations, "no history shows a response")


def _recovered(facts: Facts, turn: Turn) -> bool:
    stop = turn.shown_at
    return stop is not None and any(
        turn.response_at < at < stop for at, _event in facts.recovered
    )


Change = tuple[str, str, str]
"""What is wrong, what was expected, and what was found."""


def _lost(life: Life, turn: Turn) -> Iterator[Change]:
    message, at = turn.response.message, turn.shown_at
    if not turn.aligned or at == life.outcome_at or life.condensed(turn.request_at, at):
        return
    if not (message.content.strip() or message.tool_calls or message.blocks):
        return
    found = "a history without it"
    if not turn.consumed:
        if turn.incomplete:
            return
        found = "the same request again"
    yield f"response {turn.response.number} is lost", _summary(message), found


def _summary(message: Message) -> str:
    parts = [quoted(message.content)] if message.content else []
    if message.tool_calls:
        names = ", ".join(call.name for call in message.tool_calls)
        parts.append(f"calls of {names}")
    if message.blocks:
        parts.append(f"blocks: {len(message.blocks)}")
    return " and ".join(parts)


def _changes(
    facts: Facts, turn: Turn, said: Message, echo: Message
) -> Iterator[Change]:
    number = turn.response.number
    if echo.content != said.content:
        was, now = quoted_apart(said.content, echo.content)
        yield f"the text of response {number} was changed", was, now
    if _kept_blocks(said, echo) != said.blocks:
        was, now = (f"blocks: {_kinds(message)}" for message in (said, echo))
        now += ", with other contents" if was == now else ""
        yield f"blocks of response {number} were dropped or changed", was, now
    if len(echo.tool_calls) != len(said.tool_calls):
        names = [
            ", ".join(call.name for call in message.tool_calls) or "none"
            for message in (said, echo)
        ]
        words = f"response {number} goes back with other calls"
        yield words, f"calls: {names[0]}", f"calls: {names[1]}"
        return
    for place in range(len(said.tool_calls)):
        yield from _changed_call(facts, turn, echo, place)


def _kept_blocks(said: Message, echo: Message) -> tuple[Mapping[str, Any], ...]:
    """The blocks that come back, without what the agent's own wire adds (a name)."""
    return tuple(
        block
        for block in echo.blocks
        if block.get("type") != WIRE_BLOCK or block in said.blocks
    )


def _kinds(message: Message) -> str:
    kinds = [str(block.get("type", "of no type")) for block in message.blocks]
    return ascii(", ".join(kinds) or "none")[1:-1]


def _changed_call(
    facts: Facts, turn: Turn, echo: Message, place: int
) -> Iterator[Change]:
    call, kept = turn.response.message.tool_calls[place], echo.tool_calls[place]
    what = f"call {place} ({call.name}) of response {turn.response.number}"
    if kept.name != call.name:
        yield f"{what} goes back under another name", call.name, kept.name
    if kept.arguments != call.arguments and not (
        kept.arguments == "{}" and not arguments_of(call.arguments)
    ):
        was, now = quoted_apart(call.arguments, kept.arguments)
        yield f"the arguments of {what} were rewritten", was, now
    changed = kept.id != call.id and (call.id, kept.id) not in facts.replaced
    if changed and _is_usable(turn, call.id):
        yield f"{what} goes back with another id", ascii(call.id), ascii(kept.id)


def _is_usable(turn: Turn, call_id: str) -> bool:
    """Whether an id is there, and no other call of the history has it."""
    calls = [call for message in turn.request.messages for call in message.tool_calls]
    calls += turn.response.message.tool_calls
    return bool(call_id) and sum(call.id == call_id for call in calls) == 1


@invariant(
    "no-invented-messages",
    "After the task nobody speaks in the history but the model, its tools, and the user, "
    "of whose messages each is heard once.",
    rationale="A message that a runtime writes in the user's or the model's name, such "
    "as 'continue' or 'please summarise', is an order that nobody gave; an empty one is "
    "refused by services. A message of the user that gets lost on the way is a wish that "
    "nobody fulfils.",
    spec=("R3.7", "R3.8", "R9"),
    exemptions=(
        (
            "What the first request of a life holds: the prompt, what was said before, and "
            "the task, in whatever words."
        ),
        "Messages that a user sent into the running turn, also with words around them.",
        "Messages of the user in another conversation than the main one.",
        "A message of the user that no request follows but such as continue a pause.",
        (
            "A message of the user of which an announced condensation leaves some word of "
            "four letters or more (R8.3)."
        ),
        "A piece of an answer that broke off, kept after its request failed.",
        "The history that is left at the end, to which no request adds.",
        "A history that was rewritten, of which history-append-only judges.",
        (
            "Messages of the user, where only the wire was seen: nobody knows what a user "
            "said to a program of its own."
        ),
    ),
)
def no_invented_messages(facts: Facts) -> Ruling:
    """Look for messages between two requests that nobody outside of the agent sent."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        others = len(life.requests) - len(life.conversations)
        evidence += max(others - len(life.rewritten), 0)
        for at, message in life.beside:
            if at != life.outcome_at and _is_invented(facts, life, at, message):
                who = "the user" if message.role == "user" else "the model"
                violations.append(
                    Violation(
                        f"a message in the name of {who} was invented",
                        f"nothing that {who} did not say",
                        quoted(message.content) if message.content else "an empty one",
                        (at,),
                    )
                )
        if facts.injected:
            violations += _unheard(facts, life)
    return rule(evidence, violations, "no second request was sent")


def _unheard(facts: Facts, life: Life) -> Iterator[Violation]:
    """Messages that a user sent, and that the next histories have not, or twice (R9)."""
    if life.condensed_at:
        yield from _condensed_away(facts, life)
    if life.rewritten or life.condensed_at:
        return
    views = [*life.views(life.main)]
    for sent, event in facts.injected:
        later = [(at, view) for at, view in views if at > sent]
        if event.life != life.number or not event.text or not _is_due(life, sent):
            continue
        # What came before the first request of a life stands in that one.
        early = sent < views[0][0]
        first = len(views[0][1])
        heard = [
            sum(message.content == event.text for message in view[first:])
            for _at, view in later
        ]
        meant = sum(
            other.text == event.text and other.life == life.number
            for _at, other in facts.injected
        )
        told = [
            not is_gone(event.text, message.content)
            for _at, view in later
            for message in view[0 if early else first :]
            if message.role == "user"
        ]
        places, words = (sent, later[-1][0]), quoted(event.text)
        if not any(told):
            what = "a message that the user sent does not reach the model"
            yield Violation(what, words, "histories without it", places)
        elif max(heard) > meant and not early:
            what = "a message that the user sent is in the history more than once"
            yield Violation(what, words, f"{max(heard)} times {words}", places)


def _condensed_away(facts: Facts, life: Life) -> Iterator[Violation]:
    """Messages that a user sent, and of which a condensation left no word (R8.3)."""
    begun, ended = life.condensed_at[0], life.condensed_at[-1]
    views = [*life.views(life.main)]
    before = [view for at, view in views if at < begun]
    after = next(((at, view) for at, view in views if at > ended), None)
    if not before or after is None:
        return
    was, now = (
        "\n".join(message.content for message in view)
        for view in (before[-1], after[1])
    )
    for sent, event in facts.injected:
        own = event.life == life.number and event.text
        if own and event.text in was and is_gone(event.text, now):
            yield Violation(
                "a message that the user sent is lost where the history was condensed",
                quoted(event.text),
                "a history without a word of it",
                (sent, after[0]),
            )


def _is_due(life: Life, sent: int) -> bool:
    """Whether a request after a message must carry it: one that continues no pause."""
    paused: dict[int, bool] = {}
    for turn in life.main.turns:
        paused[turn.response_at] = turn.response.stop_reason == "pause_turn"
    return any(
        at > sent
        and not paused.get(max((r for r in paused if r < at), default=-1), False)
        for at, _request in life.main.requests
    )


def _is_invented(facts: Facts, life: Life, at: int, message: Message) -> bool:
    text = message.content
    if message.role == "user":
        if facts.header.wire_only or life.conversation_at(at) is not life.main:
            return False
        return not any(
            sent < at
            and (event.text == text or (event.text and _has(text, event.text)))
            for sent, event in facts.injected
        )
    if message.role != "assistant" or _follows_failure(facts, life, at):
        return False
    return not any(turn.response.message.content == text for turn in life.turns)


def _has(text: str, said: str) -> bool:
    """Whether a text has in it what was said, as it is or as JSON in ASCII has it."""
    return said in text or json.dumps(said)[1:-1] in text


def _follows_failure(facts: Facts, life: Life, at: int) -> bool:
    """Whether the request before the one at an index failed."""
    talk = life.conversation_at(at)
    before = [sent for sent, _request in talk.requests if sent < at]
    return any(before and before[-1] < failed < at for failed, _ in facts.failures)
