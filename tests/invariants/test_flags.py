"""Results on a wire that has no flag for failed calls: their words tell."""

from collections.abc import Mapping
from typing import Any

import pytest

from agentsim.core import Message, ToolCall, ToolEnding, assistant, tool_result
from tests.invariants.support import Run, call, confirmed, read, verdict, write

BOOM = "the disk is on fire"


def by_sdk(*, ending: ToolEnding, output: str, told: str) -> Run:
    """A run in which a tool ends so, and the model is told that."""
    run = Run([write("pay")])
    run.wire = "openai-chat"
    run.asks(call("pay"))
    run.runs("pay", output, ending=ending)
    run.answers(told)
    run.says()
    return run


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (BOOM, "holds"),
        (f"Error: {BOOM}", "holds"),
        (f'{{"error": "{BOOM}"}}', "holds"),
        ("Error: ToolFailed", "holds"),
        ("It did not work.", "holds"),
        ("There was fire.", "holds"),
        ('{"ok": false, "detail": "see above"}', "holds"),
        ("{'success': False}", "holds"),
        ("Expecting property name: line 1 column 2 (char 1)", "holds"),
        ("Extra data: line 1 column 3 (char 2)", "holds"),
        ("Field required", "holds"),
        ("arguments must be an object", "holds"),
        ("exit code: 1", "holds"),
        ("status: 503", "holds"),
        ("Fehler: das Werkzeug brach ab", "holds"),
        ("⚠️ pay", "holds"),
        ("ok", "violated"),
        ("None", "violated"),
        ("", "violated"),
        ('{"ok": true}', "violated"),
        ("exit code: 0", "violated"),
        ("status: 200", "violated"),
    ],
)
def test_a_failure_is_told_in_words_where_no_flag_is(told: str, expected: str) -> None:
    """Words of the failure, or usual ones, tell the model; others keep it from it."""
    run = by_sdk(ending="error", output=BOOM, told=told)
    assert verdict(run.ends(), "errors-visible").status == expected


def test_the_words_of_a_failure_do_not_replace_a_flag() -> None:
    """Where results have a flag, as on the neutral wire, words alone do not tell."""
    neutral = Run([write("pay")])
    neutral.asks(call("pay"))
    neutral.runs("pay", BOOM, ending="error")
    neutral.answers(f"Error: {BOOM}")
    neutral.says()
    assert verdict(neutral.ends(), "errors-visible").status == "violated"


@pytest.mark.parametrize(
    "output", ["paid 40.00 to ann", "no errors were found today", "failed: 0 of 12"]
)
def test_an_output_is_no_failure_whatever_it_says(output: str) -> None:
    """A result that is the output of a run that went well is told as it should be."""
    trace = by_sdk(ending="ok", output=output, told=output).ends()
    assert verdict(trace, "results-as-returned").status == "holds"
    assert verdict(trace, "errors-visible").status != "violated"


def test_an_output_of_another_call_is_found_on_the_wire_too() -> None:
    """That results are what their own tools returned does not hang on a flag."""
    run = by_sdk(ending="ok", output="forty euros went to Anna", told="so be it")
    assert verdict(run.ends(), "results-as-returned").status == "violated"


def never_ran(told: str) -> Run:
    """A write that a loop answers without running it."""
    run = Run([write("pay")])
    run.wire = "openai-chat"
    run.asks(call("pay"))
    run.answers(told)
    run.says()
    return run


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("Error: amount is missing", False),
        ("Invalid arguments: amount", False),
        ("Paid.", True),
    ],
)
def test_a_call_that_is_refused_by_the_loop_is_told_in_words(
    told: str, *, expected: bool
) -> None:
    """Arguments that a loop refuses are no write that is told as if it had run."""
    judged = verdict(never_ran(told).ends(), "results-as-returned")
    assert (judged.status == "violated") is expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [("too dear", "holds"), ("Declined by the user: too dear", "holds")],
)
def test_the_reason_of_a_person_tells_that_nothing_ran(
    told: str, expected: str
) -> None:
    """The words of a person who declined are words of a failure."""
    run = Run([confirmed("pay")])
    run.wire = "openai-chat"
    run.asks(call("pay"))
    run.confirms("pay", approved=False, reason="too dear")
    run.answers(told)
    run.says()
    trace = run.ends()
    assert verdict(trace, "errors-visible").status == expected
    assert verdict(trace, "results-as-returned").status != "violated"


NAMED: Mapping[str, Any] = {"type": "wire", "name": "helper"}


@pytest.mark.parametrize(
    ("blocks", "echoed", "expected"),
    [
        ((), (NAMED,), "holds"),
        ((NAMED,), (NAMED,), "holds"),
        ((NAMED,), (), "violated"),
        (({"type": "reasoning"},), (), "violated"),
        (({"type": "reasoning"},), ({"type": "reasoning"}, NAMED), "holds"),
        ((), ({"type": "reasoning"},), "violated"),
    ],
)
def test_a_wire_may_add_its_own_to_what_the_model_said(
    blocks: tuple[Mapping[str, Any], ...],
    echoed: tuple[Mapping[str, Any], ...],
    expected: str,
) -> None:
    """A name beside the model's words changes none of them; a lost block does."""
    run = Run([read("look")])
    asked = ToolCall("c1", "look")
    run.responds(Message("assistant", "so", (asked,), blocks=blocks), keep=False)
    run.runs("look")
    run.history.append(Message("assistant", "so", (asked,), blocks=echoed))
    run.history.append(tool_result("c1", "ok"))
    run.responds(assistant("done"))
    assert verdict(run.ends(), "response-kept-whole").status == expected
