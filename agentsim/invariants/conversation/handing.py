"""Handoffs: one part of an agent goes on with the history of another (spec R3.6).

A call such as `transfer_to_billing` is answered by the agent itself, and from the next
request on the same history stands under the prompt, the tools and the model of the part
that was called. Nothing announces that; it is told by the call and by what changes. The
request before was answered with a call that is not refused and has its result, and

- no tool of the world ran for it, and no helper gave the result, or
- a tool ran for it whose name says that it hands over; so it is too where only the wire
  was seen, and not whether a tool ran.

What changes makes another part: it has other tools, or its prompt differs in more than in
numbers of which the call says nothing. A prompt that tells the time is of the same part,
and so are tools in another order. A part that is called by the same words again, which say
whom, and has the same tools, is the same one, whatever its prompt says.
"""

from __future__ import annotations

import re

from agentsim.core import RequestSent, ToolCall
from agentsim.invariants.conversing import prompts_of
from agentsim.invariants.facts import Facts
from agentsim.invariants.flags import WITHOUT_FLAG
from agentsim.invariants.subjects import Asked, Conversation, Life, Turn
from agentsim.invariants.wording import TELLING, differ_in_numbers, numbered_words

__all__ = ["handing_call", "hands_over", "is_again", "is_another", "says_so", "turn_of"]

_SAYS_SO = re.compile(
    r"((transfer|hand[-_ ]?(off|over|back)|delegate|escalate)"
    r"|(connect|forward|go|pass|redirect|refer|return|route|send|switch|talk)"
    r"[-_ ](to|back))(?![a-z])",
    re.IGNORECASE,
)

_SAYS_TO_WHOM = re.compile(r"[-_ ]to[-_ ]\w|[a-z]To[A-Z]")

_REFUSES = re.compile(
    r"\W*(error|exception|fail|invalid|unknown|unable|denied|refused|cannot|can't|no such"
    r"|there is no)",
    re.IGNORECASE,
)


def says_so(name: str) -> bool:
    """Whether the name of a tool says that it hands over to another part of the agent."""
    return _SAYS_SO.match(name) is not None


def turn_of(talk: Conversation, request: RequestSent) -> Turn | None:
    """A request of a conversation with its response, if it has one."""
    return next((turn for turn in talk.turns if turn.request is request), None)


def hands_over(
    facts: Facts, life: Life, talk: Conversation, before: RequestSent, sent: RequestSent
) -> bool:
    """Whether a request is the first of another part of the agent.

    Args:
        before: The request before it in the same conversation.
    """
    return bool(_handing(facts, life, talk, before, sent))


def handing_call(
    facts: Facts, life: Life, talk: Conversation, before: RequestSent, sent: RequestSent
) -> ToolCall | None:
    """The call by which a part began; None where more than one may be it."""
    found = _handing(facts, life, talk, before, sent)
    return found[0].call if len(found) == 1 else None


def _handing(
    facts: Facts, life: Life, talk: Conversation, before: RequestSent, sent: RequestSent
) -> list[Asked]:
    """The calls that may have handed over."""
    turn = turn_of(talk, before)
    if turn is None or not is_another(turn, before, sent):
        return []
    found = []
    for asked in turn.asked:
        if not _is_answered(turn, asked):
            continue
        if asked.operations or facts.header.wire_only:
            hands = _ran_to_hand_over(asked)
        else:
            hands = not _is_of_a_helper(life, talk, turn, asked)
        found += [asked] if hands else []
    return found


def is_again(
    entry: ToolCall | None, first: RequestSent, other: ToolCall | None, was: RequestSent
) -> bool:
    """Whether two parts were called by the same words, which say whom, and are alike.

    Args:
        entry: The call by which one of them began, and `first` its first request.
        other: Those of the other one, and `was`.
    """
    if entry is None or other is None:
        return False
    return (
        (entry.name, entry.arguments) == (other.name, other.arguments)
        and _SAYS_TO_WHOM.search(entry.name) is not None
        and _names_of(first) == _names_of(was)
    )


def is_another(turn: Turn, before: RequestSent, sent: RequestSent) -> bool:
    """Whether prompt and tools of two requests are those of two parts.

    Args:
        turn: What the model called for before the second one.
    """
    if _names_of(before) != _names_of(sent):
        return True
    was, now = ("\n".join(prompts_of(r.messages)) for r in (before, sent))
    if not differ_in_numbers(was, now):
        return True
    pairs = zip(numbered_words(was), numbered_words(now), strict=True)
    changed = [new for old, new in pairs if old != new]
    told = [word for asked in turn.asked for word in numbered_words(_text(asked))]
    return bool(changed) and all(word in told for word in changed)


def _text(asked: Asked) -> str:
    result = asked.result.content if asked.result is not None else ""
    return f"{asked.call.name} {asked.call.arguments} {result}"


def _names_of(request: RequestSent) -> list[str]:
    return sorted(tool.name for tool in request.tools)


def _is_answered(turn: Turn, asked: Asked) -> bool:
    """Whether a call of a tool that was offered has a result that refuses nothing.

    On a wire without a flag for it the beginning tells: "Do not greet" refuses nothing.
    """
    result, name = asked.result, asked.call.name
    if result is None or asked.declined is not None:
        return False
    if all(tool.name != name for tool in turn.request.tools):
        return False
    if turn.request.wire in WITHOUT_FLAG:
        return _REFUSES.match(result.content) is None
    return not result.is_error


def _ran_to_hand_over(asked: Asked) -> bool:
    """Whether a tool that ran, or may have, is one that hands over."""
    ending = asked.last.end.ending if asked.last and asked.last.end else "ok"
    return says_so(asked.call.name) and ending == "ok"


def _is_of_a_helper(life: Life, talk: Conversation, turn: Turn, asked: Asked) -> bool:
    """Whether the result of a call is what another conversation said meanwhile."""
    told = asked.result.content.strip() if asked.result is not None else ""
    for helper in life.conversations:
        if helper is talk:
            continue
        for other in helper.turns:
            text = other.response.message.content.strip()
            meanwhile = turn.response_at < other.response_at < (turn.shown_at or 0)
            same = text == told or (len(text) >= TELLING and text in told)
            if meanwhile and text and same:
                return True
    return False
