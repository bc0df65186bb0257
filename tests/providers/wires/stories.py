"""Histories with results that do not fit their calls, written in the form of each wire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Step = tuple[str, ...]
"""`user`, a text; `says`, a text; `calls`, their ids; `result`, the id of its call."""

Steps = tuple[Step, ...]

ASKS: Step = ("user", "Look.")
TWO: Step = ("calls", "call_a", "call_b")
ONE: Step = ("calls", "call_c")
NEXT: Step = ("user", "And then?")
SAYS: Step = ("says", "I have looked.")
A: Step = ("result", "call_a")
B: Step = ("result", "call_b")
C: Step = ("result", "call_c")
NONE: Step = ("result", "call_z")

ORPHANS: tuple[Steps, ...] = (
    (ASKS, TWO, A, B, NONE),
    (ASKS, NONE),
    (ASKS, TWO, A, B, NONE, ONE, C),
    (ASKS, TWO, A, B, ONE, C, NONE),
    (ASKS, TWO, NONE, B),
)

MISSING: tuple[Steps, ...] = (
    (ASKS, TWO, B),
    (ASKS, TWO, A),
    (ASKS, TWO, NEXT),
    (ASKS, TWO, A, B, ONE, NEXT),
    (ASKS, TWO, A, ONE, C),
)

TWICE: tuple[Steps, ...] = (
    (ASKS, TWO, A, A, B),
    (ASKS, TWO, A, B, B),
    (ASKS, TWO, A, B, ONE, C, C),
    (ASKS, TWO, A, B, A, B),
    (ASKS, TWO, A, B, ONE, C, A),
)

LATE: tuple[tuple[int, Steps], ...] = (
    (3, (ASKS, TWO, NEXT, A, B)),
    (4, (ASKS, TWO, A, NEXT, B)),
    (5, (ASKS, ONE, C, TWO, NEXT, A, B)),
    (5, (ASKS, TWO, A, ONE, C, B)),
    (6, (ASKS, TWO, A, B, ONE, NEXT, C)),
)
"""How many steps the request has that lacks them, and the one that has them."""

SWAPPED: tuple[Steps, ...] = (
    (ASKS, TWO, B, A),
    (ASKS, TWO, B, A, ONE, C),
    (ASKS, ONE, C, TWO, B, A),
    (ASKS, TWO, B, A, NEXT),
    (ASKS, ONE, C, NEXT, TWO, B, A, NEXT),
)

GOOD: tuple[Steps, ...] = (
    (ASKS, TWO, A, B),
    (ASKS, TWO, A, B, ONE, C),
    (ASKS, ONE, C, NEXT, TWO, A, B, NEXT),
)


def chat(steps: Sequence[Step]) -> dict[str, Any]:
    """The body of a request of Chat Completions."""
    messages: list[Any] = []
    for kind, *rest in steps:
        if kind == "calls":
            calls = [
                {"id": one, "type": "function", "function": _function()} for one in rest
            ]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        elif kind == "result":
            messages.append(
                {"role": "tool", "tool_call_id": rest[0], "content": "text"}
            )
        else:
            role = "user" if kind == "user" else "assistant"
            messages.append({"role": role, "content": rest[0]})
    tool = {"type": "function", "function": {"name": "look", "parameters": _schema()}}
    return {"model": "gpt-5", "messages": messages, "tools": [tool]}


def responses(steps: Sequence[Step]) -> dict[str, Any]:
    """The body of a request of Responses."""
    items: list[Any] = []
    for kind, *rest in steps:
        if kind == "calls":
            items += [
                {"type": "function_call", "call_id": one, **_function()} for one in rest
            ]
        elif kind == "result":
            items.append(
                {"type": "function_call_output", "call_id": rest[0], "output": "text"}
            )
        else:
            role = "user" if kind == "user" else "assistant"
            items.append({"role": role, "content": rest[0]})
    tool = {
        "type": "function",
        "name": "look",
        "parameters": _schema(),
        "strict": False,
    }
    return {"model": "gpt-5", "input": items, "tools": [tool]}


def messages(steps: Sequence[Step], *, split: bool = False) -> dict[str, Any]:
    """The body of a request of Anthropic Messages.

    Args:
        split: Whether each result has a message of its own.
    """
    told: list[Any] = []
    before = ""
    for kind, *rest in steps:
        if kind == "calls":
            calls = [
                {"type": "tool_use", "id": one, "name": "look", "input": {}}
                for one in rest
            ]
            told.append({"role": "assistant", "content": calls})
        elif kind == "result":
            block = {"type": "tool_result", "tool_use_id": rest[0], "content": "text"}
            if before == "result" and not split:
                told[-1]["content"].append(block)
            else:
                told.append({"role": "user", "content": [block]})
        else:
            role = "user" if kind == "user" else "assistant"
            told.append({"role": role, "content": rest[0]})
        before = kind
    tool = {"name": "look", "input_schema": _schema()}
    return {"model": "claude", "max_tokens": 9, "messages": told, "tools": [tool]}


WRITERS: dict[str, Callable[[Sequence[Step]], dict[str, Any]]] = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic-messages": messages,
}


def _function() -> dict[str, str]:
    return {"name": "look", "arguments": "{}"}


def _schema() -> dict[str, Any]:
    return {"type": "object", "properties": {}}
