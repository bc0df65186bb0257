"""The invariant of what every request begins with: prompt and tools (spec R2, R3.6)."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import MessageView, RequestSent, ToolCall, ToolDef
from agentsim.invariants.conversation.handing import (
    handing_call,
    hands_over,
    is_again,
    is_another,
    says_so,
    turn_of,
)
from agentsim.invariants.conversing import prompts_of
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    quoted,
    quoted_apart,
    rule,
)
from agentsim.invariants.subjects import Conversation, Life
from agentsim.invariants.toolset import are_without_keys

__all__ = ["prefix_stable"]


@invariant(
    "prefix-stable",
    "System prompt and tools are sent, are those configured, and are the same in all "
    "requests of a run.",
    rationale="They are the cacheable prefix, and they carry the rules of the house: a "
    "prompt that is configured and never sent is a frequent defect.",
    spec=("R2", "R3.6"),
    exemptions=(
        "Where no prompt is configured, the agent may send its own, or none.",
        "Where only the wire was seen, the tools are the program's own.",
        "Another conversation than the main one has a prompt and tools of its own.",
        (
            "Where an SDK sends them, a loop may put words of its own around the prompt, "
            "word descriptions and schemas in its own way, add tools, and leave out those "
            "that the model never asks for, as long as they stay the same."
        ),
        "An idempotency key that a tool takes, and of which the model is never told.",
        "Tools that other conversations of the run offer, and the model never asks it for.",
        (
            "A [handoff](#handoffs): directly behind a call that hands over, and until the "
            "next one, other tools, or a prompt that differs in more than in numbers. A "
            "part that comes back has its old ones."
        ),
    ),
)
def prefix_stable(facts: Facts) -> Ruling:
    """Compare prompt and tools of each request with the configured and first ones."""
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        evidence += len(life.requests)
        for talk in life.conversations:
            main = life.main_known and talk is life.main
            tools = facts.tools.definitions if main else talk.first.tools
            found = [
                *_unstable(
                    facts, talk, tools, _configured(facts, talk) if main else None
                )
            ]
            violations += _by_parts(facts, life, talk, main=main) if found else found
    return rule(evidence, violations, "no request was sent")


def _configured(facts: Facts, talk: Conversation) -> list[str] | None:
    """The prompt to send, or None where it is that of the first request."""
    prompt = facts.header.prompt
    if prompt is None:
        return None
    if prompt and talk.first.wire:
        sent = prompts_of(talk.first.messages)
        if prompt in "\n".join(sent):
            return sent
    return [prompt] if prompt else []


def _unstable(
    facts: Facts,
    talk: Conversation,
    tools: tuple[ToolDef, ...],
    first: list[str] | None,
    *,
    team: bool = False,
) -> Iterator[Violation]:
    """Where a prefix changes, or is not as expected.

    Args:
        tools: Those to offer; those that are configured may be worded in other ways.
        first: The prompt to send, or None for that of the first request.
        team: Whether parts of the agent may each offer some of the tools.
    """
    configured = facts.tools.definitions
    last: MessageView | None = None
    steady = talk.grows and len(talk.first.messages) > 0
    for at, request in talk.requests:
        if tools is configured and (request.wire or team):
            own = facts.header.wire_only  # a program of its own has its own tools
            tools = request.tools if own else _worded(request, configured, talk)
        if request.tools is not tools and request.tools != tools:
            first_of_all = request is talk.first and tools is configured
            if first_of_all and are_without_keys(request.tools, configured):
                tools = request.tools
        if request.tools is not tools and request.tools != tools:
            yield _other_tools(request.tools, tools, at)
        view = request.messages
        # A view that goes on from the one before starts with the same prompt.
        if last is None or not (steady or (len(last) and view.extends(last))):
            prompts = prompts_of(view)
            first = prompts if first is None else first
            if prompts != first:
                yield _other_prompt(prompts, first, at)
        last = view


def _by_parts(
    facts: Facts, life: Life, talk: Conversation, *, main: bool
) -> Iterator[Violation]:
    """Judge the parts of an agent that go on with one history, each by itself."""
    parts = [*_parts_of(facts, life, talk)]
    team = len(parts) > 1 or any(says_so(tool.name) for tool in talk.first.tools)
    team = team or _is_shared(facts, life, talk)
    for number, (entry, part) in enumerate(parts):
        tools = facts.tools.definitions if main else part.first.tools
        first = _configured(facts, part) if main and not number else None
        before = parts[:number]
        same = [
            earlier
            for _, earlier in before
            if not is_another(before[-1][1].turns[-1], earlier.first, part.first)
        ] or [
            earlier
            for call, earlier in before
            if is_again(entry, part.first, call, earlier.first)
        ]
        if same:
            tools = same[-1].first.tools
            first = prompts_of(same[-1].first.messages)
        yield from _unstable(facts, part, tools, first, team=team)


def _is_shared(facts: Facts, life: Life, talk: Conversation) -> bool:
    """Whether other conversations of the life offer the tools that one leaves out."""
    own = [tool.name for tool in talk.first.tools]
    left = [t.name for t in facts.tools.definitions if t.name not in own]
    offered = [t.name for other in life.conversations for t in other.first.tools]
    return bool(left) and all(name in offered for name in left)


def _parts_of(
    facts: Facts, life: Life, talk: Conversation
) -> Iterator[tuple[ToolCall | None, Conversation]]:
    """A conversation, cut where it was handed over; each part with the call for it."""
    part, before = _part(), None
    entry: ToolCall | None = None
    for at, request in talk.requests:
        if before is not None and hands_over(facts, life, talk, before, request):
            yield entry, part
            entry = handing_call(facts, life, talk, before, request)
            part = _part()
        part.requests.append((at, request))
        turn = turn_of(talk, request)
        part.turns += [turn] if turn is not None else []
        before = request
    yield entry, part


def _part() -> Conversation:
    """A conversation whose histories are compared one by one: nobody has looked at them."""
    part = Conversation()
    part.grows = False
    return part


def _worded(
    request: RequestSent, configured: tuple[ToolDef, ...], talk: Conversation
) -> tuple[ToolDef, ...]:
    """The tools that are right to offer, if the model misses none of them.

    A loop on an SDK words them as it likes; all others send some of those configured.
    """
    sent = request.tools
    if not request.wire and any(tool not in configured for tool in sent):
        return configured
    missing = {tool.name for tool in configured} - {tool.name for tool in sent}
    if not missing:
        return sent
    asked = {
        call.name for turn in talk.turns for call in turn.response.message.tool_calls
    }
    return configured if missing & asked else sent


def _other_prompt(sent: list[str], expected: list[str], at: int) -> Violation:
    words = "a request starts with another system prompt"
    if len(sent) == len(expected) == 1:
        was, now = quoted_apart(expected[0], sent[0])
        return Violation(words, was, now, (at,))
    return Violation(words, _all_quoted(expected), _all_quoted(sent), (at,))


def _all_quoted(prompts: list[str]) -> str:
    return " and ".join(map(quoted, prompts)) or "no system prompt"


def _other_tools(
    sent: tuple[ToolDef, ...], expected: tuple[ToolDef, ...], at: int
) -> Violation:
    names = [
        ", ".join(tool.name for tool in tools) or "none" for tools in (expected, sent)
    ]
    if names[0] == names[1]:
        names[1] += ", with other descriptions or parameters"
    return Violation(
        "a request offers other tools",
        f"tools: {names[0]}",
        f"tools: {names[1]}",
        (at,),
    )
