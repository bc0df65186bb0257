"""A tool of a function, of canned answers, or of a definition, as a world has it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from agentsim.core import ProviderError, Rights, Tool, ToolDef, ToolFailed, UsageError
from agentsim.world import Disk, OwnTool, Spec, Unchanged, World, tool


def greet(name: str, *, loud: bool = False) -> str:
    """Greet somebody.

    Not for
    strangers.

    Args:
        name: Who is
            greeted.
        loud (bool): Whether to shout.

    Returns:
        The greeting.
    """
    return f"HELLO {name}" if loud else f"hello {name}"


def told(of: OwnTool, **arguments: Any) -> str:
    """What a tool says, or why it failed."""
    try:
        return World([of]).apply(of.name, arguments)
    except ToolFailed as error:
        return f"failed: {error}"


def test_a_function_is_told_by_its_name_docstring_and_annotations() -> None:
    """The model reads what the author wrote for people."""
    made = tool(greet, read_only=True)
    assert made.definition == ToolDef(
        "greet",
        "Greet somebody.\n\nNot for\nstrangers.",
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Who is greeted."},
                "loud": {
                    "type": "boolean",
                    "default": False,
                    "description": "Whether to shout.",
                },
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    )
    assert told(made, name="Ada", loud=True) == "HELLO Ada"
    assert told(made, name="Ada") == "hello Ada"
    assert told(made, loud=True) == "failed: greet: argument 'name' is missing"


def test_a_partial_function_is_told_by_what_is_left_of_it() -> None:
    """What is bound has its value: the model hears of the rest, by the author's words."""
    made = tool(partial(partial(greet), loud=True), read_only=True)
    assert (made.name, made.definition.description[:16]) == (
        "greet",
        "Greet somebody.\n",
    )
    assert list(made.definition.parameters["properties"]) == ["name"]
    assert told(made, name="Ada") == "HELLO Ada"
    assert told(made, name="Ada", loud=False).startswith("failed: greet: unknown")
    assert made.plain()["function"] == f"{__name__}:greet"


class Greeter:
    """Greet as one was greeted."""

    def __init__(self, word: str) -> None:
        self._word = word

    def __call__(self, name: str) -> str:
        return f"{self._word} {name}"


def test_an_object_that_is_called_is_a_tool() -> None:
    """Its class has name and docstring, its call the annotations."""
    made = tool(Greeter("ahoi"), name="greeter", read_only=True)
    assert made.definition.description == "Greet as one was greeted."
    assert made.definition.parameters["required"] == ["name"]
    assert told(made, name="Ada") == "ahoi Ada"
    assert made.plain()["function"] == f"{__name__}:Greeter"


def test_the_decorated_name_is_a_tool_that_can_be_called() -> None:
    """With or without parentheses, and the function is still there for plain tests."""

    @tool
    def first() -> str:
        return "1"

    @tool(read_only=True, name="other")
    def second(number: int = 2) -> str:
        return str(number)

    assert (first.name, second.name) == ("first", "other")
    assert (first(), second(3)) == ("1", "3")
    assert (told(first), told(second)) == ("1", "2")
    assert first.rights == Rights("mutating")
    assert second.rights == Rights("read_only", parallel=True)


@pytest.mark.parametrize(
    ("options", "rights"),
    [
        ({}, Rights("mutating")),
        ({"read_only": True}, Rights("read_only", parallel=True)),
        ({"read_only": False, "confirm": False}, Rights("mutating", confirm=False)),
        ({"read_only": True, "confirm": True}, Rights("read_only", confirm=True)),
        ({"read_only": True, "parallel": False}, Rights("read_only")),
        (
            {"category": "read_only", "volatile": ["x+"]},
            Rights("read_only", parallel=True, volatile=("x+",)),
        ),
    ],
)
def test_rights_follow_from_what_is_declared(
    options: dict[str, Any], rights: Rights
) -> None:
    """A function may write unless it says otherwise, and reads may overlap."""
    assert tool(greet, **options).rights == rights


@dataclass
class Point:
    x: int
    y: int = 0


class Line(BaseModel):
    start: Point
    name: Annotated[str, "What it is called"] = "line"


def test_arguments_become_what_the_annotations_say() -> None:
    """A mapping becomes a dataclass or a model, and so do those inside of it."""
    seen: list[object] = []

    def draw(line: Line, points: list[Point], scale: float | None = None) -> None:
        seen.extend((line, points, scale))

    made = tool(draw)
    arguments = {"line": {"start": {"x": 1}}, "points": [{"x": 2, "y": 3}]}
    assert told(made, **arguments) == "null"
    assert seen == [Line(start=Point(1)), [Point(2, 3)], None]
    for changed, words in (
        ({"line": {}}, "argument 'line.start' is missing"),
        ({"points": [{"x": "2"}]}, "argument 'points[0].x': expected a whole number"),
        ({"points": [{"x": 1, "z": 1}]}, "'points[0].z': expected no field 'z', got 1"),
        ({"scale": "1"}, "argument 'scale': expected a number, got '1'"),
        ({"scal": 1}, "unknown argument 'scal'; did you mean 'scale'?"),
        ({"line": {"start": {"x": 1}, "name": "\ud800"}}, "half of a surrogate pair"),
        ({"scale": float("nan")}, "the arguments: expected plain data"),
    ):
        assert words in told(made, **{**arguments, **changed})


def test_a_schema_may_stand_in_for_annotations() -> None:
    """Arguments are then checked by it, and given as they came."""
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 3}},
        "required": ["name"],
    }
    made = tool(greet, schema=schema)
    assert made.definition.parameters == schema
    assert told(made, name="Ada") == "hello Ada"
    assert told(made, name="Adas") == (
        "failed: greet: argument 'name': does not fit the schema's maxLength"
    )
    assert "the arguments: does not fit the schema's required" in told(made)


def test_a_function_with_open_arguments_takes_any() -> None:
    """What `**more` takes is not refused."""

    def show(**more: int) -> dict[str, int]:
        return more

    assert told(tool(show), a=1, p0=2) == '{"a":1,"p0":2}'


def test_a_result_is_text_or_json() -> None:
    """Text goes out as it is; numbers, lists, dataclasses and models as JSON."""

    def give(what: str) -> object:
        values = {
            "text": "é",
            "data": {"b": [1, None, "é"]},
            "point": Point(1),
            "line": Line(start=Point(2)),
        }
        return values[what]

    made = tool(give, read_only=True)
    assert told(made, what="text") == "é"
    assert told(made, what="data") == '{"b":[1,null,"é"]}'
    assert told(made, what="point") == '{"x":1,"y":0}'
    assert told(made, what="line") == '{"start":{"x":2,"y":0},"name":"line"}'
    assert told(made, what="?") == "failed: KeyError: '?'"


def test_what_json_cannot_carry_is_the_tests_mistake() -> None:
    """A result without a text is told to the author, not to the model."""
    made = tool(lambda: {1, 2}, name="give")
    with pytest.raises(
        UsageError, match="'give' returned what JSON can't carry, a set"
    ):
        World([made]).apply("give", {})


def raising(error: Exception) -> Callable[[], str]:
    """A function that raises."""

    def work() -> str:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "words", "definite"),
    [
        (ValueError("no such host"), "ValueError: no such host", True),
        (RuntimeError(), "RuntimeError", True),
        (ToolFailed("down"), "down", True),
        (ToolFailed("lost", definite=False), "lost", False),
        (ProviderError("busy", status=429, kind="x", definite=False), "busy", False),
        (ValueError("<x at 0x7f00>"), "ValueError: <x>", True),
    ],
)
def test_what_a_tool_raises_is_its_error(
    error: Exception, words: str, definite: bool
) -> None:
    """The words are the author's, without addresses; an error says if it is definite."""
    world = World([tool(raising(error))])
    with pytest.raises(ToolFailed) as caught:
        world.apply("work", {})
    assert (str(caught.value), caught.value.definite) == (words, definite)
    assert world.ledger == ()


def test_misuse_in_a_tool_stays_misuse() -> None:
    """An error about how agentsim is used is never taken for a result."""
    with pytest.raises(UsageError, match="badly"):
        World([tool(raising(UsageError("badly")))]).apply("work", {})


def test_a_write_leaves_an_entry_and_sees_who_approved() -> None:
    """A write that returns is in the ledger, unless it says that it changed nothing."""
    seen: list[str | None] = []

    @tool
    def close(ticket: str, confirmed_by: str | None = None) -> str:
        seen.append(confirmed_by)
        return Unchanged("closed already") if len(seen) > 1 else "closed"

    world = World([close])
    arguments = {"ticket": "T-1", "confirmed_by": "ada"}
    assert world.apply("close", arguments) == "closed"
    assert world.apply("close", arguments) == "closed already"
    [effect] = world.ledger
    assert (effect.arguments, effect.confirmed_by) == ({"ticket": "T-1"}, "ada")
    assert seen == ["ada", "ada"]
    assert "confirmed_by" not in close.definition.parameters["properties"]


def test_a_tool_may_act_on_the_rest_of_the_world() -> None:
    """A parameter of type `World` is given the world, and hidden from the model."""

    @tool(confirm=False)
    def fill_up(to: str, *, world: World) -> str:
        world.disk.fill(to)
        return f"{world.disk.used_percent}%"

    world = World([Disk(used="10%", logs=0), fill_up])
    assert world.apply("fill_up", {"to": "50%"}) == "50%"
    assert "50% used" in world.apply("check_disk", {})


def test_an_async_tool_is_awaited() -> None:
    """`perform` waits for it; `apply`, which can't, says what to write."""

    @tool
    async def work(fail: bool = False) -> list[int]:
        await asyncio.sleep(0)
        if fail:
            raise ValueError("no")
        return [1]

    world = World([work])
    assert asyncio.run(world.perform("work", {})) == "[1]"
    with pytest.raises(ToolFailed, match="ValueError: no"):
        asyncio.run(world.perform("work", {"fail": True}))
    assert len(world.ledger) == 1
    with pytest.raises(UsageError, match=r"await world.perform\('work', ...\)"):
        world.apply("work", {})


def test_canned_answers_come_in_order_and_the_last_stays() -> None:
    """Their place is state of the world; errors among them are errors of the tool."""
    answers = [
        "97 %",
        TimeoutError,
        ToolFailed("busy", definite=False),
        {"percent": 12},
    ]
    world = World([tool("check_cpu", returns=answers)])
    start = world.snapshot()

    def ask() -> str:
        try:
            return world.apply("check_cpu", {"host": "a"})
        except ToolFailed as error:
            return f"{error}, {error.definite}"

    said = ["97 %", "TimeoutError, True", "busy, False", '{"percent":12}']
    assert [ask() for _ in range(5)] == [*said, said[-1]]
    world.restore(start)
    assert ask() == "97 %"
    assert world.ledger == ()


def test_one_canned_answer_needs_no_list() -> None:
    """Text, a mapping or None may stand alone, and a canned write is a write."""
    world = World(
        [
            tool("a", returns="x"),
            tool("b", returns={}),
            tool("c", returns=None, read_only=False),
        ]
    )
    assert [world.apply(name, {}) for name in "abc"] == ["x", "{}", "null"]
    assert [effect.name for effect in world.ledger] == ["c"]
    with pytest.raises(UsageError, match="'a' has canned answers and no function"):
        tool("a", returns="x")()


def test_a_definition_may_have_canned_answers() -> None:
    """Its schema is kept, and judges the arguments."""
    schema = {"type": "object", "properties": {"host": {"type": "string"}}}
    definition = ToolDef("ping", "Ping a host.", schema)
    made = tool(definition, returns="ok")
    assert made.definition == definition
    assert told(made, host="a") == "ok"
    assert "argument 'host': does not fit the schema's type" in told(made, host=1)


def test_a_tool_of_a_runtime_keeps_its_rights() -> None:
    """What was built for the agent's own runtime is simulated as it is."""

    async def run(arguments: dict[str, Any]) -> object:
        return arguments["a"] + 1

    parameters = {"type": "object", "properties": {"a": {"type": "integer"}}}
    own = Tool(ToolDef("add", "Add one.", parameters), run, Rights("read_only"))
    made = tool(own, latency_s=2.5)
    assert (made.definition, made.rights) == (own.definition, own.rights)
    assert asyncio.run(World([made]).perform("add", {"a": 1})) == "2"
    with pytest.raises(UsageError, match="'add': a Tool has its own category"):
        tool(own, read_only=True)


def test_further_names_share_one_tool() -> None:
    """Each name is told to the model, and canned answers go on over all of them."""
    world = World([tool("ask", returns=["1", "2"], also=["query"])])
    assert [own.name for own in world.tools] == ["ask", "query"]
    assert [world.apply(name, {}) for name in ("ask", "query")] == ["1", "2"]


UNTYPED: Any = tool
"""What type checkers would refuse is tried all the same."""


def of_two(a: int, /) -> str:
    """Take an argument that can't be given by name."""
    return str(a)


def of_unknown(a: Missing) -> str:  # type: ignore[name-defined]  # noqa: F821
    """Take what does not exist."""
    return str(a)


def of_object(a: World | Point | object, b: Callable[[], int]) -> str:
    """Take what no model can write."""
    return f"{a}{b}"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: UNTYPED("check_cpu"), "expected a function, got 'check_cpu'; canned"),
        (lambda: UNTYPED(3), "tool: expected a function, got a int"),
        (lambda: UNTYPED(returns="x"), "canned answers belong to a name or a ToolDef"),
        (
            lambda: UNTYPED(greet, returns="x"),
            "canned answers belong to a name or a ToolDef",
        ),
        (lambda: tool("a", returns=[]), "'a': returns needs at least one answer"),
        (lambda: tool("a", returns=[{1}]), "'a' returned what JSON can't carry, a set"),
        (lambda: tool(lambda: ""), "'<lambda>' can't be the name of a tool"),
        (lambda: tool(greet, name="greet them"), "give it one with name="),
        (lambda: tool(greet, name="\ud800"), r"tool: '\ud800' can't be the name"),
        (lambda: tool(greet, name=5), "name: expected a text, got a int"),  # type: ignore[call-overload]
        (lambda: tool(greet, description=5), "description: expected a text"),  # type: ignore[call-overload]
        (lambda: tool(greet, also="hello"), "also: expected a list of names"),
        (lambda: tool(greet, also=[5]), "also: expected a list of names"),  # type: ignore[list-item]
        (lambda: tool(greet, latency_s="1"), "expected a number of seconds, got '1'"),  # type: ignore[call-overload]
        (
            lambda: tool(greet, latency_s=10**400),
            "expected 1.79769e+308 or less, got a number",
        ),
        (lambda: tool(greet, read_only="yes"), "read_only: expected True or False"),  # type: ignore[call-overload]
        (lambda: tool(greet, latency_s=-1), "latency_s: expected 0 or more, got -1"),
        (
            lambda: tool(greet, latency_s=float("nan")),
            "expected 0 or more and finite, got nan",
        ),
        (lambda: tool(greet, category="destructive"), "needs a dry run"),
        (lambda: tool(greet, category="mutating", read_only=True), "not both"),
        (lambda: tool(greet, parallel=True), "'greet': only a read-only tool can be"),
        (lambda: tool(greet, volatile="x"), "'greet': volatile: expected a tuple"),
        (lambda: tool(of_two), "its parameter 'a' can't be given by name"),
        (lambda: tool(of_unknown), "an annotation of its function can't be read"),
        (lambda: tool(of_object), "no JSON Schema can be made of its parameters"),
        (lambda: tool(greet, schema={"type": 3}), "its schema is not a JSON Schema"),
        (lambda: tool(greet, schema={}), 'its schema needs "type": "object"'),
        (
            lambda: tool(greet, schema={"type": "object", "properties": {"nam": {}}}),
            "its schema has 'nam', which its function does not take; did you mean 'name'",
        ),
    ],
)
def test_mistakes_are_told_when_a_tool_is_made(
    make: Callable[[], OwnTool], words: str
) -> None:
    """What can't be a tool is told at once, with the tool and what to write."""
    with pytest.raises(UsageError) as caught:
        make()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (greet, r"world\[0\]: .* got the function greet: write tool\(greet\), with"),
        (Disk, r"world\[0\]: .* got the class Disk: write Disk\(\)"),
        (3, r"world\[0\]: expected a part or a tool, got a int"),
    ],
)
def test_what_is_no_part_of_a_world_is_told(given: Spec, words: str) -> None:
    """A bare function has no rights, and a class is no part yet."""
    with pytest.raises(UsageError, match=words):
        World([given])
