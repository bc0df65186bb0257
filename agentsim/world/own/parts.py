"""A part of a world as one class: its fields are its state, its methods are tools."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform, overload

from agentsim.core import UsageError
from agentsim.world.own.tools import OwnTool
from agentsim.world.subsystem import Subsystem, Surroundings
from agentsim.world.tools import WorldTool, tools_of

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["OwnPart", "world_part"]

Kind = TypeVar("Kind", bound=type[Any])

_TAKEN = ("build", "kind")
"""What the decorator puts on a class."""


@overload
@dataclass_transform(field_specifiers=(field,))
def world_part(of: Kind, /) -> Kind: ...


@overload
@dataclass_transform(field_specifiers=(field,))
def world_part(of: str | None = None, /) -> Callable[[Kind], Kind]: ...


def world_part(of: Kind | str | None = None, /) -> Kind | Callable[[Kind], Kind]:
    """Make a class a part of a world: fields are its state, methods marked `tool` its tools.

    Each field has a type and a default. `Shop(stock=5)` in the world of a scenario says
    how it begins; each run works on a copy, which is `world.shop`. `SPECS.add`, as a
    decorator on top of this one, lets files name it too.

    Args:
        of: Its name in YAML and as an attribute of the world; by default that of the
            class: `shop` for `Shop`.

    Raises:
        UsageError: for a class that can't be one, with what to change.
    """
    if isinstance(of, type):
        return _made(of, _snake(of.__name__))

    def decorate(cls: Kind) -> Kind:
        return _made(cls, _snake(cls.__name__) if of is None else of)

    return decorate


class OwnPart(Subsystem):
    """A part of a user's own in one run.

    Attributes:
        of: The copy that this run works on.
    """

    def __init__(self, spec: Any, world: Surroundings) -> None:  # noqa: ANN401
        super().__init__(world)
        self.of = deepcopy(spec)

    @property
    def itself(self) -> Any:  # noqa: ANN401 - an object of the user's class
        """The object of the user's class."""
        return self.of

    def tools(self) -> tuple[WorldTool, ...]:
        """Its methods that are tools, in the order of its text."""
        return _tools(type(self.of))

    def snapshot(self) -> dict[str, Any]:
        """Copy the fields, as JSON data.

        Raises:
            UsageError: when a field holds what JSON can't carry.
        """
        from pydantic_core import PydanticSerializationError

        try:
            data = _adapter(type(self.of)).dump_python(
                self.of, mode="json", warnings="error"
            )
        except PydanticSerializationError:
            raise UsageError(
                f"the part {self.of.kind!r} holds a value that is not as its field's "
                "type says, or that JSON can't carry"
            ) from None
        assert isinstance(data, dict)
        return data

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Take over a copy of the fields."""
        read = _adapter(type(self.of)).validate_python(dict(snapshot))
        for one in fields(self.of):
            setattr(self.of, one.name, getattr(read, one.name))


def _made(cls: Kind, name: str) -> Kind:
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise UsageError(
            f"world_part: {name!r} can't be the name of a part: give it one that can "
            'stand behind `world.`, such as world_part("shop")'
        )
    for taken in _TAKEN:
        if taken in vars(cls) or taken in vars(cls).get("__annotations__", ()):
            raise UsageError(
                f"part {name!r}: call its {taken!r} otherwise: a world uses that name"
            )
    if "__init__" in vars(cls) and not is_dataclass(cls):
        raise UsageError(
            f"part {name!r}: leave out __init__, and declare what it sets as fields "
            "with types and defaults, such as `stock: int = 3`"
        )
    if "__dataclass_fields__" not in vars(cls):
        _copy_defaults(cls)
        dataclass(cls)
    for one in fields(cls):
        if one.default is MISSING and one.default_factory is MISSING:
            raise UsageError(
                f"part {name!r}: its field {one.name!r} needs a default, so that a "
                "scenario may name the part alone"
            )
    if cls.__dataclass_params__.frozen:
        raise UsageError(
            f"part {name!r}: its fields are its state, so it can't be frozen"
        )
    cls.kind = name
    cls.build = _build
    _known[cls] = _declared(cls, name)
    return cls


def _build(spec: Any, world: Surroundings) -> OwnPart:  # noqa: ANN401
    """Make the part for one run."""
    return OwnPart(spec, world)


def _copy_defaults(cls: type[Any]) -> None:
    """Let each object have its own list where a list is the default."""
    for name in vars(cls).get("__annotations__", {}):
        default = vars(cls).get(name)
        if isinstance(default, (list, dict, set)):
            setattr(cls, name, field(default_factory=partial(deepcopy, default)))


_known: dict[type[object], tuple[WorldTool, ...]] = {}


def _tools(cls: type[object]) -> tuple[WorldTool, ...]:
    return next(_known[base] for base in cls.__mro__ if base in _known)


def _declared(cls: type[Any], name: str) -> tuple[WorldTool, ...]:
    """The tools of a class and of its bases; what a class overrides counts once."""
    members: dict[str, object] = {}
    marked: dict[str, WorldTool] = {}
    for base in reversed(cls.__mro__):
        members |= vars(base)
        marked |= {tool.name: _bound(tool) for tool in tools_of(base)}
    found: list[WorldTool] = []
    for member, value in members.items():
        if isinstance(value, OwnTool):
            found += value.build_tools(bound=True)
        elif member in marked:
            found.append(marked[member])
    if not found:
        raise UsageError(
            f"part {name!r} has no tools: mark its methods with `@tool`, or "
            "`@tool(read_only=True)`"
        )
    return tuple(found)


def _bound(tool: WorldTool) -> WorldTool:
    """A method marked `world_tool`, called with the user's object."""
    method = tool.method
    return replace(tool, method=lambda part, **given: method(part.itself, **given))


_adapters: dict[type[Any], TypeAdapter[Any]] = {}


def _adapter(cls: type[Any]) -> TypeAdapter[Any]:
    from pydantic import PydanticUserError, TypeAdapter
    from pydantic.errors import PydanticSchemaGenerationError

    if cls not in _adapters:
        try:
            _adapters[cls] = TypeAdapter(cls)
        except (PydanticUserError, PydanticSchemaGenerationError, NameError):
            raise UsageError(
                f"the part {cls.kind!r} can't be copied: give its fields types that "
                "JSON can carry"
            ) from None
    return _adapters[cls]


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
