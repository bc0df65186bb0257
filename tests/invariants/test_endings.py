"""Endings: a result in each of them, and an end to each run."""

from __future__ import annotations

import pytest

from agentsim.core import (
    CancelRequested,
    EndingKind,
    Limits,
    Outcome,
)
from agentsim.trace import Trace
from tests.invariants.support import Run, confirmed, read, verdict

LOOK = read("look")


@pytest.mark.parametrize(
    ("ending", "status", "error", "expected"),
    [
        ("returned", "done", None, "holds"),
        ("returned", "failed", "the service said no", "holds"),
        ("returned", "failed", None, "violated"),
        ("returned", "finished", "", "violated"),
        ("returned", None, None, "not_applicable"),
        ("returned", "cancelled", "stopped", "violated"),
        ("cancelled", None, None, "violated"),
        ("raised", None, "ValueError", "violated"),
        ("raised", None, None, "violated"),
        ("leak", "done", None, "holds"),
        ("leak", None, None, "not_applicable"),
        ("deadlock", None, None, "unknown"),
        ("livelock", None, None, "unknown"),
        ("crashed", None, None, "unknown"),
    ],
)
def test_a_result_is_always_there(
    ending: EndingKind, status: str | None, error: str | None, expected: str
) -> None:
    """Every ending but a crash and a hang gives a result with a reason."""
    run = Run()
    run.says()
    trace = run.ends(status, ending=ending, error=error)
    assert verdict(trace, "result-always").status == expected


@pytest.mark.parametrize(
    ("response", "output", "expected"),
    [
        ("", "", "violated"),
        (" \n", "", "violated"),
        ("", "the model gave no answer", "not_applicable"),
        ("It is done.", "", "not_applicable"),
        ("It is done.", "It is done.", "not_applicable"),
        ("", None, "not_applicable"),
    ],
)
def test_nothing_is_no_result(response: str, output: str | None, expected: str) -> None:
    """An agent that returns texts says why there is none, where the model said nothing."""
    run = Run()
    run.says(response)
    run.adds(Outcome("returned", None, output))
    assert verdict(run.trace(), "result-always").status == expected


def test_what_returns_a_text_may_have_called_tools_last() -> None:
    """The model's last response is not empty if it has calls, whatever became of them."""
    run = Run([LOOK])
    run.asks(("look", "{}"))
    run.adds(Outcome("returned", None, ""))
    assert verdict(run.trace(), "result-always").status == "not_applicable"


def test_a_cancellation_from_outside_may_come_out() -> None:
    """A run that was cancelled may say so, either way."""
    for ending, status in (("cancelled", None), ("returned", "cancelled")):
        run = Run()
        run.adds(CancelRequested(who="engine"))
        kind: EndingKind = "cancelled" if ending == "cancelled" else "returned"
        assert verdict(run.ends(status, ending=kind), "result-always").status == "holds"


def test_a_run_without_an_outcome_is_found() -> None:
    """An outcome that is missing is a result that is missing, but for a crash."""
    run = Run()
    assert verdict(run.trace(), "result-always").status == "violated"
    run.crashes()
    run.events.pop()
    assert verdict(run.trace(), "result-always").status == "unknown"
    assert verdict(run.trace(), "ends").status == "unknown"
    empty = Trace(run.header, [])
    assert verdict(empty, "result-always").status == "unknown"
    assert verdict(empty, "ends").status == "unknown"
    assert verdict(empty, "provider-accepts").status == "not_applicable"


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ("returned", "holds"),
        ("raised", "holds"),
        ("cancelled", "holds"),
        ("crashed", "unknown"),
        ("deadlock", "violated"),
        ("livelock", "violated"),
        ("leak", "violated"),
    ],
)
def test_a_run_ends(ending: EndingKind, expected: str) -> None:
    """A run that hangs, spins or leaves work behind has not ended."""
    run = Run([confirmed("pay")])
    found = verdict(run.ends(None, ending=ending, error="task 3 waits"), "ends")
    assert found.status == expected
    assert expected != "violated" or "task 3 waits" in found.violations[0].found


@pytest.mark.parametrize(
    ("fault", "limits", "expected"),
    [
        ("hangs", None, "unknown"),
        ("hangs", Limits(deadline_s=None), "unknown"),
        ("hangs", Limits(deadline_s=10), "violated"),
        ("slow", None, "violated"),
    ],
)
def test_a_tool_that_never_answers_needs_a_deadline(
    fault: str, limits: Limits | None, expected: str
) -> None:
    """Only a declared deadline promises an end when nothing answers."""
    run = Run([LOOK], limits=limits)
    run.struck(fault)
    assert verdict(run.ends(None, ending="deadlock"), "ends").status == expected
