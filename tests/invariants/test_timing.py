"""What ends a run from outside: its deadline, a cancellation, and what was cut off."""

from __future__ import annotations

import pytest

from agentsim.core import (
    CancelRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    Limits,
    ResponseReceived,
    ToolEnding,
    assistant,
)
from agentsim.trace import Trace
from tests.invariants.support import Run, call, confirmed, read, verdict, write

LOOK = read("look")
NOTE = write("note")
PAY = confirmed("pay")


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
    ("seconds", "status", "expected"),
    [
        ((1, 2, 3), "done", "unknown"),
        ((1, 9), "deadline", "holds"),
        ((1, 8), "deadline", "violated"),
        ((1, 8, 1), "done", "violated"),
        ((10, 0), "deadline", "violated"),
        ((1, 9.5), "failed", "holds"),
        ((1, 20), "failed", "violated"),
        ((1, 20), "deadline", "violated"),
        ((1, 9), "max_iterations", "violated"),
        ((1, 8), "max_iterations", "unknown"),
    ],
)
def test_a_deadline_is_kept(
    seconds: tuple[float, ...], status: str, expected: str
) -> None:
    """Not before it, nothing starts at it, and what ends at it is late."""
    assert verdict(timed(*seconds, status=status), "deadline-kept").status == expected


def test_nothing_in_flight_is_awaited_beyond_the_deadline() -> None:
    """A tool, a request and a question are cut off at it, or left behind (R6.3)."""
    for what in ("model", "tool", "person"):
        run = Run([LOOK, PAY], limits=Limits(deadline_s=10))
        if what == "model":
            number = run.requests()
            run.waits(600)
            run.adds(ResponseReceived(number, assistant("so"), "end_turn", None))
        else:
            run.asks(call("look" if what == "tool" else "pay"))
        if what == "tool":
            run.starts("look")
            run.waits(600)
            run.stops("look", "seen")
        if what == "person":
            run.adds(ConfirmationAsked(1, "pay", {}))
            run.waits(600)
            run.adds(ConfirmationAnswered(1, False, "ann"))
        judged = verdict(run.ends("deadline"), "deadline-kept")
        assert "until 600 s" in judged.violations[0].found
    run = Run([LOOK], limits=Limits(deadline_s=10))
    run.asks(call("look"))
    run.starts("look")
    run.waits(10)
    run.answers("Error: outcome unknown", error=True)
    run.ends("deadline")
    run.waits(600)
    run.stops("look", "seen")
    assert verdict(run.trace(), "deadline-kept").status == "holds"


def test_a_run_without_a_response_may_end_at_its_deadline() -> None:
    """A request that hangs until the deadline is not a breach."""
    run = Run(limits=Limits(deadline_s=10))
    run.requests()
    run.waits(10)
    assert verdict(run.ends("deadline"), "deadline-kept").status == "holds"


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
    assert verdict(run.ends("deadline"), "deadline-kept").status == status


def test_a_late_effect_without_a_result_is_found() -> None:
    """An effect of a run of a tool that no call explains is not reported at all."""
    run = Run([NOTE], limits=Limits(deadline_s=10))
    run.starts("note")
    run.waits(11)
    run.effects("note")
    run.stops("note")
    assert verdict(run.ends("deadline"), "deadline-kept").status == "violated"


def test_a_cancelled_write_may_have_taken_effect() -> None:
    """The boundary itself says of a cancelled write that its outcome is open."""
    run = Run([NOTE], limits=Limits(deadline_s=10))
    run.asks(call("note"))
    run.starts("note")
    run.waits(10)
    run.effects("note")
    run.stops("note", ending="cancelled")
    assert verdict(run.ends("deadline"), "deadline-kept").status == "holds"


def test_the_deadline_counts_from_its_declaration() -> None:
    """Time before the agent promised anything is not part of the promise."""
    run = Run(limits=Limits(deadline_s=10))
    run.events[1].at_ns = 5_000_000_000
    run.waits(14)
    run.says()
    assert verdict(run.ends(), "deadline-kept").status == "unknown"


def test_nobody_is_asked_behind_the_deadline() -> None:
    """A question to a person is work of the run, too."""
    for seconds, status in ((9, "unknown"), (10, "violated")):
        run = Run([NOTE], limits=Limits(deadline_s=10))
        run.asks(call("note"))
        run.waits(seconds)
        run.confirms("note")
        trace = run.ends("deadline" if seconds == 10 else "failed")
        assert verdict(trace, "deadline-kept").status == status


@pytest.mark.parametrize("seconds", [0.1, 1e4, 1e10, 1e15])
def test_a_deadline_of_any_size_is_exact(seconds: float) -> None:
    """An end as close to a deadline as a float can tell is one at the deadline."""
    for early, status in ((0.0, "holds"), (0.5, "violated")):
        run = Run([LOOK], limits=Limits(deadline_s=seconds))
        run.requests()
        run.now_ns = round(seconds * (1 - early)) * 10**9 if seconds > 1 else 10**8
        if early and seconds < 1:
            run.now_ns = 5 * 10**7
        assert verdict(run.ends("deadline"), "deadline-kept").status == status


def test_an_event_is_late_by_the_clock_of_the_agent_too() -> None:
    """0.1 s and 0.2 s are 0.30000000000000004 s: an event at 0.3 s is not yet late."""
    for now_ns, status in ((300_000_000, "unknown"), (300_000_001, "violated")):
        run = Run([LOOK], limits=Limits(deadline_s=0.2))
        run.events[1].at_ns = 100_000_000
        run.now_ns = now_ns
        run.says()
        assert verdict(run.ends(), "deadline-kept").status == status


def cancelling(*, then: str) -> Trace:
    """A run that is cancelled while it looks, and then goes on in some way."""
    run = Run([LOOK, NOTE])
    run.asks(call("look"), call("note"))
    run.starts("look")
    if then != "nobody":
        run.adds(CancelRequested(who="engine"))
    run.stops("look", ending="cancelled")
    run.answers("Error: not finished", "Error: not executed", error=True)
    if then == "request":
        run.requests()
    if then == "start":
        run.starts("note")
    if then == "question":
        run.confirms("note")
    return run.ends("cancelled", ending="cancelled")


@pytest.mark.parametrize(
    ("then", "status"),
    [
        ("nothing", "holds"),
        ("nobody", "unknown"),
        ("request", "violated"),
        ("start", "violated"),
        ("question", "violated"),
    ],
)
def test_a_cancelled_run_starts_nothing(then: str, status: str) -> None:
    """No request, no question and no tool comes behind a cancellation."""
    assert verdict(cancelling(then=then), "cancellation-kept").status == status


@pytest.mark.parametrize(
    ("then", "status"), [("", "holds"), ("before", "violated"), ("again", "violated")]
)
def test_a_cancellation_is_of_one_life(then: str, status: str) -> None:
    """Started anew after it died on its way out, a run works until cancelled again."""
    run = Run([LOOK, NOTE])
    run.asks(call("look"))
    run.starts("look")
    run.adds(CancelRequested(who="engine"))
    if then == "before":
        run.starts("note")
    run.crashes()
    run.looks()
    if then == "again":
        run.adds(CancelRequested(who="engine"))
    run.says()
    assert verdict(run.ends(), "cancellation-kept").status == status


UNKNOWN = "Error: outcome unknown: the run had reached its deadline"
SKIPPED = "Error: not executed: the run had reached its deadline"


def cut(
    ran: ToolEnding | None, text: str, *, name: str = "note", status: str = "deadline"
) -> Trace:
    """A run that is cut off with one call, whose tool came so far."""
    run = Run([LOOK, NOTE])
    if status == "cancelled":
        run.adds(CancelRequested(who="engine"))
    run.asks(call(name))
    if ran is not None:
        run.runs(name, "it was lost" if ran == "unknown" else "", ending=ran)
    run.answers(text, error=text.startswith("Error"))
    if status == "done":
        run.says()
    return run.ends(status)


@pytest.mark.parametrize("status", ["deadline", "cancelled"])
@pytest.mark.parametrize(
    ("ran", "text", "expected"),
    [
        ("cancelled", UNKNOWN, "holds"),
        ("cancelled", "Error: it may have taken effect", "holds"),
        ("cancelled", SKIPPED, "violated"),
        ("cancelled", "Error: interrupted", "violated"),
        ("cancelled", "outcome unknown", "violated"),
        (None, SKIPPED, "holds"),
        (None, UNKNOWN, "unknown"),
        (None, "Error: the run is over", "unknown"),
        ("ok", SKIPPED, "violated"),
        ("ok", "fine", "unknown"),
    ],
)
def test_what_was_cut_off_is_told_as_what_it_was(
    ran: ToolEnding | None, text: str, expected: str, status: str
) -> None:
    """A write under way is unknown, and one that never started was not executed."""
    assert verdict(cut(ran, text, status=status), "cut-calls-told").status == expected


@pytest.mark.parametrize(
    "words",
    [
        "it may or may not have happened",
        "please check whether it was written",
        "its outcome is unclear",
        "it could have been written",
    ],
)
def test_there_are_many_words_for_an_outcome_that_nobody_knows(words: str) -> None:
    """A write under way is told as unknown in the words that people use."""
    trace = cut("cancelled", f"Error: interrupted; {words}", status="deadline")
    assert verdict(trace, "cut-calls-told").status == "holds"


@pytest.mark.parametrize(
    ("second", "expected"), [(SKIPPED, "holds"), (UNKNOWN, "violated")]
)
@pytest.mark.parametrize("ran", [None, "cancelled"])
def test_what_stands_behind_the_call_at_hand_never_started(
    second: str, expected: str, ran: ToolEnding | None
) -> None:
    """Only the first call that did not come to its end may have been about to start."""
    run = Run([NOTE])
    run.asks(call("note", '{"n":1}'), call("note", '{"n":2}'))
    if ran is not None:
        run.runs("note", ending=ran, n=1)
    run.tells(UNKNOWN, second)
    assert verdict(run.ends("deadline"), "cut-calls-told").status == expected


@pytest.mark.parametrize(
    ("first", "expected"), [(UNKNOWN, "unknown"), ("Error: broken", "violated")]
)
def test_a_repeat_of_an_equal_call_is_not_taken_for_the_next_one(
    first: str, expected: str
) -> None:
    """The first failed and was cut in its second try; of the second nothing is known."""
    run = Run([NOTE])
    run.asks(call("note"), call("note"))
    run.runs("note", ending="error")
    run.runs("note", ending="cancelled")
    run.tells(first, SKIPPED)
    assert verdict(run.ends("deadline"), "cut-calls-told").status == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Error: it was lost", "holds"),
        ("Error: something broke", "holds"),
        ("Error: note was not executed", "violated"),
    ],
)
def test_a_lost_answer_is_not_denied(text: str, expected: str) -> None:
    """In a run that goes on, a write that may have happened is not told as undone."""
    trace = cut("unknown", text, status="done")
    assert verdict(trace, "cut-calls-told").status == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Error: it took too long", "unknown"),
        ("Error: it took too long; note was not executed", "violated"),
        ("Error: not executed, as far as known; it may have been", "holds"),
    ],
)
def test_a_write_that_its_agent_gave_up_is_not_denied(text: str, expected: str) -> None:
    """A time-out of the agent's own says as little as an answer that was lost."""
    trace = cut("cancelled", text, status="done")
    assert verdict(trace, "cut-calls-told").status == expected


@pytest.mark.parametrize("text", [SKIPPED, UNKNOWN, "Error: interrupted"])
def test_reads_may_be_told_as_anything(text: str) -> None:
    """Whether a read that was cut off had ended is the same to everybody."""
    trace = cut("cancelled", text, name="look")
    assert verdict(trace, "cut-calls-told").status == "unknown"
