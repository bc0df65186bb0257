"""The tools of a run as judges ask of them: read once for all runs of a scenario.

And what an agent may add to the arguments that the model wrote: who approved the call,
and a key by which the tool knows it again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from agentsim.core import Rights, ToolDef
from agentsim.trace import ToolFacts

__all__ = [
    "APPROVER",
    "Toolset",
    "are_without_keys",
    "is_key",
    "same_arguments",
    "without_added",
    "without_approver",
]

APPROVER = "confirmed_by"
"""The field that a runtime adds to the arguments of an approved call (R4.4)."""

_KEY = re.compile(r"idempoten(cy|ce|t)[ _-]?(key|token|id)$", re.IGNORECASE)


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


@lru_cache(maxsize=256)
def is_key(field: str) -> bool:
    """Whether an argument of this name is an idempotency key: `idempotency_key`, say."""
    return _KEY.search(field) is not None


def are_without_keys(offered: Sequence[ToolDef], configured: Sequence[ToolDef]) -> bool:
    """Whether tools are those configured, but for keys that are the agent's own affair."""
    return len(offered) == len(configured) and all(
        tool in (own, _without_keys(own))
        for tool, own in zip(offered, configured, strict=True)
    )


def _without_keys(tool: ToolDef) -> ToolDef:
    left: dict[str, Any] = dict(tool.parameters)
    for part in ("properties", "required"):
        fields = left.get(part)
        if isinstance(fields, Mapping):
            left[part] = {name: fields[name] for name in fields if not is_key(name)}
        elif fields:
            left[part] = [name for name in fields if not is_key(name)]
    return replace(tool, parameters=left)


def same_arguments(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether arguments are the same, whoever approved them, and put a key to them."""
    return one == other or without_added(one, other) == without_added(other, one)


def without_approver(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments without the field that a runtime adds to those of an approved call."""
    rest = dict(arguments)
    rest.pop(APPROVER, None)
    return rest


def without_added(
    arguments: Mapping[str, Any], others: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments without who approved them, and without keys that others have not."""
    return {
        field: value
        for field, value in arguments.items()
        if field != APPROVER
        and not (is_key(field) and None in (value, others.get(field)))
    }
