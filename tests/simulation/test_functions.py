"""`env.functions`: what a framework calls, and the tool gets what it declares."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, validate_call

from agentsim.core import EffectApplied, Env, Tool, ToolFailed, ToolStarted, UsageError
from agentsim.simulation import Run, Scenario, run
from agentsim.simulation.outside.functions import as_json
from agentsim.world import Disk, Files, Services, tool

UNSET = object()
GOT: list[dict[str, Any]] = []


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


class Item(BaseModel):
    sku: str
    count: int = Field(1, alias="n")
    tags: frozenset[str] = frozenset()


@dataclass
class Place:
    street: str
    size: Size = Size.SMALL


@tool(read_only=True, latency_s=2)
def order(
    item: Item,
    to: Place,
    day: date = date(2026, 1, 31),
    price: Decimal | None = None,
    *,
    state: Literal["open", "closed"] = "open",
) -> list[str]:
    """Order something.

    Args:
        item: What to order.
        to: Where to.
    """
    GOT.append({"item": item, "to": to, "day": day, "price": price, "state": state})
    return [item.sku, to.street]


@tool(read_only=True)
def odd(text: str = None, mark: object = UNSET) -> str:  # type: ignore[assignment]  # noqa: RUF013 - odd
    """Take what has odd defaults."""
    return f"{text} {mark is UNSET}"


@tool(name="Listed-1", description="Said otherwise.", read_only=True)
async def listed(words: list[str], **more: int) -> str:
    """Say what is listed."""
    return f"{words} {more}"


SCENARIO = Scenario(
    name="functions",
    task="Call.",
    world=[order, odd, listed, Files(), Disk(used="50%"), Services()],
    script=[],
)


def ran(agent: Callable[[Env], object]) -> Run:
    """One run of an agent that asks no model."""
    GOT.clear()
    return run(SCENARIO, agent)


def called(name: str, *args: Any, **arguments: Any) -> Run:
    """The run of an agent that calls one function."""

    async def agent(env: Env) -> object:
        return await env.functions[name](*args, **arguments)

    return ran(agent)


def functions() -> Mapping[str, Any]:
    """The functions of one run, after it."""
    kept: list[Mapping[str, Any]] = []

    async def agent(env: Env) -> None:
        kept.append(dict(env.functions))

    ran(agent)
    return kept[0]


def test_a_function_looks_like_the_one_that_the_tool_is_made_of() -> None:
    """Name, docstring and module are the tool's own; the signature is its annotations."""
    function = functions()["order"]
    assert (function.__name__, function.__qualname__) == ("order", "order")
    assert function.__doc__ == inspect.getdoc(order)
    assert function.__module__ == __name__
    assert not hasattr(function, "__wrapped__")
    signature = inspect.signature(function)
    assert list(signature.parameters) == ["item", "to", "day", "price", "state"]
    assert signature.parameters["day"].default == date(2026, 1, 31)
    assert signature.parameters["price"].annotation == Decimal | None
    assert function.__annotations__ == {
        **{name: entry.annotation for name, entry in signature.parameters.items()},
        "return": str,
    }


def test_a_name_and_words_of_its_own_are_those_of_the_function() -> None:
    """What `tool` was told in place of the function's name and docstring counts."""
    function = functions()["Listed-1"]
    assert function.__name__ == "Listed-1"
    assert function.__doc__ == "Said otherwise."


@pytest.mark.parametrize("name", ["order", "Listed-1", "write_file", "check_disk"])
def test_pydantic_derives_the_schema_of_the_tool(name: str) -> None:
    """Names, types and what is required are those that `env.tools` tells."""
    wanted = {made.name: made.definition for made in _tools()}[name].parameters
    found = TypeAdapter(functions()[name]).json_schema()
    assert list(found["properties"]) == list(wanted["properties"])
    assert found.get("required", []) == wanted.get("required", [])
    assert _kinds(found) == _kinds(wanted)


def _tools() -> list[Tool]:
    kept: list[Tool] = []

    async def agent(env: Env) -> None:
        kept.extend(env.tools)

    ran(agent)
    return kept


def _kinds(schema: Mapping[str, Any]) -> object:
    """The types of a schema's properties, at any depth."""
    told = {name: _kind(entry) for name, entry in schema["properties"].items()}
    inner = {
        name: {key: _kind(entry) for key, entry in found.get("properties", {}).items()}
        for name, found in schema.get("$defs", {}).items()
    }
    return told, inner


def _kind(entry: Mapping[str, Any]) -> object:
    kinds = entry.get("type") or entry.get("$ref")
    if "anyOf" in entry:
        return sorted(str(_kind(part)) for part in entry["anyOf"])
    return sorted(kinds) if isinstance(kinds, list) else kinds


def test_the_tool_gets_what_it_declares() -> None:
    """Models, dataclasses, dates and decimals arrive as such, through plain data."""
    item = Item(sku="a", n=2, tags=frozenset({"y", "x"}))
    made = called("order", item, Place("Elm", Size.LARGE), price=Decimal("1.50"))
    assert [
        {
            "item": item,
            "to": Place("Elm", Size.LARGE),
            "day": date(2026, 1, 31),
            "price": Decimal("1.50"),
            "state": "open",
        }
    ] == GOT
    (started,) = made.trace.of(ToolStarted)
    assert started.arguments == {
        "item": {"sku": "a", "n": 2, "tags": ["x", "y"]},
        "to": {"street": "Elm", "size": "l"},
        "price": "1.50",
    }
    assert made.value == '["a","Elm"]'
    assert made.outcome.at_ns == 2_000_000_000


def test_what_a_model_was_not_told_stays_out() -> None:
    """The fields of a nested model that were left out are filled in by the tool alone."""
    made = called("order", Item.model_validate({"sku": "a"}), Place("Elm"))
    assert made.trace.of(ToolStarted)[0].arguments["item"] == {"sku": "a"}
    assert GOT[0]["item"] == Item.model_validate({"sku": "a", "n": 1})


@settings(max_examples=40)
@given(
    sku=st.text(max_size=5),
    tags=st.frozensets(st.sampled_from("abcdef")),
    day=st.dates(),
    price=st.none() | st.decimals(allow_nan=False, allow_infinity=False, places=2),
    state=st.sampled_from(["open", "closed"]),
)
def test_what_pydantic_makes_of_arguments_reaches_the_tool(
    sku: str, tags: frozenset[str], day: date, price: Decimal | None, state: str
) -> None:
    """A framework validates the model's JSON, and the function's own tool gets the same."""
    asked = {
        "item": {"sku": sku, "tags": sorted(tags)},
        "to": {"street": "Elm"},
        "day": day.isoformat(),
        "price": None if price is None else str(price),
        "state": state,
    }

    async def agent(env: Env) -> None:
        await validate_call(env.functions["order"])(**asked)

    ran(agent)
    item = Item(sku=sku, n=1, tags=tags)
    assert [
        {
            "item": item,
            "to": Place("Elm"),
            "day": day,
            "price": price,
            "state": state,
        }
    ] == GOT


def test_arguments_that_do_not_fit_are_the_tools_error() -> None:
    """They are refused as the tool refuses them, and the run goes on."""

    async def agent(env: Env) -> list[str]:
        told = []
        for arguments in ({}, {"item": 7, "to": {}}, {"odd": 1}):
            with pytest.raises(ToolFailed) as caught:
                await env.functions["order"](**arguments)
            told.append(str(caught.value))
        return told

    assert ran(agent).value == [
        "order: argument 'item' is missing",
        "order: argument 'item': expected an object, got 7",
        "order: argument 'item' is missing",
    ]


def test_an_argument_given_twice_or_too_many_by_place_is_misuse() -> None:
    """The error says which, or how many there may be."""

    async def agent(env: Env) -> None:
        write = env.functions["write_file"]
        with pytest.raises(UsageError, match="'path' is given by place and by name"):
            await write("a", path="b")
        with pytest.raises(UsageError, match="takes 2 arguments by place, got 3"):
            await write("a", "b", "c")

    ran(agent)


def test_a_default_that_no_schema_can_tell_means_left_out() -> None:
    """Frameworks pass defaults on: None for a text, and what JSON has no word for."""
    made = called("odd", text=None, mark=UNSET)
    assert made.value == "None True"
    assert made.trace.of(ToolStarted)[0].arguments == {}


def test_further_arguments_reach_a_tool_that_takes_them() -> None:
    """`**more` of a function stays, and takes them by name."""
    assert called("Listed-1", ["a"], b=1).value == "['a'] {'b': 1}"


def test_an_approval_is_given_by_name() -> None:
    """The function does not ask: who approved is what the agent says."""
    made = called("restart_service", "web-03", "nginx", confirmed_by="Ada")
    (effect,) = made.trace.of(EffectApplied)
    assert effect.arguments == {
        "host": "web-03",
        "service": "nginx",
        "confirmed_by": "Ada",
    }


def test_blocking_functions_are_those_of_the_thread() -> None:
    """`env.sync.functions` has the same names and signatures, and blocks."""

    def agent(env: Env) -> object:
        functions = env.sync.functions
        assert list(functions) == list(env.functions)
        for name, function in functions.items():
            twin = env.functions[name]
            assert inspect.signature(function) == inspect.signature(twin)
            assert function.__doc__ == twin.__doc__
            assert not inspect.iscoroutinefunction(function)
            assert inspect.iscoroutinefunction(twin)
        assert functions["odd"]("x") == "x True"
        return functions["order"]({"sku": "a"}, Place("Elm"))

    made = ran(agent)
    assert made.value == '["a","Elm"]'


def test_functions_are_a_mapping_that_shows_its_names() -> None:
    """A name that no tool has is a KeyError, as of any mapping."""

    async def agent(env: Env) -> str:
        assert len(env.functions) == len(env.tools)
        assert "nothing" not in env.functions
        assert env.functions["odd"] is env.functions["odd"]
        return repr(env.functions)

    assert ran(agent).value == (
        "<functions: order, odd, Listed-1, read_file, write_file, list_files, "
        "check_disk, check_disk_usage, clean_logs, check_status, restart_service, read_logs>"
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_plain_data_stays_as_it_is(value: object) -> None:
    """What JSON can carry is not changed."""
    assert as_json(value) == value


def test_values_of_python_become_plain_data() -> None:
    """Keys become texts, sets are in order, and what has no JSON stays itself."""
    given = {
        1: (Size.LARGE, {"b", "a"}),
        "when": {date(2026, 1, 2): Place("Elm")},
        "odd": UNSET,
    }
    assert as_json(given) == {
        "1": ["l", ["a", "b"]],
        "when": {"2026-01-02": {"street": "Elm", "size": "s"}},
        "odd": UNSET,
    }
