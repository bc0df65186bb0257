"""The form of the messages: their fields, parts of their contents, and calls."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from agentsim.providers.openai.fields import unknown
from agentsim.providers.openai.tools import name_faults
from agentsim.providers.openai.values import (
    Faults,
    empty,
    missing,
    not_among,
    record,
    text,
    too_long,
    wrong_type,
)
from agentsim.providers.openai_chat.rulebook.table import refuse
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["Forms"]

CALL_ID_MAX, NAME_MAX = 40, 64

ROLES = ("system", "assistant", "user", "function", "tool", "developer")

_PLAIN = ("role", "content", "name")

_KEYS: dict[str, tuple[str, ...]] = {
    "system": _PLAIN,
    "developer": _PLAIN,
    "user": _PLAIN,
    # What only answers have is taken back: a loop may send the answer as it came.
    "assistant": (
        *_PLAIN,
        *("tool_calls", "refusal", "audio", "function_call", "annotations"),
    ),
    "tool": (*_PLAIN, "tool_call_id"),
    "function": _PLAIN,
}

_PARTS: dict[str, str] = {
    "text": "text",
    "image_url": "image_url",
    "input_audio": "input_audio",
    "refusal": "refusal",
    "audio": "audio",
    "file": "file",
}
"""Type of a part -> the field that it needs."""


class Forms:
    """Looks at the messages of a growing history once.

    Args:
        off: Ids of the rules that are not enforced.
    """

    __slots__ = ("_found", "_off", "_position")

    def __init__(self, off: Collection[str] = ()) -> None:
        self._off = off
        self._position = 0
        self._found: WireRefusal | None = None

    def feed(self, messages: Sequence[object]) -> None:
        """Look at the messages that come next."""
        for message in messages:
            if self._found is None:
                at = f"messages[{self._position}]"
                found = (
                    fault
                    for fault in _message(message, at)
                    if fault.rule not in self._off
                )
                self._found = next(found, None)
            self._position += 1

    def verdict(self) -> WireRefusal | None:
        """The first fault, or None."""
        return self._found


def _message(message: object, at: str) -> Faults:
    yield from record(message, at)
    if not isinstance(message, Mapping):
        return
    role = message.get("role")
    if role is None:
        yield missing(f"{at}.role")
        return
    if not isinstance(role, str):
        yield wrong_type(f"{at}.role", "a string", role)
        return
    if role not in ROLES:
        yield not_among(role, ROLES, f"{at}.role", rule="unknown-role")
        return
    for key, value in message.items():
        if key not in _KEYS[role]:
            yield unknown(f"{at}.{key}")
        elif key in ("name", "refusal", "tool_call_id") and value is not None:
            yield from text(value, f"{at}.{key}")
    if role == "function" and message.get("name") is None:
        yield missing(f"{at}.name")
    yield from _content(message, role, at)
    if message.get("tool_calls") is not None:
        yield from _calls(message["tool_calls"], f"{at}.tool_calls")
    yield from _function_call(message.get("function_call"), f"{at}.function_call")


def _content(message: Mapping[str, Any], role: str, at: str) -> Faults:
    content = message.get("content")
    path = f"{at}.content"
    if isinstance(content, list):
        for number, part in enumerate(content):
            yield from _part(part, role, f"{path}[{number}]", at)
    elif content is not None and not isinstance(content, str):
        expected = "one of a string or array of objects"
        yield wrong_type(path, expected, content, rule="content-type")


def _part(part: object, role: str, path: str, at: str) -> Faults:
    yield from record(part, path)
    if not isinstance(part, Mapping):
        return
    kind = part.get("type")
    if kind is None:
        yield missing(f"{path}.type")
    elif not isinstance(kind, str):
        yield wrong_type(f"{path}.type", "a string", kind)
    elif kind not in _PARTS:
        yield not_among(kind, tuple(_PARTS), f"{path}.type")
    elif part.get(_PARTS[kind]) is None:
        yield missing(f"{path}.{_PARTS[kind]}")
    elif kind in ("text", "refusal"):
        yield from text(part[kind], f"{path}.{kind}")
    else:
        yield from record(part[_PARTS[kind]], f"{path}.{_PARTS[kind]}")
        if kind == "image_url" and role != "user":
            words = (
                f"Invalid '{at}'. Image URLs are only allowed for messages with role "
                f"'user', but this message with role '{role}' contains an image URL."
            )
            yield refuse("image-role", words, at)


def _calls(calls: object, path: str) -> Faults:
    if not isinstance(calls, list):
        yield wrong_type(path, "an array of objects", calls)
        return
    if not calls:
        yield empty("array", path, rule="empty-array")
    for number, call in enumerate(calls):
        yield from _call(call, f"{path}[{number}]")


def _call(call: object, path: str) -> Faults:
    yield from record(call, path)
    if not isinstance(call, Mapping):
        return
    for key in ("id", "type"):
        if call.get(key) is None:
            yield missing(f"{path}.{key}")
            return
        yield from text(call[key], f"{path}.{key}")
    if not call["id"]:
        yield empty("string", f"{path}.id", rule="call-id-length")
    if len(call["id"]) > CALL_ID_MAX:
        sizes = (CALL_ID_MAX, len(call["id"]))
        yield too_long("string", f"{path}.id", sizes, rule="call-id-length")
    kind = call["type"]
    if kind not in ("function", "custom"):
        yield not_among(kind, ("function", "custom"), f"{path}.type")
        return
    for key in call:
        if key not in ("id", "type", kind):
            yield unknown(f"{path}.{key}")
    yield from _called(call.get(kind), f"{path}.{kind}", kind)


def _called(body: object, path: str, kind: str) -> Faults:
    if body is None:
        yield missing(path)
        return
    yield from record(body, path)
    if not isinstance(body, Mapping):
        return
    written = "input" if kind == "custom" else "arguments"
    for key in ("name", written):
        if body.get(key) is None:
            yield missing(f"{path}.{key}")
            return
    yield from name_faults(body["name"], f"{path}.name", longest=NAME_MAX)
    yield from text(body[written], f"{path}.{written}")
    for key in body:
        if key not in ("name", written):
            yield unknown(f"{path}.{key}")


def _function_call(called: object, path: str) -> Faults:
    if called is None:
        return
    yield from record(called, path)
    if isinstance(called, Mapping):
        for key in ("name", "arguments"):
            if called.get(key) is None:
                yield missing(f"{path}.{key}")
                return
            yield from text(called[key], f"{path}.{key}")
