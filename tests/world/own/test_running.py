"""Own tools in a simulation: gated, recorded, struck by faults, explored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agentsim.core import (
    EffectApplied,
    Env,
    FaultStruck,
    ToolEnded,
    ToolFailed,
    ToolStarted,
    UsageError,
)
from agentsim.faults import answer_lost, raises
from agentsim.providers import call, say, together
from agentsim.simulation import Menu, Scenario, explore, replay, run
from agentsim.world import Disk, tool


@tool(read_only=True)
def list_tickets() -> list[str]:
    """List what is open."""
    return ["T-1"]


@tool(latency_s=2.0)
async def close_ticket(ticket: str) -> str:
    """Close a ticket."""
    await asyncio.sleep(3.0)
    return f"{ticket} is closed"


def closing(**changed: Any) -> Scenario:
    """A scenario in which a ticket is closed."""
    fields: dict[str, Any] = {
        "task": "Close T-1.",
        "world": [Disk(), list_tickets, close_ticket],
        "script": [
            call("list_tickets"),
            call("close_ticket", ticket="T-1"),
            say("Closed."),
        ],
        "expect": {"effects": {"close_ticket": 1}},
    }
    return Scenario(**{**fields, **changed})


def test_an_own_tool_is_recorded_like_any_other() -> None:
    """Start, effect and end stand in the trace, in virtual time; a person approved."""
    made = run(closing()).expect_holds()
    started, ended = made.trace.of(ToolStarted), made.trace.of(ToolEnded)
    assert [(event.name, event.who) for event in started][-1][0] == "close_ticket"
    assert [event.output for event in ended] == ['["T-1"]', "T-1 is closed"]
    assert ended[-1].at_ns - started[-1].at_ns == 5_000_000_000
    [effect] = made.trace.of(EffectApplied)
    assert effect.arguments["confirmed_by"] == "operator-1"
    assert made.world.ledger[0].confirmed_by == "operator-1"


def test_faults_strike_own_tools() -> None:
    """An own write whose answer is lost took effect, and a read may fail before it."""
    made = run(closing(faults=[answer_lost("close_ticket"), raises("list_tickets")]))
    made.expect_holds()
    struck = [event.fault for event in made.trace.of(FaultStruck)]
    assert struck == ["raises", "answer_lost"]
    assert len(made.trace.of(EffectApplied)) == 1


def test_every_pair_of_deviations_holds_with_own_tools() -> None:
    """Orders, faults and cancellation over own tools leave the reference clean."""
    menu = Menu(
        "any_order", ("raises", "answer_lost", "hangs"), cancel=True, crash=True
    )
    found = explore(closing(), deviations=1, menu=menu)
    assert found.complete
    assert found.status == "holds", found.violations


def test_a_run_with_own_tools_is_repeated_by_its_token() -> None:
    """Two runs of one token have one trace, whatever the tools waited for."""
    scenario = closing(
        script=[together(call("list_tickets"), call("list_tickets")), say("So.")],
        expect={},
    )
    menu = Menu("any_order")
    found = explore(scenario, deviations=1, menu=menu, runs=20)
    assert found.status == "holds"
    made = run(scenario, menu=menu)
    again = replay(scenario, str(made.token), menu=menu)
    assert again.trace.digest() == made.trace.digest()


def test_canned_answers_begin_anew_in_each_run() -> None:
    """Nothing is carried from one run to the next."""
    scenario = Scenario(
        task="Is it busy?",
        world=[tool("check_cpu", returns=["97 %", ToolFailed("away"), "12 %"])],
        script=[*[call("check_cpu")] * 3, say("No.")],
        expect={"calls": 3},
    )
    for _ in range(2):
        ends = run(scenario).expect_holds().trace.of(ToolEnded)
        assert [event.output for event in ends] == ["97 %", "away", "12 %"]


def test_a_mistake_in_a_tool_ends_the_run_whatever_the_agent_catches() -> None:
    """A result that has no text is the author's to know, and no agent's to swallow."""
    broken = tool(lambda: {1}, name="broken", read_only=True)

    async def agent(env: Env) -> str:
        try:
            await env.tools[0].run({})
        except Exception:  # noqa: BLE001 - as agents do
            await asyncio.sleep(1)
        return "fine"

    scenario = Scenario(task="Do it.", world=[broken], script=[say("Done.")])
    with pytest.raises(UsageError, match="'broken' returned what JSON can't carry"):
        run(scenario, agent)


def test_a_scenario_counts_all_that_its_tools_say() -> None:
    """Another answer, right or name gives another digest; the same ones the same."""

    def digest(**changed: Any) -> str:
        fields = {"returns": ["a"], "latency_s": 1.0, **changed}
        scenario = Scenario(task="x", world=[tool("t", **fields)], script=[say("y")])
        return scenario.digest

    variants: list[dict[str, Any]] = [
        {},
        {"returns": ["b"]},
        {"returns": [ValueError("a")]},
        {"returns": [ToolFailed("a")]},
        {"returns": [ToolFailed("a", definite=False)]},
        {"read_only": False},
        {"also": ["u"]},
        {"description": "d"},
        {"latency_s": 2.0},
        {"volatile": ["a"]},
    ]
    assert len({digest(**changed) for changed in variants}) == len(variants)
    assert digest() == digest()
    assert closing().digest == closing().digest
