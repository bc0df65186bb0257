"""How each type that a trace holds is written as JSON, and read back checked.

One rule per type of a field, found from the annotations of the dataclasses in `core`:
a new kind of event or a new field needs no line here. Reading never trusts: a value of
the wrong type is a `Misfit` with the path to it, never a half-valid event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from itertools import repeat
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from agentsim.core import Message, MessageView, ToolDef, UsageError, did_you_mean
from agentsim.trace._values import Misfit, plain, show

__all__ = ["Context", "Shape", "shape_of"]


class Context:
    """What lines share: the last view of a history, and the sets of tools so far."""

    __slots__ = ("last", "toolsets", "whole")

    def __init__(self) -> None:
        self.last = MessageView([], 0)
        self.whole: list[Message] = []
        self.toolsets: list[tuple[ToolDef, ...]] = []


Write = Callable[[Any, Context], object]
Read = Callable[[object, Context], Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """How values of one type are written and read."""

    write: Write
    read: Read


def shape_of(hint: object) -> Shape:
    """The shape of a type annotation.

    Raises:
        TypeError: for a type that no rule covers, which is a bug of ours.
    """
    found = _SHAPES.get(hint)
    if found is None:
        found = _SHAPES[hint] = _build(hint)
    return found


def _build(hint: object) -> Shape:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _literal(args)
    if origin in (Union, UnionType) and len(args) == 2 and NoneType in args:
        return _optional(shape_of(next(arg for arg in args if arg is not NoneType)))
    if origin is tuple and args[-1] is Ellipsis:
        return _list(shape_of(args[0]))
    if origin is tuple:
        return _row(tuple(shape_of(arg) for arg in args))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return Shape(_write_object, _read_object)
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
        return _record(hint)
    raise TypeError(f"no shape for {hint}")


def _expect(words: str, value: object) -> Misfit:
    return Misfit(f"expected {words}, got {show(value)}")


def _as_it_is(value: object, _context: Context) -> object:
    return value


def _read_text(value: object, _context: Context) -> str:
    if not isinstance(value, str):
        raise _expect("a text", value)
    return value


def _read_flag(value: object, _context: Context) -> bool:
    if not isinstance(value, bool):
        raise _expect("true or false", value)
    return value


def _read_integer(value: object, _context: Context) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _expect("a whole number", value)
    return value


def _write_number(value: float, _context: Context) -> object:
    """Write equal numbers equally: 1 and 1.0 are one value of a float field."""
    if value == value // 1 and abs(value) < 2**53:
        return int(value)
    return plain(value)


def _read_number(value: object, _context: Context) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _expect("a number", value)
    return value


def _write_object(value: Mapping[str, Any], _context: Context) -> object:
    return plain(value)


def _read_object(value: object, _context: Context) -> object:
    if not isinstance(value, dict):
        raise _expect("an object", value)
    return plain(value)


def _literal(options: tuple[Any, ...]) -> Shape:
    def read(value: object, _context: Context) -> object:
        if not isinstance(value, str) or value not in options:
            listed = ", ".join(map(show, options))
            raise _expect(f"one of {listed}", value)
        return value

    return Shape(_as_it_is, read)


def _optional(inner: Shape) -> Shape:
    def write(value: object, context: Context) -> object:
        return None if value is None else inner.write(value, context)

    def read(value: object, context: Context) -> object:
        return None if value is None else inner.read(value, context)

    return Shape(write, read)


def _each(
    moves: Iterable[Write | Read], values: Iterable[object], context: Context
) -> list[object]:
    found: list[object] = []
    for number, (move, value) in enumerate(zip(moves, values, strict=False)):
        try:
            found.append(move(value, context))
        except Misfit as misfit:
            raise misfit.inside(f"[{number}]") from None
    return found


def _list(inner: Shape) -> Shape:
    def write(value: Sequence[object], context: Context) -> object:
        return _each(repeat(inner.write), value, context)

    def read(value: object, context: Context) -> object:
        if not isinstance(value, list):
            raise _expect("an array", value)
        return tuple(_each(repeat(inner.read), value, context))

    return Shape(write, read)


def _row(inner: tuple[Shape, ...]) -> Shape:
    def write(value: Sequence[object], context: Context) -> object:
        return _each((shape.write for shape in inner), value, context)

    def read(value: object, context: Context) -> object:
        if not isinstance(value, list) or len(value) != len(inner):
            raise _expect(f"an array of {len(inner)}", value)
        return tuple(_each((shape.read for shape in inner), value, context))

    return Shape(write, read)


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    shape: Shape
    required: bool
    default: Any

    def omits(self, value: object) -> bool:
        """Whether a value goes without saying."""
        return not self.required and bool(value == self.default)


def _fields(cls: type) -> list[_Field]:
    hints = get_type_hints(cls)
    found = []
    for field in fields(cls):
        default = field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        shape = shape_of(hints[field.name])
        found.append(_Field(field.name, shape, default is MISSING, default))
    return found


def _record(cls: type) -> Shape:
    rows = _fields(cls)
    names = [row.name for row in rows]

    def write(value: object, context: Context) -> object:
        record = {}
        for row in rows:
            part = getattr(value, row.name)
            if not row.omits(part):
                try:
                    record[row.name] = row.shape.write(part, context)
                except Misfit as misfit:
                    raise misfit.inside(row.name) from None
        return record

    def read(value: object, context: Context) -> object:
        if not isinstance(value, dict):
            raise _expect("an object", value)
        for key in value:
            if key not in names:
                known = did_you_mean(key, names)
                raise Misfit(f"there is no field {show(key)} here{known}")
        parts = {}
        for row in rows:
            if row.name in value:
                try:
                    parts[row.name] = row.shape.read(value[row.name], context)
                except Misfit as misfit:
                    raise misfit.inside(row.name) from None
            elif row.required:
                raise Misfit(f"the field {show(row.name)} is missing")
        try:
            return cls(**parts)
        except UsageError as error:
            raise Misfit(str(error)) from None

    return Shape(write, read)


def _write_tools(tools: tuple[ToolDef, ...], context: Context) -> object:
    """Write a set of tools once, and its number from then on."""
    for number, known in enumerate(context.toolsets):
        if tools is known or tools == known:
            return number
    context.toolsets.append(tools)
    return _DEFINITIONS.write(tools, context)


def _read_tools(value: object, context: Context) -> tuple[ToolDef, ...]:
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value < len(context.toolsets):
            raise Misfit(f"there is no set of tools {show(value)} above this line")
        return context.toolsets[value]
    tools: tuple[ToolDef, ...] = _DEFINITIONS.read(value, context)
    context.toolsets.append(tools)
    return tools


def _write_view(view: MessageView, context: Context) -> object:
    """Write what is new against the view before, so that a trace grows linearly."""
    last = context.last
    keep = len(last) if view.extends(last) else _common(view, last)
    context.last = view
    return {"keep": keep, "add": _MESSAGES.write(tuple(view[keep:]), context)}


def _common(view: MessageView, last: MessageView) -> int:
    pairs = zip(view, last, strict=False)
    return next(
        (n for n, (mine, other) in enumerate(pairs) if mine != other),
        min(len(view), len(last)),
    )


def _read_view(value: object, context: Context) -> MessageView:
    """Read a view as one of the same list wherever it extends the view before."""
    if not isinstance(value, dict) or sorted(value) != ["add", "keep"]:
        raise _expect('an object of "keep" and "add"', value)
    keep = value["keep"]
    if isinstance(keep, bool) or not isinstance(keep, int):
        raise _expect("a whole number", keep).inside("keep")
    if not 0 <= keep <= len(context.last):
        words = f"keeps {show(keep)} messages of {len(context.last)}"
        raise Misfit(words).inside("keep")
    try:
        added = _MESSAGES.read(value["add"], context)
    except Misfit as misfit:
        raise misfit.inside("add") from None
    if added and keep < len(context.whole):
        context.whole = context.whole[:keep]
    context.whole.extend(added)
    context.last = MessageView(context.whole, keep + len(added))
    return context.last


_SHAPES: dict[object, Shape] = {
    str: Shape(_as_it_is, _read_text),
    bool: Shape(_as_it_is, _read_flag),
    int: Shape(_as_it_is, _read_integer),
    float: Shape(_write_number, _read_number),
}
_DEFINITIONS = _list(shape_of(ToolDef))
_MESSAGES = _list(shape_of(Message))
_SHAPES[tuple[ToolDef, ...]] = Shape(_write_tools, _read_tools)
_SHAPES[MessageView] = Shape(_write_view, _read_view)
