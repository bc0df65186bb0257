"""A trace as text: one JSON object per line, the same bytes for the same trace."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from agentsim.core import EVENT_KINDS, Event, UsageError
from agentsim.trace._shapes import Context, shape_of
from agentsim.trace._values import Misfit
from agentsim.trace.header import Header

__all__ = ["jsonl_lines"]


def jsonl_lines(header: Header, events: Iterable[Event]) -> Iterator[str]:
    """Yield the lines of a trace, in ASCII, without their line ends.

    A view of messages is written against the one before it, and a set of tools once,
    so that the text grows linearly with the run.

    Raises:
        UsageError: when a field holds what JSON can't carry, with the event and field.
    """
    context = Context()
    record = _written(header, context, "the header of the trace")
    record.pop("version", None)
    yield _line({"agentsim_trace": header.version, **record}, "the header of the trace")
    context.toolsets.append(tuple(facts.definition for facts in header.tools))
    for number, event in enumerate(events):
        place = f"event {number} ({event.kind}) of the trace"
        if EVENT_KINDS.get(event.kind) is not type(event):
            raise UsageError(f"{place} is of no kind that agentsim knows")
        record = _written(event, context, place)
        yield _line({"kind": event.kind, "at_ns": event.at_ns, **record}, place)


def _written(value: Header | Event, context: Context, place: str) -> dict[str, object]:
    try:
        record = shape_of(type(value)).write(value, context)
    except Misfit as misfit:
        raise UsageError(
            f"{place} can't be written: field {misfit.place}: {misfit.words}"
        ) from None
    assert isinstance(record, dict)
    return record


def _line(record: Mapping[str, object], place: str) -> str:
    try:
        return json.dumps(record, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        words = "a field holds a value that is not of its type"
        raise UsageError(f"{place} can't be written: {words}") from None
