"""What a tool takes, as a Python signature: the way back from a JSON Schema.

Frameworks make the schema that a model is told of a function's signature, by pydantic.
A tool made of a function has one; that of any other is made here of its JSON Schema.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from inspect import Parameter as Declared
from inspect import Signature, getdoc
from typing import Annotated, Any, Literal, get_origin

from agentsim.core import ToolDef, UsageError
from agentsim.world.docstrings import words_of
from agentsim.world.own.arguments import FromSignature
from agentsim.world.tools import Takes

__all__ = ["Described", "described"]

Schema = Mapping[str, Any]

Fields = dict[str, tuple[Any, Any]]
"""Parameter -> annotation and default, which is `Parameter.empty` where there is none."""

_SCALARS: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": None,
}

_BOUNDS = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "pattern": "pattern",
}

_BOUNDS_OF = {
    "string": ("minLength", "maxLength", "pattern"),
    "integer": (
        *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"),
        "multipleOf",
    ),
    "number": (
        *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"),
        "multipleOf",
    ),
    "array": ("minItems", "maxItems"),
}

_PLAIN = (str, int, bool, type(None))


@dataclass(frozen=True, slots=True)
class Described:
    """What Python knows of a function, for one that runs a tool.

    Attributes:
        module: Where the tool's function stands, or None where it has none.
        unset: Parameters whose None says that they were left out.
    """

    name: str
    doc: str
    module: str | None
    signature: Signature
    unset: frozenset[str]

    @property
    def annotations(self) -> dict[str, Any]:
        """The annotations of parameters and result."""
        entries = self.signature.parameters.values()
        told = {entry.name: entry.annotation for entry in entries}
        return {**told, "return": self.signature.return_annotation}


def described(definition: ToolDef, takes: Takes) -> Described:
    """Describe a tool as a Python function: a signature that its schema follows from.

    Raises:
        UsageError: when Python can't have a parameter of that name.
    """
    doc, module = definition.description, None
    if isinstance(takes, FromSignature):
        fields, open_ended = takes.fields, takes.open_ended
        module = getattr(takes.function, "__module__", None)
        if words_of(takes.function)[0] == doc:
            doc = getdoc(takes.function) or ""
    else:
        reader = _Reader(definition.name, definition.parameters)
        fields, open_ended = reader.fields(), reader.open_ended
    entries = [*_parameters(fields)]
    if open_ended:
        name = next(n for n in ("more", "more_", "more__") if n not in fields)
        entries.append(Declared(name, Declared.VAR_KEYWORD, annotation=Any))
    return Described(
        definition.name,
        doc,
        module,
        Signature(entries, return_annotation=str),
        frozenset(_unset(fields, definition.parameters)),
    )


def _parameters(fields: Fields) -> Iterator[Declared]:
    """Parameters that may be given by place, up to where Python demands a name."""
    optional = named = False
    for name, (annotation, default) in fields.items():
        optional = optional or default is not Declared.empty
        named = named or (optional and default is Declared.empty)
        kind = Declared.KEYWORD_ONLY if named else Declared.POSITIONAL_OR_KEYWORD
        # The function's own list or mapping, where it has one: calls would see a change.
        own = deepcopy(default) if isinstance(default, (list, dict, set)) else default
        yield Declared(name, kind, default=own, annotation=annotation)


def _unset(fields: Fields, schema: Schema) -> Iterator[str]:
    """Parameters with None as default and a schema that takes no null."""
    properties = schema.get("properties", {})
    for name, (_, default) in fields.items():
        if default is None and not _takes_null(properties.get(name, {}), schema):
            yield name


def _takes_null(schema: Schema, root: Schema) -> bool:
    schema = _resolved(schema, root) or {}
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return any(_takes_null(part, root) for part in schema[word])
    if "const" in schema:
        return schema["const"] is None
    if "enum" in schema:
        return None in schema["enum"]
    kinds = schema.get("type", "null")
    return "null" in ([kinds] if isinstance(kinds, str) else kinds)


def _resolved(schema: Schema, root: Schema) -> Schema | None:
    """A schema in place of a reference to it, or None where nothing stands there."""
    for _ in range(10):
        reference = schema.get("$ref")
        if reference is None:
            return schema
        found: Any = root
        for step in str(reference).removeprefix("#/").split("/"):
            found = found.get(step) if isinstance(found, Mapping) else None
        if not isinstance(found, Mapping):
            return None
        schema = {**found, **{k: v for k, v in schema.items() if k != "$ref"}}
    return None


class _Reader:
    """Reads the JSON Schema of one tool's arguments as annotations."""

    def __init__(self, tool: str, schema: Schema) -> None:
        self._tool = tool
        self._schema = schema
        self._open: list[str] = []

    @property
    def open_ended(self) -> bool:
        """Whether it says that other arguments may be given; silence says no."""
        return bool(self._schema.get("additionalProperties", False))

    def fields(self) -> Fields:
        """Annotation and default of each parameter.

        Raises:
            UsageError: when Python can't have a parameter of that name.
        """
        required = self._schema.get("required", ())
        return {
            self._named(name): (
                self._annotation(entry, name),
                Declared.empty if name in required else entry.get("default"),
            )
            for name, entry in self._schema.get("properties", {}).items()
        }

    def _named(self, name: str) -> str:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise UsageError(
                f"tool {self._tool!r}: no Python function can have a parameter "
                f"{name!r}: rename it in the tool's schema, or give the framework the "
                "definition that stands in env.tools"
            )
        return name

    def _annotation(self, schema: Any, name: str) -> Any:  # noqa: ANN401 - any schema
        """The type of a value, with its words and bounds as pydantic's `Field`."""
        reference = str(schema.get("$ref")) if isinstance(schema, Mapping) else "None"
        found = _resolved(schema, self._schema) if reference != "None" else schema
        if not isinstance(found, Mapping) or reference in self._open:
            return Any
        self._open.append(reference if reference != "None" else "")
        try:
            kind, notes = self._type(found, name)
        finally:
            self._open.pop()
        if "description" in found:
            notes["description"] = found["description"]
        # `typing` takes Literals that differ in order for equal, and keeps the first
        # one that this process made inside of another type: each has its own Field.
        if not notes and get_origin(kind) is not Literal:
            return kind
        from pydantic import Field

        return Annotated[kind, Field(**notes)]

    def _type(self, schema: Schema, name: str) -> tuple[Any, dict[str, Any]]:
        """The bare type, and the bounds that belong to it."""
        choices = [schema["const"]] if "const" in schema else schema.get("enum")
        if choices and all(type(choice) in _PLAIN for choice in choices):
            return Literal[tuple(choices)], {}
        for word in ("anyOf", "oneOf"):
            if schema.get(word):
                parts = [self._annotation(part, name) for part in schema[word]]
                return _union(parts), {}
        kinds = schema.get("type")
        if isinstance(kinds, str):
            return self._of_kind(kinds, schema, name)
        if isinstance(kinds, list) and kinds:
            own = [kind for kind in kinds if kind != "null"]
            if len(own) == 1 and len(kinds) > 1:  # a bound stands inside, beside null
                return _union([self._bounded(own[0], schema, name), None]), {}
            return _union([self._bounded(k, schema, name) for k in kinds]), {}
        return Any, {}

    def _bounded(self, kind: str, schema: Schema, name: str) -> Any:  # noqa: ANN401
        found, notes = self._of_kind(kind, schema, name)
        if not notes:
            return found
        from pydantic import Field

        return Annotated[found, Field(**notes)]

    def _of_kind(
        self, kind: str, schema: Schema, name: str
    ) -> tuple[Any, dict[str, Any]]:
        notes = {
            _BOUNDS[word]: schema[word]
            for word in _BOUNDS_OF.get(kind, ())
            if word in schema
        }
        if kind == "array":
            return list[self._annotation(schema.get("items", {}), name)], notes  # type: ignore[misc]
        if kind == "object":
            return self._object(schema, name), notes
        return _SCALARS.get(kind, Any), notes

    def _object(self, schema: Schema, name: str) -> Any:  # noqa: ANN401 - a type
        """A typed dict where fields are named, else a dict of what its values are."""
        from typing import NotRequired

        from typing_extensions import TypedDict

        properties = schema.get("properties")
        if not properties:
            values = schema.get("additionalProperties", {})
            return dict[str, self._annotation(values, name)]  # type: ignore[misc]
        required = schema.get("required", ())
        fields: dict[str, Any] = {}
        for field, entry in properties.items():
            told = self._annotation(entry, f"{name}_{field}")
            fields[field] = told if field in required else NotRequired[told]
        title = "".join(part.capitalize() for part in f"{self._tool}_{name}".split("_"))
        make: Any = TypedDict  # called with names that type checkers can't know
        made = make(title, fields)
        if schema.get("additionalProperties") is False:
            made.__pydantic_config__ = {"extra": "forbid"}
        return made


def _union(parts: list[Any]) -> Any:  # noqa: ANN401 - a type
    from typing import Union

    return Union[tuple(parts)]  # noqa: UP007 - made of a list
