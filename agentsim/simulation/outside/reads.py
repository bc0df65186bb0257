"""Answers of before: what a read said before the last write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.core import canonical_json

__all__ = ["Reads"]

Key = tuple[str, object]


class Reads:
    """Remembers what each read answered, and what of it a write has made old.

    The state of before a write is not kept: tools of a user's own have none that could
    be. So a read is stale as a cache is: only where it was answered before.
    """

    __slots__ = ("_fresh", "_old")

    def __init__(self) -> None:
        self._fresh: dict[Key, object] = {}
        self._old: dict[Key, object] = {}

    def note(self, name: str, arguments: Mapping[str, Any], output: object) -> None:
        """Remember an answer."""
        key = _key(name, arguments)
        if key is not None:
            self._fresh[key] = output

    def written(self) -> None:
        """Say that a write took effect: what was answered until now is old."""
        self._old.update(self._fresh)
        self._fresh.clear()

    def outdated(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether there is an old answer to this read."""
        return bool(self._old) and _key(name, arguments) in self._old

    def old(self, name: str, arguments: Mapping[str, Any]) -> object:
        """The old answer to a read that is `outdated`."""
        key = _key(name, arguments)
        assert key is not None
        return self._old[key]


def _key(name: str, arguments: Mapping[str, Any]) -> Key | None:
    """Name and arguments; None where an agent gave what no model can write."""
    for key, value in arguments.items():
        if type(key) is not str or type(value) is not str:
            break
    else:  # texts only, as in most calls: they need no JSON to be compared
        return name, tuple(sorted(arguments.items()))
    try:
        return name, canonical_json(dict(arguments))
    except (TypeError, ValueError):
        return None
