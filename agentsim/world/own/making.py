"""Making a tool of what a user has: a function, answers, or a definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict, Unpack, overload

from agentsim.core import Category, Rights, Tool, ToolDef, UsageError
from agentsim.world.docstrings import words_of
from agentsim.world.own.arguments import FromSchema, FromSignature
from agentsim.world.own.tools import LATENCY_S, OwnTool, check_name, plain_answer
from agentsim.world.own.written import documented, unbound

__all__ = ["tool"]

_NOTHING = object()
"""Stands for an answer that was not given: None is one."""


class _Options(TypedDict, total=False):
    """What every form of `tool` takes."""

    description: str | None
    schema: Mapping[str, Any] | None
    read_only: bool | None
    category: Category | None
    parallel: bool | None
    confirm: bool | None
    volatile: Sequence[str]
    latency_s: float
    also: Sequence[str]


class _Declared(NamedTuple):
    """The rights that were declared, and what stands beside them."""

    category: Category | None
    parallel: bool | None
    confirm: bool | None
    volatile: Sequence[str]
    more: dict[str, Any]

    def rights(self, name: str, default: Category) -> Rights:
        """The rights, with what follows from them where it is not given."""
        category = self.category or default
        parallel = self.parallel
        if parallel is None:
            parallel = category == "read_only" and not self.confirm
        volatile: Any = self.volatile  # a text alone is told by the rights
        if not isinstance(volatile, str):
            volatile = tuple(volatile)
        try:
            return Rights(category, parallel, self.confirm, volatile)
        except UsageError as error:
            raise UsageError(f"tool {name!r}: {error}") from None


@overload
def tool(
    of: Callable[..., object] | Tool,
    /,
    *,
    name: str | None = None,
    **options: Unpack[_Options],
) -> OwnTool: ...


@overload
def tool(
    of: str | ToolDef, /, *, returns: object, **options: Unpack[_Options]
) -> OwnTool: ...


@overload
def tool(
    *, name: str | None = None, **options: Unpack[_Options]
) -> Callable[[Callable[..., object]], OwnTool]: ...


def tool(
    of: Callable[..., object] | Tool | ToolDef | str | None = None,
    /,
    *,
    returns: object = _NOTHING,
    name: str | None = None,
    description: str | None = None,
    schema: Mapping[str, Any] | None = None,
    read_only: bool | None = None,
    category: Category | None = None,
    parallel: bool | None = None,
    confirm: bool | None = None,
    volatile: Sequence[str] = (),
    latency_s: float = LATENCY_S,
    also: Sequence[str] = (),
) -> OwnTool | Callable[[Callable[..., object]], OwnTool]:
    """Make a tool of a function, or of canned answers, for the world of a scenario.

    `tool(fn, read_only=True)` and `@tool` take a function, also an async one: its name,
    docstring and annotations are what the model is told. What it returns is the result,
    text as it is and anything else as JSON; what it raises is an error result, and means
    that nothing was done. `tool("check_cpu", returns=["97 %", "12 %"])` gives answers in
    their order, of which the last stays; an exception among them is an error result.

    Args:
        of: A function, a `core.Tool`, or for canned answers a name or a `ToolDef`.
        returns: One canned answer, or a list of them.
        name: By default the function's.
        description: By default the docstring's words before its sections.
        schema: A JSON Schema of the arguments, in place of the annotations.
        read_only: Whether it leaves the world as it is. By default a function may
            write, so a person must approve it, and canned answers only read.
        category: In place of `read_only`: `read_only` or `mutating`.
        parallel: Whether calls may overlap; by default what reads may.
        confirm: Whether a person must approve; None takes the category's default.
        volatile: Regular expressions of parts that vary without meaning; see `Rights`.
        latency_s: Virtual seconds that it takes before it acts.
        also: Further names of the same tool.

    Raises:
        UsageError: for rights that contradict one another, or a signature that a model
            can't give arguments to.
    """
    _check_options(name, description, latency_s, also)
    words = {"name": name, "description": description, "schema": schema}
    if read_only is not None and not isinstance(read_only, bool):
        raise UsageError(
            f"tool: read_only: expected True or False, got {_kind(read_only)}"
        )
    if read_only is not None and category is not None:
        raise UsageError("tool: give read_only or category, not both")
    if read_only is not None:
        category = "read_only" if read_only else "mutating"
    declared = _Declared(
        category, parallel, confirm, volatile, {"latency_s": latency_s, "also": also}
    )
    if returns is not _NOTHING:
        return _canned(of, returns, words, declared)
    if of is None:
        return lambda function: _of_function(function, words, declared)
    if not callable(of):
        raise UsageError(
            f"tool: expected a function, got {_kind(of)}; canned answers are given with "
            "returns="
        )
    return _of_function(of, words, declared)


def _check_options(
    name: object, description: object, latency_s: object, also: object
) -> None:
    """Refuse options of a wrong type; rights are looked at with one another."""
    for option, value in (("name", name), ("description", description)):
        if value is not None and not isinstance(value, str):
            raise UsageError(f"tool: {option}: expected a text, got {_kind(value)}")
    if isinstance(latency_s, bool) or not isinstance(latency_s, (int, float)):
        words = f"expected a number of seconds, got {_kind(latency_s)}"
        raise UsageError(f"tool: latency_s: {words}")
    names = also if isinstance(also, (list, tuple, set, frozenset)) else (None,)
    if not all(isinstance(one, str) for one in names):
        raise UsageError(f"tool: also: expected a list of names, got {_kind(also)}")


def _of_function(
    of: Callable[..., object] | Tool, words: dict[str, Any], declared: _Declared
) -> OwnTool:
    if isinstance(of, Tool):
        return _of_tool(of, words, declared)
    origin = unbound(of)
    name = words["name"]
    if name is None:
        name = getattr(origin, "__name__", type(origin).__name__)
    check_name(name)  # before anything else is told of it by this name
    said, schema = words["description"], words["schema"]
    takes = FromSignature(name, of) if schema is None else FromSchema(name, schema, of)
    definition = ToolDef(
        name, words_of(documented(of))[0] if said is None else said, takes.schema
    )
    rights = declared.rights(name, "mutating")
    source = origin if origin is not of else None
    return _made(definition, rights, takes, declared, function=of, source=source)


def _of_tool(of: Tool, words: dict[str, Any], declared: _Declared) -> OwnTool:
    """A tool of a runtime, with the rights that it has there."""
    told = {**words, **declared._asdict(), "more": None, "volatile": None}
    if declared.volatile:
        told["volatile"] = declared.volatile
    given = [key for key, value in told.items() if value is not None]
    if given:
        raise UsageError(
            f"tool {of.name!r}: a Tool has its own {given[0]}: change it there"
        )

    def call(**arguments: Any) -> object:
        return of.run(arguments)

    takes = FromSchema(of.name, of.definition.parameters)
    made = _made(of.definition, of.rights, takes, declared, function=call)
    return replace(made, source=of.run)


def _canned(
    of: object, returns: object, words: dict[str, Any], declared: _Declared
) -> OwnTool:
    definition = of if isinstance(of, ToolDef) else None
    if definition is None:
        if not isinstance(of, str):
            what = "nothing" if of is None else _kind(of)
            raise UsageError(
                f"tool: canned answers belong to a name or a ToolDef, got {what}"
            )
        schema = words["schema"] or {"type": "object", "properties": {}}
        definition = ToolDef(of, words["description"] or "", schema)
    answers = tuple(returns) if isinstance(returns, (list, tuple)) else (returns,)
    if not answers:
        raise UsageError(f"tool {definition.name!r}: returns needs at least one answer")
    for answer in answers:
        plain_answer(definition.name, answer)
    takes = FromSchema(definition.name, definition.parameters)
    rights = declared.rights(definition.name, "read_only")
    return _made(definition, rights, takes, declared, returns=answers)


def _made(
    definition: ToolDef,
    rights: Rights,
    takes: FromSchema | FromSignature,
    declared: _Declared,
    **what: Any,
) -> OwnTool:
    more = {**declared.more, "also": tuple(declared.more["also"])}
    return OwnTool(definition, rights, takes, **more, **what)


def _kind(value: object) -> str:
    return ascii(value) if isinstance(value, str) else f"a {type(value).__name__}"
