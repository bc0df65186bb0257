"""A pydantic model of a function's parameters, and the JSON Schema of it."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter as Declared
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, create_model
from pydantic.errors import PydanticSchemaGenerationError
from pydantic.json_schema import GenerateJsonSchema

from agentsim.core import UsageError

__all__ = ["model_of", "schema_of", "untitled"]


class _Schema(GenerateJsonSchema):
    # A default that JSON can't carry is left out: the function has it anyway.
    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012


def model_of(
    name: str, fields: Mapping[str, tuple[Any, Any]], *, open_ended: bool
) -> type[BaseModel]:
    """A model with one field per parameter: `p0`, `p1`, called by the parameter's name.

    Names of its own, since a parameter may be called like a method of pydantic's.

    Raises:
        UsageError: for an annotation that no schema can be made of.
    """
    config = ConfigDict(
        extra="allow" if open_ended else "forbid", arbitrary_types_allowed=False
    )
    declared: dict[str, Any] = {
        f"p{number}": (
            annotation,
            Field(alias=entry)
            if default is Declared.empty
            else Field(default, alias=entry),
        )
        for number, (entry, (annotation, default)) in enumerate(fields.items())
    }
    try:
        return create_model(name, __config__=config, **declared)
    except (PydanticSchemaGenerationError, PydanticUserError, TypeError):
        raise _unreadable(name) from None


def schema_of(name: str, model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a model, without the titles that pydantic makes up.

    Raises:
        UsageError: for an annotation that no schema can be made of.
    """
    try:
        schema = model.model_json_schema(schema_generator=_Schema)
    except PydanticUserError:
        raise _unreadable(name) from None
    bare = untitled(schema)
    order = ("type", "properties", "required", "additionalProperties")
    head = {key: bare[key] for key in order if key in bare}
    return {**head, **{key: value for key, value in bare.items() if key not in head}}


def _unreadable(name: str) -> UsageError:
    return UsageError(
        f"tool {name!r}: no JSON Schema can be made of its parameters: annotate them "
        "with types that pydantic knows, or give the tool a schema"
    )


def untitled(schema: Any) -> Any:  # noqa: ANN401 - a part of a JSON Schema
    """The schema without the titles that pydantic makes up."""
    if isinstance(schema, list):
        return [untitled(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: untitled(entry) for name, entry in value.items()}
        if key in ("properties", "$defs") and isinstance(value, dict)
        else value
        if key in ("default", "const", "enum", "examples")
        else untitled(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
