"""Messages of Chat Completions to and from the neutral form, with nothing lost on the way.

What the neutral form has no field for stands in one block of type `wire`: the
role `developer` or `function`, a name, parts of a content that are more than one text.
A message that says the same is the same message, whoever wrote it down: content that is
null, empty or missing, one text part or the text itself, a `refusal: null` and what only
answers have (`annotations`) make no difference.

A refusal is what the model said: it reads as the text. Reading never fails: what has no
proper form is kept as it is in the block, for the rules to refuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import WIRE_BLOCK, Message, Role, ToolCall

__all__ = ["own_fields", "read_message", "write_call", "write_message"]

ROLES: dict[object, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    # Core has no such role: it is what the application says, and answers no id.
    "function": "user",
}

_OF_ANSWERS = ("annotations",)
"""Keys that an answer has and that mean nothing when it goes back."""


def read_message(value: object) -> Message:
    """Read one message of a request, or of an answer."""
    if not isinstance(value, Mapping):
        return Message("user", blocks=({"type": WIRE_BLOCK, "value": value},))
    sent = value.get("role")
    role = ROLES.get(sent, "user") if isinstance(sent, str) else "user"
    rest = {key: entry for key, entry in value.items() if entry is not None}
    if sent == role:
        del rest["role"]
    content = _content(role, rest)
    calls = _calls(rest) if role == "assistant" else ()
    answered = None
    if role == "tool" and isinstance(rest.get("tool_call_id"), str):
        answered = rest.pop("tool_call_id")
    if role == "assistant":
        for key in _OF_ANSWERS:
            rest.pop(key, None)
    blocks = ({**rest, "type": WIRE_BLOCK},) if rest else ()
    return Message(role, content, calls, answered, blocks=blocks)


def _content(role: Role, rest: dict[str, Any]) -> str:
    """Take the text of a message; what is more than a text stays in the rest."""
    content = rest.get("content")
    text = ""
    if content is None or isinstance(content, str):
        text = rest.pop("content", "")
    elif isinstance(content, list):
        texts = [_plain_text(part) for part in content]
        text = "".join(part for part in texts if part is not None)
        plain = None not in texts and (len(texts) <= 1 or role == "assistant")
        if plain:
            del rest["content"]
    if role == "assistant" and not text and isinstance(rest.get("refusal"), str):
        text = rest.pop("refusal")
    return text


def _plain_text(part: object) -> str | None:
    """The text of a part that is nothing but a text."""
    if isinstance(part, Mapping) and part.get("type") == "text" and len(part) == 2:
        text = part.get("text")
        return text if isinstance(text, str) else None
    return None


def _calls(rest: dict[str, Any]) -> tuple[ToolCall, ...]:
    """Take the calls of a message; where one has no proper form all stay in the rest."""
    listed = rest.get("tool_calls")
    if not isinstance(listed, list):
        return ()
    calls = [_call(entry) for entry in listed]
    if listed and all(proper for _call, proper in calls):
        del rest["tool_calls"]
    return tuple(call for call, _proper in calls)


def _call(entry: object) -> tuple[ToolCall, bool]:
    """One call, and whether it is nothing but that."""
    call = entry if isinstance(entry, Mapping) else {}
    kind = "custom" if call.get("type") == "custom" else "function"
    written = "input" if kind == "custom" else "arguments"
    body = call.get(kind)
    body = body if isinstance(body, Mapping) else {}
    told = (call.get("id"), body.get("name"), body.get(written))
    texts = [part if isinstance(part, str) else "" for part in told]
    proper = (
        call.get("type") == kind
        and all(isinstance(part, str) for part in told)
        and len(call) == 3
        and len(body) == 2
    )
    return ToolCall(*texts), proper


def write_message(message: Message, custom: Sequence[str] = ()) -> dict[str, Any]:
    """Write a message as a request has it.

    The flag of a failed result has no place on this wire, and blocks of other wires
    have none: both are left out.

    Args:
        custom: Names of the tools that take a text, and no JSON.
    """
    written: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        written["content"] = message.content or None
        written["tool_calls"] = [
            write_call(call, custom=call.name in custom) for call in message.tool_calls
        ]
    if message.role == "tool":
        written["tool_call_id"] = message.tool_call_id
    return written | own_fields(message)


def own_fields(message: Message) -> dict[str, Any]:
    """What a message has of this wire beside the neutral form."""
    fields: dict[str, Any] = {}
    for block in message.blocks:
        if block.get("type") == WIRE_BLOCK:
            fields |= {key: value for key, value in block.items() if key != "type"}
    return fields


def write_call(call: ToolCall, *, custom: bool = False) -> dict[str, Any]:
    """Write one call of the model."""
    if custom:
        body = {"name": call.name, "input": call.arguments}
        return {"id": call.id, "type": "custom", "custom": body}
    body = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": body}
