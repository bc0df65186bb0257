"""Tools with canned answers: what a file has in place of functions."""

from __future__ import annotations

from typing import Any

import pytest

from agentsim.core import Rights, ToolFailed, UsageError
from agentsim.providers import call, say, together
from agentsim.runtime import reference
from agentsim.simulation import Scenario, run
from agentsim.world import Canned, CannedAnswer, CannedTool, World, from_plain

TEXT = {"type": "object", "properties": {"city": {"type": "string"}}}

WEATHER = CannedTool(
    "read_only",
    parameters=TEXT,
    answers=(
        CannedAnswer({"city": "Rome"}, "sunny"),
        CannedAnswer({"city": "Rome"}, "rain"),
        CannedAnswer({"city": "Oslo"}, error="no such city"),
    ),
)


def weather(world: World, city: str) -> str:
    """The answer, or the words of the failure."""
    try:
        return world.apply("weather", {"city": city})
    except ToolFailed as error:
        return str(error)


def test_a_call_is_answered_by_its_arguments_in_order() -> None:
    """Equal calls get the answers for them in turn, and the last one stays."""
    world = World((Canned({"weather": WEATHER}),))
    asked = ["Rome", "Oslo", "Rome", "Rome", "Oslo"]
    answers = [weather(world, city) for city in asked]
    assert answers == ["sunny", "no such city", "rain", "rain", "no such city"]


def test_a_call_that_nobody_foresaw_fails_in_words() -> None:
    """Without an answer for the arguments, or for any, the call fails and does nothing."""
    world = World((Canned({"weather": WEATHER}),))
    assert weather(world, "Bonn") == (
        'weather: no answer is canned for {"city":"Bonn"}'
    )
    anything = CannedTool(
        "read_only", parameters=TEXT, answers=(CannedAnswer(None, "?"),)
    )
    assert weather(World((Canned({"weather": anything}),)), "Bonn") == "?"
    assert len(weather(world, "x" * 500)) < 200


def test_what_was_given_is_in_the_snapshot() -> None:
    """A world that goes back gives the same answers again."""
    world = World((Canned({"weather": WEATHER}),))
    before = world.snapshot()
    assert weather(world, "Rome") == "sunny"
    world.restore(before)
    assert weather(world, "Rome") == "sunny"


def test_a_writing_tool_has_its_effects_in_the_ledger() -> None:
    """A result of a mutating tool is an effect; an error is none."""
    pay = CannedTool(
        "mutating", answers=(CannedAnswer({}, "paid"), CannedAnswer({}, error="broke"))
    )
    world = World((Canned({"pay": pay}),))
    assert world.apply("pay", {}) == "paid"
    with pytest.raises(ToolFailed, match="broke"):
        world.apply("pay", {})
    assert [effect.name for effect in world.ledger] == ["pay"]


@pytest.mark.parametrize(
    ("fields", "rights"),
    [
        ({"category": "read_only"}, Rights("read_only", parallel=True)),
        (
            {"category": "read_only", "parallel": False},
            Rights("read_only", parallel=False),
        ),
        (
            {"category": "read_only", "confirm": True},
            Rights("read_only", parallel=False, confirm=True),
        ),
        ({"category": "mutating"}, Rights("mutating")),
    ],
)
def test_rights_follow_from_the_category(
    fields: dict[str, Any], rights: Rights
) -> None:
    """What is not given follows, as for a tool in Python."""
    assert CannedTool(**fields).rights == rights


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            {"tools": {"look": {"category": "destructive"}}},
            "world.canned.tools.look.category: expected one of read_only, mutating",
        ),
        ({"tools": {"look": {}}}, "world.canned.tools.look: the field 'category'"),
        (
            {"tools": {"look": {"category": "mutating", "answers": [{}]}}},
            "expected one of result and error, got none",
        ),
        (
            {"tools": {"look": {"category": "mutating", "latency_s": -1.0}}},
            "latency_s: expected 0 or more, got -1",
        ),
        (
            {"tools": {"look": {"category": "mutating", "parallel": True}}},
            "only a read-only tool can be parallel",
        ),
        ({"tools": {"a b": {"category": "mutating"}}}, "can't be the name of a tool"),
        (
            {"tools": {"look": {"category": "mutating", "parameters": {"type": 3}}}},
            "tool 'look': its schema is not a JSON Schema",
        ),
    ],
)
def test_what_is_no_canned_tool_is_told(data: object, words: str) -> None:
    """Mistakes in a file are usage errors that name the place."""
    with pytest.raises(UsageError) as error:
        from_plain("canned", data)
    assert words in str(error.value)


def test_an_agent_works_with_canned_tools() -> None:
    """The reference runtime runs them as any others, in parallel where they only read."""
    scenario = Scenario(
        task="How is the weather?",
        world=[Canned({"weather": WEATHER})],
        script=[
            together(call("weather", city="Rome"), call("weather", city="Oslo")),
            say("Sunny in Rome."),
        ],
    )
    found = run(scenario, reference).expect_holds()
    results = [m.content for m in found.outcome.history or () if m.role == "tool"]
    assert results == ["sunny", "Error: no such city"]
