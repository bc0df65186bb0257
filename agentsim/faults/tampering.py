"""How faults of the model change a scripted reply.

A changed reply has no id of the scripted one: it gets ids of its own, made of the
operation's number, or none. So where its content was changed too it is never taken for
the scripted reply, which still comes next. Where only the ids were changed, the calls
were asked for, and a script that is found by content goes on behind them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentsim.core import (
    InvalidArguments,
    Message,
    ToolCall,
    parse_arguments,
)
from agentsim.faults.kinds import Operation

__all__ = [
    "cut_arguments",
    "drop_ids",
    "rename_tool",
    "repeat_call",
    "repeat_id",
]

NAME_LENGTH_MAX = 64
"""The longest tool name that every provider takes."""


def cut_arguments(message: Message, operation: Operation) -> Message:
    """Cut the arguments of the last call in half, as a lost tail would."""
    *before, last = message.tool_calls
    cut = replace(last, arguments=_cut(last.arguments))
    return _with_fresh_ids(message, (*before, cut), operation)


def rename_tool(message: Message, operation: Operation) -> Message:
    """Let the first call name a tool that does not exist."""
    first, *others = message.tool_calls
    renamed = replace(first, name=f"unknown_{first.name}"[:NAME_LENGTH_MAX])
    return _with_fresh_ids(message, (renamed, *others), operation)


def repeat_id(message: Message, operation: Operation) -> Message:
    """Give every call the same id, one that no scripted reply has."""
    fresh = _fresh_id(operation, 1)
    calls = tuple(replace(call, id=fresh) for call in message.tool_calls)
    return replace(message, tool_calls=calls)


def drop_ids(message: Message, _operation: Operation) -> Message:
    """Leave every call without an id."""
    calls = tuple(replace(call, id="") for call in message.tool_calls)
    return replace(message, tool_calls=calls)


def repeat_call(message: Message, operation: Operation) -> Message:
    """Ask for the first call, and for it alone."""
    return _with_fresh_ids(message, message.tool_calls[:1], operation)


def _with_fresh_ids(
    message: Message, calls: Iterable[ToolCall], operation: Operation
) -> Message:
    fresh = tuple(
        replace(call, id=_fresh_id(operation, position))
        for position, call in enumerate(calls, start=1)
    )
    return replace(message, tool_calls=fresh)


def _fresh_id(operation: Operation, position: int) -> str:
    # Letters, digits and dashes are what the ids of every provider may be made of.
    return f"faulty-{operation.attempt}-{position}"


def _cut(arguments: str) -> str:
    text = arguments.strip()
    half = text[: (len(text) + 1) // 2]
    if not half:
        return "{"
    try:
        parse_arguments(half)
    except InvalidArguments:
        return half
    # Half of a text that was invalid before may be valid: this never is.
    return "{"
