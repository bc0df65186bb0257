"""Each event is told in one line that any terminal can show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.core import (
    ConfirmationAnswered,
    Event,
    Outcome,
    RequestFailed,
    ResponseReceived,
    ToolEnded,
    ToolStarted,
    assistant,
)
from agentsim.report import printable, told, told_arguments
from tests.report.traces import everything

ODD = [
    "\x1b[31mred\x1b[0m",
    "\x07bell\x00null",
    "half a pair: \ud800",
    "right to left: \u202e",
    "no character: \U000e0001",
    "line\u2028break",
    "[bold]not bold[/bold] [link=x]y[/link] :bug:",
    "漢字とかな 🙂",
    "",
]


def test_every_kind_of_event_is_told(snapshot: SnapshotAssertion) -> None:
    """Kinds with words of their own have them, others show their plain fields."""
    assert [told(event) for event in everything()] == snapshot


@pytest.mark.parametrize("text", ODD)
def test_odd_characters_are_escaped(text: str, snapshot: SnapshotAssertion) -> None:
    """What a terminal would act on is shown as its code; the rest as it is."""
    shown = printable(text)
    assert shown.isprintable()
    assert shown == snapshot


def events_with(text: str) -> list[Event]:
    """Events that hold a text where models, tools and persons write."""
    return [
        ResponseReceived(1, assistant(text), text, None),
        RequestFailed(1, 400, text, text),
        ToolStarted(1, text, {text: [text]}),
        ToolEnded(1, text, "ok", text),
        ConfirmationAnswered(1, True, text),
        ConfirmationAnswered(1, False, None, text),
        Outcome("returned", text, text, None),
    ]


@given(st.text(st.characters(codec=None), max_size=200))
def test_whatever_the_text_a_line_is_one_line(text: str) -> None:
    """No line break, no control character, and no text without end."""
    for event in events_with(text):
        line = told(event)
        assert line.isprintable()
        assert "\n" not in line


def test_a_long_text_is_cut() -> None:
    """A megabyte of output takes as much room as a sentence."""
    for event in events_with("x" * 1_000_000)[3:4]:
        assert len(told(event)) > 1_000_000  # a name is told whole
    line = told(ToolEnded(1, "read_file", "ok", "\x00" * 1_000_000))
    assert len(line) < 100
    assert line.endswith("…")


def test_arguments_are_told_as_a_call() -> None:
    """Values are JSON, in the order of the call; what is no JSON is told by its type."""
    arguments = {"path": "a", "lines": [1, None], "deep": {"b": True}}
    assert told_arguments(arguments) == 'path="a", lines=[1,null], deep={"b":true}'
    assert told_arguments({}) == ""
    assert told_arguments({"a": object(), "b": float("nan")}) == "a=a object, b=a float"
