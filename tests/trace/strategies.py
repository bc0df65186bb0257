"""Hypothesis strategies for whole traces, made from the types of the fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from agentsim.core import (
    EVENT_KINDS,
    Event,
    Limits,
    LoopRules,
    Message,
    MessageView,
    Rights,
    ToolDef,
)
from agentsim.trace import Header, ToolFacts, Trace

__all__ = ["headers", "of_type", "raw_events", "texts", "traces"]


def _joined(text: str) -> str:
    """Let two surrogates that stand for one character be that character."""
    wide = text.encode("utf-16-le", "surrogatepass")
    return wide.decode("utf-16-le", "surrogatepass")


LONE = st.sampled_from(["\ud800", "\udfff", "a\udc00b", "\ud83d!"])
texts = (
    st.text(max_size=8) | LONE | st.sampled_from(["", "x", "é", "\x00\n\u2028"])
).map(_joined)
integers = st.integers() | st.integers(min_value=2**53 - 2, max_value=2**80)
floats = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | integers | floats | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=5,
)
objects = st.dictionaries(texts, values, max_size=3)
limits = st.builds(
    Limits,
    max_iterations=st.none() | st.integers(min_value=1, max_value=5),
    deadline_s=st.none() | st.floats(min_value=1e-6, max_value=1e9),
    token_budget=st.none() | st.integers(min_value=1, max_value=100),
    max_parallel=st.none() | st.integers(min_value=1, max_value=3),
    cache_read_weight=st.floats(min_value=0, max_value=1),
)
loops = st.builds(LoopRules, st.integers(2, 3), st.integers(6, 31))
rights = st.sampled_from(
    [
        Rights(),
        Rights(parallel=True),
        Rights("mutating"),
        Rights("mutating", confirm=False),
        Rights("destructive"),
        Rights("read_only", confirm=True, volatile=(r"\d+",)),
    ]
)


@cache
def of_type(hint: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401  # a type
    """Values of the type of a field."""
    known = {str: texts, int: integers, bool: st.booleans(), float: floats}
    known |= {Limits: limits, LoopRules: loops, Rights: rights}
    if hint in known:
        return known[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple and args[-1] is Ellipsis:
        return st.lists(of_type(args[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(of_type, args))
    if origin is Mapping:
        return objects
    if hint is MessageView:
        return st.just(MessageView([], 0))
    if args:
        return st.one_of(
            *(st.none() if arg is type(None) else of_type(arg) for arg in args)
        )
    return record(hint)


def record(cls: type) -> st.SearchStrategy[Any]:
    """Instances of a dataclass; fields with a default keep it in half of all cases."""
    hints = get_type_hints(cls)
    parts = {}
    for field in fields(cls):
        part = of_type(hints[field.name])
        if field.default is not MISSING:
            part = st.just(field.default) | part
        parts[field.name] = part
    return st.builds(cls, **parts)


headers = st.builds(
    Header,
    **dict.fromkeys(("scenario", "scenario_digest", "agent", "policy", "menu"), texts),
    task=texts,
    prompt=st.none() | texts,
    tools=st.lists(st.builds(ToolFacts.of, record(ToolDef), rights), max_size=2).map(
        tuple
    ),
    limits=st.none() | limits,
    loop=st.none() | loops,
)

raw_events: st.SearchStrategy[Event] = st.sampled_from(sorted(EVENT_KINDS)).flatmap(
    lambda kind: record(EVENT_KINDS[kind])
)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Traces whose views grow, shrink and are rewritten."""
    events = draw(st.lists(raw_events, max_size=6))
    items: list[Message] = []
    for event in events:
        for name in ("messages", "history"):
            if getattr(event, name, None) is None:
                continue
            if draw(st.booleans()):
                items = items[: draw(st.integers(0, len(items)))]
            items.extend(draw(st.lists(record(Message), max_size=2)))
            length = draw(st.integers(0, len(items)))
            setattr(event, name, MessageView(items, length))
    return Trace(draw(headers), events)
