"""What the conversations of a life come to at its end: the main one, and what was one.

In doubt it is the same conversation, and is judged as one. So it is where one was left in
the middle for good, when another one began with the same first message, or with the same
prompt and tools: if one of them is the main one, its history was replaced. In a run that
was cut off that is sure only of the main one, which nothing kept from going on while the
other one, with its prompt and tools, was answered. So it is too where the main one goes on
from the only response of another: one request of it was sent without what was said before.

It was not left in the middle if it ended with calls that only it offers, and that no tool
ran for: the answer of a router, or a handoff. A copy of it under another prefix replaced it
only if that is the main one.

The main one is that of which the outcome tells (by an output, first the one that says just
that, then the one that offers most tools; but a writer without tools writes for the one
that ended before); where it tells of none, it is the first of those that offer most tools,
unless the life was cut off, perhaps before that one began.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import attrgetter, itemgetter

from agentsim.core import Message, Outcome, RequestSent
from agentsim.invariants.conversing import is_like, nearest_of, prompts_of, unprompted
from agentsim.invariants.subjects import Conversation, Life

__all__ = ["requests_to_the_end", "settle_conversations", "was_cut"]

CUT = ("deadline", "cancelled", "failed")
"""Statuses of runs that were ended in the middle of what they did."""


def settle_conversations(
    life: Life, prompt: str | None, world: Collection[str]
) -> None:
    """Find the main conversation, and join what was only replaced.

    Args:
        prompt: The one that is configured, or None.
        world: Names of the tools on the list.
    """
    found = life.conversations
    if len(found) < 2:
        life.main_known = (
            len(life.requests) > 1 or not was_cut(life) or _is_kept(life.outcome, found)
        )
        return
    told = _told_of(life, prompt)
    life.main = told or max(found, key=lambda talk: len(talk.last.tools))
    life.main_known = told is not None or not was_cut(life)
    _join_adopted(life)
    if life.main_known:
        _join_restarts(life)
    cut = was_cut(life)
    for talk in found[1:]:
        left = _left_for(talk, life, world)
        if left is not None and (not cut or _is_idle(left, talk, life)):
            _join(life, talk, left)


def was_cut(life: Life) -> bool:
    """Whether a life may have been ended in the middle of what it did."""
    ending = life.outcome.ending if life.outcome is not None else "returned"
    return life.crashed or ending != "returned" or life.status in CUT


def _join(life: Life, talk: Conversation, other: Conversation) -> None:
    """Take a conversation for a part of an earlier one."""
    other.requests = sorted([*other.requests, *talk.requests], key=itemgetter(0))
    other.turns = sorted([*other.turns, *talk.turns], key=attrgetter("request_at"))
    life.conversations.remove(talk)
    life.main = other if life.main is talk else life.main


def _join_adopted(life: Life) -> None:
    """Take a request whose response the main conversation goes on from for one of it."""
    main, outcome = life.main, life.outcome
    view, own = main.last.messages, len(main.turns) - main.answered
    if outcome is not None and outcome.history is not None:
        view, own = outcome.history, len(main.turns)
    spoken = [message for message in view if message.role == "assistant"]
    if len(spoken) <= own:
        return  # it holds no responses but its own
    turns = [turn.response.message for turn in reversed(main.turns)]
    single = [t for t in life.conversations if t.turns and len(t.requests) == 1]
    others = [talk for talk in single if talk is not main]
    for message in spoken:
        if turns and is_like(message, turns[-1]):
            turns.pop()
            continue
        adopted = next((t for t in others if _is_adopted(message, t, main)), None)
        if adopted is None:
            return
        others.remove(adopted)
        _join(life, adopted, main)


def _is_adopted(message: Message, talk: Conversation, main: Conversation) -> bool:
    """Whether a message of the main conversation may be the response of another one.

    A text may come of a helper: it is that of the agent if prompt and tools are, too.
    """
    said = talk.turns[0].response.message
    return is_like(message, said) and (bool(said.tool_calls) or _is_equal(talk, main))


def _is_equal(talk: Conversation, main: Conversation) -> bool:
    """Whether a conversation has the prompt and tools of the main one."""
    one, other = talk.last, main.last
    prompts = prompts_of(one.messages), prompts_of(other.messages)
    return prompts[0] == prompts[1] and one.tools == other.tools


def _join_restarts(life: Life) -> None:
    """Take what begins like the main conversation, and later, for a part of it."""
    start = life.main.first
    first: Conversation | None = None
    for talk in [*life.conversations]:
        if talk.first.messages != start.messages or talk.first.tools != start.tools:
            continue
        if first is None:
            first = talk
        elif first.turns and first.turns[0].response_at < talk.requests[0][0]:
            _join(life, talk, first)


def _told_of(life: Life, prompt: str | None) -> Conversation | None:
    """The conversation of which the outcome tells: by its history, else by its output."""
    outcome = life.outcome
    if outcome is not None and outcome.history is not None:
        nearest, common = nearest_of(life.conversations, outcome.history)
        if common:
            return nearest
    output = (outcome.output or "").strip() if outcome is not None else ""
    telling = [talk for talk in life.conversations if output and output in _said(talk)]
    if not telling:
        return None
    # A planner may name the answer, and a router say the same word: the first of equals.
    told = max(telling, key=lambda t: (_said(t) == output, len(t.last.tools)))
    return told if told.last.tools else _written_up(told, life, prompt) or told


def _written_up(
    told: Conversation, life: Life, prompt: str | None
) -> Conversation | None:
    """The one finished conversation whose answer a writer without tools has put in words."""
    begun_at = told.requests[0][0]
    if prompt and prompts_of(told.first.messages) == [prompt]:
        return None
    done = [
        talk
        for talk in life.conversations
        if talk.last.tools and talk.finished and talk.turns[-1].response_at < begun_at
    ]
    own = [talk for talk in done if prompts_of(talk.first.messages) == [prompt]]
    most = max((len(talk.last.tools) for talk in own or done), default=0)
    chosen = [talk for talk in own or done if len(talk.last.tools) == most]
    return chosen[0] if len(chosen) == 1 else None


def _said(talk: Conversation) -> str:
    """The last that the model said in a conversation."""
    return talk.turns[-1].response.message.content.strip() if talk.turns else ""


def _is_kept(outcome: Outcome | None, found: Sequence[Conversation]) -> bool:
    """Whether the history that a run left goes on from its only request, prompt and all."""
    if outcome is None or outcome.history is None or not found:
        return False
    return outcome.history.extends(found[0].last.messages)


def requests_to_the_end(life: Life) -> Sequence[tuple[int, RequestSent]]:
    """Requests of the main conversation, and of one behind it that takes its place.

    To have the output made in a fresh conversation is to go on, and so is to begin one
    with the same tools: what a limit has ended is no prompt to the model (R3.7). One that
    answers a call of the main one is none of these.
    """
    main, outcome = life.main, life.outcome
    end = _end_of(main) if len(life.conversations) > 1 else None
    if end is None:
        return main.requests
    output = (outcome.output or "").strip() if outcome is not None else ""
    told = bool(output) and output not in _said(main)
    for talk in life.conversations:
        if talk.requests[0][0] > end and (
            (told and output in _said(talk))
            or (talk.first.tools and talk.first.tools == main.last.tools)
        ):
            return [*main.requests, *talk.requests]
    return main.requests


def _end_of(talk: Conversation) -> int | None:
    """The last event of a conversation, or None if a call of it may wait for another."""
    end = talk.requests[-1][0]
    for asked in talk.turns[-1].asked if talk.turns else ():
        if not (asked.operations or asked.declined or asked.blocked):
            return None  # no tool ran for it: perhaps it is answered by a helper
        for operation in asked.operations:
            if operation.end_at is None:
                return None
            end = max(end, operation.end_at)
    return max(end, talk.turns[-1].response_at) if talk.turns else end


def _left_for(
    talk: Conversation, life: Life, world: Collection[str]
) -> Conversation | None:
    """What was left in the middle before a conversation began that is much like it."""
    begun_at, first = talk.requests[0]
    for other in reversed(life.conversations):
        last_at, last = other.requests[-1]
        if other is talk or last_at > begun_at or other.finished:
            continue
        if other.answered and other.turns[-1].response_at > begun_at:
            continue  # it was still being answered: they ran beside one another
        if _filled_in(other, world):
            continue
        if life.main not in (talk, other):
            continue  # a helper that is given up may be followed by a fresh one
        outcome = life.outcome
        if other is life.main and outcome is not None and outcome.history is not None:
            continue
        same = prompts_of(last.messages) == prompts_of(first.messages)
        if same and last.tools == first.tools:
            return other
        if unprompted(last.messages)[:1] != unprompted(first.messages)[:1]:
            continue
        if (talk.copied and talk is not life.main) or _gave_way(other, talk):
            continue
        if not (same or other.turns or last.tools == first.tools):
            continue  # another one, that was never answered
        return other
    return None


def _is_idle(talk: Conversation, later: Conversation, life: Life) -> bool:
    """Whether nothing kept the main conversation from going on, where one like it did.

    In a life that was cut off it might have gone on otherwise, had there been the time.
    """
    first, end = later.first, _end_of(talk) if talk.answered else None
    return (
        talk is life.main
        and end is not None
        and end < later.requests[0][0]
        and bool(later.turns)
        and first.tools == talk.last.tools
        and prompts_of(first.messages) == prompts_of(talk.last.messages)
    )


def _filled_in(talk: Conversation, world: Collection[str]) -> bool:
    """Whether a conversation ended with its only tool, which is no tool but a form."""
    offered = talk.last.tools
    form = len(offered) == 1 and offered[0].name not in world
    return form and talk.answered and bool(talk.turns[-1].asked)


def _gave_way(talk: Conversation, later: Conversation) -> bool:
    """Whether a conversation ended with calls that only it offers, and that no tool ran for.

    Such a call is the answer of a router, or hands over to a part without the history.
    """
    offered = [tool.name for tool in later.first.tools]
    calls = talk.turns[-1].asked if talk.answered else []
    return bool(calls) and not any(
        asked.operations or asked.call.name in offered for asked in calls
    )
