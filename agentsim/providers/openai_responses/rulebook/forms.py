"""The form of the input items: their types, fields, ids and parts."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from agentsim.providers.openai.fields import unknown
from agentsim.providers.openai.tools import name_faults
from agentsim.providers.openai.values import (
    Faults,
    array,
    echoed,
    empty,
    missing,
    not_among,
    one_of,
    record,
    text,
    too_long,
    wrong_type,
)
from agentsim.providers.openai_responses.items import CALLS, OUTPUTS, type_of
from agentsim.providers.openai_responses.rulebook.parts import (
    content_faults,
    output_faults,
)
from agentsim.providers.openai_responses.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["CALL_ID_MAX", "NAME_MAX", "Forms", "id_faults"]

CALL_ID_MAX, NAME_MAX = 64, 128

ROLES = ("assistant", "system", "developer", "user")

_ID = re.compile(r"[a-zA-Z0-9_]+")

_OWN = ("type", "id", "status")

_KEYS: dict[str, tuple[str, ...]] = {
    "message": (*_OWN, "role", "content", "phase"),
    "function_call": (
        *(*_OWN, "call_id", "name", "arguments"),
        *("namespace", "caller", "async"),
    ),
    "function_call_output": (
        *(*_OWN, "call_id", "output"),
        *("name", "namespace", "caller"),
    ),
    "custom_tool_call": (
        *(*_OWN, "call_id", "name", "input"),
        *("namespace", "caller", "async"),
    ),
    "custom_tool_call_output": (*_OWN, "call_id", "output", "caller"),
    "reasoning": (*_OWN, "summary", "content", "encrypted_content"),
    "item_reference": ("type", "id"),
}
"""Type of an item -> the fields that it may have; others may have any."""

_NEEDED: dict[str, tuple[str, ...]] = {
    "message": ("role", "content"),
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("call_id", "output"),
    "custom_tool_call": ("call_id", "name", "input"),
    "custom_tool_call_output": ("call_id", "output"),
    "reasoning": ("summary",),
    "item_reference": ("id",),
}

_HOSTED = (
    *("file_search_call", "web_search_call", "code_interpreter_call"),
    *("image_generation_call", "tool_search_call", "tool_search_output"),
    *("mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "mcp_call"),
    *("additional_tools", "configuration_update", "compaction", "compaction_trigger"),
    *("program", "program_output"),
)

TYPES = (
    *("message", "function_call", "function_call_output", "reasoning"),
    *("custom_tool_call", "custom_tool_call_output", "item_reference"),
    *(kind for kind in (*CALLS, *OUTPUTS) if kind not in _KEYS),
    *_HOSTED,
)

_PREFIXES = {
    "message": "msg",
    "function_call": "fc",
    "reasoning": "rs",
    "custom_tool_call": "ctc",
    "web_search_call": "ws",
    "mcp_call": "mcp",
    "mcp_list_tools": "mcpl",
    "tool_search_call": "tsc",
    "tool_search_output": "tso",
    "compaction": "cmp",
    "code_interpreter_call": "ci",
    "file_search_call": "fs",
}
"""Type of an item -> how its ids begin."""

_TEXTS = ("arguments", "input", "encrypted_content", "namespace")


class Forms:
    """Looks at the items of a growing input once.

    Args:
        off: Ids of the rules that are not enforced.
    """

    __slots__ = ("_found", "_off")

    def __init__(self, off: Collection[str] = ()) -> None:
        self._off = off
        self._found: WireRefusal | None = None

    def feed(self, items: Sequence[object], at: int) -> None:
        """Look at the items that come next.

        Args:
            at: Index of the first one in the input.
        """
        for number, item in enumerate(items, at):
            if self._found is not None:
                return
            faults = _item(item, f"input[{number}]")
            self._found = next((f for f in faults if f.rule not in self._off), None)

    def verdict(self) -> WireRefusal | None:
        """The first fault, or None."""
        return self._found


def _item(item: object, at: str) -> Faults:
    yield from record(item, at)
    if not isinstance(item, dict):
        return
    told = item.get("type")
    if told is not None:
        yield from text(told, f"{at}.type")
    kind = type_of(item)
    if kind not in TYPES:
        yield not_among(kind, TYPES, f"{at}.type", rule="unknown-item")
        return
    for key in _NEEDED.get(kind, ()):
        if item.get(key) is None:
            yield missing(f"{at}.{key}")
            return
    for key in item:
        if kind in _KEYS and key not in _KEYS[kind]:
            yield unknown(f"{at}.{key}")
    if item.get("id") is not None:
        yield from id_faults(item["id"], f"{at}.id")
        yield from _prefix(item["id"], kind, f"{at}.id")
    yield from _fields(item, kind, at)


def id_faults(value: object, path: str) -> Faults:
    """What is wrong with an id that the service issued."""
    yield from text(value, path)
    if isinstance(value, str) and not _ID.fullmatch(value):
        words = (
            f"Invalid '{path}': '{echoed(value)}'. Expected an ID that contains "
            "letters, numbers, underscores, or dashes, but this value contained "
            "additional characters."
        )
        yield refuse("item-id", words, path)


def _prefix(value: object, kind: str, path: str) -> Faults:
    prefix = _PREFIXES.get(kind, "")
    if isinstance(value, str) and not value.startswith(prefix):
        words = (
            f"Invalid '{path}': '{echoed(value)}'. Expected an ID that begins with "
            f"'{prefix}'."
        )
        yield refuse("item-prefix", words, path)


def _fields(item: Mapping[str, Any], kind: str, at: str) -> Faults:
    if kind == "message":
        yield from _message(item, at)
    elif kind in _KEYS:
        for key in _TEXTS:
            if item.get(key) is not None:
                yield from text(item[key], f"{at}.{key}")
    if kind in ("function_call", "custom_tool_call"):
        yield from name_faults(item["name"], f"{at}.name", longest=NAME_MAX)
    if kind in ("function_call_output", "custom_tool_call_output"):
        yield from output_faults(item["output"], f"{at}.output")
    if kind == "reasoning":
        yield from array(item["summary"], f"{at}.summary")
    if kind in (*CALLS, *OUTPUTS) and item.get("call_id") is not None:
        yield from _call_id(item["call_id"], f"{at}.call_id")
    if kind in _KEYS and item.get("status") is not None:
        check = one_of("in_progress", "completed", "incomplete")
        yield from check(item["status"], f"{at}.status")


def _message(item: Mapping[str, Any], at: str) -> Faults:
    role = item["role"]
    if not isinstance(role, str):
        yield wrong_type(f"{at}.role", "a string", role)
    elif role not in ROLES:
        yield not_among(role, ROLES, f"{at}.role", rule="unknown-role")
    else:
        yield from content_faults(item["content"], role, f"{at}.content")
        if item.get("phase") is not None:
            check = one_of("commentary", "final_answer")
            yield from check(item["phase"], f"{at}.phase")


def _call_id(call_id: object, path: str) -> Faults:
    yield from text(call_id, path)
    if not isinstance(call_id, str):
        return
    if not call_id:
        yield empty("string", path, rule="call-id-length")
    elif len(call_id) > CALL_ID_MAX:
        sizes = (CALL_ID_MAX, len(call_id))
        yield too_long("string", path, sizes, rule="call-id-length")
