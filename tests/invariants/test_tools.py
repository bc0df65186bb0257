"""Tools: the allowed ones run, with leave, alone where they must, failures told."""

from __future__ import annotations

import pytest

from agentsim.core import (
    CallRecovered,
    History,
    Limits,
    ToolEnding,
    ToolStarted,
    Usage,
    system,
    user,
)
from agentsim.trace import Trace
from tests.invariants.support import (
    BLOCK,
    Run,
    asked,
    call,
    confirmed,
    parsed,
    read,
    verdict,
    write,
)

LOOK, PEEK, NOTE = read("look"), read("peek"), write("note")
PAY = confirmed("pay")


# ------------------------------------------------------------------- errors-visible


def failing(ending: ToolEnding, text: str, *, error: bool) -> Trace:
    """A run whose tool ends in some way and whose result says something of it."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.runs("look", "broken", ending=ending)
    run.answers(text, error=error)
    run.says()
    return run.ends()


@pytest.mark.parametrize(
    ("ending", "text", "error", "status"),
    [
        ("error", "Error: broken", True, "holds"),
        ("unknown", "Error: broken", True, "holds"),
        ("error", "Error: broken", False, "violated"),
        ("unknown", "ok", False, "violated"),
        ("error", "", True, "violated"),
        ("ok", "Error: all is well", False, "unknown"),
    ],
)
def test_a_failed_tool_is_told(
    ending: ToolEnding, text: str, error: bool, status: str
) -> None:
    """A failure needs a result with flag and words; a text that looks like one is none."""
    found = verdict(failing(ending, text, error=error), "errors-visible")
    assert found.status == status


@pytest.mark.parametrize(
    ("name", "arguments", "error", "status"),
    [
        ("lok", "{}", True, "holds"),
        ("lok", "{}", False, "violated"),
        ("look", '{"a":', True, "holds"),
        ("look", "[]", False, "violated"),
        ("look", "", False, "unknown"),
    ],
)
def test_a_call_that_cannot_run_is_told(
    name: str, arguments: str, error: bool, status: str
) -> None:
    """Unknown tools and invalid arguments are failures; empty arguments are none."""
    run = Run([LOOK])
    run.asks(call(name, arguments))
    run.answers("told", error=error)
    run.says()
    assert verdict(run.ends(), "errors-visible").status == status


def test_invalid_arguments_that_are_run_anyway_are_found() -> None:
    """Arguments that were repaired silently give no error to the model."""
    run = Run([LOOK])
    run.asks(call("look", '{"a":'))
    run.runs("look")
    run.answers("ok")
    run.says()
    assert verdict(run.ends(), "errors-visible").status == "violated"


def test_a_tool_that_works_when_run_again_did_not_fail() -> None:
    """The last run counts: a failure that a retry made good is no failure."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.runs("look", ending="error")
    run.runs("look")
    run.answers("ok")
    run.says()
    trace = run.ends()
    assert verdict(trace, "errors-visible").status == "unknown"
    assert verdict(trace, "allowlist").status == "holds"


def test_a_refusal_of_a_person_is_told() -> None:
    """A declined call needs an error result; one like it that was approved does not."""
    for error, status in ((True, "holds"), (False, "violated")):
        run = Run([PAY])
        run.asks(call("pay", '{"sum":1}'), call("pay", '{"sum":2}'))
        run.confirms("pay", sum=1, approved=False)
        run.confirms("pay", sum=2)
        run.runs("pay", sum=2)
        run.answers("Error: declined", error=error)
        run.history.append(type(run.message)("tool", "ok", (), "c2"))
        run.says()
        found = verdict(run.ends(), "errors-visible")
        assert (found.status, found.evidence) == (status, 1)


# ------------------------------------------------------------------------ allowlist


@pytest.mark.parametrize(
    ("reason", "result", "status"),
    [
        ("not during business hours", "Error: declined: not during business hours", 1),
        ("not during business hours", "Error: no; wait for the end of business", 1),
        ("außerhalb der Zeiten", 'Error: {"why": "au\\u00dferhalb der Zeiten"}', 1),
        ("not during business hours", "Error: the tool failed", 0),
        ("not during business hours", BLOCK, 1),
        ("no", "Error: the tool failed", 1),
        (None, "Error: the tool failed", 1),
    ],
)
def test_the_reason_of_a_refusal_is_told(
    reason: str | None, result: str, status: int
) -> None:
    """A person's words go to the model, in whatever form (R4.4)."""
    run = Run([confirmed("pay")])
    run.asks(call("pay"))
    run.confirms("pay", approved=False, reason=reason)
    run.answers(result, error=True)
    run.says("done")
    judged = verdict(run.ends(), "errors-visible")
    assert judged.status == ("violated", "holds")[status]


def test_a_refusal_that_came_with_the_deadline_may_be_lost() -> None:
    """What comes at its very instant is late: the call was not executed (R6.3)."""
    run = Run([confirmed("pay")])
    run.asks(call("pay"))
    run.confirms("pay", approved=False, reason="not during business hours")
    run.answers("Error: not executed: the deadline came", error=True)
    assert verdict(run.ends("deadline"), "errors-visible").status == "holds"


def test_who_declined_is_not_asked_again() -> None:
    """Of one call a refusal is the answer; another call may be put again (R4.4)."""
    for times, again, status in ((1, 2, "violated"), (2, 2, "holds"), (1, 1, "holds")):
        run = Run([confirmed("pay")])
        run.asks(*[call("pay")] * times)
        for _ in range(again):
            run.confirms("pay", approved=False)
        run.answers(*["Error: declined"] * times, error=True)
        run.says("done")
        assert verdict(run.ends(), "confirmed-before-effect").status == status
    run = Run([confirmed("pay")])
    run.asks(call("pay"))
    run.confirms("pay", by=None)
    run.confirms("pay")
    run.runs("pay", effect=True, confirmed_by="ann")
    run.answers("paid")
    run.says("done")
    assert verdict(run.ends(), "confirmed-before-effect").status == "holds"


def test_tools_that_were_asked_for_may_run() -> None:
    """Calls of one name are served each by a run of their own."""
    run = Run([LOOK])
    run.asks(call("look", '{"a":1}'), call("look", '{"a":2}'))
    run.runs("look", a=2)
    run.runs("look", a=1)
    run.answers("ok", "ok")
    run.says()
    found = verdict(run.ends(), "allowlist")
    assert (found.status, found.evidence) == ("holds", 2)


def test_a_tool_outside_of_the_list_is_found() -> None:
    """What the model asks for is not what it may do."""
    run = Run([LOOK])
    run.asks(call("rm"))
    run.runs("rm")
    found = verdict(run.trace(), "allowlist")
    assert found.status == "violated"
    assert found.violations[0].found == "rm"


@pytest.mark.parametrize(
    ("calls", "runs", "words"),
    [
        ([], ["look"], "look runs and the model did not ask for it"),
        ([call("peek")], ["look"], "look runs and the model did not ask for it"),
        ([call("look")], ["look", "look"], "look runs more often than the model asked"),
    ],
)
def test_a_tool_that_nobody_asked_for_is_found(
    calls: list[tuple[str, str]], runs: list[str], words: str
) -> None:
    """Each run needs a call of the latest response that no good run has served."""
    run = Run([LOOK, PEEK])
    run.asks(*calls)
    for name in runs:
        run.runs(name)
    found = verdict(run.trace(), "allowlist")
    assert found.status == "violated"
    assert words in found.violations[0].words


def test_a_call_of_an_earlier_response_is_no_reason() -> None:
    """The latest response decides: what it does not ask for is not asked for."""
    run = Run([LOOK])
    run.looks()
    run.says()
    run.runs("look")
    assert verdict(run.trace(), "allowlist").status == "violated"


def test_a_tool_before_the_first_response_is_found() -> None:
    """Before the model said anything, nothing was asked for."""
    run = Run([LOOK])
    run.runs("look")
    found = verdict(run.ends(), "allowlist")
    assert found.violations[0].words == "look runs before the model said anything"


@pytest.mark.parametrize("turns", [0, 1])
def test_a_tool_after_an_answer_that_broke_off_is_told_so(turns: int) -> None:
    """The model may have asked for it in what came: it did say something."""
    run = Run([LOOK, NOTE])
    for _ in range(turns):
        run.looks()
    run.breaks("I no")
    run.runs("note")
    [violation] = verdict(run.trace(), "allowlist").violations
    assert violation.words == "note runs, and no response that came whole asked for it"
    assert violation.found == f"request {turns + 1}, which failed"


def test_a_failed_request_does_not_hide_a_call_that_is_run_again() -> None:
    """What the last whole response asked for, and got, is told by that response."""
    run = Run([NOTE])
    run.asks(call("note"))
    run.runs("note")
    run.answers("ok")
    run.breaks("I no")
    run.runs("note")
    [violation] = verdict(run.trace(), "allowlist").violations
    assert violation.words == "note runs more often than the model asked for it"


@pytest.mark.parametrize(
    ("name", "status"), [("look", "holds"), ("note", "violated"), ("rm", "violated")]
)
def test_a_program_may_read_before_it_asks_the_model(name: str, status: str) -> None:
    """What stands in a prompt must be looked up first; only reads of the list may."""
    run = Run([LOOK, NOTE])
    run.runs(name)
    assert verdict(run.ends("failed"), "allowlist").status == status
    run = Run([LOOK, NOTE])
    run.runs(name)
    run.looks()
    run.says()
    assert verdict(run.ends(), "allowlist").status == status


@pytest.mark.parametrize("asked_for", ['{"a":1}', "{}"])
@pytest.mark.parametrize("ended", [False, True])
def test_a_program_reads_again_in_a_new_life(asked_for: str, *, ended: bool) -> None:
    """It serves no call of the old life, not even one that asked for the same."""
    run = Run([LOOK])
    run.runs("look")
    run.asks(call("look", asked_for))
    if ended:
        run.runs("look", **parsed(asked_for))
    run.crashes()
    run.runs("look")
    run.says()
    trace = run.ends()
    for name in ("allowlist", "arguments-as-asked"):
        assert verdict(trace, name).status != "violated"


@pytest.mark.parametrize(
    ("then", "status"),
    [("other", "holds"), ("same", "violated"), ("end", "violated"), ("cut", "holds")],
)
def test_a_program_may_read_before_another_conversation(then: str, status: str) -> None:
    """Such as one with a critic, but not in the middle of one, or when all is over."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.runs("look")
    run.answers("ok")
    run.says("checked")
    run.runs("look", "all is well")
    if then == "other":
        run.requests(History([system("You judge."), user("Is it well?")]).view())
    if then == "same":
        run.says("checked again")
    trace = run.ends("cancelled" if then == "cut" else "done", output="checked")
    assert verdict(trace, "allowlist").status == status


@pytest.mark.parametrize(
    ("told", "status"),
    [
        (("look",), "holds"),
        (("peek", "look"), "holds"),
        (("look", "peek"), "violated"),
        (("peek",), "violated"),
        (("peek", "peek", "look"), "violated"),
    ],
)
def test_what_a_program_read_first_may_be_told_among_its_tools(
    told: tuple[str, ...], status: str
) -> None:
    """Or not: it was used, and no call of the model asked for it."""
    run = Run([LOOK, PEEK])
    run.runs("peek")
    run.looks()
    run.says()
    trace = run.ends(iterations=2, usage=Usage(20, 10), tools=told)
    assert verdict(trace, "result-true").status == status


def test_a_new_life_may_run_what_the_old_one_was_asked() -> None:
    """Pending calls of a saved response are run by the life that resumes."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.crashes()
    run.runs("look")
    assert verdict(run.trace(), "allowlist").status == "holds"


def test_an_announced_recovery_is_a_call() -> None:
    """A call recovered from text has no call in the response, and an announcement."""
    for announced in (True, False):
        run = Run([LOOK])
        run.says('{"name": "look"}', keep=False)
        if announced:
            run.adds(CallRecovered("r1", "look", who="runtime"))
        run.runs("look")
        found = verdict(run.trace(), "allowlist")
        assert found.status == ("holds" if announced else "violated")


def test_a_witness_that_knows_the_call_is_believed() -> None:
    """Where a start names its call, names and arguments need not be compared."""
    run = Run([LOOK])
    run.asks(asked("look", '{"a":1}', id="x"), asked("look", '{"a":1}', id="y"))
    for operation, call_id in ((1, "y"), (2, "x")):
        run.adds(ToolStarted(operation, "look", {"a": 1}, call_id))
        run.stops(
            "look", operation=operation, ending="error" if call_id == "x" else "ok"
        )
    run.adds(ToolStarted(3, "look", {"a": 1}, "unknown"))
    run.stops("look", operation=3)
    run.answers("Error: broken", error=True)
    run.history.append(type(run.message)("tool", "ok", (), "y"))
    run.says()
    trace = run.ends()
    assert verdict(trace, "allowlist").status == "holds"
    assert verdict(trace, "errors-visible").status == "unknown"


def test_what_a_runtime_says_of_itself_is_not_evidence() -> None:
    """The same tool told by boundary and runtime runs once; by the runtime alone, never."""
    run = Run([LOOK])
    run.says()
    run.adds(ToolStarted(1, "rm", {}, who="runtime"))
    assert verdict(run.ends(), "allowlist").status == "unknown"


# ---------------------------------------------------------- confirmed-before-effect


def paying(*, by: str | None = "ann", approved: bool = True, paid: int = 40) -> Trace:
    """A run that asks about a payment of 40 and makes one."""
    run = Run([PAY])
    run.asks(call("pay", '{"sum":40}'))
    run.confirms("pay", by=by, approved=approved, sum=40)
    run.runs("pay", effect=True, sum=paid)
    return run.trace()


def test_an_approved_call_may_take_effect() -> None:
    """An approval for this name and these arguments is enough; the approver may join."""
    assert verdict(paying(), "confirmed-before-effect").status == "holds"
    run = Run([PAY])
    run.asks(call("pay", '{"sum":40}'))
    run.confirms("pay", sum=40)
    run.runs("pay", effect=True, sum=40, confirmed_by="ann")
    assert verdict(run.trace(), "confirmed-before-effect").status == "holds"


@pytest.mark.parametrize(
    ("trace", "found"),
    [
        (paying(approved=False), "a refusal"),
        (paying(by=None), "an approval without the id of a person"),
        (paying(by=""), "an approval without the id of a person"),
        (paying(paid=41), "no answer of a person to this call"),
    ],
)
def test_a_call_that_was_not_approved_is_found(trace: Trace, found: str) -> None:
    """Refusals, anonymous approvals and those for other arguments are none."""
    judged = verdict(trace, "confirmed-before-effect")
    assert judged.status == "violated"
    assert judged.violations[0].found == found
    assert "took effect" in judged.violations[0].words


def test_a_loop_that_asks_nobody_is_told_how_a_tool_needs_no_approval() -> None:
    """Own tools that write need one unless they say otherwise, which is easily missed."""
    run = Run([PAY])
    run.asks(call("pay", '{"sum":40}'))
    run.runs("pay", effect=True, sum=40)
    judged = verdict(run.trace(), "confirmed-before-effect")
    assert "nobody was asked" in judged.violations[0].found
    assert "confirm=False" in judged.violations[0].found


def test_an_approval_comes_before_its_call() -> None:
    """An approval that comes after the start is too late."""
    run = Run([PAY])
    run.asks(call("pay"))
    run.starts("pay")
    run.confirms("pay")
    run.stops("pay")
    assert verdict(run.trace(), "confirmed-before-effect").status == "violated"


def test_an_approval_is_for_one_execution() -> None:
    """Two runs need two approvals."""
    for approvals in (1, 2):
        run = Run([PAY])
        run.asks(call("pay"), call("pay"))
        for _ in range(approvals):
            run.confirms("pay")
        run.runs("pay")
        run.runs("pay")
        found = verdict(run.trace(), "confirmed-before-effect")
        assert found.status == ("holds" if approvals == 2 else "violated")
        assert approvals == 2 or found.violations[0].found.endswith(
            "an earlier run used up"
        )


def test_a_refusal_that_is_kept_is_evidence() -> None:
    """A refused call that did not run puts the rule to the test."""
    run = Run([PAY])
    run.asks(call("pay"))
    run.confirms("pay", approved=False)
    run.answers("Error: declined", error=True)
    assert verdict(run.trace(), "confirmed-before-effect").status == "holds"


def test_an_approval_outlives_a_crash() -> None:
    """What a person approved before the crash may be done after it."""
    run = Run([PAY])
    run.asks(call("pay"))
    run.confirms("pay")
    run.crashes()
    run.runs("pay")
    assert verdict(run.trace(), "confirmed-before-effect").status == "holds"


def test_an_effect_from_nowhere_is_found() -> None:
    """An effect of a confirming tool that never started has no approval."""
    run = Run([PAY, write("note")])
    run.effects("note")
    assert verdict(run.trace(), "confirmed-before-effect").status == "unknown"
    run.effects("pay")
    assert verdict(run.trace(), "confirmed-before-effect").status == "violated"


def test_without_confirming_tools_there_is_nothing_to_confirm() -> None:
    """The rule has no subject where no tool asks."""
    assert (
        verdict(Run([LOOK]).ends(), "confirmed-before-effect").status
        == "not_applicable"
    )


# ------------------------------------------------------- writes-alone, reads-bounded


def overlapping(*names: str) -> Trace:
    """A run that starts tools one after the other, and ends them then."""
    run = Run([LOOK, PEEK, write("note"), write("save"), read("count", parallel=False)])
    run.asks(*map(call, names))
    started = [(name, run.starts(name)) for name in names]
    for name, operation in started:
        run.stops(name, operation=operation)
    return run.trace()


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (("note",), "holds"),
        (("look", "peek"), "unknown"),
        (("note", "look"), "violated"),
        (("look", "note"), "violated"),
        (("note", "save"), "violated"),
        (("look", "count"), "violated"),
    ],
)
def test_writes_run_alone(names: tuple[str, ...], status: str) -> None:
    """Nothing may overlap a write, in whichever order they start."""
    trace = overlapping(*names)
    assert verdict(trace, "writes-alone").status == status
    bounded = "violated" if status == "violated" else "unknown"
    bounded = "holds" if len(names) > 1 and status != "violated" else bounded
    assert verdict(trace, "reads-bounded").status == bounded


def test_a_write_behind_finished_reads_is_alone() -> None:
    """A write that starts when the reads have ended, at the same instant, is alone."""
    run = Run([LOOK, write("note")])
    run.asks(call("look"), call("note"), call("look"))
    run.runs("look")
    run.runs("note")
    run.runs("look")
    trace = run.trace()
    assert verdict(trace, "writes-alone").status == "holds"
    assert verdict(trace, "reads-bounded").status == "unknown"


def test_what_died_in_a_crash_overlaps_nothing() -> None:
    """Tools in flight at a crash are gone when the next life starts one."""
    run = Run([LOOK, write("note")])
    run.asks(call("note"))
    run.starts("note")
    run.crashes()
    run.asks(call("note"))
    run.runs("note")
    found = verdict(run.trace(), "writes-alone")
    assert (found.status, found.evidence) == ("holds", 2)


@pytest.mark.parametrize(
    ("limits", "flight", "status"),
    [
        (Limits(max_parallel=2), 2, "holds"),
        (Limits(max_parallel=2), 3, "violated"),
        (Limits(max_parallel=None), 9, "holds"),
        (None, 9, "holds"),
    ],
)
def test_reads_are_bounded(limits: Limits | None, flight: int, status: str) -> None:
    """A declared K bounds what is in flight; without one nothing does."""
    run = Run([LOOK], limits=limits)
    run.asks(*[call("look", f'{{"n":{n}}}') for n in range(flight)])
    operations = [run.starts("look", n=n) for n in range(flight)]
    for operation in operations:
        run.stops("look", operation=operation)
    found = verdict(run.trace(), "reads-bounded")
    assert (found.status, found.evidence) == (status, flight - 1)


def test_without_a_subject_overlaps_are_not_judged() -> None:
    """No tool that runs alone, or none that is parallel: nothing to judge."""
    assert verdict(Run([LOOK]).ends(), "writes-alone").status == "not_applicable"
    trace = Run([write("note")]).ends()
    assert verdict(trace, "reads-bounded").status == "not_applicable"
