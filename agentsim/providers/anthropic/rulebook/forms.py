"""The form of messages and of their blocks, each message by itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from agentsim.providers.anthropic.conversation.blocks import MARK
from agentsim.providers.anthropic.rulebook.names import ID, tool_name
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.anthropic.rulebook.values import (
    Check,
    Faults,
    anything,
    boolean,
    listed,
    missing,
    nullable,
    one_of,
    pattern,
    record,
    shape,
    surplus,
    tagged,
    text,
    wrong,
)
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["BREAKPOINT", "TEXT_BLOCK", "Forms", "text_blocks"]

NEWEST = "2026-10-21"
"""The version from which on some blocks have no place where they had one."""

ROLES = ("user", "assistant", "system")

BREAKPOINT = nullable(
    shape({"type": one_of("ephemeral")}, {"ttl": one_of("5m", "1h")}, closed=False)
)

_MARK: dict[str, Check] = {MARK: BREAKPOINT}

_CALL_ID = pattern(ID, "call-id")


def _source(*fields: str) -> Check:
    return shape(dict.fromkeys(fields, text), closed=False)


_IMAGE = tagged(
    {
        "base64": _source("media_type", "data"),
        "url": _source("url"),
        "file": _source("file_id"),
    }
)

_DOCUMENT = tagged(
    {
        "base64": _source("media_type", "data"),
        "text": _source("media_type", "data"),
        "content": shape({"content": anything}, closed=False),
        "url": _source("url"),
        "file": _source("file_id"),
    }
)


def _block(
    required: Mapping[str, Check],
    optional: Mapping[str, Check] | None = None,
    *,
    closed: bool = True,
) -> Check:
    fields: dict[str, Check] = {"type": anything, **required}
    return shape(fields, {**(optional or {}), **_MARK}, closed=closed)


TEXT_BLOCK = _block({"text": text}, {"citations": nullable(listed(record))})

_SEEN: dict[str, Check] = {
    "text": TEXT_BLOCK,
    "image": _block({"source": _IMAGE}, {"transformations": anything}),
    "document": _block(
        {"source": _DOCUMENT},
        {
            "citations": nullable(record),
            "context": nullable(text),
            "title": nullable(text),
        },
    ),
    "search_result": _block(
        {"content": listed(anything), "source": text, "title": text},
        {"citations": record},
    ),
}
"""What a user may show to the model."""

_IN_RESULT = tagged(
    {**_SEEN, "tool_reference": _block({"tool_name": text}, closed=False)},
    also="browser_state",
)


def _result_content(value: object, path: str) -> Faults:
    if not isinstance(value, str):
        yield from listed(_IN_RESULT)(value, path)


def _input(value: object, path: str) -> Faults:
    if not isinstance(value, Mapping):
        yield wrong(path, "a valid dictionary", rule="tool-input")


_ANSWERED: dict[str, Check] = {"tool_use_id": text}

_BLOCKS: dict[str, Check] = {
    **_SEEN,
    "thinking": shape({"type": anything, "signature": text, "thinking": text}),
    "redacted_thinking": shape({"type": anything, "data": text}),
    "tool_use": _block(
        {"id": _CALL_ID, "input": _input, "name": tool_name},
        {"caller": nullable(record), "toolset_name": nullable(text)},
    ),
    "tool_result": _block(
        {"tool_use_id": _CALL_ID},
        {
            "content": _result_content,
            "is_error": boolean,
            "toolset_name": nullable(text),
        },
    ),
    "server_tool_use": _block(
        {"id": text, "name": text, "input": record}, closed=False
    ),
    "mcp_tool_use": _block(
        {"id": text, "name": text, "input": record, "server_name": text}, closed=False
    ),
    "mcp_tool_result": _block(_ANSWERED, closed=False),
    "container_upload": _block({"file_id": text}, closed=False),
}

_CONTENT = tagged(
    _BLOCKS,
    also="[a-z_]+_tool_(use|result|listing)|compaction|fallback|tool_(addition|removal)",
)

_ONLY_IN = {
    "tool_use": "assistant",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
    "tool_result": "user",
}


class Forms:
    """Looks at the messages of a growing history once.

    Args:
        off: Ids of the rules that are not enforced.
        version: That of the service's interface.
    """

    __slots__ = ("_found", "_newest", "_off", "_position")

    def __init__(self, off: Collection[str], version: str) -> None:
        self._off = off
        self._newest = version >= NEWEST
        self._position = 0
        self._found: WireRefusal | None = None

    def feed(self, messages: Sequence[object]) -> None:
        """Look at the messages that come next."""
        for message in messages:
            if self._found is None:
                self._found = self.fault_of(message, self._position)
            self._position += 1

    def fault_of(self, message: object, position: int) -> WireRefusal | None:
        """The first fault of one message, or None."""
        faults = self._message(message, f"messages.{position}")
        return next((fault for fault in faults if fault.rule not in self._off), None)

    def verdict(self) -> WireRefusal | None:
        """The first fault, or None."""
        return self._found

    def _message(self, message: object, at: str) -> Faults:
        if not isinstance(message, Mapping):
            yield wrong(at, "a valid dictionary")
            return
        for key in ("role", "content"):
            if key not in message:
                yield missing(f"{at}.{key}")
                return
        role, content = message["role"], message["content"]
        yield from one_of(*ROLES)(role, f"{at}.role")
        if not isinstance(content, str):
            yield from listed(_CONTENT)(content, f"{at}.content")
            yield from self._placed(role, content, f"{at}.content")
        for key in message:
            if key not in ("role", "content"):
                yield surplus(f"{at}.{key}")

    def _placed(self, role: object, content: Sequence[object], at: str) -> Faults:
        """Blocks that have no place in a message of this role."""
        for number, block in enumerate(content):
            assert isinstance(block, Mapping)
            kind, path = block["type"], f"{at}.{number}"
            only = _ONLY_IN.get(kind, role)
            if only != role:
                words = f"`{kind}` blocks can only be in `{only}` messages"
                yield refuse("block-role", words, path)
            if self._newest and (kind, role) == ("document", "assistant"):
                words = "`document` blocks are not permitted in `assistant` messages"
                yield refuse("block-version", words, path)
            cited = kind == "text" and bool(block.get("citations"))
            if self._newest and cited and role == "user":
                words = "`citations` are not permitted in `user` messages"
                yield refuse("block-version", words, f"{path}.text.citations")


def text_blocks(value: object, path: str) -> Faults:
    """A text, or blocks of text."""
    if not isinstance(value, str):
        yield from listed(tagged({"text": TEXT_BLOCK}))(value, path)
