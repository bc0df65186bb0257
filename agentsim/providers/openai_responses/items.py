"""What single items of Responses hold of the neutral form, and the items without it.

An item is taken apart into a piece of the neutral form (a text, a call, a result, a block
of reasoning) and the rest, with which the piece makes the same item again. What has no
proper form, and what is the service's own business (searches, compaction, references),
is kept whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentsim.core import Role, ToolCall, canonical_json

__all__ = [
    "CALLS",
    "OUTPUTS",
    "REASONING",
    "Piece",
    "fill",
    "role_of",
    "take",
    "type_of",
]

REASONING = "reasoning"

CALLS: dict[str, tuple[str, str]] = {
    "function_call": ("name", "arguments"),
    "custom_tool_call": ("name", "input"),
    "computer_call": ("", "action"),
    "apply_patch_call": ("", "operation"),
    "shell_call": ("", "action"),
    "local_shell_call": ("", "action"),
}
"""Type of a call that the client answers -> its fields for name and arguments.

Where the first is empty the tool is built in, and named as the type.
"""

OUTPUTS = tuple(f"{call}_output" for call in CALLS)

_WITH_PARTS = ("function_call_output", "custom_tool_call_output")
"""Types of outputs that are texts or parts; those of built-in tools are other objects."""

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}

_TEXTS = {
    "input_text": "text",
    "output_text": "text",
    "text": "text",
    "refusal": "refusal",
}
"""Type of a part that is a text -> its field."""

_OF_CLIENT = (
    *("additional_tools", "configuration_update", "compaction_trigger"),
    *("mcp_approval_response", "program_output"),
)
"""Types of items that a client sends, and that are neither messages nor outputs."""

Kind = Literal["text", "call", "reasoning", "result", "whole"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One item, taken apart.

    Attributes:
        rest: The item without what the other fields hold; all of it for `whole`.
        texts: Of a message or an output, in their order.
        key: The call that an output answers, or None.
    """

    kind: Kind
    rest: Any
    texts: Sequence[str] = ()
    call: ToolCall | None = None
    block: Mapping[str, Any] | None = None
    key: str | None = None

    @property
    def entry(self) -> dict[str, Any]:
        """The rest, as a block of a message keeps it."""
        return {self.kind: self.rest}


def type_of(item: object) -> str:
    """The type of an item, empty for what is none; the service lets two go without."""
    if not isinstance(item, dict):
        return ""
    kind = item.get("type")
    if kind is None:
        return "item_reference" if "id" in item and "role" not in item else "message"
    return kind if isinstance(kind, str) else ""


def role_of(item: object) -> Role:
    """Whose an item is: what the service makes on its own is the model's."""
    kind = type_of(item)
    if kind == "message" and isinstance(item, dict):
        role = item.get("role")
        return ROLES.get(role, "user") if isinstance(role, str) else "user"
    if kind in OUTPUTS:
        return "tool"
    if kind in _OF_CLIENT:
        return "system"
    return "assistant" if kind else "user"


def take(item: object) -> Piece:
    """Take an item apart."""
    kind = type_of(item)
    piece = None
    if isinstance(item, dict):
        if kind == "message":
            piece = _message(item)
        elif kind in CALLS:
            piece = _call(item, kind)
        elif kind in OUTPUTS:
            piece = _output(item, kind)
        elif kind == REASONING:
            piece = _reasoning(item)
    return piece or Piece("whole", item)


def _message(item: Mapping[str, Any]) -> Piece | None:
    role = item.get("role")
    if not isinstance(role, str) or role not in ROLES:
        return None
    texts, content = _texts(item.get("content"))
    rest = {key: value for key, value in item.items() if key != "content"}
    if content is not None:
        rest["content"] = content
    return (
        Piece("text", rest, texts) if len(texts) == 1 else Piece("whole", item, texts)
    )


def _texts(value: object) -> tuple[list[str], object]:
    """The texts of a content, and the content without them: None for a mere text."""
    if isinstance(value, str):
        return [value], None
    if not isinstance(value, list):
        return [], value
    texts: list[str] = []
    parts: list[object] = []
    for part in value:
        key = _text_key(part)
        if not key:
            parts.append(part)
            continue
        texts.append(part[key])
        parts.append({name: entry for name, entry in part.items() if name != key})
    return texts, parts


def _text_key(part: object) -> str:
    """The field of a part that has a text in it, empty for other parts."""
    if not isinstance(part, dict):
        return ""
    kind = part.get("type")
    key = _TEXTS.get(kind, "") if isinstance(kind, str) else ""
    return key if key and isinstance(part.get(key), str) else ""


def _call(item: Mapping[str, Any], kind: str) -> Piece | None:
    named, written = CALLS[kind]
    call_id = item.get("call_id")
    name = item.get(named) if named else kind
    arguments = item.get(written)
    if not isinstance(call_id, str) or not isinstance(name, str):
        return None
    taken = ["call_id"]
    if named:
        if not isinstance(arguments, str):
            return None
        taken += [named, written]
    else:
        arguments = _as_text(arguments)
    rest = {key: value for key, value in item.items() if key not in taken}
    return Piece("call", rest, call=ToolCall(call_id, name, arguments))


def _output(item: Mapping[str, Any], kind: str) -> Piece | None:
    # A result of the local shell has the id of its call, and no call_id.
    key = "call_id" if "call_id" in item else "id"
    answered = item.get(key)
    if not isinstance(answered, str):
        return None
    output = item.get("output")
    texts, content = _texts(output)
    if len(texts) != 1:
        parts = isinstance(output, list) and kind in _WITH_PARTS
        told = texts or ([] if parts else [_as_text(output)])
        return Piece("whole", item, told, key=answered)
    rest = {name: value for name, value in item.items() if name not in (key, "output")}
    if content is not None:
        rest["output"] = content
    if key == "id":
        return Piece("whole", item, texts, key=answered)
    return Piece("result", rest, texts, key=answered)


def _reasoning(item: Mapping[str, Any]) -> Piece | None:
    if not isinstance(item.get("summary"), list):
        return None
    rest: dict[str, Any] = {}
    block: dict[str, Any] = {"type": REASONING}
    for key, value in item.items():
        own = key in ("id", "status", "type") or value is None
        (rest if own else block)[key] = value
    return Piece("reasoning", rest, block=block)


def _as_text(value: object) -> str:
    try:
        return canonical_json(value)
    except (TypeError, ValueError):
        return ""


def fill(entry: Mapping[str, Any], piece: Piece) -> Any:  # noqa: ANN401 - an item
    """The item again, of its rest and a piece."""
    kind, rest = next(iter(entry.items()))
    if kind == "whole":
        return rest
    item = dict(rest)
    if kind == "text":
        _put(item, "content", piece.texts[0])
    elif kind == "result":
        item["call_id"] = piece.key
        _put(item, "output", piece.texts[0])
    elif kind == "call" and piece.call is not None:
        named, written = CALLS[item["type"]]
        item["call_id"] = piece.call.id
        if named:
            item |= {named: piece.call.name, written: piece.call.arguments}
    elif piece.block is not None:
        item |= piece.block
    return item


def _put(item: dict[str, Any], key: str, text: str) -> None:
    """Put a text where it was taken."""
    if key not in item:
        item[key] = text
        return
    item[key] = [_with_text(part, text) for part in item[key]]


def _with_text(part: Any, text: str) -> Any:  # noqa: ANN401 - of a body
    kind = part.get("type") if isinstance(part, dict) else None
    key = _TEXTS.get(kind, "") if isinstance(kind, str) else ""
    return {**part, key: text} if key and key not in part else part
