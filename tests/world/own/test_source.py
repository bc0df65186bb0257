"""Own tools and parts written as source give an equal scenario when they are run."""

from __future__ import annotations

from typing import Any

import pytest

from agentsim.core import Rights, Tool, ToolDef, ToolFailed
from agentsim.providers import say
from agentsim.simulation import Scenario, source_of
from agentsim.world import tool
from tests.world.own.test_part import Shop
from tests.world.own.test_running import close_ticket, list_tickets
from tests.world.own.test_tool import greet

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize(
    "part",
    [
        list_tickets,
        close_ticket,
        Shop(stock=7),
        tool(greet),
        tool(greet, read_only=True, name="hello", also=["hi"], latency_s=3.0),
        tool(greet, confirm=False, volatile=["a+"], description="Say hello."),
        tool(greet, read_only=True, confirm=True, schema=SCHEMA),
        tool("check_cpu", returns=["97 %", {"percent": 12}, None]),
        tool(
            "check_cpu", returns=[TimeoutError("late"), ToolFailed("x", definite=False)]
        ),
        tool("write", returns="ok", read_only=False, confirm=False, schema=SCHEMA),
        tool(ToolDef("ping", "Ping a host.", SCHEMA), returns="ok", parallel=False),
    ],
    ids=lambda part: part.kind,
)
def test_the_source_of_own_parts_gives_an_equal_scenario(part: Any) -> None:  # noqa: ANN401 - a part of a world
    """All that a tool says is written, and what has a name is imported by it."""
    scenario = Scenario("Do it.", script=[say("Done.")], world=[part])
    made: dict[str, Any] = {}
    exec(source_of(scenario), made)
    assert made["scenario"].digest == scenario.digest


def test_what_has_no_source_is_named() -> None:
    """A tool of a runtime, or one inside a function, is left to be put in by hand."""

    async def run(arguments: dict[str, Any]) -> object:
        return arguments

    own = tool(Tool(ToolDef("add"), run, Rights()))
    source = source_of(Scenario("x", script=[say("y")], world=[own]))
    assert "tests.world.own.test_source" in source
