from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import InternalError
from agentsim.world import SPECS, AtLeast, Files, Parameters, World, WorldTool, tools_of


def all_tools() -> list[WorldTool]:
    """The tools of every part there is."""
    specs = [Files(), *(spec() for kind, spec in SPECS.items() if kind != "files")]
    return list(World(specs).tools)


def sample(
    text: Annotated[str, "Some text"],
    number: Annotated[int, "A number", AtLeast(2)],
    share: float = 0.5,
    *,
    loud: bool = False,
    colour: Literal["red", "blue"] = "red",
    shade: Literal["dark"] | None = None,
    names: list[str] | None = None,
    counts: list[int] | None = None,
    place: str | None = None,
) -> str:
    """Stand for a tool with one parameter of every type."""
    return f"{text}{number}{share}{loud}{colour}{shade}{names}{counts}{place}"


SAMPLE = Parameters(sample)

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.floats(-2, 2).filter(lambda value: not value.is_integer()),
    st.sampled_from(["", "red", "blue", "dark", "x"]),
    st.lists(st.sampled_from(["a", 1, True, None, 0.5]), max_size=2),
    st.just({}),
)
names = st.sampled_from([*SAMPLE.schema["properties"], "other"])
good = {"text": "t", "number": 2}


@settings(max_examples=60)
@given(st.dictionaries(names, values, max_size=3), st.booleans())
def test_check_and_schema_agree(changed: dict[str, Any], complete: bool) -> None:
    """Arguments are refused by our check exactly where the JSON Schema refuses them."""
    arguments = {**good, **changed} if complete else changed
    fault = SAMPLE.fault(arguments)
    assert (fault is None) is jsonschema_rs.is_valid(SAMPLE.schema, arguments)


def test_the_schema_of_every_type() -> None:
    """A signature gives the schema that a person would write, in the same order."""
    assert SAMPLE.schema == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "Some text"},
            "number": {"type": "integer", "description": "A number", "minimum": 2},
            "share": {"type": "number", "default": 0.5},
            "loud": {"type": "boolean", "default": False},
            "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
            "shade": {"type": ["string", "null"], "enum": ["dark", None]},
            "names": {"type": ["array", "null"], "items": {"type": "string"}},
            "counts": {"type": ["array", "null"], "items": {"type": "integer"}},
            "place": {"type": ["string", "null"]},
        },
        "required": ["text", "number"],
        "additionalProperties": False,
    }
    assert list(SAMPLE.schema["properties"])[:3] == ["text", "number", "share"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"text": None}, "argument 'text': expected text, got null"),
        ({"text": ["a"]}, "argument 'text': expected text, got a list"),
        ({"text": {}}, "argument 'text': expected text, got an object"),
        ({"number": "3"}, "argument 'number': expected a whole number, got '3'"),
        ({"number": "3" * 50}, "expected a whole number, got another text"),
        ({"number": 2.5}, "argument 'number': expected a whole number, got 2.5"),
        ({"number": True}, "argument 'number': expected a whole number, got true"),
        ({"number": 1}, "argument 'number' must be at least 2, got 1"),
        ({"share": False}, "argument 'share': expected a number, got false"),
        ({"loud": 0}, "argument 'loud': expected true or false, got 0"),
        ({"colour": "green"}, "expected one of 'red', 'blue', got 'green'"),
        ({"counts": 3}, "argument 'counts': expected a list, got 3"),
        ({"counts": [1, "x"]}, "argument 'counts', entry 1: expected a whole number"),
        ({"plce": 1}, "unknown argument 'plce'; did you mean 'place'?"),
    ],
)
def test_faults_name_argument_and_value(changed: dict[str, Any], words: str) -> None:
    """The words say which argument, what it takes and what came."""
    assert words in str(SAMPLE.fault({**good, **changed}))


def test_unsupported_signatures_are_our_own_mistake() -> None:
    """A type that no schema is made for is an internal error, not a wrong schema."""

    def of_bytes(data: bytes) -> str:
        return repr(data)

    def of_two(data: int | str) -> str:
        return repr(data)

    for function in (of_bytes, of_two):
        with pytest.raises(InternalError, match="a tool's parameter can't be"):
            Parameters(function)


@pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)
def test_every_tool_is_well_declared(tool: WorldTool) -> None:
    """Rights, schema and words of each tool are complete and fit one another."""
    schema = dict(tool.definition.parameters)
    assert jsonschema_rs.meta.is_valid(schema)
    assert schema["additionalProperties"] is False
    assert "confirmed_by" not in schema["properties"]
    assert all(entry["description"] for entry in schema["properties"].values())
    assert tool.definition.description.endswith(".")
    assert tool.writes is not tool.rights.read_only
    assert tool.rights.confirms or not tool.sees_approver
    assert tool.latency_s > 0
    assert tool.rights.parallel is (tool.rights.read_only and tool.name != "run_tests")


def test_what_confirms_is_what_changes_more_than_files() -> None:
    """By default a person is asked for every write but that of a file or a comment."""
    tools = all_tools()
    assert {tool.name for tool in tools if tool.writes} == {
        "clean_logs",
        "comment",
        "create_payment",
        "merge_pr",
        "refund_payment",
        "restart_service",
        "send_mail",
        "write_file",
    }
    confirming = {tool.name for tool in tools if tool.rights.confirms}
    unasked = {"write_file", "comment"}
    assert confirming == {tool.name for tool in tools if tool.writes} - unasked


def test_a_class_without_tools_has_none() -> None:
    """A part may have no tools of its own."""
    assert tools_of(object) == ()
