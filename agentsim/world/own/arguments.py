"""What a tool of a user takes: read from its signature by pydantic, or a JSON Schema.

pydantic makes the schema and checks the arguments. Its messages change between
versions, so only the kind and the place of its findings are used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter as Declared
from inspect import signature
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    get_args,
    get_origin,
    get_type_hints,
)

from agentsim.core import UsageError, did_you_mean
from agentsim.world.docstrings import words_of
from agentsim.world.own.annotations import readable
from agentsim.world.own.words import expected_words
from agentsim.world.own.written import annotated, bound_by_name, documented
from agentsim.world.parameters import kind_of
from agentsim.world.subsystem import Surroundings

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["FromSchema", "FromSignature", "given_to"]

CONFIRMED_BY = "confirmed_by"


def given_to(name: str, function: Callable[..., object]) -> tuple[bool, str | None]:
    """Whether a function takes who approved, and the name by which it takes the world."""
    parameters = signature(function).parameters
    hints = _hints(name, function)
    world = [entry for entry in parameters if _is_world(hints.get(entry))]
    return CONFIRMED_BY in parameters, world[0] if world else None


class FromSchema:
    """Arguments as a JSON Schema has them; they are given as they came."""

    __slots__ = ("_validator", "schema")

    def __init__(
        self,
        name: str,
        schema: Mapping[str, Any],
        function: Callable[..., object] | None = None,
    ) -> None:
        import jsonschema_rs

        self.schema = dict(schema)
        try:
            self._validator = jsonschema_rs.validator_for(self.schema, offline=True)
        except (TypeError, ValueError, jsonschema_rs.ReferencingError):
            raise UsageError(
                f"tool {name!r}: its schema is not a JSON Schema; expected something "
                'like {"type": "object", "properties": {...}}'
            ) from None
        if self.schema.get("type") != "object":
            raise UsageError(f'tool {name!r}: its schema needs "type": "object"')
        if function is not None:
            fields, open_ended = _fields(name, function)
            for entry in self.schema.get("properties", {}):
                if entry not in fields and not open_ended:
                    raise UsageError(
                        f"tool {name!r}: its schema has {entry!r}, which its function "
                        f"does not take{did_you_mean(entry, fields)}"
                    )

    def fault(self, arguments: Mapping[str, Any]) -> str | None:
        """What keeps arguments from being taken, in a sentence, or None."""
        given = dict(arguments)
        if self._validator.is_valid(given):
            return None
        found = sorted(
            (_dotted(error.instance_path), error.kind.name, error.schema_path)
            for error in self._validator.iter_errors(given)
        )
        place, rule, _ = found[0]
        where = f"argument {place!r}" if place else "the arguments"
        return f"{where}: does not fit the schema's {rule}"

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The values to call the function with."""
        return dict(arguments)


class FromSignature:
    """Arguments as a signature has them, turned into what its annotations say.

    Attributes:
        function: What has the docstring.
        fields: Annotation and default of each parameter that the model is told of.
        open_ended: Whether the function takes any others.

    Raises:
        UsageError: when a parameter can't be given by a model.
    """

    __slots__ = ("_model", "_names", "fields", "function", "open_ended", "schema")

    def __init__(self, name: str, function: Callable[..., object]) -> None:
        from agentsim.world.own.models import model_of, schema_of

        self.function = documented(function)
        self.fields, self.open_ended = _fields(name, function)
        self._names = list(self.fields)
        self._model: type[BaseModel] = model_of(
            name, self.fields, open_ended=self.open_ended
        )
        self.schema: dict[str, Any] = schema_of(name, self._model)

    def fault(self, arguments: Mapping[str, Any]) -> str | None:
        """What keeps arguments from being taken, in a sentence, or None."""
        found = self._validated(arguments)
        return found if isinstance(found, str) else None

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The values to call the function with; what was left out has its own default."""
        model = self._validated(arguments)
        assert not isinstance(model, str)
        values = {
            name: getattr(model, f"p{number}")
            for number, name in enumerate(self._names)
            if f"p{number}" in model.model_fields_set
        }
        return {**values, **(model.model_extra or {})}

    def _validated(self, arguments: Mapping[str, Any]) -> BaseModel | str:
        from pydantic import ValidationError

        try:
            # As JSON, since in strict mode only JSON may give a text for a date.
            text = json.dumps(dict(arguments), allow_nan=False)
            return self._model.model_validate_json(text, strict=True)
        except ValidationError as error:
            return self._told(arguments, error.errors(include_url=False))
        except (TypeError, ValueError):
            return "the arguments: expected plain data, as JSON has it"

    def _told(
        self, arguments: Mapping[str, Any], findings: Sequence[Mapping[str, Any]]
    ) -> str:
        first = findings[0]
        kind, location = first["type"], first["loc"]
        if kind == "json_invalid":
            return "the arguments: a text holds half of a surrogate pair"
        if kind == "extra_forbidden" and len(location) == 1:
            near = did_you_mean(location[0], self._names)
            return f"unknown argument {location[0]!r}{near}"
        path, value = _walk(arguments, location)
        if kind == "missing":
            path = (*path, location[-1])
            return f"argument {_dotted(path)!r} is missing"
        words = expected_words(
            [entry for entry in findings if _walk(arguments, entry["loc"])[0] == path]
        )
        return f"argument {_dotted(path)!r}: {words}, got {kind_of(value)}"


def _fields(
    name: str, function: Callable[..., object]
) -> tuple[dict[str, tuple[Any, Any]], bool]:
    """Parameter -> annotation and default, and whether it takes any others."""
    hints, (_, words) = _hints(name, function), words_of(documented(function))
    given = {CONFIRMED_BY, *bound_by_name(function)}
    fields: dict[str, tuple[Any, Any]] = {}
    open_ended = False
    for number, entry in enumerate(signature(function).parameters.values()):
        if entry.kind is Declared.VAR_KEYWORD:
            open_ended = True
        elif entry.kind in (Declared.VAR_POSITIONAL, Declared.POSITIONAL_ONLY):
            raise UsageError(
                f"tool {name!r}: its parameter {entry.name!r} can't be given by name, "
                "as a model gives arguments"
            )
        elif entry.name in given or (number == 0 and entry.name == "self"):
            pass
        elif not _is_world(hints.get(entry.name)):
            annotation = hints.get(entry.name, Any)
            if entry.name in words and not _has_words(annotation):
                annotation = Annotated[annotation, words[entry.name]]
            fields[entry.name] = readable(annotation), entry.default
    return fields, open_ended


def _has_words(annotation: object) -> bool:
    notes = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return any(
        isinstance(note, str) or getattr(note, "description", None) for note in notes
    )


def _hints(name: str, function: Callable[..., object]) -> dict[str, Any]:
    try:
        return get_type_hints(annotated(function), include_extras=True)
    except (NameError, TypeError):
        raise UsageError(
            f"tool {name!r}: an annotation of its function can't be read: name types "
            "that the function's module has, or give the tool a schema"
        ) from None


def _is_world(annotation: object) -> bool:
    from agentsim.world.world import World

    return annotation in (World, Surroundings)


def _walk(
    data: object, location: Sequence[str | int]
) -> tuple[tuple[str | int, ...], object]:
    """Follow a location as far as data goes; pydantic adds names of alternatives."""
    path: list[str | int] = []
    here: Any = data
    for step in location:
        if isinstance(here, list):
            stands = isinstance(step, int) and step < len(here)
        else:
            stands = isinstance(here, Mapping) and step in here
        if stands:
            here = here[step]
            path.append(step)
    return tuple(path), here


def _dotted(path: Sequence[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
