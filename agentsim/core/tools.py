"""Tools and their rights (spec R1.3): rights belong to the tool, never to a guess."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from agentsim.core.errors import UsageError
from agentsim.core.json_fault import DEPTH_MAX

__all__ = [
    "Category",
    "Rights",
    "SyncTool",
    "Tool",
    "ToolDef",
    "ToolFunction",
    "check_names",
    "copied",
    "copied_arguments",
]

Category = Literal["read_only", "mutating", "destructive"]

ToolFunction = Callable[[dict[str, Any]], Awaitable[object]]
"""Runs a tool with its parsed arguments; a raised exception is the tool's error."""


@dataclass(frozen=True, slots=True)
class ToolDef:
    """What the model is told of a tool.

    Attributes:
        parameters: A JSON Schema of type `object`.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(
        default_factory=lambda: {"type": "object", "properties": {}}
    )


@dataclass(frozen=True, slots=True)
class Rights:
    """What a tool may do, and what must happen before it does (R1.3).

    Attributes:
        category: `read_only`, `mutating` (asks for confirmation unless `confirm` is
            declared False) or `destructive` (dry run, then confirmation).
        parallel: Whether calls may overlap; only for read-only tools.
        confirm: Whether a person must approve; None takes the category's default.
        volatile: Regular expressions of the parts of an output that vary without
            meaning (a PID, a time) and are masked in loop signatures.

    Raises:
        UsageError: when the rights contradict one another.
    """

    category: Category = "read_only"
    parallel: bool = False
    confirm: bool | None = None
    volatile: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.category not in ("read_only", "mutating", "destructive"):
            raise UsageError(
                "category: expected 'read_only', 'mutating' or 'destructive', "
                f"got {self.category!r}"
            )
        if self.category == "destructive" and self.confirm is False:
            raise UsageError("a destructive tool can't be declared confirm=False")
        for name in ("parallel", "confirm"):
            value = getattr(self, name)
            if not isinstance(value, bool) and (
                name == "parallel" or value is not None
            ):
                raise UsageError(f"{name}: expected True or False, got {value!r}")
        if self.parallel and not self.read_only:
            raise UsageError("only a read-only tool can be parallel")
        if self.parallel and self.confirm:
            raise UsageError("a tool that needs confirmation can't be parallel")
        self._check_volatile()

    def _check_volatile(self) -> None:
        given: object = self.volatile
        if isinstance(given, str):  # its letters would each be taken as a pattern
            raise UsageError(
                "volatile: expected a tuple of regular expressions, "
                f"got one text: write ({given!r},)"
            )
        for pattern in self.volatile:
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError, TypeError):
                raise UsageError(
                    f"volatile: {pattern!r} is not a regular expression"
                ) from None

    @property
    def read_only(self) -> bool:
        """Whether the tool leaves the world as it is."""
        return self.category == "read_only"

    @property
    def confirms(self) -> bool:
        """Whether a person must approve a call before it runs."""
        return self.category != "read_only" if self.confirm is None else self.confirm

    @property
    def alone(self) -> bool:
        """Whether a call of the tool must not overlap any other (R4.1, R4.2)."""
        return not self.parallel

    def mask(self, output: str) -> str:
        """Replace the volatile parts of an output, for loop signatures."""
        return _masked(tuple(self.volatile), output) if self.volatile else output


@lru_cache(maxsize=16)
def _masked(patterns: tuple[str, ...], output: str) -> str:
    """An output without what varies: a judge masks what a run masked, and the next."""
    for pattern in patterns:
        output = re.sub(pattern, "*", output)
    return output


@dataclass(frozen=True, slots=True, repr=False)
class Tool:
    """A definition, its rights and the function that runs it.

    Attributes:
        run: Called with the parsed arguments; what it returns is the result (text as
            it is, anything else as JSON), what it raises is the tool's error.
        dry_run: Says what `run` would do without doing it; required for destructive
            tools.
    """

    definition: ToolDef
    run: ToolFunction
    rights: Rights = Rights()
    dry_run: ToolFunction | None = None

    def __post_init__(self) -> None:
        if self.rights.category == "destructive" and self.dry_run is None:
            raise UsageError(f"tool {self.name!r} is destructive and needs a dry_run")

    @property
    def name(self) -> str:
        """The name that the model calls it by."""
        return self.definition.name

    def __repr__(self) -> str:
        # It stands in the errors of wrong calls, where an address would differ each time.
        return f"<Tool {self.name}>"

    async def __call__(self, **arguments: Any) -> object:
        """Run the tool with keyword arguments."""
        return await self.run(arguments)


@dataclass(frozen=True, slots=True, repr=False)
class SyncTool:
    """A `Tool` as a synchronous agent gets it: `run` and calls return the result.

    Attributes:
        run: As of `Tool`, but it blocks until the result is there.
        dry_run: As of `Tool`, and blocking as well.
    """

    definition: ToolDef
    run: Callable[[dict[str, Any]], object]
    rights: Rights = Rights()
    dry_run: Callable[[dict[str, Any]], object] | None = None

    @property
    def name(self) -> str:
        """The name that the model calls it by."""
        return self.definition.name

    def __repr__(self) -> str:
        return f"<SyncTool {self.name}>"

    def __call__(self, **arguments: Any) -> object:
        """Run the tool with keyword arguments."""
        return self.run(arguments)


def check_names(names: Iterable[str]) -> None:
    """Raise `UsageError` when two tools share a name (R1.3)."""
    listed = list(names)
    if len(set(listed)) < len(listed):
        twice = next(name for at, name in enumerate(listed) if name in listed[:at])
        raise UsageError(f"two tools are named {twice!r}: names must differ")


def copied_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a call, which nobody else can change, however deep they are."""
    for value in arguments.values():
        if type(value) not in _SCALARS:
            return {name: copied(value) for name, value in arguments.items()}
    return dict(arguments)


def copied(value: Any) -> Any:  # noqa: ANN401 - of any kind
    """A copy of mappings, lists and tuples; all else is as it was.

    What goes deeper than any JSON that is read here, or contains itself, is no data and is
    left as it is: who writes it down says so.
    """
    try:
        return _copied(value, DEPTH_MAX)
    except _TooDeep:
        return value


class _TooDeep(Exception):
    """A value goes deeper than data may, however deep the stack is on which it is met."""


def _copied(value: Any, levels: int) -> Any:  # noqa: ANN401
    if not isinstance(value, Mapping | list) and type(value) is not tuple:
        return value
    if not levels:
        raise _TooDeep
    if isinstance(value, Mapping):
        return {key: _copied(entry, levels - 1) for key, entry in value.items()}
    entries = [_copied(entry, levels - 1) for entry in value]
    return entries if isinstance(value, list) else tuple(entries)


_SCALARS = frozenset((str, int, float, bool, type(None)))
