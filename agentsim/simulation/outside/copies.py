"""What an agent is handed that it could change: copies, so that no later run sees it.

Schemas of tools, and blocks of messages, are lists and mappings of the scenario or of a
class of the world. Agents do change them in place (some frameworks make a schema strict
so), and the next run of the process would be told another tool.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from agentsim.core import Message, ToolDef, copied

__all__ = ["Definitions", "own_message", "own_messages"]


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
