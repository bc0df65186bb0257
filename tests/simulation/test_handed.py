"""What an agent does to the objects that it is handed is seen by no later run."""

import copy
import re
from collections import OrderedDict, UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import pytest

from agentsim import Run, Scenario, call, reference, run, say
from agentsim.core import (
    DEPTH_MAX,
    Env,
    Message,
    Request,
    ToolDef,
    ToolFailed,
    ToolStarted,
    copied,
    user,
)
from agentsim.simulation.outside.copies import Definitions
from agentsim.trace import to_jsonl
from agentsim.world import Disk, tool, world_part
from tests.simulation.handed import changed, handed, reachable

THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s", "deep": {"l": [1]}}

_ADDRESS = re.compile(" at 0x[0-9a-f]+")


class Odd(Exception):
    """An error whose class takes other arguments than it keeps."""

    def __init__(self, code: int, *, why: str) -> None:
        super().__init__(f"{why} ({code})")
        self.details = {"code": [code]}


@world_part
class Shop:
    """A part with a list in it."""

    stock: dict[str, list[int]] = {"a": [1]}  # noqa: RUF012 - copied for each

    @tool
    def put(self, names: list[str], count: int = 1) -> dict[str, list[int]]:
        """Put something in."""
        for name in names:
            self.stock[name].append(count)
        return self.stock


@tool(read_only=True)
def search(words: list[str], options: dict[str, Any] = {"deep": [1]}) -> str:  # noqa: B006
    """Search."""
    return f"{words} {options}"


def story() -> Scenario:
    """A story that hands out each kind of object."""
    failed = ToolFailed("no luck")
    failed.__dict__["info"] = {"hints": ["x"]}
    answers = [{"a": [1, {"b": 2}]}, failed, Odd(7, why="broken"), ValueError]
    return Scenario(
        task="Look.",
        prompt="Be brief.",
        world=[Shop(), search, tool("ask", returns=answers), Disk()],
        history=[user("Hi."), Message("assistant", "Hello.", blocks=(THOUGHT,))],
        script=[
            call("search", words=["x"]).but(blocks=(copy.deepcopy(THOUGHT),)),
            call("ask"),
            say("Done."),
        ],
        exact=False,
    )


CALLS: list[tuple[str, dict[str, Any]]] = [
    *([("ask", {})] * 4),
    ("search", {"words": ["x"]}),
    ("put", {"names": ["a"], "count": 3}),
    ("check_disk", {}),
]


async def looks(env: Env) -> object:
    """Go through all that an environment gives, and tell it."""
    found = await handed(env, copy.deepcopy(CALLS))
    told = [
        f"{path}: {_ADDRESS.sub('', repr(one))}"
        for path, one in reachable(found)
        if isinstance(one, (dict, list, tuple, BaseException))
    ]
    result = await reference(env)
    return told, repr(result.history)


def left(made: Run) -> tuple[object, ...]:
    """All that a run left."""
    return to_jsonl(made.trace), made.value, made.world.snapshot()


def test_no_later_run_sees_what_an_agent_changed() -> None:
    """Whatever can be reached from an environment is changed, and nothing comes of it."""
    paths: list[str] = []

    async def changes(env: Env) -> None:
        found = await handed(env, copy.deepcopy(CALLS))
        paths.extend(path for path, one in list(reachable(found)) if changed(one))

    scenario = story()
    before = left(run(scenario, looks))
    run(scenario, changes)
    assert left(run(scenario, looks)) == before
    assert left(run(story(), looks)) == before
    for known in (
        "env.tools[0].definition.parameters['properties']['names']",
        "env.history[1].blocks[0]['deep']['l']",
        "env.sync.functions['search'].options['deep']",
        "ask 1.__dict__['info']['hints']",
        "ask 2.__cause__.__dict__['details']['code']",
        "answer 0.message.blocks[0]['deep']",
        "pieces[1].response.message.blocks[0]",
    ):
        assert known in paths


def test_what_is_recorded_stays() -> None:
    """Neither agent nor tool can change the arguments that trace and ledger tell."""

    def take(items: list[str], options: dict[str, Any]) -> str:
        """Take."""
        items.append("of the tool")
        options["more"] = True
        return "taken"

    schema = {"properties": {"items": {"type": "array"}, "options": {"type": "object"}}}
    scenario = Scenario(
        task="Take.",
        world=[tool(take, schema={"type": "object", **schema}, confirm=False)],
        script=[call("take", items=["a"], options={}), say("Taken.")],
    )

    async def changes(env: Env) -> None:
        request = Request(env.model, (user(env.task),), ())
        answer = await env.client.complete(request)
        asked = answer.message.tool_calls[0]
        assert asked.name == "take"
        mine: dict[str, Any] = {"items": ["a"], "options": {}}
        await env.tools[0].run(mine)
        mine["items"].append("of the agent")

    for agent in (reference, changes):
        made = run(replace(scenario, exact=False), agent)
        told = [one.arguments for one in made.trace.events if hasattr(one, "arguments")]
        told += [effect.arguments for effect in made.world.ledger]
        assert told == [{"items": ["a"], "options": {}}] * len(told)
        assert told
    assert run(scenario).verdict.status == "holds"


@pytest.mark.parametrize("kind", [MappingProxyType, UserDict, OrderedDict])
def test_arguments_in_any_mapping_are_recorded_as_a_mapping(
    kind: Callable[[dict[str, Any]], Mapping[str, Any]],
) -> None:
    """The trace of a call has its arguments by name, whatever mapping holds them."""

    async def agent(env: Env) -> object:
        [one] = [tool for tool in env.tools if tool.name == "search"]
        await one.run(kind({"words": ["x"]}))  # type: ignore[arg-type]
        await one.run(kind({"words": [], "options": kind({"deep": [1]})}))  # type: ignore[arg-type]
        return None

    made = run(replace(story(), script=[]), agent)
    told = [one.arguments for one in made.trace.events if isinstance(one, ToolStarted)]
    assert told == [{"words": ["x"]}, {"words": [], "options": {"deep": [1]}}]


@dataclass(frozen=True)
class Odder:
    """Something that no JSON has."""

    values: tuple[int, ...] = (1,)


@pytest.mark.parametrize(
    "given", [{"a": [1, (2, {"b": None})]}, {"a": Odder()}, {"a": {1: [Odder()]}}]
)
def test_copies_are_equal_and_apart(given: dict[str, Any]) -> None:
    """Mappings and lists are new ones, with the same in them; all else is left."""
    own = copied(given)
    assert own == given
    assert own is not given


def test_what_contains_itself_is_left_as_it_is() -> None:
    """So is what is deeper than data may be, on any stack: who writes it down says so."""
    ring: list[object] = []
    ring.append(ring)
    assert copied(ring) is ring
    deep: list[object] = []
    for _ in range(DEPTH_MAX - 1):
        deep = [deep]
    assert copied(deep) == deep
    assert copied(deep) is not deep
    deeper = [deep]
    assert copied(deeper) is deeper


def test_definitions_with_what_no_file_holds_are_copied_too() -> None:
    """An own schema may hold anything; its lists and mappings are still copies."""
    given = ToolDef("odd", "Odd.", {"type": "object", "const": Odder()})
    first, second = Definitions([given]).copies() + Definitions([given]).copies()
    assert first == second == given
    assert first.parameters is not second.parameters is not given.parameters
