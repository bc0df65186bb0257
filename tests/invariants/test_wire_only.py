"""Judging a program of its own, of which nothing was seen but the wire."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentsim.core import (
    IncarnationStarted,
    Outcome,
    RequestFailed,
    RequestSent,
    ResponseReceived,
    ToolDef,
    tool_result,
    user,
)
from agentsim.invariants import INVARIANTS, judge
from agentsim.runtime import reference
from agentsim.simulation import load_scenario, run
from agentsim.trace import ToolFacts, Trace
from tests.invariants.support import Run, call, read, verdict

SCENARIOS = sorted(Path("scenarios").glob("*.yaml"))

ON_THE_WIRE = (IncarnationStarted, RequestSent, ResponseReceived, RequestFailed)


def on_the_wire(trace: Trace, wire: str = "openai-chat") -> Trace:
    """What a server would have seen of a run: requests, answers, and that it is over."""
    events = [
        replace(event, wire=wire) if isinstance(event, RequestSent) else event
        for event in trace.events
        if isinstance(event, ON_THE_WIRE)
    ]
    offered: dict[str, ToolDef] = {}
    for event in events:
        if isinstance(event, RequestSent):
            offered |= {tool.name: tool for tool in event.tools}
    header = replace(
        trace.header,
        prompt=None,
        tools=tuple(ToolFacts(tool) for tool in offered.values()),
        limits=None,
        loop=None,
        model="",
        temperature=None,
        wire_only=True,
    )
    outcome = Outcome("returned", None, None, life=trace.events[-1].life)
    return Trace(header, [*events, outcome])


def status(trace: Trace, name: str) -> str:
    """What one invariant says."""
    return verdict(trace, name).status


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_correct_run_seen_on_the_wire_alone_raises_no_alarm(path: Path) -> None:
    """Of the reference runtime nothing is called violated that can't be seen."""
    made = run(load_scenario(path), reference)
    for wire in ("openai-chat", "openai-responses", "anthropic-messages"):
        found = judge(on_the_wire(made.trace, wire))
        assert [entry for entry in found if entry.status == "violated"] == []


def test_what_happens_inside_is_not_applicable_on_the_wire() -> None:
    """Invariants of tools, persons and the end say that they saw nothing, not that it holds."""
    made = run(load_scenario("scenarios/pay_invoice.yaml"), reference)
    found = {entry.id: entry for entry in judge(on_the_wire(made.trace))}
    inside = [entry.id for entry in INVARIANTS.own.values() if entry.needs_inside]
    assert inside == [
        "cut-calls-told",
        "allowlist",
        "arguments-as-asked",
        "confirmed-before-effect",
        "effect-once",
        "writes-alone",
        "calls-in-order",
        "reads-bounded",
        "ends",
        "results-as-returned",
        "no-work-after-end",
    ]
    assert {found[name].status for name in inside} == {"not_applicable"}
    assert {found[name].why for name in inside} == {
        "the agent is a program of its own: only the wire was seen"
    }


def test_histories_are_judged_on_the_wire() -> None:
    """Results in another order, and a failure that is not told, show in the histories."""
    swapped = Run(tools=[read("look"), read("see")])
    swapped.asks(call("look"), call("see"))
    first, second = swapped.message.tool_calls
    swapped.history.append(tool_result(second.id, "seen"))
    swapped.history.append(tool_result(first.id, "looked"))
    swapped.says("done")
    assert status(on_the_wire(swapped.ends()), "results-in-order") == "violated"

    unknown = Run(tools=[read("look")])
    unknown.asks(call("see"))
    unknown.answers("all is well")
    unknown.says("done")
    assert status(on_the_wire(unknown.ends()), "errors-visible") == "violated"


def test_what_a_user_says_to_a_program_is_no_invention_and_no_failure_to_stop() -> None:
    """A conversation goes on after an answer: on the wire nobody knows who spoke."""
    made = Run()
    made.says("Hello.")
    made.history.append(user("And now?"))
    made.says("Goodbye.")
    trace = made.ends()
    for name in ("no-invented-messages", "stops-by-structure"):
        assert status(trace, name) == "violated"
        assert status(on_the_wire(trace), name) != "violated"


def test_a_program_that_asks_on_after_an_answer_is_caught_on_the_wire() -> None:
    """Where no user spoke, a final answer is the end, seen from anywhere."""
    made = Run()
    made.says("Hello.")
    made.says("Goodbye.")
    assert status(on_the_wire(made.ends()), "stops-by-structure") == "violated"


def test_a_program_may_offer_tools_of_its_own_and_leave_out_what_the_script_calls() -> (
    None
):
    """Which tools a program has, only the program knows."""
    made = Run(tools=[read("look"), read("see")])
    made.history.append(user("again"))
    made.requests(tools=(ToolDef("look"),), wire="openai-chat")
    made.asks(call("see"))
    made.answers("all is well")
    made.says("done")
    trace = made.ends()
    assert status(trace, "prefix-stable") == "violated"
    alone = Run(tools=[read("look"), read("see")])
    alone.header = replace(alone.header, wire_only=True)
    for message in ("go", "on"):
        alone.history.append(user(message))
        alone.requests(tools=(ToolDef("look"),), wire="openai-chat")
    assert status(alone.trace(), "prefix-stable") == "holds"
