"""How faults of the model change a scripted reply.

A reply whose calls were changed has no id of the scripted one: it gets ids of its own,
made of the operation's number, or none. So it is never taken for the scripted reply,
which still comes next. Where only the ids were changed, or the stop reason, the text or
the usage, the calls were asked for, and the script goes on behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from agentsim.core import Message, Response, ToolCall
from agentsim.faults.kinds import Operation, Tamper

__all__ = [
    "cut_off",
    "cycle",
    "drop_ids",
    "empty",
    "rename_tool",
    "repeat_id",
    "say_done",
    "with_arguments",
    "with_reason",
    "without_calls",
    "without_usage",
]

NAME_LENGTH_MAX = 64
"""The longest tool name that every provider takes."""

Rewrite = Callable[[str], str]
"""Makes the faulty JSON text of a call's arguments of the scripted one."""


def with_arguments(rewrite: Rewrite) -> Tamper:
    """Rewrite the arguments of the last call, the calls before it stay."""

    def tamper(response: Response, operation: Operation) -> Response:
        *before, last = response.message.tool_calls
        changed = replace(last, arguments=rewrite(last.arguments))
        return _with_calls(response, (*before, changed), operation)

    return tamper


def rename_tool(response: Response, operation: Operation) -> Response:
    """Let the first call name a tool that does not exist."""
    first, *others = response.message.tool_calls
    renamed = replace(first, name=f"unknown_{first.name}"[:NAME_LENGTH_MAX])
    return _with_calls(response, (renamed, *others), operation)


def repeat_id(response: Response, operation: Operation) -> Response:
    """Give every call the same id, one that no scripted reply has."""
    return _with_id(response, _fresh_id(operation, 1))


def drop_ids(response: Response, _operation: Operation) -> Response:
    """Leave every call without an id."""
    return _with_id(response, "")


def cycle(length: int, vary: Callable[[str, int], str]) -> Tamper:
    """Ask for the first call alone, in so many variants of it, one after the other.

    Args:
        vary: Makes the n-th variant of the arguments; 0 leaves them as they are.
    """

    def tamper(response: Response, operation: Operation) -> Response:
        first = response.message.tool_calls[0]
        varied = vary(first.arguments, operation.turn % length)
        return _with_calls(response, (replace(first, arguments=varied),), operation)

    return tamper


def with_reason(reason: str) -> Tamper:
    """Give the reply another stop reason: it refuses nothing then, all else stays."""

    def tamper(response: Response, _operation: Operation) -> Response:
        return replace(response, stop_reason=reason, refusal=None)

    return tamper


def without_calls(
    reason: str, text: str | None = None, *, refusal: str | None = None
) -> Tamper:
    """Leave the calls out.

    Args:
        reason: The stop reason.
        text: In place of the text of the reply; None keeps it.
        refusal: Details of a refusal, or None.
    """

    def tamper(response: Response, _operation: Operation) -> Response:
        message = response.message
        said = message.content if text is None else text
        message = replace(message, content=said, tool_calls=())
        return replace(response, message=message, stop_reason=reason, refusal=refusal)

    return tamper


def empty(reason: str, text: str = "") -> Tamper:
    """Leave nothing of the reply but white space."""

    def tamper(response: Response, _operation: Operation) -> Response:
        message = Message("assistant", text)
        return replace(response, message=message, stop_reason=reason, refusal=None)

    return tamper


def cut_off(rewrite: Rewrite) -> Tamper:
    """End the reply in its middle, in the last call or else in the text, by max_tokens.

    Args:
        rewrite: Cuts the arguments of the call.
    """

    def tamper(response: Response, operation: Operation) -> Response:
        if response.message.tool_calls:
            cut = with_arguments(rewrite)(response, operation)
        else:
            text = response.message.content
            half = replace(response.message, content=text[: (len(text) + 1) // 2])
            cut = replace(response, message=half)
        return replace(cut, stop_reason="max_tokens", refusal=None)

    return tamper


def say_done(response: Response, _operation: Operation) -> Response:
    """Say beside the calls that all is done."""
    return replace(response, message=replace(response.message, content="Done."))


def without_usage(response: Response, _operation: Operation) -> Response:
    """Send no usage."""
    return replace(response, usage=None)


def _with_id(response: Response, call_id: str) -> Response:
    message = response.message
    calls = tuple(
        ToolCall(call_id, call.name, call.arguments) for call in message.tool_calls
    )
    return replace(response, message=replace(message, tool_calls=calls))


def _with_calls(
    response: Response, calls: Iterable[ToolCall], operation: Operation
) -> Response:
    """The response with these calls, each under an id of its own."""
    fresh = tuple(
        ToolCall(_fresh_id(operation, position), call.name, call.arguments)
        for position, call in enumerate(calls, start=1)
    )
    return replace(response, message=replace(response.message, tool_calls=fresh))


def _fresh_id(operation: Operation, position: int) -> str:
    # Letters, digits and dashes are what the ids of every provider may be made of.
    return f"faulty-{operation.attempt}-{position}"
