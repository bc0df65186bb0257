"""The tools of a run as judges ask of them: read once for all runs of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from agentsim.core import Rights
from agentsim.trace import ToolFacts

__all__ = ["Toolset"]


class Toolset:
    """The tools on the list of a run.

    Attributes:
        tools: The list itself.
        definitions: What the model is told of each.
        rights: Those of each, by name.
        confirming: Names of those that a person must approve.
        writing: Names of those that may change the world.
        none_alone: Whether each of them may overlap others.
        none_parallel: Whether none of them may.
    """

    _latest: ClassVar[Toolset | None] = None

    __slots__ = (
        "confirming",
        "definitions",
        "none_alone",
        "none_parallel",
        "rights",
        "tools",
        "writing",
    )

    def __init__(self, tools: tuple[ToolFacts, ...]) -> None:
        self.tools = tools
        self.definitions = tuple(entry.definition for entry in tools)
        self.rights: Mapping[str, Rights] = {
            entry.name: entry.rights for entry in tools
        }
        rights = self.rights.items()
        self.confirming = tuple(name for name, right in rights if right.confirms)
        self.writing = tuple(name for name, right in rights if not right.read_only)
        self.none_alone = all(right.parallel for _name, right in rights)
        self.none_parallel = not any(right.parallel for _name, right in rights)

    @classmethod
    def of(cls, tools: tuple[ToolFacts, ...]) -> Toolset:
        """Read these tools, or take what was read of the very same ones just before."""
        latest = cls._latest
        if latest is None or latest.tools is not tools:
            latest = cls._latest = cls(tools)
        return latest
