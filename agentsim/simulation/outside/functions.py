"""Simulated tools as plain functions, which a framework makes its own tools of.

A framework reads name, docstring and signature of a function, tells the model a schema
of them, and calls it with what the model gave, turned into what the annotations say. So
each function here has those of the tool, and turns values back into plain data: the
tool gets what it declares, as if it were called by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from agentsim.core import SyncTool, Tool, UsageError, canonical_json
from agentsim.world import Described

__all__ = ["Functions"]

_SCALARS = (str, int, float, bool, type(None))


class Functions(Mapping[str, Callable[..., Any]]):
    """A function for each tool, by its name, made when it is asked for.

    Args:
        tools: Those of one incarnation; what is async gives async functions.
        describe: What Python knows of each, by its name.
    """

    def __init__(
        self, tools: Sequence[Tool | SyncTool], describe: Callable[[str], Described]
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._describe = describe
        self._made: dict[str, Callable[..., Any]] = {}

    def __getitem__(self, name: str) -> Callable[..., Any]:
        if name not in self._made:
            self._made[name] = _function(self._tools[name], self._describe(name))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"<functions: {', '.join(self._tools) or 'none'}>"


def _function(tool: Tool | SyncTool, told: Described) -> Callable[..., Any]:
    names = tuple(
        entry.name
        for entry in told.signature.parameters.values()
        if entry.kind is entry.POSITIONAL_OR_KEYWORD
    )

    def given(args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        return _arguments(told, names, args, named)

    function: Any
    if isinstance(tool, Tool):
        run = tool.run

        async def function(*args: Any, **arguments: Any) -> object:
            return await run(given(args, arguments))

    else:
        run_blocking = tool.run

        def function(*args: Any, **arguments: Any) -> object:
            return run_blocking(given(args, arguments))

    # No `__wrapped__`: who unwraps it would call past the simulation.
    function.__name__ = function.__qualname__ = told.name
    function.__doc__ = told.doc
    function.__signature__ = told.signature
    function.__annotations__ = told.annotations
    if told.module is not None:
        function.__module__ = told.module
    made: Callable[..., Any] = function
    return made


def _arguments(
    told: Described,
    names: tuple[str, ...],
    args: tuple[Any, ...],
    named: dict[str, Any],
) -> dict[str, Any]:
    """Arguments by name, as plain data; what was left out stays so."""
    if len(args) > len(names):
        raise UsageError(
            f"{told.name} takes {len(names)} arguments by place, got {len(args)}: "
            "give the others by name"
        )
    by_place = dict(zip(names, args, strict=False))
    twice = next((name for name in by_place if name in named), None)
    if twice is not None:
        raise UsageError(f"{told.name}: {twice!r} is given by place and by name")
    entries = told.signature.parameters
    values: dict[str, Any] = {}
    for name, value in {**by_place, **named}.items():
        if value is None and name in told.unset:
            continue
        plain = as_json(value)
        is_left = plain is value and type(value) not in (*_SCALARS, list, dict)
        if is_left and name in entries and value is entries[name].default:
            continue  # a default that JSON can't carry: the function has it itself
        values[name] = plain
    return values


def as_json(value: object) -> object:
    """A value as JSON has it, where there is one: a model as an object, a date as text."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if isinstance(value, dict):
        return {_key(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(entry) for entry in value]
    if isinstance(value, (set, frozenset)):
        entries = [as_json(entry) for entry in value]
        return sorted(entries, key=canonical_json)  # a set has no order of its own
    return _dumped(value)


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    from pydantic_core import to_jsonable_python

    return str(next(iter(to_jsonable_python({key: None}))))


def _dumped(value: object) -> object:
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        # Sets stay sets here, so that their order does not reach the tool. A model's
        # fields that were left out stay so: the tool fills them in itself.
        parts = _serializer().to_python(value, by_alias=True, exclude_unset=True)
        if type(parts) is not type(value):
            return as_json(parts)
        return to_jsonable_python(value, by_alias=True)
    except PydanticSerializationError:
        return value  # the tool refuses it, in words


@cache
def _serializer() -> Any:  # noqa: ANN401 - of any value
    from pydantic_core import SchemaSerializer, core_schema

    return SchemaSerializer(core_schema.any_schema())
