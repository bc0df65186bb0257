"""What the histories that an agent sends make of each response and of its calls.

Responses are matched to the histories after them by position, since a runtime may
replace missing or repeated ids of calls in its echo of a response (R3.13). Results are
then matched by the ids of that echo.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.core import Message, MessageView
from agentsim.invariants.conversing import unprompted
from agentsim.invariants.subjects import Conversation, Life, Turn

__all__ = ["align"]


def align(life: Life) -> None:
    """Find the results of every call of a life, and what its histories did."""
    for talk in life.conversations or [life.main]:
        _align(life, talk)


def _align(life: Life, talk: Conversation) -> None:
    turns = iter(talk.turns)
    turn = next(turns, None)
    last_at: int | None = None
    last: MessageView | None = None
    for at, view in life.views(talk):
        answered = None
        if turn is not None and turn.request_at == last_at and turn.response_at < at:
            answered, turn = turn, next(turns, None)
        if last is None or last_at is None:
            life.tidy = life.tidy and _plain(view)
        else:
            new = view.behind(last)
            if new is None:
                talk.grows = False
                # Another prompt, or one left out, is not the history's concern.
                new = unprompted(view).behind(unprompted(last))
            if new is None:
                _rewrite(life, (last_at, at), unprompted(view), answered)
            else:
                _extend(life, at, new, answered)
        last_at, last = at, view
    _close(talk)


def _extend(life: Life, at: int, new: Sequence[Message], turn: Turn | None) -> None:
    """Take in what a history has behind the one before it."""
    if turn is None:
        life.tidy = life.tidy and _plain(new)
        life.beside += [(at, message) for message in new]
        return
    turn.aligned = True
    turn.shown_at = at
    if not new:
        turn.consumed = bool(turn.operations)
    elif new[0].role == "assistant":
        turn.echo = new[0]
        life.tidy = _answer(turn, new) and life.tidy
        if len(new) > 1 + len(turn.asked) or not life.tidy:
            life.beside += [(at, m) for m in new[1:] if m.role != "tool"]
    else:
        life.tidy = False
        life.beside += [(at, m) for m in new if m.role != "tool"]
        _answer_anywhere(turn, new)


def _rewrite(
    life: Life, places: tuple[int, int], after: MessageView, turn: Turn | None
) -> None:
    """Take in a history that does not begin with the one before it."""
    life.rewritten.append(places)
    life.tidy = False
    if turn is not None:
        turn.shown_at = places[1]
        _answer_anywhere(turn, after)
        if turn.echo is None and not turn.asked and not life.condensed(*places):
            turn.consumed = bool(turn.operations)


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
    """Find a response where it was not to be expected; else its results by its ids."""
    place = _echo_place(turn, messages)
    if place is not None:
        turn.echo = messages[place]
        _answer_slowly(turn, messages[place:])
        return
    results = {m.tool_call_id: m for m in messages if m.role == "tool"}
    for asked in turn.asked:
        if asked.call.id:
            asked.result = results.get(asked.call.id)


def _echo_place(turn: Turn, messages: Sequence[Message]) -> int | None:
    """Where the last message stands that is the response, whatever its calls' ids."""
    said = turn.response.message
    wanted = [(call.name, call.arguments) for call in said.tool_calls]
    for place in reversed(range(len(messages))):
        message = messages[place]
        calls = [(call.name, call.arguments) for call in message.tool_calls]
        known = calls == wanted and (calls or message.content == said.content)
        if message.role == "assistant" and known:
            return place
    return None


def _plain(messages: Sequence[Message]) -> bool:
    """Whether no message of these calls a tool or answers one, or comes out of place.

    A system prompt is in place at the very start; the few that come later are left to
    the rules of a history.
    """
    return all(message.role == "user" or _harmless(message) for message in messages)


def _harmless(message: Message) -> bool:
    return message.role in ("assistant", "system") and not message.tool_calls


def _close(talk: Conversation) -> None:
    """Decide on the last response where no history shows what became of it."""
    if not talk.turns:
        return
    turn = talk.turns[-1]
    turn.last = True
    if turn.shown_at is None:
        message = turn.response.message
        said = message.content.strip() or message.tool_calls or message.blocks
        turn.consumed = bool(said or turn.operations)
