"""A trace as a value, and what differs between two of them."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given

from agentsim.core import (
    EffectApplied,
    Event,
    FaultStruck,
    History,
    Outcome,
    RequestSent,
    Rights,
    RunStarted,
    Tool,
    ToolDef,
    ToolEnded,
    ToolStarted,
    user,
)
from agentsim.trace import Header, Recorder, ToolFacts, Trace, diff
from tests.support.examples import examples
from tests.trace.strategies import traces

EVENTS: tuple[Event, ...] = (
    ToolStarted(1, "clean", {}),
    ToolStarted(1, "clean", {}, who="runtime"),
    EffectApplied(1, "clean", {}, who="world"),
    ToolEnded(1, "clean", "ok", "freed", at_ns=1_500_000_000),
)


def test_the_recorder_keeps_the_order() -> None:
    """What is added comes out in its order, and later events do not enter a trace."""
    recorder = Recorder()
    for event in EVENTS:
        recorder.add(event)
    trace = recorder.trace(Header(scenario="disk"))
    recorder.add(RunStarted("later"))
    assert trace.events == EVENTS
    assert len(trace) == 4
    assert repr(trace) == "Trace('disk', 4 events)"


def test_events_are_found_by_type_and_witness() -> None:
    """By default all witnesses count but the runtime's word about itself."""
    trace = Trace(Header(), EVENTS)
    assert trace.of(ToolStarted) == [EVENTS[0]]
    assert trace.of(ToolStarted, who="runtime") == [EVENTS[1]]
    assert trace.of(EffectApplied, ToolEnded) == [EVENTS[2], EVENTS[3]]
    assert trace.of(EffectApplied, who="boundary") == []
    assert trace.of() == [EVENTS[0], EVENTS[2], EVENTS[3]]


def test_traces_are_equal_by_content() -> None:
    """Header and events decide; nothing but a trace equals a trace."""
    trace = Trace(Header(), EVENTS)
    assert trace == Trace(Header(), list(EVENTS))
    assert trace != Trace(Header(task="x"), EVENTS)
    assert trace != EVENTS
    with pytest.raises(TypeError):
        hash(trace)


def test_facts_take_the_default_of_confirm_from_the_category() -> None:
    """Two ways to say the same rights are equal facts."""

    async def run(arguments: dict[str, object]) -> object:
        return arguments

    definition = ToolDef("write")
    tool = Tool(definition, run, Rights("mutating"))
    facts = ToolFacts.of_tool(tool)
    assert facts == ToolFacts.of(definition, Rights("mutating", confirm=True))
    assert facts.name == "write"
    assert facts.rights.confirms


@given(traces())
@examples(5)
def test_a_trace_does_not_differ_from_its_copy(trace: Trace) -> None:
    """Nothing is said of equal traces, and something is said once an event is gone."""
    assert diff(trace, Trace(trace.header, deepcopy(trace.events))) is None
    if trace.events:
        words = diff(trace, Trace(trace.header, trace.events[:-1]))
        assert words is not None
        assert "the first goes on" in words


def test_what_differs_is_said() -> None:
    """Event, time, field and both values stand in one sentence."""
    trace = Trace(Header(task="clean"), EVENTS)

    def against(*events: Event, task: str = "clean") -> str | None:
        return diff(trace, Trace(Header(task=task), events))

    assert against(*EVENTS, task="clear") == (
        "the headers differ in task: 'clean' against 'clear'; the events are the same"
    )
    ended = ToolEnded(1, "clean", "ok", "kept", at_ns=1_500_000_000)
    assert against(*EVENTS[:3], ended) == (
        "event 3 (tool_end at 1.5 s) differs in output: 'freed' against 'kept'"
    )
    struck = FaultStruck("slow", "clean", True, "", at_ns=2_000_000_000)
    assert against(*EVENTS[:3], struck) == (
        "event 3: tool_end at 1.5 s against fault at 2 s"
    )
    assert against(*EVENTS, struck) == (
        "both have the same 4 events, and the second goes on with fault at 2 s"
    )


def test_a_value_that_is_no_number_is_the_same_again() -> None:
    """A NaN equals nothing, and two runs with one in the same place are no less equal."""

    def started(value: float) -> Trace:
        return Trace(Header(), [ToolStarted(1, "wait", {"seconds": value})])

    assert diff(started(float("nan")), started(float("nan"))) is None
    assert diff(started(float("nan")), started(1.0)) == (
        "event 0 (tool_start at 0 s) differs in arguments: "
        "{'seconds': nan} against {'seconds': 1.0}"
    )


def test_a_difference_in_a_history_names_the_message() -> None:
    """Of two histories the first message that differs is shown, or their lengths."""

    def asking(*texts: str) -> Trace:
        view = History(map(user, texts)).view()
        return Trace(Header(), [RequestSent(1, "m", view, ())])

    long = "x" * 200
    assert diff(asking("a", long + "b" * 80), asking("a", long + "c" * 80)) == (
        "event 0 (request at 0 s) differs in messages[1]: "
        f"... {'x' * 20}{'b' * 40} ... against ... {'x' * 20}{'c' * 40} ..."
    )
    assert diff(asking("a"), asking("a", "b")) == (
        "event 0 (request at 0 s) differs in messages: 1 messages against 2"
    )


def test_a_trace_differs_in_the_kind_of_a_value() -> None:
    """A history that is missing on one side only is told as a whole."""
    one = Outcome("returned", "done", "ok", history=History([user("a")]).view())
    two = Outcome("returned", "done", "ok")
    words = diff(Trace(Header(), [one]), Trace(Header(), [two]))
    assert words is not None
    assert "differs in history: MessageView" in words
    assert words.endswith("against None")


class Hidden:
    """An object that refuses to be compared and shown."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    def __repr__(self) -> str:
        raise RuntimeError("not shown")


def test_what_refuses_to_be_compared_is_told_by_its_type() -> None:
    """An event of the agent's own may hold any object: it is no error to look at it."""

    def traced(value: object) -> Trace:
        return Trace(Header(), [ToolStarted(1, "look", {"at": value})])

    assert diff(traced(Hidden()), traced(Hidden())) is None
    assert diff(traced(Hidden()), traced(3)) == (
        "event 0 (tool_start at 0 s) differs in arguments: "
        "(a dict that can't be shown) against {'at': 3}"
    )
