"""Ids, uuids and times by the order in which they come: one name for each, and back.

Two requests that differ only in such names become equal, and a name that stands in the
place of another stays a difference: each name is given to one thing only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["DATA", "OF_TOOLS", "Renamer", "Tokens"]

_ID_KEYS = (
    *("id", "call_id", "item_id", "tool_call_id", "tool_use_id"),
    *("previous_response_id", "conversation"),
)
"""Fields of the wires whose value is an id, whatever it looks like."""

DATA = "json"
"""Key of what a text says as JSON."""

OF_TOOLS = (DATA, "input", "input_examples", "input_schema", "parameters")
"""Fields with what tools are given and give: their keys are no keys of the wire."""

_TIME_KEY = re.compile(r"(?:.*_)?(?:at|created|time|timestamp)")

_TIME = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
)

_ID_NAMES = (
    *("call", "chatcmpl", "fc", "item", "msg", "req", "resp", "rs", "run", "span"),
    *("srvtoolu", "thread", "toolu", "trace"),
)
"""What ids of services begin with, before a dash."""

_KINDS = {
    "redacted": r"__REDACTED_[A-Z]+_[0-9]+__",
    "uuid": r"(?<![0-9a-zA-Z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9a-zA-Z])",
    "time": rf"(?<![0-9]){_TIME}",
    "id": rf"(?<![0-9a-zA-Z])(?:{'|'.join(_ID_NAMES)})[_-](?=[A-Za-z]*[0-9])[A-Za-z0-9]{{8,}}",
}

_DATE = r"(?<![0-9-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9-])"


_HAS_TOKEN = re.compile(
    r"[-_](?:(?<=[0-9]{4}-)[0-9]{2}-|(?<=[0-9a-fA-F]{8}-)[0-9a-fA-F]{4}-|_REDACTED_"
    rf"|(?:{'|'.join(f'(?<={name}[_-])' for name in _ID_NAMES)})[A-Za-z0-9]{{8}})"
)
"""Stands in every text that has a token of the kinds above; it is found fast."""


class Tokens:
    """What ids, uuids and times look like.

    Args:
        volatile: Regular expressions for what else may differ.

    Raises:
        re.error: when one of them is none.
    """

    def __init__(self, volatile: Sequence[str] = ()) -> None:
        own = {f"volatile{n}": of for n, of in enumerate(volatile)}
        self._anywhere = _joined({**own, **_KINDS})
        self._in_system = _joined({**own, **_KINDS, "date": _DATE})
        self._own = bool(own)

    def replace(
        self, text: str, name: Callable[[re.Match[str]], str], *, system: bool
    ) -> str:
        """A text with other names for its tokens."""
        if not (self._own or _HAS_TOKEN.search(text)):
            return text
        return (self._in_system if system else self._anywhere).sub(name, text)


class Renamer:
    """Renames one request; what comes first in a section of it gets the first name there.

    So what is more in one section changes no name of another.

    Args:
        names: What tokens before were called, in the order in which they came.

    Attributes:
        section: What is being renamed, such as `tools`; a part of the names given.
    """

    def __init__(self, tokens: Tokens, names: Mapping[str, str]) -> None:
        self.section = ""
        self._tokens = tokens
        self._names = dict(names)
        self._counts = Counter(name[1:].rpartition(" ")[0] for name in names.values())
        self._new: list[tuple[str, str]] = []
        self._redacted: list[str] = []

    def taken(self) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
        """What came since this was called before.

        Returns:
            The tokens that were named, with their names; and the placeholders, each time
            that they came.
        """
        new, redacted = tuple(self._new), tuple(self._redacted)
        self._new, self._redacted = [], []
        return new, redacted

    def rename(self, value: Any, *, system: bool = False, wire: bool = True) -> Any:  # noqa: ANN401
        """Rename what is in a JSON value, keys in their order.

        Args:
            system: Whether it is a system prompt, where dates may differ too.
            wire: Whether its keys are those of the wire.
        """
        if isinstance(value, str):
            return self._tokens.replace(value, self._found, system=system)
        if isinstance(value, dict):
            return {
                key: self._field(key, value[key], system=system, wire=wire)
                for key in sorted(value)
            }
        if isinstance(value, list):
            return [self.rename(one, system=system, wire=wire) for one in value]
        return value

    def _field(self, key: str, value: Any, *, system: bool, wire: bool) -> Any:  # noqa: ANN401
        if wire and isinstance(value, str) and key in _ID_KEYS and value:
            return self._name(value, "id")
        if _is_number(value) and value > 1e9 and _TIME_KEY.fullmatch(key):
            return self._name(str(value), "time")
        inside = wire and key not in OF_TOOLS
        return self.rename(value, system=system, wire=inside)

    def _found(self, found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        if kind == "redacted":
            kind = found[0].split("_")[3].lower()
            self._redacted.append(found[0])
        return self._name(found[0], kind)

    def _name(self, token: str, kind: str) -> str:
        name = self._names.get(token)
        if name is None:
            kind = f"{self.section} {kind}".lstrip()
            self._counts[kind] += 1
            name = self._names[token] = f"\u27e8{kind} {self._counts[kind]}\u27e9"
            self._new.append((token, name))
        return name


def _joined(kinds: dict[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{kind}>{of})" for kind, of in kinds.items()))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
