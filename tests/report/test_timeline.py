"""The timeline has a line per event, with a lane for each tool in flight."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.core import (
    CancelRequested,
    Crashed,
    EffectApplied,
    Event,
    IncarnationStarted,
    Outcome,
    ToolEnded,
    ToolStarted,
)
from agentsim.report import row, timeline
from tests.report.traces import everything, trace


def start(operation: int) -> Event:
    """A tool starts."""
    return ToolStarted(operation, f"tool-{operation}", {})


def effect(operation: int) -> Event:
    """A tool takes effect."""
    return EffectApplied(operation, f"tool-{operation}", {}, who="world")


def end(operation: int) -> Event:
    """A tool ends."""
    return ToolEnded(operation, f"tool-{operation}", "ok", "")


def lanes(*events: Event) -> list[str]:
    """The lanes of each line."""
    return [line.lanes for line in timeline(trace(*events))]


def test_tools_that_overlap_have_lanes_beside_each_other() -> None:
    """A lane opens at the start, shows the effect and closes at the end."""
    assert lanes(start(1), start(2), effect(1), end(1), end(2)) == [
        "╭",
        "│╭",
        "●│",
        "╰│",
        " ╰",
    ]


def test_a_free_lane_is_taken_again() -> None:
    """The picture grows no wider than tools are in flight at once."""
    drawn = lanes(start(1), start(2), end(1), start(3), end(2), end(3), start(4))
    assert drawn == ["╭", "│╭", "╰│", "╭│", "│╰", "╰", "╭"]


def test_a_crash_closes_all_lanes() -> None:
    """Nothing of a dead process is in flight."""
    events = [
        start(1),
        start(2),
        Crashed(who="engine"),
        IncarnationStarted(who="engine"),
        start(3),
        end(3),
    ]
    assert lanes(*events) == ["╭", "│╭", "", "", "╭", "╰"]


def test_a_cancelled_tool_keeps_its_lane_until_it_ends() -> None:
    """The cancellation stands beside what is still in flight."""
    drawn = lanes(start(1), CancelRequested(who="engine"), end(1))
    assert drawn == ["╭", "│", "╰"]


def test_ends_and_effects_of_nothing_are_drawn_as_nothing() -> None:
    """A trace that is broken is shown all the same."""
    assert lanes(end(1), effect(2), start(1), start(1), end(1)) == [
        "",
        "",
        "╭",
        "╭╭",
        "╰╰",
    ]


@settings(max_examples=40)
@given(
    st.lists(
        st.builds(
            lambda make, operation: make(operation),
            st.sampled_from([start, effect, end]),
            st.integers(1, 5),
        ),
        max_size=40,
    )
)
def test_any_order_of_starts_and_ends_can_be_drawn(events: list[Event]) -> None:
    """Lines are as many as events, and made of the five signs only."""
    drawn = lanes(*events)
    assert len(drawn) == len(events)
    assert set("".join(drawn)) <= set("╭│●╰ ")


def test_the_word_of_a_runtime_is_left_out_unless_asked_for() -> None:
    """The boundary tells what happened; what the runtime says of it is beside it."""
    told = trace(*everything())
    outside = timeline(told)
    whole = timeline(told, runtime=True)
    assert len(whole) == len(told.events)
    assert [line for line in whole if line.actor != "runtime"] == list(outside)


def test_each_line_names_time_actor_and_event(snapshot: SnapshotAssertion) -> None:
    """The whole picture, line by line."""
    lines = timeline(trace(*everything()), marked=(3, 5), runtime=True)
    assert [row(line) for line in lines] == snapshot


def test_lines_are_marked_by_index() -> None:
    """What shows a violation can be found whichever lines are left out."""
    lines = timeline(trace(*everything()), marked=(1, 30))
    assert [line.index for line in lines if line.marked] == [1, 30]


def test_time_is_in_seconds() -> None:
    """Virtual nanoseconds are shown with three digits, also after days."""
    late = Outcome("returned", "done", None)
    told = trace(late)
    late.at_ns = 86_400_000_000_000 + 1_500_000
    assert timeline(told)[0].at in ("86400.001 s", "86400.002 s")
