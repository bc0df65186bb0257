"""Limits, for agents that promise them: exact, and the end."""

from __future__ import annotations

import pytest

from agentsim.core import (
    Limits,
    RequestSent,
    Usage,
)
from agentsim.trace import Trace
from tests.invariants.support import Run, call, read, verdict, write

LOOK = read("look")
NOTE = write("note")


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


def spending(*tokens: int, status: str, final: bool, tools: bool = True) -> Trace:
    """A run with a budget of 100 whose responses cost some tokens each."""
    run = Run([LOOK], limits=Limits(token_budget=100))
    for number, cost in enumerate(tokens):
        if final and number == len(tokens) - 1:
            run.says("fine", usage=Usage(cost, 0))
            continue
        run.asks(call("look"), usage=Usage(cost, 0))
        if tools or number < len(tokens) - 1:
            run.runs("look", str(number))
        run.answers(str(number), error=not tools)
    return run.ends(status)


@pytest.mark.parametrize(
    ("tokens", "status", "final", "tools", "expected"),
    [
        ((50, 51), "token_budget", False, False, ("holds", "holds")),
        ((50, 50), "token_budget", False, True, ("holds", "holds")),
        ((50, 51), "token_budget", True, True, ("holds", "holds")),
        ((50, 50), "done", True, True, ("unknown", "unknown")),
        ((50, 49), "token_budget", False, True, ("violated", "holds")),
        ((50, 50), "token_budget", True, True, ("violated", "holds")),
        ((50, 51), "done", True, True, ("violated", "holds")),
        ((50, 51), "token_budget", False, True, ("holds", "violated")),
        ((50, 50, 1), "token_budget", True, True, ("holds", "violated")),
        ((50, 51, 1), "done", True, True, ("violated", "violated")),
        ((50, 51), "failed", False, False, ("holds", "holds")),
    ],
)
def test_a_budget_is_kept(
    tokens: tuple[int, ...],
    status: str,
    final: bool,
    tools: bool,
    expected: tuple[str, str],
) -> None:
    """Over the budget no tool starts, at the budget no request is sent (R6.2)."""
    trace = spending(*tokens, status=status, final=final, tools=tools)
    assert verdict(trace, "limit-exact").status == expected[0]
    assert verdict(trace, "limit-terminal").status == expected[1]


def test_failed_requests_may_have_cost_something() -> None:
    """After a failure nobody outside knows the sum: an end for the budget is believed."""
    run = Run([LOOK], limits=Limits(token_budget=100))
    run.fails()
    run.says(usage=Usage(10, 0))
    assert verdict(run.ends("token_budget"), "limit-exact").status == "holds"


def test_missing_usage_is_estimated() -> None:
    """A response without usage counts by the estimate, never as nothing."""
    run = Run([LOOK], limits=Limits(token_budget=10))
    run.says("x" * 400, usage=None)
    assert verdict(run.ends("token_budget"), "limit-exact").status == "holds"
    run = Run([LOOK], limits=Limits(token_budget=10))
    run.says("x" * 400, usage=None)
    assert verdict(run.ends("done"), "limit-exact").status == "violated"


def test_cached_tokens_count_by_their_weight() -> None:
    """The weight that was declared decides whether cached tokens reach the budget."""
    for weight, status in ((0, "violated"), (1, "holds")):
        limits = Limits(token_budget=100, cache_read_weight=weight)
        run = Run([LOOK], limits=limits)
        run.says(usage=Usage(prompt=150, completion=1, cache_read=100))
        assert verdict(run.ends("token_budget"), "limit-exact").status == status


def timed(*seconds: float, status: str, tool: str | None = None) -> Trace:
    """A run with a deadline of 10 s; its steps come after some seconds each."""
    run = Run([LOOK, NOTE], limits=Limits(deadline_s=10))
    run.waits(seconds[0])
    run.asks(call(tool or "look"))
    run.starts(tool or "look")
    run.waits(seconds[1])
    if tool == "note":
        run.effects("note")
    run.stops(tool or "look", ending="ok")
    run.answers("ok")
    if status == "done":
        run.waits(seconds[2])
        run.says()
    return run.ends(status)


@pytest.mark.parametrize(
    ("seconds", "status", "exact", "terminal"),
    [
        ((1, 2, 3), "done", "unknown", "unknown"),
        ((1, 9), "deadline", "holds", "holds"),
        ((1, 8), "deadline", "violated", "holds"),
        ((1, 8, 1), "done", "violated", "violated"),
        ((10, 0), "deadline", "holds", "violated"),
        ((1, 20), "failed", "unknown", "holds"),
    ],
)
def test_a_deadline_is_kept(
    seconds: tuple[float, ...], status: str, exact: str, terminal: str
) -> None:
    """Not before it, and nothing starts at it or after it."""
    trace = timed(*seconds, status=status)
    assert verdict(trace, "limit-exact").status == exact
    assert verdict(trace, "limit-terminal").status == terminal


def test_a_run_without_a_response_may_end_at_its_deadline() -> None:
    """A request that hangs until the deadline is not a breach."""
    run = Run(limits=Limits(deadline_s=10))
    run.requests()
    run.waits(10)
    trace = run.ends("deadline")
    assert verdict(trace, "limit-exact").status == "holds"
    assert verdict(trace, "limit-terminal").status == "holds"


@pytest.mark.parametrize(
    ("text", "error", "status"),
    [
        ("ok", False, "violated"),
        ("Error: outcome unknown: the run had reached its deadline", True, "holds"),
        ("outcome unknown", False, "violated"),
    ],
)
def test_a_late_effect_is_reported_as_unknown(
    text: str, error: bool, status: str
) -> None:
    """A write that takes effect at the deadline belongs to a report, or is found."""
    run = Run([NOTE], limits=Limits(deadline_s=10))
    run.asks(call("note"))
    run.starts("note")
    run.waits(10)
    run.effects("note")
    run.stops("note")
    run.answers(text, error=error)
    assert verdict(run.ends("deadline"), "limit-terminal").status == status


def test_a_late_effect_without_a_result_is_found() -> None:
    """An effect of a run of a tool that no call explains is not reported at all."""
    run = Run([NOTE], limits=Limits(deadline_s=10))
    run.starts("note")
    run.waits(11)
    run.effects("note")
    run.stops("note")
    assert verdict(run.ends("deadline"), "limit-terminal").status == "violated"


def test_a_cancelled_write_may_have_taken_effect() -> None:
    """The boundary itself says of a cancelled write that its outcome is open."""
    run = Run([NOTE], limits=Limits(deadline_s=10))
    run.asks(call("note"))
    run.starts("note")
    run.waits(10)
    run.effects("note")
    run.stops("note", ending="cancelled")
    assert verdict(run.ends("deadline"), "limit-terminal").status == "holds"


def test_the_deadline_counts_from_its_declaration() -> None:
    """Time before the agent promised anything is not part of the promise."""
    run = Run(limits=Limits(deadline_s=10))
    run.events[1].at_ns = 5_000_000_000
    run.waits(14)
    run.says()
    assert verdict(run.ends(), "limit-exact").status == "unknown"


def test_no_limits_at_all_are_never_reached() -> None:
    """Limits of None promise no end."""
    none = Limits(max_iterations=None, deadline_s=None)
    run = Run([LOOK], limits=none)
    for number in range(12):
        run.looks(str(number))
    run.says()
    trace = run.ends()
    assert verdict(trace, "limit-exact").status == "unknown"
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
