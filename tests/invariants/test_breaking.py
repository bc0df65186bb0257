"""A response that broke off is taken for none: not for an answer, nor for calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentsim.core import (
    CallRecovered,
    DeltaReceived,
    Message,
    RequestFailed,
    ToolCall,
    assistant,
    tool_result,
    user,
)
from agentsim.invariants import Judgement
from agentsim.trace import Trace
from tests.invariants.support import Run, call, read, verdict

LOOK = read("look")

HALF = "There is room "


def judged(run: Run, trace: Trace | None = None) -> Judgement:
    """What the invariant says of a run."""
    return verdict(run.trace() if trace is None else trace, "cut-is-not-success")


def after(*pieces: str, looks: bool = False, definite: bool = False) -> Run:
    """A run whose latest request broke off, with a whole turn before it or none."""
    run = Run([LOOK])
    if looks:
        run.looks("seen")
    run.breaks(*pieces, definite=definite)
    return run


# ------------------------------------------------------------------------- the answer


@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("output", [HALF, HALF.strip(), "Something else.", None])
def test_a_run_is_not_done_with_what_broke_off(looks: bool, output: str | None) -> None:
    """Whatever its output is: no final answer came."""
    run = after("There is", " room ", looks=looks)
    found = judged(run, run.ends("done", output=output))
    assert found.status == "violated"
    [violation] = found.violations
    assert "what came of it is taken for the final answer" in violation.words
    assert violation.expected == "the same request again, or a run that failed"


@pytest.mark.parametrize(
    ("output", "status"),
    [
        (HALF, "violated"),
        ("There is room", "violated"),
        ("I look.\nThere is room", "violated"),
        ("There is room [the connection was lost]", "holds"),
        ("The connection was lost.", "holds"),
        ("There", "holds"),
        ("", "holds"),
        (None, "holds"),
    ],
)
def test_what_an_agent_returns_that_tells_no_status_is_compared(
    output: str | None, status: str
) -> None:
    """The piece alone, or behind what came before, is taken for the answer."""
    run = Run([LOOK])
    run.asks(call("look"), text="I look.")
    run.runs("look", "seen")
    run.answers("seen")
    run.breaks("There is", " room ")
    assert judged(run, run.ends(None, output=output)).status == status


@pytest.mark.parametrize("status", ["failed", "truncated", "cancelled", "deadline"])
def test_a_run_that_says_that_it_is_not_done_may_hand_over_the_piece(
    status: str,
) -> None:
    """Nobody takes it for the answer."""
    run = after(HALF)
    found = judged(run, run.ends(status, output=HALF))
    assert (found.status, found.evidence) == ("holds", 1)


def test_an_error_that_is_raised_is_no_answer() -> None:
    """As SDKs do it."""
    run = after(HALF)
    found = judged(run, run.ends(None, ending="raised", output=HALF))
    assert found.status == "holds"


@pytest.mark.parametrize("status", ["done", None])
def test_asking_again_is_right(status: str | None) -> None:
    """Then the answer that came whole is the result, even if it begins alike."""
    run = after(HALF)
    run.says("There is room enough.")
    found = judged(run, run.ends(status, output="There is room enough."))
    assert (found.status, found.evidence) == ("holds", 1)


@pytest.mark.parametrize("status", ["done", None])
def test_an_answer_that_came_whole_stays_the_answer(status: str | None) -> None:
    """A request for something beside, such as a title, may break off behind it."""
    run = Run([LOOK])
    run.says("There is room enough.")
    run.breaks("Room on ")
    found = judged(run, run.ends(status, output="There is room enough."))
    assert found.status == "holds"
    found = judged(run, run.ends(status, output="Room on"))
    assert found.status == "violated"


def test_a_stream_that_the_agent_left_is_its_own_affair() -> None:
    """It did not fail: nobody waited for its end."""
    run = Run([LOOK])
    run.adds(DeltaReceived(run.requests(), HALF))
    assert judged(run, run.ends("done", output=HALF)).status == "unknown"


def test_an_error_in_place_of_an_answer_is_none_that_broke_off() -> None:
    """Nothing had come that could be taken for one."""
    run = Run([LOOK])
    run.fails(500)
    found = judged(run, run.ends("failed"))
    assert (found.status, found.why) == (
        "unknown",
        "no response broke off in its stream",
    )


# ------------------------------------------------------------------------- its calls


@pytest.mark.parametrize("pieces", [(), (HALF,)])
@pytest.mark.parametrize("looks", [False, True])
def test_no_call_of_it_runs(looks: bool, pieces: tuple[str, ...]) -> None:
    """Whether or not text came beside it."""
    run = after(*pieces, looks=looks)
    run.runs("look", "seen")
    found = judged(run, run.ends("failed"))
    assert found.status == "violated"
    [violation] = found.violations
    assert violation.words.endswith("did not come whole, and a call of it runs")
    assert violation.found == "a run of look"


def test_a_call_of_the_response_that_came_then_runs() -> None:
    """The same request again gave a whole one."""
    run = after(HALF)
    run.looks("seen")
    run.says("done")
    assert judged(run, run.ends("done")).status == "holds"


def test_a_tool_that_started_while_the_stream_came_is_no_breach_of_this_rule() -> None:
    """Nothing had broken off yet."""
    run = Run([LOOK])
    number = run.requests()
    run.adds(DeltaReceived(number, HALF))
    run.runs("look", "seen")
    run.adds(RequestFailed(number, None, "connection_error", "lost", definite=False))
    assert judged(run, run.ends("failed")).status == "holds"


def test_a_call_that_is_announced_as_recovered_may_run() -> None:
    """A runtime may find a call in a text (R8.5)."""
    run = after(HALF)
    run.adds(CallRecovered("look", "{}", who="runtime"))
    run.runs("look", "seen")
    assert judged(run, run.ends("failed")).status == "holds"


def carrying(*messages: Message) -> Judgement:
    """The judgement on a request that has more than the one before, which broke off."""
    run = after(HALF)
    for message in messages:
        run.history.append(message)
    run.says("There is room enough.")
    return judged(run, run.ends("done"))


PIECE = assistant(HALF, ToolCall("c1", "look", '{"n": 1}'))


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        ([assistant(HALF)], "holds"),
        ([assistant(HALF), user("Go on.")], "holds"),
        ([PIECE, tool_result("c1", "seen")], "violated"),
        ([PIECE, tool_result("c1", "was lost", is_error=True)], "holds"),
        ([PIECE, tool_result("c1", "Error: not executed")], "holds"),
    ],
)
def test_a_piece_may_stay_and_its_calls_are_told_as_not_run(
    messages: list[Message], status: str
) -> None:
    """A result as of a call that ran makes a whole response of it."""
    found = carrying(*messages)
    assert found.status == status
    if found.violations:
        [violation] = found.violations
        assert violation.found == "look with 'seen'"


ENDINGS: dict[str, Callable[[Run], None]] = {
    "by a cut": lambda run: run.breaks(HALF),
    "by an event of an error": lambda run: run.breaks(HALF, status=529),
    "by an error that is certain": lambda run: run.breaks(HALF, definite=True),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_however_it_broke_off(ending: str) -> None:
    """Pieces came, and no end: the way does not matter."""
    run = Run([LOOK])
    ENDINGS[ending](run)
    assert judged(run, run.ends("done", output=HALF)).status == "violated"
