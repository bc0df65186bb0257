"""What a run leaves: a true result, a history to go on from, and nothing at work."""

from __future__ import annotations

from typing import Any

import pytest

from agentsim.core import (
    CallRecovered,
    EffectApplied,
    ResponseReceived,
    Returned,
    ToolStarted,
    Usage,
)
from agentsim.invariants import Judgement, judge
from agentsim.trace import Header, Trace
from tests.invariants.support import Run, call, read, verdict, write

LOOK, NOTE = read("look"), write("note")
TRUE: dict[str, Any] = {
    "iterations": 2,
    "usage": Usage(20, 10),
    "tools": ("look",),
    "output": "done",
}


def told(status: str = "done", **changes: Any) -> Judgement:
    """The judgement on the result of one call and one answer."""
    run = Run([LOOK])
    run.asks(call("look"), call("lok"))
    run.runs("look")
    run.tells("ok", "Error: unknown tool lok")
    run.says("done")
    return verdict(run.ends(status, **{**TRUE, **changes}), "result-true")


def test_a_true_result_holds() -> None:
    """Also with the calls that ran no tool, and with a piece of the answer."""
    assert told().status == "holds"
    assert told(tools=("look", "lok")).status == "holds"
    assert told(iterations=None, usage=None, tools=None).status == "holds"
    assert told(output="do").status == "holds"


AS_JSON = '{"answer": "He said \\"look\\".\\nIt is full."}'

SAID = "He said look. It is full. [1]"


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        (AS_JSON, 'He said "look".\nIt is full.'),
        (SAID, "He said look. It is full."),
        (SAID, "He said *look*. It is full."),
        (SAID, f"Let me look.\n\n{SAID}"),
        (SAID, f"{SAID}\n\n---\n3 tools used"),
    ],
)
def test_an_output_may_be_another_form_of_the_answer(answer: str, output: str) -> None:
    """A value of the JSON that the model wrote, all it said, a line of numbers."""
    run = Run()
    run.says(answer)
    assert verdict(run.ends(output=output), "result-true").status == "holds"


@pytest.mark.parametrize(
    "output", ["It is empty.", "Full it is.", "👍", "Let me look."]
)
def test_an_output_of_other_words_is_found(output: str) -> None:
    """Neither other words nor the same ones in another order are the answer."""
    run = Run()
    run.says(SAID)
    assert verdict(run.ends(output=output), "result-true").status == "violated"


@pytest.mark.parametrize(
    ("announced", "expected"), [(True, "holds"), (False, "violated")]
)
def test_a_text_with_a_call_in_it_is_no_final_answer(
    *, announced: bool, expected: str
) -> None:
    """A limit may end a run behind a call that was recovered from its last text."""
    run = Run()
    run.says('{"name": "look"}')
    if announced:
        run.adds(CallRecovered("c1", "look", who="runtime"))
    trace = run.ends("max_iterations", tools=("look",) if announced else None)
    assert verdict(trace, "result-true").status == expected


@pytest.mark.parametrize(
    ("text", "stop", "status", "expected"),
    [
        ("", "end_turn", "done", "violated"),
        (" \n", "end_turn", "done", "violated"),
        ("I look again.", "tool_use", "done", "violated"),
        ("", "end_turn", "failed", "holds"),
        ("I look again.", "tool_use", "failed", "holds"),
        ("It is full.", "stop_sequence", "done", "holds"),
    ],
)
def test_a_run_is_not_done_with_an_empty_response(
    text: str, stop: str, status: str, expected: str
) -> None:
    """Nothing at all is no answer, and a text that announces a call is not one yet."""
    run = Run()
    run.says(text, stop=stop)
    trace = run.ends(status, output=text or None)
    assert verdict(trace, "result-true").status == expected


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"iterations": 1}, "the number of iterations is another"),
        ({"iterations": 3}, "the number of iterations is another"),
        ({"usage": Usage(10, 5)}, "the usage is another"),
        ({"usage": Usage(20, 10, 5)}, "the usage is another"),
        ({"usage": Usage()}, "the usage is another"),
        ({"tools": ()}, "the tools are others"),
        ({"tools": ("lok", "look")}, "the tools are others"),
        ({"tools": ("look", "look")}, "the tools are others"),
        ({"output": "finished"}, "the output is another"),
        ({"output": None}, "the output is missing"),
        ({"status": "max_iterations"}, "the last response is a final answer"),
        ({"status": "truncated"}, "it is truncated, and the last response was not"),
        ({"status": "refused"}, "it is refused, and the last response was not"),
    ],
)
def test_each_field_of_the_result_is_compared(
    changes: dict[str, Any], words: str
) -> None:
    """What is untrue is named, with what the trace shows."""
    judged = told(**changes)
    assert judged.status == "violated"
    assert words in judged.violations[0].words


@pytest.mark.parametrize(
    ("stop", "status", "expected"),
    [
        ("max_tokens", "truncated", "holds"),
        ("max_tokens", "done", "violated"),
        ("refusal", "refused", "holds"),
        ("refusal", "done", "violated"),
        ("content_filter", "failed", "holds"),
        ("content_filter", "done", "violated"),
        ("max_tokens", "deadline", "holds"),
        ("max_tokens", "token_budget", "holds"),
        ("max_tokens", "failed", "violated"),
        ("refusal", "failed", "violated"),
        ("refusal", "stopped", "violated"),
        ("recitation", "failed", "holds"),
        ("recitation", "done", "violated"),
    ],
)
def test_the_status_fits_the_last_response(
    stop: str, status: str, expected: str
) -> None:
    """Done is what ended by itself; another boundary may strike at the same time."""
    run = Run()
    run.says("half", stop=stop)
    assert verdict(run.ends(status, output="half"), "result-true").status == expected


def test_a_response_without_a_reason_is_told_in_words() -> None:
    """A service that does not say why an answer ended is not quoted with nothing."""
    run = Run([LOOK])
    run.asks(call("look"))
    _takes_the_reason_away(run)
    run.runs("look")
    run.answers("ok")
    run.says("half")
    _takes_the_reason_away(run)
    trace = run.ends("done", output="half")
    untrue = verdict(trace, "result-true").violations[0].words
    assert untrue == "the result is untrue: the last response does not say why it ended"
    ran = verdict(trace, "stops-by-structure").violations[0].words
    assert ran == "response 1 does not say why it ended, and a call of it runs"


def _takes_the_reason_away(run: Run) -> None:
    response = run.events[-1]
    assert isinstance(response, ResponseReceived)
    response.stop_reason = ""


def test_a_response_that_was_asked_for_again_decides_nothing() -> None:
    """A cut response may be followed by a request that fails: that is the end then."""
    run = Run()
    run.says("half", stop="max_tokens", keep=False)
    run.fails()
    assert verdict(run.ends("failed"), "result-true").status == "holds"


def test_an_answer_over_the_budget_is_the_output() -> None:
    """The tokens are spent, and the text is there (R6.2)."""
    run = Run()
    run.says("the disk is full")
    for output, status in (("the disk is full", "holds"), (None, "violated")):
        judged = verdict(run.ends("token_budget", output=output), "result-true")
        assert judged.status == status
    run = Run([read("look")])
    run.looks()
    assert verdict(run.ends("token_budget"), "result-true").status == "holds"


def test_a_run_that_asked_nothing_is_not_done() -> None:
    """There is no answer that could have ended it."""
    judged = verdict(Run().ends(output="done"), "result-true")
    assert judged.violations[0].found == "none"
    assert verdict(Run().ends("failed"), "result-true").status == "holds"


def test_the_final_answer_stands_in_the_history_left() -> None:
    """It is appended like any other response (R3.1)."""
    run = Run()
    run.says("done", keep=False)
    judged = verdict(run.ends(), "result-true")
    assert "the final answer is not in the history left" in judged.violations[0].words


def test_tokens_that_cannot_be_seen_are_allowed_for() -> None:
    """Estimates must be marked and above zero; failed requests may have cost more."""
    run = Run()
    run.says("hm", stop="pause_turn", usage=None)
    run.says("done")
    trace = run.ends(usage=Usage(10, 5))
    assert verdict(trace, "result-true").status == "violated"
    trace.events[-1].usage = Usage(17, 6)  # type: ignore[attr-defined]
    assert verdict(trace, "result-true").status == "violated"
    trace.events[-1].usage = Usage(17, 6, estimated=True)  # type: ignore[attr-defined]
    assert verdict(trace, "result-true").status == "holds"
    run = Run()
    run.fails()
    run.says("done")
    assert verdict(run.ends(usage=Usage(12, 5)), "result-true").status == "holds"
    assert verdict(run.ends(usage=Usage(9, 5)), "result-true").status == "violated"


def test_a_response_that_came_too_late_may_count_or_not() -> None:
    """Neither its tokens nor its iteration are certain if the run did not take it in."""
    for used, taken in ((Usage(10, 5), 1), (Usage(20, 10), 2)):
        run = Run()
        run.says("hm", stop="pause_turn")
        run.says("late", keep=False)
        trace = run.ends("deadline", iterations=taken, usage=used)
        assert verdict(trace, "result-true").status == "holds"


def test_after_a_crash_the_last_life_or_all_may_be_told() -> None:
    """Who resumes goes on counting; who begins anew does not."""
    for used, taken, tools in (
        (Usage(10, 5), 1, ()),
        (Usage(20, 10), 2, ("look",)),
    ):
        run = Run([LOOK])
        run.asks(call("look"))
        run.runs("look")
        run.crashes()
        run.says("done")
        trace = run.ends(iterations=taken, usage=used, tools=tools)
        assert verdict(trace, "result-true").status == "holds"


def test_an_agent_without_a_result_has_none_to_judge() -> None:
    """A text, or an exception, tells nothing that could be untrue."""
    run = Run()
    run.says("done")
    assert verdict(run.ends(None), "result-true").status == "not_applicable"
    assert verdict(Run().trace(), "result-true").status == "unknown"


# -------------------------------------------------------------------------- to go on


def test_a_history_that_a_service_takes_is_resumable() -> None:
    """The probe tells; what it refuses is told with the place and the rule."""
    run = Run([LOOK])
    run.says("done")
    assert verdict(run.ends(), "resumable").status == "holds"
    run = Run([LOOK])
    run.asks(call("look"))
    judged = verdict(run.ends("deadline"), "resumable")
    assert (
        judged.violations[0].found == "a refusal of messages[3], by the rule unanswered"
    )
    run = Run()
    run.says("", keep=True)
    assert verdict(run.ends("failed"), "resumable").status == "violated"


def test_who_waits_or_leaves_nothing_is_not_asked() -> None:
    """Open calls of a person's answer, and agents without a history, are exempt."""
    run = Run([LOOK])
    run.asks(call("look"))
    assert verdict(run.ends("waiting_human"), "resumable").status == "not_applicable"
    trace = run.ends(None)
    trace.events[-1].history = None  # type: ignore[attr-defined]
    assert verdict(trace, "resumable").status == "not_applicable"


def test_a_trace_without_a_probe_is_no_evidence() -> None:
    """Traces of earlier versions have none, and are read as they are."""
    run = Run()
    run.says("done")
    trace = run.ends()
    older = Trace(trace.header, [*trace.events[:-2], trace.events[-1]])
    judged = verdict(older, "resumable")
    assert judged.why == "nobody asked whether the history left is accepted"


# ------------------------------------------------------------------------ one model


def asked_with(*requests: tuple[str, float], header: Header | None = None) -> Judgement:
    """The judgement on requests with these models and temperatures."""
    run = Run()
    for number, (model, temperature) in enumerate(requests):
        if model == "fails":
            run.fails()
            continue
        last = number == len(requests) - 1
        run.says("so", stop="end_turn" if last else "pause_turn")
        sent = run.events[-2]
        sent.model, sent.temperature = model, temperature  # type: ignore[attr-defined]
    trace = run.ends()
    return verdict(Trace(header or run.header, trace.events), "one-model")


def test_one_model_does_the_whole_run() -> None:
    """Another model, or another temperature, is told with the request that has it."""
    assert asked_with(("m", 0.2), ("m", 0.2)).evidence == 1
    assert asked_with(("m", 0.2)).status == "unknown"
    judged = asked_with(("m", 0.2), ("small", 0.2), ("small", 0.2))
    assert [v.words for v in judged.violations] == ["request 2 asks another model"]
    judged = asked_with(("m", 0.2), ("m", 0.7))
    assert judged.violations[0].found == "0.7"


def test_a_configured_model_is_the_one_to_ask() -> None:
    """Where the scenario names one, the first request is judged as well."""
    header = Header(model="m", temperature=0.5)
    assert asked_with(("m", 0.5), header=header).status == "holds"
    assert asked_with(("n", 0.5), header=header).status == "violated"
    assert asked_with(("m", 0.2), header=header).status == "violated"


@pytest.mark.parametrize(
    ("status", "expected"), [(503, "holds"), (None, "holds"), (400, "violated")]
)
def test_a_fallback_follows_a_failure_that_may_pass(
    status: int | None, expected: str
) -> None:
    """After an error of the request itself another model is no remedy (R7.2)."""
    run = Run()
    run.fails(status)
    run.says("so")
    run.events[1].model = "main"  # type: ignore[attr-defined]
    run.events[-2].model = "reserve"  # type: ignore[attr-defined]
    assert verdict(run.ends(), "one-model").status == expected


def test_there_is_no_way_back_to_a_model_that_was_left() -> None:
    """Each fallback is used once, and for the rest of the run (R7.3)."""
    run = Run()
    for model in ("main", "reserve", "main"):
        run.fails(503)
        run.events[-2].model = model  # type: ignore[attr-defined]
    judged = verdict(run.ends("failed"), "one-model")
    assert [v.found for v in judged.violations] == ["'main'"]


# ---------------------------------------------------------------------- behind the end


def test_nothing_works_behind_the_end() -> None:
    """A request, a start of a tool or an effect after the return is named."""
    run = Run([NOTE])
    run.says("done")
    assert verdict(run.ends(), "no-work-after-end").status == "holds"
    run.adds(Returned(who="engine"))
    operation = run.starts("note")
    run.adds(EffectApplied(operation, "note", {}, who="world"))
    run.requests()
    judged = verdict(run.ends(ending="leak"), "no-work-after-end")
    assert [v.found for v in judged.violations] == [
        "note starts",
        "note takes effect",
        "request 2 is sent",
    ]


def test_a_tool_that_still_runs_must_be_told() -> None:
    """In flight at the end it is at work; told to the model as unfinished it is known."""
    for result, expected in (("ok", "violated"), ("Error: unknown", "holds")):
        run = Run([NOTE])
        run.asks(call("note"))
        run.starts("note")
        run.tells(result)
        run.says("done")
        judged = verdict(run.ends(ending="leak"), "no-work-after-end")
        assert judged.status == expected


def test_what_comes_late_is_no_part_of_the_run() -> None:
    """Other invariants judge the run up to its end: nothing is counted behind it."""
    run = Run([LOOK])
    run.says("done")
    run.adds(Returned(who="engine"))
    run.adds(ToolStarted(9, "look", {}))
    run.requests()
    violated = [j.id for j in judge(run.ends()) if j.status == "violated"]
    assert violated == ["no-work-after-end"]


def test_a_run_that_never_returned_has_no_end() -> None:
    """A deadlock or a crash is not a return."""
    run = Run()
    run.says("done")
    judged = verdict(run.ends(None, ending="deadlock"), "no-work-after-end")
    assert judged.status == "unknown"
