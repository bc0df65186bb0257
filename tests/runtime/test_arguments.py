"""Faults of arguments, told in our words with the place (R3.5)."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import InvalidArguments, ToolDef, UsageError
from agentsim.runtime.arguments import check_arguments, compile_schema, read_arguments


def fault(schema: dict[str, Any], arguments: dict[str, Any]) -> str:
    """What a schema says against arguments; the empty text if nothing."""
    try:
        check_arguments(dict(arguments), compile_schema(ToolDef("t", "", schema)))
    except InvalidArguments as found:
        return str(found)
    return ""


def of(**properties: Any) -> dict[str, Any]:
    """A schema of an object."""
    return {"type": "object", "properties": properties}


CASES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (of(n={"type": "integer"}), {"n": "x"}, "n: expected integer, got string"),
    (
        of(n={"type": ["string", "null"]}),
        {"n": 1},
        "n: expected null or string, got number",
    ),
    (of(n={"type": "string"}), {"n": None}, "n: expected string, got null"),
    (of(n={"type": "string"}), {"n": True}, "n: expected string, got boolean"),
    (of(n={"type": "string"}), {"n": []}, "n: expected string, got array"),
    (of(n={"type": "string"}), {"n": {}}, "n: expected string, got object"),
    ({"required": ["b", "a"]}, {}, '"a" is missing; "b" is missing'),
    ({"additionalProperties": False}, {"z": 1, "y": 2}, "no field is allowed"),
    ({**of(), "additionalProperties": False}, {"z": 1, "y": 2}, 'unknown: "y", "z"'),
    ({**of(), "unevaluatedProperties": False}, {"z": 1}, 'unknown: "z"'),
    (of(c={"enum": ["é", 2]}), {"c": 3}, 'c: expected one of ["é", 2], got 3'),
    (of(c={"const": "v"}), {"c": "w"}, 'c: expected "v", got "w"'),
    (of(n={"minimum": 3}), {"n": 1}, "n: expected 3 or more, got 1"),
    (of(n={"maximum": 3}), {"n": 4}, "n: expected 3 or less, got 4"),
    (of(n={"exclusiveMinimum": 3}), {"n": 3}, "n: expected more than 3, got 3"),
    (of(n={"exclusiveMaximum": 3}), {"n": 3}, "n: expected less than 3, got 3"),
    (of(n={"multipleOf": 2}), {"n": 3}, "n: expected a multiple of 2, got 3"),
    (of(s={"minLength": 2}), {"s": "a"}, "s: expected at least 2 characters, got 1"),
    (of(s={"maxLength": 1}), {"s": "abc"}, "s: expected at most 1 characters, got 3"),
    (of(s={"pattern": "^a"}), {"s": "b"}, "s: expected a text that matches ^a"),
    (of(a={"minItems": 2}), {"a": [1]}, "a: expected at least 2 items, got 1"),
    (of(a={"maxItems": 0}), {"a": [1]}, "a: expected at most 0 items, got 1"),
    (of(a={"uniqueItems": True}), {"a": [1, 1]}, "a: expected items that differ"),
    (
        of(a={"contains": {"const": 1}}),
        {"a": [2]},
        "a: lacks an item that must be there",
    ),
    ({"minProperties": 1}, {}, "expected at least 1 fields, got 0"),
    ({"maxProperties": 0}, {"a": 1}, "expected at most 0 fields, got 1"),
    ({"propertyNames": {"maxLength": 1}}, {"aa": 1}, "has a key that is not allowed"),
    (of(a=False), {"a": 1}, "a: nothing is allowed here"),
    (of(a={"not": {"const": 1}}), {"a": 1}, "a: has a form that is not allowed"),
    (
        of(a={"anyOf": [{"type": "string"}, {"type": "null"}]}),
        {"a": 1},
        "a: fits none of the forms that are allowed",
    ),
    (
        of(a={"oneOf": [{"type": "number"}, {"const": 1}]}),
        {"a": 1},
        "a: does not fit exactly one of the forms that are allowed",
    ),
    (
        of(items={"items": of(name={"type": "string"})}),
        {"items": [{}, {"name": 1}]},
        "items[1].name: expected string, got number",
    ),
    (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            **of(m={"format": "email"}),
        },
        {"m": "x"},
        "m: expected a text of format email",
    ),
    (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            **of(m={"items": [{}], "additionalItems": False}),
        },
        {"m": [1, 2]},
        "m: does not fit the schema's additionalItems",
    ),
]


@pytest.mark.parametrize(("schema", "arguments", "words"), CASES)
def test_a_fault_is_told_with_its_place_in_our_words(
    schema: dict[str, Any], arguments: dict[str, Any], words: str
) -> None:
    """No sentence of a library reaches the model: it may change."""
    assert fault(schema, arguments) == words


def test_many_faults_are_told_a_few_at_a_time() -> None:
    """Five are enough to go on with; the rest is counted."""
    schema = {"required": [f"f{n}" for n in range(8)]}
    assert fault(schema, {}).count("is missing") == 5
    assert fault(schema, {}).endswith("; and 3 more")


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "no such type"},
        {"properties": {"a": {"pattern": "("}}},
        {"$ref": "http://nowhere.invalid/schema"},
        {"default": {1, 2}},
        {"default": float("nan")},
    ],
)
def test_a_schema_that_is_none_is_refused_by_name(parameters: dict[str, Any]) -> None:
    """One sentence that names the tool and shows what is expected."""
    with pytest.raises(
        UsageError, match="tool 'pay': its parameters are not a JSON Sch"
    ):
        compile_schema(ToolDef("pay", "", parameters))


def test_half_a_surrogate_pair_is_refused() -> None:
    """No tool could write such a text; a whole pair is one character (BR-082)."""
    with pytest.raises(InvalidArguments, match="half of a surrogate pair"):
        read_arguments('{"t": ["\\ud83c"]}')
    assert read_arguments('{"t": "\\ud83c\\udf78"}') == {"t": "\U0001f378"}


def test_unreadable_arguments_are_quoted_in_part() -> None:
    """The model sees what it wrote, if it is not endless (R1.2)."""
    with pytest.raises(InvalidArguments) as found:
        read_arguments("{" + "x" * 5000)
    assert str(found.value).endswith("x…")
    assert len(str(found.value)) < 1100


@settings(max_examples=25)
@given(
    arguments=st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
        st.integers() | st.text(st.characters(exclude_categories=["Cs"])) | st.none(),
        max_size=4,
    )
)
def test_what_a_model_writes_is_what_is_read(arguments: dict[str, Any]) -> None:
    """Big integers, any text, ASCII or not: nothing is changed on the way in."""
    arguments.pop("confirmed_by", None)
    assert read_arguments(json.dumps(arguments)) == arguments
    assert read_arguments(json.dumps(arguments, ensure_ascii=False)) == arguments
    check_arguments(arguments, compile_schema(ToolDef("t")))
