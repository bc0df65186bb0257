"""Loop detection, for agents that promise it: blocked at three, ended at six."""

from __future__ import annotations

import pytest

from agentsim.core import (
    LoopRules,
    Rights,
    ToolDef,
)
from agentsim.trace import ToolFacts, Trace
from tests.invariants.support import (
    BLOCK,
    Run,
    call,
    confirmed,
    read,
    verdict,
    write,
)

LOOK = read("look")
NOTE = write("note")
REFUSED = (
    "Error: loop detected: note called 4 times with the same result; change approach"
)


def looping(*results: str | None, status: str = "done", output: str = "same") -> Trace:
    """A run that looks again and again; a result of None is the output itself."""
    run = Run([LOOK], loop=LoopRules())
    for result in results:
        run.looks(output, result=result)
    if status == "done":
        run.says()
    return run.ends(status)


@pytest.mark.parametrize(
    ("results", "status", "false"),
    [
        ((None, None), "unknown", "unknown"),
        ((None, None, BLOCK), "holds", "unknown"),
        ((None, None, None), "violated", "unknown"),
        ((None, None, "Error: something else"), "violated", "unknown"),
        ((None, None, BLOCK, BLOCK, BLOCK), "holds", "unknown"),
        ((None, None, BLOCK, None), "violated", "unknown"),
        ((None, BLOCK), "unknown", "violated"),
        ((BLOCK,), "unknown", "violated"),
    ],
)
def test_the_third_repetition_is_blocked(
    results: tuple[str | None, ...], status: str, false: str
) -> None:
    """From the third on, and not before, the result is a block."""
    assert verdict(looping(*results), "loop-blocked").status == status
    assert verdict(looping(*results), "no-false-loop").status == false


def test_a_block_needs_its_flag() -> None:
    """A block that is not flagged as an error is none."""
    run = Run([LOOK], loop=LoopRules())
    run.looks()
    run.looks()
    run.asks(call("look"))
    run.runs("look")
    run.answers(BLOCK)
    run.says()
    assert verdict(run.ends(), "loop-blocked").status == "violated"


def test_a_changing_output_is_no_loop() -> None:
    """Polling that sees something new is not counted together."""
    run = Run([LOOK], loop=LoopRules())
    for number in range(6):
        run.looks(f"{number} %")
    run.says()
    trace = run.ends()
    assert verdict(trace, "loop-blocked").status == "unknown"
    assert verdict(trace, "loop-terminal").status == "unknown"
    assert verdict(trace, "no-false-loop").status == "holds"


def test_volatile_parts_of_an_output_do_not_hide_a_loop() -> None:
    """What a tool declares as volatile is masked before outputs are compared."""
    tool = ToolFacts.of(ToolDef("look"), Rights(parallel=True, volatile=(r"pid \d+",)))
    run = Run([tool], loop=LoopRules())
    for number in range(3):
        run.looks(f"up, pid {number}")
    assert verdict(run.ends("failed", history=()), "loop-blocked").status == "unknown"
    run.says()
    assert verdict(run.ends(), "loop-blocked").status == "violated"


def test_progress_by_a_write_resets_the_reads() -> None:
    """Edit, test, edit, test is no loop, while the edits differ."""
    run = Run([LOOK, NOTE], loop=LoopRules())
    for number in range(4):
        run.asks(call("note", f'{{"n":{number}}}'))
        run.runs("note", n=number)
        run.answers("ok")
        run.looks("red")
    run.says()
    assert verdict(run.ends(), "loop-blocked").status == "unknown"
    assert verdict(run.ends(), "no-false-loop").status == "holds"


@pytest.mark.parametrize("name", ["look", "lok"])
def test_calls_that_never_ran_are_counted(name: str) -> None:
    """Unknown tools and invalid arguments repeat like any other call."""
    text = "Error: unknown tool lok" if name == "lok" else "Error: not JSON"
    for third, status in ((BLOCK, "holds"), (text, "violated")):
        run = Run([LOOK], loop=LoopRules())
        for result in (text, text, third):
            run.asks(call(name, "{"))
            run.answers(result, error=True)
        run.says()
        assert verdict(run.ends(), "loop-blocked").status == status


def test_failing_tools_are_counted() -> None:
    """A tool that fails in the same words again and again is a loop."""
    run = Run([LOOK], loop=LoopRules())
    for result in ("Error: no", "Error: no", BLOCK):
        run.asks(call("look"))
        run.runs("look", "no", ending="error")
        run.answers(result, error=True)
    run.says()
    assert verdict(run.ends(), "loop-blocked").status == "holds"


def writing(fourth: str) -> Run:
    """A run whose fourth equal write comes after the block of the third."""
    run = Run([NOTE], loop=LoopRules())
    for result in ("ok", "ok", BLOCK):
        run.asks(call("note"))
        run.runs("note", "ok", effect=True)
        run.answers(result, error=result == BLOCK)
    run.asks(call("note"))
    if fourth == "runs":
        run.runs("note", "ok", effect=True)
    run.answers(REFUSED if fourth != "unblocked" else "Error: declined", error=True)
    run.says()
    return run


@pytest.mark.parametrize(
    ("fourth", "status"),
    [("refused", "holds"), ("runs", "violated"), ("unblocked", "violated")],
)
def test_a_blocked_write_is_refused_and_counted(fourth: str, status: str) -> None:
    """While a write is blocked it does not run, and its refusal counts as the block."""
    assert verdict(writing(fourth).ends(), "loop-blocked").status == status


@pytest.mark.parametrize("approved", [True, False])
def test_nobody_is_asked_about_a_blocked_write(approved: bool) -> None:
    """It is refused before anybody is asked, whatever they would say (R5.5)."""
    refused = REFUSED.replace("note", "pay")
    for asks, status in ((False, "holds"), (True, "violated")):
        run = Run([confirmed("pay")], loop=LoopRules())
        for result in ("paid", "paid", BLOCK):
            run.asks(call("pay"))
            run.confirms("pay")
            run.runs("pay", "paid", effect=True)
            run.answers(result, error=result == BLOCK)
        run.asks(call("pay"))
        if asks:
            run.confirms("pay", approved=approved)
        run.answers(refused, error=True)
        assert verdict(run.ends("stopped"), "loop-blocked").status == status


def test_the_last_calls_of_a_run_that_was_cut_off_are_not_judged() -> None:
    """Results that say that the run is over are no loop."""
    run = Run([LOOK], loop=LoopRules())
    run.asks(*[call("look", f'{{"n":{n // 3}}}') for n in range(3)])
    run.answers(
        *["Error: not executed: the run had reached its deadline"] * 3, error=True
    )
    assert verdict(run.ends("deadline"), "loop-blocked").status == "unknown"


def test_a_cancelled_tool_ends_the_count() -> None:
    """What was cut off in flight has no result that could repeat."""
    run = Run([LOOK], loop=LoopRules())
    run.looks()
    run.looks()
    run.asks(call("look"))
    run.runs("look", ending="cancelled")
    run.answers("Error: not finished", error=True)
    run.says()
    assert verdict(run.ends(), "loop-blocked").status == "unknown"


def test_a_discarded_response_is_not_counted() -> None:
    """Calls of a response that is asked for again were never answered."""
    run = Run([LOOK], loop=LoopRules())
    run.looks()
    run.looks()
    run.asks(call("look"), text="x" * 300, keep=False)
    run.says()
    assert verdict(run.ends(), "loop-blocked").status == "unknown"


SIX = (None, None, BLOCK, BLOCK, BLOCK, BLOCK)


def test_the_sixth_repetition_ends_the_run() -> None:
    """An end as a loop holds, and puts terminal limits to the test as well."""
    trace = looping(*SIX, status="loop")
    assert verdict(trace, "loop-terminal").status == "holds"
    assert verdict(trace, "limit-terminal").status == "holds"
    assert (
        verdict(looping(*SIX[:5], status="failed"), "loop-terminal").status == "unknown"
    )


@pytest.mark.parametrize("status", ["done", "max_iterations"])
def test_a_loop_that_does_not_end_the_run_is_found(status: str) -> None:
    """One more request, or an end for another reason, is found."""
    trace = looping(*SIX, status=status)
    assert verdict(trace, "loop-terminal").status == "violated"
    terminal = "violated" if status == "done" else "holds"
    assert verdict(trace, "limit-terminal").status == terminal


@pytest.mark.parametrize("status", ["deadline", "cancelled"])
def test_another_end_at_the_same_time_is_no_breach(status: str) -> None:
    """A loop and a deadline may come together: the last calls are not judged then."""
    assert verdict(looping(*SIX, status=status), "loop-terminal").status == "unknown"


def test_tools_behind_the_end_of_a_loop_are_found() -> None:
    """Parallel reads of the same response may be under way, writes may not start."""
    for name, status in (("look", "holds"), ("note", "violated")):
        run = Run([LOOK, NOTE], loop=LoopRules())
        run.asks(*[call("look")] * 6, call(name, '{"more":1}'))
        for _ in range(6):
            run.runs("look", "same")
        run.runs(name, more=1)
        run.answers("same", "same")
        for entry in run.message.tool_calls[2:]:
            run.history.append(type(run.message)("tool", BLOCK, (), entry.id, True))
        trace = run.ends("loop")
        assert verdict(trace, "loop-terminal").status == "holds"
        assert verdict(trace, "limit-terminal").status == status


def test_an_agent_without_detection_is_not_judged() -> None:
    """Who promises nothing breaks nothing."""
    run = Run([LOOK])
    for _ in range(7):
        run.looks()
    run.says()
    trace = run.ends()
    assert verdict(trace, "loop-blocked").status == "not_applicable"
    assert verdict(trace, "loop-terminal").status == "not_applicable"
    assert verdict(trace, "limit-terminal").status == "not_applicable"
    assert verdict(trace, "limit-exact").status == "not_applicable"


def test_each_life_counts_for_itself() -> None:
    """A loop over two lives is none of either."""
    run = Run([LOOK], loop=LoopRules())
    run.looks()
    run.looks()
    run.crashes()
    run.looks()
    run.says()
    assert verdict(run.ends(), "loop-blocked").status == "unknown"


def test_a_block_out_of_nothing_is_found() -> None:
    """A call that never ran before and is answered with a block is no loop."""
    run = Run([LOOK], loop=LoopRules())
    run.asks(call("lok"))
    run.answers(BLOCK, error=True)
    run.says()
    found = verdict(run.ends(), "no-false-loop")
    assert found.status == "violated"
    assert found.violations[0].found == "a block at 1"


def test_counting_goes_around_a_discarded_response() -> None:
    """A response that is asked for again stands between two that count, and does not."""
    run = Run([LOOK], loop=LoopRules())
    run.looks()
    run.looks()
    run.asks(call("look"), text="x" * 300, keep=False)
    run.looks(result=BLOCK)
    run.says()
    assert verdict(run.ends(), "loop-blocked").status == "holds"


def test_results_that_no_history_shows_are_counted_and_not_judged() -> None:
    """The last results of a run that left no history can't be seen, its tools can."""
    for runs, ended in ((1, "unknown"), (4, "holds")):
        run = Run([LOOK], loop=LoopRules())
        run.looks()
        run.looks()
        run.asks(*[call("look")] * 5)
        for _ in range(runs):
            run.runs("look")
        trace = run.ends(None)
        trace.events[-1].history = None  # type: ignore[attr-defined]
        assert verdict(trace, "loop-blocked").status == (
            "unknown" if runs == 1 else "holds"
        )
        assert verdict(trace, "loop-terminal").status == ended


@pytest.mark.parametrize(("times", "status"), [(5, "violated"), (6, "holds")])
def test_an_end_as_a_loop_needs_a_loop(times: int, status: str) -> None:
    """A run that ends as a loop before the sixth repetition ended for nothing."""
    trace = looping(*SIX[:times], status="loop")
    assert verdict(trace, "no-false-loop").status == status


def pausing(*texts: str, status: str) -> Trace:
    """A run whose model pauses with each of the texts."""
    run = Run([LOOK], loop=LoopRules())
    for text in texts:
        run.says(text, stop="pause_turn")
    if status == "done":
        run.says()
    return run.ends(status)


@pytest.mark.parametrize(
    ("texts", "status", "expected"),
    [
        (["wait"] * 6, "loop", "holds"),
        (["wait"] * 5, "done", "unknown"),
        (["wait"] * 6, "done", "violated"),
        (["wait"] * 6, "max_iterations", "violated"),
        (["wait", "so"] * 6, "done", "violated"),
        ([str(number) for number in range(9)], "done", "unknown"),
    ],
)
def test_the_same_text_again_and_again_ends_the_run(
    texts: list[str], status: str, expected: str
) -> None:
    """Texts have the terminal level only: the sixth of a kind is the last (R5.6)."""
    trace = pausing(*texts, status=status)
    assert verdict(trace, "loop-terminal").status == expected
    assert verdict(trace, "no-false-loop").status != "violated"


def test_an_end_for_a_text_needs_the_text_often_enough() -> None:
    """Five times the same pause is no loop yet."""
    trace = pausing(*["wait"] * 5, status="loop")
    assert verdict(trace, "no-false-loop").status == "violated"


def test_a_write_whose_output_can_not_be_passed_on_is_no_progress() -> None:
    """It ended well and the model was told of an error: the reads before it still count."""
    run = Run([LOOK, NOTE], loop=LoopRules())
    for number, result in enumerate((None, None, BLOCK)):
        run.looks("red", result=result)
        run.asks(call("note", f'{{"n":{number}}}'))
        run.runs("note", "bytes", n=number)
        run.answers("Error: note ran, but JSON can't carry its result", error=True)
    run.says()
    assert verdict(run.ends(), "no-false-loop").status != "violated"
    assert verdict(run.ends(), "loop-blocked").status == "holds"
