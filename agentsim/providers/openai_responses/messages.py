"""Items of Responses as messages of the neutral form, and back with nothing lost.

The output items of one response are one message of the model: reasoning, texts, calls.
What the neutral form has no field for (ids, status, phases, parts, the order of items)
stands in one block of type `wire`, which holds every item without what the message has.
A message that has none is written as the shortest items that say it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from agentsim.core import WIRE_BLOCK, Message, Role, ToolCall
from agentsim.providers.openai_responses.items import (
    CALLS,
    REASONING,
    Piece,
    fill,
    role_of,
    take,
    type_of,
)

__all__ = ["Origins", "belongs", "own_items", "read_group", "read_items", "write_items"]


class Origins(Protocol):
    """Knows what the service sent."""

    def response_of(self, item: object) -> str | None:
        """Id of the response that an item is of, where it is known."""

    def before(self, item: object) -> Sequence[str]:
        """Types of the items before one in its response, where that is known."""


class _Nowhere:
    def response_of(self, _item: object) -> str | None:
        return None

    def before(self, _item: object) -> Sequence[str]:
        return ()


NOWHERE = _Nowhere()


def read_items(items: Sequence[object], origins: Origins = NOWHERE) -> list[Message]:
    """Read a whole list of items."""
    messages: list[Message] = []
    start = 0
    for at in range(1, len(items) + 1):
        if at < len(items) and belongs(items[at - 1], items[at], origins):
            continue
        messages.append(read_group(items[start:at]))
        start = at
    return messages


def belongs(before: object, item: object, origins: Origins = NOWHERE) -> bool:
    """Whether an item is of the same message as the one before it.

    Only what the model says in one response is. Ids that were issued tell, also that what
    has none was written by hand: the response had nothing like it before the item. Where
    no ids are known, a second text begins a new message, unless it follows a commentary.
    """
    if role_of(before) != "assistant" or role_of(item) != "assistant":
        return False
    of = origins.response_of(item)
    if of is not None:
        known = origins.response_of(before)
        return type_of(before) in origins.before(item) if known is None else known == of
    return not _closed(before) or type_of(item) in (*CALLS, "compaction")


def _closed(item: object) -> bool:
    """Whether nothing but calls follows an item in its response."""
    if type_of(item) != "message" or not isinstance(item, dict):
        return False
    return item.get("phase") != "commentary"


def read_group(items: Sequence[object], *, answer: bool = False) -> Message:
    """Read the items of one message.

    Args:
        answer: Whether they are all that an answer says: the model's, whatever they
            are, and kept as they came.
    """
    role = "assistant" if answer else role_of(items[0])
    pieces = [_taken(item, role) for item in items]
    texts = [text for piece in pieces for text in piece.texts]
    calls = tuple(piece.call for piece in pieces if piece.call is not None)
    blocks = tuple(piece.block for piece in pieces if piece.block is not None)
    answered = pieces[0].key if role == "tool" else None
    message = Message(role, "".join(texts), calls, answered, blocks=blocks)
    if not answer and write_items(message) == items:
        return message
    several = len(texts) > 1
    entries = [
        {"whole": item} if several and piece.kind == "text" else piece.entry
        for item, piece in zip(items, pieces, strict=True)
    ]
    own = {"type": WIRE_BLOCK, "items": entries}
    return Message(role, message.content, calls, answered, blocks=(*blocks, own))


def write_items(message: Message, custom: Sequence[str] = ()) -> list[Any]:
    """Write a message as items of an input.

    A message that was changed since it was read is written anew. The flag of a failed
    result has no place on this wire, and blocks of other wires have none.

    Args:
        custom: Names of the tools that take a text, and no JSON.
    """
    entries = own_items(message)
    if entries is not None:
        filled = _filled(message, entries)
        if filled is not None:
            return filled
    if message.role == "tool":
        return [
            {
                "type": "function_call_output",
                "call_id": message.tool_call_id,
                "output": message.content,
            }
        ]
    items: list[Any] = _reasoning(message)
    if message.content or not (items or message.tool_calls):
        items.append({"role": message.role, "content": message.content})
    return items + [_write_call(call, custom) for call in message.tool_calls]


def own_items(message: Message) -> Sequence[Mapping[str, Any]] | None:
    """The items of this wire that a message was read from, without what it holds."""
    for block in message.blocks:
        if block.get("type") == WIRE_BLOCK and isinstance(block.get("items"), list):
            entries: list[Mapping[str, Any]] = block["items"]
            return entries
    return None


def _reasoning(message: Message) -> list[Any]:
    return [dict(block) for block in message.blocks if block.get("type") == REASONING]


def _write_call(call: ToolCall, custom: Sequence[str]) -> dict[str, Any]:
    kind = "custom_tool_call" if call.name in custom else "function_call"
    return {
        "type": kind,
        "call_id": call.id,
        "name": call.name,
        CALLS[kind][1]: call.arguments,
    }


def _filled(message: Message, entries: Sequence[Mapping[str, Any]]) -> list[Any] | None:
    """The items with what the message holds, or None where it does not fit them."""
    calls, blocks = iter(message.tool_calls), iter(_reasoning(message))
    items: list[Any] = []
    told: list[str] = []
    for entry in entries:
        piece = _next(entry, message, calls, blocks)
        if piece is None:
            return None
        told += piece.texts
        items.append(fill(entry, piece))
    fits = "".join(told) == message.content
    return items if fits and not [*calls, *blocks] else None


def _next(
    entry: Mapping[str, Any],
    message: Message,
    calls: Iterator[ToolCall],
    blocks: Iterator[Mapping[str, Any]],
) -> Piece | None:
    """What of the message an entry takes: the next of its kind."""
    kind, rest = next(iter(entry.items()))
    if kind == "text":
        return Piece("text", rest, [message.content])
    if kind == "result":
        return Piece("result", rest, [message.content], key=message.tool_call_id)
    if kind == "call":
        call = next(calls, None)
        return Piece("call", rest, call=call) if call is not None else None
    if kind == REASONING:
        block = next(blocks, None)
        return Piece("reasoning", rest, block=block) if block is not None else None
    return _taken(rest, message.role)


def _taken(item: object, role: Role) -> Piece:
    """An item, taken apart: an output is a result in a message of its own only."""
    piece = take(item)
    misplaced = piece.key is not None and role != "tool"
    return Piece("whole", item) if misplaced else piece
