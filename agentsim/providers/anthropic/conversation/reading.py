"""Messages of Anthropic to and from the neutral form, with nothing lost on the way.

A message of the model is one neutral message. One of the user is several where it holds
results: a result is a message of role `tool`, and what stands before or after is one of
the user. What the neutral form has no field for stands in blocks of type `wire`:

- `content`: the blocks, where they are more than opaque blocks, a text and calls, in this
  order (for a result, a user or a system prompt: more than one text);
- `rest`: other keys of a result;
- `joined`: whether the message stands with the one before in one message of the wire,
  where that is not what is taken for granted (results that follow one another do);
- `inline`: a system message that stands in the conversation, at its very start;
- `value`: a message that has not the form of one, for the rules to refuse;
- `marks`, in a block of its own: where the breakpoints of the cache stand.

A message that says the same is the same message, whoever wrote it down: a text or one
block of text, an empty content or none, keys that say nothing. Reading never fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, TypeGuard

from agentsim.core import WIRE_BLOCK, Message, Role
from agentsim.providers.anthropic.conversation.blocks import (
    CARRIED,
    marks_of,
    plain_text,
    read_call,
    slim,
    texts_of,
)

__all__ = ["is_blocks", "own_fields", "read_assistant", "read_message", "read_system"]

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}

Block = Mapping[str, Any]

Marks = list[tuple[tuple[int, ...], Any]]


def read_message(value: object, *, after: Role | None = None) -> list[Message]:
    """Read one message of a request: the neutral messages that it is.

    Args:
        after: Role of the neutral message before; None for the first of all.
    """
    if not _is_proper(value):
        role = value.get("role") if isinstance(value, Mapping) else None
        known = ROLES.get(role, "user") if isinstance(role, str) else "user"
        return [Message(known, blocks=({"type": WIRE_BLOCK, "value": value},))]
    role, content = ROLES[value["role"]], value["content"]
    if role == "assistant":
        return [read_assistant(content)]
    found = _read_pieces(role, content)
    if after is None and role == "system":
        found[0] = _with_own(found[0], {"inline": True})
    elif after == "tool" == found[0].role:
        found[0] = _with_own(found[0], {"joined": False})
    return found


def _is_proper(value: object) -> TypeGuard[Mapping[str, Any]]:
    if not isinstance(value, Mapping) or value.keys() != {"role", "content"}:
        return False
    role, content = value["role"], value["content"]
    if not isinstance(role, str) or role not in ROLES:
        return False
    return isinstance(content, str) or is_blocks(content)


def is_blocks(content: object) -> TypeGuard[list[Block]]:
    """Whether a content is a list of blocks that tell their type."""
    return isinstance(content, list) and all(
        isinstance(block, Mapping) and isinstance(block.get("type"), str)
        for block in content
    )


def read_assistant(content: str | list[Block]) -> Message:
    """Read what the model said."""
    if isinstance(content, str):
        return Message("assistant", content)
    blocks = [slim(block) for block in content]
    read = [read_call(block) for block in blocks if block["type"] == "tool_use"]
    kept: list[Block] = [block for block in blocks if block["type"] in CARRIED]
    if not _in_order(blocks) or not all(proper for _call, proper in read):
        kept.append({"type": WIRE_BLOCK, "content": blocks})
    calls = tuple(call for call, _proper in read)
    kept += _own_marks([*marks_of(content)])
    return Message("assistant", texts_of(blocks), calls, blocks=tuple(kept))


def _in_order(blocks: Sequence[Block]) -> bool:
    """Whether blocks stand as they are written: opaque ones, one text, then calls."""
    stage = 0
    for block in blocks:
        kind = block["type"]
        if kind == "tool_use":
            stage = 2
        elif kind in CARRIED:
            if stage > 0:
                return False
        elif stage > 0 or plain_text(block) is None:
            return False
        else:
            stage = 1
    return True


def _read_pieces(role: Role, content: str | Sequence[Block]) -> list[Message]:
    """Read a content that may have results in it: each is a message of its own."""
    if isinstance(content, str):
        return [Message(role, content)]
    found: list[Message] = []
    numbered = enumerate(content)
    for is_result, group in groupby(
        numbered, key=lambda pair: _is_result(role, pair[1])
    ):
        run = [*group]
        if is_result:
            read = [_read_result(block) for _number, block in run]
        else:
            read = [_read_texts(role, [block for _number, block in run])]
        if found:
            read[0] = _with_own(read[0], {"joined": True})
        found += read
    return found or [Message(role)]


def _is_result(role: Role, block: Block) -> bool:
    is_result = role == "user" and block["type"] == "tool_result"
    return is_result and isinstance(block.get("tool_use_id"), str)


def _read_result(block: Block) -> Message:
    rest = slim(block)
    del rest["type"]
    answered = rest.pop("tool_use_id")
    failed = rest.get("is_error") is True
    if failed:
        del rest["is_error"]
    content = rest.get("content")
    own: dict[str, Any] = {}
    if content is None or isinstance(content, str) or not content:
        text = rest.pop("content", None) or ""
    else:
        text = texts_of(content)
        if not _is_plain(content):
            own["content"] = content
        del rest["content"]
    if rest:
        own["rest"] = rest
    marks: Marks = [(place[1:], mark) for place, mark in marks_of([block])]
    blocks = ({"type": WIRE_BLOCK, **own},) if own else ()
    return Message("tool", text, (), answered, failed, (*blocks, *_own_marks(marks)))


def _is_plain(content: object) -> bool:
    return (
        isinstance(content, list)
        and len(content) == 1
        and plain_text(content[0]) is not None
    )


def _read_texts(role: Role, content: Sequence[Block]) -> Message:
    blocks = [slim(block) for block in content]
    own = () if _is_plain(blocks) else ({"type": WIRE_BLOCK, "content": blocks},)
    marks = _own_marks([*marks_of([*content])])
    return Message(role, texts_of(blocks), blocks=(*own, *marks))


def read_system(value: object) -> Message | None:
    """Read the `system` of a request; None where it says nothing."""
    if value is None or value in ("", []):
        return None
    if isinstance(value, str):
        return Message("system", value)
    if is_blocks(value):
        return _read_texts("system", value)
    return Message("system", blocks=({"type": WIRE_BLOCK, "value": value},))


def _own_marks(marks: Marks) -> list[Block]:
    """The block that says where the marks stand, if there is one."""
    if not marks:
        return []
    told = [[*place, mark] for place, mark in marks]
    return [{"type": WIRE_BLOCK, "marks": told}]


def _with_own(message: Message, fields: Mapping[str, Any]) -> Message:
    """The message with more of this wire's own."""
    first = {"type": WIRE_BLOCK, **own_fields(message), **fields}
    marks = first.pop("marks", None)
    others = [b for b in message.blocks if b.get("type") != WIRE_BLOCK]
    more = [] if marks is None else [{"type": WIRE_BLOCK, "marks": marks}]
    return Message(
        message.role,
        message.content,
        message.tool_calls,
        message.tool_call_id,
        message.is_error,
        (*others, first, *more),
    )


def own_fields(message: Message) -> dict[str, Any]:
    """What a message has of this wire beside the neutral form."""
    fields: dict[str, Any] = {}
    for block in message.blocks:
        if block.get("type") == WIRE_BLOCK:
            fields |= {key: value for key, value in block.items() if key != "type"}
    return fields
