"""Frames of streams as bytes, and back: server-sent events."""

from __future__ import annotations

import re

from agentsim.core import parse_json
from agentsim.providers.wires.bodies import json_bytes
from agentsim.providers.wires.dialect import Frame

__all__ = ["frame_bytes", "read_frames_of"]

_LINE_END = re.compile(rb"\r\n|\n|\r")

_MARK = b"\xef\xbb\xbf"
"""What marks UTF-8 in front of some texts."""


def frame_bytes(frame: Frame) -> bytes:
    """One event, with the blank line that ends it."""
    data = frame.data
    told = data.encode() if isinstance(data, str) else json_bytes(data)
    named = f"event: {frame.event}\n" if frame.event else ""
    return b"%sdata: %s\n\n" % (named.encode(), told)


def read_frames_of(raw: bytes) -> list[Frame]:
    """The events of a stream, as far as they came whole; comments say nothing.

    What is no JSON object stays a text.

    Raises:
        UnicodeDecodeError: for what is no UTF-8.
    """
    frames = []
    event, data = "", list[str]()
    # What stands behind the last end of a line is no line yet, and may break off within
    # a character.
    *lines, _rest = _LINE_END.split(raw.removeprefix(_MARK))
    for line in lines:
        if not line:
            if data:
                frames.append(_frame("\n".join(data), event))
            event, data = "", []
            continue
        field, _colon, value = line.decode("utf-8", "surrogatepass").partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            event = value
        elif field == "data":
            data.append(value)
    return frames


def _frame(text: str, event: str) -> Frame:
    if not text.startswith("{"):
        return Frame(text, event)
    return Frame(parse_json(text, unique_keys=False), event)
