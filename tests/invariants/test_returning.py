"""What tools returned reaches the model, and nothing that they did not (spec R3.2, R4.3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentsim.core import ToolEnding
from agentsim.invariants import Judgement
from tests.invariants.support import BLOCK, Run, call, confirmed, read, verdict, write

LOOK, CHECK, NOTE = read("look"), read("check"), write("note")


def shown(*results: str, outputs: tuple[str, str] = ("north", "south")) -> Judgement:
    """The judgement on two calls with these outputs, answered by these results."""
    run = Run([LOOK, CHECK])
    run.asks(call("look"), call("check"))
    run.runs("look", outputs[0])
    run.runs("check", outputs[1])
    run.tells(*results)
    run.says("done")
    return verdict(run.ends(), "results-as-returned")


LONG = "the disk of web-03 is nearly full"


@pytest.mark.parametrize(
    "results",
    [
        ("north", "south"),
        ("Result of look: north", "```south```"),
        ("no", "south"),
        ("Error: loop detected: look", "south"),
        ("[seen]", "south"),
    ],
    ids=["as they are", "dressed", "shortened", "blocked", "masked"],
)
def test_a_result_may_have_another_form(results: tuple[str, str]) -> None:
    """Words around it, a piece of it, a block: all that is no other call's output."""
    assert shown(*results).status == "holds"


def test_the_output_of_another_call_is_no_result() -> None:
    """Swapped outputs are found for each call, and name the run that they came from."""
    judged = shown("south", "north")
    assert [v.words for v in judged.violations] == [
        "a call of look got what another run of check returned",
        "a call of check got what another run of look returned",
    ]


def test_an_output_must_reach_the_model() -> None:
    """An empty result, and a notice in place of a text, tell it nothing."""
    assert shown("", "south").violations[0].found == "an empty result"
    assert shown("", "south", outputs=("", "south")).status == "holds"
    judged = shown("(ok)", "south", outputs=(LONG, "south"))
    assert (
        judged.violations[0].words == "nothing of what look returned reaches the model"
    )
    assert shown("Disk: full", "south", outputs=(LONG, "south")).status == "holds"
    assert shown("(stored)", "south", outputs=(LONG * 9, "south")).status == "holds"
    assert shown("(ok)", "south", outputs=("a b 12", "south")).status == "holds"


def test_results_of_equal_calls_may_be_anyones() -> None:
    """Of calls that are alike the results themselves tell which run is whose."""
    run = Run([LOOK])
    run.asks(call("look"), call("look"))
    run.runs("look", "north")
    run.runs("look", "south")
    run.tells("south", "north")
    run.says("done")
    assert verdict(run.ends(), "results-as-returned").status == "holds"


def test_a_text_may_be_written_as_json_has_it() -> None:
    """Letters outside of ASCII are escaped there, and are the same words."""
    text = "диск почти заполнен, удалите журналы"
    escaped = json.dumps({"output": text})
    assert shown(escaped, "south", outputs=(text, "south")).status == "holds"
    assert shown('{"ok": true}', "south", outputs=(text, "south")).status == "violated"


# ----------------------------------------------------------------- what nothing explains


def told_of(*results: str, runs: int = 0) -> Judgement:
    """The judgement on as many equal writes as results, of which so many ran."""
    run = Run([write("note"), LOOK])
    run.asks(*[call("note")] * len(results))
    for _ in range(runs):
        run.runs("note", "written", effect=True)
    run.tells(*results)
    run.says("done")
    return verdict(run.ends(), "results-as-returned")


def test_a_write_that_never_ran_has_no_result() -> None:
    """A result as if it had run is made up; an error is none, and a run explains one."""
    judged = told_of("written")
    assert judged.violations[0].words == (
        "note never ran, and the model gets a result as if it had"
    )
    assert told_of("Error: not executed").status == "unknown"
    assert told_of("written", runs=1).status == "holds"


def test_one_run_is_the_result_of_one_call() -> None:
    """Two equal writes of one response are two: one run can't answer both (R10.4)."""
    assert told_of("written", "written", runs=1).status == "violated"
    assert told_of("written", "written", runs=2).status == "holds"
    assert told_of("written", "Error: not executed", runs=1).status == "holds"


def test_other_ways_not_to_run_are_judged_elsewhere() -> None:
    """A read may come from a cache; what was declined or is invalid is no write at all."""
    run = Run([LOOK, confirmed("pay")])
    run.asks(call("look"), call("pay"), call("pay", "[]"))
    run.confirms("pay", approved=False)
    run.answers("seen before", "paid", "paid")
    run.says("done")
    assert verdict(run.ends(), "results-as-returned").status == "unknown"
    assert verdict(run.ends(), "errors-visible").evidence == 2


def reading_again(
    remembered: str, *, effect: bool = True, runs: int = 2, struck: bool = False
) -> Judgement:
    """The judgement on a read that no run answers, behind two others around a write."""
    run = Run([LOOK, NOTE])
    for output in ("95 %", "40 %")[:runs]:
        run.looks(output)
        run.asks(call("note"))
        run.runs("note", "written", effect=effect)
        run.tells("written")
    if struck:
        run.struck("outdated")
    run.asks(call("look"))
    run.tells(remembered)
    run.says("done")
    return verdict(run.ends(), "results-as-returned")


def test_what_is_remembered_of_a_read_is_the_last_that_was_seen() -> None:
    """What a read returned before a write is stale once another run showed the change."""
    judged = reading_again("95 %")
    assert [one.words for one in judged.violations] == [
        "look is answered with what it had returned before a write"
    ]
    assert reading_again("40 %").status == "holds"


@pytest.mark.parametrize("more", [{"effect": False}, {"runs": 1}, {"struck": True}])
def test_nobody_knows_what_else_a_write_changes(more: dict[str, Any]) -> None:
    """Without an effect in between and a good run behind it, no read is known as stale."""
    assert reading_again("95 %", **more).status == "holds"


def test_a_run_beside_a_read_tells_what_is_known_by_then() -> None:
    """One of two equal reads may be answered by the run of the other one."""
    run = Run([LOOK, NOTE])
    for output in ("95 %", "40 %"):
        run.looks(output)
        run.asks(call("note"))
        run.runs("note", "written", effect=True)
        run.tells("written")
    run.asks(call("look"), call("look"))
    run.runs("look", "95 %")
    run.tells("95 %", "95 %")
    run.says("done")
    assert verdict(run.ends(), "results-as-returned").status == "holds"


def failed_beside(
    result: str, *, ending: ToolEnding = "ok", output: str = LONG, later: float = 0
) -> Judgement:
    """The judgement on a read beside one that fails, that ended and was told so."""
    run = Run([LOOK, CHECK])
    run.asks(call("look"), call("check"))
    run.starts("look")
    run.starts("check")
    run.stops("check", "no such file", ending="error")
    run.waits(later)
    run.stops("look", output, ending=ending)
    run.tells(result, "Error: no such file")
    run.says("done")
    return verdict(run.ends(), "results-as-returned")


def test_a_failure_does_not_take_a_good_result_away() -> None:
    """A read that ran well beside one that failed is told as what it returned (R4.3)."""
    assert failed_beside(LONG).status == "holds"
    judged = failed_beside("Error: one of the calls failed")
    assert judged.violations[0].words == (
        "look ran well, and the model is told that it failed"
    )
    assert failed_beside(f"Error: bad output {LONG!r}").status == "holds"
    assert failed_beside("Error: no text", output="17").status == "unknown"
    assert failed_beside(BLOCK).status == "unknown"


def test_a_failure_does_not_cut_off_its_siblings() -> None:
    """A read that ends directly with the failure of another one was cut off by it."""
    judged = failed_beside("Error: no such file", ending="cancelled", output="")
    assert judged.violations[0].words == (
        "look was cut off because check beside it failed"
    )
    slow = failed_beside("Error: too slow", ending="cancelled", output="", later=1)
    assert slow.status == "unknown"


def test_an_output_that_may_be_spoilt_can_be_refused() -> None:
    """Where a fault struck, or a call comes again, an agent may have its reasons."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.struck("binary_output")
    run.runs("look", LONG)
    run.tells("Error: refused")
    run.says("done")
    assert verdict(run.ends(), "results-as-returned").status == "unknown"
    run = Run([LOOK])
    for result in (LONG, "Error: you have that already"):
        run.asks(call("look"))
        run.runs("look", LONG)
        run.tells(result)
    run.says("done")
    assert verdict(run.ends(), "results-as-returned").status == "holds"
