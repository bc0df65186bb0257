"""Tools whose answers stand in the scenario: what a file has in place of functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, Literal

from agentsim.core import (
    Rights,
    ToolDef,
    ToolFailed,
    UsageError,
    canonical_json,
    number_fault,
)
from agentsim.world.own.arguments import FromSchema
from agentsim.world.own.tools import LATENCY_S, check_name
from agentsim.world.subsystem import Subsystem, Surroundings
from agentsim.world.tools import WorldTool

__all__ = ["Canned", "CannedAnswer", "CannedSystem", "CannedTool"]

SHOWN_MAX = 120
"""Characters of the arguments of a call that an error shows."""


@dataclass(frozen=True, slots=True)
class CannedAnswer:
    """What a canned tool gives to one call.

    Attributes:
        arguments: The arguments that it answers; null for any others.
        result: The text that it gives.
        error: What it fails with, in place of a result; then nothing was done.

    Raises:
        UsageError: when there is not one of result and error.
    """

    arguments: Mapping[str, Any] | None = None
    result: str | None = None
    error: str | None = None

    def __post_init__(self) -> None:
        if (self.result is None) == (self.error is None):
            got = "none" if self.result is None else "both"
            raise UsageError(f"expected one of result and error, got {got}")


@dataclass(frozen=True, slots=True)
class CannedTool:
    """A tool with the answers that it gives.

    Attributes:
        category: What it may do: `read_only`, or `mutating` with an entry in the ledger
            for each result.
        description: What the model is told of it.
        confirm: Whether a person must approve a call; null: as the category has it.
        parallel: Whether calls may overlap; null: as the category has it.
        latency_s: Virtual seconds that it takes.
        parameters: A JSON Schema of type `object`.
        answers: In order. A call takes the first one for its arguments that was not
            given yet; the last one for them stays.

    Raises:
        UsageError: for rights that contradict one another, or a negative time.
    """

    category: Literal["read_only", "mutating"]
    description: str = ""
    confirm: bool | None = None
    parallel: bool | None = None
    latency_s: float = LATENCY_S
    parameters: Mapping[str, Any] = field(
        default_factory=lambda: {"type": "object", "properties": {}}
    )
    answers: tuple[CannedAnswer, ...] = ()

    def __post_init__(self) -> None:
        if fault := number_fault(self.latency_s):
            raise UsageError(f"latency_s: {fault}")
        _ = self.rights

    @property
    def rights(self) -> Rights:
        """What it may do, with what follows from it where it is not given."""
        parallel = self.parallel
        if parallel is None:
            parallel = self.category == "read_only" and not self.confirm
        return Rights(self.category, parallel, self.confirm)


@dataclass(frozen=True)
class Canned:
    """Tools by their names, with the answers that they give.

    Attributes:
        tools: Name of the tool to what it is.

    Raises:
        UsageError: for what can't be the name of a tool, or is no schema.
    """

    kind: ClassVar[str] = "canned"
    tools: Mapping[str, CannedTool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.tools:
            check_name(name)
        _ = self.world_tools

    def __getstate__(self) -> dict[str, Any]:
        return {"tools": self.tools}  # a compiled schema can't be copied

    @cached_property
    def world_tools(self) -> tuple[WorldTool, ...]:
        """The tools, made once for all runs."""
        return tuple(_made(name, tool) for name, tool in self.tools.items())

    @cached_property
    def keys(self) -> Mapping[str, Sequence[str | None]]:
        """Tool -> the arguments that each of its answers is for, in canonical form."""
        return {
            name: [_key(answer.arguments) for answer in tool.answers]
            for name, tool in self.tools.items()
        }

    def build(self, world: Surroundings) -> CannedSystem:
        """Make the tools for one run."""
        return CannedSystem(self, world)


class CannedSystem(Subsystem):
    """Canned tools in one run.

    Attributes:
        given: Tool -> indexes of the answers that it gave, each once.
    """

    STATE = ("given",)

    def __init__(self, spec: Canned, world: Surroundings) -> None:
        super().__init__(world)
        self._spec = spec
        self.given: dict[str, list[int]] = {}

    def tools(self) -> tuple[WorldTool, ...]:
        """The tools, in the order of the scenario."""
        return self._spec.world_tools

    def answer(self, name: str, arguments: Mapping[str, Any]) -> str:
        """What a tool gives to a call.

        Raises:
            ToolFailed: where the answer is an error, or there is none for the arguments.
        """
        keys, key = self._spec.keys[name], _key(arguments)
        fitting = [n for n, one in enumerate(keys) if one == key]
        fitting = fitting or [n for n, one in enumerate(keys) if one is None]
        if not fitting:
            raise ToolFailed(f"{name}: no answer is canned for {_shown(arguments)}")
        given = self.given.setdefault(name, [])
        index = next((n for n in fitting if n not in given), fitting[-1])
        if index not in given:
            given.append(index)
        found = self._spec.tools[name].answers[index]
        if found.error is not None:
            raise ToolFailed(found.error)
        assert found.result is not None
        return found.result


def _made(name: str, tool: CannedTool) -> WorldTool:
    rights = tool.rights
    return WorldTool(
        ToolDef(name, tool.description, tool.parameters),
        rights,
        tool.latency_s,
        confirms=rights.confirms,
        writes=not rights.read_only,
        sees_approver=False,
        method=partial(_act, name),
        parameters=FromSchema(name, tool.parameters),
    )


def _act(name: str, part: CannedSystem, /, **given: Any) -> str:
    return part.answer(name, given)


def _key(arguments: Mapping[str, Any] | None) -> str | None:
    return None if arguments is None else canonical_json(arguments)


def _shown(arguments: Mapping[str, Any]) -> str:
    text = canonical_json(arguments)
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."
