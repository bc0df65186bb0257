"""Traces as JSON Lines: written canonically, read back checked (spec T5).

The first line is the header, with `agentsim_trace` as the version of the schema; each
further line is one event, its `kind` first. What can't be read is a `UsageError` that
names file, line and field.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from agentsim.core import (
    DEPTH_MAX,
    EVENT_KINDS,
    Event,
    UsageError,
    did_you_mean,
    find_fault,
)
from agentsim.trace._shapes import Context, shape_of
from agentsim.trace._values import Misfit, show
from agentsim.trace._writing import jsonl_lines
from agentsim.trace.header import VERSION, Header
from agentsim.trace.record import Trace

__all__ = ["from_jsonl", "to_jsonl"]

LINE_DEPTH_MAX = DEPTH_MAX + 10
"""How deep a line may be nested: arguments stand a few levels inside of it."""


def to_jsonl(trace: Trace) -> str:
    """Write a trace as text in ASCII; equal traces give the same bytes.

    Raises:
        UsageError: when an event holds what JSON can't carry (a date in the arguments
            of a tool), with the event and the field.
    """
    return "".join(f"{line}\n" for line in jsonl_lines(trace.header, trace.events))


def from_jsonl(text: str | bytes, name: str = "the trace") -> Trace:
    """Read a trace that `to_jsonl` wrote.

    Tuples inside of arguments come back as lists, and two surrogates that stand for
    one character come back as that character; all else comes back equal.

    Args:
        text: The content of the file.
        name: How error messages call the file.

    Raises:
        UsageError: naming file, line and field, when it is not such a text.
    """
    lines = _decoded(text, name).split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        raise UsageError(f"{name} is empty: expected the header of a trace in line 1")
    context = Context()
    header = _header(lines[0], f"{name}, line 1", context)
    context.toolsets.append(tuple(facts.definition for facts in header.tools))
    events = [
        _event(line, f"{name}, line {number}", context)
        for number, line in enumerate(lines[1:], 2)
    ]
    return Trace(header, events)


def _decoded(text: str | bytes, name: str) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is no text in UTF-8 (byte {error.start}): expected a trace, "
            "one JSON object per line"
        ) from None


def _header(line: str, place: str, context: Context) -> Header:
    record = _object(line, place)
    if "agentsim_trace" not in record:
        raise UsageError(
            f'{place}: expected the header of a trace, with "agentsim_trace": {VERSION}'
        )
    version = record.pop("agentsim_trace")
    if isinstance(version, bool) or version != VERSION:
        raise UsageError(
            f"{place}, field agentsim_trace: expected version {VERSION}, "
            f"got {show(version)}; read it with the agentsim that wrote it"
        )
    if "version" in record:
        raise UsageError(f'{place}: there is no field "version" here')
    header = _read(Header, record, place, context)
    assert isinstance(header, Header)
    return header


def _event(line: str, place: str, context: Context) -> Event:
    record = _object(line, place)
    kind = record.pop("kind", None)
    cls = EVENT_KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        known = did_you_mean(kind, EVENT_KINDS) if isinstance(kind, str) else ""
        raise UsageError(
            f"{place}, field kind: expected a kind of event, got {show(kind)}{known}"
        )
    event = _read(cls, record, place, context)
    assert isinstance(event, Event)
    return event


def _read(cls: type, record: object, place: str, context: Context) -> object:
    try:
        return shape_of(cls).read(record, context)
    except Misfit as misfit:
        where = f"{place}, field {misfit.place}" if misfit.path else place
        raise UsageError(f"{where}: {misfit.words}") from None


def _object(line: str, place: str) -> dict[str, Any]:
    if _too_deep(line):
        raise UsageError(f"{place}: nested deeper than {LINE_DEPTH_MAX} levels")
    try:
        value = _DECODER.decode(line)
    except (ValueError, RecursionError):
        fault = find_fault(line) or "more than this interpreter can read"
        raise UsageError(f"{place} is not JSON: {_in_line(fault)}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{place}: expected a JSON object, got {show(value)}")
    return value


def _in_line(fault: str) -> str:
    """Leave the line out of a fault's place: the file's own number says it."""
    return fault.replace("at line 1, column", "at column")


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def _too_deep(line: str) -> bool:
    if line.count("[") + line.count("{") <= LINE_DEPTH_MAX:
        return False
    depth = 0
    for mark in _TOKEN.findall(line):
        depth += (mark in "[{") - (mark in "]}")
        if depth > LINE_DEPTH_MAX:
            return True
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError
    return record


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError
    return value


def _refuse(_name: str) -> float:
    raise ValueError


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse
)
