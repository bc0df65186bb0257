"""OpenAI Responses: `input` items as neutral messages.

Pairing is by `call_id` over the whole input: an output may stand anywhere after its
call. Judged are the calls that the client must answer (`CALLS`); for the items of
built-in tools, reasoning and the like no pairing rule is known, so they pass.
`previous_response_id`, `conversation`, `item_reference` and `compaction` mean that the
service holds a part of the history.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.core import Message, Role, ToolCall
from agentsim.providers.transcripts.reading import (
    Entry,
    Held,
    Path,
    Reading,
    ShapeFault,
    WireBreach,
    as_list,
    as_object,
    content_text,
    kind_of,
    printable,
    role_of,
    text_of,
)

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}

CALLS = ("function_call", "custom_tool_call", "computer_call", "apply_patch_call")
OUTPUTS = tuple(f"{call}_output" for call in CALLS)

HELD_FIELDS = ("previous_response_id", "conversation")
"""Fields of a request that refer to what the service keeps."""


def read_responses(
    items: object,
    at: Path = ("input",),
    *,
    body: Mapping[str, Any] | None = None,
) -> Reading:
    """Read the `input` of a Responses request: a string, or a list of items.

    Args:
        items: None stands for an input that the service holds altogether.
        body: The request, for its references to what the service holds.

    Raises:
        ShapeFault: when an item does not have the form of the wire.
    """
    reading = Reading(held=_held_by(body or {}))
    if isinstance(items, str):
        reading.entries.append(Entry(Message("user", items), at))
    elif items is not None or reading.held is None:
        ids: dict[str, int] = {}
        for index, value in enumerate(as_list(items, at, "the input items")):
            where: Path = (*at, index)
            item = as_object(value, where, "an input item")
            reading.entries.append(_entry(item, where))
            _held_by_item(item, reading)
            _item_id(item, where, reading=reading, ids=ids)
    reading.messages = len(reading.entries)
    return reading


def read_responses_answer(answer: Mapping[str, Any], at: Path) -> list[Entry]:
    """Read the output items of an answer that was not streamed.

    Raises:
        ShapeFault: when the answer does not have the form of the wire.
    """
    return read_responses(answer.get("output"), (*at, "output"), body={}).entries


def _held_by(body: Mapping[str, Any]) -> Held | None:
    for name in HELD_FIELDS:
        if body.get(name):
            return Held(name)
    return None


def _held_by_item(item: Mapping[str, Any], reading: Reading) -> None:
    if item.get("type") == "item_reference":
        # It may stand for a call as well as for an output.
        reading.held = Held("item_reference", results=True)
    elif item.get("type") == "compaction" and reading.held is None:
        reading.held = Held("compaction")


def _item_id(
    item: Mapping[str, Any], at: Path, *, reading: Reading, ids: dict[str, int]
) -> None:
    """An item's own id, where it has one, may stand once (wire rule R5)."""
    own = text_of(item, "id", at)
    if own and own in ids:
        words = f"the item id {own} stands twice, first in item {ids[own]}"
        reading.breaches.append(WireBreach("duplicate-id", at, printable(words)))
    elif own:
        ids[own] = int(at[-1])


def _entry(item: Mapping[str, Any], at: Path) -> Entry:
    kind = item.get("type")
    if kind in CALLS:
        return Entry(Message("assistant", "", (_call(item, at),)), at, (at,))
    if kind in OUTPUTS:
        output = content_text(item.get("output"))
        return Entry(Message("tool", output, (), text_of(item, "call_id", at)), at)
    if kind is None or kind == "message":
        role = ROLES[role_of(item, at, ROLES)]
        return Entry(Message(role, content_text(item.get("content"))), at)
    if not isinstance(kind, str):
        got = kind_of(kind)
        raise ShapeFault((*at, "type"), f"expected the type of an item, got {got}")
    return Entry(Message("assistant", blocks=(item,)), at)


def _call(item: Mapping[str, Any], at: Path) -> ToolCall:
    arguments = item.get("arguments", item.get("input"))
    name = text_of(item, "name", at) or str(item["type"])
    given = arguments if isinstance(arguments, str) else "{}"
    return ToolCall(text_of(item, "call_id", at), name, given)
