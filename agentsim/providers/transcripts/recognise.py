"""Which wire a conversation speaks, by its structure.

Evidence comes first from the messages (each wire has roles, keys and block types that
no other has), then from the fields around them, last from the file's own word (`wire`)
and the answer. Plain text that Chat and Anthropic read alike is `unclear`, which is
no harm: it holds no calls. Marks of two wires in one conversation are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.providers.transcripts.reading import Path, ShapeFault, path_text
from agentsim.providers.transcripts.results import TranscriptWire

CHAT: TranscriptWire = "openai-chat"
RESPONSES: TranscriptWire = "openai-responses"
ANTHROPIC: TranscriptWire = "anthropic-messages"
UNCLEAR: TranscriptWire = "unclear"

WIRES = (CHAT, RESPONSES, ANTHROPIC)

BLOCKS: dict[str, TranscriptWire] = {
    "image_url": CHAT,
    "input_audio": CHAT,
    "file": CHAT,
    "tool_use": ANTHROPIC,
    "tool_result": ANTHROPIC,
    "thinking": ANTHROPIC,
    "redacted_thinking": ANTHROPIC,
    "server_tool_use": ANTHROPIC,
    "mcp_tool_use": ANTHROPIC,
    "image": ANTHROPIC,
    "document": ANTHROPIC,
    "search_result": ANTHROPIC,
    "container_upload": ANTHROPIC,
    "input_text": RESPONSES,
    "output_text": RESPONSES,
    "input_image": RESPONSES,
    "input_file": RESPONSES,
}

FIELDS: dict[str, TranscriptWire] = {
    "system": ANTHROPIC,
    "anthropic_version": ANTHROPIC,
    "stop_sequences": ANTHROPIC,
    "thinking": ANTHROPIC,
    "max_completion_tokens": CHAT,
    "stream_options": CHAT,
    "response_format": CHAT,
    "functions": CHAT,
    "n": CHAT,
    "logit_bias": CHAT,
    "frequency_penalty": CHAT,
    "presence_penalty": CHAT,
}

ITEM_TYPES = frozenset(
    {
        "message",
        "reasoning",
        "item_reference",
        "compaction",
        "additional_tools",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "tool_search_output",
    }
)


def is_item(value: object) -> bool:
    """Whether a value is an item of the Responses wire, by its type."""
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and (
        kind in ITEM_TYPES or kind.endswith(("_call", "_call_output"))
    )


def is_message(value: object) -> bool:
    """Whether a value looks like one message or item of any wire."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("role"), str) or is_item(value)


def wire_of_messages(messages: object, at: Path, hint: object) -> TranscriptWire | None:
    """The wire that the messages themselves show, or None when they show none.

    Raises:
        ShapeFault: when they show two, and `hint` is not one of these.
    """
    if not isinstance(messages, list):
        return None
    seen: dict[TranscriptWire, Path] = {}
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            for wire, where in _marks(message, (*at, index)):
                seen.setdefault(wire, where)
    if len(seen) < 2:
        return next(iter(seen), None)
    for wire in seen:
        if wire == hint:
            return wire
    (one, first), (other, second) = list(seen.items())[:2]
    words = (
        f"reads as {other}, while {path_text(first)} reads as {one}: expected one wire"
    )
    raise ShapeFault(second, words)


def _marks(
    message: Mapping[str, Any], at: Path
) -> Iterator[tuple[TranscriptWire, Path]]:
    """Yield what only one wire has in a message, and where."""
    role = message.get("role")
    if role in ("tool", "function"):
        yield CHAT, (*at, "role")
    for key in ("tool_calls", "function_call"):
        if message.get(key):
            yield CHAT, (*at, key)
    if role is None and is_item(message):
        yield RESPONSES, (*at, "type")
    content = message.get("content")
    if isinstance(content, list):
        for number, block in enumerate(content):
            kind = block.get("type") if isinstance(block, dict) else None
            if isinstance(kind, str):
                server_side = kind.endswith("_tool_result")
                wire = ANTHROPIC if server_side else BLOCKS.get(kind)
                if wire is not None:
                    yield wire, (*at, "content", number)


def wire_of_fields(body: Mapping[str, Any]) -> TranscriptWire | None:
    """The wire that the fields beside the messages show, when they agree."""
    seen = {FIELDS[key] for key in body if key in FIELDS}
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            if "input_schema" in tool:
                seen.add(ANTHROPIC)
            elif isinstance(tool.get("function"), dict):
                seen.add(CHAT)
    return seen.pop() if len(seen) == 1 else None


def wire_of_answer(answer: object) -> TranscriptWire | None:
    """The wire that an answer has the form of."""
    if not isinstance(answer, dict):
        return None
    if isinstance(answer.get("choices"), list):
        return CHAT
    if isinstance(answer.get("output"), list):
        return RESPONSES
    return ANTHROPIC if isinstance(answer.get("content"), list) else None


def recognise(
    messages: object,
    at: Path,
    *,
    body: Mapping[str, Any],
    hint: object = None,
    answer: object = None,
) -> TranscriptWire:
    """The wire of `messages`, judged from the strongest evidence to the weakest.

    Args:
        at: Path of the messages, for what is told of a contradiction.
        body: The object that holds the messages; empty for a bare list.
        hint: What the file itself says of the wire, if anything.
        answer: The answer of the service, if it is there.

    Raises:
        ShapeFault: when the messages show two wires.
    """
    shown = wire_of_messages(messages, at, hint) or wire_of_fields(body)
    if shown is not None:
        return shown
    for wire in WIRES:
        if wire == hint:
            return wire
    return wire_of_answer(answer) or UNCLEAR
