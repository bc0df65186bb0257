"""Where two traces part, in words: the first event that is not the same."""

from __future__ import annotations

from dataclasses import fields
from itertools import zip_longest

from agentsim.core import Event, MessageView
from agentsim.trace.record import Trace

__all__ = ["diff"]

NS_PER_S = 1_000_000_000
SHOWN = 60


def diff(first: Trace, second: Trace) -> str | None:
    """Say where two traces first differ, or None when they are equal.

    The words name what differs in the headers, and the first event that is not the same
    by its number (0-based) and virtual time, the field that differs, and what each
    trace has there.
    """
    header, event = _headers(first, second), _events(first, second)
    if header is None:
        return event
    return f"{header}; {event or 'the events are the same'}"


def _headers(first: Trace, second: Trace) -> str | None:
    differ = []
    for field in fields(first.header):
        mine = getattr(first.header, field.name)
        other = getattr(second.header, field.name)
        if not _same(mine, other):
            differ.append(f"{field.name}: {_against(mine, other)}")
    return f"the headers differ in {', '.join(differ)}" if differ else None


def _events(first: Trace, second: Trace) -> str | None:
    for number, (one, two) in enumerate(zip_longest(first.events, second.events)):
        if one is None or two is None:
            return _longer(number, one, two)
        if not _equal(one, two) and (parted := _parted(one, two)) is not None:
            return f"event {number}{parted}"
    return None


def _longer(number: int, one: Event | None, two: Event | None) -> str:
    more, event = ("first", one) if two is None else ("second", two)
    assert event is not None
    return (
        f"both have the same {number} events, and the {more} goes on "
        f"with {event.kind} at {_time(event)}"
    )


def _same(mine: object, other: object) -> bool:
    """Whether two values are the same; a NaN is, though it equals nothing."""
    return _equal(mine, other) or _shown(mine) == _shown(other)


def _equal(mine: object, other: object) -> bool:
    """Whether two values say that they are equal; some have their own way to compare."""
    try:
        return bool(mine == other)
    except Exception:  # noqa: BLE001 - whatever the agent left in a trace
        return False


def _shown(value: object) -> str:
    try:
        return ascii(value)
    except Exception:  # noqa: BLE001 - the same
        return f"(a {type(value).__name__} that can't be shown)"


def _parted(one: Event, two: Event) -> str | None:
    """Where two unequal events part, or None where they only hold a NaN."""
    if type(one) is not type(two):
        first, second = (f"{event.kind} at {_time(event)}" for event in (one, two))
        return f": {first} against {second}"
    head = f" ({one.kind} at {_time(one)})"
    for field in fields(one):
        mine, other = getattr(one, field.name), getattr(two, field.name)
        if _same(mine, other):
            continue
        if isinstance(mine, MessageView) and isinstance(other, MessageView):
            return f"{head} differs in {field.name}{_messages(mine, other)}"
        return f"{head} differs in {field.name}: {_against(mine, other)}"
    return None


def _messages(mine: MessageView, other: MessageView) -> str:
    for number, (one, two) in enumerate(zip(mine, other, strict=False)):
        if not _same(one, two):
            return f"[{number}]: {_against(one, two)}"
    return f": {len(mine)} messages against {len(other)}"


def _time(event: Event) -> str:
    whole, rest = divmod(event.at_ns, NS_PER_S)
    digits = f"{rest:09d}".rstrip("0")
    return f"{whole}.{digits} s" if digits else f"{whole} s"


def _against(mine: object, other: object) -> str:
    """Both values, cut to a window around the first character that differs."""
    one, two = _shown(mine), _shown(other)
    same = next(
        (n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b),
        min(len(one), len(two)),
    )
    start = max(0, same - SHOWN // 3)
    return f"{_window(one, start)} against {_window(two, start)}"


def _window(text: str, start: int) -> str:
    before = "... " if start else ""
    after = " ..." if len(text) > start + SHOWN else ""
    return f"{before}{text[start : start + SHOWN]}{after}"
