"""Limits of iterations, for agents that promise them: exact, and the end."""

from __future__ import annotations

import pytest

from agentsim.core import Limits, RequestSent
from agentsim.trace import Trace
from tests.invariants.support import Run, read, verdict

LOOK = read("look")


def iterating(responses: int, status: str, *, last: str = "asks") -> Trace:
    """A run with a limit of three that takes some responses, the last with a call or not."""
    run = Run([LOOK], limits=Limits(max_iterations=3))
    for number in range(responses):
        if number == responses - 1 and last != "asks":
            run.says(last, stop="pause_turn" if last == "pause" else None)
        else:
            run.looks(str(number))
    return run.ends(status)


@pytest.mark.parametrize(
    ("responses", "status", "last", "exact", "terminal"),
    [
        (3, "max_iterations", "asks", "holds", "holds"),
        (3, "max_iterations", "pause", "holds", "holds"),
        (3, "done", "fine", "unknown", "unknown"),
        (2, "done", "fine", "unknown", "unknown"),
        (2, "max_iterations", "asks", "violated", "holds"),
        (4, "done", "fine", "violated", "violated"),
        (4, "max_iterations", "asks", "violated", "violated"),
        (3, "done", "asks", "violated", "holds"),
        (3, "stopped", "asks", "holds", "holds"),
    ],
)
def test_a_limit_of_three_means_three(
    responses: int, status: str, last: str, exact: str, terminal: str
) -> None:
    """Neither more nor fewer responses, and no success in place of the limit."""
    trace = iterating(responses, status, last=last)
    assert verdict(trace, "limit-exact").status == exact
    assert verdict(trace, "limit-terminal").status == terminal


def test_discarded_responses_are_no_iterations() -> None:
    """An empty response that is asked for again does not count."""
    run = Run([LOOK], limits=Limits(max_iterations=2))
    run.looks("a")
    run.says("", keep=False)
    run.looks("b")
    trace = run.ends("max_iterations")
    assert verdict(trace, "limit-exact").status == "holds"
    assert verdict(trace, "limit-terminal").status == "holds"


def test_an_empty_last_response_is_not_consumed() -> None:
    """A run that fails on an empty response at its limit has not reached it."""
    run = Run([LOOK], limits=Limits(max_iterations=2))
    run.looks("a")
    run.says("", keep=False)
    trace = run.ends("failed", history=())
    trace.events[-1].history = None  # type: ignore[attr-defined]
    assert verdict(trace, "limit-exact").status == "unknown"


def test_a_request_behind_the_limit_is_found_even_if_it_fails() -> None:
    """Asking once more is a breach, whatever comes of it."""
    run = Run([LOOK], limits=Limits(max_iterations=1))
    run.looks()
    run.fails()
    trace = run.ends("failed")
    assert verdict(trace, "limit-terminal").status == "violated"
    assert verdict(trace, "limit-exact").status == "holds"


def test_each_life_has_its_own_limit() -> None:
    """Responses of an earlier life are not counted here."""
    run = Run([LOOK], limits=Limits(max_iterations=1))
    run.looks()
    run.crashes()
    run.says()
    assert verdict(run.ends(), "limit-terminal").status == "holds"


def test_no_limits_at_all_are_never_reached() -> None:
    """Limits of None promise no end."""
    none = Limits(max_iterations=None, deadline_s=None)
    run = Run([LOOK], limits=none)
    for number in range(12):
        run.looks(str(number))
    run.says()
    trace = run.ends()
    for name in ("limit-exact", "budget-counted-once", "deadline-kept"):
        assert verdict(trace, name).status == "not_applicable"
    assert verdict(trace, "limit-terminal").status == "unknown"


def test_a_limit_status_is_an_end_for_any_agent() -> None:
    """Who ends for a limit has ended, declared or not."""
    run = Run([LOOK])
    run.looks()
    run.ends("max_iterations")
    assert verdict(run.trace(), "limit-terminal").status == "holds"
    run.requests()
    found = verdict(run.trace(), "limit-terminal")
    assert found.status == "violated"
    assert isinstance(run.events[found.violations[0].events[-1]], RequestSent)
