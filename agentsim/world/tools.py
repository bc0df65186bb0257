"""Tools of the simulated world: plain methods with declared rights (spec R1.3, T4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from inspect import getdoc, signature
from typing import Any, Protocol, TypeVar

from agentsim.core import Category, Rights, ToolDef, UsageError
from agentsim.world.parameters import Parameters

__all__ = ["Takes", "WorldTool", "tools_of", "world_tool"]

Method = TypeVar("Method", bound=Callable[..., str])


class Takes(Protocol):
    """What a tool takes: a JSON Schema, and a check of arguments."""

    schema: dict[str, Any]

    def fault(self, arguments: Mapping[str, Any]) -> str | None:
        """What keeps arguments from being taken, in a sentence, or None."""

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The values to call a function with."""


@dataclass(frozen=True, slots=True)
class WorldTool:
    """One tool of a world.

    Attributes:
        definition: What the model is told.
        latency_s: Virtual seconds that it takes.
        confirms: Whether a person must approve, as its rights say.
        writes: Whether it may change the world and leaves an entry in the ledger.
        sees_approver: Whether the method takes `confirmed_by`.
        method: Called with the subsystem and the arguments; gives a text, or for an
            async tool what gives one when it is awaited.
    """

    definition: ToolDef
    rights: Rights
    latency_s: float
    confirms: bool
    writes: bool
    sees_approver: bool
    method: Callable[..., Any]
    parameters: Takes

    @property
    def name(self) -> str:
        """The name that the model calls it by."""
        return self.definition.name


@dataclass(frozen=True, slots=True)
class _Declaration:
    rights: Rights
    latency_s: float
    also: tuple[str, ...]


def world_tool(
    category: Category = "read_only",
    *,
    latency_s: float,
    parallel: bool | None = None,
    confirm: bool | None = None,
    volatile: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
) -> Callable[[Method], Method]:
    """Make a method of a subsystem a tool.

    The method's name, the first line of its docstring and its signature are what the
    model is told. It returns the output, or raises `ToolFailed` and changes nothing.

    Args:
        category: What the tool may do; the rest follows from it where not given.
        latency_s: Virtual seconds that it takes.
        parallel: By default what reads may overlap.
        confirm: Whether a person must approve; None takes the category's default.
        volatile: See `Rights`.
        also: Further names of the same tool.
    """
    if parallel is None:
        parallel = category == "read_only"
    rights = Rights(category, parallel, confirm, volatile)

    def mark(method: Method) -> Method:
        setattr(method, _MARK, _Declaration(rights, latency_s, also))
        return method

    return mark


_MARK = "_agentsim_world_tool"


_known: dict[type[object], tuple[WorldTool, ...]] = {}


def tools_of(subsystem: type[object]) -> tuple[WorldTool, ...]:
    """The tools that a class of subsystems declares, in the order of its text."""
    if subsystem not in _known:
        _known[subsystem] = tuple(_declared(subsystem))
    return _known[subsystem]


def _declared(subsystem: type[object]) -> Iterator[WorldTool]:
    return (
        _build(name, method, declaration)
        for method in vars(subsystem).values()
        if isinstance(declaration := getattr(method, _MARK, None), _Declaration)
        for name in (method.__name__, *declaration.also)
    )


def _build(name: str, method: Callable[..., Any], declared: _Declaration) -> WorldTool:
    parameters = Parameters(method)
    description = getdoc(method)
    if not description:
        raise UsageError(
            f"tool {name!r}: its method needs a docstring, which the model is told; "
            "under `python -OO` there are none"
        )
    return WorldTool(
        ToolDef(name, description.split("\n", 1)[0], parameters.schema),
        declared.rights,
        declared.latency_s,
        confirms=declared.rights.confirms,
        writes=not declared.rights.read_only,
        sees_approver="confirmed_by" in signature(method).parameters,
        method=method,
        parameters=parameters,
    )
