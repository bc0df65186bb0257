"""What a model may say, as Hypothesis draws it: scripts of valid replies (spec T3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

from hypothesis import strategies as st

from agentsim.core import Usage
from agentsim.providers import (
    Changes,
    Entry,
    Reply,
    Script,
    call,
    forever,
    say,
    together,
)
from agentsim.testing.arguments import fitting, misfitting
from agentsim.testing.drawing import one_in, picked, sized
from agentsim.world import Spec, World, WorldTool

__all__ = ["REPLIES", "scripts"]

REPLIES = 5
"""How many replies are drawn before the last one at most, unless told otherwise."""

CALLS_MAX = 3

REPEATS_MAX = 7
"""As often is a reply repeated at most: once more than what ends a loop (R5.2)."""

TEXT_MAX = 40

TEXTS = ("note", "40.00")
"""Texts for arguments, beside the names that the world knows."""

CHANGES: tuple[Changes, ...] = (
    {"text": "Let me see."},
    {"text": "Done."},
    {"stop_reason": "end_turn"},
    {"stop_reason": "stop"},
    {"stop_reason": "max_tokens"},
    {"usage": None},
    {"usage": Usage(120, 30)},
    {"usage": Usage(900, 20, 800)},
    {"latency_s": 0.0},
    {"latency_s": 20.0},
    {"latency_s": 4_000.0},
)
"""What is unusual about a reply with calls, one thing at a time."""

PAUSE = say("Wait.", stop_reason="pause_turn")

ENDINGS: tuple[Reply, ...] = (
    say("Done."),
    say("I am not done yet."),
    say("Done.", usage=None),
    say("Done.", latency_s=90.0),
    say("Done.", stop_reason="stop_sequence"),
    say("It is cut", stop_reason="max_tokens"),
    say("No.", stop_reason="refusal"),
    say("", stop_reason="content_filter"),
    say("Done.", stop_reason="a_reason_of_its_own"),
    say(""),
)
"""How a script ends; the usual way first."""

_REPEATS = st.one_of(st.just(1), st.just(1), st.just(1), st.integers(2, REPEATS_MAX))


def scripts(
    world: Sequence[Spec] = (),
    *,
    tools: Sequence[str] | None = None,
    replies: int = REPLIES,
    wrong: bool = True,
) -> st.SearchStrategy[Script]:
    """What a model says to an agent that has the tools of a world.

    Calls, one or several, with arguments that fit their schemas and now and then some
    that do not; texts beside them, stop reasons, usage and latency of all kinds; the
    same reply again and again, as in polls and loops; pauses; and an ending. They
    shrink to `say("Done.")` alone, and to calls without optional arguments.

    Args:
        world: The parts whose tools are called.
        tools: Names of those that may be called; all of them unless given.
        replies: How many replies there are before the ending at most, a repeated one
            counted once.
        wrong: Whether there may be arguments that do not fit, and endings other than a
            final answer.

    Raises:
        UsageError: for parts that contradict one another.
    """
    known = [
        tool
        for tool in World(tuple(world)).tools
        if tools is None or tool.name in tools
    ]
    texts = tuple(dict.fromkeys((*_texts(world), *TEXTS)))
    one = _replies(tuple(known), texts, wrong=wrong)
    entry = st.tuples(one, _REPEATS)
    entries = sized(
        [
            st.lists(entry, min_size=least, max_size=replies)
            for least in range(min(3, replies) + 1)
        ]
    )
    return _scripts(entries, one, wrong=wrong)


@st.composite
def _scripts(
    draw: st.DrawFn,
    entries: st.SearchStrategy[list[tuple[Reply, int]]],
    one: st.SearchStrategy[Reply],
    *,
    wrong: bool,
) -> Script:
    said = [reply for reply, times in draw(entries) for _ in range(times)]
    ending: Entry = ENDINGS[0]
    if wrong and one_in(draw, 3):
        ending = forever(draw(one)) if one_in(draw, 4) else picked(draw, ENDINGS)
    return Script([*said, ending])


@st.composite
def _replies(
    draw: st.DrawFn,
    tools: Sequence[WorldTool],
    texts: Sequence[str],
    *,
    wrong: bool,
) -> Reply:
    """Replies after which the run goes on."""
    if not tools or one_in(draw, 12):
        return PAUSE
    count = draw(st.integers(1, CALLS_MAX)) if one_in(draw, 2) else 1
    calls = [_call(draw, tools, texts, wrong=wrong) for _ in range(count)]
    reply = together(*calls)
    if one_in(draw, 4):
        reply = reply.but(**picked(draw, CHANGES))
    return reply


def _call(
    draw: st.DrawFn, tools: Sequence[WorldTool], texts: Sequence[str], *, wrong: bool
) -> Reply:
    tool = picked(draw, tools)
    schema = tool.definition.parameters
    if wrong and one_in(draw, 8):
        return call(tool.name).but(arguments=misfitting(draw, schema, texts))
    return call(tool.name, **fitting(draw, schema, texts))


def _texts(value: object) -> Iterator[str]:
    """Short texts in specifications: names of hosts, services, files."""
    if isinstance(value, str):
        if len(value) <= TEXT_MAX:
            yield value
    elif isinstance(value, Mapping):
        for key, own in value.items():
            yield from _texts(key)
            yield from _texts(own)
    elif isinstance(value, Sequence):
        for own in value:
            yield from _texts(own)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name))
