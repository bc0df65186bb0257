"""Signatures made of JSON Schemas: what pydantic derives of them is the schema again."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from agentsim.core import ToolDef, UsageError
from agentsim.world import SPECS, Takes, described, tool, tools_of_part

SCALARS = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "number", "boolean"])},
    optional={"description": st.just("Some words.")},
)
CHOICES = st.lists(
    st.sampled_from(["open", "closed", "new"]), min_size=1, unique=True
).map(lambda values: {"type": "string", "enum": values})
ABSENT = st.sampled_from(["string", "integer"]).map(
    lambda kind: {"type": [kind, "null"]}
)
NAMES = st.sampled_from(["path", "limit", "host", "state", "order"])


def objects(values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Closed objects of a few fields, some of them required."""

    def of(properties: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
        names = list(properties)
        return st.lists(st.sampled_from(names), unique=True).map(
            lambda required: {
                "type": "object",
                "properties": properties,
                "required": sorted(required),
                "additionalProperties": False,
            }
        )

    return st.dictionaries(NAMES, values, min_size=1, max_size=4).flatmap(of)


VALUES = st.recursive(
    SCALARS | CHOICES | ABSENT,
    lambda inner: (
        inner.map(lambda items: {"type": "array", "items": items}) | objects(inner)
    ),
    max_leaves=6,
)


def shape(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    """What a schema says of values, however it is written; without titles and defaults."""
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        name = schema["$ref"].rpartition("/")[2]
        return shape({**root["$defs"][name], **rest}, root)
    kinds = schema.get("type")
    if isinstance(kinds, list):
        rest = {k: v for k, v in schema.items() if k not in ("type", "description")}
        parts = [
            {"type": "null"} if k == "null" else {**rest, "type": k} for k in kinds
        ]
        return shape({**_said(schema), "anyOf": parts}, root)
    if "anyOf" in schema:
        inner = [shape(part, root) for part in schema["anyOf"]]
        return {**_said(schema), "any": sorted(inner, key=repr)}
    told = {
        key: value
        for key, value in schema.items()
        if key
        not in ("title", "default", "properties", "$defs", "additionalProperties")
    }
    if "const" in told:
        told["enum"] = [told.pop("const")]
    if "items" in told:
        told["items"] = shape(told["items"], root)
    if "properties" in schema:
        told["required"] = sorted(schema.get("required", []))
        told["fields"] = {
            name: shape(entry, root) for name, entry in schema["properties"].items()
        }
    return told


def _said(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in schema.items() if k == "description"}


def derived(definition: ToolDef, takes: Takes) -> dict[str, Any]:
    """The schema that pydantic makes of a function with the signature of a tool."""
    told = described(definition, takes)

    def function(*args: Any, **arguments: Any) -> None: ...

    function.__signature__ = told.signature  # type: ignore[attr-defined]
    function.__annotations__ = told.annotations
    adapter: TypeAdapter[Any] = TypeAdapter(cast("Any", function))
    return adapter.json_schema()


@given(objects(VALUES))
def test_a_signature_of_a_schema_gives_the_schema_again(schema: dict[str, Any]) -> None:
    """Names, order, types, bounds, words and what is required: all comes back."""
    made = tool(ToolDef("look", "Look.", schema), returns="ok")
    found = derived(made.definition, made.takes)
    assert shape(found, found) == shape(schema, schema)
    assert list(found["properties"]) == list(schema["properties"])


@pytest.mark.parametrize("part", sorted(SPECS))
def test_every_tool_of_the_worlds_parts_has_a_signature_of_its_schema(
    part: str,
) -> None:
    """What frameworks tell a model of a world tool is what its definition says."""
    tools = tools_of_part(part)
    for own in tools:
        found = derived(own.definition, own.parameters)
        schema = own.definition.parameters
        assert shape(found, found) == shape(schema, schema), own.name
        defaults = {n: e.get("default") for n, e in schema["properties"].items()}
        assert {n: e.get("default") for n, e in found["properties"].items()} == defaults
    assert tools or part == "canned"


def test_bounds_and_references_of_a_schema_come_back() -> None:
    """A number's bounds, a text's pattern, and what stands under `$defs`."""
    schema = {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10},
            "code": {"type": ["string", "null"], "pattern": "^[a-z]+$"},
            "orders": {"type": "array", "items": {"$ref": "#/$defs/Order"}},
            "any": {},
        },
        "required": ["count", "orders"],
        "additionalProperties": False,
        "$defs": {
            "Order": {
                "type": "object",
                "properties": {"sku": {"type": "string", "maxLength": 8}},
                "required": ["sku"],
            }
        },
    }
    made = tool(ToolDef("look", "Look.", schema), returns="ok")
    found = derived(made.definition, made.takes)
    assert shape(found, found) == shape(schema, schema)


def test_a_schema_that_refers_to_itself_ends_in_anything() -> None:
    """A tree is told one level deep, and below that takes any value."""
    schema = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Tree"}},
        "required": ["tree"],
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {"left": {"$ref": "#/$defs/Tree"}},
                "required": ["left"],
            }
        },
    }
    made = tool(ToolDef("look", "Look.", schema), returns="ok")
    found = derived(made.definition, made.takes)
    assert shape(found, found)["fields"]["tree"]["fields"] == {"left": {}}


def test_what_stands_after_an_optional_parameter_is_given_by_name() -> None:
    """Python wants a name there, and the order of the schema stays."""
    properties = {"first": {"type": "string"}, "second": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": ["second"]}
    made = tool(ToolDef("look", "Look.", schema), returns="ok")
    signature = described(made.definition, made.takes).signature
    kinds = {name: entry.kind for name, entry in signature.parameters.items()}
    assert list(kinds.items()) == [
        ("first", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        ("second", inspect.Parameter.KEYWORD_ONLY),
    ]


@pytest.mark.parametrize("name", ["from", "no-name", "2nd"])
def test_a_parameter_that_python_cannot_have_is_told(name: str) -> None:
    """The error names tool and parameter, and what to do."""
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    made = tool(ToolDef("look", "Look.", schema), returns="ok")
    with pytest.raises(UsageError, match=rf"tool 'look': .* {name!r}: rename it"):
        described(made.definition, made.takes)
