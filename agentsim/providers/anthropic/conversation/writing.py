"""Neutral histories as requests of Anthropic Messages have them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import Message
from agentsim.providers.anthropic.conversation.blocks import CARRIED, MARK, write_call
from agentsim.providers.anthropic.conversation.reading import own_fields, read_assistant

__all__ = ["write_assistant", "write_history"]


def write_history(messages: Sequence[Message]) -> dict[str, Any]:
    """The `messages` of a request, and its `system` where there is a prompt.

    Results that follow one another stand in one message of the user (R3.3). Blocks of
    other wires have no place here, and are left out.
    """
    told: dict[str, Any] = {}
    written: list[Any] = []
    before = None
    for message in messages:
        own = own_fields(message)
        if before is None and message.role == "system" and not own.get("inline"):
            told["system"] = _content(message, own)
        elif "value" in own:
            written.append(own["value"])
        elif written and _joins(message, before, own):
            _join(written[-1], message, own)
        else:
            role = "user" if message.role == "tool" else message.role
            written.append({"role": role, "content": _content(message, own)})
        before = message
    return {**told, "messages": written}


def _joins(message: Message, before: Message | None, own: Mapping[str, Any]) -> bool:
    """Whether a message stands with the one before in one message of the wire."""
    if before is None or {message.role, before.role} - {"user", "tool"}:
        return False
    joined = own.get("joined", message.role == before.role == "tool")
    return joined is True


def _join(written: dict[str, Any], message: Message, own: Mapping[str, Any]) -> None:
    content, more = written["content"], _content(message, own)
    both = [_as_blocks(content), _as_blocks(more)]
    written["content"] = [block for blocks in both for block in blocks]


def _as_blocks(content: Any) -> list[Any]:  # noqa: ANN401 - a text or blocks
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [*content]


def _content(message: Message, own: Mapping[str, Any]) -> Any:  # noqa: ANN401
    if "value" in own:
        return own["value"]
    if message.role == "assistant":
        return write_assistant(message)
    if message.role == "tool":
        return [_result(message, own)]
    content = copy.deepcopy(own.get("content", message.content))
    return _marked(content, own.get("marks"))


def _result(message: Message, own: Mapping[str, Any]) -> dict[str, Any]:
    block: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": message.tool_call_id or "",
        "content": copy.deepcopy(own.get("content", message.content)),
        **copy.deepcopy(own.get("rest", {})),
    }
    if message.is_error:
        block["is_error"] = True
    for *place, mark in own.get("marks", ()):
        if place:
            block["content"] = _marked(block["content"], [[*place, mark]])
        else:
            block[MARK] = mark
    return block


def write_assistant(message: Message) -> list[Any]:
    """What the model said, in blocks: opaque ones, its text, its calls.

    Where the message came by this wire its blocks stand as they stood, unless the
    message says something else by now (a fault changed it).
    """
    own = own_fields(message)
    content = own.get("content")
    if content is None or not _says(content, message):
        content = [block for block in message.blocks if block.get("type") in CARRIED]
        if message.content:
            content.append({"type": "text", "text": message.content})
        content += [write_call(call) for call in message.tool_calls]
    written = _marked(copy.deepcopy(content), own.get("marks"))
    assert isinstance(written, list)
    return written


def _says(content: list[Any], message: Message) -> bool:
    """Whether blocks that were kept are still those of the message."""
    read = read_assistant(content)
    return (read.content, read.tool_calls) == (
        message.content,
        message.tool_calls,
    ) and _opaque(read) == _opaque(message)


def _opaque(message: Message) -> list[Mapping[str, Any]]:
    return [block for block in message.blocks if block.get("type") in CARRIED]


def _marked(content: Any, marks: Any) -> Any:  # noqa: ANN401 - JSON
    """Put the marks back; one whose block is gone has no place."""
    if not marks:
        return content
    blocks = _as_blocks(content)
    for *place, mark in marks:
        at: Any = blocks
        for step in place:
            at = at.get("content") if isinstance(at, dict) else at
            at = at[step] if isinstance(at, list) and step < len(at) else None
        if isinstance(at, dict):
            at[MARK] = copy.deepcopy(mark)
    return blocks
