"""Replies and messages in a few words, for errors and for the names of choices.

The words are for people and for the labels of choices, so they are short, on one line
and the same on every Python; they are never read back.
"""

from __future__ import annotations

import json

from agentsim.core import Message

LENGTH_MAX = 60


def quoted(text: str) -> str:
    """Quote a text on one line, cut to 60 characters."""
    cut = text if len(text) <= LENGTH_MAX else text[: LENGTH_MAX - 1] + "…"
    return json.dumps(cut, ensure_ascii=False)


def message_words(message: Message) -> str:
    """Say who speaks in a message, and what: text, calls, or the call it answers."""
    parts = []
    if message.content or not message.tool_calls:
        parts.append(quoted(message.content))
    parts += [f"{call.name} {_cut(call.arguments)}" for call in message.tool_calls]
    who: str = message.role
    if message.tool_call_id is not None:
        who += f" ({message.tool_call_id}{', error' if message.is_error else ''})"
    return f"{who}: {', '.join(parts)}"


def type_words(value: object) -> str:
    """Name the type of a value that is not what was expected."""
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LENGTH_MAX else line[: LENGTH_MAX - 1] + "…"
