"""The conversations of a life: which requests go on from one another (spec R3.6).

An agent may hold several at a time: one of its own, and one with each of its helpers.
A request goes on with the conversation that has most of it in common, from the first
message behind the system prompt on. It begins another one only if behind the prompt it has
nothing that the model said in this life, and

- no conversation began with its first message, or
- its system prompt is another one, and it does not repeat a request that failed, or
- its first messages are not those with which the other one began, or
- it is the same as a request that is still unanswered, or
- it begins anew what was answered before, and is not the main one;

or if it is a copy of what was said so far, with a question of the user behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.core import Message, MessageView, RequestSent
from agentsim.invariants.subjects import Conversation, Life, Turn
from agentsim.invariants.wording import TELLING, differ_in_numbers

__all__ = ["conversation_of", "is_like", "nearest_of", "prompts_of", "unprompted"]


def unprompted(view: MessageView) -> MessageView:
    """A history without the system prompt that it starts with."""
    rest = [*view]
    while rest and rest[0].role == "system":
        del rest[0]
    return MessageView(rest, len(rest))


def conversation_of(life: Life, request: RequestSent) -> Conversation:
    """The conversation of a life that a request goes on with, or begins."""
    found = life.conversations
    if len(found) == 1:
        talk = found[0]
        last = talk.requests[-1][1]
        new = None if talk.unanswered else request.messages.behind(last.messages)
        if new is not None and (
            new[-1].role != "user" if new else request.tools == last.tools
        ):
            return talk  # the usual case
    if not found:
        found.append(life.main)
        return life.main
    nearest, common = nearest_of(found, request.messages)
    copied = _copies(life, request, common)
    if not copied and not _begins(life, request, nearest, common):
        return nearest
    talk = Conversation()
    talk.copied = copied
    found.append(talk)
    return talk


def nearest_of(
    found: Sequence[Conversation], view: MessageView
) -> tuple[Conversation, int]:
    """What has most in common with a history, and how much; what it goes on from first."""
    nearest, best = found[0], (False, 0, False, 0, False)
    prompt = prompts_of(view)
    body = unprompted(view)
    for talk in found:
        last = _body(talk)
        if body and last[:1] != body[:1]:
            continue  # at most one of many helpers begins alike
        common = len(last) if body.extends(last) else len(body.shared(last))
        whole = common == len(last)
        same = prompts_of(talk.last.messages) == prompt
        goes_on = whole and _goes_on(talk, body[common:], same=same)
        told = _results_of(talk, body[common:]) if goes_on else 0
        near = (goes_on, common, whole, told, same)
        if near >= best:  # the last of equals
            nearest, best = talk, near
    return nearest, best[1]


def _body(talk: Conversation) -> MessageView:
    """The last request behind its prompt; it is kept, since all helpers are asked for it."""
    count = len(talk.requests)
    if talk.body is None or talk.body[0] != count:
        talk.body = count, unprompted(talk.last.messages)
    return talk.body[1]


def _goes_on(talk: Conversation, new: Sequence[Message], *, same: bool) -> bool:
    """Whether what follows its last request is the response, or nothing, as it failed.

    Args:
        same: Whether the prompt is the same; then more may have been said meanwhile.
    """
    if talk.unanswered:
        return False
    if not talk.answered:
        return same or not new
    said = talk.turns[-1].response.message
    return bool(new) and new[0].role == "assistant" and is_like(new[0], said)


def _results_of(talk: Conversation, new: Sequence[Message]) -> int:
    """How many results tell of a run of its last response: equal helpers differ by that."""
    runs = talk.turns[-1].operations if talk.turns else []
    outputs = [run.end.output for run in runs if run.end is not None]
    results = [message.content for message in new if message.role == "tool"]
    return sum(any(output in result for output in outputs) for result in results)


def is_like(echo: Message, said: Message) -> bool:
    """Whether a message is a response, by its text and the names of its calls."""
    names = [call.name for call in echo.tool_calls]
    return echo.content == said.content and names == [c.name for c in said.tool_calls]


def _begins(
    life: Life, request: RequestSent, nearest: Conversation, common: int
) -> bool:
    """Whether a request begins another conversation than the nearest one."""
    body = unprompted(request.messages)
    if not _is_fresh(life, body):
        return False
    last = nearest.last
    other_prompt = prompts_of(request.messages) != prompts_of(last.messages)
    if not common:
        return bool(body) or other_prompt
    if other_prompt and not (nearest.unanswered or nearest.answered):
        texts = ("\n".join(prompts_of(r.messages)) for r in (request, last))
        return common < len(body) or not differ_in_numbers(*texts)
    if other_prompt:
        return True
    if not body.extends(unprompted(nearest.first.messages)):
        return True
    if nearest.turns and request.messages == nearest.first.messages:
        return True
    again = request.messages == last.messages and request.tools == last.tools
    return again and nearest.unanswered > 0


def _copies(life: Life, request: RequestSent, common: int) -> bool:
    """Whether a request puts a question behind a copy of what was said so far.

    That is before the calls that are being answered, or under another prefix; or behind
    what others said meanwhile, in place of an answer without tools.

    Args:
        common: How much of it other conversations have in common at most.
    """
    body = unprompted(request.messages)
    new = body[common:]
    if not new or new[-1].role != "user":
        return False
    return any(
        _is_original(life, talk, request, new)
        for talk in life.conversations
        if talk.answered and len(_body(talk)) == common and body.extends(_body(talk))
    )


def _is_original(
    life: Life, talk: Conversation, request: RequestSent, new: Sequence[Message]
) -> bool:
    """Whether what a request has behind a conversation makes it a copy of that one."""
    said, last = talk.turns[-1].response.message, talk.last
    if new[0].role == "user":
        without = not (request.tools or last.tools) and len(life.conversations) > 1
        return bool(said.tool_calls) or without
    return is_like(new[0], said) and (
        request.tools != last.tools
        or prompts_of(request.messages) != prompts_of(last.messages)
    )


def _is_fresh(life: Life, body: MessageView) -> bool:
    """Whether nothing of a request was said by the model in this life, but by examples."""
    shown: list[str] = []
    before: Message | None = None
    for message in body:
        if message.role == "tool" and message.tool_call_id not in shown:
            return False
        if message.role == "assistant":
            if any(_is_of(message, before, turn) for turn in life.turns):
                return False
            shown += [call.id for call in message.tool_calls]
        before = message
    return True


def _is_of(message: Message, before: Message | None, turn: Turn) -> bool:
    """Whether a message is a response; a short one also stands behind what was asked."""
    if not is_like(message, turn.response.message):
        return False
    telling = message.tool_calls or len(message.content) >= TELLING
    return bool(telling) or [*turn.request.messages[-1:]] == [before]


def prompts_of(view: MessageView) -> list[str]:
    """The system prompt that a history starts with, message by message."""
    found: list[str] = []
    for message in view:
        if message.role != "system":
            break
        found.append(message.content)
    return found
