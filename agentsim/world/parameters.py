"""What a tool takes, read from its Python signature: JSON Schema and check in one.

Supported are `str`, `int`, `float`, `bool`, `Literal[...]`, lists of these and
`X | None`; `Annotated[X, "words", AtLeast(1)]` adds a description and a smallest value.
A whole number written as `3.0` is refused where `int` is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter as Declared
from inspect import signature
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from agentsim.core import InternalError, did_you_mean

__all__ = ["AtLeast", "Parameter", "Parameters", "kind_of"]

HIDDEN = ("self", "confirmed_by")
"""Parameters that the model is not told of."""

_JSON_TYPES: dict[type, tuple[str, str, tuple[type, ...]]] = {
    str: ("string", "text", (str,)),
    int: ("integer", "a whole number", (int,)),
    float: ("number", "a number", (float, int)),
    bool: ("boolean", "true or false", (bool,)),
}


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The smallest value of a number, as metadata of an annotation."""

    value: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool.

    Attributes:
        types: Types of the values it takes.
        items: For a list, the types of its entries.
        words: What it takes, for a person; for a list, what an entry is.
        schema: Its JSON Schema.
    """

    name: str
    types: tuple[type, ...]
    words: str
    required: bool
    schema: Mapping[str, Any]
    items: tuple[type, ...] = ()
    choices: tuple[Any, ...] = ()
    minimum: int | None = None

    def fault(self, value: object) -> str | None:
        """What is wrong with a value, or None."""
        if type(value) not in self.types or (
            self.choices and value not in self.choices
        ):
            words = "a list" if self.items else self.words
            return f"argument {self.name!r}: expected {words}, got {kind_of(value)}"
        if self.items and isinstance(value, list):
            for position, item in enumerate(value):
                if type(item) not in self.items:
                    return (
                        f"argument {self.name!r}, entry {position}: "
                        f"expected {self.words}, got {kind_of(item)}"
                    )
        if self.minimum is not None and isinstance(value, int) and value < self.minimum:
            return (
                f"argument {self.name!r} must be at least {self.minimum}, got {value}"
            )
        return None


class Parameters:
    """All parameters of a tool.

    Attributes:
        schema: JSON Schema of the arguments; it allows no others.
    """

    __slots__ = ("_by_name", "schema")

    def __init__(self, function: Callable[..., object]) -> None:
        hints = get_type_hints(function, include_extras=True)
        declared = signature(function).parameters.values()
        self._by_name = {
            entry.name: _parameter(entry, hints[entry.name])
            for entry in declared
            if entry.name not in HIDDEN
        }
        self.schema: dict[str, Any] = {
            "type": "object",
            "properties": {name: dict(p.schema) for name, p in self._by_name.items()},
            "required": [name for name, p in self._by_name.items() if p.required],
            "additionalProperties": False,
        }

    def fault(self, arguments: Mapping[str, Any]) -> str | None:
        """What keeps arguments from being taken, in a sentence, or None."""
        found = 0
        for name, parameter in self._by_name.items():
            if name in arguments:
                found += 1
                fault = parameter.fault(arguments[name])
                if fault is not None:
                    return fault
            elif parameter.required:
                return f"argument {name!r} is missing"
        if found == len(arguments):
            return None
        unknown = next(name for name in arguments if name not in self._by_name)
        return f"unknown argument {unknown!r}{did_you_mean(unknown, self._by_name)}"

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The values to call the function with."""
        return dict(arguments)


def _parameter(declared: Declared, annotation: object) -> Parameter:
    notes: tuple[Any, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, *rest = get_args(annotation)
        notes = tuple(rest)
    inner, optional = _without_none(annotation)
    types, items, choices, schema, words = _shape(inner)
    if optional:
        types, schema["type"] = (*types, NoneType), [schema["type"], "null"]
    description = next((note for note in notes if isinstance(note, str)), None)
    if description is not None:
        schema["description"] = description
    minimum = next((note.value for note in notes if isinstance(note, AtLeast)), None)
    if minimum is not None:
        schema["minimum"] = minimum
    if optional and choices:
        choices = (*choices, None)
        schema["enum"] = list(choices)
    required = declared.default is Declared.empty
    if not required and declared.default is not None:
        schema["default"] = declared.default
    return Parameter(
        declared.name,
        types,
        words,
        required,
        schema,
        items=items,
        choices=choices,
        minimum=minimum,
    )


def _without_none(annotation: object) -> tuple[object, bool]:
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    inner = [part for part in get_args(annotation) if part is not NoneType]
    if len(inner) != 1:
        raise InternalError(f"a tool's parameter can't be a union: {annotation}")
    return inner[0], True


def _shape(
    annotation: object,
) -> tuple[tuple[type, ...], tuple[type, ...], tuple[Any, ...], dict[str, Any], str]:
    """Types, types of entries, choices, JSON Schema and words of an annotation."""
    if isinstance(annotation, type) and annotation in _JSON_TYPES:
        name, words, types = _JSON_TYPES[annotation]
        return types, (), (), {"type": name}, words
    if get_origin(annotation) is Literal:
        choices = get_args(annotation)
        words = "one of " + ", ".join(map(repr, choices))
        return (str,), (), choices, {"type": "string", "enum": list(choices)}, words
    if get_origin(annotation) is list:
        name, words, types = _JSON_TYPES[get_args(annotation)[0]]
        schema = {"type": "array", "items": {"type": name}}
        return (list,), types, (), schema, words
    raise InternalError(f"a tool's parameter can't be of type {annotation}")


def kind_of(value: object) -> str:
    """What a value of JSON is, for a person."""
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else "another text"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return str(value)
    return "a list" if isinstance(value, list) else "an object"
