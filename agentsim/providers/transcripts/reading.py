"""What a reader makes of a wire body: neutral messages, each with where it came from.

Every reader returns a `Reading`; the judge knows no wire format beyond it. The helpers
here fetch a field and say, with its path, what was expected when it is not that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentsim.core import Message, Rule, UsageError

Path = tuple[str | int, ...]
"""Where a value stands in a JSON document: keys and 0-based indexes."""

PRINTED_MAX = 80
WORDS_MAX = 400

# Control and direction characters, line separators, lone surrogates. Named one by one:
# what `str.isprintable` says differs between Python versions.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


class ShapeFault(UsageError):
    """A body does not have the form of its wire; `path` leads to the place."""

    def __init__(self, path: Path, words: str) -> None:
        super().__init__(f"{path_text(path) or 'the document'}: {words}")
        self.path = path
        self.words = words


@dataclass(frozen=True, slots=True)
class Entry:
    """One neutral message of a history.

    Attributes:
        at: Path of the message; for a result that is a block, path of the block.
        calls_at: Path of each of the message's calls.
        server_side: Whether it is a call that the service runs itself, or its result.
    """

    message: Message
    at: Path
    calls_at: tuple[Path, ...] = ()
    server_side: bool = False


@dataclass(frozen=True, slots=True)
class WireBreach:
    """A rule broken in a way that only the wire's own form shows."""

    rule: Rule
    at: Path
    words: str


@dataclass(frozen=True, slots=True)
class WireNote:
    """Something worth saying that the service does not refuse."""

    at: Path
    words: str


@dataclass(frozen=True, slots=True)
class Held:
    """A part of the history that only the service has.

    Attributes:
        name: The field or item that refers to it.
        entries: How many entries at the start may answer calls of it; None for all.
        results: Whether it may hold results of calls that stand in the body.
    """

    name: str
    entries: int | None = None
    results: bool = False


@dataclass(slots=True)
class Reading:
    """A wire body, read.

    Attributes:
        messages: How many messages or items the body holds.
        held: What the service holds of the history, or None if all of it is here.
    """

    entries: list[Entry] = field(default_factory=list)
    breaches: list[WireBreach] = field(default_factory=list)
    notes: list[WireNote] = field(default_factory=list)
    messages: int = 0
    held: Held | None = None


def path_text(path: Path) -> str:
    """Write a path as people do: `messages[3].content[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def printable(text: str) -> str:
    """Keep a text of a file short, on one line and writable anywhere."""
    if len(text) > WORDS_MAX:
        text = text[:WORDS_MAX] + "..."
    return _UNPRINTABLE.sub(
        lambda found: found[0].encode("unicode_escape").decode("ascii"), text
    )


def kind_of(value: object) -> str:
    """Name the JSON type of a value, with the value where it is short."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        shown = value if len(value) <= PRINTED_MAX else value[:PRINTED_MAX] + "..."
        return f'"{printable(shown)}"'
    return "an array" if isinstance(value, list) else "an object"


def kind_at(owner: Mapping[str, Any], key: str) -> str:
    """Name the JSON type of a field, or `nothing` when it is absent."""
    return kind_of(owner[key]) if key in owner else "nothing"


def as_object(value: object, at: Path, what: str) -> Mapping[str, Any]:
    """The value, when it is an object."""
    if isinstance(value, dict):
        return value
    raise ShapeFault(at, f"expected {what} as an object, got {kind_of(value)}")


def as_list(value: object, at: Path, what: str) -> list[Any]:
    """The value, when it is an array."""
    if isinstance(value, list):
        return value
    raise ShapeFault(at, f"expected {what} as an array, got {kind_of(value)}")


def text_of(owner: Mapping[str, Any], key: str, at: Path) -> str:
    """A text field; absent or null counts as empty."""
    value = owner.get(key)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise ShapeFault((*at, key), f"expected a string, got {kind_of(value)}")


def role_of(message: Mapping[str, Any], at: Path, roles: Iterable[str]) -> str:
    """The role of a message, when it is one of the wire's."""
    role = message.get("role")
    if isinstance(role, str) and role in roles:
        return role
    got = kind_at(message, "role")
    raise ShapeFault((*at, "role"), f"expected one of {', '.join(roles)}, got {got}")


def content_text(content: object) -> str:
    """The text of a message's content, whatever else its parts hold."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))
