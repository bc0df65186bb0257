"""Documents of a cassette as text: what people read in a review, line by line.

Fields that are as by default are left out, so that equal records give equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache

from agentsim.cassettes.literals import (
    ESCAPED,
    escaped,
    is_whole,
    write_key,
    write_text,
)
from agentsim.cassettes.recognising import HEADER_KEY
from agentsim.cassettes.records import (
    CassetteHeader,
    RecordedChunk,
    RecordedExchange,
    RecordedTool,
)

__all__ = ["document_text", "header_text"]

_CLOSED = "complete: true\n"

_LONG = (
    "request",
    "answer",
    "message",
    "headers",
    "body",
    "chunks",
    "arguments",
    "result",
)


def header_text(header: CassetteHeader) -> str:
    """The document that a cassette begins with."""
    told = (
        f"{name}: {_text(getattr(header, name), 0)}"
        for name in ("recorded_by", "recorded_at", "owner")
        if getattr(header, name)
    )
    return "".join((f"---\n{HEADER_KEY}: {header.version}\n", *told, _CLOSED))


def document_text(entry: RecordedExchange | RecordedTool) -> str:
    """The document of an exchange or of a call of a tool."""
    kind = "exchange" if isinstance(entry, RecordedExchange) else "tool"
    return "".join((f"---\nkind: {kind}\n", *_fields(entry, 0), _CLOSED))


def _fields(record: object, indent: int) -> Iterator[str]:
    pad = " " * indent
    for field in _in_order(type(record)):  # type: ignore[arg-type]  # types have hashes
        value = getattr(record, field.name)
        if field.name == "status" or not _goes_without_saying(field, value):
            yield f"{pad}{field.name}:{_value(value, indent)}"


@cache
def _in_order(cls: type) -> tuple[Field[object], ...]:
    """The fields of a record: what is long comes last, else in the order of the class."""
    listed: tuple[Field[object], ...] = fields(cls)
    return tuple(sorted(listed, key=lambda field: field.name in _LONG))


def _goes_without_saying(field: Field[object], value: object) -> bool:
    if field.default_factory is not MISSING:
        return value == field.default_factory()
    if field.default is None:
        return value is None
    return value == field.default


def _value(value: object, indent: int) -> str:
    """What stands behind a key and its colon, line end included."""
    if isinstance(value, str):
        return f" {_text(value, indent)}"
    if value is None:
        return " null\n"
    if isinstance(value, (int, float)):
        return f" {_number(value)}\n"
    if isinstance(value, Mapping):
        return "\n" + "".join(_headers(value, indent + 2))
    if isinstance(value, Sequence):
        return _list(value, indent)
    lines = "".join(_fields(value, indent + 2))
    return f"\n{lines}" if lines else " {}\n"


def _headers(headers: Mapping[str, str], indent: int) -> Iterator[str]:
    pad = " " * indent
    for name in sorted(headers):
        key = write_key(name if is_whole(name) else escaped(name))
        yield f"{pad}{key}: {_text(headers[name], indent)}"


def _list(entries: Sequence[object], indent: int) -> str:
    if not entries:
        return " []\n"
    pad = " " * indent
    parts = ["\n"]
    for entry in entries:
        if isinstance(entry, RecordedChunk):
            inner = f"at_ms: {_number(entry.at_ms)}\n{pad}  text:"
            parts.append(f"{pad}- {inner}{_value(entry.text, indent + 2)}")
        else:
            inner = "".join(_fields(entry, indent + 2))[indent + 2 :]
            parts.append(f"{pad}- {inner}" if inner else f"{pad}- {{}}\n")
    return "".join(parts)


def _number(value: float) -> str:
    """A number in steps of a thousandth, as short as it can be."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _text(text: str, indent: int) -> str:
    if is_whole(text):
        return write_text(text, indent)
    return f"\n{' ' * (indent + 2)}{ESCAPED}: {write_text(escaped(text), indent + 2)}"
