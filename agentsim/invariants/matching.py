"""Which run of a tool serves which call, and which result answers it.

Responses are matched to the histories after them by position, since a runtime may
replace missing or repeated ids of calls in its echo of a response (R3.13). Results are
then matched by the ids of that echo.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from agentsim.core import (
    InvalidArguments,
    Message,
    MessageView,
    ToolStarted,
    parse_arguments,
)
from agentsim.invariants.subjects import Asked, Life, Turn

__all__ = ["APPROVER", "align", "arguments_of", "same_arguments", "served"]

APPROVER = "confirmed_by"
"""The field that a runtime adds to the arguments of an approved call (R4.4)."""


@lru_cache(maxsize=1024)
def arguments_of(text: str) -> Mapping[str, Any] | None:
    """The arguments that the model wrote, or None where they are invalid (R3.5).

    The value is kept and shared: it must not be changed.
    """
    try:
        return parse_arguments(text)
    except InvalidArguments:
        return None


def same_arguments(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether arguments are the same, whoever approved them."""
    if one == other:
        return True
    if APPROVER in one or APPROVER in other:
        return _unapproved(one) == _unapproved(other)
    return False


def _unapproved(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key != APPROVER}


def served(turn: Turn, start: ToolStarted) -> Asked | None:
    """The call of a turn that a tool's start serves: by id, else name and arguments.

    Among equal calls the first that nothing served yet counts, then one whose last run
    did not end well: a retry. A call with other arguments serves where no equal one
    is, since whether arguments are changed on the way is another question.
    """
    if start.call_id is not None:
        for asked in turn.asked:
            if asked.call.id == start.call_id:
                return asked
    named = [asked for asked in turn.asked if asked.call.name == start.name]
    if len(named) > 1:
        named = [entry for entry in named if _asks_for(entry, start)] or named
    for asked in named:
        if not asked.operations:
            return asked
    for asked in named:
        end = asked.operations[-1].end
        if end is not None and end.ending != "ok":
            return asked
    return None


def _asks_for(asked: Asked, start: ToolStarted) -> bool:
    arguments = arguments_of(asked.call.arguments)
    return arguments is not None and same_arguments(arguments, start.arguments)


def align(life: Life) -> None:
    """Find the results of every call of a life, and what its histories did."""
    turns = iter(life.turns)
    turn = next(turns, None)
    last_at: int | None = None
    last: MessageView | None = None
    for at, view in life.views():
        answered = None
        if turn is not None and turn.request_at == last_at and turn.response_at < at:
            answered, turn = turn, next(turns, None)
        if last is None or last_at is None:
            life.tidy = _plain(view)
        else:
            if at == life.outcome_at:
                last = _without_prompt(last, view)
            _step(life, (last_at, at), (last, view), answered)
        last_at, last = at, view
    _close(life)


def _step(
    life: Life,
    places: tuple[int, int],
    views: tuple[MessageView, MessageView],
    turn: Turn | None,
) -> None:
    before, after = views
    if not after.extends(before):
        life.rewritten.append(places)
        life.tidy = False
        if turn is not None:
            turn.shown_at = places[1]
            _answer_anywhere(turn, after)
        return
    new = after[len(before) :]
    if turn is None:
        life.tidy = life.tidy and _plain(new)
        return
    turn.aligned = True
    turn.shown_at = places[1]
    if not new:
        turn.consumed = bool(turn.operations)
    elif new[0].role == "assistant":
        turn.echo = new[0]
        life.tidy = _answer(turn, new) and life.tidy
    else:
        life.tidy = False
        _answer_anywhere(turn, new)


def _answer(turn: Turn, new: Sequence[Message]) -> bool:
    """Give each call its result; True when echo and results are in perfect order."""
    echo = new[0]
    calls = echo.tool_calls
    count = len(calls)
    if len(new) > count:
        for asked, call, result in zip(turn.asked, calls, new[1:], strict=False):
            if result.role != "tool" or result.tool_call_id != call.id or not call.id:
                break
            asked.result = result
        else:
            rest = new[count + 1 :]
            distinct = count < 2 or len({call.id for call in calls}) == count
            if count == len(turn.asked) and distinct:
                return not rest or _plain(rest)
    _answer_slowly(turn, new)
    return False


def _answer_slowly(turn: Turn, new: Sequence[Message]) -> None:
    """Match the results behind an echo by id, each to the first call that has it."""
    open_calls = list(zip(turn.asked, new[0].tool_calls, strict=False))
    for asked, _call in open_calls:
        asked.result = None
    for message in new[1:]:
        if message.role != "tool":
            return
        for asked, call in open_calls:
            if asked.result is None and call.id == message.tool_call_id:
                asked.result = message
                break


def _answer_anywhere(turn: Turn, messages: Sequence[Message]) -> None:
    """Match results by the ids of the response, where its echo can't be found."""
    results = {m.tool_call_id: m for m in messages if m.role == "tool"}
    for asked in turn.asked:
        if asked.call.id:
            asked.result = results.get(asked.call.id)


def _plain(messages: Sequence[Message]) -> bool:
    """Whether no message of these calls a tool or answers one, or comes out of place.

    A system prompt is in place at the very start; the few that come later are left to
    the rules of a history.
    """
    return all(message.role == "user" or _harmless(message) for message in messages)


def _harmless(message: Message) -> bool:
    return message.role in ("assistant", "system") and not message.tool_calls


def _without_prompt(last: MessageView, history: MessageView) -> MessageView:
    """Forgive an outcome's history that leaves the system prompt out."""
    if not len(last) or last[0].role != "system":
        return last
    if len(history) and history[0].role == "system":
        return last
    rest = [message for message in last if message.role != "system"]
    return MessageView(rest, len(rest))


def _close(life: Life) -> None:
    """Decide on the last response where no history shows what became of it."""
    if life.turns and life.turns[-1].shown_at is None:
        turn = life.turns[-1]
        message = turn.response.message
        said = bool(message.content or message.tool_calls or message.blocks)
        turn.consumed = said or bool(turn.operations)
