"""A recorded turn as a scenario, and what of it was not recorded or can't be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from agentsim.cassettes import RecordedTool
from agentsim.cassettes.conversations import Heard
from agentsim.core import (
    FINAL_REASONS,
    WIRE_BLOCK,
    Injected,
    Limits,
    LoopRules,
    Message,
    canonical_arguments,
    canonical_json,
)
from agentsim.providers import Reply
from agentsim.simulation.recorded.replies import CLOSING, reply_of
from agentsim.simulation.recorded.tools import (
    Given,
    Rights,
    canned,
    declared_in,
    given_in,
    tool_names,
)
from agentsim.simulation.recorded.turns import Turn, media_in
from agentsim.simulation.scenario import Scenario
from agentsim.world import Canned

__all__ = ["tell_turn"]

ACTING_REASONS = ("tool_use", *FINAL_REASONS)
"""Stop reasons with which an agent is expected to run the calls of a reply."""

LEFT = "left to explore"

TOOL_S = 1.0
"""Virtual seconds that a tool takes whose time is not known."""


def tell_turn(
    turn: Turn, tools: Sequence[RecordedTool], rights: Rights, name: str
) -> tuple[Scenario, tuple[str, ...]]:
    """Make the scenario of a turn.

    Args:
        tools: The calls of tools that were recorded beside the exchanges.
        name: What reports call it.

    Returns:
        The scenario, and notes: sentences without their period.

    Raises:
        ScenarioError: when its parts contradict each other.
        UsageError: for a tool that a scenario can't have.
    """
    given = given_in(turn, tools)
    world, notes = canned(turn, given, rights)
    script = [reply_of(one) for one in turn.replies]
    last = script[-1]
    ends = not last.calls or last.reason not in ACTING_REASONS
    if not ends:
        script.append(CLOSING)
    scenario = Scenario(
        name=name,
        task=turn.task.content,
        prompt=turn.heard[0].prompt,
        history=_from_user(turn.earlier),
        world=(world,) if world.tools else (),
        tools=_allowed(turn, world),
        script=script,
        inject=tuple(
            Injected(f"recorded-{number}", message.content)
            for number, message in enumerate(turn.amid, 1)
        ),
        **_settings(turn, script, given),
        expect=_expected(script, given, world, _allowed(turn, world), ends=ends),
    )
    told = (*_notes(turn, given, rights), *_of_end(given, ends=ends), *notes)
    return scenario, tuple(dict.fromkeys(told))


def _from_user(messages: Sequence[Message]) -> tuple[Message, ...]:
    """A history from the first message of the user on, as a service wants it."""
    first = next((n for n, one in enumerate(messages) if one.role == "user"), None)
    return () if first is None else tuple(messages[first:])


def _allowed(turn: Turn, world: Canned) -> tuple[str, ...] | None:
    """The allowlist, where the model called what it was not told of."""
    declared = tuple(declared_in(turn))
    return None if len(declared) == len(world.tools) else declared


def _settings(
    turn: Turn, script: Sequence[Reply], given: Sequence[Given]
) -> dict[str, Any]:
    """Limits and loop rules that the recorded turn keeps, and its temperature."""
    usual, loop = Limits(), LoopRules()
    settings: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    if usual.max_iterations is not None and len(script) > usual.max_iterations:
        limits["max_iterations"] = len(script)
    took_s = sum(1 if one.latency_s is None else one.latency_s for one in script)
    took_s += sum(one.took_ms / 1000 or TOOL_S for one in given)
    if usual.deadline_s is not None and 2 * took_s > usual.deadline_s:
        limits["deadline_s"] = float(2 * round(took_s))
    if limits:
        settings["limits"] = Limits(**limits)
    equal = max(Counter(map(_signature, given)).values(), default=0)
    if equal >= loop.block_at:
        settings["loop"] = LoopRules(equal + 1, max(loop.window, 2 * (equal + 1)))
    temperature = turn.heard[0].temperature
    return settings if temperature is None else {**settings, "temperature": temperature}


def _signature(given: Given) -> tuple[str, str]:
    # The result does not count: of a call that was blocked another one was recorded.
    return given.call.name, canonical_arguments(given.call.arguments)


def _expected(
    script: Sequence[Reply],
    given: Sequence[Given],
    world: Canned,
    allowed: Sequence[str] | None,
    *,
    ends: bool,
) -> dict[str, Any]:
    """How the turn ended, and what took effect, where the recording tells."""
    expected: dict[str, Any] = {}
    last = script[-1]
    kinds = [block.get("type") for block in last.blocks]
    says = bool(last.text.strip() or set(kinds) - {WIRE_BLOCK}) and not last.calls
    if ends and says and last.reason in FINAL_REASONS:
        expected["status"] = "done"
    writing = [
        name for name, tool in world.tools.items() if tool.category == "mutating"
    ]
    acted = all(one.reason in ACTING_REASONS for one in script if one.calls)
    if writing and acted:
        takes = {tool.name: tool.parameters for tool in world.world_tools}
        done = (
            one.call.name
            for one in given
            if one.arguments is not None
            and not one.failed
            and one.call.name in writing
            and (allowed is None or one.call.name in allowed)
            and takes[one.call.name].fault(one.arguments) is None
        )
        expected["effects"] = dict(Counter(done))
    return expected


def _notes(turn: Turn, given: Sequence[Given], rights: Rights) -> Iterator[str]:
    unsaid = [
        name
        for name in tool_names(turn)
        if not (rights.reads(name) or rights.asks(name))
    ]
    if unsaid:
        yield (
            f"no recording tells the rights of tools: {', '.join(unsaid)} may write and "
            "ask nobody; say which only read, and which a person must approve"
        )
    yield from (_of_failed(turn, one) for one in turn.failed)
    for number, reply in enumerate(turn.replies, 1):
        if reply.heard is None:
            yield f"reply {number} is known from later requests only"
    if len(_from_user(turn.earlier)) < len(turn.earlier):
        yield "the history begins with what the user did not say: that is left out"
    for kind in media_in(turn.task):
        yield f"the task holds {kind}: only its text is kept"
    for number, message in enumerate(turn.amid, 1):
        held = "".join(f", of which {kind} is left out" for kind in media_in(message))
        yield f"the user spoke amid the turn: offered as the message recorded-{number}{held}"
    for one in given:
        for kind in one.media:
            yield f"the result of {one.call.name} holds {kind}: only its text is kept"
    if any(len((one.body or {}).get("choices", ())) > 1 for one in turn.heard):
        yield "the model gave several choices at once: the first of them is kept"
    if len({one.exchange.wire for one in turn.heard}) > 1:
        yield "the turn changed its service: only what the first one wants back is kept"
    if len({one.prompt for one in turn.heard}) > 1:
        yield "the system prompt changed within the turn: the first one is kept"
    if any(_tools_of(one) != _tools_of(turn.heard[0]) for one in turn.heard):
        yield "the tools changed within the turn: each is kept as it was told first"


def _of_end(given: Sequence[Given], *, ends: bool) -> Iterator[str]:
    """What was made up, since the recording ends before it."""
    names = dict.fromkeys(one.call.name for one in given if not one.known)
    if names:
        yield f"no result of {', '.join(names)} was recorded: a text in its place says so"
    if not ends:
        yield "the recording ends with calls: a last reply says so, which nobody gave"


def _of_failed(turn: Turn, failed: Heard) -> str:
    place = 1 + sum(len(one.messages) < len(failed.messages) for one in turn.heard)
    answer = failed.exchange.answer
    if failed.response is not None:
        return (
            f"exchange {failed.exchange.number}: this answer was asked for again before "
            f"reply {place}, and left"
        )
    if answer.status is None or answer.ended != "whole":
        what = f"an answer was not whole ({answer.ended})"
    elif answer.status == 200:
        what = "a stream broke off"
    else:
        what = f"the service answered {answer.status}"
    return f"exchange {failed.exchange.number}: {what} before reply {place}: {LEFT}"


def _tools_of(heard: Heard) -> dict[str, str]:
    return {
        tool.name: canonical_json([tool.description, tool.parameters])
        for tool in heard.request.tools
    }
