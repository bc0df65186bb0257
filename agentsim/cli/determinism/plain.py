"""A trace as text, also where an agent gave a tool what no trace file can hold."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any, cast

from agentsim.core import Event
from agentsim.trace import Trace, to_jsonl

__all__ = ["trace_text"]


def trace_text(trace: Trace) -> str:
    """The canonical text of a trace; what JSON can't carry stands in it by its type.

    Raises:
        UsageError: when an event is no event that agentsim knows.
    """
    return to_jsonl(Trace(trace.header, map(_plain_event, trace.events)))


def _plain_event(event: Event) -> Event:
    arguments = getattr(event, "arguments", None)
    plain = _plain(arguments)
    if plain != arguments:
        event = copy.copy(event)
        cast("Any", event).arguments = plain
    return event


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else f"<{value}>"
    return f"<{type(value).__name__}>"
