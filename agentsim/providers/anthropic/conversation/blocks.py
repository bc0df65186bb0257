"""The content blocks of Anthropic Messages, one by one.

What says nothing is left out of a block: a key that is null, `is_error: false`, and the
`caller` of a call that the model makes directly. Breakpoints of the prompt cache
(`cache_control`) are a matter between client and service, and move through a growing
history: they are marks on a block and no part of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.core import InvalidArguments, ToolCall, parse_json

__all__ = [
    "CARRIED",
    "MARK",
    "SERVER_CALLS",
    "is_server_result",
    "marks_of",
    "plain_text",
    "read_call",
    "read_input",
    "slim",
    "texts_of",
    "unmarked",
    "write_call",
    "write_input",
]

MARK = "cache_control"

SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
"""Calls of tools that the service runs."""

SERVER_RESULTS = tuple(
    f"{kind}_tool_result"
    for kind in (
        *("advisor", "bash_code_execution", "code_execution", "mcp"),
        *("text_editor_code_execution", "tool_search", "web_fetch", "web_search"),
    )
)

CARRIED = (
    *("thinking", "redacted_thinking"),
    *SERVER_CALLS,
    *SERVER_RESULTS,
    *("compaction", "container_upload", "fallback", "mcp_tool_listing"),
)
"""Blocks of the model that the neutral form keeps whole, and this wire carries."""

_DIRECT = {"type": "direct"}


def is_server_result(kind: object) -> bool:
    """Whether a type of block is that of a result of a tool that the service ran."""
    return (
        isinstance(kind, str)
        and kind.endswith("_tool_result")
        and kind != "tool_result"
    )


def slim(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block without its mark and without what says nothing."""
    left = {key: value for key, value in block.items() if value is not None}
    left.pop(MARK, None)
    if left.get("caller") == _DIRECT:
        del left["caller"]
    if left.get("type") == "tool_result":
        if left.get("is_error") is False:
            del left["is_error"]
        if isinstance(left.get("content"), list):
            left["content"] = [_slim_entry(entry) for entry in left["content"]]
    return left


def _slim_entry(entry: object) -> object:
    return slim(entry) if isinstance(entry, Mapping) else entry


def marks_of(content: object) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The marks in a content, and where they stand: at a block, or within a result."""
    for number, block in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(block, Mapping):
            continue
        if block.get(MARK) is not None:
            yield (number,), block[MARK]
        if block.get("type") == "tool_result":
            for (inner, *_), mark in marks_of(block.get("content")):
                yield (number, inner), mark


def unmarked(message: object) -> object:
    """A message without its marks, to compare it with an earlier one."""
    if not isinstance(message, Mapping) or not isinstance(message.get("content"), list):
        return message
    return {**message, "content": [_unmarked(block) for block in message["content"]]}


def _unmarked(block: object) -> object:
    if not isinstance(block, Mapping):
        return block
    left = {key: value for key, value in block.items() if key != MARK}
    if left.get("type") == "tool_result" and isinstance(left.get("content"), list):
        left["content"] = [_unmarked(entry) for entry in left["content"]]
    return left


def plain_text(block: object) -> str | None:
    """The text of a slim block that is nothing but some text."""
    if isinstance(block, Mapping) and block.get("type") == "text" and len(block) == 2:
        text = block.get("text")
        return text if isinstance(text, str) and text else None
    return None


def texts_of(blocks: object) -> str:
    """The texts of a content, joined."""
    if isinstance(blocks, str):
        return blocks
    found = [
        block["text"]
        for block in (blocks if isinstance(blocks, list) else ())
        if isinstance(block, Mapping)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    ]
    return "".join(found)


def read_call(block: Mapping[str, Any]) -> tuple[ToolCall, bool]:
    """The call of a slim `tool_use` block, and whether the block is nothing but that."""
    call_id, name, given = block.get("id"), block.get("name"), block.get("input")
    proper = isinstance(given, Mapping) and len(block) == 4
    if not isinstance(call_id, str) or not isinstance(name, str):
        call_id = call_id if isinstance(call_id, str) else ""
        name = name if isinstance(name, str) else ""
        proper = False
    return ToolCall(call_id, name, write_input(given)), proper


def write_call(call: ToolCall) -> dict[str, Any]:
    """Write one call of the model."""
    given = read_input(call.arguments)
    told = {"type": "tool_use", "id": call.id, "name": call.name}
    return {**told, "input": {} if given is None else given}


def read_input(arguments: str) -> dict[str, Any] | None:
    """The object that a text of arguments is; None for one that is no JSON object.

    This wire has an object where others have a text: what is none can't be carried. Of
    a key that stands twice the last value counts, and no text at all is an empty object.
    """
    if not arguments.strip():
        return {}
    try:
        given = parse_json(arguments, unique_keys=False)
    except InvalidArguments:
        return None
    return given if isinstance(given, dict) else None


def write_input(given: object) -> str:
    """The text of arguments, as a model writes it."""
    return json.dumps(given, ensure_ascii=False)
