"""Events of a run, and the shipped log (R11)."""

import asyncio
import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    CallIdsReplaced,
    Event,
    Limits,
    RunEnded,
    RunStarted,
    ToolCall,
    ToolEnded,
    ToolStarted,
    breaches,
)
from agentsim.runtime import LogEvents, run_agent
from agentsim.runtime.texts import NO_CONFIRM, loop_block
from tests.runtime.fakes import (
    Events,
    ScriptedClient,
    asks,
    call,
    config,
    ended,
    play,
    says,
    tool,
)
from tests.runtime.test_interleavings import every_start_has_its_end


def test_the_events_of_a_run_come_in_order_and_say_who_speaks() -> None:
    """Each witness is named; operations tie ends to starts."""
    events = Events()
    play(asks(call("look", "1")), says("done"), tools=[tool()], on=events)
    assert events.kinds == [
        "run_started",
        "request",
        "response",
        "tool_start",
        "tool_end",
        "request",
        "response",
        "final_answer",
        "run_ended",
    ]
    assert {event.who for event in events} == {"runtime"}
    (start,), (end,) = events.of(ToolStarted), events.of(ToolEnded)
    assert (start.operation, start.call_id) == (end.operation, end.call_id) == (1, "1")


def test_the_end_carries_the_whole_result() -> None:
    """What a returned result says, its event says too."""
    events = Events()
    result = play(asks(call("look")), says("done"), tools=[tool()], on=events)
    end = ended(events)
    assert (end.status, end.words, end.output) == (result.status, result.error, "done")
    assert (end.iterations, end.usage, end.tools) == (2, result.usage, result.tools)
    assert end.history == result.history


def test_replaced_ids_are_told_as_they_came_and_as_they_stand() -> None:
    """Pairs, by call (R3.13)."""
    events = Events()
    calls = ToolCall("a", "look"), ToolCall("a", "look"), ToolCall("", "look")
    play(asks(*calls), says("x"), tools=[tool()], on=events)
    (replaced,) = events.of(CallIdsReplaced)
    assert replaced.replaced == (("a", "call_1_2"), ("", "call_1_3"))


@pytest.mark.parametrize("error", [ValueError("x"), asyncio.CancelledError()])
def test_a_handler_that_raises_never_breaks_the_run(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    """The run goes on, and the log says what happened (R11)."""

    def broken(event: Event) -> None:
        raise error

    with caplog.at_level(logging.WARNING, "agentsim.runtime"):
        result = play(asks(call("look")), says("x"), tools=[tool()], on=broken)
    assert result.status == "done"
    name = type(error).__name__
    assert f"the event handler raised {name} at 'run_started'" in caplog.text


def test_nothing_is_told_after_the_end() -> None:
    """A tool that was left behind and comes to its end is no news any more."""
    events = Events()

    async def main() -> None:
        woken = asyncio.Event()

        async def deaf(arguments: dict[str, Any]) -> str:
            while not woken.is_set():
                try:
                    await woken.wait()
                except asyncio.CancelledError:
                    continue
            return "late"

        client = ScriptedClient(asks(call("look"), call("look", n=1)))
        task = asyncio.ensure_future(
            run_agent(config(client, tool(run=deaf), on=events), "t")
        )
        for _ in range(9):
            await asyncio.sleep(0)
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert task.cancelled()
        told = len(events)
        woken.set()
        for _ in range(9):
            await asyncio.sleep(0)
        assert len(events) == told
        assert events.kinds.count("tool_start") == 1

    asyncio.run(main())
    assert isinstance(events[-1], RunEnded)


def test_the_log_has_a_line_for_every_decision_and_result() -> None:
    """Errors, refusals and blocks included, each on one line (R11)."""
    lines: list[str] = []
    play(
        asks(call("look", "1", n=1), call("rm", "2"), text="let me see"),
        asks(call("pay", "3"), call("boom", "4")),
        *[asks(call("look", f"i{n}", n=1)) for n in range(2)],
        says("all\ndone"),
        tools=[
            tool(returns="two\nlines"),
            tool("pay", category="mutating"),
            tool("boom", returns=ValueError("no")),
        ],
        on=LogEvents(lines.append),
    )
    assert lines == [
        '[Iteration 1] Agent decided: let me see | look({"n": 1}) | rm({})',
        "[Iteration 1] Tool result: two\\nlines",
        "[Iteration 1] Tool result: Error: unknown tool rm",
        "[Iteration 2] Agent decided: pay({}) | boom({})",
        f"[Iteration 2] Tool result: {NO_CONFIRM}",
        "[Iteration 2] Tool result: Error: ValueError: no",
        '[Iteration 3] Agent decided: look({"n": 1})',
        "[Iteration 3] Tool result: two\\nlines",
        '[Iteration 4] Agent decided: look({"n": 1})',
        "[Iteration 4] Tool result: two\\nlines",
        f"[Iteration 4] Tool result: {loop_block('look', 3)}",
        "[Iteration 5] Agent decided: all\\ndone",
    ]


def test_the_log_goes_to_the_logger_of_the_runtime(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Without a sink of its own, at level INFO; each run counts from 1."""
    log = LogEvents()
    with caplog.at_level(logging.INFO, "agentsim.runtime"):
        for _ in range(2):
            play(says("x"), on=log)
        play(says("", "tool_use"), on=log)
    assert [record.message for record in caplog.records] == [
        "[Iteration 1] Agent decided: x",
        "[Iteration 1] Agent decided: x",
        "[Iteration 1] Agent decided: nothing (tool_use)",
    ]


def test_the_log_marks_errors_of_other_witnesses() -> None:
    """A boundary gives the bare words of an error."""
    lines: list[str] = []
    log = LogEvents(lines.append)
    log(RunStarted("t"))
    log(ToolEnded(1, "look", "error", "disk full"))
    assert lines == ["[Iteration 0] Tool result: Error: disk full"]


@settings(max_examples=25)
@given(
    names=st.lists(
        st.lists(st.sampled_from(["look", "pay", "boom", "rm"]), max_size=3), max_size=5
    ),
    reason=st.sampled_from(["end_turn", "max_tokens", "odd"]),
    limit=st.integers(1, 5),
)
def test_every_start_has_its_end_in_any_run(
    names: list[list[str]], reason: str, limit: int
) -> None:
    """Whatever is asked and whatever ends the run (R11)."""
    events = Events()
    replies = [
        asks(*[call(name, f"{i}{j}") for j, name in enumerate(some)], text="t")
        for i, some in enumerate(names)
    ]
    result = play(
        *replies,
        says("x", reason),
        tools=[
            tool(parallel=True),
            tool("pay", category="mutating", confirm=False),
            tool("boom", returns=OSError("x")),
        ],
        limits=Limits(max_iterations=limit),
        on=events,
    )
    assert breaches(result.history) == []
    every_start_has_its_end(events)
