"""Copies of what an agent could change, so that no later run and no trace sees it.

Schemas of tools, and blocks of messages, are lists and mappings of the scenario or of a
class of the world. Agents do change them in place (some frameworks make a schema strict
so), and the next run of the process would be told another tool. Arguments of a call are
the agent's own, and a trace has them as they were.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from agentsim.core import DEPTH_MAX, Message, ToolDef, copied

__all__ = ["Definitions", "kept", "own_message", "own_messages"]

CONTAINERS_MAX = 100_000
"""Lists and dicts in the arguments of a call that a trace keeps."""

_PLAIN = frozenset((str, int, float, bool, type(None)))


class Definitions:
    """Definitions of tools as they are now, to be copied again and again."""

    __slots__ = ("_read", "_told")

    def __init__(self, definitions: Sequence[ToolDef]) -> None:
        self._told = [(one.name, one.description) for one in definitions]
        schemas: list[Any] = copied([one.parameters for one in definitions])
        self._read: Callable[[], list[Any]]
        try:
            # 30 times as fast as to copy object by object; each life does it.
            self._read = partial(marshal.loads, marshal.dumps(schemas))
        except ValueError:  # something else than lists and mappings is among them
            self._read = partial(copied, schemas)

    def copies(self) -> list[ToolDef]:
        """New ones, in their order."""
        return [
            ToolDef(name, description, schema)
            for (name, description), schema in zip(
                self._told, self._read(), strict=True
            )
        ]


def own_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Messages of which the blocks are copies."""
    return tuple(own_message(one) if one.blocks else one for one in messages)


def own_message(message: Message) -> Message:
    """A message with blocks, of which the blocks are copies."""
    return replace(message, blocks=tuple(map(copied, message.blocks)))


def kept(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as they are now, for the trace, whatever a tool or an agent does to them.

    What no JSON has is named by its type: an object may hold an address, or refuse to be
    compared.
    """
    for value in arguments.values():
        if type(value) not in _PLAIN:
            own: dict[str, Any] = _Keeper().kept(arguments)
            return own
    return dict(arguments)


class _Keeper:
    """Copies what is nested, as far as JSON could carry it; it counts how much that is."""

    def __init__(self) -> None:
        self._depth = 0
        self._left = CONTAINERS_MAX

    def kept(self, value: Any) -> Any:  # noqa: ANN401
        """A copy of a value of any kind."""
        if isinstance(value, (Mapping, list, tuple)):
            if self._depth == DEPTH_MAX or not self._left:
                return f"(no JSON: {type(value).__name__} that has no end)"
            self._depth += 1
            self._left -= 1
            try:
                if isinstance(value, Mapping):
                    return {key: self.kept(item) for key, item in value.items()}
                return [self.kept(item) for item in value]
            finally:
                self._depth -= 1
        if value is None or isinstance(value, (str, int, float)):
            return value
        return f"(no JSON: {type(value).__name__})"
